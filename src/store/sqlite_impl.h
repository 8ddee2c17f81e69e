/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the SQLite back-end share: sqlite.c (transactions, records, texts), sqlite_format.c (tables and
 * their formats), sqlite_guard.c (defences against what is in a file), sqlite_file.c (making, opening and removing),
 * sqlite_hold.c (the hold of a long run), sqlite_repair.c (what can be saved of a damaged file).
 *
 * A store PATH is one file, and for a while up to three more beside it: PATH-journal (SQLite's, during a commit),
 * PATH-reserve (space kept for the next commit) and PATH-lock (while somebody holds it). Only these files know so. */
#ifndef FCPS_STORE_SQLITE_IMPL_H
#define FCPS_STORE_SQLITE_IMPL_H

#include "store/store.h"

#include <sqlite3.h>

enum { APPLICATION_ID = 0x66637073 /* "fcps" */ };

typedef struct sqlite_store {
  fcps_store base;
  sqlite3 *db;
  char *path, *reserve_path, *lock_path; /* for the system; messages say base.name */
  /* prepared when first used */
  sqlite3_stmt *begin[2], *commit, *append, *each, *set, *get, *ask_cookie, *ask_format, *ask_last;
  double *numbers[4]; /* the numbers of the record being read */
  size_t capacity[4];
  bool is_relaxed;
  int format;     /* of the file's tables; 0: not looked at yet */
  int64_t cookie; /* SQLite's number of the schema that was looked at */
  int64_t last;   /* sequence of the last record in this transaction; -1: not looked at yet */
  char *lost;     /* the numbers that may be missing (lost_records.h); NULL: none */
  int hold;       /* descriptor of the lock file; -1: not held */
} sqlite_store;

/* The status and the words for a failure that SQLite reported with `code`. */
fcps_status fcps_sqlite_error(sqlite_store *store, int code, fcps_error *error);
fcps_status fcps_sqlite_full(sqlite_store *store, fcps_error *error);

/* Appends a record, under `sequence` where that is positive. */
fcps_status fcps_sqlite_append(sqlite_store *store, const fcps_journal_record *record, int64_t sequence,
                               fcps_error *error);
fcps_status fcps_sqlite_set(sqlite_store *store, const char *key, const char *text, fcps_error *error);

/* The record or the text in the current row of `statement`, which selects all columns of its table, until the next
 * step. FCPS_ERR_DAMAGED where a value has not the type of its column, or the row not its checksum. */
fcps_status fcps_sqlite_row(sqlite_store *store, sqlite3_stmt *statement, fcps_journal_record *record,
                            fcps_error *error);
fcps_status fcps_sqlite_text(sqlite_store *store, sqlite3_stmt *statement, const char **key, const char **text,
                             fcps_error *error);

/* The first value that a statement returns (sqlite_format.c). */
fcps_status fcps_sqlite_ask_text(sqlite_store *store, const char *sql, size_t size, char *text, fcps_error *error);
fcps_status fcps_sqlite_ask_number(sqlite_store *store, const char *sql, int64_t *number, fcps_error *error);

/* Makes the tables of a new file within its first transaction (sqlite_format.c). */
fcps_status fcps_sqlite_make(sqlite_store *store, fcps_error *error);

/* Looks at the number of the format and the schema, and notes them; then at all texts. Within a transaction. */
fcps_status fcps_sqlite_check_tables(sqlite_store *store, fcps_error *error);
fcps_status fcps_sqlite_check_texts(sqlite_store *store, fcps_error *error);
fcps_status fcps_sqlite_refuse_newer(sqlite_store *store, int64_t format, fcps_error *error);

/* At the beginning of each transaction: does the same where another process has changed them since; and before the
 * first write: gives the file the present format. */
fcps_status fcps_sqlite_follow_format(sqlite_store *store, fcps_error *error);
fcps_status fcps_sqlite_upgrade(sqlite_store *store, fcps_error *error);

/* Sets the defences of a new connection, before it looks at the file; then checks the whole file (sqlite_guard.c). */
fcps_status fcps_sqlite_guard(sqlite_store *store, bool is_defensive, fcps_error *error);
fcps_status fcps_sqlite_check(sqlite_store *store, fcps_error *error);

/* The store of a URL without a connection, to be closed also after a failure where *store is not NULL; then its
 * connection, which is `is_defensive` unless it reads a damaged file. Neither looks at what is in the file. */
fcps_status fcps_sqlite_allocate(sqlite_store **store, const fcps_store_url *url, fcps_error *error);
fcps_status fcps_sqlite_connect(sqlite_store *store, int wait_ms, bool is_defensive, fcps_error *error);

/* The name of a file beside the store; NULL without memory. */
char *fcps_sqlite_beside(const char *path, const char *end);

/* Takes the lock file and gives it back; `name` is for messages. *hold is the descriptor, -1 while not held. */
fcps_status fcps_sqlite_hold(int *hold, const char *lock_path, const char *name, fcps_error *error);
void fcps_sqlite_release(int *hold, const char *lock_path);

/* Operations of the back-end, see fcps_store_ops. */
fcps_status fcps_sqlite_create(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                               fcps_error *error);
fcps_status fcps_sqlite_open(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                             fcps_error *error);
fcps_status fcps_sqlite_exists(bool *exists, const fcps_store_url *url, fcps_error *error);
fcps_status fcps_sqlite_recognize(const fcps_store_url *url, fcps_error *error);
fcps_status fcps_sqlite_remove(const fcps_store_url *url, fcps_error *error);
fcps_status fcps_sqlite_repair(const fcps_store_url *url, const fcps_store_url *to, int64_t *saved, fcps_error *error);

#endif
