/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions with steps: their values share the unit interval equally and come back exactly, and other values are
 * found. Integers have step 1. */
#include "check.h"

#include "base/rng.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const fcps_dimension dims[] = {
    {.name = "valve", .lower = 20, .upper = 100, .step = 5},
    {.name = "dose", .lower = -0.3, .upper = 1.2, .step = 0.1},
    {.name = "turn", .lower = 0, .upper = 345, .step = 15, .period = 360},
    {.name = "gap", .lower = 1, .upper = 2.4, .step = 0.7},
    {.name = "teeth", .lower = 1, .upper = 4, .scale = FCPS_SCALE_INTEGER},
};
enum { COUNT = sizeof dims / sizeof *dims };
static const fcps_space space = {.count = COUNT, .dims = dims};

static void steps_share_the_cube_equally(void **state)
{
  (void)state;
  double levels[COUNT];
  assert_true(fcps_space_levels(&space, levels));
  static const double counts[COUNT] = {17, 16, 24, 3, 4};
  for (int d = 0; d < COUNT; d++) {
    const fcps_space alone = {1, &dims[d]};
    assert_near(levels[d], counts[d], 0);
    for (int k = 0; k < (int)counts[d]; k++) {
      double value, back;
      const double middle = (k + 0.5) / counts[d], low = (k + 1e-6) / counts[d], high = (k + 1 - 1e-6) / counts[d];
      fcps_space_from_unit(&alone, &middle, &value);
      assert_near(value, dims[d].lower + k * fcps_dimension_step(&dims[d]), 1e-12);
      fcps_space_to_unit(&alone, &value, &back);
      assert_near(back, middle, 1e-12);
      fcps_space_from_unit(&alone, &low, &back);
      assert_near(back, value, 0);
      fcps_space_from_unit(&alone, &high, &back);
      assert_near(back, value, 0);
    }
  }
  assert_true(fcps_dimension_wraps(&dims[2]));
}

/* 0.3, not 0.30000000000000004 */
static void decimal_steps_are_decimal_numbers(void **state)
{
  (void)state;
  const fcps_space alone = {1, &dims[1]};
  for (int k = 0; k < 16; k++) {
    char text[32];
    double value, read = NAN;
    const double unit = (k + 0.5) / 16;
    fcps_space_from_unit(&alone, &unit, &value);
    snprintf(text, sizeof text, "%.1f", value);
    assert_int_equal(sscanf(text, "%lf", &read), 1);
    assert_true(value == read);
  }
}

static void what_is_off_its_steps_is_found(void **state)
{
  (void)state;
  double values[COUNT] = {45, 0.7, 30, 1.7, 3};
  assert_int_equal(fcps_space_find_off_step(&space, values, 0), -1);
  values[1] = 0.75;
  values[4] = 2.5;
  assert_int_equal(fcps_space_find_off_step(&space, values, 0), 1);
  assert_int_equal(fcps_space_find_off_step(&space, values, 2), 4);
  values[4] = NAN;
  assert_int_equal(fcps_space_find_off_step(&space, values, 2), -1);
}

static void steps_that_cannot_be_are_refused(void **state)
{
  (void)state;
  static const struct {
    fcps_dimension dim;
    bool is_measured;
    const char *words;
  } cases[] = {
      {{.name = "a", .lower = 0, .upper = 1, .step = 0.3}, false, "for example at 0.9"},
      {{.name = "a", .lower = 0, .upper = 1, .step = 2}, false, "steps of 2"},
      {{.name = "a", .lower = 0, .upper = 1, .step = -1}, false, "must be a positive number"},
      {{.name = "a", .lower = 0, .upper = 1, .step = NAN}, false, "must be a positive number"},
      {{.name = "a", .lower = 0, .upper = 1, .step = 1e-9}, false, "leave the step out, or make it 1e-06 or more"},
      {{.name = "a", .lower = 1, .upper = 9, .step = 1, .scale = FCPS_SCALE_LOG}, false, "only a linear"},
      {{.name = "a", .lower = 1, .upper = 9, .step = 2, .scale = FCPS_SCALE_INTEGER}, false, "the step alone"},
      {{.name = "a", .lower = 1, .upper = 9, .step = 2}, true, "an outcome cannot have a step"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const fcps_space alone = {1, &cases[i].dim};
    fcps_error error = {0};
    assert_true(fcps_space_check(&alone, "parameters", cases[i].is_measured, &error) != FCPS_OK);
    if (strstr(error.message, cases[i].words) == NULL) fail_msg("no \"%s\" in: %s", cases[i].words, error.message);
  }
  assert_ok(fcps_space_check(&space, "parameters", false, NULL));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_share_the_cube_equally),
      cmocka_unit_test(decimal_steps_are_decimal_numbers),
      cmocka_unit_test(what_is_off_its_steps_is_found),
      cmocka_unit_test(steps_that_cannot_be_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
