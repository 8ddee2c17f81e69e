/* SPDX-License-Identifier: Apache-2.0 */
/* The best candidates get exact values; only few others are evaluated. */
#include "base/rng.h"
#include "check.h"
#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, BLOCK = 12 };

static int descending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* Screens `count` candidates with these exact values and bounds; values ends as the screen left it. How many were
 * asked. */
static int run(int count, const double *exact, const double *bounds, double *values)
{
  fcps_bound_screening screening = {0};
  int chosen[BLOCK], asked = 0, block;
  bool *is_asked = calloc((size_t)count, sizeof *is_asked);
  memcpy(values, bounds, (size_t)count * sizeof *values);
  assert_ok(fcps_bound_screening_create(&screening, count));
  fcps_bound_screening_begin(&screening, count, values);
  double last = INFINITY;
  while ((block = fcps_bound_screening_next(&screening, BLOCK, chosen)) > 0)
    for (int i = 0; i < block; i++, asked++) {
      assert_false(is_asked[chosen[i]]);
      assert_true(bounds[chosen[i]] <= last); /* in the order of the bounds */
      last = bounds[chosen[i]];
      is_asked[chosen[i]] = true;
      fcps_bound_screening_tell(&screening, chosen[i], exact[chosen[i]]);
    }
  assert_in_range(asked, 0, count);
  for (int i = 0; i < count; i++)
    assert_true(values[i] == (is_asked[i] ? exact[i] : bounds[i]));
  fcps_bound_screening_destroy(&screening);
  free(is_asked);
  return asked;
}

static void the_best_are_exact_and_few_are_asked_for(void **state)
{
  (void)state;
  double noise[COUNT], exact[COUNT], bounds[COUNT], values[COUNT];
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  fcps_rng_uniforms(&rng, COUNT, exact);
  fcps_rng_uniforms(&rng, COUNT, noise);
  for (int i = 0; i < COUNT; i++)
    bounds[i] = exact[i] + 0.05 * noise[i];
  const int asked = run(COUNT, exact, bounds, values);
  assert_true(asked < 100);
  qsort(values, COUNT, sizeof *values, descending);
  qsort(exact, COUNT, sizeof *exact, descending);
  for (int i = 0; i < FCPS_BOUND_SCREENING_BEST; i++)
    assert_true(values[i] == exact[i]);
}

static void bounds_that_say_nothing_leave_all_to_be_asked_for(void **state)
{
  (void)state;
  double exact[COUNT], bounds[COUNT], values[COUNT];
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  fcps_rng_uniforms(&rng, COUNT, exact);
  for (int i = 0; i < COUNT; i++)
    bounds[i] = 2.0;
  assert_int_equal(run(COUNT, exact, bounds, values), COUNT);
}

static void a_handful_of_candidates_is_asked_for_whole(void **state)
{
  (void)state;
  const double exact[] = {1, 3, 2}, bounds[] = {4, 3, 2};
  double values[3];
  assert_int_equal(run(3, exact, bounds, values), 3);
  assert_int_equal(run(1, exact, bounds, values), 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_are_exact_and_few_are_asked_for),
      cmocka_unit_test(bounds_that_say_nothing_leave_all_to_be_asked_for),
      cmocka_unit_test(a_handful_of_candidates_is_asked_for_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
