/* SPDX-License-Identifier: Apache-2.0 */
/* Steps: derivatives compared with finite differences, known values that are inserted, and the sides of a comparison.
 */
#include "problem/formula/texts.h"

#include <string.h>

enum { NAMES = 4 };
static const char *const names[NAMES] = {"x", "speed", "e1", "present"};

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
    fcps_formula formula = formula_of(texts[t], NAMES, names);
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
        values_in_rows(&formula, 2, NAMES, moved[0], values);
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
  fcps_formula formula = formula_of("present ? -abs(x - speed) : -6*2", NAMES, names), there = {0}, not_there = {0};
  const int root = formula.count - 1;
  assert_true(fcps_formula_specialize(&there, &formula, root, NAMES, known));
  assert_int_equal(there.count, 5); /* x, speed, x - speed, abs, - */
  const double row[NAMES] = {1.0, 4.0, 0.0, NAN};
  double value;
  values_in_rows(&there, 1, NAMES, row, &value);
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

static void the_last_step_is_the_formula_and_the_others_matter(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int count;
  } cases[] = {{"1 ? x : speed/e1", 1}, {"0 && 0 ? x : 2*3*speed", 3}, {"x*(1 > 2 ? speed : 4)", 3}, {"2^3", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_formula formula = formula_of(cases[i].text, NAMES, names);
    if (formula.count != cases[i].count) fail_msg("%s: %d steps", cases[i].text, formula.count);
    fcps_formula_destroy(&formula);
  }
}

static void a_comparison_has_two_sides(void **state)
{
  (void)state;
  fcps_formula whole = formula_of("x + speed <= 2*e1", NAMES, names), sides[2] = {{0}};
  const fcps_formula_step *last = &whole.steps[whole.count - 1];
  const double row[NAMES] = {1.0, 2.5, 4.0, 0.0};
  double value;
  assert_true(fcps_formula_compares(last));
  for (int i = 0; i < 2; i++)
    assert_true(fcps_formula_specialize(&sides[i], &whole, last->arguments[i], NAMES, NULL));
  values_in_rows(&sides[0], 1, NAMES, row, &value);
  assert_near(value, 3.5, 0);
  values_in_rows(&sides[1], 1, NAMES, row, &value);
  assert_near(value, 8.0, 0);
  assert_true(fcps_formula_uses(&sides[0], 1) && !fcps_formula_uses(&sides[1], 1));
  for (int i = 0; i < 2; i++)
    fcps_formula_destroy(&sides[i]);
  fcps_formula_destroy(&whole);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_agree_with_differences),
      cmocka_unit_test(values_put_in_for_good_leave_what_depends_on_the_others),
      cmocka_unit_test(the_last_step_is_the_formula_and_the_others_matter),
      cmocka_unit_test(a_comparison_has_two_sides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
