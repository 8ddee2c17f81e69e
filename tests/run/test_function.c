/* SPDX-License-Identifier: Apache-2.0 */
/* Trials by a function of the caller: the same asks as by hand, and no loss if the function fails. */
#include "check.h"
#include "throwing.h"

#include <fcps/run.h>

#include <string.h>

enum { EPISODES = 8 };

typedef struct robot {
  fcps_study *study;
  double land, parameters[EPISODES][2], contexts[EPISODES][2];
  int trials;
  int fails_at; /* the trial, counted from 1; 0: none */
  fcps_status inside;
} robot;

static fcps_status throw(void *user, int64_t episode, const fcps_ask *ask, fcps_result *result)
{
  robot *r = user;
  if (++r->trials == r->fails_at) return FCPS_ERR_PROGRAM;
  r->inside = fcps_study_forget(r->study, ask->id, NULL);
  assert_int_equal(fcps_study_ask_count(r->study), episode + 1); /* it may be read */
  memcpy(r->parameters[episode], ask->parameters, sizeof r->parameters[0]);
  r->contexts[episode][0] = *ask->target;
  r->contexts[episode][1] = *ask->environment;
  r->land = throwing_land(*ask->environment, ask->parameters);
  result->rollout.outcome = &r->land;
  return FCPS_OK;
}

static fcps_study *new_study(void)
{
  fcps_study *study = NULL;
  const fcps_study_setup setup = {.problem = &throwing, .learner = "bo-fcps", .seed = 1001};
  assert_ok(fcps_study_create(&study, NULL, &setup, NULL, NULL));
  return study;
}

static void context(void *user, int64_t episode, double *target, double *environment)
{
  (void)user;
  throwing_context((int)episode, target, environment);
}

static void the_asks_are_those_of_asking_by_hand(void **state)
{
  (void)state;
  robot r = {.study = new_study()};
  fcps_learner *learner = NULL;
  const fcps_run_options options = {.episodes = EPISODES, .context = context, .user = &r};
  assert_ok(fcps_run_function(r.study, throw, &r, &options, NULL));
  assert_int_equal(r.trials, EPISODES);
  assert_int_equal(r.inside, FCPS_ERR_BUSY);
  assert_ok(fcps_learner_create(&learner, &throwing, "bo-fcps", NULL, 1001, NULL));
  for (int i = 0; i < EPISODES; i++) {
    double parameters[2];
    assert_ok(throwing_episode(learner, i, parameters));
    assert_memory_equal(parameters, r.parameters[i], sizeof parameters);
  }
  fcps_learner_destroy(learner);
  fcps_study_close(r.study);
}

static void without_a_rule_contexts_are_uniform_and_depend_on_the_seed_alone(void **state)
{
  (void)state;
  robot first = {.study = new_study()}, second = {.study = new_study()};
  const fcps_run_options options = {.episodes = EPISODES}, half = {.episodes = EPISODES / 2};
  assert_ok(fcps_run_function(first.study, throw, &first, &options, NULL));
  assert_ok(fcps_run_function(second.study, throw, &second, &half, NULL));
  assert_ok(fcps_run_function(second.study, throw, &second, &options, NULL));
  assert_memory_equal(first.contexts, second.contexts, sizeof first.contexts);
  assert_memory_equal(first.parameters, second.parameters, sizeof first.parameters);
  double low = 1, high = -1;
  for (int i = 0; i < EPISODES; i++) {
    assert_true(fabs(first.contexts[i][0]) <= 1 && fabs(first.contexts[i][1]) <= 0.2);
    low = fmin(low, first.contexts[i][0]);
    high = fmax(high, first.contexts[i][0]);
  }
  assert_true(high - low > 0.5);
  fcps_study_close(first.study);
  fcps_study_close(second.study);
}

static void a_function_that_fails_ends_the_run_and_its_ask_is_first_in_the_next(void **state)
{
  (void)state;
  robot whole = {.study = new_study()}, broken = {.study = new_study(), .fails_at = 5};
  fcps_error error = {0};
  const fcps_run_options options = {.episodes = EPISODES};
  assert_ok(fcps_run_function(whole.study, throw, &whole, &options, NULL));
  assert_status(fcps_run_function(broken.study, throw, &broken, &options, &error), FCPS_ERR_CALLBACK);
  assert_string_equal(error.field, "trial");
  assert_int_equal(broken.trials, 5);
  assert_int_equal(fcps_study_result_count(broken.study), 4);
  assert_ok(fcps_run_function(broken.study, throw, &broken, &options, NULL));
  assert_int_equal(broken.trials, EPISODES + 1);
  assert_memory_equal(whole.parameters, broken.parameters, sizeof whole.parameters);
  fcps_study_close(whole.study);
  fcps_study_close(broken.study);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_asks_are_those_of_asking_by_hand),
      cmocka_unit_test(without_a_rule_contexts_are_uniform_and_depend_on_the_seed_alone),
      cmocka_unit_test(a_function_that_fails_ends_the_run_and_its_ask_is_first_in_the_next),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
