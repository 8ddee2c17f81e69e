/* SPDX-License-Identifier: Apache-2.0 */
/* The posterior of a model's outputs, whatever they mean, in one context at a time: the features of the context are
 * fixed, the parameters vary. The posteriors of rewards and of outcomes are built on it.
 *
 * It holds one or more contexts, which share the conditioned outputs; one of them is selected. A query has up to
 * FCPS_POSTERIOR_BLOCK points. The caller first embeds the points, which fills rows of `features`, and then asks for
 * predictions at these rows. */
#ifndef FCPS_MODEL_POSTERIOR_OUTPUT_POSTERIOR_H
#define FCPS_MODEL_POSTERIOR_OUTPUT_POSTERIOR_H

#include "gp/query.h"
#include "model/feasibility/failure_penalty.h"
#include "model/model.h"

/* The most points of a query with gradients, which need more memory. It is a multiple of the number of points that
 * share a pass inside a query (gp/query.c), so that points fall into the same passes as in one long query. */
enum { FCPS_POSTERIOR_GRADIENTS = 32 };

/* Returns the size of the next block if `left` points are left. */
int fcps_posterior_block(int left);

typedef struct fcps_output_posterior {
  const fcps_model *model;
  fcps_gp_outputs outputs; /* conditioned on the outputs for the target */
  fcps_gp_work work;
  double *contexts;      /* features of all contexts, rows */
  bool has_results_only; /* predictions ignore pending trials */
  double widening;       /* factor on the deviations of trials (fcps_penalty_view); 0: deviations are the GP's own */
  const double *context; /* the selected one: features of the environment, then of the target if it is an input */
  double *features;      /* FCPS_POSTERIOR_BLOCK rows: the context's features, then those of the parameters */
  double *means;         /* FCPS_POSTERIOR_BLOCK x outputs */
  double *variances;     /* FCPS_POSTERIOR_BLOCK x GPs, in unit scale */
  double *gradients;     /* by features, FCPS_POSTERIOR_GRADIENTS points: of all outputs, then of all variances */
  double *slopes;        /* by parameters, one point: of all outputs, then of all variances */
} fcps_output_posterior;

/* Conditions the model on its outputs for `target`, with one context. `posterior` may be destroyed after a failure. */
fcps_status fcps_output_posterior_create(fcps_output_posterior *posterior, const fcps_model *model,
                                         const double *target, const double *environment, fcps_error *error);
void fcps_output_posterior_destroy(fcps_output_posterior *posterior);

/* `set_environments` replaces the contexts by those of `count` environments (rows), and selects the first; `target` may
 * be NULL if it is not an input. `select` selects one of them. */
fcps_status fcps_output_posterior_set_environments(fcps_output_posterior *posterior, const double *target, int count,
                                                   const double *environments);
void fcps_output_posterior_select(fcps_output_posterior *posterior, int environment_index);

/* `embed` writes a point in the selected context to row `row`, which it returns; `embed_all` fills `count` rows. */
double *fcps_output_posterior_embed(fcps_output_posterior *posterior, int row, const double *x);
void fcps_output_posterior_embed_all(fcps_output_posterior *posterior, int count, const double *x);

/* Whether the GPs have rows of pending trials, which only affect variances. */
bool fcps_output_posterior_has_pending(const fcps_output_posterior *posterior);

/* Turn the variances of `count` points, from point `first` on, into those of trials: `add_noise` adds the noise, then
 * `widen` multiplies by the square of `widening`. */
void fcps_output_posterior_add_noise(fcps_output_posterior *posterior, int first, int count);
void fcps_output_posterior_widen(fcps_output_posterior *posterior, int first, int count);

/* Predicts means (count x outputs) and variances (count x GPs, may be NULL) at the embedded points. Upper bounds of
 * variances (FCPS_VARIANCE_BOUND) need a single GP without pending trials. */
void fcps_output_posterior_predict(fcps_output_posterior *posterior, fcps_gp_variance_kind kind, int count,
                                   double *means, double *variances);

/* `gradients` does the same at no more than FCPS_POSTERIOR_GRADIENTS embedded points, with gradients by features: it
 * fills `means`, `variances` and `gradients`. `slopes` then turns the gradients of one of these points into gradients
 * by parameters: slopes[o*parameters + d] for the outputs, followed by the variances if `with_variances`. */
void fcps_output_posterior_gradients(fcps_output_posterior *posterior, int count, bool with_variances);
void fcps_output_posterior_slopes(fcps_output_posterior *posterior, int index, const double *x, bool with_variances);

/* Returns the gradients of the variances, a part of `slopes`. */
const double *fcps_output_posterior_variance_slopes(const fcps_output_posterior *posterior);

/* Draws every output jointly at `count` points, as rows, from `count` standard normals per output. */
fcps_status fcps_output_posterior_draw(fcps_output_posterior *posterior, int count, const double *x,
                                       const double *normals, double *rows);

#endif
