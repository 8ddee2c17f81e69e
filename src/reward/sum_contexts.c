/* SPDX-License-Identifier: Apache-2.0 */
/* The formula of the selected context, taken apart (sum_form.h). Searches side by side turn from context to context and
 * come back, so the forms of the last contexts are kept, each at the place that its numbers say. */
#include "base/memory.h"
#include "reward/expected_reward_impl.h"

#include <stdlib.h>

/* Contexts whose forms are kept: as many as are searched side by side, with room for those that share a place. */
enum { KEPT = 1024 };

/* FNV-1a. */
static size_t place_of(const fcps_expected_reward *s)
{
  const size_t lengths[2] = {(size_t)s->problem->target.count * sizeof(double),
                             (size_t)s->problem->environment.count * sizeof(double)};
  const void *const parts[2] = {s->target, s->environment};
  uint64_t hash = 14695981039346656037ULL;
  for (int i = 0; i < 2; i++)
    for (size_t b = 0; b < lengths[i]; b++)
      hash = (hash ^ ((const unsigned char *)parts[i])[b]) * 1099511628211ULL;
  return (size_t)((hash ^ (hash >> 32)) % KEPT);
}

const fcps_sum_form *fcps_expected_reward_sum(fcps_expected_reward *s)
{
  if (s->formula == NULL || s->form->k > 0) return NULL;
  if (s->sum != NULL) return s->sum;
  if (s->sums == NULL) s->sums = fcps_allocate(KEPT, sizeof *s->sums);
  if (s->sums == NULL) return NULL;
  fcps_sum_form *form = &s->sums[place_of(s)];
  if (!fcps_sum_form_is_of(form, s->problem, s->target, s->environment)) {
    fcps_sum_form_destroy(form);
    s->slopes.form = NULL;
    if (!fcps_sum_form_create(form, s->formula, s->problem, s->target, s->environment)) return NULL;
    if (!fcps_sum_form_look_along(form, s->formula, s->typical, s->scale)) return NULL;
  }
  s->sum = form;
  return form;
}

void fcps_expected_reward_free_sums(fcps_expected_reward *s)
{
  for (int i = 0; i < KEPT && s->sums != NULL; i++)
    fcps_sum_form_destroy(&s->sums[i]);
  for (int d = 0; d < 2 * (s->outcomes + 1) && s->quadratures != NULL; d++)
    fcps_quadrature_destroy(&s->quadratures[d]);
  fcps_quadrature_destroy(&s->rules[0]);
  fcps_quadrature_destroy(&s->rules[1]);
  free(s->sums);
  free(s->quadratures);
  free(s->slopes.x);
  free(s->formula_work);
  free(s->rest_lanes);
  free(s->formula_inputs);
}
