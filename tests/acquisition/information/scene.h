/* SPDX-License-Identifier: Apache-2.0 */
/* A query about four trials of a small model, for the tests of gains. */
#ifndef FCPS_TESTS_ACQUISITION_INFORMATION_SCENE_H
#define FCPS_TESTS_ACQUISITION_INFORMATION_SCENE_H

#include "acquisition/information/gain.h"
#include "acquisition/thrown_model.h"

static const fcps_belief_settings few = {.pool = 40,
                                         .best = 6,
                                         .others = 6,
                                         .draws = 24,
                                         .representers = 6,
                                         .samples = 512,
                                         .outcomes = 4,
                                         .maxima = 16,
                                         .optimal_pairs = 32};

typedef struct scene {
  fcps_model *model;
  fcps_posterior *posterior;
  fcps_gain_query query;
} scene;

enum { TRIALS = 4 };
static const double wheres[2 * TRIALS] = {0.5, 0.5, 0.9, 0.2, 0.3, 0.8, 0.05, 0.95};
static const double mark = 0.2, wind = 0.05;

static inline void open_scene(scene *s, const fcps_gain *gain, double *gains)
{
  s->model = make_model();
  assert_ok(fcps_posterior_create(&s->posterior, s->model, &mark, &wind, NULL));
  const fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_gain_query_open(&s->query, gain, &few, s->posterior, TRIALS, rng));
  fcps_gain_query_values(&s->query, TRIALS, wheres, gains);
}

static inline void close_scene(scene *s)
{
  fcps_gain_query_close(&s->query);
  fcps_posterior_destroy(s->posterior);
  fcps_model_destroy(s->model);
}

/* Posterior mean and variance of a trial, in unit scale (the model neither centres nor scales). */
static inline void predict(const scene *s, const double *trial, double *mean, double *variance)
{
  fcps_gp_work work = {0};
  assert_ok(fcps_gp_work_reserve(&work, fcps_model_gp(s->model, 0), 1));
  fcps_gp_predict(fcps_model_gp(s->model, 0), fcps_posterior_outputs(s->posterior),
                  &(fcps_gp_query){.count = 1, .points = trial, .mean = mean, .variance = variance}, &work);
  fcps_gp_work_destroy(&work);
}

#endif
