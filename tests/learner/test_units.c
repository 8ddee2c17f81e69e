/* SPDX-License-Identifier: Apache-2.0 */
/* Units are free: in whatever unit an outcome, the reward, a parameter or a context is given, asks and policy are the
 * same up to rounding. */
#include "check.h"

#include <fcps/learner.h>

#include <stdio.h>
#include <string.h>

/* A ball that is thrown to a mark, against a wind; what is felt is measured too. Each quantity is in a unit of its
 * own. */
typedef struct units {
  double land, force; /* outcomes */
  double speed;       /* a parameter */
  double wind;        /* an environment */
  double reward;
} units;

static const units plain = {1, 1, 1, 1, 1};

/* The form of the reward: a distance, which has a closed form; or a formula with both outcomes. */
typedef struct world {
  units in;
  bool is_distance;
} world;

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)environments, (void)parameters;
  const world *w = user;
  for (int i = 0; i < count; i++) {
    const double miss = fabs(target[0] - outcomes[2 * i] / w->in.land), force = outcomes[2 * i + 1] / w->in.force;
    rewards[i] = present[i] ? w->in.reward * (w->is_distance ? -miss : -miss - 0.1 * force) : NAN;
  }
  return FCPS_OK;
}

static fcps_status achieved(void *user, int count, const double *environments, const double *outcomes, double *targets)
{
  (void)environments;
  const world *w = user;
  for (int i = 0; i < count; i++)
    targets[i] = outcomes[2 * i] / w->in.land;
  return FCPS_OK;
}

static void throw_ball(const world *w, double wind, const double *parameters, double *outcome)
{
  const double tilt = parameters[0], speed = parameters[1] / w->in.speed;
  outcome[0] = w->in.land * (2.0 * speed * tilt * (2.0 - tilt) - 1.0 + 0.2 * wind / w->in.wind);
  outcome[1] = w->in.force * speed * speed;
}

enum { TRIALS = 14, ASKED = 2 * TRIALS };

/* Learns for some trials: what was asked, in the plain units. */
static void practise(const char *learner_name, world *w, double *asked)
{
  const fcps_dimension mark = {.name = "mark", .lower = -1, .upper = 1};
  const fcps_dimension air = {.name = "wind", .lower = -w->in.wind, .upper = w->in.wind};
  const fcps_dimension motions[] = {{.name = "tilt", .lower = 0, .upper = 1},
                                    {.name = "speed", .lower = 0, .upper = w->in.speed}};
  static const fcps_dimension seen[] = {{.name = "land"}, {.name = "force"}};
  const fcps_problem problem = {.target = {1, &mark},
                                .environment = {1, &air},
                                .parameters = {2, motions},
                                .outcome = {2, seen},
                                .reward = reward,
                                .achieved = achieved,
                                .is_distance = w->is_distance && w->in.reward == 1,
                                .user = w};
  fcps_learner *learner = NULL;
  double outcome[2];
  assert_ok(fcps_learner_create(&learner, &problem, learner_name, NULL, 1000, NULL));
  for (int i = 0; i < TRIALS; i++) {
    double target = 2.0 * fmod(0.37 + 0.618034 * i, 1.0) - 1.0;
    double wind = w->in.wind * (2.0 * fmod(0.11 + 0.754878 * i, 1.0) - 1.0);
    double *parameters = asked + 2 * i;
    int64_t id;
    if (strcmp(learner_name, "outcome-active") == 0)
      assert_ok(fcps_learner_choose(learner, NULL, &target, &wind, parameters, &id));
    else
      assert_ok(fcps_learner_ask(learner, &target, &wind, parameters, &id));
    throw_ball(w, wind, parameters, outcome);
    const fcps_rollout rollout = {
        .target = &target, .environment = &wind, .parameters = parameters, .outcome = outcome, .reward = NAN};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
    parameters[1] /= w->in.speed;
  }
  fcps_learner_destroy(learner);
}

/* Rounding errors grow through fits and searches. A unit that had an effect would move asks by tenths. */
static const double tolerance = 0.02;

static void check_units(const char *learner, const double *usual, bool is_distance, const char *what, units in)
{
  double asked[ASKED];
  practise(learner, &(world){in, is_distance}, asked);
  for (int i = 0; i < ASKED; i++)
    if (!(fabs(asked[i] - usual[i]) <= tolerance))
      fail_msg("%s, %s: ask %d is %g, not %g", learner, what, i / 2 + 1, asked[i], usual[i]);
}

static const char *const learners[] = {"outcome", "outcome-active", "bo-fcps", "bo-cps"};
enum { LEARNERS = (int)(sizeof learners / sizeof *learners) };

static void check_powers(const char *what, size_t offset, bool is_distance, int step)
{
  for (int l = 0; l < LEARNERS; l++) {
    double usual[ASKED];
    practise(learners[l], &(world){plain, is_distance}, usual);
    for (int k = -6; k <= 6; k += step) {
      units in = plain;
      char text[64];
      *(double *)((char *)&in + offset) = pow(10.0, k);
      snprintf(text, sizeof text, "%s in 1e%d", what, k);
      if (k != 0) check_units(learners[l], usual, is_distance, text, in);
    }
  }
}

static void the_unit_of_an_outcome_does_not_matter(void **state)
{
  (void)state;
  check_powers("land, a distance", offsetof(units, land), true, 4);
  check_powers("force, a distance", offsetof(units, force), true, 12);
  check_powers("land", offsetof(units, land), false, 3);
  check_powers("force", offsetof(units, force), false, 4);
}

static void the_unit_of_the_reward_does_not_matter(void **state)
{
  (void)state;
  check_powers("reward", offsetof(units, reward), false, 4);
}

static void the_units_of_parameters_and_environments_do_not_matter(void **state)
{
  (void)state;
  check_powers("speed", offsetof(units, speed), false, 6);
  check_powers("wind", offsetof(units, wind), true, 6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_unit_of_an_outcome_does_not_matter),
      cmocka_unit_test(the_unit_of_the_reward_does_not_matter),
      cmocka_unit_test(the_units_of_parameters_and_environments_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
