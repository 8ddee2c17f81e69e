/* SPDX-License-Identifier: Apache-2.0 */
/* Models that answer together, each with a share in their average.
 *
 * Samples: with full Bayesian hyper-parameters a model keeps several samples of them in place of a fit (gp/fit.h). Its own GP
 * has the newest sample, where the Markov chain goes on at the next fit; `hyper` has the earlier ones.
 *
 * Rivals: while a review has not decided (review.h), those that are close to what is believed have a say, in proportion to
 * their odds. A model that believes nothing has none; nor has one with samples, which average over enough.
 *
 * Invariants: after a refresh there is a member for each earlier sample, or for each rival, whose matrix could be factorized: a
 * model of the same rollouts without members of its own. Members never outlive a change of rows; they follow from the rows,
 * the samples and the last review alone, so that a resumed learner has the same. */
#ifndef FCPS_MODEL_MEMBERS_H
#define FCPS_MODEL_MEMBERS_H

#include "base/rng.h"
#include "format/json.h"
#include "gp/fit.h"

typedef struct fcps_model fcps_model;

typedef struct fcps_members {
  int earlier_count; /* samples before the newest */
  double *hyper;     /* earlier_count x FCPS_HYPER_COUNT */
  int count;
  fcps_model **models;
  double *weights; /* of each against the model itself, which has 1 */
} fcps_members;

/* Samples settings.fit.samples hyper-parameters from y (rows x outputs), from where the chain ended; a chain that begins
 * starts at the optimum and forgets its first sweeps. */
fcps_status fcps_members_sample(fcps_model *model, int rows, int outputs, const double *y, fcps_rng rng,
                                fcps_fit_result *result);

/* Makes the members if rows came since the last time. */
fcps_status fcps_members_refresh(fcps_model *model);

/* The models that answer for `model` together: itself first, then the members; and the share of each in their average. */
int fcps_members_models(const fcps_model *model);
const fcps_model *fcps_members_model(const fcps_model *model, int index);
double fcps_members_share(const fcps_model *model, int index);

fcps_status fcps_members_copy(const fcps_model *model, fcps_model *copy);

/* Ends the members, which are made again at the next refresh; and the samples as well. */
void fcps_members_end(fcps_model *model);
void fcps_members_drop(fcps_model *model);

/* The earlier samples as numbers; reading takes what was written from an equal model. */
fcps_json *fcps_members_write(const fcps_model *model);
fcps_status fcps_members_read(fcps_model *model, const fcps_json *json);

#endif
