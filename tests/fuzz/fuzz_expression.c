/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a formula: compiled or refused with a place, evaluated and explained without harm. */
#include "fuzz.h"

#include "problem/expression.h"

#include <stdlib.h>
#include <string.h>

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
    fcps_expression_destroy(expression);
  } else if (error.column < 1 || !error.message[0]) {
    abort();
  }
  free(text);
  return 0;
}
