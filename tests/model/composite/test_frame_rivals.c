/* SPDX-License-Identifier: Apache-2.0 */
/* Averages over frames: who has a say, with which share, and that a model which was saved averages alike. */
#include "base/rng.h"
#include "check.h"
#include "model/composite/frame_rivals.h"
#include "model/model.h"
#include "model/save.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

#include <math.h>

/* A model of five throws that turn with their angle. */
static fcps_model *create(const fcps_problem *problem)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .circular = true,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_METRIC},
                                        .prior = USUAL_PRIOR(0.4),
                                        .fit = {.starts = 2, .budget = 25},
                                        .frame = {.kind = FCPS_FRAME_AUTO}};
  const double target[2] = {0, 0}, wind[1] = {0};
  fcps_model *model = NULL;
  fcps_fit_result result;
  fcps_error error;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  for (int i = 0; i < 5; i++) {
    fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, (uint64_t)i);
    double x[2], parameters[2];
    fcps_rng_uniforms(&rng, 2, x);
    fcps_space_from_unit(&problem->parameters, x, parameters);
    const double outcome[2] = {parameters[1] * cos(parameters[0]), parameters[1] * sin(parameters[0])};
    const fcps_rollout rollout = {.target = target,
                                  .environment = wind,
                                  .parameters = parameters,
                                  .outcome = outcome,
                                  .reward = NAN,
                                  .hindsight_reward = NAN};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_fit(model, 1, target, fcps_rng_stream(1, FCPS_PURPOSE_FIT, 1), &result, &error));
  assert_int_equal(model->frame_choice.active, 1);
  return model;
}

/* As if the frame in use led none by `none` nats and the other frame by `other`. */
static void set_leads(fcps_model *model, double none, double other)
{
  assert_int_equal(model->frame_choice.count, 3);
  model->frame_choice.scores[0] = model->frame_choice.scores[1] - none;
  model->frame_choice.scores[2] = model->frame_choice.scores[1] - other;
  fcps_hyper_samples_drop_members(model);
  assert_ok(fcps_model_refresh(model));
}

static void find_moments(const fcps_model *model, const double *x, double *mean, double *deviation)
{
  const double target[2] = {0.4, -0.7}, wind[1] = {0.1};
  fcps_posterior *posterior = NULL;
  fcps_error error;
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
  fcps_posterior_moments(posterior, 1, x, mean, deviation);
  fcps_posterior_destroy(posterior);
}

static void frames_have_a_say_while_the_evidence_is_undecided(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = create(&problem);
  set_leads(model, 4, 50);
  assert_int_equal(fcps_hyper_samples_models(model), 1);
  set_leads(model, 1, 50);
  assert_int_equal(fcps_hyper_samples_models(model), 2);
  assert_int_equal(fcps_hyper_samples_model(model, 1)->frame_choice.active, 0);
  set_leads(model, 2, 1);
  assert_int_equal(fcps_hyper_samples_models(model), 3);
  assert_int_equal(fcps_hyper_samples_model(model, 1)->frame_choice.active, 2);
  assert_int_equal(fcps_hyper_samples_model(model, 2)->frame_choice.active, 0);
  fcps_model_destroy(model);
}

static void a_model_in_which_nothing_turns_averages_over_nothing(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = create(&problem);
  assert_ok(fcps_frame_choice_set(model, 0));
  set_leads(model, 0, 0);
  assert_int_equal(fcps_hyper_samples_models(model), 1);
  fcps_model_destroy(model);
}

static void answers_are_weighted_by_the_odds(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = create(&problem);
  set_leads(model, 1, 2);
  const double odds[3] = {1, exp(-1), exp(-2)}, sum = odds[0] + odds[1] + odds[2];
  const double x[2] = {0.3, 0.6};
  double expected[2] = {0, 0}, mean, deviation;
  for (int i = 0; i < 3; i++) {
    assert_near(fcps_hyper_samples_share(model, i), odds[i] / sum, 1e-15);
    if (i == 0) continue;
    find_moments(fcps_hyper_samples_model(model, i), x, &mean, &deviation);
    expected[0] += odds[i] / sum * mean;
    expected[1] += odds[i] / sum * deviation;
  }
  double both[2];
  find_moments(model, x, both, both + 1);
  set_leads(model, 50, 50);
  find_moments(model, x, &mean, &deviation);
  assert_near(both[0], expected[0] + odds[0] / sum * mean, 1e-12);
  assert_near(both[1], expected[1] + odds[0] / sum * deviation, 1e-12);
  fcps_model_destroy(model);
}

static void a_saved_model_averages_alike(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = create(&problem), *loaded = NULL;
  fcps_error error;
  set_leads(model, 1, 2);
  fcps_json *json = fcps_model_write(model);
  assert_ok(fcps_model_read(&loaded, &problem, json, &error));
  assert_ok(fcps_model_refresh(loaded));
  fcps_json_destroy(json);
  assert_int_equal(fcps_hyper_samples_models(loaded), 3);
  for (int i = 0; i < 10; i++) {
    const double x[2] = {i / 10.0, fmod(0.37 * i, 1.0)};
    double a[2], b[2];
    find_moments(model, x, a, a + 1);
    find_moments(loaded, x, b, b + 1);
    assert_true(a[0] == b[0] && a[1] == b[1]);
  }
  fcps_model_destroy(loaded);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_have_a_say_while_the_evidence_is_undecided),
      cmocka_unit_test(a_model_in_which_nothing_turns_averages_over_nothing),
      cmocka_unit_test(answers_are_weighted_by_the_odds),
      cmocka_unit_test(a_saved_model_averages_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
