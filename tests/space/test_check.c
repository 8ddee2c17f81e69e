/* SPDX-License-Identifier: Apache-2.0 */
/* Every refused space and every refused value, with the field that the error names. */
#include "check.h"

#include "space/space.h"

#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static fcps_status check_one(fcps_dimension dim, bool is_measured, fcps_error *error)
{
  const fcps_space space = {.count = 1, .dims = &dim};
  memset(error, 0, sizeof *error);
  return fcps_space_check(&space, "parameters", is_measured, error);
}

static void assert_refused(fcps_dimension dim, fcps_status status, const char *field)
{
  fcps_error error;
  assert_status(check_one(dim, false, &error), status);
  assert_int_equal(error.status, status);
  assert_string_equal(error.field, field);
  assert_true(strlen(error.message) > 10);
  /* without an error to fill the answer is the same */
  const fcps_space space = {.count = 1, .dims = &dim};
  assert_status(fcps_space_check(&space, "parameters", false, NULL), status);
}

static void sensible_spaces_are_accepted(void **state)
{
  (void)state;
  const fcps_dimension dims[] = {
      {.name = "turn", .lower = 0, .upper = 2 * pi, .period = 2 * pi, .unit = "rad"},
      {.name = "_tilt2", .lower = -1.5, .upper = -0.5},
      {.name = "Speed", .lower = 1e-3, .upper = 1e3, .scale = FCPS_SCALE_LOG},
      {.name = "teeth", .lower = -3, .upper = 12, .scale = FCPS_SCALE_INTEGER},
      {.name = "hour", .lower = 0, .upper = 23, .period = 24, .scale = FCPS_SCALE_INTEGER},
      {.name = "heading", .lower = 10, .upper = 90, .period = 360},
  };
  fcps_error error;
  const fcps_space space = {.count = 6, .dims = dims}, empty = {0};
  assert_ok(fcps_space_check(&space, "parameters", false, &error));
  assert_ok(fcps_space_check(&empty, "environment", false, &error));
}

static void names_that_are_no_identifiers_are_refused(void **state)
{
  (void)state;
  const char *const bad[] = {NULL, "", "1x", "a-b", "a b", " a", "a.b", "x!", "\xc3\xa4", "a\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_refused((fcps_dimension){.name = bad[i], .upper = 1}, FCPS_ERR_ARGUMENT, "parameters[0]");
  }
}

static void names_have_at_most_63_characters(void **state)
{
  (void)state;
  char name[FCPS_NAME_MAX + 2];
  fcps_error error;
  memset(name, 'n', sizeof name);
  name[FCPS_NAME_MAX + 1] = '\0';
  assert_refused((fcps_dimension){.name = name, .upper = 1}, FCPS_ERR_ARGUMENT, "parameters[0]");
  name[FCPS_NAME_MAX] = '\0';
  assert_ok(check_one((fcps_dimension){.name = name, .upper = 1}, false, &error));
}

static void equal_names_are_refused(void **state)
{
  (void)state;
  const fcps_dimension dims[] = {{.name = "x", .upper = 1}, {.name = "y", .upper = 1}, {.name = "x", .upper = 2}};
  const fcps_space space = {.count = 3, .dims = dims};
  fcps_error error;
  assert_status(fcps_space_check(&space, "target", false, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "target.x");
}

static void counts_out_of_range_are_refused(void **state)
{
  (void)state;
  static fcps_dimension dims[FCPS_SPACE_MAX + 1];
  static char names[FCPS_SPACE_MAX + 1][8];
  for (int i = 0; i <= FCPS_SPACE_MAX; i++) {
    snprintf(names[i], sizeof names[i], "d%d", i);
    dims[i] = (fcps_dimension){.name = names[i], .upper = 1};
  }
  fcps_error error;
  assert_ok(fcps_space_check(&(fcps_space){.count = FCPS_SPACE_MAX, .dims = dims}, "target", false, &error));
  const fcps_space bad[] = {{.count = FCPS_SPACE_MAX + 1, .dims = dims}, {.count = -1, .dims = dims}, {.count = 2}};
  for (int i = 0; i < 3; i++) {
    assert_status(fcps_space_check(&bad[i], "target", false, &error), FCPS_ERR_ARGUMENT);
    assert_string_equal(error.field, "target");
  }
}

static void wrong_bounds_are_refused(void **state)
{
  (void)state;
  const struct {
    double lower, upper;
    fcps_scale scale;
    fcps_status status;
  } bad[] = {
      {0, 0, FCPS_SCALE_LINEAR, FCPS_ERR_BOUNDS},
      {1, 1, FCPS_SCALE_LINEAR, FCPS_ERR_BOUNDS},
      {2, 1, FCPS_SCALE_LINEAR, FCPS_ERR_BOUNDS},
      {NAN, 1, FCPS_SCALE_LINEAR, FCPS_ERR_NOT_FINITE},
      {0, NAN, FCPS_SCALE_LINEAR, FCPS_ERR_NOT_FINITE},
      {-INFINITY, 1, FCPS_SCALE_LINEAR, FCPS_ERR_NOT_FINITE},
      {0, INFINITY, FCPS_SCALE_LINEAR, FCPS_ERR_NOT_FINITE},
      {-1e308, 1e308, FCPS_SCALE_LINEAR, FCPS_ERR_NOT_FINITE},
      {0, 1e300, FCPS_SCALE_LINEAR, FCPS_ERR_NOT_FINITE},
      {-1.0001e100, 1, FCPS_SCALE_LINEAR, FCPS_ERR_NOT_FINITE},
      {0, 5e-324, FCPS_SCALE_LINEAR, FCPS_ERR_BOUNDS},
      {0, 0.999e-100, FCPS_SCALE_LINEAR, FCPS_ERR_BOUNDS},
      {0, 1, FCPS_SCALE_LOG, FCPS_ERR_BOUNDS},
      {-1, 1, FCPS_SCALE_LOG, FCPS_ERR_BOUNDS},
      {0.5, 3, FCPS_SCALE_INTEGER, FCPS_ERR_BOUNDS},
      {0, 3.5, FCPS_SCALE_INTEGER, FCPS_ERR_BOUNDS},
      {0, 1, (fcps_scale)17, FCPS_ERR_ARGUMENT},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const fcps_dimension dim = {.name = "tilt", .lower = bad[i].lower, .upper = bad[i].upper, .scale = bad[i].scale};
    assert_refused(dim, bad[i].status, "parameters.tilt");
  }
  fcps_error error;
  assert_ok(check_one((fcps_dimension){.name = "tilt", .lower = 0, .upper = 1e-100}, false, &error));
}

static void wrong_periods_are_refused(void **state)
{
  (void)state;
  const double periods[] = {-1, NAN, INFINITY, -INFINITY, 4.999};
  const fcps_status statuses[] = {FCPS_ERR_BOUNDS, FCPS_ERR_NOT_FINITE, FCPS_ERR_NOT_FINITE, FCPS_ERR_NOT_FINITE,
                                  FCPS_ERR_BOUNDS};
  for (int i = 0; i < 5; i++) {
    const fcps_dimension dim = {.name = "turn", .lower = 1, .upper = 6, .period = periods[i]};
    assert_refused(dim, statuses[i], "parameters.turn");
  }
  const fcps_dimension log_angle = {.name = "turn", .lower = 1, .upper = 6, .period = 6, .scale = FCPS_SCALE_LOG};
  assert_refused(log_angle, FCPS_ERR_ARGUMENT, "parameters.turn");
  /* a range that exceeds its period by rounding is fine */
  fcps_error error;
  const fcps_dimension rounded = {.name = "turn", .lower = 0, .upper = 6.283185308, .period = 6.283185307};
  assert_ok(check_one(rounded, false, &error));
}

static void bounds_may_be_missing_only_where_values_are_measured(void **state)
{
  (void)state;
  fcps_error error;
  assert_refused((fcps_dimension){.name = "land_x"}, FCPS_ERR_BOUNDS, "parameters.land_x");
  assert_ok(check_one((fcps_dimension){.name = "land_x"}, true, &error));
  assert_status(check_one((fcps_dimension){.name = "x", .lower = 2, .upper = 1}, true, &error), FCPS_ERR_BOUNDS);
}

static void what_is_measured_has_neither_period_nor_scale(void **state)
{
  (void)state;
  const fcps_dimension bad[] = {{.name = "x", .period = 360},
                                {.name = "x", .period = -2},
                                {.name = "x", .upper = 360, .period = 360},
                                {.name = "x", .scale = FCPS_SCALE_LOG},
                                {.name = "x", .lower = 0.001, .upper = 1000, .scale = FCPS_SCALE_LOG},
                                {.name = "x", .scale = FCPS_SCALE_INTEGER},
                                {.name = "x", .upper = 9, .scale = FCPS_SCALE_INTEGER}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fcps_error error;
    assert_status(check_one(bad[i], true, &error), FCPS_ERR_UNSUPPORTED);
    assert_string_equal(error.field, "parameters.x");
  }
}

/* x in [-2, 2]; a full circle; a part of one; no bounds; logarithmic. */
static const fcps_dimension value_dims[] = {
    {.name = "x", .lower = -2, .upper = 2},
    {.name = "turn", .lower = 0, .upper = 360, .period = 360},
    {.name = "heading", .lower = 10, .upper = 90, .period = 360},
    {.name = "free"},
    {.name = "gain", .lower = 0.1, .upper = 10, .scale = FCPS_SCALE_LOG},
};
static const fcps_space value_space = {.count = 5, .dims = value_dims};

static void assert_value(int index, double value, bool bounded, fcps_status status)
{
  double values[5] = {0.5, 180, 50, -7, 1};
  values[index] = value;
  fcps_error error = {0};
  assert_status(fcps_space_check_values(&value_space, "target", values, bounded, &error), status);
  char field[64] = "";
  if (status != FCPS_OK) snprintf(field, sizeof field, "target.%s", value_dims[index].name);
  assert_string_equal(error.field, field);
}

static void values_inside_are_accepted_and_outside_refused(void **state)
{
  (void)state;
  assert_value(0, -2, true, FCPS_OK);
  assert_value(0, 2, true, FCPS_OK);
  assert_value(0, 2 + 3e-9, true, FCPS_OK); /* the range is 4 */
  assert_value(0, 2 + 5e-9, true, FCPS_ERR_BOUNDS);
  assert_value(0, -2 - 3e-9, true, FCPS_OK);
  assert_value(0, -2 - 5e-9, true, FCPS_ERR_BOUNDS);
  assert_value(0, 1e100, true, FCPS_ERR_BOUNDS);
  assert_value(0, 1e100, false, FCPS_OK);
  assert_value(3, -1e100, true, FCPS_OK);
}

static void periodic_values_may_be_given_by_any_turn(void **state)
{
  (void)state;
  assert_value(1, -90, true, FCPS_OK);
  assert_value(1, 725, true, FCPS_OK);
  assert_value(2, 370 + 40, true, FCPS_OK);
  assert_value(2, 50 - 720, true, FCPS_OK);
  assert_value(2, 91, true, FCPS_ERR_BOUNDS);
  assert_value(2, 9 + 360, true, FCPS_ERR_BOUNDS);
  assert_value(2, 10 - 1e-9, true, FCPS_OK);
  assert_value(2, 1e99, true, FCPS_ERR_BOUNDS); /* no turn of it can be told */
}

static void values_without_a_logarithm_are_refused(void **state)
{
  (void)state;
  assert_value(4, 0, false, FCPS_ERR_BOUNDS);
  assert_value(4, -1, false, FCPS_ERR_BOUNDS);
  assert_value(4, 1e-300, false, FCPS_OK);
  assert_value(4, 1e-300, true, FCPS_ERR_BOUNDS);
  assert_value(4, 0, true, FCPS_ERR_BOUNDS);
}

static void values_that_are_not_finite_are_refused_everywhere(void **state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY, 1.01e100, -1e300};
  for (int index = 0; index < 5; index++) {
    for (int b = 0; b < 5; b++) {
      assert_value(index, bad[b], true, FCPS_ERR_NOT_FINITE);
      assert_value(index, bad[b], false, FCPS_ERR_NOT_FINITE);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sensible_spaces_are_accepted),
      cmocka_unit_test(names_that_are_no_identifiers_are_refused),
      cmocka_unit_test(names_have_at_most_63_characters),
      cmocka_unit_test(equal_names_are_refused),
      cmocka_unit_test(counts_out_of_range_are_refused),
      cmocka_unit_test(wrong_bounds_are_refused),
      cmocka_unit_test(wrong_periods_are_refused),
      cmocka_unit_test(bounds_may_be_missing_only_where_values_are_measured),
      cmocka_unit_test(what_is_measured_has_neither_period_nor_scale),
      cmocka_unit_test(values_inside_are_accepted_and_outside_refused),
      cmocka_unit_test(periodic_values_may_be_given_by_any_turn),
      cmocka_unit_test(values_without_a_logarithm_are_refused),
      cmocka_unit_test(values_that_are_not_finite_are_refused_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
