/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/optim/levels.c and of searches with words: coordinates whose values have no order. */
#include "check.h"
#include "optim/optim.h"

#include "base/rng.h"
#include "space/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* x, a word of three and a word of four */
static const double few[] = {0, -3, -4};
/* the second word is one of forty: more combinations than starts */
static const double many[] = {0, -3, -40};

static int word_of(double words, double x)
{
  return (int)(x * -words);
}

/* Each combination has a hill of its own, as high as its number says; the best one is narrow. */
static double hill(void *user, int n, const double *x, double *gradient)
{
  const double *levels = user;
  const int combination = word_of(levels[1], x[1]) + 3 * word_of(levels[2], x[2]);
  const double best = 7.0, top = -fabs(combination - best) * 0.1, centre = 0.1 + 0.07 * (combination % 11);
  (void)n;
  if (gradient != NULL) {
    memset(gradient, 0, 3 * sizeof *gradient);
    gradient[0] = -2 * (x[0] - centre);
  }
  return top - (x[0] - centre) * (x[0] - centre);
}

static void hills(void *user, int n, int count, const double *points, double *values)
{
  for (int i = 0; i < count; i++)
    values[i] = hill(user, n, points + i * n, NULL);
}

static void candidates_have_all_combinations_by_turns(void **state)
{
  (void)state;
  double points[24 * 3], seen[12] = {0};
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  assert_near(fcps_words_combinations(3, few), 12, 0);
  assert_near(fcps_words_combinations(3, NULL), 1, 0);
  fcps_points_uniform(&rng, 3, 24, points);
  fcps_words_spread(3, few, NULL, 24, points);
  for (int i = 0; i < 24; i++)
    seen[word_of(-3, points[3 * i + 1]) + 3 * word_of(-4, points[3 * i + 2])]++;
  for (int c = 0; c < 12; c++)
    assert_true(seen[c] == 2);
  double same[24 * 3]; /* more combinations than candidates: they stay as they were drawn */
  memcpy(same, points, sizeof same);
  fcps_words_spread(3, many, NULL, 24, points);
  assert_memory_equal(points, same, sizeof same);
}

/* The last words apply only beside the first of the others. */
static void rest(void *user, double *x)
{
  (void)user;
  if (word_of(-3, x[1]) != 0) x[2] = 0.125;
}

static void candidates_have_no_words_that_do_not_apply(void **state)
{
  (void)state;
  double points[12 * 3], seen[12] = {0};
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  const fcps_region region = {.rest = rest};
  fcps_points_uniform(&rng, 3, 12, points);
  fcps_words_spread(3, few, &region, 12, points);
  for (int i = 0; i < 12; i++)
    seen[word_of(-3, points[3 * i + 1]) + 3 * word_of(-4, points[3 * i + 2])]++;
  for (int c = 0; c < 12; c++) /* 4 + 1 + 1 that differ, twice each */
    assert_true(seen[c] == (c % 3 == 0 || c < 3 ? 2 : 0));
}

static void check_search(const double *levels, int candidates)
{
  double *points = malloc((size_t)candidates * 3 * sizeof *points), x[3];
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  fcps_optimum optimum;
  const fcps_objective objective = {.n = 3, .value = hill, .batch = hills, .levels = levels, .user = (void *)levels};
  fcps_points_uniform(&rng, 3, candidates, points);
  fcps_words_spread(3, levels, NULL, candidates, points);
  assert_ok(fcps_multistart_maximize(&objective, candidates, points, 3, 25, x, &optimum));
  assert_ok(fcps_levels_settle(&objective, 25, x, &optimum));
  assert_int_equal(word_of(levels[1], x[1]) + 3 * word_of(levels[2], x[2]), 7);
  assert_near(x[0], 0.1 + 0.07 * 7, 1e-4);
  assert_near(x[1], (word_of(levels[1], x[1]) + 0.5) / -levels[1], 1e-15);
  assert_near(optimum.value, 0, 1e-8);
  free(points);
}

/* Fewer combinations than starts are all climbed; of many, words are changed one after the other. */
static void a_search_finds_the_best_words(void **state)
{
  (void)state;
  check_search(few, 60);
  check_search(many, 30);
}

/* Values of other words are no hills beside each other. */
static void starts_have_other_words_first(void **state)
{
  (void)state;
  const double levels[] = {0, -3};
  const double x[] = {0.50, 0.1, 0.51, 0.1, 0.9, 0.1, 0.50, 0.5, 0.50, 0.9}, values[] = {9, 8, 7, 2, 1};
  const fcps_objective objective = {.n = 2, .levels = levels};
  int chosen[5];
  assert_int_equal(fcps_words_starts(2, levels, 3), 5);
  assert_ok(fcps_multistart_choose(&objective, &(fcps_scored_points){5, x, values}, 5, chosen));
  const int expected[] = {0, 3, 4, 2, 1};
  for (int i = 0; i < 5; i++)
    assert_int_equal(chosen[i], expected[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(candidates_have_all_combinations_by_turns),
      cmocka_unit_test(candidates_have_no_words_that_do_not_apply),
      cmocka_unit_test(a_search_finds_the_best_words),
      cmocka_unit_test(starts_have_other_words_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
