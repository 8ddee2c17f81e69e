/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/search/search.c: searching a posterior's parameters if one of them is an integer, compared with a fine
 * grid of all allowed values; and a search from one candidate. */
#include "base/rng.h"
#include "check.h"
#include "search/search.h"
#include "space/space.h"
#include "usual_prior.h"

static const fcps_dimension wish[] = {{.name = "wish", .lower = 0, .upper = 1}};
static const fcps_dimension gear[] = {{.name = "share", .lower = 0, .upper = 1},
                                      {.name = "teeth", .lower = 1, .upper = 5, .scale = FCPS_SCALE_INTEGER}};
static const fcps_dimension turned[] = {{.name = "turned"}};
static const double target[1] = {0.47};

static fcps_status reward(void *user, int count, const double *targets, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -(outcomes[i] - targets[0]) * (outcomes[i] - targets[0]);
  return FCPS_OK;
}

static const fcps_problem problem = {
    .target = {1, wish}, .parameters = {2, gear}, .outcome = {1, turned}, .reward = reward};

static fcps_model *train(const fcps_model_ops *ops)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_SHARED},
                                        .prior = USUAL_PRIOR(0.4),
                                        .fit = {.starts = 2, .budget = 25}};
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, ops, &problem, &settings));
  fcps_rng rng = fcps_rng_stream(6, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < 20; i++) {
    double x[2], parameters[2];
    fcps_rng_uniforms(&rng, 2, x);
    fcps_space_from_unit(&problem.parameters, x, parameters);
    const double outcome[1] = {0.2 * parameters[0] * parameters[1]};
    const fcps_rollout rollout = {.target = target,
                                  .parameters = parameters,
                                  .outcome = outcome,
                                  .reward = -(outcome[0] - target[0]) * (outcome[0] - target[0])};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

static double worth(fcps_posterior *posterior, double kappa, const double *x)
{
  double mean, deviation;
  fcps_posterior_moments(posterior, 1, x, &mean, &deviation);
  return mean + kappa * deviation;
}

/* The same to a search. */
static double optimistic(const void *user, double mean, double deviation, double *by_mean, double *by_deviation)
{
  *by_mean = 1.0;
  *by_deviation = *(const double *)user;
  return mean + *by_deviation * deviation;
}

static double best_of_grid(fcps_posterior *posterior, double kappa)
{
  double best = -INFINITY;
  for (int level = 0; level < 5; level++)
    for (int i = 0; i <= 500; i++)
      best = fmax(best, worth(posterior, kappa, (double[]){i / 500.0, (level + 0.5) / 5}));
  return best;
}

static void the_best_on_levels_is_found(void **state)
{
  (void)state;
  const fcps_model_ops *models[] = {&fcps_model_joint, &fcps_model_rescored, &fcps_model_outcome};
  const fcps_search_kind kinds[] = {FCPS_SEARCH_MULTISTART, FCPS_SEARCH_DIRECT};
  const double centre[2] = {0.5, 0.5};
  for (int m = 0; m < 3; m++) {
    fcps_model *model = train(models[m]);
    fcps_posterior *posterior = NULL;
    fcps_error error;
    assert_ok(fcps_posterior_create(&posterior, model, target, NULL, &error));
    for (int k = 0; k < 2; k++)
      for (int c = 0; c < 4; c++) {
        const double kappa = k;
        const fcps_search_settings search = {.kind = kinds[c % 2],
                                             .candidates = 300,
                                             .starts = 3,
                                             .local_budget = 30,
                                             .centre = c < 2 ? NULL : centre,
                                             .side = 1.0};
        fcps_optimum optimum;
        double x[2], parameters[2], back[2];
        const fcps_moment_objective objective = {.value = optimistic, .needs_deviation = kappa > 0, .user = &kappa};
        assert_ok(
            fcps_search_moments(posterior, &objective, &search, fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0), x, &optimum));
        fcps_space_from_unit(&problem.parameters, x, parameters);
        fcps_space_to_unit(&problem.parameters, parameters, back);
        assert_near(back[1], x[1], 1e-15); /* nothing is rounded afterwards */
        assert_near(optimum.value, worth(posterior, kappa, x), 1e-9);
        assert_true(optimum.value > best_of_grid(posterior, kappa) - 2e-3);
      }
    fcps_posterior_destroy(posterior);
    fcps_model_destroy(model);
  }
}

/* The sum of the coordinates: it rises with every step. */
static double sum_of(void *user, int n, const double *x, double *gradient)
{
  double sum = 0.0;
  (void)user;
  for (int d = 0; d < n; d++) {
    sum += x[d];
    if (gradient != NULL) gradient[d] = 1.0;
  }
  return sum;
}

static void sums_of(void *user, int n, int count, const double *points, double *values)
{
  for (int i = 0; i < count; i++)
    values[i] = sum_of(user, n, points + i * n, NULL);
}

/* With more coordinates on levels than neighbours are tried of. */
static void the_least_box_reaches_the_next_level(void **state)
{
  (void)state;
  enum { MANY = 9, LEVELS = 5 };
  double centre[MANY], levels[MANY], x[MANY];
  for (int d = 0; d < MANY; d++) {
    centre[d] = 0.5; /* the third level */
    levels[d] = LEVELS;
  }
  const fcps_search_settings search = {.kind = FCPS_SEARCH_MULTISTART,
                                       .candidates = 50,
                                       .starts = 3,
                                       .local_budget = 30,
                                       .centre = centre,
                                       .side = 0.05};
  const fcps_objective objective = {.n = MANY, .value = sum_of, .batch = sums_of, .levels = levels, .value_scale = 1.0};
  fcps_optimum optimum;
  assert_ok(fcps_search_maximize(&search, &objective, fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0), x, &optimum));
  for (int d = 0; d < MANY; d++)
    assert_near(x[d], 0.7, 1e-9);
}

/* mean + 3 deviation + deviation^2, to show that any function will do that grows with the deviation. */
static double curved(const void *user, double mean, double deviation, double *by_mean, double *by_deviation)
{
  (void)user;
  *by_mean = 1.0;
  *by_deviation = 3.0 + 2.0 * deviation;
  return mean + deviation * (3.0 + deviation);
}

static double curved_at(fcps_posterior *posterior, double share, double teeth)
{
  double mean, deviation, by_mean, by_deviation;
  fcps_posterior_moments(posterior, 1, (double[]){share, teeth}, &mean, &deviation);
  return curved(NULL, mean, deviation, &by_mean, &by_deviation);
}

/* Where gradients were wrong a search would end on a slope. */
static void a_search_from_one_candidate_ends_where_the_value_is_flat(void **state)
{
  (void)state;
  const fcps_model_ops *models[] = {&fcps_model_joint, &fcps_model_rescored, &fcps_model_outcome};
  const fcps_search_settings search = {.starts = 1, .local_budget = 200};
  const fcps_moment_objective objective = {.value = curved, .needs_deviation = true};
  for (int m = 0; m < 3; m++) {
    fcps_model *model = train(models[m]);
    fcps_posterior *posterior = NULL;
    fcps_error error;
    assert_ok(fcps_posterior_create(&posterior, model, target, NULL, &error));
    for (int start = 0; start < 5; start++) {
      const double from[2] = {0.15 + 0.17 * start, (start + 0.5) / 5}, known = curved_at(posterior, from[0], from[1]);
      fcps_optimum optimum;
      double x[2];
      assert_ok(fcps_search_moments_from(posterior, &objective, &search, &(fcps_scored_points){1, from, &known}, x,
                                         &optimum));
      assert_true(optimum.value >= known);
      assert_near(optimum.value, curved_at(posterior, x[0], x[1]), 1e-9);
      const double step = 1e-5, low = curved_at(posterior, fmax(x[0] - step, 0.0), x[1]),
                   high = curved_at(posterior, fmin(x[0] + step, 1.0), x[1]);
      assert_true(low <= optimum.value + 1e-7 && high <= optimum.value + 1e-7);
    }
    fcps_posterior_destroy(posterior);
    fcps_model_destroy(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_on_levels_is_found),
      cmocka_unit_test(the_least_box_reaches_the_next_level),
      cmocka_unit_test(a_search_from_one_candidate_ends_where_the_value_is_flat),
  };
  return cmocka_run_group_tests_name("search/search", tests, NULL, NULL);
}
