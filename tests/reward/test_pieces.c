/* SPDX-License-Identifier: Apache-2.0 */
/* Straight pieces: found in formulas, and their moments compared with closed forms, dense sums and differences. */
#include "reward/pieces.h"

#include "problem/formula/texts.h"

static const char *const names[] = {"o"};

static bool find(const char *text, fcps_pieces *pieces)
{
  fcps_formula formula = formula_of(text, 1, names);
  const bool is_found = fcps_pieces_find(pieces, &formula, 0);
  fcps_formula_destroy(&formula);
  return is_found;
}

/* The formula itself. */
static double value_of(const char *text, double at)
{
  return value_of_text(text, 1, names, &at);
}

static const char *const texts[] = {"-abs(o - 1.25)",
                                    "3 - 2*o",
                                    "-abs(abs(o) - 1)/5 + o/3",
                                    "min(o, 1, 2 - o) + max(0, 0.5*o - 1)",
                                    "o > 0.3 ? 2 - o : -1",
                                    "(o > -0.5 && o <= 0.75)*2 - sum(o, abs(o))",
                                    "max(abs(o - 1), abs(o + 1)) - (o < 0 || o >= 2)",
                                    "-max(0, abs(o - 0.2) - 0.1)^1"};
enum { TEXTS = sizeof texts / sizeof *texts };

static void pieces_have_the_values_of_their_formula(void **state)
{
  (void)state;
  for (int t = 0; t < TEXTS; t++) {
    fcps_pieces pieces;
    assert_true(find(texts[t], &pieces));
    for (double at = -3.0137; at < 3; at += 0.0719)
      assert_near(fcps_pieces_value(&pieces, at), value_of(texts[t], at), 1e-12);
  }
}

static void what_is_not_straight_is_not_found(void **state)
{
  (void)state;
  static const char *const curved[] = {"o^2", "o*o", "1/o", "exp(o)", "abs(sin(o))", "floor(o)", "sqrt(-1) + o", "o/0"};
  fcps_pieces pieces;
  for (size_t t = 0; t < sizeof curved / sizeof *curved; t++)
    if (find(curved[t], &pieces)) fail_msg("%s is not straight", curved[t]);
}

static void clipped_pieces_are_level_outside(void **state)
{
  (void)state;
  for (int t = 0; t < TEXTS; t++) {
    fcps_pieces pieces;
    assert_true(find(texts[t], &pieces) && fcps_pieces_clip(&pieces, -0.85, 1.1));
    for (double at = -3.0137; at < 3; at += 0.0719)
      assert_near(fcps_pieces_value(&pieces, at), value_of(texts[t], fmin(fmax(at, -0.85), 1.1)), 1e-12);
  }
}

static void kinks_that_point_up_are_concave(void **state)
{
  (void)state;
  static const bool concave[TEXTS] = {true, true, false, false, false, false, false, true};
  fcps_pieces pieces;
  for (int t = 0; t < TEXTS; t++) {
    assert_true(find(texts[t], &pieces));
    assert_int_equal(fcps_pieces_are_concave(&pieces), concave[t]);
  }
}

/* A Riemann sum over ten deviations to each side. */
static void sum_up(const fcps_pieces *pieces, double m, double s, double *mean, double *variance)
{
  enum { POINTS = 200001 };
  double first = 0.0, second = 0.0;
  for (int i = 0; i < POINTS; i++) {
    const double z = -10.0 + 20.0 * (i + 0.5) / POINTS, w = exp(-0.5 * z * z) / sqrt(2 * acos(-1.0)) * 20.0 / POINTS;
    const double h = fcps_pieces_value(pieces, m + s * z);
    first += w * h;
    second += w * h * h;
  }
  *mean = first;
  *variance = second - first * first;
}

static void moments_agree_with_dense_sums(void **state)
{
  (void)state;
  static const double at[][2] = {{0.4, 0.3}, {-1.1, 1.2}, {1.25, 0.02}};
  for (int t = 0; t < TEXTS; t++)
    for (int k = 0; k < 3; k++) {
      fcps_pieces pieces;
      double mean, variance;
      assert_true(find(texts[t], &pieces));
      sum_up(&pieces, at[k][0], at[k][1], &mean, &variance);
      const fcps_pieces_moments m = fcps_pieces_expect(&pieces, at[k][0], at[k][1]);
      assert_near(m.mean, mean, 1e-4);
      assert_near(m.variance, variance, 3e-4);
      assert_near(fcps_pieces_mean(&pieces, at[k][0], at[k][1]), m.mean, 1e-14);
    }
}

static void the_mean_distance_to_a_point_has_its_closed_form(void **state)
{
  (void)state;
  fcps_pieces pieces;
  assert_true(find("abs(o)", &pieces));
  const fcps_pieces_moments m = fcps_pieces_expect(&pieces, 0.0, 2.0);
  assert_near(m.mean, 2.0 * sqrt(2.0 / acos(-1.0)), 1e-15);
  assert_near(m.variance, 4.0 * (1.0 - 2.0 / acos(-1.0)), 1e-14);
  assert_near(m.mean_m, 0.0, 1e-15);
  assert_near(m.mean_s, sqrt(2.0 / acos(-1.0)), 1e-15);
}

static void derivatives_agree_with_differences(void **state)
{
  (void)state;
  const double h = 1e-5, m = 0.35, s = 0.6;
  for (int t = 0; t < TEXTS; t++) {
    fcps_pieces pieces;
    assert_true(find(texts[t], &pieces));
    const fcps_pieces_moments at = fcps_pieces_expect(&pieces, m, s);
    const fcps_pieces_moments right = fcps_pieces_expect(&pieces, m + h, s),
                              left = fcps_pieces_expect(&pieces, m - h, s);
    const fcps_pieces_moments wide = fcps_pieces_expect(&pieces, m, s + h),
                              narrow = fcps_pieces_expect(&pieces, m, s - h);
    assert_near(at.mean_m, (right.mean - left.mean) / (2 * h), 1e-8);
    assert_near(at.mean_s, (wide.mean - narrow.mean) / (2 * h), 1e-8);
    assert_near(at.variance_m, (right.variance - left.variance) / (2 * h), 1e-8);
    assert_near(at.variance_s, (wide.variance - narrow.variance) / (2 * h), 1e-8);
  }
}

/* A step that maximizes the parabola never leads below where it began. */
static void the_parabola_stays_below_the_mean(void **state)
{
  (void)state;
  fcps_pieces pieces;
  assert_true(find("-abs(o - 1.25) - 2*max(0, o - 3) - abs(o)/4", &pieces) && fcps_pieces_are_concave(&pieces));
  for (double s = 0.01; s < 3; s *= 3)
    for (double m = -4.03; m < 6; m += 0.37) {
      const fcps_pieces_moments at = fcps_pieces_expect(&pieces, m, s);
      const double bend = fcps_pieces_bend(&pieces, m, s);
      for (double step = -2; step <= 2; step += 0.13)
        assert_true(fcps_pieces_mean(&pieces, m + step, s) >=
                    at.mean + at.mean_m * step - 0.5 * bend * step * step - 1e-12);
    }
}

static void a_certain_number_has_its_value(void **state)
{
  (void)state;
  fcps_pieces pieces;
  assert_true(find("-abs(o - 1)", &pieces));
  const fcps_pieces_moments at = fcps_pieces_expect(&pieces, 3.0, 1e-100),
                            kink = fcps_pieces_expect(&pieces, 1.0, 1e-100);
  assert_near(at.mean, -2.0, 0);
  assert_near(at.variance, 0.0, 1e-90);
  assert_near(at.mean_m, -1.0, 0);
  assert_near(kink.mean, 0.0, 1e-90);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_have_the_values_of_their_formula),
      cmocka_unit_test(what_is_not_straight_is_not_found),
      cmocka_unit_test(clipped_pieces_are_level_outside),
      cmocka_unit_test(kinks_that_point_up_are_concave),
      cmocka_unit_test(moments_agree_with_dense_sums),
      cmocka_unit_test(the_mean_distance_to_a_point_has_its_closed_form),
      cmocka_unit_test(derivatives_agree_with_differences),
      cmocka_unit_test(the_parabola_stays_below_the_mean),
      cmocka_unit_test(a_certain_number_has_its_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
