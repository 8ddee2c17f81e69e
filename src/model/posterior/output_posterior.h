/* SPDX-License-Identifier: Apache-2.0 */
/* The posterior of a model's outputs, whatever they mean, in one context at a time: the context's features stay, the
 * parameters vary. Both basic posteriors of rewards stand on it.
 *
 * It knows one or more contexts, which share the conditioned outputs, and has one of them selected. A question has up
 * to FCPS_POSTERIOR_BLOCK points: the points are embedded first, which fills rows of `features`; then the rows are
 * asked about. */
#ifndef FCPS_MODEL_POSTERIOR_OUTPUT_POSTERIOR_H
#define FCPS_MODEL_POSTERIOR_OUTPUT_POSTERIOR_H

#include "gp/query.h"
#include "model/feasibility/failure_penalty.h"
#include "model/model.h"

/* The most points of a question with gradients, which need more room. It is a multiple of the points that share a pass inside
 * a query (gp/query.c), so that points fall into the same passes as in one long query. */
enum { FCPS_POSTERIOR_GRADIENTS = 32 };

/* The size of the next block where `left` points are left. */
int fcps_posterior_block(int left);

typedef struct fcps_output_posterior {
  const fcps_model *model;
  fcps_gp_outputs outputs; /* conditioned on the outputs for the target */
  fcps_gp_work work;
  double *contexts;      /* features of the known contexts, rows */
  bool has_results_only; /* questions are answered as if no trial were pending */
  double widening;       /* of trials (fcps_penalty_view); 0: none */
  const double *context; /* the selected one: features of the environment, then of the target where it is an input */
  double *features;      /* FCPS_POSTERIOR_BLOCK rows: the context's features, then those of the parameters */
  double *means;         /* FCPS_POSTERIOR_BLOCK x outputs */
  double *variances;     /* FCPS_POSTERIOR_BLOCK x GPs, in unit scale */
  double *gradients; /* by features, of FCPS_POSTERIOR_GRADIENTS points: those of the outputs, then of the variances */
  double *slopes;    /* of one point by parameters: gradients of all outputs, then of all variances */
} fcps_output_posterior;

/* Conditions the model on its outputs for `target`, and knows one context. `posterior` may be destroyed after a
 * failure. */
fcps_status fcps_output_posterior_create(fcps_output_posterior *posterior, const fcps_model *model,
                                         const double *target, const double *environment, fcps_error *error);
void fcps_output_posterior_destroy(fcps_output_posterior *posterior);

/* Knows the contexts of `count` environments (rows) instead of those it knew, and selects the first. `target` may be
 * NULL if it is not an input. */
fcps_status fcps_output_posterior_set_environments(fcps_output_posterior *posterior, const double *target, int count,
                                                   const double *environments);
void fcps_output_posterior_select(fcps_output_posterior *posterior, int environment_index);

/* Row `row` of the features := those of a point in the selected context; the first `count` rows. */
double *fcps_output_posterior_embed(fcps_output_posterior *posterior, int row, const double *x);
void fcps_output_posterior_embed_all(fcps_output_posterior *posterior, int count, const double *x);

/* Whether there are rows of pending trials, which count for variances alone. */
bool fcps_output_posterior_has_pending(const fcps_output_posterior *posterior);

/* Makes the variances of `count` points from `first` on those of trials: adds the noise, then widens by what a fit is too sure
 * of. */
void fcps_output_posterior_add_noise(fcps_output_posterior *posterior, int first, int count);
void fcps_output_posterior_widen(fcps_output_posterior *posterior, int first, int count);

/* Means (count x outputs) and variances (count x GPs, may be NULL) of the embedded points; those that are never too small
 * (FCPS_VARIANCE_BOUND) only of one GP without pending trials. */
void fcps_output_posterior_predict(fcps_output_posterior *posterior, fcps_gp_variance_kind kind, int count,
                                   double *means, double *variances);

/* The same for at most FCPS_POSTERIOR_GRADIENTS embedded points, with gradients by features: fills means, variances
 * and gradients. Then the slopes of one of these points: slopes[o*parameters + d] for the outputs, then for the
 * variances where `with_variances`. */
void fcps_output_posterior_gradients(fcps_output_posterior *posterior, int count, bool with_variances);
void fcps_output_posterior_slopes(fcps_output_posterior *posterior, int index, const double *x, bool with_variances);

/* The gradients of the variances among the slopes. */
const double *fcps_output_posterior_variance_slopes(const fcps_output_posterior *posterior);

/* One joint draw of every output at any number of points, as rows of outputs; `normals` has one column per output. */
fcps_status fcps_output_posterior_draw(fcps_output_posterior *posterior, int count, const double *x,
                                       const double *normals, double *rows);

#endif
