/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/information/kg.c. */
#include "acquisition/information/gain.h"
#include "acquisition/information/truncation.h"
#include "base/rng.h"
#include "check.h"

static void the_envelope_agrees_with_the_integral_of_the_largest_line(void **state)
{
  (void)state;
  enum { LINES = 12, STEPS = 200000 };
  for (int round = 0; round < 5; round++) {
    fcps_line lines[LINES];
    fcps_rng rng = fcps_rng_stream(21, FCPS_PURPOSE_TEST, (uint64_t)round);
    for (int i = 0; i < LINES; i++)
      lines[i] = (fcps_line){fcps_rng_normal(&rng), fcps_rng_normal(&rng)};
    lines[3].slope = lines[5].slope; /* parallel ones, and twins */
    lines[7] = lines[2];
    double wanted = 0, highest = lines[0].height;
    for (int i = 1; i < LINES; i++)
      highest = fmax(highest, lines[i].height);
    for (int s = 0; s <= STEPS; s++) {
      const double w = -10.0 + 20.0 * s / STEPS;
      double largest = -INFINITY;
      for (int i = 0; i < LINES; i++)
        largest = fmax(largest, lines[i].height + lines[i].slope * w);
      wanted += largest * density(w, 1.0) * 20.0 / STEPS;
    }
    assert_near(fcps_line_envelope_gain(LINES, lines), wanted - highest, 1e-6);
  }
}

static void lines_that_never_change_places_gain_nothing(void **state)
{
  (void)state;
  fcps_line parallel[] = {{1.0, 0.3}, {2.0, 0.3}, {-1.0, 0.3}}, flat[] = {{0.5, 0.0}};
  assert_true(fcps_line_envelope_gain(3, parallel) == 0.0);
  assert_true(fcps_line_envelope_gain(1, flat) == 0.0);
}

/* E max(0, w) = phi(0). */
static void two_lines_that_cross_at_zero_gain_the_density_there(void **state)
{
  (void)state;
  fcps_line lines[] = {{0.0, 0.0}, {0.0, 2.5}};
  assert_near(fcps_line_envelope_gain(2, lines), 2.5 / sqrt(2.0 * acos(-1.0)), 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_envelope_agrees_with_the_integral_of_the_largest_line),
      cmocka_unit_test(lines_that_never_change_places_gain_nothing),
      cmocka_unit_test(two_lines_that_cross_at_zero_gain_the_density_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
