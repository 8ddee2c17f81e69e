/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a formula: an error with a position, or a formula that is explained, evaluated with derivatives and
 * taken apart without harm. */
#include "fuzz.h"

#include "problem/formula/formula.h"
#include "reward/pieces.h"

#include <stdlib.h>
#include <string.h>

static void use(const fcps_formula *written, const double *values)
{
  fcps_formula alone = {0};
  const double *known[6] = {NULL, values + 1, values + 2, values + 3, values + 4, values + 5};
  fcps_formula_input inputs[6];
  double slope[1], *slopes[6] = {slope};
  fcps_pieces pieces;
  for (int i = 0; i < 6; i++)
    inputs[i] = (fcps_formula_input){values + i, 0};
  if (fcps_formula_specialize(&alone, written, written->count - 1, 6, known)) {
    double *work = malloc(fcps_formula_work(&alone) * sizeof *work);
    if (work != NULL) {
      (void)fcps_formula_eval(&alone, 1, inputs, work);
      fcps_formula_gradient(&alone, 1, work, 6, slopes);
      if (fcps_pieces_find(&pieces, &alone, 0)) (void)fcps_pieces_expect(&pieces, 0.3, 0.7);
    }
    free(work);
  }
  fcps_formula_destroy(&alone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = {"x", "speed", "land", "present", "distance", "gate"};
  static const char *const gates[] = {"tab", "pin", "two words", "low-fat"};
  static const fcps_choices words_of_gate = {.count = 4, .words = gates, .is_ordered = true};
  static const fcps_choices *const choices[] = {NULL, NULL, NULL, NULL, NULL, &words_of_gate};
  const double values[] = {1.5, -2.0, 0.0, 1.0, 3.25, 2.0};
  char *text = malloc(size + 1);
  if (text == NULL) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  fcps_formula written = {0};
  fcps_error error = {0};
  if (fcps_formula_read(&written, text, 6, names, choices, &error) == FCPS_OK) {
    char words[64];
    (void)fcps_formula_blame(text, 6, names, choices, values, sizeof words, words);
    use(&written, values);
    fcps_formula_destroy(&written);
  } else if (error.column < 1 || !error.message[0]) {
    abort();
  }
  free(text);
  return 0;
}
