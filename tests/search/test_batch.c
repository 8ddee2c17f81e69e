/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for many targets side by side find the same as searches one by one, with every failure penalty. */
#include "base/rng.h"
#include "check.h"
#include "model/model.h"
#include "problem/reward.h"
#include "search/batch.h"
#include "space/points.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

enum { TARGETS = 90, CANDIDATES = 300 };
static const fcps_search_settings search = {.candidates = CANDIDATES, .starts = 3, .local_budget = 25};

/* A model of `count` throws, those beyond `reach` failed, those in a wind above `calm` without outcome. */
static fcps_model *train(const fcps_problem *problem, int count, double reach, double calm)
{
  static const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                               .circular = true,
                                               .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_SHARED},
                                               .prior = USUAL_PRIOR(0.4),
                                               .fit = {.starts = 2, .budget = 25}};
  fcps_model *model;
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  for (int i = 0; i < count; i++) {
    double x[3], environment[1], parameters[2], outcome[2];
    fcps_rng_uniforms(&rng, 3, x);
    fcps_space_from_unit(&problem->environment, x, environment);
    fcps_space_from_unit(&problem->parameters, x + 1, parameters);
    toy_throw(environment, parameters, outcome);
    const bool fails = parameters[1] > reach, absent = environment[0] > calm;
    const fcps_rollout rollout = {.target = outcome,
                                  .environment = environment,
                                  .parameters = parameters,
                                  .outcome = fails || absent ? NULL : outcome,
                                  .reward = NAN,
                                  .hindsight_reward = NAN,
                                  .status = fails ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK};
    assert_ok(fcps_model_add(model, &rollout));
  }
  fcps_fit_result result;
  fcps_error error;
  static const double target[2] = {0};
  assert_ok(fcps_model_fit(model, 1, target, fcps_rng_stream(1, FCPS_PURPOSE_FIT, 1), &result, &error));
  assert_ok(fcps_model_refresh(model));
  return model;
}

/* Contexts with targets all over the place; `each` of them share a wind. */
typedef struct contexts {
  double targets[2 * TARGETS], winds[TARGETS];
} contexts;

static contexts lay_contexts(int each)
{
  contexts all;
  for (int i = 0; i < TARGETS; i++) {
    all.targets[2 * i] = -0.9 + 0.02 * i;
    all.targets[2 * i + 1] = 0.8 * sin(0.7 * i);
    all.winds[i] = 0.12 - 0.004 * (i / each);
  }
  return all;
}

/* The best parameters in every context, with what is expected of them; how many looks it took. */
static int answer_all(const fcps_model *model, const contexts *all, double *best, double *means, double *deviations)
{
  double candidates[2 * CANDIDATES];
  fcps_rng rng = fcps_rng_stream(9, FCPS_PURPOSE_TEST, 0);
  fcps_error error;
  fcps_batch *batch;
  int looks = 0;
  fcps_points_uniform(&rng, 2, CANDIDATES, candidates);
  assert_ok(fcps_batch_create(&batch, model, CANDIDATES, candidates, &error));
  for (int i = 0, taken; i < TARGETS; i += taken, looks++) {
    assert_ok(fcps_batch_set_contexts(batch, TARGETS - i, all->targets + 2 * i, all->winds + i, &taken));
    assert_in_range(taken, 1, TARGETS - i);
    assert_true(fcps_batch_can_maximize(batch));
    assert_ok(fcps_batch_maximize(batch, &search, best + 2 * i));
    assert_ok(fcps_batch_predict(batch, best + 2 * i, means + i, deviations + i));
  }
  fcps_batch_destroy(batch);
  return looks;
}

/* Both ways in every context: none side by side may earn less by more than `loss`, nor predict something else there. */
static void compare_within(const fcps_model *model, int each, int looks, double loss)
{
  const contexts all = lay_contexts(each);
  double best[2 * TARGETS], means[TARGETS], deviations[TARGETS];
  assert_int_equal(answer_all(model, &all, best, means, deviations), looks);
  for (int i = 0; i < TARGETS; i++) {
    fcps_posterior *posterior;
    fcps_optimum optimum;
    fcps_error error;
    double x[2], mean, deviation;
    assert_ok(fcps_posterior_create(&posterior, model, all.targets + 2 * i, all.winds + i, &error));
    assert_ok(fcps_search_moments(posterior, &fcps_moment_objective_mean, &search,
                                  fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0), x, &optimum));
    assert_true(means[i] >= optimum.value - loss);
    fcps_posterior_moments(posterior, 1, best + 2 * i, &mean, &deviation);
    assert_near(means[i], mean, 1e-9);
    assert_near(deviations[i], deviation, 1e-7);
    fcps_posterior_destroy(posterior);
  }
}

static void compare(const fcps_model *model, int each, int looks)
{
  compare_within(model, each, looks, 1e-3);
}

static fcps_problem distance_problem(void)
{
  fcps_problem problem = toy_problem();
  problem.is_distance = true;
  return problem;
}

static void side_by_side_nothing_is_lost(void **state)
{
  (void)state;
  const fcps_problem problem = distance_problem();
  static const int sizes[] = {4, 20, 120};
  for (int i = 0; i < 3; i++) {
    fcps_model *model = train(&problem, sizes[i], 9, 9);
    compare(model, TARGETS, 1);
    compare(model, 1, 1);
    compare(model, 3, 1);
    compare(model, 15, 6);
    fcps_model_destroy(model);
  }
}

/* The toy seen from a cart that the wind moves, with an effort that it changes. */
static fcps_status cart_achieved(void *user, int count, const double *environments, const double *outcomes,
                                 double *targets)
{
  (void)user;
  for (int i = 0; i < count; i++) {
    targets[2 * i] = outcomes[2 * i] - 2 * environments[i];
    targets[2 * i + 1] = outcomes[2 * i + 1] + environments[i];
  }
  return FCPS_OK;
}

static fcps_status cart_reward(void *user, int count, const double *target, const double *environments,
                               const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)present;
  for (int i = 0; i < count; i++) {
    double seen[2];
    cart_achieved(user, 1, environments + i, outcomes + 2 * i, seen);
    rewards[i] =
        -hypot(target[0] - seen[0], target[1] - seen[1]) - 0.2 * (1 + 3 * environments[i]) * parameters[2 * i + 1];
  }
  return FCPS_OK;
}

static void every_environment_has_its_own_reward(void **state)
{
  (void)state;
  fcps_problem problem = distance_problem();
  problem.achieved = cart_achieved;
  problem.reward = cart_reward;
  fcps_model *model = train(&problem, 60, 9, 9);
  compare(model, 1, 1);
  compare(model, 7, 1);
  fcps_model_destroy(model);
}

static void nor_where_trials_fail_or_have_no_outcome(void **state)
{
  (void)state;
  const fcps_problem problem = distance_problem();
  fcps_model *model = train(&problem, 60, 1.1, 0.2);
  assert_non_null(model->feasibility.feasible);
  assert_non_null(model->feasibility.present);
  compare(model, TARGETS, 1);
  compare(model, 1, 1);
  fcps_model_destroy(model);
}

/* the bits of an answer may depend on the block that its context is in, not the answer; a few targets are not worth the
 * variances of all candidates, and get to the same starts by bounds */
static void a_context_is_answered_the_same_in_any_company(void **state)
{
  (void)state;
  const fcps_problem problem = distance_problem();
  fcps_model *model = train(&problem, 50, 9, 9);
  static const int shares[] = {TARGETS, 1};
  for (int s = 0; s < 2; s++) {
    const contexts all = lay_contexts(shares[s]);
    double together[2 * TARGETS], alone[2 * TARGETS], means[TARGETS], deviations[TARGETS];
    answer_all(model, &all, together, means, deviations);
    for (int i = 0; i < TARGETS; i += 11) {
      contexts one = lay_contexts(1);
      for (int j = 0; j < TARGETS; j++) { /* others around it */
        one.targets[2 * j] = j == i ? all.targets[2 * i] : 0.01 * j;
        one.targets[2 * j + 1] = j == i ? all.targets[2 * i + 1] : -0.3;
        one.winds[j] = j == i ? all.winds[i] : -0.001 * j;
      }
      answer_all(model, &one, alone, means, deviations);
      assert_near(alone[2 * i], together[2 * i], 1e-7);
      assert_near(alone[2 * i + 1], together[2 * i + 1], 1e-7);
    }
  }
  fcps_model_destroy(model);
}

/* Formulas of every kind: in closed form, with nodes in one dimension and in two, with kinks there, with terms that
 * depend on the target. */
static void nor_where_the_reward_is_a_formula(void **state)
{
  (void)state;
  static const char *const texts[] = {"-abs(land_x - x) - abs(land_y - y) - 0.1*distance",
                                      "present ? -2*abs(land_x - x) - abs(land_y - y) - 0.1*(1 + x)*distance : -6",
                                      "-(land_x - x)^2 - abs(land_y - y) - 0.1*distance",
                                      "-sqrt((land_x - x)^2 + (land_y - y)^2) - 0.1*distance",
                                      "-max(abs(land_x - x), abs(land_y - y)) - 0.1*distance",
                                      "3*land_x + land_y - wind - (land_x - x)^2"};
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    fcps_problem problem = toy_problem();
    fcps_reward *reward;
    fcps_error error;
    assert_ok(fcps_reward_create(&reward, &problem, texts[t], NULL, &error));
    fcps_model *model = train(&problem, 60, 9, 9), *failing = train(&problem, 60, 1.1, 0.2);
    compare(model, TARGETS, 1);
    compare(model, 1, 1);
    compare(model, 15, 6);
    compare_within(failing, TARGETS, 1, 0.01);
    compare_within(failing, 3, 1, 0.01);
    fcps_model_destroy(model);
    fcps_model_destroy(failing);
    fcps_reward_destroy(reward);
  }
}

/* Without an outcome nothing is known to bend, and a jump has too many hills: searches one by one. */
static void formulas_without_outcome_or_with_jumps_are_left_to_others(void **state)
{
  (void)state;
  static const char *const texts[] = {"-(distance - x)^2", "land_x > x ? 1 - abs(land_y - y) : -1",
                                      "x < 0.2 ? -abs(land_x - x) : floor(land_y)"};
  const double candidate[2] = {0.5, 0.5}, targets[] = {0.1, 0.2, 0.3, 0.4}, winds[] = {0.1, 0.1};
  for (int t = 0; t < 3; t++) {
    fcps_problem problem = toy_problem();
    fcps_reward *reward;
    fcps_error error;
    fcps_batch *batch;
    int taken;
    assert_ok(fcps_reward_create(&reward, &problem, texts[t], NULL, &error));
    fcps_model *model = train(&problem, 10, 9, 9);
    assert_ok(fcps_batch_create(&batch, model, 1, candidate, &error));
    assert_ok(fcps_batch_set_contexts(batch, 2, targets, winds, &taken));
    assert_false(fcps_batch_can_maximize(batch));
    fcps_batch_destroy(batch);
    fcps_model_destroy(model);
    fcps_reward_destroy(reward);
  }
}

/* the toy without its promise: rewards are sums over nodes, which have no known curvature */
static void rewards_without_a_closed_form_are_left_to_others(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, 10, 9, 9);
  const double candidate[2] = {0.5, 0.5}, targets[] = {0.1, 0.2, 0.3, 0.4}, winds[] = {0.1, -0.1};
  fcps_error error;
  fcps_batch *batch;
  int taken;
  assert_ok(fcps_batch_create(&batch, model, 1, candidate, &error));
  assert_ok(fcps_batch_set_contexts(batch, 2, targets, winds, &taken));
  assert_int_equal(taken, 1);
  assert_false(fcps_batch_can_maximize(batch));
  fcps_batch_destroy(batch);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(side_by_side_nothing_is_lost),
      cmocka_unit_test(every_environment_has_its_own_reward),
      cmocka_unit_test(nor_where_trials_fail_or_have_no_outcome),
      cmocka_unit_test(a_context_is_answered_the_same_in_any_company),
      cmocka_unit_test(nor_where_the_reward_is_a_formula),
      cmocka_unit_test(formulas_without_outcome_or_with_jumps_are_left_to_others),
      cmocka_unit_test(rewards_without_a_closed_form_are_left_to_others),
  };
  return cmocka_run_group_tests_name("search/batch", tests, NULL, NULL);
}
