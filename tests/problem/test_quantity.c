/* SPDX-License-Identifier: Apache-2.0 */
/* Units as people write them. */
#include "problem/quantity.h"

#include "check.h"
#include "model/composite/units.h"

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
  assert_true(fabs(f.factor * 212.0 + f.shift - (c.factor * 100.0 + c.shift)) < 1e-9);
}

static void other_kinds_and_unknown_words_are_never_compared(void **state)
{
  (void)state;
  static const char *const unknown[] = {"",  "apples",   "C", "Nm", "m*s", "m/s/s", "degC/s",
                                        "%", "mdeg C x", "M", "x2", "/",   "mm/",   "2"};
  fcps_quantity m;
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    if (fcps_quantity_read(&m, unknown[i])) fail_msg("\"%s\" is known", unknown[i]);
  assert_false(fcps_quantity_read(&m, NULL));
  const fcps_quantity a = read("mm"), b = read("s"), c = read("min");
  assert_false(fcps_quantity_differs(&a, &b));
  assert_false(fcps_quantity_differs(&a, &c));
}

/* What the model calls another unit (W_UNIT) has the same factors. */
static void the_factors_are_those_of_the_models_list(void **state)
{
  (void)state;
  static const char *const pairs[][3] = {{"psi", "bar", "pounds per square inch instead of bars"},
                                         {"kPa", "psi", "kilopascals instead of pounds per square inch"},
                                         {"mmHg", "kPa", "millimetres of mercury instead of kilopascals"},
                                         {"km/h", "m/s", "kilometres per hour instead of metres per second"},
                                         {"ft", "m", "feet instead of metres"},
                                         {"oz", "g", "ounces instead of grams"},
                                         {"lbf", "N", "pounds of force instead of newtons"},
                                         {"rpm", "rad/s", "turns per minute instead of radians per second"},
                                         {"deg", "rad", "degrees instead of radians"},
                                         {"in", "mm", "inches instead of millimetres"},
                                         {"degF", "degC", "degrees Fahrenheit instead of Celsius"},
                                         {"K", "degC", "kelvins instead of degrees Celsius"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const fcps_quantity told = read(pairs[i][0]), right = read(pairs[i][1]);
    const fcps_unit *unit = NULL;
    for (int n = 1; (unit = fcps_unit_at(n)) != NULL && strcmp(unit->name, pairs[i][2]) != 0; n++)
      ;
    assert_non_null(unit);
    assert_true(fabs(right.factor / told.factor / unit->factor - 1.0) < 1e-6);
    assert_true(fabs((right.shift - told.shift) / told.factor - unit->shift) < 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(units_of_one_kind_have_their_factor),
                                     cmocka_unit_test(temperatures_differ_by_a_shift),
                                     cmocka_unit_test(other_kinds_and_unknown_words_are_never_compared),
                                     cmocka_unit_test(the_factors_are_those_of_the_models_list)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
