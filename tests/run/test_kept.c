/* SPDX-License-Identifier: Apache-2.0 */
/* A finished result is kept until it is stored: while others use the study, while its disk fails, and after the end of
 * the process. It is told once, to its own study. */
#include "../study/failing_vfs.h"
#include "../study/study_fixture.h"

#include "store/store.h"

#include <fcps/run.h>

#include <sys/wait.h>

static const fcps_study_options quick = {.wait_ms = 1};

/* A process that reads the study, and does not end. */
static fcps_store *reader;

static void begin_reading(void)
{
  char *text = NULL;
  assert_ok(fcps_store_open(&reader, test_path, (fcps_store_options){.wait_ms = 1}, NULL));
  assert_ok(fcps_store_begin(reader, false, NULL));
  assert_ok(fcps_store_get(reader, "seed", &text, NULL)); /* the lock is taken when something is read */
  free(text);
}

static void end_reading(void)
{
  fcps_store_close(reader);
  reader = NULL;
}

/* What the log said. */
static int said;
static char last_code[40], last_words[1000];

static void listen(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)user;
  (void)level;
  said++;
  snprintf(last_code, sizeof last_code, "%s", code);
  snprintf(last_words, sizeof last_words, "%s", message);
}

/* -- A study with one unfinished ask -- */

static fcps_study *study;
static int64_t ask_id;

static void begin_with_ask(void)
{
  const double target = 2, wind = 0.25;
  fcps_ask ask;
  said = 0;
  fcps_study_close(make_study(test_path, throw_yaml, NULL));
  assert_ok(fcps_study_open(&study, test_path, &quick, NULL));
  assert_ok(fcps_study_ask(study, "robot", &target, &wind, &ask, NULL));
  ask_id = ask.id;
}

static const double land = 0.1;
static const fcps_result landed = {.rollout.outcome = &land, .client = "robot", .message = "so \"far\""};

static int waits;

/* asked while a result waits: the fifth time the reader ends */
static bool free_study(void *user)
{
  (void)user;
  if (reader == NULL) return false;
  assert_int_equal(fcps_run_kept_count(study), 1);
  if (++waits == 5) end_reading();
  return false;
}

static bool stop_at_once(void *user)
{
  (void)user;
  return true;
}

static void expect_stored_once(void)
{
  fcps_study *s = open_study(test_path);
  fcps_stored_result stored;
  assert_int_equal(fcps_study_result_count(s), 1);
  assert_true(fcps_study_result_of(s, ask_id, &stored));
  assert_memory_equal(stored.result.rollout.outcome, &land, sizeof land);
  assert_string_equal(stored.result.client, "robot");
  assert_string_equal(stored.result.message, landed.message);
  assert_int_equal(fcps_run_kept_count(s), 0);
  fcps_study_close(s);
}

static void a_result_waits_until_a_reader_has_ended(void **state)
{
  (void)state;
  begin_with_ask();
  begin_reading();
  waits = 0;
  const fcps_run_patience patience = {.is_kept = true, .stop = free_study, .log = {.write = listen}};
  fcps_receipt receipt;
  assert_status(fcps_study_tell(study, ask_id, &landed, NULL, NULL), FCPS_ERR_LOCKED);
  assert_ok(fcps_run_tell(study, ask_id, &landed, &patience, &receipt, NULL));
  assert_int_equal(receipt.ask, ask_id);
  assert_int_equal(said, 1);
  assert_string_equal(last_code, "W_RESULT_WAITS");
  assert_non_null(strstr(last_words, "the result of ask 1 is kept in "));
  assert_non_null(strstr(last_words, "-kept-1.json"));
  fcps_study_close(study);
  expect_stored_once();
}

static void who_stops_waiting_is_told_where_the_result_is(void **state)
{
  (void)state;
  begin_with_ask();
  begin_reading();
  const fcps_run_patience patience = {.is_kept = true, .stop = stop_at_once, .log = {.write = listen}};
  fcps_error error = {0};
  assert_status(fcps_run_tell(study, ask_id, &landed, &patience, NULL, &error), FCPS_ERR_STOPPED);
  assert_non_null(strstr(error.message, "-kept-1.json"));
  assert_non_null(strstr(error.message, "fcps study tell "));
  end_reading();
  fcps_study_close(study);

  int stored = 0;
  assert_ok(fcps_study_open(&study, test_path, &quick, NULL));
  assert_int_equal(fcps_run_kept_count(study), 1);
  assert_ok(fcps_run_tell_kept(study, &patience, &stored, NULL));
  assert_int_equal(stored, 1);
  assert_ok(fcps_run_tell_kept(study, &patience, &stored, NULL));
  assert_int_equal(stored, 0);
  fcps_study_close(study);
  expect_stored_once();
}

static bool die_when_kept(void *user)
{
  (void)user;
  if (fcps_run_kept_count(study) == 1) kill(getpid(), SIGKILL);
  return false;
}

static void a_result_that_waits_outlives_its_process(void **state)
{
  (void)state;
  begin_with_ask();
  fcps_study_close(study);
  begin_reading();
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const fcps_run_patience patience = {.is_kept = true, .stop = die_when_kept};
    if (fcps_study_open(&study, test_path, &quick, NULL) != FCPS_OK) _exit(1);
    fcps_run_tell(study, ask_id, &landed, &patience, NULL, NULL);
    _exit(2);
  }
  int how = 0;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFSIGNALED(how));
  end_reading();
  const fcps_run_patience patience = {.is_kept = true};
  assert_ok(fcps_study_open(&study, test_path, &quick, NULL));
  assert_ok(fcps_run_tell_kept(study, &patience, NULL, NULL));
  fcps_study_close(study);
  expect_stored_once();
}

static void a_kept_result_that_is_stored_already_counts_once(void **state)
{
  (void)state;
  begin_with_ask();
  begin_reading();
  const fcps_run_patience patience = {.is_kept = true, .stop = stop_at_once};
  assert_status(fcps_run_tell(study, ask_id, &landed, &patience, NULL, NULL), FCPS_ERR_STOPPED);
  end_reading();
  assert_ok(fcps_study_tell(study, ask_id, &landed, NULL, NULL));
  assert_ok(fcps_run_tell_kept(study, &patience, NULL, NULL));
  fcps_study_close(study);
  expect_stored_once();
}

/* what another process does that has told a result: the file is gone, and the study is free */
static bool take_the_file_away(void *user)
{
  char path[sizeof test_path + 32];
  bool *is_away = user;
  if (*is_away) return false;
  snprintf(path, sizeof path, "%s-kept-1.json", test_path);
  assert_int_equal(unlink(path), 0);
  *is_away = true;
  end_reading();
  return false;
}

static void a_kept_result_that_another_process_told_is_no_failure(void **state)
{
  (void)state;
  begin_with_ask();
  begin_reading();
  const fcps_run_patience stopping = {.is_kept = true, .stop = stop_at_once};
  assert_status(fcps_run_tell(study, ask_id, &landed, &stopping, NULL, NULL), FCPS_ERR_STOPPED);
  bool is_away = false;
  int stored = 0;
  const fcps_run_patience patience = {.is_kept = true, .stop = take_the_file_away, .user = &is_away};
  assert_ok(fcps_run_tell_kept(study, &patience, &stored, NULL));
  assert_true(is_away);
  assert_int_equal(stored, 0);
  fcps_study_close(study);
}

static void a_contradiction_is_not_waited_for(void **state)
{
  (void)state;
  begin_with_ask();
  const double elsewhere = 4;
  const fcps_result other = {.rollout.outcome = &elsewhere};
  const fcps_run_patience patience = {.is_kept = true, .is_persistent = true};
  assert_ok(fcps_run_tell(study, ask_id, &landed, &patience, NULL, NULL));
  assert_status(fcps_run_tell(study, ask_id, &other, &patience, NULL, NULL), FCPS_ERR_CONFLICT);
  assert_int_equal(fcps_run_kept_count(study), 0);
  fcps_study_close(study);
}

/* a failure that cannot pass ends the call; the result is kept, and told to no other study */
static void a_result_of_another_study_is_refused_and_stays(void **state)
{
  (void)state;
  begin_with_ask();
  fcps_error error = {0};
  const fcps_run_patience patience = {.is_kept = true, .is_persistent = true, .log = {.write = listen}};
  assert_status(fcps_run_tell(study, 99, &landed, &patience, NULL, &error), FCPS_ERR_UNKNOWN_ASK);
  assert_non_null(strstr(error.message, "there is no ask 99"));
  assert_non_null(strstr(error.message, "--kept"));
  assert_int_equal(said, 0);
  int stored = 0;
  assert_ok(fcps_run_tell_kept(study, &patience, &stored, &error));
  assert_int_equal(stored, 0);
  assert_string_equal(last_code, "W_KEPT_REFUSED");
  assert_int_equal(fcps_run_kept_count(study), 1);
  assert_int_equal(fcps_study_result_count(study), 0);
  fcps_study_close(study);
  assert_ok(fcps_study_remove(test_path, NULL)); /* and everything beside it */
  char path[sizeof test_path + 32];
  snprintf(path, sizeof path, "%s-kept-1.json", test_path);
  assert_int_not_equal(access(path, F_OK), 0);
}

/* a study that was made anew under the name gives the same ask; the kept result is not its result */
static void a_result_of_a_study_that_had_the_name_is_refused(void **state)
{
  (void)state;
  begin_with_ask();
  begin_reading();
  const fcps_run_patience patience = {.is_kept = true, .stop = stop_at_once, .log = {.write = listen}};
  assert_status(fcps_run_tell(study, ask_id, &landed, &patience, NULL, NULL), FCPS_ERR_STOPPED);
  end_reading();
  fcps_study_close(study);
  assert_int_equal(unlink(test_path), 0);
  begin_with_ask();
  int stored = 0;
  assert_ok(fcps_run_tell_kept(study, &patience, &stored, NULL));
  assert_int_equal(stored, 0);
  assert_string_equal(last_code, "W_KEPT_REFUSED");
  assert_int_equal(fcps_study_result_count(study), 0);
  fcps_study_close(study);
}

/* if there is no room for one more, the message contains the result itself */
static void a_result_that_cannot_be_kept_is_said(void **state)
{
  (void)state;
  begin_with_ask();
  for (int i = 1; i <= FCPS_STORE_KEPT_COUNT; i++) {
    char path[sizeof test_path + 32];
    snprintf(path, sizeof path, "%s-kept-%d.json", test_path, i);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
  }
  fcps_error error = {0};
  const fcps_run_patience patience = {.is_kept = true, .is_persistent = true, .log = {.write = listen}};
  assert_status(fcps_run_tell(study, 99, &landed, &patience, NULL, &error), FCPS_ERR_UNKNOWN_ASK);
  assert_non_null(strstr(error.message, "NOT kept"));
  assert_string_equal(last_code, "W_RESULT_NOT_KEPT");
  assert_non_null(strstr(last_words, "\"outcome\""));
  fcps_study_close(study);
}

/* the disk is well again the fifth time */
static bool mend_disk(void *user)
{
  (void)user;
  if (++waits == 5) failing.fault = FAULT_NONE;
  return false;
}

static void a_result_waits_for_a_disk_that_fails_and_for_a_full_one(void **state)
{
  (void)state;
  static const fault faults[] = {FAULT_IO, FAULT_FULL, FAULT_SHORT};
  install_failing_vfs();
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    failing = (struct failing){.fault = FAULT_NONE};
    begin_with_ask();
    waits = 0;
    failing = (struct failing){.fault = faults[i], .at = 1, .is_lasting = true};
    const fcps_run_patience impatient = {.is_kept = true, .log = {.write = listen}},
                            patience = {
                                .is_kept = true, .is_persistent = true, .stop = mend_disk, .log = {.write = listen}};
    assert_int_not_equal(fcps_run_tell(study, ask_id, &landed, &impatient, NULL, NULL), FCPS_OK);
    assert_int_equal(fcps_run_kept_count(study), 0);
    assert_int_equal(said, 0);
    assert_ok(fcps_run_tell(study, ask_id, &landed, &patience, NULL, NULL));
    assert_int_equal(said, 1);
    fcps_stored_result stored;
    assert_true(fcps_study_result_of(study, ask_id, &stored)); /* also if another handle has stored it */
    fcps_study_close(study);
    expect_stored_once();
    assert_ok(fcps_study_remove(test_path, NULL));
  }
  sqlite3_vfs_register(real_vfs, 1);
}

/* -- In the loop -- */

static bool has_read, has_waited;

/* Reads while the program runs, until its result waits. */
static bool read_meanwhile(void *user)
{
  (void)user;
  if (fcps_study_ask_count(study) == 1 && fcps_study_result_count(study) == 0 && !has_read) {
    begin_reading();
    has_read = true;
  }
  if (reader != NULL && fcps_run_kept_count(study) == 1) {
    end_reading();
    has_waited = true;
  }
  return false;
}

static char program_yaml[1200];

static void write_program(const char *command)
{
  snprintf(program_yaml, sizeof program_yaml, "%srun: {command: [%s], timeout_s: 30}\n", throw_yaml, command);
}

static void a_run_does_not_lose_a_result_to_a_reader(void **state)
{
  (void)state;
  char command[400];
  snprintf(command, sizeof command, "python3, %s/tests/run/throw.py, \"0\"", TEST_SOURCE_DIR);
  write_program(command);
  fcps_study_close(make_study(test_path, program_yaml, NULL));
  assert_ok(fcps_study_open(&study, test_path, &quick, NULL));
  has_read = has_waited = false;
  said = 0;
  const fcps_run_options options = {.episodes = 2, .stop = read_meanwhile, .log = {.write = listen}};
  fcps_error error = {0};
  if (fcps_run_program(study, NULL, &options, &error) != FCPS_OK) fail_msg("%s", error.message);
  assert_true(has_waited);
  assert_int_equal(fcps_study_result_count(study), 2);
  assert_int_equal(fcps_run_kept_count(study), 0);
  assert_int_equal(said, 1);
  fcps_study_close(study);
}

static void the_next_run_does_not_repeat_a_trial_whose_result_is_kept(void **state)
{
  (void)state;
  const double target = 2, wind = 0.25;
  fcps_ask ask;
  write_program("/nonexistent/program"); /* nobody may start it */
  fcps_study_close(make_study(test_path, program_yaml, NULL));
  assert_ok(fcps_study_open(&study, test_path, &quick, NULL));
  assert_ok(fcps_study_ask(study, FCPS_RUN_CLIENT, &target, &wind, &ask, NULL));
  ask_id = ask.id;
  begin_reading();
  const fcps_run_patience patience = {.is_kept = true, .stop = stop_at_once};
  assert_status(fcps_run_tell(study, ask_id, &landed, &patience, NULL, NULL), FCPS_ERR_STOPPED);
  end_reading();
  const fcps_run_options options = {.episodes = 1};
  fcps_error error = {0};
  if (fcps_run_program(study, NULL, &options, &error) != FCPS_OK) fail_msg("%s", error.message);
  fcps_study_close(study);
  expect_stored_once();
}

/* The reader ends the fifth time that the loop asks whether to stop. */
static bool end_at_last(void *user)
{
  (void)user;
  if (++waits == 5) end_reading();
  return false;
}

static void a_run_waits_with_its_ask(void **state)
{
  (void)state;
  char command[400];
  snprintf(command, sizeof command, "python3, %s/tests/run/throw.py, \"0\"", TEST_SOURCE_DIR);
  write_program(command);
  fcps_study_close(make_study(test_path, program_yaml, NULL));
  assert_ok(fcps_study_open(&study, test_path, &quick, NULL));
  begin_reading();
  waits = said = 0;
  const fcps_run_options options = {.episodes = 1, .stop = end_at_last, .log = {.write = listen}};
  fcps_error error = {0};
  if (fcps_run_program(study, NULL, &options, &error) != FCPS_OK) fail_msg("%s", error.message);
  assert_int_equal(said, 1);
  assert_string_equal(last_code, "W_STUDY_LOCKED");
  assert_int_equal(fcps_study_result_count(study), 1);
  fcps_study_close(study);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_result_waits_until_a_reader_has_ended),
      TEST(who_stops_waiting_is_told_where_the_result_is),
      TEST(a_result_that_waits_outlives_its_process),
      TEST(a_kept_result_that_is_stored_already_counts_once),
      TEST(a_kept_result_that_another_process_told_is_no_failure),
      TEST(a_contradiction_is_not_waited_for),
      TEST(a_result_of_another_study_is_refused_and_stays),
      TEST(a_result_of_a_study_that_had_the_name_is_refused),
      TEST(a_result_that_cannot_be_kept_is_said),
      TEST(a_result_waits_for_a_disk_that_fails_and_for_a_full_one),
      TEST(a_run_does_not_lose_a_result_to_a_reader),
      TEST(the_next_run_does_not_repeat_a_trial_whose_result_is_kept),
      TEST(a_run_waits_with_its_ask),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
