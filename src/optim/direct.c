/* SPDX-License-Identifier: Apache-2.0 */
/* DIRECT-L by NLopt: dividing rectangles in the locally biased form [gablonsky2001]. It is deterministic, and only the
 * number of evaluations ends the search. */
#include "base/memory.h"
#include "optim/optim.h"

#include <float.h>
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

/* The value that DIRECT gets if the objective is not finite. NaN would spoil the order of its rectangles, and a number
 * nearer to -DBL_MAX would overflow when it computes slopes. */
static const double told_for_not_finite = -1e100;

/* The state of the callback. It keeps the best finite point itself, because NLopt's result depends on how the search
 * ends. */
typedef struct search {
  const fcps_objective *objective;
  int budget;
  double *best_x;
  fcps_optimum best;
} search;

static double evaluate(unsigned n, const double *x, double *gradient, void *user)
{
  (void)gradient; /* DIRECT uses none */
  search *s = user;
  if (s->best.evaluations == s->budget) return told_for_not_finite; /* NLopt may make one evaluation too many */
  const double value = s->objective->value(s->objective->user, (int)n, x, NULL);
  const bool first = s->best.evaluations++ == 0;
  if (first || (isfinite(value) && value > s->best.value)) {
    s->best.value = isfinite(value) ? value : -DBL_MAX;
    if (n > 0) memcpy(s->best_x, x, n * sizeof *x);
  }
  return isfinite(value) ? value : told_for_not_finite;
}

static fcps_status run_direct(search *s, double *x)
{
  nlopt_opt direct = nlopt_create(NLOPT_GN_DIRECT_L, (unsigned)s->objective->n);
  if (direct == NULL) return FCPS_ERR_MEMORY;
  /* no tolerance on x: the search would continue until every rectangle is small */
  const bool ready = nlopt_set_lower_bounds1(direct, 0) >= 0 && nlopt_set_upper_bounds1(direct, 1) >= 0 &&
                     nlopt_set_maxeval(direct, s->budget) >= 0 && nlopt_set_max_objective(direct, evaluate, s) >= 0;
  double value;
  const nlopt_result result = ready ? nlopt_optimize(direct, x, &value) : NLOPT_FAILURE;
  nlopt_destroy(direct);
  if (result == NLOPT_OUT_OF_MEMORY) return FCPS_ERR_MEMORY;
  return result > 0 || result == NLOPT_ROUNDOFF_LIMITED ? FCPS_OK : FCPS_ERR_INTERNAL;
}

fcps_status fcps_direct_maximize(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum)
{
  if (budget < 1) return FCPS_ERR_ARGUMENT; /* NLopt would take it as "no limit" */
  const size_t n = (size_t)objective->n;
  double *points = fcps_allocate(2 * n, sizeof *points);
  if (points == NULL) return FCPS_ERR_MEMORY;
  double *current = points;
  search s = {.objective = objective, .budget = budget, .best_x = points + n};
  for (size_t i = 0; i < n; i++)
    current[i] = 0.5;

  fcps_status status = FCPS_OK;
  if (n == 0) {
    evaluate(0, points, NULL, &s);
  } else {
    status = run_direct(&s, current);
  }
  if (status == FCPS_OK) {
    if (n > 0) memcpy(x, s.best_x, n * sizeof *x);
    *optimum = s.best;
  }
  free(points);
  return status;
}

/* -- DIRECT-L, then L-BFGS-B from its best point -- */

/* The paper's pair of optimizers [pinsler2019]: DIRECT-L finds the hill, L-BFGS-B climbs to its top. */

fcps_status fcps_direct_lbfgsb_maximize(const fcps_objective *objective, int direct_budget, int local_budget, double *x,
                                        fcps_optimum *optimum)
{
  const fcps_status status = fcps_direct_maximize(objective, direct_budget, x, optimum);
  if (status != FCPS_OK || local_budget < 1 || objective->n == 0) return status;

  fcps_optimum local;
  const fcps_status local_status = fcps_lbfgsb_maximize(objective, local_budget, FCPS_OPTIM_TOLERANCE, x, &local);
  if (local_status != FCPS_OK) return local_status;
  optimum->value = local.value;
  optimum->evaluations += local.evaluations;
  return FCPS_OK;
}
