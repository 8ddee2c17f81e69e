/* SPDX-License-Identifier: Apache-2.0 */
/* A short kernel on top of the wide one: chosen where the outcomes have something local, and then they are predicted better;
 * not chosen where they are smooth; and a saved model goes on as it would have. */
#include "base/rng.h"
#include "check.h"
#include "model/composite/local.h"
#include "model/save.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

#include <stdlib.h>

enum { TRIALS = 100, NEW = 200 };

static const double target[2] = {0.5, -0.6};

typedef void outcome_fn(const double *environment, const double *parameters, double *outcome);

/* A hillside with bumps. */
static void roll_over_bumps(const double *environment, const double *parameters, double *outcome)
{
  const double x = parameters[0] / 6.28, y = parameters[1] / 1.5;
  const double bumps = 0.15 * sin(16 * x) * sin(16 * y);
  outcome[0] = x + 0.6 * y * y + 0.3 * environment[0] + bumps;
  outcome[1] = y - 0.5 * x * x + bumps;
}

static fcps_model *create(const fcps_problem *problem, bool looks_local)
{
  fcps_model *model = NULL;
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_METRIC},
                                        .prior = USUAL_PRIOR(0.8),
                                        .looks_local = looks_local,
                                        .fit = {.starts = 2, .budget = 40}};
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  return model;
}

static void draw(int trial, double *environment, double *parameters)
{
  fcps_rng rng = fcps_rng_stream(1004, FCPS_PURPOSE_TEST, (uint64_t)trial);
  double u[3];
  fcps_rng_uniforms(&rng, 3, u);
  environment[0] = 0.6 * u[0] - 0.3;
  parameters[0] = 6.28 * u[1];
  parameters[1] = 1.5 * u[2];
}

/* Adds the trials from `first` to before `last`. */
static void add(fcps_model *model, outcome_fn *happen, int first, int last)
{
  for (int i = first; i < last; i++) {
    double environment[1], parameters[2], outcome[2];
    draw(i, environment, parameters);
    happen(environment, parameters, outcome);
    const fcps_rollout rollout = {
        .target = target, .environment = environment, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_model_add(model, &rollout));
  }
}

static void fit(fcps_model *model)
{
  fcps_fit_result result;
  const fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_FIT, (uint64_t)model->training.count);
  assert_ok(fcps_model_fit(model, 1, target, rng, &result, NULL));
  assert_ok(fcps_model_refresh(model));
}

static fcps_model *learn(const fcps_problem *problem, bool looks_local, outcome_fn *happen)
{
  fcps_model *model = create(problem, looks_local);
  for (int i = 0; i < TRIALS; i += 25) {
    add(model, happen, i, i + 25);
    fit(model);
  }
  return model;
}

/* What the model expects to miss a new outcome by, on average, when that outcome is the target. */
static double expected_miss(const fcps_problem *problem, const fcps_model *model, outcome_fn *happen)
{
  double miss = 0.0;
  for (int i = 0; i < NEW; i++) {
    double environment[1], parameters[2], outcome[2], x[2], mean, deviation;
    fcps_posterior *posterior = NULL;
    fcps_error error;
    draw(TRIALS + i, environment, parameters);
    happen(environment, parameters, outcome);
    fcps_space_to_unit(&problem->parameters, parameters, x);
    assert_ok(fcps_posterior_create(&posterior, model, outcome, environment, &error));
    fcps_posterior_moments(posterior, 1, x, &mean, &deviation);
    fcps_posterior_destroy(posterior);
    miss -= mean / NEW;
  }
  return miss;
}

static void bumps_are_found_and_predicted_better(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *wide = learn(&problem, false, roll_over_bumps), *model = learn(&problem, true, roll_over_bumps);
  assert_true(fcps_local_is_chosen(model));
  assert_false(fcps_local_is_chosen(wide));
  const double with = expected_miss(&problem, model, roll_over_bumps);
  const double without = expected_miss(&problem, wide, roll_over_bumps);
  print_message("expected miss with a short kernel %.4f, without %.4f\n", with, without);
  assert_true(with < without);
  fcps_model_destroy(wide);
  fcps_model_destroy(model);
}

static void what_is_smooth_has_the_bits_of_a_model_that_never_looked(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *wide = learn(&problem, false, toy_throw), *model = learn(&problem, true, toy_throw);
  assert_false(fcps_local_is_chosen(model));
  assert_memory_equal(model->gp->hyper, wide->gp->hyper, (size_t)FCPS_HYPER_COUNT(wide->gp->dim) * sizeof(double));
  fcps_model_destroy(wide);
  fcps_model_destroy(model);
}

static void a_restored_model_has_the_same_bits_and_goes_on(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = learn(&problem, true, roll_over_bumps), *restored = create(&problem, true), *loaded = NULL;
  fcps_error error;
  add(restored, roll_over_bumps, 0, TRIALS);
  fcps_json *state_of_model = fcps_model_write_state(model), *policy = fcps_model_write(model);
  assert_ok(fcps_model_read_state(restored, state_of_model, &error));
  assert_ok(fcps_model_read(&loaded, &problem, policy, &error));
  assert_ok(fcps_model_refresh(loaded));
  assert_true(fcps_local_is_chosen(restored));
  assert_ptr_equal(loaded->settings.kernel, &fcps_kernel_se_short);
  const double theirs = expected_miss(&problem, model, roll_over_bumps);
  const double again = expected_miss(&problem, loaded, roll_over_bumps);
  assert_memory_equal(&theirs, &again, sizeof again);
  add(model, toy_throw, TRIALS, TRIALS + 30);
  add(restored, toy_throw, TRIALS, TRIALS + 30);
  fit(model);
  fit(restored);
  assert_memory_equal(model->gp->hyper, restored->gp->hyper, (size_t)FCPS_HYPER_COUNT(model->gp->dim) * sizeof(double));
  assert_ptr_equal(model->gp->kernel, restored->gp->kernel);
  fcps_json_destroy(state_of_model);
  fcps_json_destroy(policy);
  fcps_model_destroy(model);
  fcps_model_destroy(restored);
  fcps_model_destroy(loaded);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bumps_are_found_and_predicted_better),
      cmocka_unit_test(what_is_smooth_has_the_bits_of_a_model_that_never_looked),
      cmocka_unit_test(a_restored_model_has_the_same_bits_and_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
