/* SPDX-License-Identifier: Apache-2.0 */
/* Saving what can be read of a damaged study file.
 *
 * The damaged file is never changed. What is saved goes into a new file in one transaction: so the new file is complete
 * or does not exist. Records keep their sequences, so that what refers to them still does; the numbers that are missing
 * are noted as lost, and never given again. The journal is read from both ends, each time up to the first page that
 * cannot be read, and number by number in between: damage costs only what lies there. A record or a text that has not
 * its checksum is not saved. If a record was lost, the learner's state is left out, because it had been told that
 * record: the learner is made again from those that are left.
 *
 * The file may come from anybody. Its tables must have the columns of ours and be plain tables, so that reading a row
 * runs nothing; nothing else in its schema is looked at. What is read is bounded by a number of steps that grows with
 * the file, because pages that point at each other have no end. */
#include "base/error.h"
#include "base/number.h"
#include "store/sqlite/sqlite_impl.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAIT_MS = 5000 /* for other processes, in milliseconds */, MOST_LOOKUPS = 100000, STEPS_AT_ONCE = 1000 };
enum { JOURNAL_COLUMNS = 15, TEXT_COLUMNS = 3 };

typedef struct repair {
  sqlite_store *from, *to;
  int64_t steps;            /* how many steps are left, in units of STEPS_AT_ONCE */
  int64_t saved, last;      /* how many records were saved, and the number of the last one */
  int64_t low, high;        /* all records up to `low`, and from `high` on, were tried */
  bool is_cut;              /* a page between them cannot be read */
  int64_t changed_at_end;   /* the number of changed records after the last saved one */
  int64_t learner_sequence; /* the last record that the learner's state knows; 0: there is no state */
} repair;

/* -- A damaged file -- */

static int count_steps(void *user)
{
  repair *r = user;
  return --r->steps < 0;
}

/* Limits the steps of SQLite by the size of the file. A row takes about twenty steps and, in a study, more than fifty
 * bytes, and the repair may read a row three times. */
static void bound_steps(repair *r)
{
  struct stat info;
  const int64_t bytes = stat(r->from->path, &info) == 0 ? (int64_t)info.st_size : 0;
  r->steps = 3000 + 5 * bytes / STEPS_AT_ONCE;
  sqlite3_progress_handler(r->from->db, STEPS_AT_ONCE, count_steps, r);
}

/* Opens a damaged study. The setting writable_schema lets SQLite read a file even if its end is missing. */
static fcps_status open_damaged(sqlite_store *s, fcps_error *error)
{
  int64_t format = 0;
  if (access(s->path, R_OK) != 0)
    return fcps_error_set(error, FCPS_ERR_IO, "", "cannot read %s: %s.", s->base.name, strerror(errno));
  fcps_status status = fcps_sqlite_connect(s, WAIT_MS, false, error);
  if (status != FCPS_OK) return status;
  /* One transaction, so that everything is read from one state of the file. */
  sqlite3_exec(s->db, "PRAGMA query_only = ON; PRAGMA writable_schema = ON; BEGIN", NULL, NULL, NULL);
  fcps_error why = {0};
  status = fcps_sqlite_ask_number(s, "PRAGMA user_version", &format, &why);
  if (status == FCPS_OK) return fcps_sqlite_refuse_format(s, format, error);
  /* Nothing will be read. This is reported later. */
  if (status != FCPS_ERR_LOCKED && status != FCPS_ERR_MEMORY) return FCPS_OK;
  if (error != NULL) *error = why;
  return status;
}

/* Whether the file has a plain table of this name with this number of columns, none of which is computed. */
static bool has_table(sqlite_store *s, const char *is_table, const char *list, int wanted)
{
  int64_t count = 0;
  if (fcps_sqlite_ask_number(s, is_table, &count, NULL) != FCPS_OK || count != 1) return false;
  sqlite3_stmt *q = NULL;
  int columns = 0;
  bool is_computed = false;
  if (sqlite3_prepare_v2(s->db, list, -1, &q, NULL) != SQLITE_OK) return false;
  for (; !is_computed && sqlite3_step(q) == SQLITE_ROW; columns++) {
    enum { HIDDEN = 6 };
    is_computed = sqlite3_column_int(q, HIDDEN) != 0;
  }
  sqlite3_finalize(q);
  return !is_computed && columns == wanted;
}

#define HAS_TABLE(store, name, columns)                                                                                \
  has_table(store,                                                                                                     \
            "SELECT count(*) FROM sqlite_master WHERE name = '" name                                                   \
            "' AND type = 'table' AND rootpage > 1 AND substr(sql, 1, 13) = 'CREATE TABLE '",                          \
            "PRAGMA table_xinfo(" name ")", columns)

/* -- Records -- */

/* Reads a record. Returns whether it can be kept: it is unchanged and of a known kind. */
static bool read_record(repair *r, sqlite3_stmt *q, fcps_journal_record *record)
{
  if (fcps_sqlite_row(r->from, q, record, NULL) != FCPS_OK) return false;
  /* A page that was cut off gives rows without content, which have no valid kind. */
  return record->kind >= FCPS_JOURNAL_ASK && record->kind <= FCPS_JOURNAL_DROP;
}

static fcps_status save_record(repair *r, const fcps_journal_record *record, fcps_error *error)
{
  const fcps_status status = fcps_sqlite_append(r->to, record, record->sequence, error);
  if (status != FCPS_OK) return status;
  r->saved++;
  if (record->sequence > r->last) r->last = record->sequence;
  return FCPS_OK;
}

/* Copies records from the beginning, until a page cannot be read. */
static fcps_status copy_upwards(repair *r, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  fcps_status status = FCPS_OK;
  fcps_journal_record record;
  if (sqlite3_prepare_v2(r->from->db, "SELECT * FROM journal NOT INDEXED ORDER BY rowid", -1, &q, NULL) != SQLITE_OK)
    return FCPS_OK;
  int code = SQLITE_DONE;
  while (status == FCPS_OK && (code = sqlite3_step(q)) == SQLITE_ROW) {
    if (!read_record(r, q, &record) || record.sequence <= r->low) continue;
    status = save_record(r, &record, error);
    r->low = record.sequence;
  }
  r->is_cut = code != SQLITE_DONE;
  sqlite3_finalize(q);
  return status;
}

/* Copies records from the end backwards, until a page cannot be read or the other copy is reached. */
static fcps_status copy_downwards(repair *r, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  fcps_status status = FCPS_OK;
  fcps_journal_record record;
  const char *sql = "SELECT * FROM journal NOT INDEXED ORDER BY rowid DESC";
  if (sqlite3_prepare_v2(r->from->db, sql, -1, &q, NULL) != SQLITE_OK) return FCPS_OK;
  bool is_at_end = true;
  while (status == FCPS_OK && sqlite3_step(q) == SQLITE_ROW) {
    const bool is_kept = read_record(r, q, &record);
    if (is_at_end && !is_kept) r->changed_at_end++;
    if (!is_kept || record.sequence >= r->high) continue;
    is_at_end = false;
    if (record.sequence <= r->low) break;
    status = save_record(r, &record, error);
    r->high = record.sequence;
  }
  sqlite3_finalize(q);
  return status;
}

/* Copies the records between two pages that cannot be read, one number after the other. */
static fcps_status copy_between(repair *r, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  fcps_status status = FCPS_OK;
  fcps_journal_record record;
  const int64_t end = r->high - r->low < MOST_LOOKUPS ? r->high : r->low + MOST_LOOKUPS;
  if (!r->is_cut) return FCPS_OK;
  if (sqlite3_prepare_v2(r->from->db, "SELECT * FROM journal NOT INDEXED WHERE rowid = ?", -1, &q, NULL) != SQLITE_OK)
    return FCPS_OK;
  for (int64_t number = r->low + 1; status == FCPS_OK && number < end && r->steps >= 0; number++) {
    sqlite3_bind_int64(q, 1, number);
    if (sqlite3_step(q) == SQLITE_ROW && read_record(r, q, &record)) status = save_record(r, &record, error);
    sqlite3_reset(q);
  }
  sqlite3_finalize(q);
  return status;
}

static fcps_status copy_records(repair *r, fcps_error *error)
{
  if (!HAS_TABLE(r->from, "journal", JOURNAL_COLUMNS)) return FCPS_OK;
  fcps_status status = copy_upwards(r, error);
  if (status == FCPS_OK) status = copy_downwards(r, error);
  if (status == FCPS_OK) status = copy_between(r, error);
  return status;
}

/* -- Texts -- */

static fcps_status copy_text(repair *r, const char *key, const char *text, fcps_error *error)
{
  int64_t number = 0;
  if (strcmp(key, FCPS_LOST_KEY) == 0) return FCPS_OK; /* The lost records are counted anew. */
  if (strcmp(key, "learner.sequence") == 0 && fcps_integer_read(text, &number)) r->learner_sequence = number;
  return fcps_sqlite_set(r->to, key, text, error);
}

static fcps_status copy_texts(repair *r, const char *sql, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  fcps_status status = FCPS_OK;
  if (sqlite3_prepare_v2(r->from->db, sql, -1, &q, NULL) != SQLITE_OK) return FCPS_OK;
  while (status == FCPS_OK && sqlite3_step(q) == SQLITE_ROW) {
    const char *key = NULL, *text = NULL;
    if (fcps_sqlite_text(r->from, q, &key, &text, NULL) == FCPS_OK) status = copy_text(r, key, text, error);
  }
  sqlite3_finalize(q);
  return status;
}

/* -- What was lost -- */

/* Lists the numbers that are missing from the new journal, and later numbers that are known to have existed. */
static fcps_status find_lost(repair *r, fcps_lost_list *lost, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  int64_t last = 0, end = r->last + r->changed_at_end;
  bool has_memory = true;
  int code = sqlite3_prepare_v2(r->to->db, "SELECT sequence FROM journal ORDER BY sequence", -1, &q, NULL);
  while (code == SQLITE_OK && has_memory && (code = sqlite3_step(q)) == SQLITE_ROW) {
    const int64_t sequence = sqlite3_column_int64(q, 0);
    if (sequence > last + 1) has_memory = fcps_lost_add(lost, last + 1, sequence - 1);
    last = sequence;
    code = SQLITE_OK;
  }
  const fcps_status status = code == SQLITE_DONE || !has_memory ? FCPS_OK : fcps_sqlite_error(r->to, code, error);
  sqlite3_finalize(q);
  if (r->learner_sequence > end && r->learner_sequence - end < MOST_LOOKUPS) end = r->learner_sequence;
  if (status == FCPS_OK && has_memory && end > last) has_memory = fcps_lost_add(lost, last + 1, end);
  return has_memory ? status : fcps_error_memory(error);
}

static fcps_status note_lost(repair *r, fcps_error *error)
{
  fcps_lost_list lost = {0};
  fcps_status status = find_lost(r, &lost, error);
  if (status == FCPS_OK && lost.text != NULL) {
    status = fcps_sqlite_set(r->to, FCPS_LOST_KEY, lost.text, error);
    const int code = sqlite3_exec(r->to->db, "DELETE FROM texts WHERE key LIKE 'learner.%'", NULL, NULL, NULL);
    if (status == FCPS_OK && code != SQLITE_OK) status = fcps_sqlite_error(r->to, code, error);
  }
  free(lost.text);
  return status;
}

/* -- Repairing -- */

/* Copies everything that can be read into the new store, whose first transaction is open. */
static fcps_status copy_all(repair *r, fcps_error *error)
{
  int64_t texts = 0;
  bound_steps(r);
  fcps_status status = copy_records(r, error);
  if (status == FCPS_OK && HAS_TABLE(r->from, "texts", TEXT_COLUMNS)) {
    status = copy_texts(r, "SELECT * FROM texts NOT INDEXED", error);
    /* from the other end, if a page in the middle cannot be read */
    if (status == FCPS_OK) status = copy_texts(r, "SELECT * FROM texts ORDER BY key DESC", error);
  }
  if (status == FCPS_OK) status = fcps_sqlite_ask_number(r->to, "SELECT count(*) FROM texts", &texts, error);
  if (status == FCPS_OK && texts + r->saved == 0)
    return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                          "nothing of %s can be read: it is not a study, or its beginning is destroyed. Nothing was "
                          "changed, and %s was not made.",
                          r->from->base.name, r->to->base.name);
  if (status == FCPS_OK) status = note_lost(r, error);
  return status == FCPS_OK ? fcps_store_commit(&r->to->base, error) : status;
}

fcps_status fcps_sqlite_repair(const fcps_store_url *url, const fcps_store_url *to, int64_t *saved, fcps_error *error)
{
  sqlite_store *from = NULL;
  fcps_store *copy = NULL;
  fcps_status status = fcps_sqlite_allocate(&from, url, error);
  if (status == FCPS_OK) status = open_damaged(from, error);
  if (status == FCPS_OK) status = fcps_sqlite_create(&copy, to, (fcps_store_options){.wait_ms = WAIT_MS}, error);
  if (status == FCPS_OK) {
    repair r = {.from = from, .to = (sqlite_store *)copy, .high = INT64_MAX};
    status = copy_all(&r, error);
    *saved = r.saved;
  }
  fcps_store_close(copy);
  fcps_store_close(from != NULL ? &from->base : NULL);
  return status;
}
