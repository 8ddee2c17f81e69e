/* SPDX-License-Identifier: Apache-2.0 */
/* A model that is small enough for brute force. */
#ifndef FCPS_TESTS_ACQUISITION_THROWN_MODEL_H
#define FCPS_TESTS_ACQUISITION_THROWN_MODEL_H

#include "check.h"
#include "model/model.h"
#include "resuming.h"

static const fcps_model_settings model_settings = {
    .kernel = &fcps_kernel_se,
    .norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE},
    .prior =
        {.length = 0.3, .length_sd = 1, .signal = 1, .signal_sd = 1, .noise = 0.3, .noise_sd = 1, .noise_floor = 1e-3},
    .fit = {.starts = 1, .budget = 10}};

/* A rescored model with a few throws and the prior's hyper-parameters, which knows the wind or does not. */
static inline fcps_model *make_model_of(const fcps_problem *problem)
{
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_rescored, problem, &model_settings));
  for (int i = 0; i < 5; i++) {
    double mark, wind;
    throwing_context(i, &mark, &wind);
    const double parameters[2] = {fmod(0.3 + 0.55 * i, 1.0), fmod(0.8 + 0.35 * i, 1.0)};
    const double land = throwing_land(wind, parameters);
    const fcps_rollout rollout = {
        .target = &mark, .environment = &wind, .parameters = parameters, .outcome = &land, .reward = 0};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

static inline fcps_model *make_model(void)
{
  return make_model_of(&throwing);
}

#endif
