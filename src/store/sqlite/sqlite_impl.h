/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the SQLite back-end share: sqlite.c (transactions, records, texts), format.c (tables, opening, and
 * defences against what is in a file), place.c (names, existence, removal, new files, files that are replaced in use),
 * companions.c (journals of other files, space for the next commit), hold.c (the hold of a long run), backup.c (backup
 * and restore) and repair.c (what can be saved of a damaged file).
 *
 * A store PATH is one file, and for a while up to four more beside it: PATH-journal (SQLite's, during a commit),
 * PATH-reserve (space kept for the next commit), PATH-lock (while somebody holds it) and PATH-unfinished (while it is made).
 * Only these files know so. */
#ifndef FCPS_STORE_SQLITE_IMPL_H
#define FCPS_STORE_SQLITE_IMPL_H

#include "base/study_file.h"
#include "store/store.h"

#include <sqlite3.h>

extern const fcps_store_ops fcps_store_sqlite; /* in sqlite.c */

typedef struct sqlite_store {
  fcps_store base;
  sqlite3 *db;
  fcps_store_options options;
  char *path, *reserve_path, *lock_path; /* names for the system; messages use base.name */
  /* as long as the study is being made, the name that it will get; otherwise NULL */
  char *final_path;
  fcps_open_file open_file; /* only if is_listed */
  bool is_listed, is_claimed;
  /* Statements, which are prepared when they are first used. */
  sqlite3_stmt *begin[2], *commit, *append, *each, *set, *get, *ask_cookie, *ask_format, *ask_last;
  double *numbers[4]; /* the numbers of the record that is being read */
  size_t capacity[4];
  int format;     /* format of the file's tables; 0: not read yet */
  int64_t cookie; /* SQLite's version number of the schema that was checked */
  int64_t last;   /* sequence of the last record in this transaction; -1: not read yet */
  char *lost;     /* the numbers of records that may be missing (store.h); NULL: none */
  int hold;       /* descriptor of the lock file; -1: not held */

  /* These fields serve to notice that the file was replaced (place.c). */
  char *replaced;         /* the message, once the file was found replaced; freed with sqlite3_free */
  bool has_looked_beside; /* whether a reserve under an earlier name was looked for */
  bool has_links;         /* the file had other names when it was opened */
  unsigned char begin_head[FCPS_STUDY_FILE_HEAD];
} sqlite_store;

/* Returns the status of a failure that SQLite reported with `code`, and sets its message. */
fcps_status fcps_sqlite_error(sqlite_store *store, int code, fcps_error *error);
fcps_status fcps_sqlite_full(sqlite_store *store, fcps_error *error);

/* Appends a record. Its number is `sequence` if that is positive, otherwise the next one. */
fcps_status fcps_sqlite_append(sqlite_store *store, const fcps_journal_record *record, int64_t sequence,
                               fcps_error *error);
fcps_status fcps_sqlite_set(sqlite_store *store, const char *key, const char *text, fcps_error *error);

/* Reads the record or the text in the current row of `statement`, which selects all columns of its table. It is valid
 * until the next step. FCPS_ERR_DAMAGED if a value does not have the type of its column, or the row does not have its
 * checksum. */
fcps_status fcps_sqlite_row(sqlite_store *store, sqlite3_stmt *statement, fcps_journal_record *record,
                            fcps_error *error);
fcps_status fcps_sqlite_text(sqlite_store *store, sqlite3_stmt *statement, const char **key, const char **text,
                             fcps_error *error);

/* Reads the first value that a statement returns (format.c). */
fcps_status fcps_sqlite_ask_text(sqlite_store *store, const char *sql, size_t size, char *text, fcps_error *error);
fcps_status fcps_sqlite_ask_number(sqlite_store *store, const char *sql, int64_t *number, fcps_error *error);

/* Makes the tables of a new file within its first transaction (format.c). */
fcps_status fcps_sqlite_make(sqlite_store *store, fcps_error *error);

/* Reads the number of the format, compares the schema, and reads all texts. Only within a transaction. */
fcps_status fcps_sqlite_check_tables(sqlite_store *store, fcps_error *error);
fcps_status fcps_sqlite_check_texts(sqlite_store *store, fcps_error *error);
fcps_status fcps_sqlite_refuse_format(sqlite_store *store, int64_t format, fcps_error *error);

/* Checks the tables again, at the beginning of each transaction, if another process has changed them since. */
fcps_status fcps_sqlite_follow_format(sqlite_store *store, fcps_error *error);

/* The first function makes the store of a URL without a connection, the second makes the connection. If *store is not
 * NULL, it must be closed, even after a failure. A journal of another file is renamed before the connection is made,
 * which is `is_defensive` unless it reads a damaged file. Neither function reads the contents of the file. */
fcps_status fcps_sqlite_allocate(sqlite_store **store, const fcps_store_url *url, fcps_error *error);
fcps_status fcps_sqlite_connect(sqlite_store *store, int wait_ms, bool is_defensive, fcps_error *error);
fcps_status fcps_sqlite_connect_to_write(sqlite_store *store, fcps_store_options options, fcps_error *error);
void fcps_sqlite_disconnect(sqlite_store *store); /* does nothing if it is not connected */

/* -- Names (place.c) -- */

/* Returns the path of a file beside the store, or the folder in which it lies; NULL if memory ran out. */
char *fcps_sqlite_beside(const char *path, const char *end);
char *fcps_sqlite_folder(const char *path);

/* Returns an absolute path without symbolic links; NULL, with errno, if its folder does not exist. */
char *fcps_sqlite_real_path(const char *address);
fcps_status fcps_sqlite_refuse_path(const fcps_store_url *url, fcps_error *error); /* sets the error that errno means */

/* Refuses a new study under a name that belongs to another one, such as STUDY-journal. */
fcps_status fcps_sqlite_refuse_companion(const char *path, const char *name, fcps_error *error);

/* Renames a file, but never replaces another one (errno is then EEXIST). */
bool fcps_sqlite_move(const char *from, const char *to);
bool fcps_sqlite_sync_folder(const char *path); /* syncs the folder of the file `path` */

/* Whether an empty file has this path. An empty file counts as no file. */
bool fcps_sqlite_is_empty(const char *path);

/* Refuses with FCPS_ERR_LOCKED if this process has the file open. */
fcps_status fcps_sqlite_refuse_open(const char *path, const char *name, fcps_error *error);

/* Writes the time and two random bytes, for a file name that no other file has. */
void fcps_sqlite_stamp(size_t size, char *text);

/* -- Making (place.c) -- */

/* Makes an empty file under a name that belongs to fcps. A file that was left there is replaced. */
fcps_status fcps_sqlite_make_file(const char *path, const char *name, fcps_error *error);

/* Gives a new study its name after the first commit. If the study is closed before, nothing of it stays. */
fcps_status fcps_sqlite_finish_making(sqlite_store *store, fcps_error *error);
void fcps_sqlite_give_up_making(sqlite_store *store);

/* -- Replaced files (place.c): FCPS_ERR_DAMAGED if the file is not the one that was opened -- */

fcps_status fcps_sqlite_note_open(sqlite_store *store, fcps_error *error);
fcps_status fcps_sqlite_refuse_links(const sqlite_store *store, fcps_error *error);
fcps_status fcps_sqlite_check_before(sqlite_store *store, bool writing, fcps_error *error); /* before a transaction */
/* after a transaction has begun */
fcps_status fcps_sqlite_check_after(sqlite_store *store, fcps_error *error);
fcps_status fcps_sqlite_check_commit(sqlite_store *store, fcps_error *error); /* before a commit */

/* -- Journals of other files (companions.c) -- */

/* Gives a file that nobody has open another, random change counter. */
bool fcps_sqlite_renumber(const char *path, bool is_synced);

/* Refuses a journal that names another file. Renames a journal that belongs to another file, and reports this in
 * base.notice. */
fcps_status fcps_sqlite_check_journal(sqlite_store *store, fcps_error *error);

/* Takes SQLite's locks of a file for this process alone, or releases them. Returns false if somebody reads or writes
 * the file. */
bool fcps_sqlite_lock_alone(int file, bool is_taken);

/* -- The hold (hold.c) -- */

/* Locks the study file itself besides the lock file, because the study may get another name while it is held. */
fcps_status fcps_sqlite_claim(sqlite_store *store, fcps_error *error);

/* The first function locks the lock file, the second releases it. `name` is for messages. *hold is the descriptor; -1
 * if the file is not locked. */
fcps_status fcps_sqlite_hold(int *hold, const char *lock_path, const char *name, fcps_error *error);
bool fcps_sqlite_is_held(const char *lock_path, const char *name, fcps_error *who);
void fcps_sqlite_release(int *hold, const char *lock_path);

/* Operations of this back-end; see fcps_store_ops. */
fcps_status fcps_sqlite_create(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                               fcps_error *error);
fcps_status fcps_sqlite_open(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                             fcps_error *error);
fcps_status fcps_sqlite_exists(bool *exists, const fcps_store_url *url, fcps_error *error);
fcps_status fcps_sqlite_recognize(const fcps_store_url *url, fcps_error *error);
fcps_status fcps_sqlite_remove(const fcps_store_url *url, fcps_error *error);
fcps_status fcps_sqlite_backup(const fcps_store_url *url, const fcps_store_url *to, bool may_replace, int64_t *records,
                               fcps_error *error);
fcps_status fcps_sqlite_restore(const fcps_store_url *from, const fcps_store_url *url, bool may_replace, char **kept,
                                int64_t *records, fcps_error *error);
fcps_status fcps_sqlite_reserve(fcps_store *store, size_t bytes, fcps_error *error);
fcps_status fcps_sqlite_repair(const fcps_store_url *url, const fcps_store_url *to, int64_t *saved, fcps_error *error);

#endif
