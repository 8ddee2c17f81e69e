/* SPDX-License-Identifier: Apache-2.0 */
/* The format of a study file: its tables, how they are made and recognized, and how a file from anybody is opened
 * safely.
 *
 * Invariants: a file is used only if its schema equals that of its format, letter by letter. Every row has a
 * checksum. The table `texts` is one tree without an index, because no checksum covers an index. A later format also
 * describes the schema before it, and reads such files. */
#include "base/error.h"
#include "base/memory.h"
#include "store/sqlite/sqlite_impl.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Format 1 was never released. */
enum { FORMAT = 2, TABLES = 2 };

/* A row of SQLite's own table of the schema. */
typedef struct schema_row {
  const char *type, *name, *sql;
} schema_row;

static const schema_row schema[TABLES] = {
    {"table", "journal",
     "CREATE TABLE journal(sequence INTEGER PRIMARY KEY, kind INTEGER NOT NULL,"
     " ask INTEGER NOT NULL, other INTEGER NOT NULL, time_ms INTEGER NOT NULL,"
     " status INTEGER NOT NULL, reward REAL, hindsight_reward REAL, target BLOB,"
     " environment BLOB, parameters BLOB, outcome BLOB, client TEXT NOT NULL,"
     " text TEXT NOT NULL, checksum INTEGER NOT NULL)"},
    {"table", "texts",
     "CREATE TABLE texts(key TEXT PRIMARY KEY, text TEXT NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID"},
};

/* -- Asking SQLite -- */

static fcps_status ask_one(sqlite_store *s, const char *sql, sqlite3_stmt **q, fcps_error *error)
{
  int code = sqlite3_prepare_v2(s->db, sql, -1, q, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(*q);
  if (code == SQLITE_ROW) return FCPS_OK;
  return fcps_sqlite_error(s, code == SQLITE_DONE ? SQLITE_CORRUPT : code, error);
}

fcps_status fcps_sqlite_ask_text(sqlite_store *s, const char *sql, size_t size, char *text, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  const fcps_status status = ask_one(s, sql, &q, error);
  const char *value = status == FCPS_OK ? (const char *)sqlite3_column_text(q, 0) : NULL;
  snprintf(text, size, "%s", value != NULL ? value : "");
  sqlite3_finalize(q);
  return status;
}

fcps_status fcps_sqlite_ask_number(sqlite_store *s, const char *sql, int64_t *number, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  const fcps_status status = ask_one(s, sql, &q, error);
  *number = status == FCPS_OK ? sqlite3_column_int64(q, 0) : 0;
  sqlite3_finalize(q);
  return status;
}

static fcps_status execute(sqlite_store *s, const char *sql, fcps_error *error)
{
  const int code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
  return code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
}

/* -- Making -- */

static fcps_status make_tables(sqlite_store *s, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; status == FCPS_OK && i < TABLES; i++)
    status = execute(s, schema[i].sql, error);
  char number[64];
  snprintf(number, sizeof number, "PRAGMA user_version = %d", FORMAT);
  if (status == FCPS_OK) status = execute(s, number, error);
  if (status == FCPS_OK) s->format = FORMAT;
  return status;
}

fcps_status fcps_sqlite_make(sqlite_store *s, fcps_error *error)
{
  char number[64];
  snprintf(number, sizeof number, "PRAGMA application_id = %d", FCPS_STUDY_FILE_ID);
  const fcps_status status = execute(s, number, error);
  return status != FCPS_OK ? status : make_tables(s, error);
}

/* -- Recognizing -- */

fcps_status fcps_sqlite_refuse_format(sqlite_store *s, int64_t format, fcps_error *error)
{
  if (format < 1 || format == FORMAT) return FCPS_OK;
  return fcps_error_set(
      error, FCPS_ERR_FORMAT, "", "%s was made by %s (format %lld, this one reads %d). Nothing was changed.",
      s->base.name, format > FORMAT ? "a newer fcps" : "an fcps before the first release", (long long)format, FORMAT);
}

static fcps_status check_numbers(sqlite_store *s, int64_t *format, fcps_error *error)
{
  int64_t application = 0;
  fcps_status status = fcps_sqlite_ask_number(s, "PRAGMA application_id", &application, error);
  if (status == FCPS_OK) status = fcps_sqlite_ask_number(s, "PRAGMA user_version", format, error);
  if (status != FCPS_OK) return status;
  if (application != FCPS_STUDY_FILE_ID)
    return fcps_error_set(error, FCPS_ERR_FORMAT, "", "%s is not a study. Nothing was changed.", s->base.name);
  status = fcps_sqlite_refuse_format(s, *format, error);
  if (status != FCPS_OK || *format == FORMAT) return status;
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                        "%s has no valid number of its format: the head of the file was changed. Nothing was changed "
                        "now. Save what can be read: fcps study repair %s --to NEW",
                        s->base.name, s->base.word);
}

static bool is_column(sqlite3_stmt *q, int column, const char *expected)
{
  const char *text = (const char *)sqlite3_column_text(q, column);
  return strcmp(text != NULL ? text : "", expected) == 0;
}

/* Refuses the schema. The error does not repeat names in it, because they come from the file. */
static fcps_status refuse_schema(sqlite_store *s, const char *what, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                        "%s has %s. It was changed after it was made, and is not used; nothing was changed now. Save "
                        "its records: fcps study repair %s --to NEW",
                        s->base.name, what, s->base.word);
}

static fcps_status check_schema(sqlite_store *s, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  bool is_there[TABLES] = {false};
  int code = sqlite3_prepare_v2(s->db, "SELECT type, name, sql FROM sqlite_master", -1, &q, NULL);
  fcps_status status = code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
  while (status == FCPS_OK && (code = sqlite3_step(q)) != SQLITE_DONE) {
    if (code != SQLITE_ROW) {
      status = fcps_sqlite_error(s, code, error);
      break;
    }
    int i = 0;
    while (i < TABLES && (is_there[i] || !is_column(q, 0, schema[i].type) || !is_column(q, 1, schema[i].name) ||
                          !is_column(q, 2, schema[i].sql)))
      i++;
    if (i < TABLES)
      is_there[i] = true;
    else
      status = refuse_schema(s, "a table, index, view or trigger that fcps does not make", error);
  }
  for (int i = 0; status == FCPS_OK && i < TABLES; i++)
    if (!is_there[i]) status = refuse_schema(s, "lost one of its tables", error);
  sqlite3_finalize(q);
  return status;
}

fcps_status fcps_sqlite_check_tables(sqlite_store *s, fcps_error *error)
{
  int64_t format = 0, cookie = 0;
  fcps_status status = check_numbers(s, &format, error);
  if (status == FCPS_OK) status = fcps_sqlite_ask_number(s, "PRAGMA schema_version", &cookie, error);
  if (status == FCPS_OK) status = check_schema(s, error);
  if (status != FCPS_OK) return status;
  s->format = (int)format;
  s->cookie = cookie;
  return FCPS_OK;
}

fcps_status fcps_sqlite_check_texts(sqlite_store *s, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  int code = sqlite3_prepare_v2(s->db, "SELECT * FROM texts", -1, &q, NULL);
  fcps_status status = code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
  free(s->lost);
  s->lost = NULL;
  while (status == FCPS_OK && (code = sqlite3_step(q)) != SQLITE_DONE) {
    const char *key = NULL, *text = NULL;
    status = code == SQLITE_ROW ? fcps_sqlite_text(s, q, &key, &text, error) : fcps_sqlite_error(s, code, error);
    if (status != FCPS_OK || strcmp(key, FCPS_LOST_KEY) != 0) continue;
    free(s->lost);
    s->lost = fcps_copy_text(text);
    if (s->lost == NULL) status = fcps_error_memory(error);
  }
  sqlite3_finalize(q);
  return status;
}

/* Reads one number with a statement that is kept for later calls. */
static fcps_status ask_kept(sqlite_store *s, sqlite3_stmt **q, const char *sql, int64_t *number, fcps_error *error)
{
  int code = SQLITE_OK;
  if (*q == NULL) code = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, q, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(*q);
  if (code == SQLITE_ROW) *number = sqlite3_column_int64(*q, 0);
  const fcps_status status = code == SQLITE_ROW ? FCPS_OK : fcps_sqlite_error(s, code, error);
  sqlite3_reset(*q);
  return status;
}

fcps_status fcps_sqlite_follow_format(sqlite_store *s, fcps_error *error)
{
  int64_t cookie = 0, format = 0;
  fcps_status status = ask_kept(s, &s->ask_cookie, "PRAGMA schema_version", &cookie, error);
  if (status == FCPS_OK) status = ask_kept(s, &s->ask_format, "PRAGMA user_version", &format, error);
  if (status != FCPS_OK || (cookie == s->cookie && format == s->format)) return status;
  status = fcps_sqlite_check_tables(s, error);
  return status != FCPS_OK ? status : fcps_sqlite_check_texts(s, error);
}

/* -- Defences --
 *
 * They protect a program from a study file that somebody else made, or that a disk has changed. A file tells SQLite more than data: its schema holds text that SQLite would run. These are the defences, in the order
 * in which they come into force; tests/store/test_hostile_files.c has a case for each.
 *
 *   1. Triggers and views are off, extensions cannot be loaded, and the schema is not trusted to call functions.
 *   2. The connection is defensive: no statement can write to the schema's own table.
 *   3. Limits: the length of a value and of a statement, columns, depth of expressions; no database can be attached.
 *   4. Pages are checked when they are read (cell_size_check), and files are not mapped into memory: a file that
 *      another process cuts short would end this one.
 *   5. The file's number says that it is a study, and of a format that is known (check_numbers). It has a rollback
 *      journal: the write-ahead log, which a file can ask for, would bring another file's pages.
 *   6. Its schema is ours, letter by letter: nothing is missing, and nothing else is there (check_schema).
 *   7. quick_check: no page is used twice, and every page is used. It comes after 6, because it evaluates the
 *      constraints of the schema.
 *   8. Each value has the type of its column, and each record and text its checksum (sqlite.c).
 *   9. What reads a damaged file gets a number of steps that grows with the file (repair.c).
 *  10. Before all of these: a journal beside the file that names another file, which SQLite would delete, is refused
 *      (companions.c).
 *
 * Nothing here concerns the whole process. */

/* -- The connection -- */

static const struct {
  int option, value;
} switches[] = {
    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},   {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
    {SQLITE_DBCONFIG_DQS_DDL, 0},          {SQLITE_DBCONFIG_DQS_DML, 0},
    {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},  {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
    {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
};

/* Each limit is high enough for what fcps itself does. */
static const struct {
  int limit, value;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, 1 << 27}, /* a text or a row has at most 128 MiB */
    {SQLITE_LIMIT_SQL_LENGTH, 10000},   {SQLITE_LIMIT_COLUMN, 30},
    {SQLITE_LIMIT_EXPR_DEPTH, 50},      {SQLITE_LIMIT_COMPOUND_SELECT, 3},
    {SQLITE_LIMIT_VDBE_OP, 25000},      {SQLITE_LIMIT_FUNCTION_ARG, 10},
    {SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 30}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

/* Sets the defences of a new connection, before it looks at the file. */
static fcps_status set_defences(sqlite_store *s, bool is_defensive, fcps_error *error)
{
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
    sqlite3_db_config(s->db, switches[i].option, switches[i].value, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, is_defensive, NULL);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    sqlite3_limit(s->db, limits[i].limit, limits[i].value);
  const int code = sqlite3_exec(s->db, "PRAGMA cell_size_check = 1; PRAGMA mmap_size = 0", NULL, NULL, NULL);
  return code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
}

/* -- The file -- */

static fcps_status check_pages(sqlite_store *s, fcps_error *error)
{
  char words[200];
  const fcps_status status = fcps_sqlite_ask_text(s, "PRAGMA quick_check(1)", sizeof words, words, error);
  if (status != FCPS_OK || strcmp(words, "ok") == 0) return status;
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                        "%s fails its integrity check (%.120s). Nothing was changed. Save what can be read: fcps "
                        "study repair %s --to NEW",
                        s->base.name, words, s->base.word);
}

static fcps_status check_journal_mode(sqlite_store *s, fcps_error *error)
{
  char mode[16];
  const fcps_status status = fcps_sqlite_ask_text(s, "PRAGMA journal_mode", sizeof mode, mode, error);
  if (status != FCPS_OK || strcmp(mode, "wal") != 0) return status;
  return fcps_error_set(error, FCPS_ERR_FORMAT, "",
                        "another program has switched %s to a write-ahead log, which studies do not use. Switch it "
                        "back: sqlite3 %s 'PRAGMA journal_mode = DELETE'",
                        s->base.name, s->path);
}

/* Checks that the journal begins at 1, and goes at least as far as the records that the stored learner was told. Gaps
 * in between are noticed where records are read (sqlite.c). */
static fcps_status check_ends(sqlite_store *s, fcps_error *error)
{
  int64_t before = 0, last = 0, told = 0;
  fcps_status status = fcps_sqlite_ask_number(s, "SELECT count(*) FROM journal WHERE sequence < 1", &before, error);
  if (status == FCPS_OK)
    status = fcps_sqlite_ask_number(s, "SELECT coalesce(max(sequence), 0) FROM journal", &last, error);
  if (status == FCPS_OK)
    status = fcps_sqlite_ask_number(
        s, "SELECT coalesce((SELECT CAST(text AS INTEGER) FROM texts WHERE key = 'learner.sequence'), 0)", &told,
        error);
  if (status != FCPS_OK) return status;
  if (before > 0)
    return fcps_error_set(
        error, FCPS_ERR_DAMAGED, "",
        "%s has records before the first one, which fcps does not make. Nothing was changed. Save the "
        "others: fcps study repair %s --to NEW",
        s->base.name, s->base.word);
  if (told <= last || told <= fcps_lost_end(s->lost)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                        "%s has lost records: its learner was told record %lld, but the last one is %lld. Nothing was "
                        "changed. Save the others: fcps study repair %s --to NEW",
                        s->base.name, (long long)told, (long long)last, s->base.word);
}

static fcps_status check_file(sqlite_store *s, fcps_error *error)
{
  /* One transaction, so that all checks see the same state of the file. */
  int code = sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL);
  if (code != SQLITE_OK) return fcps_sqlite_error(s, code, error);
  fcps_status status = fcps_sqlite_check_tables(s, error);
  if (status == FCPS_OK) status = check_journal_mode(s, error);
  if (status == FCPS_OK) status = check_pages(s, error);
  if (status == FCPS_OK) status = fcps_sqlite_check_texts(s, error);
  if (status == FCPS_OK) status = check_ends(s, error);
  sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  return status;
}

/* -- Opening --
 *
 * Invariants: a file that is not a study, is damaged or comes from a newer version is refused before anything is
 * written to it. SQLite opens a file only after the file was added to the list of open files (base/study_file.h), and
 * after a journal that belongs to another file was renamed. */

fcps_status fcps_sqlite_allocate(sqlite_store **store, const fcps_store_url *url, fcps_error *error)
{
  sqlite_store *s = fcps_allocate(1, sizeof *s);
  *store = s;
  if (s == NULL) return fcps_error_memory(error);
  s->hold = -1;
  const fcps_status status = fcps_store_prepare(&s->base, url, error);
  if (status != FCPS_OK) return status;
  s->path = fcps_sqlite_real_path(url->address);
  if (s->path == NULL) return fcps_sqlite_refuse_path(url, error);
  s->reserve_path = fcps_sqlite_beside(s->path, "-reserve");
  s->lock_path = fcps_sqlite_beside(s->path, "-lock");
  const bool has_memory = s->reserve_path != NULL && s->lock_path != NULL;
  return has_memory ? FCPS_OK : fcps_error_memory(error);
}

/* Opens with SQLite a file that is in the list of open files. Both lead to the same file, unless it was replaced in
 * between. */
static fcps_status open_listed(sqlite_store *s, fcps_error *error)
{
  struct stat info;
  if (!fcps_open_files_add(s->path, &s->open_file))
    return errno == ENOMEM
               ? fcps_error_memory(error)
               : fcps_error_set(error, FCPS_ERR_IO, "", "%s cannot be read: %s.", s->base.name, strerror(errno));
  s->is_listed = true;
  const fcps_status status = fcps_sqlite_check_journal(s, error);
  if (status != FCPS_OK) return status;
  const int code = sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
  if (code != SQLITE_OK) return fcps_sqlite_error(s, code, error);
  if (stat(s->path, &info) == 0 && info.st_dev == s->open_file.device && info.st_ino == s->open_file.inode)
    return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is being replaced by another file. Try again.", s->base.name);
}

fcps_status fcps_sqlite_connect(sqlite_store *s, int wait_ms, bool is_defensive, fcps_error *error)
{
  const fcps_status status = open_listed(s, error);
  if (status != FCPS_OK) return status;
  sqlite3_extended_result_codes(s->db, 1);
  sqlite3_busy_timeout(s->db, wait_ms);
  return set_defences(s, is_defensive, error);
}

fcps_status fcps_sqlite_connect_to_write(sqlite_store *s, fcps_store_options options, fcps_error *error)
{
  s->options = options;
  const fcps_status status = fcps_sqlite_connect(s, options.wait_ms, true, error);
  if (status != FCPS_OK) return status;
  const char *setup = options.is_relaxed ? "PRAGMA synchronous = OFF" : "PRAGMA synchronous = EXTRA";
  const int code = sqlite3_exec(s->db, setup, NULL, NULL, NULL);
  return code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
}

fcps_status fcps_sqlite_open(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                             fcps_error *error)
{
  char room[2000];
  const bool is_readable = access(url->address, R_OK) == 0;
  if (!is_readable && errno == ENOENT)
    return fcps_error_set(
        error, FCPS_ERR_IO, "",
        "there is no study %s yet. One is made by: fcps run FILE.yaml, or fcps study new %s --problem "
        "FILE.yaml",
        url->name, fcps_shell_word(url->name, sizeof room, room));
  if (!is_readable) return fcps_error_set(error, FCPS_ERR_IO, "", "cannot read %s: %s", url->name, strerror(errno));
  sqlite_store *s = NULL;
  fcps_status status = fcps_sqlite_allocate(&s, url, error);
  if (status == FCPS_OK) status = fcps_sqlite_connect_to_write(s, options, error);
  if (status == FCPS_OK) status = check_file(s, error);
  if (status == FCPS_OK) status = fcps_sqlite_note_open(s, error);
  if (status != FCPS_OK) {
    fcps_store_close(s != NULL ? &s->base : NULL);
    return status;
  }
  *store = &s->base;
  return FCPS_OK;
}
