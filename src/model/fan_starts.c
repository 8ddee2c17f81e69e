/* SPDX-License-Identifier: Apache-2.0 */
/* Where the searches of a fan begin: at the best candidates of each context. Where candidates have bounds alone, exact
 * rewards are asked for as far as they matter (screen.h), for several contexts in one pass of the GP. */
#include "model/fan_impl.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Contexts that are screened together. */
typedef struct screening {
  fcps_fan *fan;
  int first, count;
  fcps_screen screens[FCPS_FAN_STARTING];
  double *values; /* of all candidates, a row each context */
  double *points; /* of one pass */
} screening;

static double *values_of(const screening *s, int i)
{
  return s->values + (size_t)i * (size_t)s->fan->candidates;
}

/* One pass: asks for what the contexts need next. Whether there was anything. */
static bool sharpen(screening *s)
{
  const size_t n = (size_t)s->fan->model->parameters.count;
  int contexts[FCPS_VIEW_PASS], which[FCPS_VIEW_PASS], count = 0;
  double exact[FCPS_VIEW_PASS];
  for (int i = 0; i < s->count; i++) {
    const int block = fcps_screen_next(&s->screens[i], FCPS_VIEW_PASS / FCPS_FAN_STARTING, which + count);
    for (int j = 0; j < block; j++, count++) {
      contexts[count] = s->first + i;
      memcpy(s->points + (size_t)count * n, s->fan->unit + (size_t)which[count] * n, n * sizeof(double));
    }
  }
  if (count == 0) return false;
  fcps_fan_rewards(s->fan, count, contexts, s->points, exact, NULL);
  for (int i = 0; i < count; i++)
    fcps_screen_tell(&s->screens[contexts[i] - s->first], which[i], exact[i]);
  return true;
}

static fcps_status value_candidates(screening *s)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < s->count && status == FCPS_OK; i++)
    status = fcps_fan_value(s->fan, s->first + i, values_of(s, i));
  if (status != FCPS_OK || s->fan->has_variances) return status;
  for (int i = 0; i < s->count && status == FCPS_OK; i++) {
    status = fcps_screen_create(&s->screens[i], s->fan->candidates);
    if (status == FCPS_OK) fcps_screen_begin(&s->screens[i], s->fan->candidates, values_of(s, i));
  }
  while (status == FCPS_OK && sharpen(s))
    ;
  return status;
}

static fcps_status choose(const screening *s, int starts, double *x)
{
  const fcps_fan *fan = s->fan;
  const size_t n = (size_t)fan->model->parameters.count;
  const fcps_objective shape = {.n = (int)n, .wraps = fcps_view_wraps(fan->view)};
  int *chosen = fcps_allocate((size_t)starts, sizeof *chosen);
  fcps_status status = chosen != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < s->count && status == FCPS_OK; i++) {
    status = fcps_multistart_choose(&shape, fan->candidates, fan->unit, values_of(s, i), starts, chosen);
    for (int j = 0; j < starts && status == FCPS_OK; j++, x += n)
      memcpy(x, fan->unit + (size_t)chosen[j] * n, n * sizeof(double));
  }
  free(chosen);
  return status;
}

fcps_status fcps_fan_starts(fcps_fan *fan, int first, int count, int starts, double *x)
{
  screening s = {.fan = fan, .first = first, .count = count};
  s.values = fcps_allocate((size_t)count * (size_t)fan->candidates, sizeof(double));
  s.points = fcps_allocate(FCPS_VIEW_PASS * (size_t)fan->model->parameters.count, sizeof(double));
  fcps_status status = s.values != NULL && s.points != NULL ? value_candidates(&s) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = choose(&s, starts, x);
  for (int i = 0; i < count; i++)
    fcps_screen_destroy(&s.screens[i]);
  free(s.values);
  free(s.points);
  return status;
}
