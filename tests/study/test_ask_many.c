/* SPDX-License-Identifier: Apache-2.0 */
/* Several asks in one call: the same as one after the other, stored together or not at all. */
#include "study_fixture.h"

enum { AT_ONCE = 5 };

/* Contexts of asks `first` to `first` + AT_ONCE - 1. */
typedef struct contexts {
  double target[AT_ONCE], environment[AT_ONCE];
} contexts;

static contexts contexts_from(int64_t first)
{
  contexts c;
  for (int i = 0; i < AT_ONCE; i++)
    context_of(first + i, c.target + i, c.environment + i);
  return c;
}

static void ask_at_once(fcps_study *study, const contexts *c, fcps_ask *asks)
{
  fcps_error error = {0};
  const fcps_ask_contexts rows = {AT_ONCE, c->target, c->environment};
  if (fcps_study_ask_many(study, AT_ONCE, &rows, asks, &error) != FCPS_OK) fail_msg("%s", error.message);
}

static void tell(fcps_study *study, int64_t id)
{
  fcps_ask ask;
  fcps_study_ask_at(study, (int)id - 1, &ask);
  const double land = throw_lands(ask.environment, ask.parameters);
  assert_ok(fcps_study_tell(study, id, &(fcps_result){.rollout.outcome = &land}, NULL, NULL));
}

/* in an order of their own, and one of them later */
static void tell_most(fcps_study *study, int64_t first)
{
  static const int order[] = {2, 0, 4, 1};
  for (int i = 0; i < 4; i++)
    tell(study, first + order[i]);
  if (first > AT_ONCE) tell(study, first - AT_ONCE + 3);
}

static void expect_same_asks(const fcps_study *a, const fcps_study *b, const char *learner)
{
  assert_int_equal(fcps_study_ask_count(a), fcps_study_ask_count(b));
  for (int i = 0; i < fcps_study_ask_count(a); i++) {
    fcps_ask x, y;
    fcps_study_ask_at(a, i, &x);
    fcps_study_ask_at(b, i, &y);
    if (x.id != y.id || x.target[0] != y.target[0] || x.environment[0] != y.environment[0] ||
        memcmp(x.parameters, y.parameters, 2 * sizeof(double)) != 0)
      fail_msg("%s: ask %d differs", learner, i + 1);
  }
}

static void many_asks_are_those_of_one_after_the_other(void **state)
{
  (void)state;
  static const char *const names[] = {"outcome", "outcome-active", "bo-fcps", "bo-cps", "c-reps", "random"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    fcps_study *at_once = make_study(NULL, throw_yaml, names[n]), *single = make_study(NULL, throw_yaml, names[n]);
    for (int64_t first = 1; first < 5 * AT_ONCE; first += AT_ONCE) {
      const contexts c = contexts_from(first);
      fcps_ask asks[AT_ONCE], ask;
      ask_at_once(at_once, &c, asks);
      for (int i = 0; i < AT_ONCE; i++) {
        assert_int_equal(asks[i].id, first + i);
        assert_ok(fcps_study_ask(single, NULL, c.target + i, c.environment + i, &ask, NULL));
      }
      tell_most(at_once, first);
      tell_most(single, first);
    }
    expect_same_asks(at_once, single, names[n]);
    fcps_study_close(at_once);
    fcps_study_close(single);
  }
}

static void a_study_opened_for_every_call_asks_the_same(void **state)
{
  (void)state;
  make_folder(NULL);
  fcps_study *steady = make_study(NULL, throw_yaml, "outcome");
  fcps_study_close(make_study(test_path, throw_yaml, "outcome"));
  for (int64_t first = 1; first < 4 * AT_ONCE; first += AT_ONCE) {
    const contexts c = contexts_from(first);
    fcps_ask asks[AT_ONCE];
    ask_at_once(steady, &c, asks);
    tell_most(steady, first);
    fcps_study *resumed = open_study(test_path);
    ask_at_once(resumed, &c, asks);
    fcps_study_close(resumed);
    resumed = open_study(test_path);
    tell_most(resumed, first);
    fcps_study_close(resumed);
  }
  fcps_study *resumed = open_study(test_path);
  expect_same_asks(steady, resumed, "outcome");
  fcps_study_close(resumed);
  fcps_study_close(steady);
  remove_folder(NULL);
}

/* In a well-known context every ask would repeat the best trial; here each must teach something else. */
static void asks_for_one_known_context_differ(void **state)
{
  (void)state;
  fcps_study *study = make_study(NULL, throw_yaml, "outcome"), *single = make_study(NULL, throw_yaml, "outcome");
  for (int i = 0; i < 40; i++) {
    throw_once(study);
    throw_once(single);
  }
  const double target = 2, environment = 0.5;
  fcps_ask asks[AT_ONCE], one;
  assert_ok(fcps_study_ask_many(study, AT_ONCE, &(fcps_ask_contexts){1, &target, &environment}, asks, NULL));
  assert_ok(fcps_study_ask(single, NULL, &target, &environment, &one, NULL));
  assert_memory_equal(one.parameters, asks[0].parameters, 2 * sizeof(double));
  for (int i = 0; i < AT_ONCE; i++)
    for (int j = 0; j < i; j++) {
      const double speed = (asks[i].parameters[0] - asks[j].parameters[0]) / 3.0;
      const double tilt = (asks[i].parameters[1] - asks[j].parameters[1]) / 1.5;
      if (hypot(speed, tilt) < 0.02)
        fail_msg("asks %d and %d differ by %.2g of the range only", i + 1, j + 1, hypot(speed, tilt));
    }
  /* the others are good as well, not random */
  for (int i = 0; i < AT_ONCE; i++)
    assert_true(fabs(throw_lands(&environment, asks[i].parameters) - target) < 0.5);
  fcps_study_close(study);
  fcps_study_close(single);
}

static void one_context_serves_all(void **state)
{
  (void)state;
  fcps_study *study = make_study(NULL, throw_yaml, "outcome");
  const double target = 2, environment = 0.5;
  fcps_ask asks[AT_ONCE];
  assert_ok(fcps_study_ask_many(study, AT_ONCE, &(fcps_ask_contexts){1, &target, &environment}, asks, NULL));
  for (int i = 0; i < AT_ONCE; i++) {
    assert_true(asks[i].target[0] == target && asks[i].environment[0] == environment);
    assert_true(asks[i].state == FCPS_ASK_PENDING && !asks[i].is_repeated);
    for (int j = 0; j < i; j++)
      assert_memory_not_equal(asks[i].parameters, asks[j].parameters, 2 * sizeof(double));
  }
  fcps_study_close(study);
}

/* the last context cannot be asked for: nothing is stored, and the next ask is the first of the study */
static void asks_are_stored_all_or_none(void **state)
{
  (void)state;
  make_folder(NULL);
  fcps_study *study = make_study(test_path, throw_yaml, "outcome"),
             *untouched = make_study(NULL, throw_yaml, "outcome");
  contexts c = contexts_from(1);
  const double last = c.target[AT_ONCE - 1];
  const fcps_ask_contexts rows = {AT_ONCE, c.target, c.environment};
  fcps_ask asks[AT_ONCE];
  fcps_error error = {0};
  c.target[AT_ONCE - 1] = 77;
  assert_status(fcps_study_ask_many(study, AT_ONCE, &rows, asks, &error), FCPS_ERR_BOUNDS);
  assert_string_equal(error.field, "target.x");
  assert_non_null(strstr(error.message, "ask 5 of 5"));
  assert_int_equal(fcps_study_ask_count(study), 0);
  fcps_study *other = open_study(test_path);
  assert_int_equal(fcps_study_ask_count(other), 0);
  fcps_study_close(other);
  c.target[AT_ONCE - 1] = last;
  ask_at_once(study, &c, asks);
  ask_at_once(untouched, &c, asks);
  expect_same_asks(study, untouched, "outcome");
  fcps_study_close(study);
  fcps_study_close(untouched);
  remove_folder(NULL);
}

static void expect_refused(fcps_study *study, int count, const fcps_ask_contexts *rows, const char *field)
{
  fcps_ask asks[AT_ONCE];
  fcps_error error = {0};
  assert_status(fcps_study_ask_many(study, count, rows, asks, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, field);
  assert_int_equal(fcps_study_ask_count(study), 0);
}

static void a_number_of_contexts_that_does_not_fit_is_refused(void **state)
{
  (void)state;
  fcps_study *study = make_study(NULL, throw_yaml, "outcome");
  const contexts c = contexts_from(1);
  expect_refused(study, 3, &(fcps_ask_contexts){2, c.target, c.environment}, "contexts");
  expect_refused(study, 0, &(fcps_ask_contexts){1, c.target, c.environment}, "count");
  expect_refused(study, FCPS_ASKS_MAX + 1, &(fcps_ask_contexts){1, c.target, c.environment}, "count");
  expect_refused(study, 1, &(fcps_ask_contexts){1, NULL, c.environment}, "target");
  expect_refused(study, 1, &(fcps_ask_contexts){1, c.target, NULL}, "environment");
  expect_refused(study, 1, NULL, "contexts");
  fcps_study_close(study);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_asks_are_those_of_one_after_the_other),
      cmocka_unit_test(a_study_opened_for_every_call_asks_the_same),
      cmocka_unit_test(asks_for_one_known_context_differ),
      cmocka_unit_test(one_context_serves_all),
      cmocka_unit_test(asks_are_stored_all_or_none),
      cmocka_unit_test(a_number_of_contexts_that_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
