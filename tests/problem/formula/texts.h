/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as formulas that are evaluated, for tests. */
#ifndef FCPS_TESTS_PROBLEM_FORMULA_TEXTS_H
#define FCPS_TESTS_PROBLEM_FORMULA_TEXTS_H

#include "problem/formula/formula.h"

#include "check.h"

#include <stdlib.h>

/* The formula of a text, which must be one; to be destroyed. */
static inline fcps_formula formula_of(const char *text, int count, const char *const *names)
{
  fcps_formula written = {0}, formula = {0};
  fcps_error error = {0};
  if (fcps_formula_read(&written, text, count, names, NULL, &error) != FCPS_OK) fail_msg("%s: %s", text, error.message);
  assert_true(fcps_formula_specialize(&formula, &written, written.count - 1, count, NULL));
  fcps_formula_destroy(&written);
  return formula;
}

/* Its value in `lanes` rows of `count` numbers. */
static inline void values_in_rows(const fcps_formula *formula, int lanes, int count, const double *rows,
                                  double *results)
{
  double *work = malloc((fcps_formula_work(formula) + 1) * sizeof *work);
  fcps_formula_input *inputs = malloc((size_t)count * sizeof *inputs);
  assert_true(work != NULL && inputs != NULL);
  for (int i = 0; i < count; i++)
    inputs[i] = (fcps_formula_input){rows + i, (size_t)count};
  const double *values = fcps_formula_eval(formula, lanes, inputs, work);
  for (int l = 0; l < lanes; l++)
    results[l] = values[l];
  free(inputs);
  free(work);
}

static inline double value_of_text(const char *text, int count, const char *const *names, const double *values)
{
  double result;
  fcps_formula formula = formula_of(text, count, names);
  values_in_rows(&formula, 1, count, values, &result);
  fcps_formula_destroy(&formula);
  return result;
}

#endif
