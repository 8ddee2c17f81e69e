/* SPDX-License-Identifier: Apache-2.0 */
/* If gradients are differences, a function of the user is called for many points at once: the same bits as point by
 * point, with fewer calls. */
#include "reward/expected_reward.h"

#include "check.h"

enum { OUTCOMES = 2, PARAMETERS = 2, POINTS = 7 };

typedef struct counter {
  int calls, fails_at; /* 0: never */
} counter;

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  counter *c = user;
  (void)environments, (void)present;
  if (++c->calls == c->fails_at) return FCPS_ERR_CALLBACK;
  for (int i = 0; i < count; i++)
    rewards[i] =
        -hypot(outcomes[2 * i] - target[0], outcomes[2 * i + 1]) - 0.01 * parameters[2 * i + 1] * parameters[2 * i + 1];
  return FCPS_OK;
}

static const fcps_dimension targets[] = {{.name = "x", .lower = -9, .upper = 9}};
static const fcps_dimension parameters[] = {{.name = "turn", .lower = 0, .upper = 6},
                                            {.name = "speed", .lower = 0.5, .upper = 5, .scale = FCPS_SCALE_LOG}};
static const fcps_dimension outcomes[] = {{.name = "a"}, {.name = "b", .lower = -1, .upper = 1}};

/* Points with their predictions; the slopes are any numbers. */
typedef struct points {
  double x[POINTS * PARAMETERS], means[POINTS * OUTCOMES], variances[POINTS * OUTCOMES];
  double mean_gradients[OUTCOMES * PARAMETERS], variance_gradients[OUTCOMES * PARAMETERS];
} points;

static points make_points(void)
{
  points p = {.mean_gradients = {1, -2, 0.5, 0.25}, .variance_gradients = {0.1, 0, -0.2, 0.3}};
  for (int i = 0; i < POINTS * 2; i++) {
    p.x[i] = (i * 5 % 11) / 10.0; /* some lie at the faces of the cube */
    p.means[i] = i * 3 % 7 - 3.0;
    p.variances[i] = 0.01 + i * 0.02;
  }
  return p;
}

static fcps_status gradient_at(fcps_expected_reward *r, const points *p, int i, int gp_count, int place, double *answer)
{
  const int gps = gp_count > 1 ? OUTCOMES : 1;
  const fcps_outcome_slope at = {.x = p->x + i * PARAMETERS,
                                 .mean = p->means + i * OUTCOMES,
                                 .variances = p->variances + i * gps,
                                 .mean_gradients = p->mean_gradients,
                                 .variance_gradients = p->variance_gradients,
                                 .gp_count = gp_count,
                                 .place = place};
  return fcps_expected_reward_gradient(r, &at, answer, answer + 1, answer + 2, answer + 4, NULL);
}

static fcps_expected_reward *make_reward(const fcps_problem *problem)
{
  const double target = 2, scale[] = {1.5, 0.7}, typical[] = {0, 0};
  fcps_expected_reward *r = NULL;
  assert_int_equal(
      fcps_expected_reward_create(&r, problem, &target, NULL, scale, typical, -100, FCPS_EXPECTED_REWARD_NODES, NULL),
      FCPS_OK);
  return r;
}

static fcps_problem make_problem(counter *c)
{
  return (fcps_problem){.target = {1, targets},
                        .parameters = {PARAMETERS, parameters},
                        .outcome = {OUTCOMES, outcomes},
                        .reward = reward,
                        .user = c};
}

static void gradients_asked_ahead_are_the_same(void **state)
{
  (void)state;
  for (int gp_count = 1; gp_count <= 2; gp_count++) {
    counter c = {0};
    const fcps_problem problem = make_problem(&c);
    fcps_expected_reward *r = make_reward(&problem);
    const points p = make_points();
    double single[POINTS][6], ahead[6];
    for (int i = 0; i < POINTS; i++)
      assert_int_equal(gradient_at(r, &p, i, gp_count, 0, single[i]), FCPS_OK);
    const int one_by_one = c.calls;
    c.calls = 0;
    const fcps_outcomes all = {
        .count = POINTS, .x = p.x, .means = p.means, .variances = p.variances, .gp_count = gp_count};
    assert_int_equal(fcps_expected_reward_ahead(r, &all, NULL), FCPS_OK);
    for (int i = POINTS - 1; i >= 0; i--) {
      assert_int_equal(gradient_at(r, &p, i, gp_count, i + 1, ahead), FCPS_OK);
      assert_memory_equal(ahead, single[i], sizeof ahead);
    }
    assert_true(one_by_one == POINTS && c.calls <= 2);
    fcps_expected_reward_destroy(r);
  }
}

/* What was asked ahead and failed is not used. */
static void a_failing_function_is_reported(void **state)
{
  (void)state;
  counter c = {.fails_at = 2};
  const fcps_problem problem = make_problem(&c);
  fcps_expected_reward *r = make_reward(&problem);
  const points p = make_points();
  const fcps_outcomes some = {.count = 2, .x = p.x, .means = p.means, .variances = p.variances, .gp_count = 1};
  double first[6], again[6];
  assert_int_equal(fcps_expected_reward_ahead(r, &some, NULL), FCPS_OK);
  assert_int_equal(gradient_at(r, &p, 0, 1, 1, first), FCPS_OK);
  assert_int_equal(fcps_expected_reward_ahead(r, &some, NULL), FCPS_ERR_CALLBACK);
  assert_int_equal(c.calls, 2);
  assert_int_equal(gradient_at(r, &p, 0, 1, 1, again), FCPS_OK);
  assert_int_equal(c.calls, 3);
  assert_memory_equal(first, again, sizeof first);
  fcps_expected_reward_destroy(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_asked_ahead_are_the_same),
      cmocka_unit_test(a_failing_function_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
