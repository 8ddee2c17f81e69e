/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that are proven in one context: declared safe for it, or seen to keep the limits in it, and never seen to break one
 * there. A model that one far result made unsure of everything doubts them; whoever measured them does not. */
#include "model/posterior/posterior_ops.h"
#include "problem/limits.h"
#include "space/space.h"

#include <math.h>
#include <string.h>

typedef struct proven {
  fcps_posterior *posterior;
  const double *target, *environment; /* the context */
  int most;
  double value, *x; /* the best so far */
  bool is_found;
} proven;

static bool are_same(int count, const double *a, const double *b)
{
  for (int d = 0; d < count; d++)
    if (a[d] != b[d]) return false;
  return true;
}

/* How often parameters kept the limits in this environment; -1: they broke one, or failed. */
static int count_kept(const proven *best, const double *parameters)
{
  const fcps_model *model = best->posterior->parent;
  const fcps_problem *p = model->problem;
  int times = 0;
  for (int i = 0; i < model->training.count; i++) {
    fcps_rollout r = fcps_rollouts_at(&model->training, i);
    if (!are_same(p->environment.count, r.environment, best->environment) ||
        !are_same(p->parameters.count, r.parameters, parameters))
      continue;
    r.target = best->target; /* limits may depend on it */
    if (r.status != FCPS_ROLLOUT_OK || r.outcome == NULL || fcps_problem_limits_broken(p, &r)) return -1;
    times++;
  }
  return times;
}

static void consider(proven *best, const double *parameters)
{
  fcps_posterior *posterior = best->posterior;
  const fcps_space *space = &posterior->parent->problem->parameters;
  double x[FCPS_SPACE_MAX], value;
  const int times = count_kept(best, parameters);
  if (times < 0 || times >= best->most) return;
  fcps_space_to_unit(space, parameters, x);
  if (!fcps_feasible_contains(posterior->feasible, x, FCPS_FEASIBLE_TOLERANCE, NULL)) return;
  fcps_posterior_moments(posterior, 1, x, &value, NULL);
  if (!(value > best->value)) return;
  best->value = value;
  best->is_found = true;
  memcpy(best->x, x, (size_t)space->count * sizeof *x);
}

fcps_status fcps_posterior_prefer_proven(fcps_posterior *posterior, int most, double *x, bool *is_proven)
{
  const fcps_model *model = posterior->parent;
  const fcps_problem *p = model->problem;
  proven best = {.posterior = posterior, .most = most, .value = -INFINITY, .x = x};
  *is_proven = false;
  if (!(fcps_posterior_slack(posterior, x) < 0.0)) return fcps_posterior_failure(posterior);
  fcps_posterior_limit_context(posterior, &best.target, &best.environment);
  for (int i = -1; (i = fcps_problem_next_safe(p, posterior->feasible, i + 1, best.target, best.environment)) >= 0;)
    consider(&best, p->safe[i].parameters);
  for (int i = 0; i < model->training.count; i++)
    if (are_same(p->environment.count, fcps_rollouts_environment(&model->training, i), best.environment))
      consider(&best, fcps_rollouts_parameters(&model->training, i));
  *is_proven = best.is_found;
  return fcps_posterior_failure(posterior);
}
