/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome model on the toy throw: its predictions, their gradients, absent outcomes and failures. */
#include "base/rng.h"
#include "check.h"
#include "improvement.h"
#include "model/model.h"
#include "model/posterior/posterior.h"
#include "search/search.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

static const double target[2] = {0.5, -0.6}, wind[1] = {0.1};

static fcps_model_settings settings(void)
{
  return (fcps_model_settings){.kernel = &fcps_kernel_se,
                               .circular = true,
                               .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_SHARED},
                               .prior = USUAL_PRIOR(0.4),
                               .fit = {.starts = 2, .budget = 25}};
}

/* The end of a throw: it always lands, it has no outcome above a wind, or it fails beyond a distance. */
typedef struct world {
  double calm;  /* no outcome if the wind is stronger */
  double reach; /* fails if the distance is longer */
} world;
static const world quiet = {.calm = 9, .reach = 9};

static void throw_and_add(fcps_model *model, const world *w, const double *environment, const double *parameters)
{
  double outcome[2];
  toy_throw(environment, parameters, outcome);
  const bool fails = parameters[1] > w->reach, absent = environment[0] > w->calm;
  const fcps_rollout rollout = {.target = target,
                                .environment = environment,
                                .parameters = parameters,
                                .outcome = fails || absent ? NULL : outcome,
                                .reward = NAN,
                                .hindsight_reward = NAN,
                                .status = fails ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK};
  assert_ok(fcps_model_add(model, &rollout));
}

static fcps_model *train(const fcps_problem *problem, const world *w, int count)
{
  fcps_model *model = NULL;
  const fcps_model_settings s = settings();
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &s));
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < count; i++) {
    double x[3], environment[1], parameters[2];
    fcps_rng_uniforms(&rng, 3, x);
    fcps_space_from_unit(&problem->environment, x, environment);
    fcps_space_from_unit(&problem->parameters, x + 1, parameters);
    throw_and_add(model, w, environment, parameters);
  }
  fcps_fit_result result;
  fcps_error error;
  if (model->training.count > 0)
    assert_ok(fcps_model_fit(model, 1, target, fcps_rng_stream(1, FCPS_PURPOSE_FIT, 1), &result, &error));
  assert_ok(fcps_model_refresh(model));
  return model;
}

static void it_predicts_outcomes_and_exact_rewards(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, &quiet, 40);
  fcps_posterior *posterior = NULL;
  fcps_error error;
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));

  const double parameters[2] = {4.9, 0.8};
  double x[2], outcome[2], mean[2], deviation[2], reward, spread;
  fcps_space_to_unit(&problem.parameters, parameters, x);
  toy_throw(wind, parameters, outcome);
  assert_true(fcps_posterior_outcome(posterior, x, mean, deviation));
  for (int j = 0; j < 2; j++) {
    assert_near(mean[j], outcome[j], 0.05);
    assert_true(deviation[j] > 0 && fabs(mean[j] - outcome[j]) < 4 * deviation[j] + 1e-3);
  }
  fcps_posterior_moments(posterior, 1, x, &reward, &spread);
  assert_near(reward, -hypot(target[0] - outcome[0], target[1] - outcome[1]) - 0.08, 0.05);

  /* the best throw hits, in a place where nothing was thrown */
  const fcps_search_settings search = {
      .kind = FCPS_SEARCH_MULTISTART, .candidates = 500, .starts = 3, .local_budget = 25};
  fcps_optimum optimum;
  assert_ok(fcps_search_moments(posterior, &fcps_moment_objective_mean, &search,
                                fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0), x, &optimum));
  double best[2];
  fcps_space_from_unit(&problem.parameters, x, best);
  toy_throw(wind, best, outcome);
  assert_true(hypot(target[0] - outcome[0], target[1] - outcome[1]) < 0.05);
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

/* sensors end at their bounds, and so do predictions */
static void the_expected_outcome_lies_within_its_bounds(void **state)
{
  (void)state;
  const fcps_dimension bounded[] = {{.name = "land_x", .lower = -0.5, .upper = 0.5}, {.name = "land_y"}};
  fcps_problem problem = toy_problem();
  problem.outcome.dims = bounded;
  fcps_model *model = train(&problem, &quiet, 40);
  fcps_posterior *posterior = NULL;
  fcps_error error;
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
  int ends = 0;
  for (int k = 0; k < 100; k++) {
    const double x[2] = {k % 10 / 10.0, k / 10 / 9.0};
    double mean[2];
    assert_true(fcps_posterior_outcome(posterior, x, mean, NULL));
    assert_true(mean[0] >= -0.5 && mean[0] <= 0.5);
    ends += mean[0] == 0.5 || mean[0] == -0.5;
  }
  assert_true(ends > 0);
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

static void check_gradients(const fcps_model *model, const double *environment)
{
  fcps_posterior *posterior = NULL;
  fcps_error error;
  assert_ok(fcps_posterior_create(&posterior, model, target, environment, &error));
  const double places[][2] = {{0.2, 0.3}, {0.7, 0.85}, {0.95, 0.6}, {0.5, 0.1}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    double mean, deviation, by_mean[2], by_deviation[2], by_improvement[2], m[2], s[2], e[2], h = 1e-5;
    fcps_posterior_gradient(posterior, places[i], &mean, &deviation, by_mean, by_deviation);
    fcps_posterior_moments(posterior, 1, places[i], m, s);
    assert_near(mean, m[0], 1e-10);
    assert_near(deviation, s[0], 1e-10);
    const double best = mean - 0.1;
    const fcps_utility utility = improvement_over(&best);
    const double improvement = fcps_posterior_expect_gradient(posterior, &utility, places[i], by_improvement);
    fcps_posterior_expect(posterior, &utility, 1, places[i], e);
    assert_near(improvement, e[0], 1e-10);
    for (int d = 0; d < 2; d++) {
      double points[4] = {places[i][0], places[i][1], places[i][0], places[i][1]};
      points[d] += h;
      points[2 + d] -= h;
      fcps_posterior_moments(posterior, 2, points, m, s);
      fcps_posterior_expect(posterior, &utility, 2, points, e);
      assert_near(by_mean[d], (m[0] - m[1]) / (2 * h), 1e-4);
      assert_near(by_deviation[d], (s[0] - s[1]) / (2 * h), 1e-4);
      assert_near(by_improvement[d], (e[0] - e[1]) / (2 * h), 1e-3);
    }
  }
  fcps_posterior_destroy(posterior);
}

static void gradients_agree_with_differences_with_any_penalty(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const world worlds[] = {quiet,
                          {.calm = 0.05, .reach = 9},
                          {.calm = 9, .reach = 1},
                          {.calm = 0.05, .reach = 1},
                          {.calm = 9, .reach = 0.2}, /* means below all that was earned */
                          {.calm = 9, .reach = -1}}; /* nothing was */
  for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
    fcps_model *model = train(&problem, worlds + i, 25);
    check_gradients(model, wind);
    fcps_model_destroy(model);
  }
}

static void absent_outcomes_are_learnt_from_the_environment_first(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const world windy = {.calm = 0.05, .reach = 9};
  fcps_model *model = train(&problem, &windy, 30);
  assert_non_null(model->feasibility.present);
  assert_null(model->feasibility.feasible);
  assert_true(model->feasibility.presence_ignores_parameters);
  const double calm[1] = {-0.2}, strong[1] = {0.25}, x[2] = {0.87, 0.5};
  double reward[2], deviation[2];
  for (int i = 0; i < 2; i++) {
    fcps_posterior *posterior = NULL;
    fcps_error error;
    assert_ok(fcps_posterior_create(&posterior, model, target, i == 0 ? calm : strong, &error));
    fcps_posterior_moments(posterior, 1, x, reward + i, deviation + i);
    fcps_posterior_destroy(posterior);
  }
  assert_true(reward[0] > -1.0);
  assert_near(reward[1], -3.0 - 0.075, 0.15); /* what an absent outcome earns */
  fcps_model_destroy(model);
}

static fcps_status calm_rule(void *user, int count, const double *environments, const double *parameters, bool *present)
{
  (void)user;
  (void)parameters;
  for (int i = 0; i < count; i++)
    present[i] = environments[i] <= 0.05;
  return FCPS_OK;
}

static void a_known_presence_rule_needs_no_rollouts(void **state)
{
  (void)state;
  fcps_problem problem = toy_problem();
  problem.presence = calm_rule;
  fcps_model *model = train(&problem, &(world){.calm = 0.05, .reach = 9}, 30);
  assert_null(model->feasibility.present);
  fcps_posterior *posterior = NULL;
  fcps_error error;
  double reward, deviation;
  const double x[2] = {0.87, 0.5};
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
  fcps_posterior_moments(posterior, 1, x, &reward, &deviation);
  assert_near(reward, -3.075, 1e-12);
  assert_near(deviation, 0, 1e-12);
  fcps_posterior_destroy(posterior);
  check_gradients(model, wind);
  fcps_model_destroy(model);
}

static void failures_push_the_reward_towards_the_worst(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, &(world){.calm = 9, .reach = 1.1}, 40);
  assert_non_null(model->feasibility.feasible);
  assert_null(model->feasibility.present);
  fcps_posterior *posterior = NULL;
  fcps_error error;
  double reward[2], deviation[2];
  const double points[4] = {0.86, 0.48, 0.86, 0.95}; /* near the target, and where throws fail */
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
  fcps_posterior_moments(posterior, 2, points, reward, deviation);
  assert_true(reward[0] > -0.5);
  assert_true(reward[1] < -1.0);
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

static void failures_that_are_taken_back_have_no_effect(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, &quiet, 10);
  const fcps_model_size size = fcps_model_size_of(model);
  const double parameters[2] = {0.5, 0.5};
  const fcps_rollout failed = {
      .target = target, .environment = wind, .parameters = parameters, .status = FCPS_ROLLOUT_FAILED};
  assert_ok(fcps_model_add(model, &failed));
  assert_ok(fcps_model_refresh(model));
  assert_non_null(model->feasibility.feasible);
  fcps_model_truncate(model, size);
  assert_ok(fcps_model_refresh(model));
  assert_int_equal(model->others.count, 0);
  assert_null(model->feasibility.feasible);
  fcps_model_destroy(model);
}

/* the same throw with another chance: with a chance of 1 it would earn the mean, and with any other less */
static void a_failure_never_looks_better_than_the_mean(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  for (int i = 0; i < 3; i++) {
    fcps_model *model = train(&problem, &(world){.calm = 9, .reach = 0.2 + 0.3 * i}, 30);
    assert_non_null(model->feasibility.feasible);
    fcps_posterior *posterior = NULL;
    fcps_error error;
    assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
    fcps_label_probit *feasibility = model->feasibility.feasible;
    for (int k = 0; k < 64; k++) {
      const double x[2] = {k % 8 / 7.0, k / 8 / 7.0};
      double weighed, mean, deviation, weighed_deviation;
      model->feasibility.feasible = feasibility;
      fcps_posterior_moments(posterior, 1, x, &weighed, &weighed_deviation);
      model->feasibility.feasible = NULL;
      fcps_posterior_moments(posterior, 1, x, &mean, &deviation);
      assert_true(weighed < mean && weighed_deviation < deviation);
    }
    model->feasibility.feasible = feasibility;
    fcps_posterior_destroy(posterior);
    fcps_model_destroy(model);
  }
}

static void draws_scatter_as_moments_and_utilities_say(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, &quiet, 8);
  fcps_posterior *posterior = NULL;
  fcps_error error;
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
  const double points[4] = {0.15, 0.8, 0.6, 0.2};
  double mean[2], deviation[2], sum[2] = {0}, squares[2] = {0}, gain[2] = {0}, improvement;
  fcps_posterior_moments(posterior, 2, points, mean, deviation);
  fcps_rng rng = fcps_rng_stream(8, FCPS_PURPOSE_TEST, 0);
  enum { DRAWS = 4000 };
  for (int k = 0; k < DRAWS; k++) {
    double normals[4], rewards[2];
    fcps_rng_normals(&rng, 4, normals);
    assert_ok(fcps_posterior_draw(posterior, 2, points, normals, rewards));
    for (int i = 0; i < 2; i++) {
      sum[i] += rewards[i] / DRAWS;
      squares[i] += rewards[i] * rewards[i] / DRAWS;
      gain[i] += fmax(rewards[i] - mean[i], 0.0) / DRAWS;
    }
  }
  for (int i = 0; i < 2; i++) { /* five standard errors; the nodes are also a little off */
    const fcps_utility utility = improvement_over(mean + i);
    fcps_posterior_expect(posterior, &utility, 1, points + 2 * i, &improvement);
    assert_near(sum[i], mean[i], 5 * deviation[i] / sqrt(DRAWS) + 0.01);
    assert_near(gain[i], improvement, 5 * deviation[i] / sqrt(DRAWS) + 0.01);
    assert_near(sqrt(squares[i] - sum[i] * sum[i]), deviation[i], 0.05);
  }
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

static void a_saved_model_answers_with_the_same_bits(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, &(world){.calm = 0.05, .reach = 1}, 30), *loaded = NULL;
  fcps_json *json = fcps_model_write(model);
  fcps_error error;
  assert_non_null(json);
  assert_ok(fcps_model_read(&loaded, &problem, json, &error));
  assert_ok(fcps_model_refresh(loaded));
  const double points[4] = {0.2, 0.9, 0.6, 0.3};
  double mean[2][2], deviation[2][2];
  for (int i = 0; i < 2; i++) {
    fcps_posterior *posterior = NULL;
    assert_ok(fcps_posterior_create(&posterior, i == 0 ? model : loaded, target, wind, &error));
    fcps_posterior_moments(posterior, 2, points, mean[i], deviation[i]);
    fcps_posterior_destroy(posterior);
  }
  assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
  assert_memory_equal(deviation[0], deviation[1], sizeof deviation[0]);
  fcps_json_destroy(json);
  fcps_model_destroy(loaded);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_predicts_outcomes_and_exact_rewards),
      cmocka_unit_test(the_expected_outcome_lies_within_its_bounds),
      cmocka_unit_test(gradients_agree_with_differences_with_any_penalty),
      cmocka_unit_test(absent_outcomes_are_learnt_from_the_environment_first),
      cmocka_unit_test(a_known_presence_rule_needs_no_rollouts),
      cmocka_unit_test(failures_push_the_reward_towards_the_worst),
      cmocka_unit_test(failures_that_are_taken_back_have_no_effect),
      cmocka_unit_test(a_failure_never_looks_better_than_the_mean),
      cmocka_unit_test(draws_scatter_as_moments_and_utilities_say),
      cmocka_unit_test(a_saved_model_answers_with_the_same_bits),
  };
  return cmocka_run_group_tests_name("model/outcome", tests, NULL, NULL);
}
