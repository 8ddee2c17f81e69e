/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, look-up, equality, full circles, and scaling to the unit cube and back. */
#include "check.h"

#include "base/rng.h"
#include "space/space.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 7 };

static const fcps_dimension dims[COUNT] = {
    {.name = "x", .lower = -3, .upper = 5, .unit = "m"},
    {.name = "gain", .lower = 1e-4, .upper = 1e2, .scale = FCPS_SCALE_LOG},
    {.name = "teeth", .lower = -2, .upper = 7, .scale = FCPS_SCALE_INTEGER},
    {.name = "turn", .lower = -180, .upper = 180, .period = 360, .unit = "deg"},
    {.name = "hour", .lower = 0, .upper = 23, .period = 24, .scale = FCPS_SCALE_INTEGER},
    {.name = "heading", .lower = 10, .upper = 100, .period = 360},
    {.name = "free"},
};
static const fcps_space space = {.count = COUNT, .dims = dims};

static void copy_is_equal_and_independent(void **state)
{
  (void)state;
  char name[] = "speed", unit[] = "m/s";
  const fcps_dimension dim = {.name = name, .lower = 1, .upper = 2, .unit = unit};
  const fcps_space original = {.count = 1, .dims = &dim};
  fcps_space copy;
  assert_ok(fcps_space_copy(&original, &copy));
  assert_true(fcps_space_equal(&original, &copy));
  name[0] = 'X';
  unit[0] = 'X';
  assert_string_equal(copy.dims[0].name, "speed");
  assert_string_equal(copy.dims[0].unit, "m/s");
  fcps_space_free(&copy);
  assert_int_equal(copy.count, 0);
  assert_null(copy.dims);
  fcps_space_free(&copy);
  fcps_space_free(NULL);

  assert_ok(fcps_space_copy(&space, &copy));
  assert_true(fcps_space_equal(&space, &copy));
  fcps_space_free(&copy);
  assert_ok(fcps_space_copy(&(fcps_space){0}, &copy));
  assert_int_equal(copy.count, 0);
  fcps_space_free(&copy);
}

static void spaces_that_differ_in_any_field_are_not_equal(void **state)
{
  (void)state;
  fcps_dimension other[COUNT];
  const fcps_space b = {.count = COUNT, .dims = other};
  for (int field = 0; field < 7; field++) {
    memcpy(other, dims, sizeof dims);
    assert_true(fcps_space_equal(&space, &b));
    if (field == 0) other[0].name = "y";
    if (field == 1) other[0].lower = -4;
    if (field == 2) other[0].upper = 6;
    if (field == 3) other[0].period = 8;
    if (field == 4) other[0].scale = FCPS_SCALE_INTEGER;
    if (field == 5) other[0].unit = NULL;
    if (field == 6) other[1].unit = "";
    assert_false(fcps_space_equal(&space, &b));
    assert_false(fcps_space_equal(&b, &space));
    assert_true(fcps_space_alike(&space, &b) == (field >= 5)); /* the unit alone */
  }
  assert_false(fcps_space_equal(&space, &(fcps_space){.count = COUNT - 1, .dims = dims}));
  assert_true(fcps_space_equal(&(fcps_space){0}, &(fcps_space){0}));
}

static void dimensions_are_found_by_name(void **state)
{
  (void)state;
  for (int i = 0; i < COUNT; i++)
    assert_int_equal(fcps_space_find(&space, dims[i].name), i);
  assert_int_equal(fcps_space_find(&space, "X"), -1);
  assert_int_equal(fcps_space_find(&space, ""), -1);
  assert_int_equal(fcps_space_find(&(fcps_space){0}, "x"), -1);
}

static void full_circles_wrap(void **state)
{
  (void)state;
  const bool expected[COUNT] = {false, false, false, true, true, false, false};
  bool wraps[COUNT];
  fcps_space_wraps(&space, wraps);
  for (int i = 0; i < COUNT; i++)
    assert_int_equal(wraps[i], expected[i]);
  /* as typed in a file: 6.283185 for both */
  const fcps_dimension typed = {.name = "t", .lower = 0, .upper = 6.283185, .period = 6.283185307};
  assert_false(fcps_dimension_wraps(&typed));
  const fcps_dimension rounded = {.name = "t", .lower = 0, .upper = 6.283185307, .period = 6.283185307 * (1 + 1e-10)};
  assert_true(fcps_dimension_wraps(&rounded));
  assert_false(fcps_dimension_wraps(&(fcps_dimension){.name = "t", .period = 1}));
}

static double unit_of(int index, double value)
{
  double unit;
  fcps_space_to_unit(&(fcps_space){.count = 1, .dims = &dims[index]}, &value, &unit);
  return unit;
}

static double value_of(int index, double unit)
{
  double value;
  fcps_space_from_unit(&(fcps_space){.count = 1, .dims = &dims[index]}, &unit, &value);
  return value;
}

static void scales_match_their_closed_forms(void **state)
{
  (void)state;
  assert_near(unit_of(0, 1), 0.5, 1e-15);
  assert_near(unit_of(0, 3), 0.75, 1e-15);
  assert_near(value_of(0, 0.25), -1, 1e-15);
  /* six decades: one is a sixth */
  assert_near(unit_of(1, 1e-3), 1.0 / 6, 1e-14);
  assert_near(value_of(1, 0.5), 0.1, 1e-14);
  /* ten integers: a tenth each, the middle of it on the way there */
  assert_near(unit_of(2, -2), 0.05, 1e-15);
  assert_near(unit_of(2, 7), 0.95, 1e-15);
  assert_near(value_of(2, 0.199), -1, 0);
  assert_near(value_of(2, 0.201), 0, 0);
}

static void a_share_of_a_range_follows_its_scale(void **state)
{
  (void)state;
  const fcps_dimension line = {.name = "a", .lower = -1, .upper = 4}, step = {"b", 0, 1, .step = 0.25},
                       whole = {"c", 1, 8, .scale = FCPS_SCALE_INTEGER}, log = {"d", 50, 500, .scale = FCPS_SCALE_LOG};
  assert_true(fcps_dimension_at(&line, 0.5) == 1.5);
  assert_true(fcps_dimension_at(&step, 0.45) == 0.5);
  assert_true(fcps_dimension_at(&whole, 0.5) == 5);
  assert_true(fabs(fcps_dimension_at(&log, 0.5) - sqrt(50.0 * 500.0)) < 1e-10);
  assert_true(fcps_dimension_at(&log, 0) == 50 && fcps_dimension_at(&log, 1) == 500);
}

static void bounds_come_back_exactly_and_values_outside_are_clipped(void **state)
{
  (void)state;
  for (int i = 0; i < COUNT - 1; i++) {
    assert_true(value_of(i, 0) == dims[i].lower);
    assert_true(value_of(i, 1) == dims[i].upper);
    assert_true(value_of(i, -0.3) == dims[i].lower);
    assert_true(value_of(i, 1.3) == dims[i].upper);
    assert_true(value_of(i, NAN) == dims[i].lower);
  }
  assert_near(unit_of(0, 9), 1.5, 1e-15);
  assert_near(unit_of(0, -7), -0.5, 1e-15);
  assert_near(unit_of(1, 1e5), 1.5, 1e-14);
  assert_true(isfinite(unit_of(1, 0)) && unit_of(1, 0) < -10);
  assert_true(isfinite(unit_of(1, -4)) && unit_of(1, -4) < -10);
}

static void periodic_values_are_wrapped_on_the_way_to_the_cube(void **state)
{
  (void)state;
  assert_near(unit_of(3, 180), 1, 1e-15);
  assert_near(unit_of(3, 270), 0.25, 1e-15);
  assert_near(unit_of(3, -270), 0.75, 1e-15);
  assert_near(unit_of(4, 25), 1.5 / 24, 1e-15);
  assert_near(unit_of(5, 360 + 55), 0.5, 1e-15);
  assert_near(unit_of(5, 145), 1.5, 1e-15);
  /* a number whose rounding is coarser than a turn stays as it is */
  assert_true(unit_of(5, 1e99) > 1 && unit_of(5, -1e99) < 0);
}

static void dimensions_without_bounds_stay_as_they_are(void **state)
{
  (void)state;
  assert_true(unit_of(6, -123.5) == -123.5);
  assert_true(value_of(6, 1e9) == 1e9);
}

static void random_values_survive_the_round_trip(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  for (int k = 0; k < 2000; k++) {
    double unit[COUNT], values[COUNT], again[COUNT], back[COUNT];
    fcps_rng_uniforms(&rng, COUNT, unit);
    fcps_space_from_unit(&space, unit, values);
    assert_ok(fcps_space_check_values(&space, "x", values, true, NULL));
    fcps_space_to_unit(&space, values, again);
    fcps_space_from_unit(&space, again, back);
    for (int i = 0; i < COUNT; i++) {
      const bool integer = dims[i].scale == FCPS_SCALE_INTEGER;
      if (integer) assert_true(values[i] == floor(values[i]) && back[i] == values[i]);
      if (integer) assert_true(fabs(again[i] - unit[i]) <= 0.5 / fcps_dimension_span(&dims[i]) + 1e-15);
      if (!integer) assert_near(again[i], unit[i], 1e-14);
      if (!integer) assert_near(back[i], values[i], 1e-13);
    }
  }
}

static void the_way_beyond_the_bounds_is_a_share_of_the_range(void **state)
{
  (void)state;
  const fcps_dimension line = {.name = "a", .lower = 2, .upper = 40}, free_one = {.name = "o"};
  const fcps_dimension decades = {.name = "l", .lower = 1, .upper = 100, .scale = FCPS_SCALE_LOG};
  const fcps_dimension circle = {.name = "c", .lower = 0, .upper = 360, .period = 360};
  const fcps_dimension arc = {.name = "r", .lower = 0, .upper = 90, .period = 360};
  assert_near(fcps_dimension_beyond(&line, 20), 0, 0);
  assert_near(fcps_dimension_beyond(&line, 40), 0, 0);
  assert_near(fcps_dimension_beyond(&line, 78), 1, 1e-12);
  assert_near(fcps_dimension_beyond(&line, -17), 0.5, 1e-12);
  assert_near(fcps_dimension_beyond(&decades, 1000), 0.5, 1e-12);
  assert_near(fcps_dimension_beyond(&circle, 1000), 0, 0);
  assert_near(fcps_dimension_beyond(&arc, 360 + 30), 0, 0);
  assert_near(fcps_dimension_beyond(&arc, 99), 0.1, 1e-12);
  assert_near(fcps_dimension_beyond(&arc, 351), 0.1, 1e-12); /* the short way round */
  assert_near(fcps_dimension_beyond(&arc, -9), 0.1, 1e-12);
  assert_near(fcps_dimension_beyond(&free_one, 1e9), 0, 0);

  const fcps_dimension four[] = {line, circle, arc, free_one};
  const fcps_space contexts = {4, four};
  assert_int_equal(fcps_space_find_outside(&contexts, (double[]){20, 1000, 30, 1e9}, 0), -1);
  assert_int_equal(fcps_space_find_outside(&contexts, (double[]){400, 1000, 100, 1e9}, 0), 0);
  assert_int_equal(fcps_space_find_outside(&contexts, (double[]){400, 1000, 100, 1e9}, 1), 2);
  assert_int_equal(fcps_space_find_outside(&contexts, (double[]){NAN, 1000, 30, 1e9}, 0), -1);
}

static void integers_share_the_cube_equally(void **state)
{
  (void)state;
  int hits[10] = {0};
  for (int k = 0; k < 1000; k++)
    hits[(int)value_of(2, (k + 0.5) / 1000) + 2]++;
  for (int i = 0; i < 10; i++)
    assert_int_equal(hits[i], 100);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copy_is_equal_and_independent),
      cmocka_unit_test(spaces_that_differ_in_any_field_are_not_equal),
      cmocka_unit_test(dimensions_are_found_by_name),
      cmocka_unit_test(full_circles_wrap),
      cmocka_unit_test(scales_match_their_closed_forms),
      cmocka_unit_test(a_share_of_a_range_follows_its_scale),
      cmocka_unit_test(bounds_come_back_exactly_and_values_outside_are_clipped),
      cmocka_unit_test(periodic_values_are_wrapped_on_the_way_to_the_cube),
      cmocka_unit_test(dimensions_without_bounds_stay_as_they_are),
      cmocka_unit_test(random_values_survive_the_round_trip),
      cmocka_unit_test(integers_share_the_cube_equally),
      cmocka_unit_test(the_way_beyond_the_bounds_is_a_share_of_the_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
