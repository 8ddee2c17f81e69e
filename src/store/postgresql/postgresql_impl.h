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

/* Refuses an address without the name of a study, and every address with a password. The error never repeats such an
 * address. */
fcps_status fcps_postgresql_check(const fcps_store_url *url, fcps_error *error);

/* Returns the part of a URL for libpq, which the caller frees with free, and the name of the study, which points into
 * the URL. */
char *fcps_postgresql_database(const fcps_store_url *url);
const char *fcps_postgresql_study_name(const fcps_store_url *url);

/* -- The connection (connection.c) -- */

typedef struct postgresql_connection postgresql_connection;

/* A value to be sent. Integers, numbers and bytes are sent in binary form and not as text, so that every bit comes
 * back. */
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
  const void *bytes; /* bytes, or a text */
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

/* Connects. Even after a failure that may pass, there is a connection; it counts as lost. */
fcps_status fcps_postgresql_connect(postgresql_connection **connection, const char *database, const char *name,
                                    fcps_error *error);
void fcps_postgresql_disconnect(postgresql_connection *connection); /* `connection` may be NULL */

/* Whether the server, or the way to it, is gone. What was not committed is then lost, and it is unknown whether an
 * unfinished commit has happened. */
bool fcps_postgresql_is_lost(const postgresql_connection *connection);

/* Runs statements without values. If `tag` is not NULL, it receives the name of the last statement that was done, such
 * as "COMMIT". */
fcps_status fcps_postgresql_run(postgresql_connection *connection, const char *sql, char tag[32], fcps_error *error);

/* Runs one statement with values for $1, $2 and so on. `rows` may be NULL if the statement returns none; otherwise the
 * caller frees *rows with fcps_postgresql_free_rows. */
fcps_status fcps_postgresql_query(postgresql_connection *connection, const char *sql, int count,
                                  const postgresql_value *values, postgresql_rows **rows, fcps_error *error);
void fcps_postgresql_free_rows(postgresql_rows *rows); /* `rows` may be NULL */

int fcps_postgresql_row_count(const postgresql_rows *rows);
bool fcps_postgresql_is_null(const postgresql_rows *rows, int row, int column);
int64_t fcps_postgresql_integer(const postgresql_rows *rows, int row, int column); /* 0 if the value is no integer */
double fcps_postgresql_number(const postgresql_rows *rows, int row, int column);   /* NaN if the value is no number */

/* Returns the bytes of a value, with a 0 after them. They are valid as long as the rows. */
const char *fcps_postgresql_bytes(const postgresql_rows *rows, int row, int column, size_t *size);

/* Reads the first value of the first row; -1 if there is no row. */
fcps_status fcps_postgresql_ask_integer(postgresql_connection *connection, const char *sql, int64_t *integer,
                                        fcps_error *error);

/* Waits until somebody has committed to a channel that this connection listens to, or until the time is over. */
fcps_status fcps_postgresql_wait(postgresql_connection *connection, int wait_ms, bool *is_notified, fcps_error *error);

/* -- The store -- */

extern const fcps_store_ops fcps_store_postgresql; /* in postgresql.c */

typedef struct postgresql_store {
  fcps_store base;
  fcps_store_options options;
  postgresql_connection *connection;
  char *database, *study_name;
  int64_t study;  /* the study's number in the database; 0 until it is made */
  bool is_making; /* until the first commit of a new study */
  bool is_held, is_listening;
  char *lost;               /* the numbers of records that may be missing (store.h); NULL: none */
  int64_t last;             /* sequence of the last record in this transaction */
  fcps_store_seen appended; /* the last record that this transaction has added */
  double *numbers[4];       /* the numbers of the record that is being read */
  size_t capacity[4];
} postgresql_store;

/* Connects again if the connection is lost, and takes the locks of the store again. */
fcps_status fcps_postgresql_reconnect(postgresql_store *store, fcps_error *error);

/* Makes the tables if there are none. Called within a writing transaction (place.c). */
fcps_status fcps_postgresql_make_tables(postgresql_store *store, fcps_error *error);

/* Refuses tables of a newer fcps. */
fcps_status fcps_postgresql_check_version(const char *name, int64_t version, fcps_error *error);

/* Takes locks that last as long as the connection (place.c). With `is_whole`, no other handle may have the study
 * open. */
fcps_status fcps_postgresql_note_open(postgresql_store *store, bool is_whole, fcps_error *error);
fcps_status fcps_postgresql_hold(fcps_store *store, fcps_error *error);
bool fcps_postgresql_is_held(fcps_store *store, fcps_error *who);
void fcps_postgresql_let_go(postgresql_store *store); /* releases the locks, unless the connection is lost */

/* Operations of this back-end; see fcps_store_ops. */
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
