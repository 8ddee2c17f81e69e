/* SPDX-License-Identifier: Apache-2.0 */
/* The reward of an uncertain outcome: closed form, nodes, and their gradients. */
#include "improvement.h"
#include "reward/expected_reward.h"

#include "check.h"

/* reward = -|target - M o - b| - 0.3 effort^2 + load effort, with M of orthogonal rows of length 2: a rotation that
 * drops the third outcome. */
enum { OUTCOMES = 3, PARAMETERS = 2 };
static const double map[2][OUTCOMES] = {{1.2, 1.6, 0}, {-1.6, 1.2, 0}}, offset[2] = {0.4, -0.7};

typedef struct switches {
  bool bend; /* achieved is not a linear map */
  bool fail; /* the reward returns an error */
} switches;

static fcps_status achieved(void *user, int count, const double *environments, const double *outcomes, double *targets)
{
  const switches *s = user;
  (void)environments;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < 2; j++) {
      targets[2 * i + j] = offset[j] + (s->bend ? 0.1 * sin(outcomes[OUTCOMES * i]) : 0);
      for (int o = 0; o < OUTCOMES; o++)
        targets[2 * i + j] += map[j][o] * outcomes[OUTCOMES * i + o];
    }
  return FCPS_OK;
}

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  const switches *s = user;
  if (s->fail) return FCPS_ERR_INTERNAL;
  for (int i = 0; i < count; i++) {
    double hit[2];
    achieved(user, 1, NULL, outcomes + OUTCOMES * i, hit);
    const double effort = parameters[PARAMETERS * i + 1];
    rewards[i] = -0.3 * effort * effort + environments[i] * effort;
    rewards[i] -= present[i] ? hypot(target[0] - hit[0], target[1] - hit[1]) : 5;
  }
  return FCPS_OK;
}

static fcps_status gradient(void *user, int count, const double *target, const double *environments,
                            const double *parameters, const double *outcomes, double *by_outcome, double *by_parameters)
{
  for (int i = 0; i < count; i++) {
    double hit[2];
    achieved(user, 1, NULL, outcomes + OUTCOMES * i, hit);
    const double x = target[0] - hit[0], y = target[1] - hit[1], d = hypot(x, y);
    for (int o = 0; o < OUTCOMES; o++)
      by_outcome[OUTCOMES * i + o] = (x * map[0][o] + y * map[1][o]) / d;
    by_parameters[PARAMETERS * i] = 0;
    by_parameters[PARAMETERS * i + 1] = -0.6 * parameters[PARAMETERS * i + 1] + environments[i];
  }
  return FCPS_OK;
}

static const fcps_dimension targets[] = {{.name = "x", .lower = -9, .upper = 9},
                                         {.name = "y", .lower = -9, .upper = 9}};
static const fcps_dimension environments[] = {{.name = "load", .lower = 0, .upper = 1}};
static const fcps_dimension parameters[] = {{.name = "turn", .lower = 0, .upper = 6},
                                            {.name = "effort", .lower = 0.5, .upper = 5, .scale = FCPS_SCALE_LOG}};
static const fcps_dimension outcomes[] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};

static fcps_problem make_problem(switches *s, bool with_gradient)
{
  return (fcps_problem){.target = {2, targets},
                        .environment = {1, environments},
                        .parameters = {PARAMETERS, parameters},
                        .outcome = {OUTCOMES, outcomes},
                        .reward = reward,
                        .gradient = with_gradient ? gradient : NULL,
                        .achieved = achieved,
                        .is_distance = true,
                        .user = s};
}

static const double target[2] = {5.1, -3.2}, load = 0.6, typical[OUTCOMES] = {0.3, -0.2, 0.9};

static fcps_expected_reward *make(const fcps_problem *problem, const double *scale, fcps_expected_reward_path path)
{
  fcps_expected_reward *s = NULL;
  fcps_error error;
  assert_ok(fcps_expected_reward_create(&s, problem, target, &load, scale, typical, -100, path, &error));
  return s;
}

static const double same_scale[OUTCOMES] = {0.8, 0.8, 0.8};

/* Far from the target the integrand is smooth, and a handful of nodes is exact enough. */
static void the_closed_form_agrees_with_the_nodes(void **state)
{
  (void)state;
  switches off = {0};
  const fcps_problem problem = make_problem(&off, false);
  fcps_expected_reward *closed = make(&problem, same_scale, FCPS_EXPECTED_REWARD_AUTO);
  fcps_expected_reward *nodes = make(&problem, same_scale, FCPS_EXPECTED_REWARD_NODES);
  assert_true(fcps_expected_reward_is_closed(closed));
  assert_false(fcps_expected_reward_is_closed(nodes));

  const double x[] = {0.2, 0.7, 0.9, 0.1, 0.5, 0.5};
  const double means[] = {-1.2, 0.4, 0.3, 0.5, -0.9, 2, 0, 0.2, -1}, variances[] = {0.02, 0.04, 0.01};
  const fcps_outcomes at = {3, x, means, variances, 1};
  double mean[2][3], deviation[2][3];
  fcps_error error;
  assert_ok(fcps_expected_reward_moments(closed, &at, mean[0], deviation[0], &error));
  assert_ok(fcps_expected_reward_moments(nodes, &at, mean[1], deviation[1], &error));
  for (int i = 0; i < 3; i++) {
    assert_near(mean[0][i], mean[1][i], 1e-6);
    assert_near(deviation[0][i], deviation[1][i], 1e-6);
  }
  fcps_expected_reward_destroy(closed);
  fcps_expected_reward_destroy(nodes);
}

static void the_closed_form_is_used_only_where_it_holds(void **state)
{
  (void)state;
  switches off = {0}, bent = {.bend = true};
  const double other_scale[OUTCOMES] = {0.8, 0.5, 0.8};
  fcps_problem problem = make_problem(&off, false);
  fcps_expected_reward *s = make(&problem, other_scale, FCPS_EXPECTED_REWARD_AUTO);
  assert_false(fcps_expected_reward_is_closed(s));
  fcps_expected_reward_destroy(s);

  problem.is_distance = false;
  s = make(&problem, same_scale, FCPS_EXPECTED_REWARD_AUTO);
  assert_false(fcps_expected_reward_is_closed(s));
  fcps_expected_reward_destroy(s);

  problem = make_problem(&bent, false);
  s = make(&problem, same_scale, FCPS_EXPECTED_REWARD_AUTO);
  assert_false(fcps_expected_reward_is_closed(s));
  fcps_expected_reward_destroy(s);
}

/* A made-up belief: mean and variance as smooth functions of the parameters, with their slopes. */
static void belief(const double *u, double *mean, double *variance, double *mean_slopes, double *variance_slope)
{
  for (int o = 0; o < OUTCOMES; o++) {
    mean[o] = 0.3 * o + sin(2 * u[0] + o) - u[1] * u[1];
    mean_slopes[o * PARAMETERS] = 2 * cos(2 * u[0] + o);
    mean_slopes[o * PARAMETERS + 1] = -2 * u[1];
  }
  *variance = 0.3 + 0.2 * u[0] * u[1];
  variance_slope[0] = 0.2 * u[1];
  variance_slope[1] = 0.2 * u[0];
}

static const double best = -7;
static const fcps_utility improvement = {improvement_of_reward, improvement_of_gaussian, &best};

typedef enum question { MEAN, DEVIATION, IMPROVEMENT } question;

static double value_at(fcps_expected_reward *s, question q, const double *u)
{
  double mean[OUTCOMES], variance, slopes[OUTCOMES * PARAMETERS], slope[PARAMETERS], first, second;
  fcps_error error;
  belief(u, mean, &variance, slopes, slope);
  const fcps_outcomes at = {1, u, mean, &variance, 1};
  if (q == IMPROVEMENT) {
    assert_ok(fcps_expected_reward_utility(s, &at, &improvement, &first, &error));
    return first;
  }
  assert_ok(fcps_expected_reward_moments(s, &at, &first, &second, &error));
  return q == MEAN ? first : second;
}

static void check_gradients(fcps_expected_reward *s, double tolerance)
{
  const double places[][PARAMETERS] = {{0.3, 0.6}, {0.8, 0.2}, {0.5, 0.9}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    double mean[OUTCOMES], slopes[OUTCOMES * PARAMETERS], slope[PARAMETERS], values[3], got[3][PARAMETERS];
    double variance;
    const fcps_outcome_slope at = {.x = places[i],
                                   .mean = mean,
                                   .variances = &variance,
                                   .mean_gradients = slopes,
                                   .variance_gradients = slope,
                                   .gp_count = 1};
    fcps_error error;
    belief(places[i], mean, &variance, slopes, slope);
    assert_ok(
        fcps_expected_reward_gradient(s, &at, &values[MEAN], &values[DEVIATION], got[MEAN], got[DEVIATION], &error));
    assert_ok(
        fcps_expected_reward_utility_gradient(s, &at, &improvement, &values[IMPROVEMENT], got[IMPROVEMENT], &error));
    for (int q = MEAN; q <= IMPROVEMENT; q++) {
      assert_near(values[q], value_at(s, (question)q, places[i]), 1e-12);
      for (int d = 0; d < PARAMETERS; d++) {
        double plus[PARAMETERS] = {places[i][0], places[i][1]}, minus[PARAMETERS] = {places[i][0], places[i][1]};
        plus[d] += 1e-6;
        minus[d] -= 1e-6;
        assert_near(got[q][d], (value_at(s, (question)q, plus) - value_at(s, (question)q, minus)) / 2e-6, tolerance);
      }
    }
  }
}

static void gradients_agree_with_differences(void **state)
{
  (void)state;
  switches off = {0};
  for (int with_gradient = 0; with_gradient < 2; with_gradient++) {
    const fcps_problem problem = make_problem(&off, with_gradient);
    for (int path = 0; path < 2; path++) {
      fcps_expected_reward *s =
          make(&problem, same_scale, path == 0 ? FCPS_EXPECTED_REWARD_AUTO : FCPS_EXPECTED_REWARD_NODES);
      check_gradients(s, 1e-6);
      fcps_expected_reward_destroy(s);
    }
  }
}

static void absent_outcomes_have_rewards_and_slopes_of_their_own(void **state)
{
  (void)state;
  switches off = {0};
  const fcps_problem problem = make_problem(&off, true);
  fcps_expected_reward *s = make(&problem, same_scale, FCPS_EXPECTED_REWARD_AUTO);
  const double x[PARAMETERS] = {0.4, 0.5}, effort = sqrt(0.5 * 5); /* the middle of a logarithmic range */
  double reward_there, slope[PARAMETERS];
  fcps_error error;
  assert_ok(fcps_expected_reward_absent_gradient(s, x, &reward_there, slope, &error));
  assert_near(reward_there, -0.3 * effort * effort + load * effort - 5, 1e-12);
  assert_near(slope[0], 0, 1e-9);
  assert_near(slope[1], (-0.6 * effort + load) * effort * log(10), 1e-6);
  fcps_expected_reward_destroy(s);
}

static void outcomes_are_clipped_to_their_bounds(void **state)
{
  (void)state;
  switches off = {0};
  fcps_problem problem = make_problem(&off, false);
  const fcps_dimension bounded[] = {{.name = "a", .lower = -1, .upper = 1}, {.name = "b"}, {.name = "c"}};
  problem.outcome.dims = bounded;
  fcps_expected_reward *s = make(&problem, same_scale, FCPS_EXPECTED_REWARD_NODES);
  const double x[PARAMETERS] = {0.5, 0.5}, far[OUTCOMES] = {50, 0, 0}, edge[OUTCOMES] = {1, 0, 0}, none = 1e-12;
  const fcps_outcomes at = {1, x, far, &none, 1};
  double mean, deviation, expected;
  fcps_error error;
  assert_ok(fcps_expected_reward_moments(s, &at, &mean, &deviation, &error));
  assert_ok(fcps_expected_reward_exact(s, 1, x, edge, &expected, &error));
  assert_near(mean, expected, 1e-5);
  fcps_expected_reward_destroy(s);
}

static void a_failing_reward_is_reported(void **state)
{
  (void)state;
  switches s = {0};
  const fcps_problem problem = make_problem(&s, false);
  fcps_expected_reward *expected_reward = make(&problem, same_scale, FCPS_EXPECTED_REWARD_AUTO);
  const double x[PARAMETERS] = {0.5, 0.5}, mean[OUTCOMES] = {0}, variance = 1;
  const fcps_outcomes at = {1, x, mean, &variance, 1};
  double first, second;
  fcps_error error;
  s.fail = true;
  assert_status(fcps_expected_reward_moments(expected_reward, &at, &first, &second, &error), FCPS_ERR_CALLBACK);
  assert_string_equal(error.field, "reward");
  fcps_expected_reward_destroy(expected_reward);
}

/* Candidates on a spiral: the best few are exact, the rest is no better than it is. */
static void screening_is_exact_for_the_best_and_a_bound_for_the_rest(void **state)
{
  (void)state;
  enum { COUNT = 300, BEST = 12 };
  switches off = {0};
  const fcps_problem problem = make_problem(&off, false);
  fcps_expected_reward *s = make(&problem, same_scale, FCPS_EXPECTED_REWARD_AUTO);
  static double x[COUNT * PARAMETERS], means[COUNT * OUTCOMES], variances[COUNT], exact[COUNT], terms[COUNT],
      screened[COUNT];
  for (int i = 0; i < COUNT; i++) {
    x[2 * i] = fmod(0.618 * i, 1);
    x[2 * i + 1] = (double)i / COUNT;
    for (int o = 0; o < OUTCOMES; o++)
      means[OUTCOMES * i + o] = 0.02 * i * cos(0.3 * i + 1.6 * o);
    variances[i] = 0.001 + 0.4 * fmod(0.37 * i, 1);
  }
  const fcps_outcomes all = {COUNT, x, means, variances, 1};
  const double other[2] = {1.4, -0.3};
  fcps_error error;
  fcps_expected_reward_set_target(s, other, -50);
  assert_ok(fcps_expected_reward_moments(s, &all, exact, NULL, &error));
  assert_ok(fcps_expected_reward_terms(s, COUNT, x, terms, &error));
  fcps_expected_reward_screen(s, &all, terms, BEST, screened);
  int same = 0;
  for (int i = 0; i < COUNT; i++) {
    int better = 0;
    for (int j = 0; j < COUNT; j++)
      better += exact[j] > exact[i];
    if (better < BEST) assert_near(screened[i], exact[i], 1e-12);
    assert_true(screened[i] <= exact[i] + 1e-12);
    same += screened[i] == exact[i];
  }
  assert_true(same < COUNT / 2); /* or nothing was screened */
  fcps_expected_reward_destroy(s);
}

/* Where the miss is small the parabola is the second derivative itself: -Hessian by differences of the gradient, with
 * the belief's own second derivatives. */
static void what_bends_the_mean_adds_up_to_its_hessian(void **state)
{
  (void)state;
  switches off = {0};
  const fcps_problem problem = make_problem(&off, true);
  fcps_expected_reward *s = make(&problem, same_scale, FCPS_EXPECTED_REWARD_AUTO);
  const double u[PARAMETERS] = {0.4, 0.55}, h = 1e-4;
  double mean[OUTCOMES], slopes[OUTCOMES * PARAMETERS], slope[PARAMETERS], hit[2], gradients[5][PARAMETERS], unused;
  double own[PARAMETERS * PARAMETERS], weights[OUTCOMES + 1], variance;
  fcps_outcome_slope at = {
      .mean = mean, .variances = &variance, .mean_gradients = slopes, .variance_gradients = slope, .gp_count = 1};
  fcps_error error;
  for (int k = 0; k < 5; k++) {
    const double moved[PARAMETERS] = {u[0] + (k == 1 ? h : k == 2 ? -h : 0), u[1] + (k == 3 ? h : k == 4 ? -h : 0)};
    belief(moved, mean, &variance, slopes, slope);
    at.x = moved;
    if (k == 0) {
      achieved(&off, 1, NULL, mean, hit);
      const double near[2] = {hit[0] + 1e-3, hit[1] - 2e-3};
      fcps_expected_reward_set_target(s, near, -50);
      fcps_expected_reward_curvature(s, &at, own, weights);
    }
    assert_ok(fcps_expected_reward_gradient(s, &at, &unused, &unused, gradients[k], NULL, &error));
  }
  /* second derivatives of the belief at u: means, log variance, and the terms -0.3 effort^2 + load effort */
  double second[OUTCOMES + 2][PARAMETERS][PARAMETERS] = {{{0}}};
  for (int o = 0; o < OUTCOMES; o++) {
    second[o][0][0] = -4 * sin(2 * u[0] + o);
    second[o][1][1] = -2;
  }
  const double v = 0.3 + 0.2 * u[0] * u[1];
  second[OUTCOMES][0][0] = -pow(0.2 * u[1] / v, 2);
  second[OUTCOMES][1][1] = -pow(0.2 * u[0] / v, 2);
  second[OUTCOMES][0][1] = second[OUTCOMES][1][0] = 0.2 / v - 0.2 * u[0] * 0.2 * u[1] / (v * v);
  const double rate = log(10), effort = 0.5 * pow(10, u[1]);
  second[OUTCOMES + 1][1][1] = -1.2 * rate * rate * effort * effort + load * rate * rate * effort;
  for (int i = 0; i < PARAMETERS; i++)
    for (int j = 0; j < PARAMETERS; j++) {
      double sum = own[i * PARAMETERS + j] - second[OUTCOMES + 1][i][j];
      for (int f = 0; f <= OUTCOMES; f++)
        sum += weights[f] * second[f][i][j];
      assert_near(sum, -(gradients[1 + 2 * i][j] - gradients[2 + 2 * i][j]) / (2 * h), 1e-3);
    }
  fcps_expected_reward_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_closed_form_agrees_with_the_nodes),
      cmocka_unit_test(the_closed_form_is_used_only_where_it_holds),
      cmocka_unit_test(gradients_agree_with_differences),
      cmocka_unit_test(absent_outcomes_have_rewards_and_slopes_of_their_own),
      cmocka_unit_test(outcomes_are_clipped_to_their_bounds),
      cmocka_unit_test(a_failing_reward_is_reported),
      cmocka_unit_test(screening_is_exact_for_the_best_and_a_bound_for_the_rest),
      cmocka_unit_test(what_bends_the_mean_adds_up_to_its_hessian),
  };
  return cmocka_run_group_tests_name("reward/expected_reward", tests, NULL, NULL);
}
