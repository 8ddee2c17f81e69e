/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of contexts: reading, drawing, and testing for membership. */
#include "base/rng.h"
#include "check.h"
#include "problem/contexts.h"

#include <stdlib.h>

static const fcps_dimension target_dims[] = {{.name = "x", .lower = -10, .upper = 10},
                                             {.name = "mass", .lower = 1, .upper = 100, .scale = FCPS_SCALE_LOG}};
static const fcps_dimension environment_dims[] = {{.name = "n", .lower = 1, .upper = 10, .scale = FCPS_SCALE_INTEGER}};
static const fcps_problem problem = {.target = {2, target_dims}, .environment = {1, environment_dims}};
enum { WIDTH = 3, DRAWS = 4000 };

/* The share of draws that fall into the first box. */
static double share_of_first(int count, const double *boxes)
{
  int first = 0;
  for (int i = 0; i < DRAWS; i++) {
    double target[2], environment[1];
    fcps_boxes_draw(&problem, count, boxes, 7, i, target, environment);
    assert_true(fcps_boxes_contain(&problem, count, boxes, target, environment));
    first += fcps_boxes_contain(&problem, 1, boxes, target, environment);
  }
  return first / (double)DRAWS;
}

static void assert_share(double share, double wanted)
{
  assert_near(share, wanted, 4 * sqrt(wanted * (1 - wanted) / DRAWS));
}

static void boxes_are_as_likely_as_they_are_large(void **state)
{
  (void)state;
  /* a fifth and three fifths of x */
  const double of_x[] = {-10, -6, 1, 100, 1, 10, -2, 10, 1, 100, 1, 10};
  assert_share(share_of_first(2, of_x), 0.25);
  /* a decade is half of two; three of ten integers */
  const double of_both[] = {-10, -5, 1, 10, 1, 10, 0, 5, 1, 100, 1, 3};
  assert_share(share_of_first(2, of_both), 0.5 / (0.5 + 0.3));
}

static void a_single_value_does_not_make_a_box_smaller(void **state)
{
  (void)state;
  const double boxes[] = {-10, -5, 50, 50, 1, 10, 0, 5, 1, 100, 1, 10};
  assert_share(share_of_first(2, boxes), 0.5);
  const double points[] = {1, 1, 2, 2, 3, 3};
  double target[2], environment[1];
  fcps_boxes_draw(&problem, 1, points, 7, 0, target, environment);
  assert_true(target[0] == 1 && target[1] == 2 && environment[0] == 3);
}

/* Contexts of stored studies and of experiments depend on it: the first number chooses the box, the others are the
 * sides'. */
static void the_numbers_of_a_stream_keep_their_places(void **state)
{
  (void)state;
  const double box[] = {-4, 6, 1, 10, 1, 10};
  for (int episode = 0; episode < 20; episode++) {
    double target[2], environment[1], u[4];
    fcps_rng rng = fcps_rng_stream(7, FCPS_PURPOSE_CONTEXT, (uint64_t)episode);
    fcps_rng_uniforms(&rng, 4, u);
    fcps_boxes_draw(&problem, 1, box, 7, episode, target, environment);
    assert_near(target[0], -4 + 10 * u[1], 1e-14);
    assert_near(target[1], pow(10, u[2]), 1e-12);
    assert_near(environment[0], 1 + floor(10 * u[3]), 0);
    /* without boxes no number is spent on choosing one */
    fcps_boxes_draw(&problem, 0, NULL, 7, episode, target, environment);
    assert_near(target[0], -10 + 20 * u[0], 1e-14);
    assert_near(environment[0], 1 + floor(10 * u[2]), 0);
  }
}

static void a_context_is_inside_up_to_the_ends(void **state)
{
  (void)state;
  static const char text[] = "[{x: [5, 10]}, {n: [1, 3]}]";
  fcps_yaml *yaml = NULL;
  fcps_error error = {0};
  int count = 0;
  double *boxes = NULL;
  assert_ok(fcps_yaml_read_text(&yaml, text, sizeof text - 1, "boxes.yaml", &error));
  assert_ok(fcps_boxes_read(yaml, fcps_yaml_root(yaml), &problem, &count, &boxes, &error));
  assert_int_equal(count, 2);
  assert_int_equal(fcps_context_find(&problem, "y"), -1);
  assert_int_equal(fcps_context_width(&problem), WIDTH);
  const double target[] = {5, 100}, left[] = {4.9, 100}, three[] = {3}, four[] = {4};
  assert_true(fcps_boxes_contain(&problem, 2, boxes, target, four));
  assert_true(fcps_boxes_contain(&problem, 2, boxes, left, three));
  assert_false(fcps_boxes_contain(&problem, 2, boxes, left, four));
  assert_true(fcps_boxes_contain(&problem, 0, NULL, left, four));
  free(boxes);
  fcps_yaml_destroy(yaml);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_are_as_likely_as_they_are_large),
      cmocka_unit_test(a_single_value_does_not_make_a_box_smaller),
      cmocka_unit_test(the_numbers_of_a_stream_keep_their_places),
      cmocka_unit_test(a_context_is_inside_up_to_the_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
