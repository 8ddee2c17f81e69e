/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts with free and fixed coordinates, to the unit cube and back. */
#include "learner/bo/context_choice.h"

#include "base/memory.h"
#include "space/space.h"

#include <stdlib.h>

fcps_status fcps_bo_context_choice_open(fcps_bo_context_choice *choice, const fcps_problem *problem,
                                        const fcps_free_dimensions *free_dimensions, const double *target,
                                        const double *environment)
{
  fcps_bo_context_choice *c = choice;
  *c = (fcps_bo_context_choice){
      .problem = problem, .environments = problem->environment.count, .targets = problem->target.count};
  const int count = c->environments + c->targets;
  c->context = fcps_allocate((size_t)(count + problem->parameters.count), sizeof(double));
  c->is_free = fcps_allocate((size_t)count, sizeof(bool));
  if (c->context == NULL || c->is_free == NULL) return FCPS_ERR_MEMORY;
  c->x = c->context + count;
  for (int i = 0; i < count; i++) {
    const bool is_environment = i < c->environments;
    const int j = is_environment ? i : i - c->environments;
    const bool *flags = is_environment ? free_dimensions->environment : free_dimensions->target;
    const fcps_space one = {1, (is_environment ? problem->environment.dims : problem->target.dims) + j};
    c->is_free[i] = flags == NULL || flags[j];
    c->context[i] = 0.5;
    if (!c->is_free[i]) fcps_space_to_unit(&one, (is_environment ? environment : target) + j, c->context + i);
  }
  return FCPS_OK;
}

void fcps_bo_context_choice_close(fcps_bo_context_choice *choice)
{
  free(choice->context);
  free(choice->is_free);
}

fcps_status fcps_bo_context_choice_write(const fcps_bo_context_choice *choice, double *target, double *environment,
                                         double *parameters)
{
  const fcps_bo_context_choice *c = choice;
  const int count = c->environments + c->targets;
  double *values = fcps_allocate((size_t)count, sizeof(double));
  if (values == NULL) return FCPS_ERR_MEMORY;
  fcps_space_from_unit(&c->problem->environment, c->context, values);
  fcps_space_from_unit(&c->problem->target, c->context + c->environments, values + c->environments);
  for (int i = 0; i < count; i++) {
    double *to = i < c->environments ? environment + i : target + (i - c->environments);
    if (c->is_free[i]) *to = values[i];
  }
  fcps_space_from_unit(&c->problem->parameters, c->x, parameters);
  free(values);
  return FCPS_OK;
}
