/* SPDX-License-Identifier: Apache-2.0 */
/* A study of format 1, without checksums, is read as it is. The first write makes it one of format 2, in its own
 * transaction: whatever happens, the file is the old one or the new one, and says the same. */
#include "failing_vfs.h"
#include "study_fixture.h"

#include <sys/wait.h>

static const char old_file[] = TEST_SOURCE_DIR "/tests/fixtures/0.1.0/studies/every-record.fcps";

/* Puts the old study in the test's folder. */
static void copy_old(void)
{
  FILE *from = fopen(old_file, "rb"), *to = fopen(test_path, "wb");
  assert_non_null(from);
  assert_non_null(to);
  for (int c; (c = getc(from)) != EOF;)
    putc(c, to);
  fclose(from);
  assert_int_equal(fclose(to), 0);
}

static int64_t ask_number(const char *sql)
{
  sqlite3 *db = NULL;
  sqlite3_stmt *q = NULL;
  assert_int_equal(sqlite3_open_v2(test_path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_step(q), SQLITE_ROW);
  const int64_t number = sqlite3_column_int64(q, 0);
  sqlite3_finalize(q);
  sqlite3_close(db);
  return number;
}

static void change(const char *sql)
{
  sqlite3 *db = NULL;
  assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(db);
}

/* The results and events up to a sequence, one line each. */
static char *write_log(const fcps_study *s, int64_t until)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  const fcps_problem *p = fcps_study_problem(s);
  for (int i = 0; i < fcps_study_result_count(s); i++) {
    fcps_stored_result r;
    fcps_study_result_at(s, i, &r);
    fprintf(out, "%lld %lld.%d %d %lld %d %a", (long long)r.sequence, (long long)r.ask, r.result_number, r.is_used,
            (long long)r.time_ms, (int)r.result.rollout.status, r.result.rollout.reward);
    for (int j = 0; j < p->parameters.count; j++)
      fprintf(out, " %a", r.result.rollout.parameters[j]);
    fprintf(out, " %s %s\n", r.result.client, r.result.message);
  }
  const fcps_study_event *event;
  for (int i = 0; (event = fcps_study_event_at(s, i)) != NULL && event->sequence <= until; i++)
    fprintf(out, "%lld %s %s\n", (long long)event->sequence, event->code, event->text);
  assert_int_equal(fclose(out), 0);
  return text;
}

static char *log_of_file(int64_t until)
{
  fcps_study *s = open_study(test_path);
  char *log = write_log(s, until);
  fcps_study_close(s);
  return log;
}

static void reading_leaves_an_old_file_as_it_is(void **state)
{
  (void)state;
  copy_old();
  free(log_of_file(INT64_MAX));
  assert_int_equal(ask_number("PRAGMA user_version"), 1);
}

static void the_first_write_upgrades_and_keeps_every_result(void **state)
{
  (void)state;
  copy_old();
  const int64_t last = ask_number("SELECT max(sequence) FROM journal");
  char *before = log_of_file(last);
  fcps_study *s = open_study(test_path);
  assert_ok(fcps_study_note(s, "NOTE", "upgraded", NULL));
  char *meanwhile = write_log(s, last);
  fcps_study_close(s);
  char *after = log_of_file(last);
  assert_string_equal(before, meanwhile);
  assert_string_equal(before, after);
  assert_int_equal(ask_number("PRAGMA user_version"), 2);
  assert_int_equal(ask_number("SELECT max(sequence) FROM journal"), last + 1);
  assert_int_equal(ask_number("SELECT count(*) FROM sqlite_master"), 2);
  free(before);
  free(meanwhile);
  free(after);
  /* its checksums hold: every record is read, and a changed one is refused */
  fcps_error error = {0};
  change("UPDATE journal SET time_ms = time_ms + 1 WHERE sequence = 3");
  assert_status(fcps_study_open(&s, test_path, NULL, &error), FCPS_ERR_DAMAGED);
  assert_non_null(strstr(error.message, "record 3 of"));
}

static void a_write_that_comes_to_nothing_leaves_the_old_file(void **state)
{
  (void)state;
  copy_old();
  fcps_study *s = open_study(test_path);
  assert_status(fcps_study_forget(s, 999, NULL), FCPS_ERR_UNKNOWN_ASK);
  assert_int_equal(ask_number("PRAGMA user_version"), 1);
  assert_ok(fcps_study_note(s, "NOTE", "now", NULL));
  assert_int_equal(ask_number("PRAGMA user_version"), 2);
  fcps_study_close(s);
}

static void others_that_have_the_file_open_follow(void **state)
{
  (void)state;
  copy_old();
  fcps_study *first = open_study(test_path), *second = open_study(test_path);
  assert_ok(fcps_study_refresh(first, NULL));
  assert_ok(fcps_study_note(second, "NOTE", "second", NULL));
  assert_ok(fcps_study_refresh(first, NULL));
  assert_ok(fcps_study_note(first, "NOTE", "first", NULL));
  assert_ok(fcps_study_refresh(second, NULL));
  char *a = write_log(first, INT64_MAX), *b = write_log(second, INT64_MAX);
  assert_string_equal(a, b);
  assert_non_null(strstr(a, "NOTE second\n"));
  assert_non_null(strstr(a, "NOTE first\n"));
  free(a);
  free(b);
  fcps_study_close(first);
  fcps_study_close(second);
}

/* old repairs did not note what they lost */
static void gaps_of_an_old_file_stay_legitimate(void **state)
{
  (void)state;
  copy_old();
  change("DELETE FROM journal WHERE sequence = 2");
  char *before = log_of_file(INT64_MAX);
  fcps_study *s = open_study(test_path);
  assert_ok(fcps_study_note(s, "NOTE", "upgraded", NULL));
  fcps_study_close(s);
  s = open_study(test_path);
  char *after = write_log(s, INT64_MAX);
  assert_memory_equal(before, after, strlen(before));
  fcps_study_close(s);
  free(before);
  free(after);
}

/* values that SQLite keeps whatever the column says, and that nothing else notices in an old file */
static void wrong_types_and_ranges_of_an_old_file_are_refused(void **state)
{
  static const char *const changes[] = {
      "UPDATE journal SET status = 'none' WHERE kind = 2",
      "UPDATE journal SET status = 1099511627776 WHERE kind = 2",
      "UPDATE journal SET other = 4294967297 WHERE kind = 2",
      "UPDATE journal SET kind = 1.5",
      "UPDATE journal SET ask = 9223372036854775807 WHERE kind = 1 AND ask = (SELECT max(ask) FROM journal)",
      "UPDATE journal SET reward = 'high' WHERE kind = 2",
      "UPDATE journal SET target = 'text' WHERE kind = 2",
      "UPDATE journal SET target = target || x'00' WHERE kind = 2",
      "UPDATE journal SET client = x'00' WHERE kind = 2",
      "UPDATE texts SET text = x'00' WHERE key = 'seed'",
  };
  (void)state;
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    fcps_study *s = NULL;
    fcps_error error = {0};
    copy_old();
    change(changes[i]);
    if (fcps_study_open(&s, test_path, NULL, &error) != FCPS_ERR_DAMAGED) fail_msg("%s: %s", changes[i], error.message);
  }
}

static void a_learner_that_does_not_exist_is_said_to_be_the_studys(void **state)
{
  (void)state;
  fcps_study *s = NULL;
  fcps_error error = {0};
  copy_old();
  change("UPDATE texts SET text = 'nope' WHERE key = 'learner'");
  assert_status(fcps_study_open(&s, test_path, NULL, &error), FCPS_ERR_FORMAT);
  assert_non_null(strstr(error.message, "throw.fcps has a learner that this fcps does not know"));
}

static void a_stored_problem_that_cannot_be_read_is_not_blamed_on_the_users_file(void **state)
{
  (void)state;
  fcps_study *s = NULL;
  fcps_error error = {0};
  copy_old();
  change("UPDATE texts SET text = replace(text, 'target', 'tarfet') WHERE key = 'problem'");
  assert_status(fcps_study_open(&s, test_path, NULL, &error), FCPS_ERR_DAMAGED);
  assert_string_equal(error.file, "");
  assert_non_null(strstr(error.message, "the problem that"));
  assert_non_null(strstr(error.message, "study repair"));
}

/* counting on from the highest number would overflow */
static void a_state_without_a_next_number_is_made_again(void **state)
{
  (void)state;
  fcps_ask ask;
  copy_old();
  change(
      "UPDATE texts SET text = replace(text, '\"next_id\":', '\"next_id\":9223372036854775807,\"old\":') WHERE key = "
      "'learner.state'");
  fcps_study *s = open_study(test_path);
  const fcps_problem *p = fcps_study_problem(s);
  double target[8] = {0}, environment[8] = {0};
  for (int i = 0; i < p->target.count; i++)
    target[i] = p->target.dims[i].lower;
  for (int i = 0; i < p->environment.count; i++)
    environment[i] = p->environment.dims[i].lower;
  assert_ok(fcps_study_ask(s, NULL, target, environment, &ask, NULL));
  assert_ok(fcps_study_ask(s, NULL, target, environment, &ask, NULL));
  fcps_study_close(s);
  assert_true(ask_number("SELECT max(other) FROM journal WHERE kind = 1") < 1000);
}

/* -- Kills -- */

static void a_kill_leaves_the_old_file_or_the_new_one(void **state)
{
  (void)state;
  copy_old();
  const int64_t last = ask_number("SELECT max(sequence) FROM journal");
  char *before = log_of_file(last);
  bool is_over = false, was_new = false;
  for (long at = 1; !is_over; at++) {
    copy_old();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      install_failing_vfs();
      failing = (struct failing){.fault = at % 2 ? FAULT_KILL_HALF : FAULT_KILL_BEFORE, .at = at};
      fcps_study *s = NULL;
      if (fcps_study_open(&s, test_path, NULL, NULL) != FCPS_OK) _exit(1);
      if (fcps_study_note(s, "NOTE", "upgraded", NULL) != FCPS_OK) _exit(2);
      _exit(0);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    if (WIFEXITED(how) && WEXITSTATUS(how) != 0) fail_msg("call %ld: exit %d", at, WEXITSTATUS(how));
    is_over = WIFEXITED(how);
    char *after = log_of_file(last);
    assert_string_equal(before, after);
    free(after);
    was_new |= ask_number("PRAGMA user_version") == 2;
  }
  assert_true(was_new);
  free(before);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      CASE(reading_leaves_an_old_file_as_it_is),
      CASE(the_first_write_upgrades_and_keeps_every_result),
      CASE(a_write_that_comes_to_nothing_leaves_the_old_file),
      CASE(others_that_have_the_file_open_follow),
      CASE(gaps_of_an_old_file_stay_legitimate),
      CASE(wrong_types_and_ranges_of_an_old_file_are_refused),
      CASE(a_learner_that_does_not_exist_is_said_to_be_the_studys),
      CASE(a_stored_problem_that_cannot_be_read_is_not_blamed_on_the_users_file),
      CASE(a_state_without_a_next_number_is_made_again),
      CASE(a_kill_leaves_the_old_file_or_the_new_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
