/* SPDX-License-Identifier: Apache-2.0 */
/* Maximization in the unit cube, global and local, behind one signature.
 *
 * Every maximizer works on [0,1]^n (callers scale), returns points inside it, and treats an objective that is not
 * finite as very bad. A coordinate that wraps (a full circle) may leave the cube during a local search and is wrapped
 * back at the end.
 */
#ifndef FCPS_OPTIM_OPTIM_H
#define FCPS_OPTIM_OPTIM_H

#include <fcps/base.h>

/* Value at x[n]; writes the gradient where `gradient` is not NULL. */
typedef double fcps_objective_fn(void *user, int n, const double *x, double *gradient);

/* Values at `count` points (rows of n) at once. */
typedef void fcps_objective_batch_fn(void *user, int n, int count, const double *points, double *values);

typedef struct fcps_objective {
  int n;
  fcps_objective_fn *value;       /* required by DIRECT (without gradient) and L-BFGS-B (with gradient) */
  fcps_objective_batch_fn *batch; /* required by multistart */
  const bool *wraps;              /* n flags, or NULL for none */
  void *user;
} fcps_objective;

typedef struct fcps_optimum {
  double value;
  int evaluations;
} fcps_optimum;

/* DIRECT-L [gablonsky2001, NLopt]: global, without gradients, `budget` evaluations. Writes the best point to x. */
fcps_status fcps_direct_maximize(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum);

/* L-BFGS-B 3.0 [byrd1995, morales2011] from x, at most `budget` evaluations, stops when the projected gradient or the
 * relative gain is small (`tolerance`, e.g. 1e-7). The result is never worse than the start. */
fcps_status fcps_lbfgsb_maximize(const fcps_objective *objective, int budget, double tolerance, double *x,
                                 fcps_optimum *optimum);

/* The same in a box [lower, upper] of any size: for hyper-parameters. */
fcps_status fcps_lbfgsb_maximize_box(const fcps_objective *objective, const double *lower, const double *upper,
                                     int budget, double tolerance, double *x, fcps_optimum *optimum);

/* The paper's pair: DIRECT-L, then L-BFGS-B from its best point. */
fcps_status fcps_direct_lbfgsb_maximize(const fcps_objective *objective, int direct_budget, int local_budget,
                                        double *x, fcps_optimum *optimum);

/* Evaluates `count` candidates (rows) as one batch and refines the best `starts` of them, spread apart, by L-BFGS-B. */
fcps_status fcps_multistart_maximize(const fcps_objective *objective, int count, const double *candidates,
                                     int starts, int local_budget, double *x, fcps_optimum *optimum);

#endif
