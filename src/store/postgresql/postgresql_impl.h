/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the PostgreSQL back-end share: postgresql.c (transactions), records.c (records and texts), place.c
 * (tables, making, opening, removing), url.c (addresses) and
 * connection.c, the only file that calls libpq.
 *
 * A database has one schema, `fcps`, with the journals and texts of all its studies; a study is a number there. All
 * texts are stored as bytes, so that the encoding of the database does not matter. */
#ifndef FCPS_STORE_POSTGRESQL_IMPL_H
#define FCPS_STORE_POSTGRESQL_IMPL_H

#include "store/store.h"

#include <string.h>

/* -- Addresses (url.c) -- */

/* Refuses an address without the name of a study, and every one with a password in it; never repeats such a one. */
fcps_status fcps_postgresql_check(const fcps_store_url *url, fcps_error *error);

/* The part for libpq, freed with free, and the name of the study, which points into the URL. */
char *fcps_postgresql_database(const fcps_store_url *url);
const char *fcps_postgresql_study_name(const fcps_store_url *url);

/* -- The connection (connection.c) -- */

typedef struct postgresql_connection postgresql_connection;

/* A value to be sent. Integers, numbers and bytes travel as they are, not as text: every bit comes back. */
typedef enum postgresql_type {
  POSTGRESQL_NULL,
  POSTGRESQL_INTEGER,
  POSTGRESQL_NUMBER,
  POSTGRESQL_BYTES
} postgresql_type;

typedef struct postgresql_value {
  postgresql_type type;
  int64_t integer;
  double number;
  const void *bytes; /* or a text */
  size_t size;
} postgresql_value;

static inline postgresql_value postgresql_integer_value(int64_t integer)
{
  return (postgresql_value){.type = POSTGRESQL_INTEGER, .integer = integer};
}

static inline postgresql_value postgresql_text_value(const char *text)
{
  return (postgresql_value){.type = POSTGRESQL_BYTES, .bytes = text, .size = strlen(text)};
}

typedef struct postgresql_rows postgresql_rows; /* the answer to a query */

/* Connects. After a failure that may pass there is a connection too, and it counts as lost. */
fcps_status fcps_postgresql_connect(postgresql_connection **connection, const char *database, const char *name,
                                    fcps_error *error);
void fcps_postgresql_disconnect(postgresql_connection *connection); /* may be NULL */

/* Tells whether the server, or the way to it, is gone: what was not committed is lost, and a commit may have
 * happened. */
bool fcps_postgresql_is_lost(const postgresql_connection *connection);

/* Runs statements without values. *tag, if wanted, is the name of the last that was done, such as "COMMIT". */
fcps_status fcps_postgresql_run(postgresql_connection *connection, const char *sql, char tag[32], fcps_error *error);

/* Runs one statement with values for $1, $2, ... `rows` may be NULL if there are none; else freed with free_rows. */
fcps_status fcps_postgresql_query(postgresql_connection *connection, const char *sql, int count,
                                  const postgresql_value *values, postgresql_rows **rows, fcps_error *error);
void fcps_postgresql_free_rows(postgresql_rows *rows); /* may be NULL */

int fcps_postgresql_row_count(const postgresql_rows *rows);
bool fcps_postgresql_is_null(const postgresql_rows *rows, int row, int column);
int64_t fcps_postgresql_integer(const postgresql_rows *rows, int row, int column); /* 0 if it is none */
double fcps_postgresql_number(const postgresql_rows *rows, int row, int column);   /* NaN if it is none */

/* The bytes of a value, followed by a 0; they live as long as the rows. */
const char *fcps_postgresql_bytes(const postgresql_rows *rows, int row, int column, size_t *size);

/* Asks for the first value of the first row; -1 if there is none. */
fcps_status fcps_postgresql_ask_integer(postgresql_connection *connection, const char *sql, int64_t *integer,
                                        fcps_error *error);

/* Waits until somebody has committed to a channel that is listened to, or the time has passed. */
fcps_status fcps_postgresql_wait(postgresql_connection *connection, int wait_ms, bool *is_notified, fcps_error *error);

/* -- The store -- */

extern const fcps_store_ops fcps_store_postgresql; /* postgresql.c */

typedef struct postgresql_store {
  fcps_store base;
  fcps_store_options options;
  postgresql_connection *connection;
  char *database, *study_name;
  int64_t study;  /* its number in the database; 0 until it is made */
  bool is_making; /* until its first commit */
  bool is_held, is_listening;
  char *lost;               /* the numbers that may be missing (store.h), NULL: none */
  int64_t last;             /* sequence of the last record in this transaction */
  fcps_store_seen appended; /* the last record that this transaction has added */
  double *numbers[4];       /* of the record being read */
  size_t capacity[4];
} postgresql_store;

/* Connects again if the connection is lost, and takes the locks of the store again. */
fcps_status fcps_postgresql_reconnect(postgresql_store *store, fcps_error *error);

/* Makes the tables if there are none; within a transaction that writes (place.c). */
fcps_status fcps_postgresql_make_tables(postgresql_store *store, fcps_error *error);

/* Refuses tables of a newer fcps. */
fcps_status fcps_postgresql_check_version(const char *name, int64_t version, fcps_error *error);

/* Locks that last as long as the connection (place.c). `is_whole`: nobody else may have it open. */
fcps_status fcps_postgresql_note_open(postgresql_store *store, bool is_whole, fcps_error *error);
fcps_status fcps_postgresql_hold(fcps_store *store, fcps_error *error);
bool fcps_postgresql_is_held(fcps_store *store, fcps_error *who);
void fcps_postgresql_let_go(postgresql_store *store); /* gives them back, if the connection is not lost */

/* Operations of the back-end, see fcps_store_ops. */
fcps_status fcps_postgresql_create(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                                   fcps_error *error);
fcps_status fcps_postgresql_open(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                                 fcps_error *error);
fcps_status fcps_postgresql_exists(bool *exists, const fcps_store_url *url, fcps_error *error);
fcps_status fcps_postgresql_recognize(const fcps_store_url *url, fcps_error *error);
fcps_status fcps_postgresql_remove(const fcps_store_url *url, fcps_error *error);
char *fcps_postgresql_beside(const fcps_store *store, const char *end);
fcps_status fcps_postgresql_append(fcps_store *store, const fcps_journal_record *record, int64_t *sequence,
                                   fcps_error *error);
fcps_status fcps_postgresql_insert(fcps_store *store, const fcps_journal_record *record, fcps_error *error);
fcps_status fcps_postgresql_each(fcps_store *store, int64_t after, fcps_journal_fn *visit, void *user,
                                 fcps_error *error);
fcps_status fcps_postgresql_set(fcps_store *store, const char *key, const char *text, fcps_error *error);
fcps_status fcps_postgresql_get(fcps_store *store, const char *key, char **text, fcps_error *error);
fcps_status fcps_postgresql_each_text(fcps_store *store, fcps_text_fn *visit, void *user, fcps_error *error);

#endif
