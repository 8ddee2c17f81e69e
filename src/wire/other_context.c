/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers are compared as they are: both come from the same text, or differ. */
#include "wire/other_context.h"

static bool is_same(const fcps_space *space, const bool *is_free, const double *given, const double *asked)
{
  for (int i = 0; i < space->count; i++)
    if ((is_free == NULL || !is_free[i]) && given[i] != asked[i]) return false;
  return true;
}

bool fcps_wire_is_other_context(const fcps_problem *p, const fcps_free_dimensions *free_dims, const double *target,
                                const double *environment, const fcps_ask *ask)
{
  const bool *free_target = free_dims != NULL ? free_dims->target : NULL;
  const bool *free_environment = free_dims != NULL ? free_dims->environment : NULL;
  return ask->is_repeated && !(is_same(&p->target, free_target, target, ask->target) &&
                               is_same(&p->environment, free_environment, environment, ask->environment));
}
