/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the SQLite back-end share: sqlite.c (transactions, records, texts), sqlite_file.c (making, opening,
 * checking and removing), sqlite_hold.c (the hold of a long run), sqlite_repair.c (what can be saved of a damaged
 * file).
 *
 * A store PATH is one file, and for a while up to three more beside it: PATH-journal (SQLite's, during a commit),
 * PATH-reserve (space kept for the next commit) and PATH-lock (while somebody holds it). Only these files know so. */
#ifndef FCPS_STORE_SQLITE_IMPL_H
#define FCPS_STORE_SQLITE_IMPL_H

#include "store/store.h"

#include <sqlite3.h>

typedef struct sqlite_store {
  fcps_store base;
  sqlite3 *db;
  char *path, *reserve_path, *lock_path;   /* for the system; messages say base.name */
  sqlite3_stmt *append, *each, *set, *get; /* prepared when first used */
  double *numbers[4];                      /* the numbers of the record being read */
  size_t capacity[4];
  bool is_relaxed;
  int hold; /* descriptor of the lock file; -1: not held */
} sqlite_store;

/* The status and the words for a failure that SQLite reported with `code`. */
fcps_status fcps_sqlite_error(sqlite_store *store, int code, fcps_error *error);
fcps_status fcps_sqlite_full(sqlite_store *store, fcps_error *error);

/* Appends a record, under `sequence` where that is positive. */
fcps_status fcps_sqlite_append(sqlite_store *store, const fcps_journal_record *record, int64_t sequence,
                               fcps_error *error);

/* The record in the current row of `statement`, which selects all columns of the journal. */
fcps_status fcps_sqlite_row(sqlite_store *store, sqlite3_stmt *statement, fcps_journal_record *record,
                            fcps_error *error);

/* The store of a URL without a connection, to be closed also after a failure where *store is not NULL; then its
 * connection. Neither looks at what is in the file. */
fcps_status fcps_sqlite_allocate(sqlite_store **store, const fcps_store_url *url, fcps_error *error);
fcps_status fcps_sqlite_connect(sqlite_store *store, int wait_ms, fcps_error *error);

/* The name of a file beside the store; NULL without memory. */
char *fcps_sqlite_beside(const char *path, const char *end);

/* Takes the lock file and gives it back; `name` is for messages. *hold is the descriptor, -1 while not held. */
fcps_status fcps_sqlite_hold(int *hold, const char *lock_path, const char *name, fcps_error *error);
void fcps_sqlite_release(int *hold, const char *lock_path);

/* Adds a line to the words in the lock file. */
bool fcps_sqlite_hold_add(int hold, const char *words);

/* The processes that have an open file open as well, in words: "process 4711 (python3), 4712 (sh)"; "" where none is
 * known. */
void fcps_sqlite_holders(int file, size_t size, char *text);

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
