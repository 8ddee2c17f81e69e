/* SPDX-License-Identifier: Apache-2.0 */
/* Units as people write them. */
#include "problem/quantity.h"

#include "check.h"

#include <math.h>
#include <string.h>

static fcps_quantity read(const char *text)
{
  fcps_quantity m;
  if (!fcps_quantity_read(&m, text)) fail_msg("\"%s\" is not known", text);
  return m;
}

static void units_of_one_kind_have_their_factor(void **state)
{
  (void)state;
  static const struct {
    const char *a, *b;
    double factor; /* one of a is so many of b */
  } cases[] = {{"mm", "um", 1e3},
               {"mm", "\xc2\xb5m", 1e3},
               {"m", "millimetres", 1e3},
               {"in", "mm", 25.4},
               {"inches", "cm", 2.54},
               {"min", "s", 60},
               {"hours", "minutes", 60},
               {"ms", "s", 1e-3},
               {"bar", "kPa", 100},
               {"MPa", "N/mm2", 1},
               {"MPa", "N/mm^2", 1},
               {"psi", "bar", 0.0689475729},
               {"bar", "mbar", 1000},
               {"m/s", "km/h", 3.6},
               {"m/s", "mm/s", 1000},
               {"m/min", "mm/s", 1000.0 / 60},
               {"deg", "rad", 0.0174533},
               {"\xc2\xb0", "degrees", 1},
               {"rpm", "rad/s", 0.10472},
               {"kg", "g", 1000},
               {"lb", "kg", 0.45359237},
               {"l", "ml", 1000},
               {"L/min", "ml/s", 1000.0 / 60},
               {"kN", "N", 1000},
               {"mm2", "cm\xc2\xb2", 0.01},
               {"mm per second", "mm/s", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const fcps_quantity a = read(cases[i].a), b = read(cases[i].b);
    if (memcmp(a.exponents, b.exponents, sizeof a.exponents) != 0) fail_msg("%s, %s", cases[i].a, cases[i].b);
    if (fabs(a.factor / b.factor / cases[i].factor - 1.0) > 1e-5)
      fail_msg("%s is %g %s", cases[i].a, a.factor / b.factor, cases[i].b);
    assert_int_equal(fcps_quantity_differs(&a, &b), cases[i].factor != 1.0);
  }
}

static void temperatures_differ_by_a_shift(void **state)
{
  (void)state;
  const fcps_quantity k = read("K"), c = read("degC"),
                      f = read("\xc2\xb0"
                               "F"),
                      again = read("deg C");
  assert_true(fcps_quantity_differs(&k, &c));
  assert_true(fcps_quantity_differs(&f, &c));
  assert_false(fcps_quantity_differs(&again, &c));
  assert_true(fcps_quantity_is_same("C", "\xc2\xb0"
                                         "C"));
  assert_true(fabs(f.factor * 212.0 + f.shift - (c.factor * 100.0 + c.shift)) < 1e-9);
}

static void other_kinds_and_unknown_words_are_never_compared(void **state)
{
  (void)state;
  static const char *const unknown[] = {"",  "apples",   "S", "Nm", "m*s", "m/s/s", "degC/s",
                                        "%", "mdeg C x", "M", "x2", "/",   "mm/",   "2"};
  fcps_quantity m;
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    if (fcps_quantity_read(&m, unknown[i])) fail_msg("\"%s\" is known", unknown[i]);
  assert_false(fcps_quantity_read(&m, NULL));
  assert_true(fcps_quantity_is_same("apples", "Apple"));
  assert_false(fcps_quantity_is_same("apples", "pears"));
  assert_false(fcps_quantity_is_same("mS", "MS")); /* short words are symbols */
  assert_false(fcps_quantity_is_same("mm", "apples"));
  const fcps_quantity a = read("mm"), b = read("s"), c = read("min");
  assert_false(fcps_quantity_differs(&a, &b));
  assert_false(fcps_quantity_differs(&a, &c));
}

static void a_ratio_names_the_unit(void **state)
{
  (void)state;
  static const struct {
    const char *right;
    double factor;
    const char *name; /* NULL: none */
    double exact;
  } cases[] = {{"m", 998.0, "mm", 1000.0},
               {"mm", 0.00101, "m", 0.001},
               {"mm", 0.0394, "in", 1.0 / 25.4},
               {"s", 1.0 / 60.0, "min", 1.0 / 60.0},
               {"h", 59.0, "min", 60.0},
               {"bar", 14.4, "psi", 14.5037738},
               {"bar", 1000.0, "mbar", 1000.0},
               {"bar", 100.0, "kPa", 100.0},
               {"kg", 2.2, "lb", 1.0 / 0.45359237},
               {"m/s", 3.6, "kph", 3.6},
               {"m/s", 1000.0, "mm/s", 1000.0},
               {"g/L", 1000.0, "mg/L", 1000.0},
               {"rad", 57.0, "deg", 57.2957795},
               {"L", 1.0 / 60.0, NULL, 0.0},
               {"m", 4.7, NULL, 0.0},
               {"apples", 1000.0, NULL, 0.0},
               {"m", 1.01, NULL, 0.0},
               {NULL, 1000.0, NULL, 0.0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char name[40] = "";
    double factor = cases[i].factor;
    const bool is_named = fcps_quantity_name_ratio(cases[i].right, &factor, sizeof name, name);
    if (is_named != (cases[i].name != NULL) || strcmp(name, is_named ? cases[i].name : "") != 0)
      fail_msg("%s, %g: %s", cases[i].right, cases[i].factor, name);
    assert_true(fabs(factor / (is_named ? cases[i].exact : cases[i].factor) - 1.0) < 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_of_one_kind_have_their_factor), cmocka_unit_test(temperatures_differ_by_a_shift),
      cmocka_unit_test(other_kinds_and_unknown_words_are_never_compared), cmocka_unit_test(a_ratio_names_the_unit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
