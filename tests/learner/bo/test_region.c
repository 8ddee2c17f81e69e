/* SPDX-License-Identifier: Apache-2.0 */
/* Asks that alternate: every second one is near parameters that were tried, unless there is a target. */
#include "check.h"
#include "learner/bo/bo_settings.h"

#include <fcps/learner.h>

#include <math.h>
#include <stdlib.h>

enum { TRIALS = 24, PARAMETERS = 4, FIRST = 6 };

static const fcps_dimension context[] = {{.name = "c", .lower = 0, .upper = 1}};
static const fcps_dimension parameters[] = {{.name = "p", .lower = 0, .upper = 1},
                                            {.name = "q", .lower = 0, .upper = 1},
                                            {.name = "r", .lower = 0, .upper = 1},
                                            {.name = "s", .lower = 0, .upper = 1}};
static const fcps_dimension outcome[] = {{.name = "o"}};

static fcps_status score(void *user, int count, const double *target, const double *environments, const double *p,
                         const double *o, const bool *present, double *rewards)
{
  (void)user, (void)target, (void)environments, (void)p;
  for (int i = 0; i < count; i++)
    rewards[i] = present[i] ? o[i] : NAN;
  return FCPS_OK;
}

/* The asks of a run, as rows. The context is a target or an environment. */
static void run(bool has_target, const char *use, double *asks)
{
  const fcps_space one = {1, context}, none = {0, NULL};
  const fcps_problem problem = {.target = has_target ? one : none,
                                .environment = has_target ? none : one,
                                .parameters = {PARAMETERS, parameters},
                                .outcome = {1, outcome},
                                .reward = score};
  const fcps_setting settings[] = {{"trust_region", use}, {NULL, NULL}};
  fcps_learner *learner = NULL;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome", settings, 1, NULL));
  for (int i = 0; i < TRIALS; i++) {
    const double c = fmod(0.37 * i, 1.0);
    double *p = asks + i * PARAMETERS, o = 0.0;
    int64_t id;
    assert_ok(fcps_learner_ask(learner, &c, &c, p, &id));
    assert_int_equal(id, i + 1);
    for (int d = 0; d < PARAMETERS; d++)
      o += sin(7.0 * p[d] + c + d);
    const fcps_rollout rollout = {.target = &c, .environment = &c, .parameters = p, .outcome = &o};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  fcps_learner_destroy(learner);
}

/* How far an ask is from the nearest earlier one, along the dimension in which they differ most. */
static double way(const double *asks, int ask)
{
  double nearest = INFINITY;
  for (int i = 0; i < ask; i++) {
    double most = 0.0;
    for (int d = 0; d < PARAMETERS; d++)
      most = fmax(most, fabs(asks[ask * PARAMETERS + d] - asks[i * PARAMETERS + d]));
    nearest = fmin(nearest, most);
  }
  return nearest;
}

static void every_other_ask_stays_near_what_was_tried(void **state)
{
  (void)state;
  double asks[TRIALS * PARAMETERS];
  int far = 0;
  run(false, "auto", asks);
  for (int i = FIRST; i < TRIALS; i++) {
    const bool is_far = way(asks, i) > 0.5 * FCPS_REGION_SIDE + 1e-9;
    if ((i + 1) % 2 == 0 && is_far) fail_msg("ask %d is %g away", i + 1, way(asks, i));
    far += is_far;
  }
  assert_true(far > 0);
}

static void asks_for_targets_go_anywhere(void **state)
{
  (void)state;
  double turns[TRIALS * PARAMETERS], anywhere[TRIALS * PARAMETERS];
  run(true, "auto", turns);
  run(true, "off", anywhere);
  assert_memory_equal(turns, anywhere, sizeof turns);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_other_ask_stays_near_what_was_tried),
      cmocka_unit_test(asks_for_targets_go_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
