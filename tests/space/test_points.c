/* SPDX-License-Identifier: Apache-2.0 */
/* Point sets: moments, strata, borders, and the maximin choice compared with one by hand. */
#include "check.h"

#include "space/points.h"

#include <stdlib.h>
#include <string.h>

static fcps_rng stream(uint64_t seed)
{
  return fcps_rng_stream(seed, FCPS_PURPOSE_TEST, 0);
}

static void assert_inside(int numbers, const double *points)
{
  for (int i = 0; i < numbers; i++)
    assert_true(points[i] >= 0 && points[i] <= 1);
}

static void uniform_points_have_the_moments_of_the_cube(void **state)
{
  (void)state;
  enum { N = 3, M = 20000 };
  static double points[N * M];
  fcps_rng rng = stream(1);
  fcps_points_uniform(&rng, N, M, points);
  assert_inside(N * M, points);
  for (int d = 0; d < N; d++) {
    for (int e = 0; e <= d; e++) {
      double mean = 0, product = 0;
      for (int i = 0; i < M; i++) {
        mean += points[i * N + d] / M;
        product += (points[i * N + d] - 0.5) * (points[i * N + e] - 0.5) / M;
      }
      /* five standard errors: 0.289 / sqrt(M) of the mean, below 0.084 / sqrt(M) of the products */
      assert_near(mean, 0.5, 5 * 0.289 / sqrt(M));
      assert_near(product, d == e ? 1.0 / 12 : 0, 5 * 0.084 / sqrt(M));
    }
  }
}

static void same_stream_gives_the_same_points(void **state)
{
  (void)state;
  double a[60], b[60];
  fcps_rng one = stream(7), two = stream(7);
  fcps_points_uniform(&one, 3, 20, a);
  fcps_points_uniform(&two, 3, 10, b);
  fcps_points_uniform(&two, 3, 10, b + 30);
  assert_memory_equal(a, b, sizeof a);
  assert_int_equal(one.index, two.index);
}

static void grid_has_borders_and_its_last_coordinate_is_fastest(void **state)
{
  (void)state;
  double points[27 * 3], line[5], single[2] = {0, 0}, none[1] = {7};
  fcps_points_grid(3, 3, points);
  for (int i = 0; i < 27; i++) {
    assert_near(points[3 * i], 0.5 * (i / 9), 0);
    assert_near(points[3 * i + 1], 0.5 * (i / 3 % 3), 0);
    assert_near(points[3 * i + 2], 0.5 * (i % 3), 0);
  }
  fcps_points_grid(1, 5, line);
  for (int i = 0; i < 5; i++)
    assert_near(line[i], 0.25 * i, 0);
  fcps_points_grid(2, 1, single);
  assert_true(single[0] == 0.5 && single[1] == 0.5);
  fcps_points_grid(0, 4, none);
  assert_true(none[0] == 7);
}

static void latin_hypercube_has_one_point_in_each_slice(void **state)
{
  (void)state;
  double points[6 * 50];
  for (int n = 1; n <= 6; n++) {
    for (int count = 1; count <= 50; count += 7) {
      fcps_rng rng = stream((uint64_t)(100 * n + count));
      assert_ok(fcps_points_latin(&rng, n, count, points));
      assert_inside(n * count, points);
      for (int d = 0; d < n; d++) {
        int hits[50] = {0};
        for (int i = 0; i < count; i++)
          hits[(int)(points[i * n + d] * count)]++;
        for (int i = 0; i < count; i++)
          assert_int_equal(hits[i], 1);
      }
    }
  }
  fcps_rng rng = stream(1);
  assert_ok(fcps_points_latin(&rng, 0, 5, points));
  assert_ok(fcps_points_latin(&rng, 5, 0, points));
  assert_status(fcps_points_latin(&rng, -1, 5, points), FCPS_ERR_ARGUMENT);
  assert_status(fcps_points_latin(&rng, 1, -5, points), FCPS_ERR_ARGUMENT);
}

/* Every order of three slices is as likely as every other, and coordinates are shuffled apart. */
static void latin_hypercube_shuffles_fairly(void **state)
{
  (void)state;
  enum { TRIALS = 6000 };
  int orders[27] = {0};
  fcps_rng rng = stream(5);
  double correlation = 0;
  for (int t = 0; t < TRIALS; t++) {
    double p[6];
    assert_ok(fcps_points_latin(&rng, 2, 3, p));
    orders[9 * (int)(3 * p[0]) + 3 * (int)(3 * p[2]) + (int)(3 * p[4])]++;
    for (int i = 0; i < 3; i++)
      correlation += (p[2 * i] - 0.5) * (p[2 * i + 1] - 0.5) * 12 / (3 * TRIALS);
  }
  int seen = 0;
  for (int k = 0; k < 27; k++) {
    if (orders[k] == 0) continue;
    seen++;
    assert_near(orders[k], TRIALS / 6.0, 5 * sqrt(TRIALS / 6.0) / (TRIALS / 6.0));
  }
  assert_int_equal(seen, 6);
  assert_near(correlation, 0, 5 / sqrt(3 * TRIALS));
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* b^k points of the sequence to base b are a regular grid, which the shift only moves around the circle. */
static void halton_points_are_evenly_spaced_in_each_coordinate(void **state)
{
  (void)state;
  const int counts[] = {64, 81, 125, 343};
  double points[4 * 343], column[343];
  for (int d = 0; d < 4; d++) {
    fcps_rng rng = stream(9);
    const int count = counts[d];
    fcps_points_halton(&rng, 4, count, count, points); /* any multiple of b^k may be first */
    assert_inside(4 * count, points);
    for (int i = 0; i < count; i++)
      column[i] = points[4 * i + d];
    qsort(column, (size_t)count, sizeof *column, ascending);
    for (int i = 1; i < count; i++)
      assert_near(column[i] - column[i - 1], 1.0 / count, 1e-12);
  }
}

static void halton_sequence_continues_where_it_stopped(void **state)
{
  (void)state;
  double whole[5 * 40], parts[5 * 40], other[5 * 40];
  fcps_rng rng = stream(2), first = stream(2), second = stream(2), different = stream(3);
  fcps_points_halton(&rng, 5, 10, 40, whole);
  fcps_points_halton(&first, 5, 10, 15, parts);
  fcps_points_halton(&second, 5, 25, 25, parts + 5 * 15);
  assert_memory_equal(whole, parts, sizeof whole);
  fcps_points_halton(&different, 5, 10, 40, other);
  assert_true(fabs(whole[0] - other[0]) > 1e-6);
}

static void halton_points_reach_many_dimensions(void **state)
{
  (void)state;
  enum { N = 256, M = 200 };
  static double points[N * M];
  fcps_rng rng = stream(4);
  fcps_points_halton(&rng, N, 0, M, points);
  assert_inside(N * M, points);
  /* prime 256 is 1619: the step between neighbours is one part of it */
  double step = points[2 * N - 1] - points[N - 1];
  step -= floor(step);
  assert_near(step, 1.0 / 1619, 1e-12);
}

/* What the header promises, written again in the plainest way. */
static double spread_by_hand(int n, const bool *wraps, int count, const double *points, const double *p)
{
  double smallest = 1e300;
  for (int d = 0; d < n; d++) {
    const double w = p[d] < 0.5 ? p[d] : 1 - p[d];
    if (!wraps[d] && 4 * w * w < smallest) smallest = 4 * w * w;
  }
  for (int j = 0; j < count; j++) {
    double sum = 0;
    for (int d = 0; d < n; d++) {
      const double turn = 2 * acos(-1.0), a = turn * p[d], b = turn * points[j * n + d];
      const double flat = p[d] - points[j * n + d];
      const double chord = hypot(cos(a) - cos(b), sin(a) - sin(b)) / 2;
      sum += wraps[d] ? chord * chord : flat * flat;
    }
    if (sum < smallest) smallest = sum;
  }
  return smallest;
}

static void maximin_point_is_the_best_of_the_candidates(void **state)
{
  (void)state;
  enum { N = 3, CANDIDATES = 50 };
  const bool wraps[N] = {false, true, false};
  double points[30 * N], pool[CANDIDATES * N];
  fcps_rng rng = stream(11);
  for (int count = 0; count < 30; count++) {
    fcps_rng copy = rng;
    fcps_points_uniform(&copy, N, CANDIDATES, pool);
    fcps_points_maximin(&rng, N, wraps, count, points, CANDIDATES, points + count * N);
    assert_int_equal(rng.index, copy.index);
    int best = 0;
    for (int c = 1; c < CANDIDATES; c++) {
      const double s = spread_by_hand(N, wraps, count, points, pool + c * N);
      if (s > spread_by_hand(N, wraps, count, points, pool + best * N)) best = c;
    }
    assert_memory_equal(points + count * N, pool + best * N, N * sizeof(double));
  }
}

static void maximin_design_starts_near_the_centre_and_keeps_off_faces(void **state)
{
  (void)state;
  enum { N = 2, M = 12 };
  double points[M * N];
  fcps_rng rng = stream(13);
  double smallest = 1;
  for (int i = 0; i < M; i++) {
    fcps_points_maximin(&rng, N, NULL, i, points, 1000, points + i * N);
    for (int d = 0; d < N; d++)
      smallest = fmin(smallest, fmin(points[i * N + d], 1 - points[i * N + d]));
    for (int j = 0; j < i; j++)
      smallest = fmin(smallest, hypot(points[i * N] - points[j * N], points[i * N + 1] - points[j * N + 1]) / 2);
  }
  assert_near(points[0], 0.5, 0.05);
  assert_near(points[1], 0.5, 0.05);
  /* a 3 x 4 grid would reach 1/8; twelve uniform points reach about 0.01 */
  assert_true(smallest > 0.08);
}

static void maximin_points_keep_apart_across_the_seam(void **state)
{
  (void)state;
  const bool wraps[1] = {true};
  double points[2] = {0.02, 0};
  fcps_rng rng = stream(17);
  fcps_points_maximin(&rng, 1, wraps, 1, points, 2000, points + 1);
  assert_near(points[1], 0.52, 0.01);
  fcps_points_maximin(&rng, 1, NULL, 1, points, 2000, points + 1);
  assert_true(points[1] > 0.6 && points[1] < 0.7); /* p - 0.02 = 2 (1 - p) at 0.673 */
}

static void sets_without_dimensions_touch_nothing(void **state)
{
  (void)state;
  double none[1] = {7};
  fcps_rng rng = stream(1);
  fcps_points_uniform(&rng, 0, 5, none);
  fcps_points_halton(&rng, 0, 0, 5, none);
  fcps_points_maximin(&rng, 0, NULL, 3, none, 10, none);
  assert_true(none[0] == 7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uniform_points_have_the_moments_of_the_cube),
      cmocka_unit_test(same_stream_gives_the_same_points),
      cmocka_unit_test(grid_has_borders_and_its_last_coordinate_is_fastest),
      cmocka_unit_test(latin_hypercube_has_one_point_in_each_slice),
      cmocka_unit_test(latin_hypercube_shuffles_fairly),
      cmocka_unit_test(halton_points_are_evenly_spaced_in_each_coordinate),
      cmocka_unit_test(halton_sequence_continues_where_it_stopped),
      cmocka_unit_test(halton_points_reach_many_dimensions),
      cmocka_unit_test(maximin_point_is_the_best_of_the_candidates),
      cmocka_unit_test(maximin_design_starts_near_the_centre_and_keeps_off_faces),
      cmocka_unit_test(maximin_points_keep_apart_across_the_seam),
      cmocka_unit_test(sets_without_dimensions_touch_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
