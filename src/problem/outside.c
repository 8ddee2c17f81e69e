/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts outside their bounds: which value, of which dimension. Whoever answers there says so in these words. */
#include "base/number.h"
#include "space/space.h"

#include <fcps/problem.h>

#include <stdio.h>

/* Finds the value in one space; moves *index down by those that it passes. */
static bool find(const fcps_space *space, const char *label, const double *values, int *index, fcps_outside *outside)
{
  for (int i = -1; values != NULL && (i = fcps_space_find_outside(space, values, i + 1)) >= 0;) {
    if ((*index)-- > 0) continue;
    *outside = (fcps_outside){.space = label, .dimension = &space->dims[i], .value = values[i]};
    return true;
  }
  return false;
}

bool fcps_problem_outside(const fcps_problem *problem, const double *target, const double *environment, int index,
                          fcps_outside *outside)
{
  if (problem == NULL || outside == NULL || index < 0) return false;
  return find(&problem->target, "target", target, &index, outside) ||
         find(&problem->environment, "environment", environment, &index, outside);
}

char *fcps_outside_text(const fcps_outside *outside, size_t size, char *text)
{
  char value[FCPS_NUMBER_SIZE], lower[FCPS_NUMBER_SIZE], upper[FCPS_NUMBER_SIZE];
  if (text == NULL || size == 0) return text;
  text[0] = '\0';
  if (outside == NULL || outside->space == NULL || outside->dimension == NULL) return text;
  snprintf(text, size, "%s.%s: %s lies outside [%s, %s]", outside->space, outside->dimension->name,
           fcps_number_write(outside->value, value), fcps_number_write(outside->dimension->lower, lower),
           fcps_number_write(outside->dimension->upper, upper));
  return text;
}
