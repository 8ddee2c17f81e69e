/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas as steps, compared with muParser on random texts, and their derivatives with finite differences. */
#include "problem/formula/formula.h"

#include "base/rng.h"
#include "check.h"
#include "problem/formula/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 4, TEXT = 1200 };
static const char *const names[NAMES] = {"x", "speed", "e1", "present"};

/* -- Random texts -- */

typedef struct writer {
  fcps_rng rng;
  char text[TEXT + 1];
  size_t length;
} writer;

static int pick(writer *w, int count)
{
  return (int)(fcps_rng_uniform(&w->rng) * count) % count;
}

static void put(writer *w, const char *part)
{
  const size_t length = strlen(part);
  if (w->length + length > TEXT) return;
  memcpy(w->text + w->length, part, length + 1);
  w->length += length;
  if (pick(w, 8) == 0 && w->length < TEXT) strcpy(w->text + w->length++, " ");
}

static void put_formula(writer *w, int depth);

static void put_call(writer *w, int depth)
{
  int count = 0;
  while (fcps_formula_functions[count].name != NULL)
    count++;
  const fcps_formula_function *function = &fcps_formula_functions[pick(w, count)];
  const int arguments = function->one != NULL ? 1 : function->many != NULL ? 1 + pick(w, 4) : 2;
  put(w, function->name);
  put(w, "(");
  for (int i = 0; i < arguments; i++) {
    if (i > 0) put(w, ",");
    put_formula(w, depth - 1);
  }
  put(w, ")");
}

static void put_operand(writer *w, int depth)
{
  static const char *const numbers[] = {"0", "1", "2", "3", "0.5", ".25", "4.", "1e-2", "2E+1", "10", "pi", "7.125"};
  switch (depth > 0 ? pick(w, 5) : pick(w, 3)) {
  case 0:
    put(w, numbers[pick(w, (int)(sizeof numbers / sizeof *numbers))]);
    break;
  case 1:
  case 2:
    put(w, names[pick(w, NAMES)]);
    break;
  case 3:
    put(w, "(");
    put_formula(w, depth - 1);
    put(w, ")");
    break;
  default:
    put_call(w, depth);
  }
}

static void put_formula(writer *w, int depth)
{
  static const char *const operators[] = {"+", "-",  "*", "/",  "^",  "+",  "-",  "*",
                                          "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
  const int operands = 1 + pick(w, depth > 0 ? 4 : 2);
  for (int i = 0; i < operands; i++) {
    if (i > 0) put(w, operators[pick(w, (int)(sizeof operators / sizeof *operators))]);
    if (pick(w, 6) == 0) put(w, pick(w, 4) == 0 ? "+" : "-");
    put_operand(w, depth);
  }
  if (depth > 0 && pick(w, 6) == 0) {
    put(w, "?");
    put_formula(w, depth - 1);
    put(w, ":");
    put_formula(w, depth - 1);
  }
}

/* -- Comparison with muParser -- */

static void values_of(const fcps_formula *formula, int lanes, const double *rows, double *results)
{
  double *work = malloc((fcps_formula_work(formula) + 1) * sizeof *work);
  assert_non_null(work);
  fcps_formula_input inputs[NAMES];
  for (int i = 0; i < NAMES; i++)
    inputs[i] = (fcps_formula_input){rows + i, NAMES};
  memcpy(results, fcps_formula_eval(formula, lanes, inputs, work), (size_t)lanes * sizeof(double));
  free(work);
}

/* Up to rounding. */
static bool is_close(double a, double b)
{
  return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-10 * fmax(1.0, fmax(fabs(a), fabs(b)));
}

static void random_formulas_have_the_values_of_muparser(void **state)
{
  (void)state;
  enum { TEXTS = 20000, ROWS = 7 };
  int compiled = 0, finite = 0, different = 0;
  for (int t = 0; t < TEXTS; t++) {
    writer w = {.rng = fcps_rng_stream(7, FCPS_PURPOSE_TEST, (uint64_t)t)};
    double rows[ROWS][NAMES], values[NAMES], results[ROWS];
    put_formula(&w, 3);
    fcps_expression *e = NULL;
    if (fcps_expression_create(&e, w.text, NAMES, names, values, NULL) != FCPS_OK) continue;
    fcps_formula formula = {0};
    const int root = fcps_formula_parse(&formula, w.text, NAMES, names);
    if (root < 0) fail_msg("not read: %s", w.text);
    compiled++;
    if (root == formula.count - 1) {
      for (int i = 0; i < ROWS * NAMES; i++)
        rows[i / NAMES][i % NAMES] = i % 5 == 0 ? (double)(pick(&w, 5) - 2) : 6.0 * fcps_rng_uniform(&w.rng) - 3.0;
      values_of(&formula, ROWS, rows[0], results);
      for (int i = 0; i < ROWS; i++) {
        memcpy(values, rows[i], sizeof values);
        const double expected = fcps_expression_eval(e);
        finite += isfinite(expected) ? 1 : 0;
        if (is_close(results[i], expected)) continue;
        different++;
        print_message("%s\n  at %g %g %g %g: %.17g, muParser %.17g\n", w.text, values[0], values[1], values[2],
                      values[3], results[i], expected);
      }
    }
    fcps_formula_destroy(&formula);
    fcps_expression_destroy(e);
  }
  print_message("%d formulas, %d finite values, %d different\n", compiled, finite, different);
  assert_true(compiled > TEXTS / 2);
  assert_true(finite > TEXTS);
  assert_int_equal(different, 0);
}

/* -- Derivatives -- */

static void derivatives_agree_with_differences(void **state)
{
  (void)state;
  static const char *const texts[] = {"x*speed - e1/x + 3",
                                      "-abs(x - 2*speed) - 0.01*e1",
                                      "x^2 + speed^3 - e1^4 + x^2.5 + 2^speed + x^speed",
                                      "sqrt(x) + cbrt(speed) + exp(-e1) + log(x) + ln(speed) + log2(x) + log10(speed)",
                                      "sin(x) + cos(speed) + tan(e1/4) + asin(x/9) + acos(speed/9) + atan(e1)",
                                      "sinh(x) + cosh(speed) + tanh(e1) + floor(x) + ceil(speed) + round(e1) + sign(x)",
                                      "atan2(x, speed) + hypot(speed, e1) + mod(x, 0.7*speed) + wrap(e1, 2*x)",
                                      "min(x, speed, e1) + 2*max(x, speed) - sum(x, x, e1) + norm(x, speed, e1)",
                                      "x > speed ? x*x : speed*x",
                                      "x > 0 && speed < 9 ? log(x)*e1 : e1/0",
                                      "x < 0 ? speed*log(-x) : speed",
                                      "(x < speed)*3 + x*(e1 > 0)",
                                      "-(-x)^2",
                                      "min(x) + norm(speed)"};
  static const double at[2][NAMES] = {{1.3, 2.1, 0.7, 1.0}, {2.6, 0.4, 1.9, 1.0}};
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    fcps_formula formula = {0};
    const int root = fcps_formula_parse(&formula, texts[t], NAMES, names);
    assert_int_equal(root, formula.count - 1);
    double *work = malloc(fcps_formula_work(&formula) * sizeof *work), slopes[NAMES][2];
    fcps_formula_input inputs[NAMES];
    double *wanted[NAMES];
    for (int i = 0; i < NAMES; i++) {
      inputs[i] = (fcps_formula_input){&at[0][i], NAMES};
      wanted[i] = i == 3 ? NULL : slopes[i];
    }
    fcps_formula_eval(&formula, 2, inputs, work);
    fcps_formula_gradient(&formula, 2, work, NAMES, wanted);
    for (int lane = 0; lane < 2; lane++)
      for (int i = 0; i < 3; i++) {
        const double h = 1e-6;
        double moved[2][NAMES], values[2];
        memcpy(moved[0], at[lane], sizeof moved[0]);
        memcpy(moved[1], at[lane], sizeof moved[1]);
        moved[0][i] += h;
        moved[1][i] -= h;
        values_of(&formula, 2, moved[0], values);
        const double difference = (values[0] - values[1]) / (2 * h);
        if (!(fabs(slopes[i][lane] - difference) <= 1e-6 * (1 + fabs(difference))))
          fail_msg("%s by %s: %g, differences %g", texts[t], names[i], slopes[i][lane], difference);
      }
    free(work);
    fcps_formula_destroy(&formula);
  }
}

static void values_put_in_for_good_leave_what_depends_on_the_others(void **state)
{
  (void)state;
  const double present = 1.0, absent = 0.0, nothing = NAN;
  const double *known[NAMES] = {NULL, NULL, NULL, &present};
  fcps_formula formula = {0}, there = {0}, not_there = {0};
  const int root = fcps_formula_parse(&formula, "present ? -abs(x - speed) : -6*2", NAMES, names);
  assert_true(root >= 0);
  assert_true(fcps_formula_specialize(&there, &formula, root, NAMES, known));
  assert_int_equal(there.count, 5); /* x, speed, x - speed, abs, - */
  const double row[NAMES] = {1.0, 4.0, 0.0, NAN};
  double value;
  values_of(&there, 1, row, &value);
  assert_near(value, -3.0, 0);
  known[3] = &absent;
  known[0] = &nothing;
  assert_true(fcps_formula_specialize(&not_there, &formula, root, NAMES, known));
  assert_int_equal(not_there.count, 1);
  assert_near(not_there.steps[0].constant, -12.0, 0);
  fcps_formula_destroy(&formula);
  fcps_formula_destroy(&there);
  fcps_formula_destroy(&not_there);
}

static void texts_that_nest_too_deeply_have_no_steps(void **state)
{
  (void)state;
  char text[1002] = "";
  memset(text, '(', 500);
  text[500] = 'x';
  memset(text + 501, ')', 500);
  fcps_formula formula = {0};
  assert_int_equal(fcps_formula_parse(&formula, text, NAMES, names), -1);
  fcps_formula_destroy(&formula);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_formulas_have_the_values_of_muparser),
      cmocka_unit_test(derivatives_agree_with_differences),
      cmocka_unit_test(values_put_in_for_good_leave_what_depends_on_the_others),
      cmocka_unit_test(texts_that_nest_too_deeply_have_no_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
