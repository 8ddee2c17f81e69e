/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the SQLite back-end share. */
#ifndef FCPS_STORE_SQLITE_IMPL_H
#define FCPS_STORE_SQLITE_IMPL_H

#include "store/store.h"

#include <sqlite3.h>

typedef struct sqlite_store {
  fcps_store base;
  sqlite3 *db;
  char *path, *reserve_path;
  sqlite3_stmt *append, *each, *set, *get; /* prepared when first used */
  double *numbers[4];                      /* the numbers of the record being read */
  size_t capacity[4];
  bool is_relaxed;
} sqlite_store;

extern const fcps_store_ops fcps_sqlite_ops;

/* The status and the words for a failure that SQLite reported with `code`. */
fcps_status fcps_sqlite_error(sqlite_store *store, int code, fcps_error *error);
fcps_status fcps_sqlite_full(sqlite_store *store, fcps_error *error);

/* Appends a record, under `sequence` where that is positive. */
fcps_status fcps_sqlite_append(sqlite_store *store, const fcps_journal_record *record, int64_t sequence,
                               fcps_error *error);

/* The record in the current row of `statement`, which selects all columns of the journal. */
fcps_status fcps_sqlite_row(sqlite_store *store, sqlite3_stmt *statement, fcps_journal_record *record,
                            fcps_error *error);

#endif
