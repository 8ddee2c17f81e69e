/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that are not executed exactly [mchutchon2011]: theta is asked for, theta + e is done, and only theta is
 * told.
 *
 * With e_d ~ N(0, s_d^2) an output that is steep at theta is noisy there; to first order its noise has the variance
 *
 *   sn^2 + sum_d s_d^2 (d mean / d theta_d)^2.
 *
 * So the slopes of the posterior mean at its own rows become noise of the rows, and change the mean: fit and slopes
 * take turns, from one fit to the next. Outputs of one factorization share the mean of their noises.
 */
#ifndef FCPS_MODEL_COMPOSITE_INPUT_NOISE_H
#define FCPS_MODEL_COMPOSITE_INPUT_NOISE_H

#include "format/json.h"

typedef struct fcps_model fcps_model;

/* Whether parameters may have been executed inexactly, and how inexactly. */
typedef enum fcps_input_noise {
  FCPS_INPUT_NOISE_OFF,
  FCPS_INPUT_NOISE_GIVEN, /* by the same share of every parameter's range */
  FCPS_INPUT_NOISE_LEARNT /* for each parameter, as the likelihood says */
} fcps_input_noise;

/* Their names, in the order of the enumeration; NULL past the end. */
const char *fcps_input_noise_name(int index);

typedef struct fcps_input_noise_state {
  double *deviations; /* s_d of each parameter, unit cube; NULL where the setting is off: they are exact */
} fcps_input_noise_state;

/* The deviations before anything was learnt. Nothing to do where the setting is off. */
fcps_status fcps_input_noise_create(fcps_model *model);
void fcps_input_noise_copy(const fcps_model *model, fcps_model *copy);
void fcps_input_noise_destroy(fcps_model *model);

/* Learns the deviations from y (training rollouts x outputs) where the setting says so, and gives the rows the noise
 * that their slopes make of them; factorizes with it. The hyper-parameters must just have been fitted. */
fcps_status fcps_input_noise_update(fcps_model *model, int outputs, const double *y);

/* What was learnt, as JSON; an empty array where the setting is off. Reading restores the rows' noise before anything
 * is factorized. */
fcps_json *fcps_input_noise_write(const fcps_model *model);
fcps_status fcps_input_noise_read(fcps_model *model, const fcps_json *json);

#endif
