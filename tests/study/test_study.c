/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/study/: asking, telling, importing and holding, also after a study was closed and opened again. */
#include "study_fixture.h"

#include <sys/stat.h>
#include <sys/wait.h>

static const double target = 2.0, wind = 0.25;

static void a_result_survives_closing_and_opening(void **state)
{
  (void)state;
  fcps_study *s = make_study(test_path, throw_yaml, NULL);
  fcps_ask ask;
  assert_ok(fcps_study_ask(s, "robot", &target, &wind, &ask, NULL));
  assert_int_equal(ask.id, 1);
  const double land = 1.5, speed = ask.parameters[0];
  const fcps_result result = {.rollout.outcome = &land, .client = "robot"};
  fcps_receipt receipt;
  assert_ok(fcps_study_tell(s, 1, &result, &receipt, NULL));
  assert_near(receipt.reward, -0.5 - 0.05 * speed, 1e-14);
  assert_false(receipt.is_repeated || receipt.is_late || receipt.is_flagged);
  fcps_study_close(s);

  s = open_study(test_path);
  assert_int_equal(fcps_study_result_count(s), 1);
  fcps_stored_result stored;
  fcps_study_result_at(s, 0, &stored);
  assert_int_equal(stored.ask, 1);
  assert_near(stored.result.rollout.outcome[0], 1.5, 0);
  assert_near(stored.result.rollout.parameters[0], speed, 0);
  assert_near(stored.result.rollout.reward, receipt.reward, 0);
  assert_string_equal(stored.result.client, "robot");
  fcps_study_ask_at(s, 0, &ask);
  assert_int_equal(ask.state, FCPS_ASK_TOLD);
  fcps_study_close(s);
}

static void a_client_gets_its_pending_ask_again(void **state)
{
  (void)state;
  fcps_study *s = make_study(test_path, throw_yaml, NULL);
  fcps_ask first, other, again;
  assert_ok(fcps_study_ask(s, "a", &target, &wind, &first, NULL));
  const double speed = first.parameters[0];
  assert_ok(fcps_study_ask(s, "b", &target, &wind, &other, NULL));
  assert_int_equal(other.id, 2);
  assert_true(other.parameters[0] != speed);
  fcps_study_close(s);
  s = open_study(test_path);
  const double elsewhere = 4.0;
  assert_ok(fcps_study_ask(s, "a", &elsewhere, &wind, &again, NULL));
  assert_int_equal(again.id, 1);
  assert_true(again.is_repeated);
  assert_near(again.parameters[0], speed, 0);
  assert_near(again.target[0], target, 0);
  /* nobody's ask is nobody's */
  assert_ok(fcps_study_ask(s, NULL, &target, &wind, &again, NULL));
  assert_int_equal(again.id, 3);
  assert_ok(fcps_study_ask(s, "", &target, &wind, &again, NULL));
  assert_int_equal(again.id, 4);
  fcps_study_close(s);
}

static void the_same_result_again_is_harmless_and_another_is_kept_as_evidence(void **state)
{
  (void)state;
  fcps_study *s = make_study(test_path, throw_yaml, NULL);
  fcps_ask ask;
  fcps_receipt receipt;
  fcps_error error = {0};
  assert_ok(fcps_study_ask(s, NULL, &target, &wind, &ask, NULL));
  const double one = 1.0, two = 2.0;
  const fcps_result first = {.rollout.outcome = &one}, second = {.rollout.outcome = &two, .client = "r2"};
  assert_ok(fcps_study_tell(s, 1, &first, NULL, NULL));
  assert_ok(fcps_study_tell(s, 1, &first, &receipt, NULL));
  assert_true(receipt.is_repeated);
  assert_int_equal(fcps_study_result_count(s), 1);
  for (int again = 0; again < 2; again++) {
    assert_status(fcps_study_tell(s, 1, &second, &receipt, &error), FCPS_ERR_CONFLICT);
    assert_int_equal(receipt.result_number, 2);
    assert_non_null(strstr(error.message, "1.2"));
    assert_int_equal(fcps_study_result_count(s), 2);
  }
  fcps_stored_result stored;
  fcps_study_result_at(s, 1, &stored);
  assert_false(stored.is_used);
  /* choosing the other result reverses this, and the result that counts is harmless again */
  assert_ok(fcps_study_use(s, 1, 2, NULL));
  fcps_study_close(s);
  s = open_study(test_path);
  fcps_study_result_at(s, 0, &stored);
  assert_false(stored.is_used);
  fcps_study_result_at(s, 1, &stored);
  assert_true(stored.is_used);
  assert_ok(fcps_study_tell(s, 1, &second, &receipt, NULL));
  assert_status(fcps_study_tell(s, 1, &first, &receipt, NULL), FCPS_ERR_CONFLICT);
  assert_status(fcps_study_use(s, 1, 3, &error), FCPS_ERR_UNKNOWN_ASK);
  throw_once(s);
  fcps_study_close(s);
}

static void another_reason_for_a_failure_is_kept_as_evidence(void **state)
{
  (void)state;
  static char long_reason[5000];
  memset(long_reason, 'x', sizeof long_reason - 1);
  fcps_study *s = make_study(test_path, throw_yaml, NULL);
  fcps_ask ask;
  fcps_receipt receipt;
  fcps_stored_result stored;
  assert_ok(fcps_study_ask(s, NULL, &target, &wind, &ask, NULL));
  const char *const reasons[] = {"gripper slipped", "motor 3 burnt", long_reason};
  for (int i = 0; i < 3; i++) {
    const fcps_result failed = {.rollout.status = FCPS_ROLLOUT_FAILED, .message = reasons[i]};
    for (int again = 0; again < 2; again++) {
      assert_status(fcps_study_tell(s, 1, &failed, &receipt, NULL), i ? FCPS_ERR_CONFLICT : FCPS_OK);
      assert_int_equal(receipt.is_repeated, again);
      assert_int_equal(fcps_study_result_count(s), i + 1);
    }
    fcps_study_result_at(s, i, &stored);
    assert_memory_equal(stored.result.message, reasons[i], 13);
    assert_int_equal(stored.is_used, i == 0);
  }
  /* a result without a reason contradicts none */
  const fcps_result silent = {.rollout.status = FCPS_ROLLOUT_FAILED};
  assert_ok(fcps_study_tell(s, 1, &silent, &receipt, NULL));
  assert_true(receipt.is_repeated);
  fcps_study_close(s);
}

static void a_late_result_is_used(void **state)
{
  (void)state;
  fcps_study *s = make_study(NULL, throw_yaml, NULL);
  fcps_ask ask;
  fcps_receipt receipt;
  const double land = 1.0;
  const fcps_result timeout = {.rollout.status = FCPS_ROLLOUT_TIMEOUT, .message = "no answer"},
                    late = {.rollout.outcome = &land};
  for (int i = 0; i < 2; i++)
    assert_ok(fcps_study_ask(s, NULL, &target, &wind, &ask, NULL));
  assert_ok(fcps_study_tell(s, 1, &timeout, NULL, NULL));
  assert_ok(fcps_study_tell(s, 1, &late, &receipt, NULL));
  assert_true(receipt.is_late);
  fcps_stored_result stored;
  fcps_study_result_at(s, 0, &stored);
  assert_false(stored.is_used);
  assert_string_equal(stored.result.message, "no answer");
  fcps_study_result_at(s, 1, &stored);
  assert_true(stored.is_used);
  /* an ask that was given up */
  assert_ok(fcps_study_forget(s, 2, NULL));
  assert_ok(fcps_study_forget(s, 2, NULL));
  fcps_study_ask_at(s, 1, &ask);
  assert_int_equal(ask.state, FCPS_ASK_FORGOTTEN);
  assert_ok(fcps_study_tell(s, 2, &late, &receipt, NULL));
  assert_true(receipt.is_late);
  assert_status(fcps_study_forget(s, 2, NULL), FCPS_ERR_UNKNOWN_ASK);
  throw_once(s);
  fcps_study_close(s);
}

static void numbers_that_are_not_finite_are_stored_flagged_and_harmless(void **state)
{
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY, 1.7976931348623157e308, 1e300};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fcps_study *s = make_study(NULL, throw_yaml, "bo-fcps");
    for (int n = 0; n < 6; n++) {
      fcps_ask ask;
      fcps_receipt receipt;
      assert_ok(fcps_study_ask(s, NULL, &target, &wind, &ask, NULL));
      for (int d = 0; d < 2; d++)
        assert_true(isfinite(ask.parameters[d]) && ask.parameters[d] >= 0 && ask.parameters[d] <= 3);
      const fcps_result result = {.rollout.outcome = &bad[i]};
      assert_ok(fcps_study_tell(s, ask.id, &result, &receipt, NULL));
      assert_true(receipt.is_flagged);
      assert_true(isnan(receipt.reward));
      assert_ok(fcps_study_tell(s, ask.id, &result, &receipt, NULL));
      assert_true(receipt.is_repeated);
    }
    fcps_study_close(s);
  }
}

static void bad_contexts_and_parameters_are_refused_by_name(void **state)
{
  (void)state;
  fcps_study *s = make_study(NULL, throw_yaml, NULL);
  fcps_ask ask;
  fcps_error error = {0};
  const double nan = NAN, far = 99.0, land = 1.0, half_bad[] = {1.0, INFINITY};
  assert_true(fcps_study_ask(s, NULL, &nan, &wind, &ask, &error) != FCPS_OK);
  assert_string_equal(error.field, "target.x");
  assert_status(fcps_study_ask(s, NULL, &target, &far, &ask, &error), FCPS_ERR_BOUNDS);
  assert_string_equal(error.field, "environment.wind");
  assert_status(fcps_study_ask(s, NULL, NULL, &wind, &ask, &error), FCPS_ERR_ARGUMENT);
  assert_int_equal(fcps_study_ask_count(s), 0);
  assert_ok(fcps_study_ask(s, NULL, &target, &wind, &ask, NULL));
  const fcps_result bad = {.rollout.outcome = &land, .rollout.parameters = half_bad};
  assert_true(fcps_study_tell(s, 1, &bad, NULL, &error) != FCPS_OK);
  assert_string_equal(error.field, "parameters.tilt");
  const fcps_result incomplete = {.rollout.outcome = &land, .rollout.target = &target};
  assert_status(fcps_study_tell(s, FCPS_NOT_ASKED, &incomplete, NULL, &error), FCPS_ERR_ARGUMENT);
  assert_status(fcps_study_tell(s, 5, &incomplete, NULL, &error), FCPS_ERR_UNKNOWN_ASK);
  assert_int_equal(fcps_study_result_count(s), 0);
  fcps_study_close(s);
}

static void what_was_executed_and_measured_counts(void **state)
{
  (void)state;
  fcps_study *s = make_study(NULL, throw_yaml, NULL);
  fcps_ask ask;
  const double land = 2.0, measured = -0.5, executed[] = {1.0, 0.5};
  assert_ok(fcps_study_ask(s, NULL, &target, &wind, &ask, NULL));
  const fcps_result result = {
      .rollout.outcome = &land, .rollout.environment = &measured, .rollout.parameters = executed};
  fcps_receipt receipt;
  assert_ok(fcps_study_tell(s, 1, &result, &receipt, NULL));
  assert_near(receipt.reward, -0.05, 1e-14);
  const fcps_result unasked = {
      .rollout.outcome = NULL, .rollout.target = &target, .rollout.environment = &wind, .rollout.parameters = executed};
  assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &unasked, &receipt, NULL));
  assert_near(receipt.reward, -9.0, 0);
  fcps_stored_result stored;
  fcps_study_result_at(s, 0, &stored);
  assert_near(stored.result.rollout.environment[0], measured, 0);
  fcps_study_result_at(s, 1, &stored);
  assert_int_equal(stored.ask, 0);
  assert_null(stored.result.rollout.outcome);
  fcps_study_close(s);
}

static void a_result_that_nobody_asked_for_counts_once(void **state)
{
  (void)state;
  fcps_study *s = make_study(test_path, throw_yaml, NULL);
  const double executed[] = {1.0, 0.5}, land = 2.0, other = 2.5;
  fcps_result result = {.rollout.outcome = &land,
                        .rollout.target = &target,
                        .rollout.environment = &wind,
                        .rollout.parameters = executed};
  fcps_receipt receipt;
  assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &result, &receipt, NULL));
  assert_false(receipt.is_repeated);
  assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &result, &receipt, NULL));
  assert_true(receipt.is_repeated);
  result.client = "another"; /* saw the same without being told */
  assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &result, &receipt, NULL));
  assert_false(receipt.is_repeated);
  assert_int_equal(fcps_study_result_count(s), 2);

  /* keys distinguish trials that repeat exactly, and find a trial again in another process */
  for (int i = 0; i < 2; i++) {
    for (int again = 0; again < 2; again++) {
      result.key = i ? "throw 8" : "throw 7";
      assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &result, &receipt, NULL));
      assert_int_equal(receipt.is_repeated, again);
      fcps_study_close(s);
      s = open_study(test_path);
    }
  }
  assert_int_equal(fcps_study_result_count(s), 4);

  /* a contradiction is kept, refused and not used, also the second time */
  result.rollout.outcome = &other;
  for (int again = 0; again < 2; again++)
    assert_status(fcps_study_tell(s, FCPS_NOT_ASKED, &result, &receipt, NULL), FCPS_ERR_CONFLICT);
  assert_int_equal(fcps_study_result_count(s), 5);
  fcps_stored_result stored;
  fcps_study_result_at(s, 4, &stored);
  assert_false(stored.is_used);
  assert_string_equal(stored.result.key, "throw 8");
  assert_null(fcps_study_event_at(s, 0)); /* keys are no events */
  fcps_study_close(s);
}

static void told_rewards_are_kept(void **state)
{
  (void)state;
  fcps_study *s = make_study(NULL, told_yaml, NULL);
  fcps_ask ask;
  fcps_receipt receipt;
  assert_ok(fcps_study_ask(s, NULL, &target, NULL, &ask, NULL));
  const fcps_result result = {.rollout.reward = -1.25, .rollout.hindsight_reward = NAN},
                    other = {.rollout.reward = -1.5};
  assert_ok(fcps_study_tell(s, 1, &result, &receipt, NULL));
  assert_near(receipt.reward, -1.25, 0);
  assert_status(fcps_study_tell(s, 1, &other, &receipt, NULL), FCPS_ERR_CONFLICT);
  fcps_study_close(s);
}

static void a_policy_comes_from_the_stored_rollouts_alone(void **state)
{
  (void)state;
  fcps_study *s = make_study(test_path, throw_yaml, "bo-fcps");
  for (int i = 0; i < 40; i++)
    throw_once(s);
  fcps_study_close(s);
  s = open_study(test_path);
  fcps_policy *policy = NULL;
  assert_ok(fcps_study_policy(s, &policy, NULL));
  double parameters[2];
  fcps_prediction prediction = {0};
  assert_ok(fcps_policy_query(policy, &target, &wind, parameters, &prediction));
  assert_true(fabs(throw_lands(&wind, parameters) - target) < 0.5);
  fcps_policy_destroy(policy);
  fcps_study_close(s);
}

static void a_policy_that_predicts_nothing_never_has_converged(void **state)
{
  (void)state;
  static const char *const learners[] = {"c-reps", "c-cma-es", "crkr"};
  for (int l = 0; l < 3; l++) {
    fcps_study *s = make_study(NULL, throw_yaml, learners[l]);
    for (int i = 0; i < 35; i++) /* more than ten for each environment and parameter dimension */
      throw_once(s);
    fcps_policy *policy = NULL;
    fcps_outlook outlook;
    assert_ok(fcps_study_policy(s, &policy, NULL));
    assert_ok(fcps_study_outlook(s, policy, &outlook, NULL, NULL, NULL));
    assert_true(isnan(outlook.reward) && isnan(outlook.deviation) && isnan(outlook.reducible_deviation) &&
                isnan(outlook.worst_reward));
    assert_true(isnan(outlook.gain) && outlook.spread > 0);
    assert_false(outlook.is_converged);
    fcps_policy_destroy(policy);
    fcps_study_close(s);
  }
}

static void an_import_adds_each_row_once_or_none(void **state)
{
  (void)state;
  char csv[160];
  snprintf(csv, sizeof csv, "%s/old.csv", test_folder);
  FILE *file = fopen(csv, "w");
  fprintf(file, "note,land,speed,tilt,x,wind,status\nhi,1.5,1,0.5,2,0,ok\nho,,1,0.7,2,0,\nhe,,1,0.7,2,0,failed\n");
  fclose(file);
  fcps_study *s = make_study(test_path, throw_yaml, NULL);
  int added = -1, skipped = -1;
  assert_ok(fcps_study_import(s, csv, &added, &skipped, NULL));
  assert_int_equal(added, 3);
  assert_int_equal(skipped, 0);
  assert_ok(fcps_study_import(s, csv, &added, &skipped, NULL));
  assert_int_equal(added, 0);
  assert_int_equal(skipped, 3);
  fcps_stored_result stored;
  fcps_study_result_at(s, 0, &stored);
  assert_near(stored.result.rollout.reward, -0.5 - 0.05, 1e-14);
  fcps_study_result_at(s, 1, &stored);
  assert_null(stored.result.rollout.outcome);
  fcps_study_result_at(s, 2, &stored);
  assert_int_equal(stored.result.rollout.status, FCPS_ROLLOUT_FAILED);
  throw_once(s);

  file = fopen(csv, "a");
  fprintf(file, "ok,2.5,1,0.5,2,0,ok\nbad,2.5,fast,0.5,2,0,ok\n");
  fclose(file);
  fcps_error error = {0};
  assert_status(fcps_study_import(s, csv, &added, &skipped, &error), FCPS_ERR_FORMAT);
  assert_int_equal(error.line, 6);
  assert_int_equal(fcps_study_result_count(s), 4);
  fcps_study_close(s);
}

/* a table in another order has the same trials; each stored one stands for one row and no more */
static void an_import_in_another_order_adds_only_what_is_new(void **state)
{
  (void)state;
  enum { ROWS = 200 };
  static const char head[] = "x,wind,speed,tilt,land\n";
  char csv[160];
  snprintf(csv, sizeof csv, "%s/order.csv", test_folder);
  fcps_study *s = make_study(test_path, throw_yaml, NULL);
  int added = -1, skipped = -1;
  for (int pass = 0; pass < 2; pass++) {
    FILE *file = fopen(csv, "w");
    fputs(head, file);
    for (int k = 0; k < ROWS; k++) {
      const int i = pass == 0 ? k : k * 77 % ROWS; /* four rows of each place, with other outcomes */
      fprintf(file, "2,%d,1,0.%03d,%d\n", -(i % 2), i % 50, i / 50);
    }
    if (pass == 1) fputs("2,-1,1,0.001,0\n2,-1,1,0.001,9\n2,-1,1,0.001,0\n", file);
    fclose(file);
    assert_ok(fcps_study_import(s, csv, &added, &skipped, NULL));
    assert_int_equal(added, pass == 0 ? ROWS : 3);
    assert_int_equal(skipped, pass == 0 ? 0 : ROWS);
  }
  fcps_study_close(s);
}

static void a_second_run_is_refused_by_name_and_others_are_not(void **state)
{
  (void)state;
  fcps_study *s = make_study(test_path, throw_yaml, NULL);
  assert_ok(fcps_study_hold(s, NULL));
  assert_ok(fcps_study_hold(s, NULL));
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    fcps_study *mine = NULL;
    fcps_error error = {0};
    fcps_ask ask;
    char holder[32];
    snprintf(holder, sizeof holder, "process %ld ", (long)getppid());
    if (fcps_study_open(&mine, test_path, NULL, &error) != FCPS_OK) _exit(1);
    if (fcps_study_hold(mine, &error) != FCPS_ERR_LOCKED) _exit(2);
    if (strstr(error.message, holder) == NULL) _exit(3);
    if (fcps_study_remove(test_path, &error) != FCPS_ERR_LOCKED || access(test_path, F_OK) != 0) _exit(5);
    if (fcps_study_ask(mine, NULL, &target, &wind, &ask, &error) != FCPS_OK) _exit(4);
    fcps_study_close(mine);
    _exit(0);
  }
  int how = -1;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_int_equal(how, 0);
  assert_ok(fcps_study_refresh(s, NULL));
  assert_int_equal(fcps_study_ask_count(s), 1);
  fcps_study_close(s);
  char lock[160];
  snprintf(lock, sizeof lock, "%s-lock", test_path);
  assert_int_not_equal(access(lock, F_OK), 0);
}

static void only_a_study_is_deleted(void **state)
{
  (void)state;
  fcps_error error = {0};
  char other[160];
  snprintf(other, sizeof other, "%s/precious.txt", test_folder);
  FILE *file = fopen(other, "w");
  assert_non_null(file);
  fputs("years of work, and no study", file);
  fclose(file);
  assert_int_equal(fcps_study_remove(other, &error), FCPS_ERR_FORMAT);
  assert_non_null(strstr(error.message, "Nothing was changed"));
  assert_int_equal(access(other, F_OK), 0);

  assert_ok(fcps_study_remove(test_path, &error)); /* none there */
  fcps_study_close(make_study(test_path, throw_yaml, NULL));
  assert_int_equal(truncate(test_path, 2000), 0); /* damaged, but still recognized as a study */
  assert_ok(fcps_study_remove(test_path, &error));
  assert_int_not_equal(access(test_path, F_OK), 0);
  file = fopen(test_path, "w"); /* its making was interrupted */
  assert_non_null(file);
  fclose(file);
  assert_ok(fcps_study_remove(test_path, &error));
  assert_int_not_equal(access(test_path, F_OK), 0);
}

static void space_is_kept_while_a_result_is_expected(void **state)
{
  (void)state;
  char reserve[160];
  struct stat info;
  snprintf(reserve, sizeof reserve, "%s-reserve", test_path);
  fcps_study *s = make_study(test_path, throw_yaml, NULL);
  fcps_ask ask;
  assert_ok(fcps_study_ask(s, NULL, &target, &wind, &ask, NULL));
  fcps_study_close(s);
  assert_int_equal(stat(reserve, &info), 0);
  s = open_study(test_path);
  const fcps_result failed = {.rollout.status = FCPS_ROLLOUT_FAILED, .message = "gripper slipped"};
  assert_ok(fcps_study_tell(s, 1, &failed, NULL, NULL));
  assert_int_not_equal(stat(reserve, &info), 0);
  fcps_study_close(s);
}

static int64_t jumping_clock(void *user)
{
  /* forwards and backwards by an hour, a year, to 1970 */
  static const int64_t steps[] = {1700000000000, 1700003600000, 1699996400000, 1731536000000, 0, -5};
  return steps[(*(unsigned *)user)++ % 6];
}

static void the_order_is_that_of_events_whatever_the_clock_says(void **state)
{
  (void)state;
  unsigned ticks = 0;
  const fcps_study_options options = {.clock_ms = jumping_clock, .clock_user = &ticks};
  const fcps_study_setup setup = {.text = throw_yaml, .learner = "bo-fcps", .seed = 3};
  fcps_study *jumping = NULL, *steady = NULL;
  assert_ok(fcps_study_create(&jumping, test_path, &setup, &options, NULL));
  assert_ok(fcps_study_create(&steady, NULL, &setup, NULL, NULL));
  for (int i = 0; i < 8; i++) {
    throw_once(jumping);
    throw_once(steady);
  }
  for (int i = 0; i < 8; i++) {
    fcps_stored_result a, b;
    fcps_study_result_at(jumping, i, &a);
    fcps_study_result_at(steady, i, &b);
    assert_int_equal(a.sequence, b.sequence);
    assert_memory_equal(a.result.rollout.parameters, b.result.rollout.parameters, 2 * sizeof(double));
  }
  fcps_study_close(jumping);
  fcps_study_close(steady);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_result_survives_closing_and_opening),
      TEST(a_client_gets_its_pending_ask_again),
      TEST(the_same_result_again_is_harmless_and_another_is_kept_as_evidence),
      TEST(another_reason_for_a_failure_is_kept_as_evidence),
      TEST(a_late_result_is_used),
      TEST(numbers_that_are_not_finite_are_stored_flagged_and_harmless),
      TEST(bad_contexts_and_parameters_are_refused_by_name),
      TEST(what_was_executed_and_measured_counts),
      TEST(a_result_that_nobody_asked_for_counts_once),
      TEST(told_rewards_are_kept),
      TEST(a_policy_comes_from_the_stored_rollouts_alone),
      TEST(a_policy_that_predicts_nothing_never_has_converged),
      TEST(an_import_adds_each_row_once_or_none),
      TEST(an_import_in_another_order_adds_only_what_is_new),
      TEST(a_second_run_is_refused_by_name_and_others_are_not),
      TEST(only_a_study_is_deleted),
      TEST(space_is_kept_while_a_result_is_expected),
      TEST(the_order_is_that_of_events_whatever_the_clock_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
