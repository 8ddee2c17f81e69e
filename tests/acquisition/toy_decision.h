/* SPDX-License-Identifier: Apache-2.0 */
/* A model of random throws of the toy problem, and the choice of an acquisition with it. */
#ifndef FCPS_TESTS_ACQUISITION_TOY_DECISION_H
#define FCPS_TESTS_ACQUISITION_TOY_DECISION_H

#include "acquisition/acquisition.h"
#include "check.h"
#include "toy.h"
#include "usual_prior.h"

enum { TOY_PARAMETERS = 2 };

static inline fcps_model *make_toy_model(const fcps_model_ops *ops, const fcps_problem *problem, int throws)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .circular = true,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_SHARED},
                                        .prior = USUAL_PRIOR(0.8),
                                        .fit = {.starts = 2, .budget = 25}};
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, ops, problem, &settings));
  for (int i = 0; i < throws; i++) {
    const double target[2] = {2 * fcps_rng_uniform(&rng) - 1, 2 * fcps_rng_uniform(&rng) - 1};
    const double wind[1] = {0.6 * fcps_rng_uniform(&rng) - 0.3};
    const double parameters[2] = {6.28 * fcps_rng_uniform(&rng), 1.5 * fcps_rng_uniform(&rng)};
    const bool present = true;
    double outcome[2], reward;
    toy_throw(wind, parameters, outcome);
    toy_reward(NULL, 1, target, wind, parameters, outcome, &present, &reward);
    const fcps_rollout rollout = {
        .target = target, .environment = wind, .parameters = parameters, .outcome = outcome, .reward = reward};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

/* The model in one context. */
static inline fcps_posterior *see_toy(const fcps_model *model, fcps_error *error)
{
  static const double target[2] = {0.3, 0.5}, wind[1] = {0.1};
  fcps_posterior *posterior = NULL;
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, error));
  return posterior;
}

/* What the acquisition selects with the random numbers of ask `ask`. */
static inline void select_toy(const fcps_acquisition *acquisition, const fcps_acquisition_settings *settings,
                              fcps_posterior *posterior, uint64_t ask, double *x)
{
  const fcps_decision decision = {.acquisition = acquisition,
                                  .settings = settings,
                                  .posterior = posterior,
                                  .n = TOY_PARAMETERS,
                                  .rng = fcps_rng_stream(7, FCPS_PURPOSE_SEARCH, ask)};
  assert_ok(acquisition->select(&decision, x));
}

#endif
