/* SPDX-License-Identifier: Apache-2.0 */
/* A description is what a model believes: a kernel, the number of GPs, the scaling of outputs, the prior of
 * hyper-parameters, and the structures that change all these. It is a value: it can be copied, fitted to rows
 * (evidence.h) and saved, and it has no pointers into a model.
 *
 * Structures transform features and outcomes before the GPs get them. The results are called what the GPs see.
 *
 * Invariant: all members below `structures` follow from those above; fcps_description_edit computes them. */
#ifndef FCPS_MODEL_DESCRIPTION_H
#define FCPS_MODEL_DESCRIPTION_H

#include "model/structure.h"

/* The most pairs of outputs that rotate together and so share a scale. */
enum { FCPS_DESCRIPTION_PAIRS = 4 };

typedef struct fcps_description {
  const fcps_kernel *kernel;
  fcps_gp_mean mean;
  fcps_gp_scaling usual_scaling;
  fcps_hyper_prior usual_prior;
  double environment_stretch; /* factor on the prior's length for features of the environment; 0 means a factor of 1 */
  fcps_structure structures[FCPS_STRUCTURES];

  int inputs, outputs, gps;
  fcps_gp_scaling scaling;
  fcps_hyper_prior prior;
  double *stretch;    /* factor on the prior's length for each input */
  fcps_tables tables; /* distances between words */
  int pair_count, pairs[2 * FCPS_DESCRIPTION_PAIRS];
  bool changes_inputs, changes_outputs; /* the GPs' inputs are not the features, their outputs not the outcomes */
  bool has_places;                      /* the noise of a trial depends on its environment and parameters */
  bool has_rest;                        /* a structure may find results at rest (structure.h) */
  int aside_count;                      /* number of rows in `aside`, which offsets and scales leave out */
  int *aside;
} fcps_description;

fcps_status fcps_description_copy(const fcps_description *description, fcps_description *copy);
void fcps_description_destroy(fcps_description *description);

/* Computes all members below `structures`. Needed for a new description, and after a change of its structures. */
fcps_status fcps_description_edit(fcps_description *description, const fcps_layout *layout);

/* Finds the rows that offsets and scales of outputs must leave out: doubted results and results at rest. */
fcps_status fcps_description_set_aside(fcps_description *description, const fcps_layout *layout,
                                       const fcps_rollouts *rollouts);

/* Whether a structure doubts the result in a row, that is, believes it to be wrong. */
bool fcps_description_doubts(const fcps_description *description, int row);

/* Makes a copy of the description in which `structure` replaces the structure of kind `index`. If `structure` is empty,
 * the copy has no structure of this kind. The copy loses all structures that the new one excludes. */
fcps_status fcps_description_with(const fcps_description *description, const fcps_layout *layout, int index,
                                  const fcps_structure *structure, fcps_description *with);

bool fcps_description_has(const fcps_description *description, int index);

/* Return how outputs are normalized, and the prior of hyper-parameters. Both borrow from the description. */
fcps_gp_norm fcps_description_norm(const fcps_description *description, const fcps_layout *layout);
fcps_hyper_prior fcps_description_prior(const fcps_description *description);

/* -- What the GPs see -- */

/* Writes the inputs that the GPs see for row number `order`, and changes its outcome in place. Each may be NULL. */
void fcps_description_see(const fcps_description *description, const fcps_layout *layout, const double *features,
                          int order, double *inputs, double *outcome);

/* Writes the outcomes of the first `rows` rollouts, clipped and as the GPs see them: rows x outputs, column-major. */
fcps_status fcps_description_outcomes(const fcps_description *description, const fcps_layout *layout,
                                      const fcps_rollouts *rollouts, int rows, double *y);

/* Turn what the GPs see back into the user's frame, in place. `unsee_outcomes` takes `count` outcomes of one row, each
 * `stride` numbers after the one before. `unsee` takes a prediction. Its gradients are then with respect to features:
 * each gradient has `features` numbers and begins `inputs` numbers after the one before. */
void fcps_description_unsee_outcomes(const fcps_description *description, const fcps_layout *layout,
                                     const double *features, size_t count, size_t stride, double *outcomes);
void fcps_description_unsee(const fcps_description *description, const fcps_layout *layout, const double *features,
                            const fcps_seen *at);

/* Returns by how much the noise variance at a place exceeds the noise that all places have. */
double fcps_description_noise_at(const fcps_description *description, int gp, const double *inputs);
/* Returns the sum of the noise variances that the structures of a description expect at a usual place. */
double fcps_description_usual_places(const fcps_description *description, const fcps_gps *gps, int gp);

/* `rests` returns whether a result is at rest (structure.h). `rest` writes the outcome at rest. */
bool fcps_description_rests(const fcps_description *description, const double *environment, const double *outcome);
void fcps_description_rest(const fcps_description *description, const double *environment, double *outcome);

/* Whether a structure rotates a feature, so that the feature's value alone says little. */
bool fcps_description_turns_feature(const fcps_description *description, int feature);

#endif
