/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/model/feasibility/failure_penalty.c through a posterior: the reward of a trial that may fail is a
 * mixture; its probabilities, and the caution of a choice. */
#include "model/feasibility/failure_penalty.h"

#include "base/rng.h"
#include "check.h"
#include "model/posterior/posterior_ops.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

#include <math.h>

static const double target[2] = {0.5, -0.6}, wind[1] = {0.1};
static const double places[][2] = {{0.2, 0.3}, {0.7, 0.85}, {0.95, 0.6}, {0.5, 0.62}};
enum { PLACES = sizeof places / sizeof *places };

/* Throws fail beyond `reach` of the distance, and have no outcome beyond `turn`. */
typedef struct world {
  double reach, turn;
} world;
static const world quiet = {9, 9}, worlds[] = {{1, 9}, {9, 3}, {1, 3}};
enum { WORLDS = sizeof worlds / sizeof *worlds };

static fcps_model *train(const fcps_problem *problem, const fcps_model_ops *kind, const world *w)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .circular = true,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_SHARED},
                                        .prior = USUAL_PRIOR(0.4),
                                        .fit = {.starts = 2, .budget = 25}};
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, kind, problem, &settings));
  for (int i = 0; i < 25; i++) {
    double x[3], environment[1], parameters[2], outcome[2];
    fcps_rng_uniforms(&rng, 3, x);
    fcps_space_from_unit(&problem->environment, x, environment);
    fcps_space_from_unit(&problem->parameters, x + 1, parameters);
    toy_throw(environment, parameters, outcome);
    const bool fails = parameters[1] > w->reach, is_absent = parameters[0] > w->turn;
    const fcps_rollout rollout = {.target = target,
                                  .environment = environment,
                                  .parameters = parameters,
                                  .outcome = fails || is_absent ? NULL : outcome,
                                  .reward = NAN,
                                  .hindsight_reward = NAN,
                                  .status = fails ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

static fcps_posterior *look(const fcps_model *model, fcps_penalty_view view)
{
  fcps_posterior *posterior = NULL;
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, NULL));
  fcps_posterior_set_view(posterior, view);
  return posterior;
}

/* The reward if nothing could go wrong: a model of the same rollouts that has forgotten all failures. */
static void clean_moments(fcps_model *model, const double *x, double *mean, double *deviation)
{
  const fcps_feasibility kept = model->feasibility;
  model->feasibility = (fcps_feasibility){0};
  fcps_posterior *posterior = look(model, (fcps_penalty_view){0});
  fcps_posterior_moments(posterior, 1, x, mean, deviation);
  fcps_posterior_destroy(posterior);
  model->feasibility = kept;
}

/* The rewards of an absent outcome and of a failure, as failure_penalty.h says. */
static double absent_reward(const fcps_problem *problem, const double *x)
{
  const bool is_present = false;
  const double none[2] = {NAN, NAN};
  double parameters[2], reward;
  fcps_space_from_unit(&problem->parameters, x, parameters);
  assert_ok(problem->reward(problem->user, 1, target, wind, parameters, none, &is_present, &reward));
  return reward;
}

static void a_trial_that_may_go_wrong_has_the_moments_of_a_mixture(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  for (int w = 0; w < WORLDS; w++) {
    fcps_model *model = train(&problem, &fcps_model_outcome, worlds + w);
    fcps_posterior *posterior = look(model, (fcps_penalty_view){.is_sober = true, .is_mixture = true});
    const fcps_reward_range *range = &posterior->penalty->reward_range;
    for (int i = 0; i < PLACES; i++) {
      double m, s, mean, deviation, outcome, success, square = 0.0, sum = 0.0;
      clean_moments(model, places[i], &m, &s);
      fcps_posterior_chances(posterior, 1, places[i], &outcome, &success);
      fcps_posterior_moments(posterior, 1, places[i], &mean, &deviation);
      assert_true(outcome > 0 && outcome <= 1 && success > 0 && success <= 1 && outcome * success < 1);

      /* one of three things happens; each has a chance, a mean and a second moment */
      const double absent = absent_reward(&problem, places[i]), ends = outcome * m + (1 - outcome) * absent;
      const double failed = fmin(range->worst, ends - range->spread);
      const double chances[] = {success * outcome, success * (1 - outcome), 1 - success};
      const double means[] = {m, absent, failed}, squares[] = {m * m + s * s, absent * absent, failed * failed};
      for (int k = 0; k < 3; k++) {
        sum += chances[k] * means[k];
        square += chances[k] * squares[k];
      }
      assert_near(mean, sum, 1e-9);
      assert_near(deviation, sqrt(square - sum * sum), 1e-7);

      /* and so say draws */
      enum { DRAWS = 200000 };
      fcps_rng rng = fcps_rng_stream(7, FCPS_PURPOSE_TEST, (uint64_t)i);
      double total = 0.0, total_square = 0.0;
      for (int k = 0; k < DRAWS; k++) {
        const double u = fcps_rng_uniform(&rng), z = fcps_rng_normal(&rng);
        const double reward = u < chances[0] ? m + s * z : u < chances[0] + chances[1] ? absent : failed;
        total += reward;
        total_square += reward * reward;
      }
      assert_near(mean, total / DRAWS, 5 * deviation / sqrt(DRAWS));
      assert_near(deviation, sqrt(total_square / DRAWS - total / DRAWS * total / DRAWS), 0.02 * deviation + 1e-3);
    }
    fcps_posterior_destroy(posterior);
    fcps_model_destroy(model);
  }
}

static void gradients_agree_with_differences_in_every_view(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const fcps_penalty_view views[] = {{0},
                                     {.is_sober = true, .is_mixture = true},
                                     {.is_sober = true, .caution = 1},
                                     {.is_sober = true, .caution = 2, .is_mixture = true}};
  const fcps_model_ops *const kinds[] = {&fcps_model_outcome, &fcps_model_rescored};
  for (int k = 0; k < 2 * WORLDS; k++) {
    fcps_model *model = train(&problem, kinds[k % 2], worlds + k / 2);
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
      fcps_posterior *posterior = look(model, views[v]);
      for (int i = 0; i < PLACES; i++)
        for (int d = 0; d < 2; d++) {
          const double h = 1e-5;
          double mean, deviation, by_mean[2], by_deviation[2], m[2], s[2];
          double points[4] = {places[i][0], places[i][1], places[i][0], places[i][1]};
          points[d] += h;
          points[2 + d] -= h;
          fcps_posterior_gradient(posterior, places[i], &mean, &deviation, by_mean, by_deviation);
          fcps_posterior_moments(posterior, 2, points, m, s);
          assert_near(by_mean[d], (m[0] - m[1]) / (2 * h), 1e-4);
          assert_near(by_deviation[d], (s[0] - s[1]) / (2 * h), 1e-4);
        }
      fcps_posterior_destroy(posterior);
    }
    fcps_model_destroy(model);
  }
}

/* and chances are those without it */
static void caution_lowers_the_mean_where_a_trial_may_go_wrong(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, &fcps_model_outcome, worlds + 2);
  for (int i = 0; i < PLACES; i++) {
    double last = INFINITY, mean, outcome[2], success[2];
    for (int caution = 0; caution < 4; caution++) {
      fcps_posterior *posterior = look(model, (fcps_penalty_view){.is_sober = true, .caution = caution});
      fcps_posterior_moments(posterior, 1, places[i], &mean, NULL);
      assert_true(mean < last || caution == 1); /* the first step also leaves the belief that all places are alike */
      last = mean;
      fcps_posterior_chances(posterior, 1, places[i], outcome + (caution > 0), success + (caution > 0));
      assert_true(caution == 0 || (outcome[0] == outcome[1] && success[0] == success[1]));
      fcps_posterior_destroy(posterior);
    }
  }
  fcps_model_destroy(model);
}

static void where_nothing_went_wrong_nothing_is_weighed(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, &fcps_model_outcome, &quiet);
  fcps_posterior *plain = look(model, (fcps_penalty_view){0});
  fcps_posterior *trial = look(model, (fcps_penalty_view){.is_sober = true, .caution = 3, .is_mixture = true});
  for (int i = 0; i < PLACES; i++) {
    double mean[2], deviation[2], outcome, success;
    fcps_posterior_moments(plain, 1, places[i], mean, deviation);
    fcps_posterior_moments(trial, 1, places[i], mean + 1, deviation + 1);
    fcps_posterior_chances(trial, 1, places[i], &outcome, &success);
    assert_true(mean[0] == mean[1] && deviation[0] == deviation[1] && outcome == 1.0 && success == 1.0);
  }
  fcps_posterior_destroy(plain);
  fcps_posterior_destroy(trial);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_trial_that_may_go_wrong_has_the_moments_of_a_mixture),
      cmocka_unit_test(gradients_agree_with_differences_in_every_view),
      cmocka_unit_test(caution_lowers_the_mean_where_a_trial_may_go_wrong),
      cmocka_unit_test(where_nothing_went_wrong_nothing_is_weighed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
