/* SPDX-License-Identifier: Apache-2.0 */
/* What a model believes: a kernel, how many GPs, how outputs are scaled, the prior of hyper-parameters, and the structures
 * that change all that. A description is a value: it can be copied, tried on rows (evidence.h) and saved, and it points
 * into no model.
 *
 * Invariant: everything below `structures` follows from what stands above; fcps_description_edit makes it. */
#ifndef FCPS_MODEL_DESCRIPTION_H
#define FCPS_MODEL_DESCRIPTION_H

#include "model/structure.h"

/* The most pairs of outputs that share a scale. */
enum { FCPS_DESCRIPTION_PAIRS = 4 };

typedef struct fcps_description {
  const fcps_kernel *kernel;
  fcps_gp_mean mean;
  fcps_gp_scaling usual_scaling;
  fcps_hyper_prior usual_prior;
  double environment_stretch; /* factor of the length prior for the environment */
  fcps_structure structures[FCPS_STRUCTURES];

  int inputs, outputs, gps;
  fcps_gp_scaling scaling;
  fcps_hyper_prior prior;
  double *stretch;    /* of the length prior, for each input */
  fcps_tables tables; /* how far words are from each other */
  int pair_count, pairs[2 * FCPS_DESCRIPTION_PAIRS];
  bool changes_inputs,
      changes_outputs; /* the GPs see other inputs than the features, and other outputs than the outcomes */
  bool has_places;     /* predicting noise needs the place */
  bool has_rest;       /* results may rest */
  int aside_count;     /* rows that offsets and scales do not look at */
  int *aside;
} fcps_description;

fcps_status fcps_description_copy(const fcps_description *description, fcps_description *copy);
void fcps_description_destroy(fcps_description *description);

/* Makes all members below `structures`: of a new description, whose other members are set, and after a structure has changed. */
fcps_status fcps_description_edit(fcps_description *description, const fcps_layout *layout);

/* Finds the rows that offsets and scales do not look at: those that are doubted or at rest. */
fcps_status fcps_description_set_aside(fcps_description *description, const fcps_layout *layout,
                                       const fcps_rollouts *rollouts);

/* Whether a row is doubted. */
bool fcps_description_doubts(const fcps_description *description, int row);

/* A copy in which structure `index` is another one (`structure` may be absent), without those that it excludes. */
fcps_status fcps_description_with(const fcps_description *description, const fcps_layout *layout, int index,
                                  const fcps_structure *structure, fcps_description *with);

bool fcps_description_has(const fcps_description *description, int index);

/* How outputs are normalized, and what hyper-parameters are expected; both borrow from the description. */
fcps_gp_norm fcps_description_norm(const fcps_description *description, const fcps_layout *layout);
fcps_hyper_prior fcps_description_prior(const fcps_description *description);

/* -- What the GPs see -- */

/* Row number `order`: inputs from features, and the outcome (may be NULL) in place. */
void fcps_description_see(const fcps_description *description, const fcps_layout *layout, const double *features,
                          int order, double *inputs, double *outcome);

/* The clipped outcomes of the first `rows` rollouts as the GPs see them: rows x outputs, column-major. */
fcps_status fcps_description_outcomes(const fcps_description *description, const fcps_layout *layout,
                                      const fcps_rollouts *rollouts, int rows, double *y);

/* Back: `count` outcomes of one row, each `stride` numbers after the one before; and a prediction, in place, whose gradients
 * are then by the features: each `features` numbers long, still `inputs` apart. */
void fcps_description_unsee_outcomes(const fcps_description *description, const fcps_layout *layout,
                                     const double *features, size_t count, size_t stride, double *outcomes);
void fcps_description_unsee(const fcps_description *description, const fcps_layout *layout, const double *features,
                            const fcps_seen *at);

/* The noise of a place beyond what all places have. */
double fcps_description_noise_at(const fcps_description *description, int gp, const double *inputs);
/* The sum of the noise that its sources expect at a usual place. */
double fcps_description_usual_places(const fcps_description *description, const fcps_gps *gps, int gp);

/* Whether a result is at rest, and the outcome of a rest. */
bool fcps_description_rests(const fcps_description *description, const double *environment, const double *outcome);
void fcps_description_rest(const fcps_description *description, const double *environment, double *outcome);

/* Whether a feature turns, so that its value alone says little. */
bool fcps_description_turns_feature(const fcps_description *description, int feature);

#endif
