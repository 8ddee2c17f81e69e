/* SPDX-License-Identifier: Apache-2.0 */
/* Where the searches of a batch begin: at the best candidates of each context. Where candidates have bounds alone, exact
 * rewards are asked for as far as they matter (bound_screening.h), for several contexts in one pass of the GP. */
#include "base/memory.h"
#include "search/batch_impl.h"
#include "search/bound_screening.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = FCPS_POSTERIOR_BLOCK };

/* Contexts that are screened together. */
typedef struct screening {
  fcps_batch *batch;
  int first, count;
  fcps_bound_screening screens[FCPS_BATCH_STARTING];
  double *values; /* of all candidates, one row per context */
  double *points; /* of one pass of the GP */
} screening;

static double *values_of(const screening *s, int i)
{
  return s->values + (size_t)i * (size_t)s->batch->candidates;
}

/* Asks for the exact rewards that the contexts need next, in one pass of the GP. Whether there were any. */
static bool make_exact(screening *s)
{
  const size_t n = (size_t)s->batch->model->layout.parameters.count;
  int contexts[BLOCK], which[BLOCK], count = 0;
  double exact[BLOCK];
  for (int i = 0; i < s->count; i++) {
    const int block = fcps_bound_screening_next(&s->screens[i], BLOCK / FCPS_BATCH_STARTING, which + count);
    for (int j = 0; j < block; j++, count++) {
      contexts[count] = s->first + i;
      memcpy(s->points + (size_t)count * n, s->batch->x + (size_t)which[count] * n, n * sizeof(double));
    }
  }
  if (count == 0) return false;
  fcps_batch_predict_rewards(s->batch, count, contexts, s->points, exact, NULL);
  for (int i = 0; i < count; i++)
    fcps_bound_screening_tell(&s->screens[contexts[i] - s->first], which[i], exact[i]);
  return true;
}

static fcps_status value_candidates(screening *s)
{
  const bool has_bounds =
      s->batch->expected_reward != NULL && fcps_failure_penalty_has_bound(s->batch->posterior->penalty);
  fcps_status status = FCPS_OK;
  for (int i = 0; i < s->count && status == FCPS_OK; i++)
    status = (has_bounds ? fcps_batch_bound : fcps_batch_score)(s->batch, s->first + i, values_of(s, i));
  if (status != FCPS_OK || (s->batch->has_variances && !has_bounds)) return status;
  for (int i = 0; i < s->count && status == FCPS_OK; i++) {
    status = fcps_bound_screening_create(&s->screens[i], s->batch->candidates);
    if (status == FCPS_OK) fcps_bound_screening_begin(&s->screens[i], s->batch->candidates, values_of(s, i));
  }
  while (status == FCPS_OK && make_exact(s))
    ;
  return status;
}

static fcps_status choose(const screening *s, int starts, double *x)
{
  const fcps_batch *batch = s->batch;
  const size_t n = (size_t)batch->model->layout.parameters.count;
  const fcps_objective shape = {.n = (int)n, .wraps = fcps_posterior_wraps(batch->posterior)};
  int *chosen = fcps_allocate((size_t)starts, sizeof *chosen);
  fcps_status status = chosen != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < s->count && status == FCPS_OK; i++) {
    status = fcps_multistart_choose(&shape, batch->candidates, batch->x, values_of(s, i), starts, chosen);
    for (int j = 0; j < starts && status == FCPS_OK; j++, x += n)
      memcpy(x, batch->x + (size_t)chosen[j] * n, n * sizeof(double));
  }
  free(chosen);
  return status;
}

fcps_status fcps_batch_starts(fcps_batch *batch, int first, int count, int starts, double *x)
{
  screening s = {.batch = batch, .first = first, .count = count};
  s.values = fcps_allocate((size_t)count * (size_t)batch->candidates, sizeof(double));
  s.points = fcps_allocate(BLOCK * (size_t)batch->model->layout.parameters.count, sizeof(double));
  fcps_status status = s.values != NULL && s.points != NULL ? value_candidates(&s) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = choose(&s, starts, x);
  for (int i = 0; i < count; i++)
    fcps_bound_screening_destroy(&s.screens[i]);
  free(s.values);
  free(s.points);
  return status;
}
