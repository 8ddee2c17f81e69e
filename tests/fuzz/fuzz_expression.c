/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a formula: compiled or refused with a place, evaluated and explained without harm. What muParser takes is also read
 * as steps, evaluated with derivatives and taken apart, without harm. */
#include "fuzz.h"

#include "problem/formula/expression.h"
#include "reward/pieces.h"

#include <stdlib.h>
#include <string.h>

static void read_steps(const char *text, const char *const *names, const double *values)
{
  fcps_formula formula = {0}, alone = {0};
  const double *known[5] = {NULL, values + 1, values + 2, values + 3, values + 4};
  fcps_formula_input inputs[5];
  double slope[1], *slopes[5] = {slope};
  fcps_pieces pieces;
  for (int i = 0; i < 5; i++)
    inputs[i] = (fcps_formula_input){values + i, 0};
  const int root = fcps_formula_parse(&formula, text, 5, names);
  if (root >= 0 && fcps_formula_specialize(&alone, &formula, root, 5, known)) {
    double *work = malloc(fcps_formula_work(&alone) * sizeof *work);
    if (work != NULL) {
      (void)fcps_formula_eval(&alone, 1, inputs, work);
      fcps_formula_gradient(&alone, 1, work, 5, slopes);
      if (fcps_pieces_find(&pieces, &alone, 0)) (void)fcps_pieces_expect(&pieces, 0.3, 0.7);
    }
    free(work);
  }
  fcps_formula_destroy(&formula);
  fcps_formula_destroy(&alone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"x", "speed", "land", "present", "distance"};
  const double values[] = {1.5, -2.0, 0.0, 1.0, 3.25};
  char *text = malloc(size + 1);
  if (text == NULL) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  fcps_expression *expression = NULL;
  fcps_error error = {0};
  if (fcps_expression_create(&expression, text, 5, names, values, &error) == FCPS_OK) {
    char words[64];
    (void)fcps_expression_eval(expression);
    (void)fcps_expression_blame(text, &(fcps_expression_names){5, names, values}, sizeof words, words);
    read_steps(text, names, values);
    fcps_expression_destroy(expression);
  } else if (error.column < 1 || !error.message[0]) {
    abort();
  }
  free(text);
  return 0;
}
