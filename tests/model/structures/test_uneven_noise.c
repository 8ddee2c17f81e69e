/* SPDX-License-Identifier: Apache-2.0 */
/* Noise that depends on the place. If outcomes vary more at some places, a model believes it, and then predicts quiet
 * places better and all places with the right deviation. If noise is the same everywhere, it does not. A saved model
 * continues with the same bits. */
#include "base/rng.h"
#include "check.h"
#include "model/beliefs.h"
#include "model/leave_one_out.h"
#include "model/model.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

#include <stdlib.h>

enum { TRIALS = 100, NEW = 400 };

static const double target[2] = {0.5, -0.6};

/* The deviation of the outcome of a trial with these parameters. */
typedef double deviation_fn(const double *parameters);

static double same(const double *parameters)
{
  (void)parameters;
  return 0.05;
}

/* A gripper that slips with strong pushes: from 0.005 to 0.5, a hundred times as much. */
static double slips(const double *parameters)
{
  return 0.005 * pow(100.0, parameters[1] / 1.5);
}

static void happen(const double *environment, const double *parameters, double deviation, fcps_rng *rng,
                   double *outcome)
{
  const double x = parameters[0] / 6.28, y = parameters[1] / 1.5;
  outcome[0] = sin(4 * x) + 0.6 * y * y + 0.3 * environment[0] + deviation * fcps_rng_normal(rng);
  outcome[1] = y - 0.5 * cos(3 * x) + deviation * fcps_rng_normal(rng);
}

static fcps_model *create(const fcps_problem *problem, bool looks_uneven)
{
  fcps_model *model = NULL;
  const fcps_model_settings settings = {
      .kernel = &fcps_kernel_se,
      .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_METRIC},
      .prior = USUAL_PRIOR(0.8),
      .structures = {.uneven_noise = looks_uneven ? FCPS_STRUCTURE_AUTO : FCPS_STRUCTURE_OFF},
      .fit = {.starts = 2, .budget = 40}};
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  return model;
}

static fcps_rng draw(int trial, double *environment, double *parameters)
{
  fcps_rng rng = fcps_rng_stream(1004, FCPS_PURPOSE_TEST, (uint64_t)trial);
  double u[3];
  fcps_rng_uniforms(&rng, 3, u);
  environment[0] = 0.6 * u[0] - 0.3;
  parameters[0] = 6.28 * u[1];
  parameters[1] = 1.5 * u[2];
  return rng;
}

/* Adds the trials from `first` to before `last`. */
static void add(fcps_model *model, deviation_fn *deviation, int first, int last)
{
  for (int i = first; i < last; i++) {
    double environment[1], parameters[2], outcome[2];
    fcps_rng rng = draw(i, environment, parameters);
    happen(environment, parameters, deviation(parameters), &rng, outcome);
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

static fcps_model *learn(const fcps_problem *problem, bool looks_uneven, deviation_fn *deviation)
{
  fcps_model *model = create(problem, looks_uneven);
  for (int i = 0; i < TRIALS; i += 25) {
    add(model, deviation, i, i + 25);
    fit(model);
  }
  return model;
}

/* Predictions of new trials on one side of the middle: how far the mean is from the outcome without noise, and how many
 * deviations (root mean square) the outcomes are from their means. */
typedef struct judged {
  double error, spread;
} judged;

static judged judge(const fcps_problem *problem, const fcps_model *model, deviation_fn *deviation, bool is_quiet)
{
  judged sums = {0};
  int count = 0;
  for (int i = 0; i < NEW; i++) {
    double environment[1], parameters[2], outcome[2], exact[2], x[2], mean[2], sd[2];
    fcps_posterior *posterior = NULL;
    fcps_error error;
    fcps_rng rng = draw(TRIALS + i, environment, parameters);
    if ((parameters[1] < 0.75) != is_quiet) continue;
    happen(environment, parameters, 0.0, &rng, exact);
    happen(environment, parameters, deviation(parameters), &rng, outcome);
    fcps_space_to_unit(&problem->parameters, parameters, x);
    assert_ok(fcps_posterior_create(&posterior, model, target, environment, &error));
    fcps_posterior_set_view(posterior, (fcps_penalty_view){.widening = (const double[]){1.0, 1.0}});
    assert_true(fcps_posterior_outcome(posterior, x, mean, sd));
    fcps_posterior_destroy(posterior);
    for (int j = 0; j < 2; j++) {
      sums.error += fabs(mean[j] - exact[j]);
      sums.spread += (outcome[j] - mean[j]) * (outcome[j] - mean[j]) / (sd[j] * sd[j]);
    }
    count += 2;
  }
  return (judged){sums.error / count, sqrt(sums.spread / count)};
}

static void quiet_places_are_predicted_better_and_all_with_the_right_deviation(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *even = learn(&problem, false, slips), *model = learn(&problem, true, slips);
  assert_true(believes(model, "uneven_noise"));
  assert_false(believes(even, "uneven_noise"));
  const judged quiet = judge(&problem, model, slips, true), before = judge(&problem, even, slips, true);
  const judged loud = judge(&problem, model, slips, false), loud_before = judge(&problem, even, slips, false);
  print_message("quiet places: error %.4f (even noise %.4f), spread %.2f (%.2f); loud ones: spread %.2f (%.2f)\n",
                quiet.error, before.error, quiet.spread, before.spread, loud.spread, loud_before.spread);
  assert_true(quiet.error < 0.7 * before.error);
  assert_in_range((int)(100 * quiet.spread), 70, 140);
  assert_in_range((int)(100 * loud.spread), 70, 140);
  assert_true(before.spread < 0.5); /* far too unsure of itself there */
  fcps_model_destroy(even);
  fcps_model_destroy(model);
}

static void even_noise_has_the_bits_of_a_model_that_never_looked(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *even = learn(&problem, false, same), *model = learn(&problem, true, same);
  assert_false(believes(model, "uneven_noise"));
  assert_memory_equal(fcps_model_gp(model, 0)->hyper, fcps_model_gp(even, 0)->hyper,
                      (size_t)FCPS_HYPER_COUNT(fcps_model_gp(even, 0)->dim) * sizeof(double));
  fcps_model_destroy(even);
  fcps_model_destroy(model);
}

static void a_restored_model_has_the_same_bits_and_goes_on(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = learn(&problem, true, slips), *restored = create(&problem, true), *loaded = NULL, *copy = NULL;
  fcps_error error;
  add(restored, slips, 0, TRIALS);
  fcps_json *state_of_model = fcps_model_write_state(model), *policy = fcps_model_write(model);
  assert_ok(fcps_model_read_state(restored, state_of_model, &error));
  assert_ok(fcps_model_read(&loaded, &problem, policy, &error));
  assert_ok(fcps_model_refresh(loaded));
  assert_ok(fcps_model_copy(model, &problem, &copy));
  const judged theirs = judge(&problem, model, slips, true);
  for (int i = 0; i < 2; i++) {
    const judged again = judge(&problem, i == 0 ? loaded : copy, slips, true);
    assert_memory_equal(&theirs, &again, sizeof again);
  }
  add(model, slips, TRIALS, TRIALS + 3);
  add(restored, slips, TRIALS, TRIALS + 3);
  assert_ok(fcps_model_refresh(model));
  assert_ok(fcps_model_refresh(restored));
  assert_memory_equal(fcps_model_gp(model, 0)->noise, fcps_model_gp(restored, 0)->noise, (TRIALS + 3) * sizeof(double));
  add(model, same, TRIALS + 3, TRIALS + 30);
  add(restored, same, TRIALS + 3, TRIALS + 30);
  fit(model);
  fit(restored);
  assert_memory_equal(fcps_model_gp(model, 0)->hyper, fcps_model_gp(restored, 0)->hyper,
                      (size_t)FCPS_HYPER_COUNT(fcps_model_gp(model, 0)->dim) * sizeof(double));
  assert_memory_equal(fcps_model_gp(model, 0)->noise, fcps_model_gp(restored, 0)->noise,
                      (TRIALS + 30) * sizeof(double));
  fcps_json_destroy(state_of_model);
  fcps_json_destroy(policy);
  fcps_model_destroy(model);
  fcps_model_destroy(restored);
  fcps_model_destroy(loaded);
  fcps_model_destroy(copy);
}

/* A model that believes what the results do not say. */
static void a_belief_is_left_where_the_results_speak_against_it(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *slipping = learn(&problem, true, slips), *model = create(&problem, true);
  fcps_json *belief = fcps_model_write_state(slipping);
  fcps_error error;
  add(model, same, 0, TRIALS);
  assert_ok(fcps_model_read_state(model, belief, &error));
  assert_true(believes(model, "uneven_noise"));
  add(model, same, TRIALS, TRIALS + 25);
  fit(model);
  assert_false(believes(model, "uneven_noise"));
  for (int i = 0; i < fcps_model_gp(model, 0)->count; i++)
    assert_true(fcps_model_gp(model, 0)->noise[i] == 0.0);
  fcps_json_destroy(belief);
  fcps_model_destroy(slipping);
  fcps_model_destroy(model);
}

/* Noise that was learnt beside a drift, whose order is an input more, serves until the next fit also if the drift is
 * believed no more: as in the middle of the order. */
static void noise_that_was_learnt_beside_a_drift_serves_without_it(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = create(&problem, true);
  const int drift = fcps_structure_find("drift"), uneven = fcps_structure_find("uneven_noise");
  const fcps_structure none = {0};
  fcps_description without;
  add(model, slips, 0, TRIALS);
  make_believe(model, "drift");
  fit(model);
  assert_true(believes(model, "uneven_noise") && believes(model, "drift"));
  assert_ok(fcps_description_with(&model->description, &model->layout, drift, &none, &without));
  assert_int_equal(without.inputs, 3);
  double *inputs = malloc(3 * sizeof *inputs);
  for (int i = 0; i < 10; i++) {
    double environment[1], parameters[2];
    draw(i, environment, parameters);
    fcps_layout_row(&model->layout, target, environment, parameters, inputs);
    const double middle[4] = {inputs[0], inputs[1], inputs[2], 0.5 * (TRIALS - 1) / 50.0};
    assert_near(fcps_description_noise_at(&without, 0, inputs),
                fcps_description_noise_at(&model->description, 0, middle), 1e-12);
  }
  free(inputs);
  fcps_description_destroy(&model->description); /* and in a model that goes on */
  model->description = without;
  assert_ok(fcps_model_rebuild(model, NULL, NULL));
  fit(model);
  assert_int_equal(fcps_model_gp(model, 0)->dim, 3);
  assert_true(fcps_description_has(&model->description, uneven));
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quiet_places_are_predicted_better_and_all_with_the_right_deviation),
      cmocka_unit_test(even_noise_has_the_bits_of_a_model_that_never_looked),
      cmocka_unit_test(a_restored_model_has_the_same_bits_and_goes_on),
      cmocka_unit_test(noise_that_was_learnt_beside_a_drift_serves_without_it),
      cmocka_unit_test(a_belief_is_left_where_the_results_speak_against_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
