/* SPDX-License-Identifier: Apache-2.0 */
/* Noise that depends on the place, by evidence: where a gripper slips, the same parameters end here and there, and elsewhere
 * they do not. With one noise for all places the noisy ones decide for all of them: good results are smoothed away, and
 * predictions at the noisy places are too sure. For models that look for it (`uneven_noise` of the settings).
 *
 * Beside sn^2 a row then has a noise of its own (row_noise.h), whose logarithm is a polynomial of its inputs [goldberg1998]:
 *
 *   T(x) = exp(b + sum_k w_k t_k(x)),   w_k ~ N(0, 1/4)
 *
 * The terms t_k are the inputs u that the GPs see, scaled to [-1, 1] by the range of the rows and held there beyond it, and
 * up to eight inputs also their squares and products. So T stays between what the rows have shown.
 *
 * Invariants: a belief follows from the rows, their fit and the belief before it, and is looked at only when the number of
 * rows passes certain multiples. So a model that was saved believes as one that never was. A model that does not believe it
 * has the bits that it had before there was a choice. */
#ifndef FCPS_MODEL_COMPOSITE_UNEVEN_NOISE_H
#define FCPS_MODEL_COMPOSITE_UNEVEN_NOISE_H

#include "format/json.h"

#include <fcps/base.h>

#include <stdbool.h>

typedef struct fcps_model fcps_model;

typedef struct fcps_uneven_noise {
  bool is_believed;
  double log_odds; /* of the last look, that the noise is uneven */
  double *range;   /* least and largest value of each input among the rows; NULL where it is not believed */
  double *laws;    /* of each GP: b, then w */
} fcps_uneven_noise;

fcps_status fcps_uneven_noise_copy(const fcps_model *model, fcps_model *copy);
void fcps_uneven_noise_destroy(fcps_model *model);

/* After a fit to y (training rollouts x outputs), where it is believed: learns T anew from what the other rows say about each
 * row, and factorizes with it. */
fcps_status fcps_uneven_noise_update(fcps_model *model, int outputs, const double *y);

/* After a fit to y: changes the belief where the other one explains the outputs better, and then *has_changed is true: a fit
 * is due. */
fcps_status fcps_uneven_noise_review(fcps_model *model, int outputs, const double *y, bool *has_changed);

/* Whether all rows have their noise; gives it to those that came since, before a factor grows by them. */
bool fcps_uneven_noise_is_complete(const fcps_model *model);
fcps_status fcps_uneven_noise_grow(fcps_model *model);

/* T of GP `gp` at inputs as the GPs see them, in unit scale; 0 where it is not believed.  */
double fcps_uneven_noise_at(const fcps_model *model, int gp, const double *inputs);

/* How much less and more than usual it is at the rows of GP `gp`: variances, 0 where it is not believed. */
void fcps_uneven_noise_range(const fcps_model *model, int gp, double *least, double *most);

/* What is believed, as JSON; reading comes before the rows' noise is read (row_noise.h), which has the noise itself. */
fcps_json *fcps_uneven_noise_write(const fcps_model *model);
fcps_status fcps_uneven_noise_read(fcps_model *model, const fcps_json *json);

/* After both were read: whether no row has a noise of its place that nobody believes in, and that no fit would take back. */
bool fcps_uneven_noise_is_consistent(const fcps_model *model);

#endif
