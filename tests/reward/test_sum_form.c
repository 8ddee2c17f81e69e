/* SPDX-License-Identifier: Apache-2.0 */
/* Rewards that are formulas: their parts, moments compared with dense sums over the outcomes, and gradients compared
 * with differences. */
#include "reward/sum_form.h"

#include "check.h"
#include "problem/problem.h"
#include "reward/expected_reward.h"
#include "space/space.h"

#include <string.h>

enum { OUTCOMES = 2, PARAMETERS = 2 };
static const fcps_dimension targets[] = {{.name = "wanted", .lower = -9, .upper = 9},
                                         {.name = "grade", .lower = -9, .upper = 9}};
static const fcps_dimension environments[] = {{.name = "age", .lower = 0, .upper = 2}};
static const fcps_dimension parameters[] = {{.name = "dose", .lower = 0, .upper = 6},
                                            {.name = "rate", .lower = 0.5, .upper = 5, .scale = FCPS_SCALE_LOG}};
static const fcps_dimension outcomes[] = {{.name = "volume", .lower = -1, .upper = 3}, {.name = "purity"}};
static const double target[2] = {0.8, -0.5}, age = 1.5, scale[OUTCOMES] = {0.9, 1.4}, typical[OUTCOMES] = {0.1, 0.2};
static const double worst = -50.0;

typedef struct setup {
  fcps_problem problem;
  fcps_reward *reward;
  fcps_expected_reward *expected;
} setup;

static void set_up(setup *s, const char *text)
{
  static const char *const achieved[] = {"volume + age", "purity"};
  fcps_error error = {0};
  *s = (setup){.problem = {.target = {2, targets},
                           .environment = {1, environments},
                           .parameters = {PARAMETERS, parameters},
                           .outcome = {OUTCOMES, outcomes}}};
  if (fcps_reward_create(&s->reward, &s->problem, text, achieved, &error) != FCPS_OK) fail_msg("%s", error.message);
  assert_non_null(fcps_reward_formula_of(&s->problem));
  assert_ok(fcps_expected_reward_create(&s->expected, &s->problem, target, &age, scale, typical, worst,
                                        FCPS_EXPECTED_REWARD_NODES, &error));
}

static void tear_down(setup *s)
{
  fcps_expected_reward_destroy(s->expected);
  fcps_reward_destroy(s->reward);
}

/* -- Taking apart -- */

typedef struct shape {
  const char *text;
  bool has_pieces[OUTCOMES];
  int rest;
  bool is_concave;
} shape;

static void formulas_are_taken_apart(void **state)
{
  (void)state;
  static const shape shapes[] = {
      {"-abs(volume - wanted)/5 - 2*abs(purity - grade*age) - dose/50", {true, true}, 0, true},
      {"present ? -abs(volume - wanted) - (purity < grade) : -6", {true, true}, 0, false},
      {"-abs(volume - wanted) - (purity - grade)^2", {true, false}, 1, false},
      {"-abs(volume - wanted) - abs(purity - dose)", {true, false}, 1, false},
      {"-max(abs(volume - wanted), abs(purity - grade)) - dose", {false, false}, 2, false},
      {"-distance", {false, false}, 2, false},
      {"volume*purity - abs(volume)", {false, false}, 2, false},
      {"-abs(purity) + dose*rate", {false, true}, 0, true},
      {"wanted > 5 ? volume*purity : -abs(volume - 1)", {true, false}, 0, true},
      {"-dose", {false, false}, 0, true}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    setup s;
    fcps_sum_form form;
    set_up(&s, shapes[i].text);
    assert_true(fcps_sum_form_create(&form, fcps_reward_formula_of(&s.problem), &s.problem, target, &age));
    for (int j = 0; j < OUTCOMES; j++)
      if (form.has_pieces[j] != shapes[i].has_pieces[j]) fail_msg("%s: outcome %d", shapes[i].text, j);
    assert_int_equal(form.rest_count, shapes[i].rest);
    assert_int_equal(form.is_concave, shapes[i].is_concave);
    assert_true(fcps_sum_form_is_of(&form, &s.problem, target, &age));
    fcps_sum_form_destroy(&form);
    tear_down(&s);
  }
}

/* -- Moments -- */

/* Sums over a fine grid of both outcomes, clipped to their bounds, with the problem's own reward. */
static void sum_up(const setup *s, const double *x, const double *mean, const double *deviations, double *first,
                   double *deviation)
{
  enum { SIDE = 601 };
  static bool present[SIDE];
  static double rows[SIDE][OUTCOMES], given[SIDE][PARAMETERS], ages[SIDE], rewards[SIDE];
  double sums[3] = {0};
  fcps_error error;
  for (int a = 0; a < SIDE; a++) {
    const double za = -6.0 + 12.0 * (a + 0.5) / SIDE;
    for (int b = 0; b < SIDE; b++) {
      const double zb = -6.0 + 12.0 * (b + 0.5) / SIDE;
      rows[b][0] = fcps_dimension_clip(&outcomes[0], mean[0] + deviations[0] * za);
      rows[b][1] = fcps_dimension_clip(&outcomes[1], mean[1] + deviations[1] * zb);
      fcps_space_from_unit(&s->problem.parameters, x, given[b]);
      ages[b] = age;
      present[b] = true;
    }
    assert_ok(fcps_problem_score(&s->problem, SIDE, target, ages, given[0], rows[0], present, rewards, &error));
    for (int b = 0; b < SIDE; b++) {
      const double zb = -6.0 + 12.0 * (b + 0.5) / SIDE, w = exp(-0.5 * (za * za + zb * zb));
      const double reward = isnan(rewards[b]) ? worst : rewards[b];
      sums[0] += w;
      sums[1] += w * reward;
      sums[2] += w * reward * reward;
    }
  }
  *first = sums[1] / sums[0];
  *deviation = sqrt(sums[2] / sums[0] - *first * *first);
}

typedef struct expectation {
  const char *text;
  double tolerance; /* of the nodes of the rest; closed forms are as exact as the grid */
} expectation;

static const expectation expectations[] = {{"-abs(volume - wanted)/5 - 2*abs(purity - grade*age) - dose/50", 1e-3},
                                           {"present ? -abs(volume - wanted) - (purity < grade) : -6", 5e-3},
                                           {"-abs(volume - wanted) - (purity - grade)^2 + 0.3*rate^2", 1e-3},
                                           {"-min(abs(volume - 1), 0.4) - sin(purity)*dose", 1e-3},
                                           {"-abs(volume - wanted) - abs(purity - dose/4)", 0.08},
                                           {"-max(abs(volume - wanted), abs(purity - grade)) - dose", 0.08},
                                           {"0.2*purity*dose - exp(-purity*rate/8) + age", 1e-3},
                                           {"-distance - 0.1*dose", 0.08},
                                           {"log(purity + 20) - abs(volume)", 1e-3}};

static void moments_agree_with_dense_sums(void **state)
{
  (void)state;
  const double x[] = {0.4, 0.7}, means[] = {0.6, -0.1}, variances[] = {0.2, 0.35};
  for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++)
    for (int gps = 1; gps <= OUTCOMES; gps++) {
      const fcps_outcomes at = {1, x, means, variances, gps};
      const double deviations[] = {scale[0] * sqrt(variances[0]), scale[1] * sqrt(variances[gps - 1])};
      double mean, deviation, dense_mean, dense_deviation;
      fcps_error error;
      setup s;
      set_up(&s, expectations[i].text);
      assert_ok(fcps_expected_reward_moments(s.expected, &at, &mean, &deviation, &error));
      sum_up(&s, x, means, deviations, &dense_mean, &dense_deviation);
      if (!(fabs(mean - dense_mean) <= expectations[i].tolerance) ||
          !(fabs(deviation - dense_deviation) <= 1.5 * expectations[i].tolerance))
        fail_msg("%s: %g +- %g, dense sums %g +- %g", expectations[i].text, mean, deviation, dense_mean,
                 dense_deviation);
      tear_down(&s);
    }
}

/* The nodes of the whole formula, with the worst reward if it has no value. */
static void a_reward_without_value_counts_as_the_worst(void **state)
{
  (void)state;
  const double x[] = {0.4, 0.7}, means[] = {0.6, 0.0}, variance = 1e-4;
  const fcps_outcomes at = {1, x, means, &variance, 1};
  double mean, deviation;
  fcps_error error;
  setup s;
  set_up(&s, "sqrt(purity) - abs(volume)");
  assert_ok(fcps_expected_reward_moments(s.expected, &at, &mean, &deviation, &error));
  assert_true(mean < 0.5 * worst + 1 && mean > 0.5 * worst - 1);
  tear_down(&s);
  set_up(&s, "sqrt(-dose) - abs(volume)");
  assert_ok(fcps_expected_reward_moments(s.expected, &at, &mean, &deviation, &error));
  assert_near(mean, worst, 1e-12);
  tear_down(&s);
}

static void the_reward_of_an_absent_outcome_is_that_of_the_formula(void **state)
{
  (void)state;
  const double x[] = {0.5, 0.2};
  double reward, gradient[PARAMETERS];
  fcps_error error;
  setup s;
  set_up(&s, "present ? -distance : -6 - dose/10");
  assert_ok(fcps_expected_reward_absent_gradient(s.expected, x, &reward, gradient, &error));
  assert_near(reward, -6.3, 1e-12);
  assert_near(gradient[0], -0.6, 1e-12);
  assert_near(gradient[1], 0.0, 1e-12);
  tear_down(&s);
  set_up(&s, "-abs(volume)");
  assert_ok(fcps_expected_reward_absent(s.expected, 1, x, &reward, &error));
  assert_near(reward, worst, 0);
  tear_down(&s);
}

/* -- Gradients -- */

/* A made-up belief: means and variances as smooth functions of the unit parameters, with their slopes. */
typedef struct belief {
  double mean[OUTCOMES], variances[OUTCOMES], mean_gradients[OUTCOMES * PARAMETERS],
      variance_gradients[OUTCOMES * PARAMETERS];
} belief;

static belief believe(const double *x)
{
  belief b;
  for (int j = 0; j < OUTCOMES; j++) {
    b.mean[j] = sin(2 * x[0] + j) + 0.5 * x[1];
    b.variances[j] = 0.2 + 0.1 * cos(x[0] + 3 * x[1] + j);
    b.mean_gradients[j * PARAMETERS] = 2 * cos(2 * x[0] + j);
    b.mean_gradients[j * PARAMETERS + 1] = 0.5;
    b.variance_gradients[j * PARAMETERS] = -0.1 * sin(x[0] + 3 * x[1] + j);
    b.variance_gradients[j * PARAMETERS + 1] = -0.3 * sin(x[0] + 3 * x[1] + j);
  }
  return b;
}

static void moments_at(fcps_expected_reward *s, const double *x, int gps, double *mean, double *deviation)
{
  const belief b = believe(x);
  const fcps_outcomes at = {1, x, b.mean, b.variances, gps};
  fcps_error error;
  assert_ok(fcps_expected_reward_moments(s, &at, mean, deviation, &error));
}

static void gradients_agree_with_differences(void **state)
{
  (void)state;
  const double h = 1e-6;
  for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++)
    for (int gps = 1; gps <= OUTCOMES; gps++) {
      const double x[] = {0.37, 0.61};
      const belief b = believe(x);
      const fcps_outcome_slope at = {x, b.mean, b.variances, b.mean_gradients, b.variance_gradients, gps, 0};
      double mean, deviation, by_mean[PARAMETERS], by_deviation[PARAMETERS], expected[2];
      fcps_error error;
      setup s;
      set_up(&s, expectations[i].text);
      assert_ok(fcps_expected_reward_gradient(s.expected, &at, &mean, &deviation, by_mean, by_deviation, &error));
      moments_at(s.expected, x, gps, &expected[0], &expected[1]);
      assert_near(mean, expected[0], 1e-12);
      assert_near(deviation, expected[1], 1e-12);
      for (int d = 0; d < PARAMETERS; d++) {
        double ahead[PARAMETERS], behind[PARAMETERS], means[2], deviations[2];
        memcpy(ahead, x, sizeof ahead);
        memcpy(behind, x, sizeof behind);
        ahead[d] += h;
        behind[d] -= h;
        moments_at(s.expected, ahead, gps, &means[0], &deviations[0]);
        moments_at(s.expected, behind, gps, &means[1], &deviations[1]);
        assert_near(by_mean[d], (means[0] - means[1]) / (2 * h), 1e-6);
        assert_near(by_deviation[d], (deviations[0] - deviations[1]) / (2 * h), 1e-6);
      }
      tear_down(&s);
    }
}

static double squared(const void *user, double reward, double *slope)
{
  (void)user;
  if (slope != NULL) *slope = 2.0 * reward;
  return reward * reward;
}

/* Utilities are sums over the nodes of the whole formula. */
static void gradients_of_utilities_agree_with_differences(void **state)
{
  (void)state;
  const fcps_utility square = {.of_reward = squared};
  const double h = 1e-6, x[] = {0.37, 0.61};
  const belief b = believe(x);
  const fcps_outcome_slope at = {x, b.mean, b.variances, b.mean_gradients, b.variance_gradients, 1, 0};
  double value, gradient[PARAMETERS];
  fcps_error error;
  setup s;
  set_up(&s, "-abs(volume - wanted) - (purity - grade)^2 + 0.3*rate^2");
  assert_ok(fcps_expected_reward_utility_gradient(s.expected, &at, &square, &value, gradient, &error));
  for (int d = 0; d < PARAMETERS; d++) {
    double values[2];
    for (int side = 0; side < 2; side++) {
      double moved[PARAMETERS];
      memcpy(moved, x, sizeof moved);
      moved[d] += side == 0 ? h : -h;
      const belief there = believe(moved);
      const fcps_outcomes point = {1, moved, there.mean, there.variances, 1};
      assert_ok(fcps_expected_reward_utility(s.expected, &point, &square, &values[side], &error));
    }
    assert_near(gradient[d], (values[0] - values[1]) / (2 * h), 1e-6);
  }
  tear_down(&s);
}

/* -- Hope -- */

/* At a cliff only the outcome's uncertainty on this side of it may be hoped for; where the jumps may add, all of the deviation. */
static void a_jump_that_takes_away_adds_nothing_to_hope(void **state)
{
  (void)state;
  static const struct {
    const char *text, *branch; /* NULL: the deviation stays */
  } cases[] = {{"purity > 2.5 ? -50 : 2*volume + dose", "2*volume + dose"},
               {"2*volume - 50*(purity > 2.5 || volume > 2.8)", "2*volume"},
               {"(purity > 2.5 ? -50 : 0) - abs(purity - 1)*rate + volume", "-abs(purity - 1)*rate + volume"},
               {"purity > 2.5 ? 1 : 0", NULL},
               {"-abs(volume - wanted) - purity^2", NULL}};
  const double h = 1e-6, x[] = {0.37, 0.61};
  const belief b = believe(x);
  const fcps_outcome_slope at = {x, b.mean, b.variances, b.mean_gradients, b.variance_gradients, 2, 0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    setup s, other;
    double mean, deviation, hoped_mean, hoped, expected, unused, by_mean[PARAMETERS], by_hope[PARAMETERS];
    fcps_error error;
    set_up(&s, cases[i].text);
    set_up(&other, cases[i].branch != NULL ? cases[i].branch : cases[i].text);
    moments_at(s.expected, x, 2, &mean, &deviation);
    moments_at(other.expected, x, 2, &unused, &expected);
    fcps_expected_reward_set_hopes(s.expected, true);
    moments_at(s.expected, x, 2, &hoped_mean, &hoped);
    assert_near(hoped_mean, mean, 0);
    assert_near(hoped, expected, 1e-12);
    if (cases[i].branch != NULL) assert_true(hoped < 0.7 * deviation);
    assert_ok(fcps_expected_reward_gradient(s.expected, &at, &mean, &deviation, by_mean, by_hope, &error));
    assert_near(deviation, hoped, 1e-12);
    for (int d = 0; d < PARAMETERS; d++) {
      double ahead[PARAMETERS], behind[PARAMETERS], deviations[2];
      memcpy(ahead, x, sizeof ahead);
      memcpy(behind, x, sizeof behind);
      ahead[d] += h;
      behind[d] -= h;
      moments_at(s.expected, ahead, 2, &unused, &deviations[0]);
      moments_at(s.expected, behind, 2, &unused, &deviations[1]);
      assert_near(by_hope[d], (deviations[0] - deviations[1]) / (2 * h), 1e-5);
    }
    tear_down(&other);
    tear_down(&s);
  }
}

/* Forms are kept by context: another target or environment has another one. */
static void every_context_has_its_own_form(void **state)
{
  (void)state;
  const double x[] = {0.4, 0.7}, means[] = {0.6, -0.1}, variance = 1e-12, others[] = {0.5, 1.5};
  const fcps_outcomes at = {1, x, means, &variance, 1};
  fcps_error error;
  setup s;
  set_up(&s, "-abs(purity - wanted*age)");
  assert_ok(fcps_expected_reward_set_environments(s.expected, 2, others, &error));
  for (int i = 0; i < 3000; i++) {
    const double other[2] = {0.01 * i, 3.0}, expected = -fabs(-0.1 - 0.01 * i * others[i % 2]);
    double mean;
    fcps_expected_reward_select_environment(s.expected, i % 2);
    fcps_expected_reward_set_target(s.expected, other, worst);
    assert_ok(fcps_expected_reward_moments(s.expected, &at, &mean, NULL, &error));
    assert_near(mean, expected, 2e-6);
  }
  tear_down(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_are_taken_apart),
      cmocka_unit_test(moments_agree_with_dense_sums),
      cmocka_unit_test(a_reward_without_value_counts_as_the_worst),
      cmocka_unit_test(the_reward_of_an_absent_outcome_is_that_of_the_formula),
      cmocka_unit_test(gradients_agree_with_differences),
      cmocka_unit_test(gradients_of_utilities_agree_with_differences),
      cmocka_unit_test(a_jump_that_takes_away_adds_nothing_to_hope),
      cmocka_unit_test(every_context_has_its_own_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
