/* SPDX-License-Identifier: Apache-2.0 */
/* A transaction is short: nothing is fitted and no function of the user is called while one is open, so another handle
 * can store a result at any of these moments. An ask that others interrupt is what it would have been had they waited,
 * or had they been first; and a study that is resumed after it goes on like one that never stopped.
 *
 * The other handle acts in the callbacks of the first one, and waits for nobody.
 */
#include "study_fixture.h"

#include "toy.h"

static fcps_study *self, *other; /* two handles on one study */
static void (*intrude)(void);    /* the action of the other handle at the next call of the reward, as soon as it is
                                    armed */
static bool is_armed, is_inside; /* a writing transaction of the first handle arms it again */
static int intrusions, most;     /* how often it did, and may */
static fcps_status intrusion_statuses; /* the worst status of these actions */

static void intrude_now(void)
{
  if (intrude == NULL || !is_armed || is_inside || intrusions == most) return;
  is_armed = false;
  is_inside = true;
  intrude();
  is_inside = false;
  intrusions++;
}

static void note_status(fcps_status status)
{
  if (status > intrusion_statuses) intrusion_statuses = status;
}

static fcps_status intruded_reward(void *user, int count, const double *target, const double *environments,
                                   const double *parameters, const double *outcomes, const bool *present,
                                   double *rewards)
{
  intrude_now();
  return toy_reward(user, count, target, environments, parameters, outcomes, present, rewards);
}

/* is called at the start of each writing transaction */
static int64_t arming_clock(void *user)
{
  (void)user;
  if (!is_inside) is_armed = true;
  return 0;
}

static fcps_problem problem;
static const fcps_study_options impatient = {.problem = &problem, .is_relaxed = true, .wait_ms = 1},
                                arming = {
                                    .problem = &problem, .is_relaxed = true, .wait_ms = 1, .clock_ms = arming_clock};

static fcps_study *make_toy(const char *path, const char *learner)
{
  fcps_study *study = NULL;
  const fcps_study_setup setup = {.problem = &problem, .learner = learner, .seed = 3};
  assert_ok(fcps_study_create(&study, path, &setup, &arming, NULL));
  return study;
}

static void open_handle(fcps_study **study, const fcps_study_options *options)
{
  assert_ok(fcps_study_open(study, test_path, options, NULL));
}

static void toy_context(int64_t number, double *target, double *environment)
{
  target[0] = 2.0 * fmod(0.618033988749895 * (double)number, 1.0) - 1.0;
  target[1] = 2.0 * fmod(0.754877666246693 * (double)number, 1.0) - 1.0;
  environment[0] = 0.6 * fmod(0.569840290998053 * (double)number, 1.0) - 0.3;
}

static fcps_status toy_ask(fcps_study *study, int64_t number, const char *client, fcps_ask *ask)
{
  double target[2], environment;
  toy_context(number, target, &environment);
  return fcps_study_ask(study, client, target, &environment, ask, NULL);
}

static fcps_status toy_tell(fcps_study *study, int64_t id)
{
  fcps_ask ask = {0};
  for (int i = 0; i < fcps_study_ask_count(study); i++) {
    fcps_study_ask_at(study, i, &ask);
    if (ask.id == id) break;
  }
  double outcome[2];
  toy_throw(ask.environment, ask.parameters, outcome);
  const fcps_result result = {.rollout.outcome = outcome};
  return fcps_study_tell(study, id, &result, NULL, NULL);
}

/* asks and tells, `count` times */
static void go_on(fcps_study *study, int count)
{
  for (int i = 0; i < count; i++) {
    fcps_ask ask;
    assert_ok(toy_ask(study, fcps_study_ask_count(study) + 1, NULL, &ask));
    assert_ok(toy_tell(study, ask.id));
  }
}

static void expect_same_asks(const fcps_study *a, const fcps_study *b, const char *what)
{
  assert_int_equal(fcps_study_ask_count(a), fcps_study_ask_count(b));
  for (int i = 0; i < fcps_study_ask_count(a); i++) {
    fcps_ask x, y;
    fcps_study_ask_at(a, i, &x);
    fcps_study_ask_at(b, i, &y);
    if (x.id != y.id || memcmp(x.parameters, y.parameters, 2 * sizeof(double)) != 0)
      fail_msg("%s: ask %d differs", what, i + 1);
  }
}

enum { BEFORE = 9 };

/* A study with BEFORE finished asks and one pending, open in both handles. */
static void begin_with(const char *learner)
{
  intrude = NULL;
  make_folder(NULL);
  problem = toy_problem();
  problem.reward = intruded_reward;
  fcps_ask ask;
  self = make_toy(test_path, learner);
  go_on(self, BEFORE);
  assert_ok(toy_ask(self, BEFORE + 1, "robot-2", &ask));
  fcps_study_close(self);
  open_handle(&self, &arming);
  open_handle(&other, &impatient);
  is_armed = true;
  intrusions = 0;
  most = 1;
  intrusion_statuses = FCPS_OK;
}

static void finish(void)
{
  intrude = NULL;
  fcps_study_close(self);
  fcps_study_close(other);
  remove_folder(NULL);
}

/* The same study, made by one handle in memory up to where the others begin. */
static fcps_study *make_reference(const char *learner)
{
  fcps_ask ask;
  fcps_study *reference = make_toy(NULL, learner);
  go_on(reference, BEFORE);
  assert_ok(toy_ask(reference, BEFORE + 1, "robot-2", &ask));
  return reference;
}

/* -- What the other one does -- */

static void tell_pending(void)
{
  assert_ok(fcps_study_refresh(other, NULL));
  note_status(toy_tell(other, BEFORE + 1));
}

static void ask_too(void)
{
  fcps_ask ask;
  fcps_study_refresh(other, NULL);
  note_status(toy_ask(other, fcps_study_ask_count(other) + 1, NULL, &ask));
}

static void ask_as_robot_1(void)
{
  fcps_ask ask;
  note_status(toy_ask(other, 77, "robot-1", &ask));
}

static void drop_first(void)
{
  fcps_stored_result first;
  fcps_study_result_at(other, 0, &first);
  note_status(fcps_study_use_result(other, first.sequence, false, NULL));
}

static void note_something(void)
{
  note_status(fcps_study_note(other, "REMARK", "it rains", NULL));
}

/* -- Tests -- */

static void a_result_is_stored_while_a_policy_is_fitted(void **state)
{
  (void)state;
  begin_with("bo-fcps");
  intrude = tell_pending;
  fcps_policy *policy = NULL;
  assert_ok(fcps_study_policy(self, &policy, NULL));
  assert_int_equal(intrusions, 1);
  assert_int_equal(intrusion_statuses, FCPS_OK);
  fcps_policy_destroy(policy);
  finish();
}

static void a_result_is_stored_while_another_asks(void **state)
{
  (void)state;
  int count = 0;
  for (const fcps_learner_info *info; (info = fcps_learner_info_at(count)) != NULL; count++) {
    fcps_ask ask;
    begin_with(info->name);
    fcps_study *reference = make_reference(info->name);
    intrude = tell_pending;
    assert_ok(toy_ask(self, BEFORE + 2, "robot-1", &ask));
    intrude = NULL;
    assert_int_equal(intrusions, 1);
    assert_int_equal(intrusion_statuses, FCPS_OK);
    /* the learner heard of the result after its ask */
    assert_ok(toy_ask(reference, BEFORE + 2, "robot-1", &ask));
    assert_ok(toy_tell(reference, BEFORE + 1));
    go_on(self, 3);
    go_on(reference, 3);
    expect_same_asks(self, reference, info->name);
    fcps_study_close(reference);
    finish();
  }
}

static void a_study_resumed_after_such_an_ask_goes_on_like_one_that_never_stopped(void **state)
{
  (void)state;
  for (int i = 0; fcps_learner_info_at(i) != NULL; i++) {
    const char *learner = fcps_learner_info_at(i)->name;
    fcps_study *steady = NULL;
    char steady_path[sizeof test_path], steady_folder[sizeof test_folder];
    for (int is_resumed = 0; is_resumed < 2; is_resumed++) {
      fcps_ask ask;
      begin_with(learner);
      intrude = tell_pending;
      assert_ok(toy_ask(self, BEFORE + 2, "robot-1", &ask));
      intrude = NULL;
      assert_int_equal(intrusions, 1);
      for (int step = 0; step < 4; step++) {
        if (is_resumed) {
          fcps_study_close(self);
          open_handle(&self, &arming);
        }
        go_on(self, 1);
      }
      if (is_resumed) break;
      steady = self;
      strcpy(steady_path, test_path);
      strcpy(steady_folder, test_folder);
      fcps_study_close(other);
    }
    expect_same_asks(self, steady, learner);
    fcps_study_close(steady);
    finish();
    strcpy(test_path, steady_path);
    strcpy(test_folder, steady_folder);
    remove_folder(NULL);
  }
}

/* The ask of `self` while the other handle acts, and the ask that it gets if the other has acted before. */
static void expect_as_if_second(void (*act)(void), int races, int expected, void (*act_first)(fcps_study *study))
{
  fcps_ask ask;
  begin_with("bo-fcps");
  fcps_study *reference = make_reference("bo-fcps");
  intrude = act;
  most = races;
  assert_ok(toy_ask(self, BEFORE + 50, "robot-1", &ask));
  assert_false(ask.is_repeated);
  intrude = NULL;
  assert_int_equal(intrusions, races);
  for (int i = 0; i < expected; i++)
    act_first(reference);
  assert_ok(toy_ask(reference, BEFORE + 50, "robot-1", &ask));
  go_on(self, 3);
  go_on(reference, 3);
  expect_same_asks(self, reference, "second");
  fcps_study_close(reference);
  finish();
}

static void ask_in_reference(fcps_study *study)
{
  fcps_ask ask;
  assert_ok(toy_ask(study, fcps_study_ask_count(study) + 1, NULL, &ask));
}

static void drop_in_reference(fcps_study *study)
{
  fcps_stored_result first;
  fcps_study_result_at(study, 0, &first);
  assert_ok(fcps_study_use_result(study, first.sequence, false, NULL));
}

static void note_in_reference(fcps_study *study)
{
  assert_ok(fcps_study_note(study, "REMARK", "it rains", NULL));
}

static void who_asks_second_gets_the_ask_that_follows_the_first(void **state)
{
  (void)state;
  expect_as_if_second(ask_too, 1, 1, ask_in_reference);
  assert_int_equal(intrusion_statuses, FCPS_OK);
  expect_as_if_second(ask_too, 2, 2, ask_in_reference);
  assert_int_equal(intrusion_statuses, FCPS_OK);
}

static void who_was_second_twice_locks_the_study_and_gets_its_ask(void **state)
{
  (void)state;
  expect_as_if_second(ask_too, 3, 2, ask_in_reference);
  assert_int_equal(intrusion_statuses, FCPS_ERR_LOCKED);
}

static void a_result_taken_out_meanwhile_is_not_asked_with(void **state)
{
  (void)state;
  expect_as_if_second(drop_first, 1, 1, drop_in_reference);
  assert_int_equal(intrusion_statuses, FCPS_OK);
}

static void a_note_meanwhile_changes_nothing(void **state)
{
  (void)state;
  expect_as_if_second(note_something, 1, 1, note_in_reference);
  assert_int_equal(intrusion_statuses, FCPS_OK);
}

/* the state of an ask must not end where a reset is: it would be void */
static void a_result_stored_during_the_first_ask_after_a_reset_is_not_lost(void **state)
{
  (void)state;
  fcps_ask ask;
  begin_with("bo-fcps");
  fcps_study *reference = make_reference("bo-fcps");
  drop_in_reference(self);
  drop_in_reference(reference);
  is_armed = true;
  intrude = tell_pending;
  assert_ok(toy_ask(self, BEFORE + 2, "robot-1", &ask));
  intrude = NULL;
  assert_int_equal(intrusions, 1);
  assert_int_equal(intrusion_statuses, FCPS_OK);
  assert_ok(toy_tell(reference, BEFORE + 1));
  assert_ok(toy_ask(reference, BEFORE + 2, "robot-1", &ask));
  fcps_study_close(self);
  open_handle(&self, &arming);
  go_on(self, 3);
  go_on(reference, 3);
  expect_same_asks(self, reference, "after a reset");
  fcps_study_close(reference);
  finish();
}

static void an_ask_has_space_for_its_result_also_where_another_result_came_meanwhile(void **state)
{
  (void)state;
  fcps_ask ask;
  char reserve[sizeof test_path + 16];
  begin_with("random");
  const fcps_study_options durable = {.problem = &problem, .wait_ms = 1};
  fcps_study_close(self);
  fcps_study_close(other);
  open_handle(&self, &durable);
  open_handle(&other, &durable);
  intrude = tell_pending; /* the last unfinished ask: its space is given back */
  assert_ok(toy_ask(self, BEFORE + 2, "robot-1", &ask));
  assert_int_equal(intrusions, 1);
  assert_int_equal(intrusion_statuses, FCPS_OK);
  snprintf(reserve, sizeof reserve, "%s-reserve", test_path);
  assert_int_equal(access(reserve, F_OK), 0);
  finish();
}

static void a_client_that_asked_elsewhere_meanwhile_gets_that_ask(void **state)
{
  (void)state;
  fcps_ask ask;
  begin_with("bo-fcps");
  intrude = ask_as_robot_1;
  assert_ok(toy_ask(self, BEFORE + 2, "robot-1", &ask));
  assert_int_equal(intrusions, 1);
  assert_int_equal(intrusion_statuses, FCPS_OK);
  assert_true(ask.is_repeated);
  assert_int_equal(ask.id, BEFORE + 2);
  assert_int_equal(fcps_study_ask_count(self), BEFORE + 2);
  finish();
}

static void a_result_is_stored_while_a_tell_is_scored(void **state)
{
  (void)state;
  fcps_ask ask;
  begin_with("bo-fcps");
  assert_ok(toy_ask(self, BEFORE + 2, "robot-1", &ask));
  intrude = tell_pending;
  is_armed = true;
  assert_ok(toy_tell(self, ask.id));
  assert_int_equal(intrusions, 1);
  assert_int_equal(intrusion_statuses, FCPS_OK);
  finish();
}

static int64_t intruding_clock(void *user)
{
  (void)user;
  intrude_now();
  return 0;
}

static void a_result_is_stored_while_the_clock_is_read(void **state)
{
  (void)state;
  begin_with("random");
  const fcps_study_options slow_clock = {
      .problem = &problem, .is_relaxed = true, .wait_ms = 1, .clock_ms = intruding_clock};
  fcps_study_close(self);
  open_handle(&self, &slow_clock);
  intrude = tell_pending;
  assert_ok(fcps_study_note(self, "REMARK", "it rains", NULL));
  assert_int_equal(intrusions, 1);
  assert_int_equal(intrusion_statuses, FCPS_OK);
  finish();
}

static fcps_status intruding_make(const char *origin, void **owner, const fcps_problem **made, fcps_error *error)
{
  (void)origin;
  (void)error;
  intrude_now();
  *owner = &problem;
  *made = &problem;
  return FCPS_OK;
}

static void keep_owner(void *owner)
{
  (void)owner;
}

static void note_beside(void)
{
  note_status(fcps_study_note(other, "REMARK", "it rains", NULL));
}

static void a_result_is_stored_while_a_study_is_opened(void **state)
{
  (void)state;
  static const fcps_study_maker maker = {.make = intruding_make, .destroy = keep_owner};
  const fcps_study_options making = {.maker = &maker, .is_relaxed = true, .wait_ms = 1};
  const fcps_study_setup setup = {.origin = "toy", .learner = "random", .seed = 3};
  make_folder(NULL);
  problem = toy_problem();
  intrude = NULL;
  assert_ok(fcps_study_create(&other, test_path, &setup, &making, NULL));
  intrude = note_beside;
  intrusions = 0;
  most = 1;
  is_armed = true;
  intrusion_statuses = FCPS_OK;
  open_handle(&self, &making);
  assert_int_equal(intrusions, 1);
  assert_int_equal(intrusion_statuses, FCPS_OK);
  assert_non_null(fcps_study_event_at(self, 0));
  finish();
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_result_is_stored_while_a_policy_is_fitted),
      TEST(a_result_is_stored_while_another_asks),
      TEST(a_study_resumed_after_such_an_ask_goes_on_like_one_that_never_stopped),
      TEST(who_asks_second_gets_the_ask_that_follows_the_first),
      TEST(who_was_second_twice_locks_the_study_and_gets_its_ask),
      TEST(a_result_taken_out_meanwhile_is_not_asked_with),
      TEST(a_note_meanwhile_changes_nothing),
      TEST(a_result_stored_during_the_first_ask_after_a_reset_is_not_lost),
      TEST(an_ask_has_space_for_its_result_also_where_another_result_came_meanwhile),
      TEST(a_client_that_asked_elsewhere_meanwhile_gets_that_ask),
      TEST(a_result_is_stored_while_a_tell_is_scored),
      TEST(a_result_is_stored_while_the_clock_is_read),
      TEST(a_result_is_stored_while_a_study_is_opened),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
