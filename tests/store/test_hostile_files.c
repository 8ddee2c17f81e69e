/* SPDX-License-Identifier: Apache-2.0 */
/* Files that were made to do harm, and values that fcps never writes: a case for each defence in the list of
 * src/store/sqlite/format.c. They give an error with a message. A repair of them ends, and saves only our own records.
 */
#include "store_fixture.h"

#include "store/sqlite/sqlite_impl.h"
#include "store/store.h"

#include <sys/resource.h>
#include <sys/stat.h>

enum { RECORDS = 20, PAGE = 4096 };

typedef struct file {
  char folder[64], path[96], copy[96];
} file;

static file the_file;

/* A sound study with records and a problem. */
static int set_up(void **state)
{
  file *f = &the_file;
  *state = f;
  fcps_store *store = NULL;
  strcpy(f->folder, "/tmp/fcps-store-XXXXXX");
  if (mkdtemp(f->folder) == NULL) return -1;
  snprintf(f->path, sizeof f->path, "%.63s/a.fcps", f->folder);
  snprintf(f->copy, sizeof f->copy, "%.63s/b.fcps", f->folder);
  const fcps_store_options relaxed = {.is_relaxed = true};
  if (fcps_store_create(&store, f->path, relaxed, NULL) != FCPS_OK) return -1;
  for (int i = 0; i < RECORDS; i++)
    append(store, i);
  assert_ok(fcps_store_set(store, "problem", "name: x", NULL));
  assert_ok(fcps_store_set(store, "learner.state", "{}", NULL));
  assert_ok(fcps_store_commit(store, NULL));
  fcps_store_close(store);
  return 0;
}

static int tear_down(void **state)
{
  const file *f = *state;
  return remove_folder(f->folder);
}

/* Changes the file as a stranger would. */
static void change(const file *f, const char *sql)
{
  sqlite3 *db = NULL;
  char *words = NULL;
  assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
  if (sqlite3_exec(db, sql, NULL, NULL, &words) != SQLITE_OK) fail_msg("%s: %s", sql, words);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Opens the file and reads its journal. */
static fcps_status read_file(const file *f, fcps_error *error)
{
  fcps_store *store = NULL;
  seen s = {0};
  *error = (fcps_error){0};
  fcps_status status = fcps_store_open(&store, f->path, options, error);
  if (status == FCPS_OK) status = fcps_store_begin(store, false, error);
  if (status == FCPS_OK) status = fcps_store_each(store, 0, look, &s, error);
  fcps_store_close(store);
  return status;
}

static void assert_refused(const file *f, fcps_status expected, const char *words)
{
  fcps_error error;
  assert_status(read_file(f, &error), expected);
  if (strstr(error.message, words) == NULL) fail_msg("no \"%s\" in: %s", words, error.message);
}

static long peak_kilobytes(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/* A repair ends, and without much memory; how many records it saved, -1: it refused. */
static int64_t repair(const file *f, fcps_error *error)
{
  int64_t saved = 0;
  *error = (fcps_error){0};
  const long before = peak_kilobytes();
  unlink(f->copy);
  const fcps_status status = fcps_store_repair(f->path, f->copy, &saved, error);
  assert_true(peak_kilobytes() - before < 100000);
  assert_true(status == FCPS_OK || error->message[0] != '\0');
  return status == FCPS_OK ? saved : -1;
}

/* -- 1 and 2: what a connection allows -- */

static sqlite_store *open_store(const file *f)
{
  fcps_store *store = NULL;
  assert_ok(fcps_store_open(&store, f->path, options, NULL));
  return (sqlite_store *)store;
}

static int switch_of(sqlite_store *s, int option)
{
  int value = -1;
  assert_int_equal(sqlite3_db_config(s->db, option, -1, &value), SQLITE_OK);
  return value;
}

static void triggers_views_extensions_and_functions_of_the_schema_are_off(void **state)
{
  sqlite_store *s = open_store(*state);
  assert_int_equal(switch_of(s, SQLITE_DBCONFIG_ENABLE_TRIGGER), 0);
  assert_int_equal(switch_of(s, SQLITE_DBCONFIG_ENABLE_VIEW), 0);
  assert_int_equal(switch_of(s, SQLITE_DBCONFIG_TRUSTED_SCHEMA), 0);
  assert_int_equal(switch_of(s, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION), 0);
  assert_int_equal(switch_of(s, SQLITE_DBCONFIG_WRITABLE_SCHEMA), 0);
  assert_int_not_equal(sqlite3_exec(s->db, "SELECT load_extension('x')", NULL, NULL, NULL), SQLITE_OK);
  fcps_store_close(&s->base);
}

static void a_connection_is_defensive(void **state)
{
  sqlite_store *s = open_store(*state);
  assert_int_equal(switch_of(s, SQLITE_DBCONFIG_DEFENSIVE), 1);
  sqlite3_exec(s->db, "PRAGMA writable_schema = ON", NULL, NULL, NULL);
  assert_int_not_equal(sqlite3_exec(s->db, "DELETE FROM sqlite_master", NULL, NULL, NULL), SQLITE_OK);
  fcps_store_close(&s->base);
}

/* -- 3: limits -- */

static void limits_are_set_and_nothing_can_be_attached(void **state)
{
  sqlite_store *s = open_store(*state);
  assert_in_range(sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, -1), 1 << 20, 1 << 28);
  assert_in_range(sqlite3_limit(s->db, SQLITE_LIMIT_SQL_LENGTH, -1), 1, 100000);
  assert_in_range(sqlite3_limit(s->db, SQLITE_LIMIT_COLUMN, -1), 15, 100);
  assert_in_range(sqlite3_limit(s->db, SQLITE_LIMIT_EXPR_DEPTH, -1), 1, 100);
  assert_in_range(sqlite3_limit(s->db, SQLITE_LIMIT_VDBE_OP, -1), 1, 100000);
  assert_int_equal(sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, -1), 0);
  assert_int_not_equal(sqlite3_exec(s->db, "ATTACH ':memory:' AS other", NULL, NULL, NULL), SQLITE_OK);
  fcps_store_close(&s->base);
}

/* -- 4: pages -- */

static void cells_are_checked_and_files_are_not_mapped(void **state)
{
  sqlite_store *s = open_store(*state);
  int64_t value = -1;
  assert_ok(fcps_sqlite_ask_number(s, "PRAGMA cell_size_check", &value, NULL));
  assert_int_equal(value, 1);
  assert_ok(fcps_sqlite_ask_number(s, "PRAGMA mmap_size", &value, NULL));
  assert_int_equal(value, 0);
  fcps_store_close(&s->base);
}

/* -- 5: the numbers in the head -- */

static void a_newer_format_is_refused_also_by_repair(void **state)
{
  const file *f = *state;
  fcps_error error;
  change(f, "PRAGMA user_version = 3");
  assert_refused(f, FCPS_ERR_FORMAT, "newer fcps (format 3");
  assert_int_equal(repair(f, &error), -1);
  assert_int_equal(error.status, FCPS_ERR_FORMAT);
  assert_non_null(strstr(error.message, "newer fcps (format 3"));
  assert_int_not_equal(access(f->copy, F_OK), 0);
}

static void a_format_below_the_first_is_damage_and_not_newer(void **state)
{
  const file *f = *state;
  fcps_error error;
  for (int format = 0; format >= -1; format--) {
    change(f, format == 0 ? "PRAGMA user_version = 0" : "PRAGMA user_version = -1");
    assert_status(read_file(f, &error), FCPS_ERR_DAMAGED);
    assert_null(strstr(error.message, "newer"));
    assert_non_null(strstr(error.message, "study repair"));
    assert_int_equal(repair(f, &error), RECORDS);
  }
}

static void a_file_of_another_program_is_no_study(void **state)
{
  change(*state, "PRAGMA application_id = 17");
  assert_refused(*state, FCPS_ERR_FORMAT, "not a study");
}

/* a format with fewer checks cannot be claimed */
static void a_file_of_no_release_is_refused_also_by_repair(void **state)
{
  fcps_error error;
  change(*state, "PRAGMA user_version = 1");
  assert_refused(*state, FCPS_ERR_FORMAT, "before the first release (format 1, this one reads 2)");
  assert_int_equal(repair(*state, &error), -1);
}

static void a_file_that_asks_for_a_write_ahead_log_is_refused(void **state)
{
  fcps_error error;
  change(*state, "PRAGMA journal_mode = WAL");
  assert_refused(*state, FCPS_ERR_FORMAT, "write-ahead log");
  assert_int_equal(repair(*state, &error), RECORDS);
  change(*state, "PRAGMA journal_mode = DELETE");
  assert_ok(read_file(*state, &error));
}

/* -- 6: the schema -- */

/* the text of a table's statement, whatever it then says */
#define REWRITE(table, from, to)                                                                                       \
  "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, '" from "', '" to                          \
  "') WHERE name = '" table "'"

static void whatever_fcps_does_not_make_is_refused(void **state)
{
  static const char *const changes[] = {
      "CREATE TRIGGER t AFTER INSERT ON journal WHEN new.kind = 2 BEGIN DELETE FROM journal WHERE sequence = "
      "new.sequence; END",
      "CREATE TRIGGER t AFTER INSERT ON journal BEGIN UPDATE journal SET reward = 1; END",
      "CREATE VIEW v AS SELECT 1",
      "CREATE TABLE other(a)",
      "CREATE INDEX i ON journal(kind)",
      "CREATE INDEX i ON journal(abs(kind)) WHERE kind > 1",
      "ALTER TABLE journal ADD COLUMN more",
      "ALTER TABLE texts ADD COLUMN twice AS (text || text)",
      "DROP TABLE texts; CREATE TABLE texts(key TEXT PRIMARY KEY, text TEXT NOT NULL, checksum INTEGER NOT NULL)",
      REWRITE("journal", "kind INTEGER NOT NULL", "kind INTEGER NOT NULL CHECK(length(zeroblob(400000000)) > 0)"),
      REWRITE("journal", "reward REAL", "reward REAL DEFAULT 1"),
      REWRITE("journal", "client TEXT", "client TEXT COLLATE NOCASE"),
      "ANALYZE",
  };
  const file *f = *state;
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    fcps_error error;
    change(f, changes[i]);
    assert_refused(f, FCPS_ERR_DAMAGED, "fcps does not make");
    assert_refused(f, FCPS_ERR_DAMAGED, "study repair");
    /* a file that is clearly a table of ours is read, whatever else it contains */
    const int64_t saved = repair(f, &error);
    const bool is_wider = strstr(changes[i], "more") != NULL;
    assert_int_equal(saved, is_wider ? 0 : RECORDS);
    tear_down(state);
    assert_int_equal(set_up(state), 0);
  }
}

static void a_table_that_is_missing_is_noticed(void **state)
{
  change(*state, "DROP TABLE texts");
  assert_refused(*state, FCPS_ERR_DAMAGED, "lost one of its tables");
}

/* a view without an end in place of the journal */
static void an_endless_view_is_not_read(void **state)
{
  const file *f = *state;
  fcps_error error;
  change(f,
         "DROP TABLE journal; CREATE VIEW journal AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
         "SELECT i, 0, 0, 0, 0, 0, 0.0, 0.0, NULL, NULL, NULL, NULL, '', '', 0 FROM n");
  assert_refused(f, FCPS_ERR_DAMAGED, "fcps does not make");
  assert_int_equal(repair(f, &error), 0);
}

/* columns that are computed when they are read */
static void a_computed_column_is_not_read(void **state)
{
  const file *f = *state;
  fcps_error error;
  change(f, REWRITE("journal", "text TEXT NOT NULL", "text TEXT AS (hex(zeroblob(100000000)))"));
  assert_refused(f, FCPS_ERR_DAMAGED, "fcps does not make");
  assert_int_equal(repair(f, &error), 0);
}

/* -- 7: pages that are used twice -- */

static void put_number(unsigned char *at, int bytes, uint32_t number)
{
  for (int i = 0; i < bytes; i++)
    at[i] = (unsigned char)(number >> 8 * (bytes - 1 - i));
}

/* A page with `cells` ways to the same page below it, by SQLite's file format, section 1.6. */
static void make_branch(unsigned char page[PAGE], uint32_t below, int cells)
{
  enum { TYPE = 5, HEAD = 12, CELL = 5 };
  memset(page, 0, PAGE);
  page[0] = TYPE;
  const int content = PAGE - CELL * cells;
  put_number(page + 3, 2, (uint32_t)cells);
  put_number(page + 5, 2, (uint32_t)content);
  put_number(page + 8, 4, below);
  for (int i = 0; i < cells; i++) {
    unsigned char *cell = page + content + CELL * i;
    put_number(page + HEAD + 2 * i, 2, (uint32_t)(content + CELL * i));
    put_number(cell, 4, below);
    cell[4] = (unsigned char)(i + 1);
  }
}

static uint32_t root_of_journal(const file *f)
{
  sqlite_store *s = open_store(f);
  int64_t root = 0;
  assert_ok(fcps_sqlite_ask_number(s, "SELECT rootpage FROM sqlite_master WHERE name = 'journal'", &root, NULL));
  fcps_store_close(&s->base);
  return (uint32_t)root;
}

/* Branches on branches: 100^15 ways to one page of records that are all changed. */
static void a_repair_of_pages_that_never_end_ends(void **state)
{
  enum { DEPTH = 15, WAYS = 100 };
  const file *f = *state;
  fcps_error error;
  const uint32_t root = root_of_journal(f);
  change(f, "UPDATE journal SET checksum = checksum + 1");
  struct stat info;
  unsigned char leaf[PAGE], page[PAGE], head[4];
  assert_int_equal(stat(f->path, &info), 0);
  const uint32_t pages = (uint32_t)(info.st_size / PAGE);
  FILE *stream = fopen(f->path, "r+b");
  assert_non_null(stream);
  fseek(stream, (long)(root - 1) * PAGE, SEEK_SET);
  assert_int_equal(fread(leaf, 1, PAGE, stream), PAGE);
  make_branch(page, pages + 1, WAYS);
  fseek(stream, (long)(root - 1) * PAGE, SEEK_SET);
  assert_int_equal(fwrite(page, 1, PAGE, stream), PAGE);
  fseek(stream, 0, SEEK_END);
  for (uint32_t i = 1; i <= DEPTH; i++) {
    make_branch(page, pages + i + 1, WAYS);
    assert_int_equal(fwrite(i < DEPTH ? page : leaf, 1, PAGE, stream), PAGE);
  }
  put_number(head, 4, pages + DEPTH);
  fseek(stream, 28, SEEK_SET);
  assert_int_equal(fwrite(head, 1, 4, stream), 4);
  assert_int_equal(fclose(stream), 0);
  assert_refused(f, FCPS_ERR_DAMAGED, "integrity check");
  assert_int_equal(repair(f, &error), 0);
}

/* -- 8: values -- */

static void a_changed_record_is_refused_by_its_number(void **state)
{
  const file *f = *state;
  fcps_error error;
  change(f, "UPDATE journal SET reward = 0.5 WHERE sequence = 17");
  assert_refused(f, FCPS_ERR_DAMAGED, "record 17 of");
  assert_refused(f, FCPS_ERR_DAMAGED, "study repair");
  assert_int_equal(repair(f, &error), RECORDS - 1);
}

static void every_column_of_a_record_counts(void **state)
{
  static const char *const changes[] = {
      "sequence = 99",  "kind = 3",           "ask = ask + 1",         "other = 2",
      "time_ms = 5",    "status = 0",         "reward = NULL",         "hindsight_reward = 1",
      "target = x''",   "environment = NULL", "parameters = x'00'",    "outcome = x''",
      "client = 'you'", "text = ''",          "checksum = checksum+1", "checksum = 'x'",
  };
  const file *f = *state;
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    char sql[128];
    fcps_error error;
    snprintf(sql, sizeof sql, "UPDATE journal SET %s WHERE sequence = %d", changes[i], RECORDS);
    change(f, sql);
    if (read_file(f, &error) != FCPS_ERR_DAMAGED) fail_msg("%s: %s", changes[i], error.message);
    assert_int_equal(repair(f, &error), RECORDS - 1);
    tear_down(state);
    assert_int_equal(set_up(state), 0);
  }
}

static void a_changed_text_is_refused_by_its_name(void **state)
{
  const file *f = *state;
  fcps_error error;
  fcps_store *store = NULL;
  char *text = NULL;
  change(f, "UPDATE texts SET text = 'name: y' WHERE key = 'problem'");
  assert_refused(f, FCPS_ERR_DAMAGED, "the stored problem of");
  assert_int_equal(repair(f, &error), RECORDS);
  assert_ok(fcps_store_open(&store, f->copy, options, &error));
  assert_ok(fcps_store_begin(store, false, NULL));
  assert_ok(fcps_store_get(store, "problem", &text, NULL));
  assert_null(text);
  assert_ok(fcps_store_get(store, "learner.state", &text, NULL));
  assert_string_equal(text, "{}");
  free(text);
  fcps_store_close(store);
  change(f, "UPDATE texts SET key = char(27) || ']0;x' WHERE key = 'problem'");
  assert_refused(f, FCPS_ERR_DAMAGED, "the stored text of");
}

/* -- Records that are missing -- */

static void a_missing_record_is_noticed_and_a_repair_makes_its_gap_legitimate(void **state)
{
  file *f = *state;
  fcps_error error;
  fcps_store *store = NULL;
  char *lost = NULL;
  change(f, "DELETE FROM journal WHERE sequence IN (3, 7, 8)");
  assert_refused(f, FCPS_ERR_DAMAGED, "the next one after 2 is 4");
  assert_int_equal(repair(f, &error), RECORDS - 3);
  assert_ok(fcps_store_open(&store, f->copy, options, &error));
  const seen s = read_all(store, 0);
  assert_int_equal(s.count, RECORDS - 3);
  assert_int_equal(s.sequences[2], 4);
  assert_ok(fcps_store_begin(store, false, NULL));
  assert_ok(fcps_store_get(store, FCPS_LOST_KEY, &lost, NULL));
  assert_string_equal(lost, "3, 7-8");
  free(lost);
  /* the learner had been told the lost records */
  assert_ok(fcps_store_get(store, "learner.state", &lost, NULL));
  assert_null(lost);
  fcps_store_close(store);
  /* a further one is missed again */
  strcpy(f->path, f->copy);
  change(f, "DELETE FROM journal WHERE sequence = 9");
  assert_refused(f, FCPS_ERR_DAMAGED, "the next one after 6 is 10");
}

static void a_lost_end_is_noticed_by_what_the_learner_was_told(void **state)
{
  file *f = *state;
  fcps_error error;
  sqlite_store *s = open_store(f);
  assert_ok(fcps_store_begin(&s->base, true, NULL));
  assert_ok(fcps_store_set(&s->base, "learner.sequence", "20", NULL));
  assert_ok(fcps_store_commit(&s->base, NULL));
  fcps_store_close(&s->base);
  assert_ok(read_file(f, &error));
  change(f, "DELETE FROM journal WHERE sequence > 6");
  assert_refused(f, FCPS_ERR_DAMAGED, "was told record 20, but the last one is 6");
  assert_int_equal(repair(f, &error), 6);
  change(f, "DELETE FROM journal");
  assert_refused(f, FCPS_ERR_DAMAGED, "the last one is 0");
  /* the repaired copy has noted which records are lost */
  strcpy(f->path, f->copy);
  assert_ok(read_file(f, &error));
}

static void a_record_before_the_first_is_refused(void **state)
{
  const file *f = *state;
  change(f, "UPDATE journal SET sequence = -sequence WHERE sequence > 6");
  assert_refused(f, FCPS_ERR_DAMAGED, "before the first one");
}

static void a_number_that_a_repair_lost_is_not_given_again(void **state)
{
  const file *f = *state;
  fcps_error error;
  fcps_store *store = NULL;
  int64_t sequence = 0;
  const fcps_journal_record record = a_tell(1);
  change(f, "UPDATE journal SET ask = 99 WHERE sequence >= 19");
  assert_int_equal(repair(f, &error), RECORDS - 2);
  assert_ok(fcps_store_open(&store, f->copy, options, &error));
  assert_ok(fcps_store_begin(store, true, NULL));
  assert_ok(fcps_store_append(store, &record, &sequence, NULL));
  assert_int_equal(sequence, RECORDS + 1);
  assert_ok(fcps_store_commit(store, NULL));
  assert_int_equal(read_all(store, 0).count, RECORDS - 1);
  fcps_store_close(store);
}

/* SQLite would go on with a number by chance */
static void there_is_no_record_after_the_last_possible_one(void **state)
{
  const file *f = *state;
  sqlite_store *s = open_store(f);
  assert_ok(fcps_store_begin(&s->base, true, NULL));
  const fcps_journal_record record = a_tell(1);
  int64_t sequence = 0;
  fcps_error error;
  assert_ok(fcps_sqlite_append(s, &record, INT64_MAX, NULL));
  assert_ok(fcps_store_set(&s->base, FCPS_LOST_KEY, "21-999999999999999999", NULL));
  assert_ok(fcps_store_commit(&s->base, NULL));
  fcps_store_close(&s->base);
  s = open_store(f);
  assert_ok(fcps_store_begin(&s->base, true, NULL));
  assert_status(fcps_store_append(&s->base, &record, &sequence, &error), FCPS_ERR_DAMAGED);
  fcps_store_close(&s->base);
  assert_refused(f, FCPS_ERR_DAMAGED, "record 9223372036854775807 of");
}

/* -- A journal that names another file -- */

/* SQLite would delete the named file: a journal that ends with its name, as a commit to several databases leaves it */
static void forge_journal(const file *f, const char *victim)
{
  static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
  char journal_path[128];
  const size_t length = strlen(victim);
  unsigned sum = 0;
  for (size_t i = 0; i < length; i++)
    sum += (unsigned char)victim[i];
  snprintf(journal_path, sizeof journal_path, "%s-journal", f->path);
  FILE *stream = fopen(journal_path, "w");
  assert_non_null(stream);
  for (int i = 0; i < 64; i++)
    fwrite(magic, 1, sizeof magic, stream);
  fwrite("\0\4\0\1", 1, 4, stream);
  fwrite(victim, 1, length, stream);
  for (int i = 24; i >= 0; i -= 8)
    fputc((int)(length >> i & 255), stream);
  for (int i = 24; i >= 0; i -= 8)
    fputc((int)(sum >> i & 255), stream);
  fwrite(magic, 1, sizeof magic, stream);
  assert_int_equal(fclose(stream), 0);
}

static void a_journal_that_names_another_file_is_refused_and_nothing_is_deleted(void **state)
{
  const file *f = *state;
  fcps_error error;
  int64_t records = 0;
  char victim[128], *kept = NULL;
  snprintf(victim, sizeof victim, "%s/thesis.txt", f->folder);
  fclose(fopen(victim, "w"));
  sqlite_store *open_already = open_store(f);
  forge_journal(f, victim);
  assert_status(fcps_store_begin(&open_already->base, false, &error), FCPS_ERR_DAMAGED);
  assert_status(fcps_store_begin(&open_already->base, true, &error), FCPS_ERR_DAMAGED);
  fcps_store_close(&open_already->base);
  assert_refused(f, FCPS_ERR_DAMAGED, "names another file");
  assert_refused(f, FCPS_ERR_DAMAGED, "thesis.txt");
  assert_int_equal(repair(f, &error), -1);
  assert_non_null(strstr(error.message, "Nothing was changed"));
  assert_status(fcps_store_backup(f->path, f->copy, false, &records, NULL), FCPS_ERR_DAMAGED);
  assert_status(fcps_store_restore(f->path, f->copy, false, &kept, &records, NULL), FCPS_ERR_DAMAGED);
  assert_int_equal(access(victim, F_OK), 0);
  assert_int_not_equal(access(f->copy, F_OK), 0);
}

/* -- A file that changes while it is open -- */

static void a_trigger_that_comes_later_is_noticed(void **state)
{
  const file *f = *state;
  fcps_error error;
  sqlite_store *s = open_store(f);
  change(f, "CREATE TRIGGER t AFTER INSERT ON journal BEGIN DELETE FROM journal; END");
  assert_status(fcps_store_begin(&s->base, true, &error), FCPS_ERR_DAMAGED);
  assert_non_null(strstr(error.message, "fcps does not make"));
  fcps_store_close(&s->base);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      CASE(triggers_views_extensions_and_functions_of_the_schema_are_off),
      CASE(a_connection_is_defensive),
      CASE(limits_are_set_and_nothing_can_be_attached),
      CASE(cells_are_checked_and_files_are_not_mapped),
      CASE(a_newer_format_is_refused_also_by_repair),
      CASE(a_format_below_the_first_is_damage_and_not_newer),
      CASE(a_file_of_another_program_is_no_study),
      CASE(a_file_of_no_release_is_refused_also_by_repair),
      CASE(a_file_that_asks_for_a_write_ahead_log_is_refused),
      CASE(whatever_fcps_does_not_make_is_refused),
      CASE(a_table_that_is_missing_is_noticed),
      CASE(an_endless_view_is_not_read),
      CASE(a_computed_column_is_not_read),
      CASE(a_repair_of_pages_that_never_end_ends),
      CASE(a_changed_record_is_refused_by_its_number),
      CASE(every_column_of_a_record_counts),
      CASE(a_changed_text_is_refused_by_its_name),
      CASE(a_missing_record_is_noticed_and_a_repair_makes_its_gap_legitimate),
      CASE(a_lost_end_is_noticed_by_what_the_learner_was_told),
      CASE(a_record_before_the_first_is_refused),
      CASE(a_number_that_a_repair_lost_is_not_given_again),
      CASE(there_is_no_record_after_the_last_possible_one),
      CASE(a_journal_that_names_another_file_is_refused_and_nothing_is_deleted),
      CASE(a_trigger_that_comes_later_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
