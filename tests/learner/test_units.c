/* SPDX-License-Identifier: Apache-2.0 */
/* Learning does not depend on the units of outcomes and rewards; where outcomes differ too much for one scale, that is
 * said. */
#include "check.h"

#include <fcps/learner.h>

#include <string.h>

/* Throws to a mark, in metres of `x`; `force` is felt, in units of its own. */
typedef struct world {
  double x, force;
} world;

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)parameters;
  for (int i = 0; i < count; i++)
    rewards[i] = present[i] ? -fabs(target[0] - outcomes[2 * i]) : NAN;
  return FCPS_OK;
}

static fcps_status achieved(void *user, int count, const double *environments, const double *outcomes, double *targets)
{
  (void)user, (void)environments;
  for (int i = 0; i < count; i++)
    targets[i] = outcomes[2 * i];
  return FCPS_OK;
}

static void throw_ball(const world *w, const double *parameters, double *outcome)
{
  outcome[0] = w->x * (2.0 * parameters[1] * parameters[0] * (2.0 - parameters[0]) - 1.0);
  outcome[1] = w->force * parameters[1] * parameters[1];
}

/* Codes of what was said. */
static void note(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)level, (void)message;
  if (strcmp(code, "W_OUTCOME_SCALES") == 0) ++*(int *)user;
}

/* How far the learnt throws miss, in units; *warnings counts what was said of scales. */
static double miss_of(const char *learner_name, const world *w, const fcps_setting *settings, int *warnings)
{
  const fcps_dimension mark = {.name = "mark", .lower = -w->x, .upper = w->x};
  static const fcps_dimension motions[] = {{.name = "tilt", .lower = 0, .upper = 1},
                                           {.name = "speed", .lower = 0, .upper = 1}};
  static const fcps_dimension seen[] = {{.name = "land"}, {.name = "force"}};
  const fcps_problem problem = {.target = {1, &mark},
                                .parameters = {2, motions},
                                .outcome = {2, seen},
                                .reward = reward,
                                .achieved = achieved,
                                .is_distance = true};
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL;
  double parameters[2], outcome[2], sum = 0;
  *warnings = 0;
  assert_ok(fcps_learner_create(&learner, &problem, learner_name, settings, 1, NULL));
  fcps_learner_set_log(learner, (fcps_log){.write = note, .user = warnings});
  for (int i = 0; i < 25; i++) {
    const double target = w->x * (2.0 * fmod(0.37 + 0.618034 * i, 1.0) - 1.0);
    int64_t id;
    assert_ok(fcps_learner_ask(learner, &target, NULL, parameters, &id));
    throw_ball(w, parameters, outcome);
    const fcps_rollout rollout = {.target = &target, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  for (int i = 0; i < 20; i++) {
    const double target = w->x * (0.1 * i - 0.95);
    assert_ok(fcps_policy_query(policy, &target, NULL, parameters, NULL));
    throw_ball(w, parameters, outcome);
    sum += fabs(outcome[0] - target) / w->x / 20;
  }
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
  return sum;
}

static void lengths_may_be_given_in_metres_or_micrometres(void **state)
{
  (void)state;
  static const char *const learners[] = {"outcome", "bo-fcps"};
  for (int l = 0; l < 2; l++) {
    int warnings;
    const double usual = miss_of(learners[l], &(world){1, 1}, NULL, &warnings);
    assert_true(usual < 0.1);
    for (double x = 1e6; x > 1e-10; x *= 1e-3) {
      const double miss = miss_of(learners[l], &(world){x, x}, NULL, &warnings);
      if (!(miss < 1.2 * usual + 0.0003)) fail_msg("%s, unit %g: misses by %g, not %g", learners[l], x, miss, usual);
    }
  }
}

static void outcomes_too_different_for_one_scale_are_told(void **state)
{
  (void)state;
  const fcps_setting separate[] = {{"separate", "on"}, {NULL, NULL}};
  const world even = {1, 5}, uneven = {1, 1e4};
  int warnings;
  const double usual = miss_of("outcome", &even, NULL, &warnings);
  assert_int_equal(warnings, 0);
  assert_true(miss_of("outcome", &uneven, NULL, &warnings) > 3 * usual);
  assert_true(warnings > 0);
  assert_true(miss_of("outcome", &uneven, separate, &warnings) < 2 * usual + 0.002); /* the remedy that is named */
  assert_int_equal(warnings, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_may_be_given_in_metres_or_micrometres),
      cmocka_unit_test(outcomes_too_different_for_one_scale_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
