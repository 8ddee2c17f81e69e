/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the tables in src/gp/kernels/kernel.c and of all functions that use them: if a table has the differences
 * of numbers, its words behave like these numbers. */
#include "gp/kernels/kernel.h"

#include "gp/kernels/covariance.h"
#include "gp/leave_one_out.h"
#include "gp/likelihood.h"
#include "gp/query.h"
#include "gp/random_gp.h"
#include "usual_prior.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 4, ROWS = 25, DIM = 3, POINTS = 6 };
static const double hidden[WORDS] = {0.1, 0.9, 0.35, 0.4};
static const fcps_hyper_prior prior = USUAL_PRIOR(0.8);

/* The place of a word. */
static double place_of(int word)
{
  return (word + 0.5) / WORDS;
}

/* The same rows twice: words in the second input, and the numbers that they stand for. */
typedef struct twins {
  fcps_gp *words, *numbers;
  double y[2 * ROWS], at[POINTS * DIM], hidden_at[POINTS * DIM];
} twins;

static void make_row(fcps_rng *rng, double *words, double *numbers)
{
  fcps_rng_uniforms(rng, DIM, words);
  memcpy(numbers, words, DIM * sizeof *words);
  const int word = (int)fcps_rng_below(rng, WORDS);
  words[1] = place_of(word);
  numbers[1] = hidden[word];
}

static void make_twins(twins *t, const fcps_kernel *kernel)
{
  fcps_rng rng = fcps_rng_stream(11, FCPS_PURPOSE_TEST, 0);
  const double hyper[] = {log(0.5), log(0.7), log(0.4), log(1.3), log(0.1)};
  fcps_table of[DIM] = {{0}};
  fcps_tables tables = {.inputs = DIM, .of = of};
  assert_ok(fcps_tables_add(&tables, 1, WORDS));
  for (int a = 0; a < WORDS; a++)
    for (int b = 0; b < WORDS; b++)
      of[1].square[a * WORDS + b] = (hidden[a] - hidden[b]) * (hidden[a] - hidden[b]);
  assert_ok(fcps_gp_create(&t->words, DIM, kernel));
  assert_ok(fcps_gp_create(&t->numbers, DIM, kernel));
  assert_ok(fcps_gp_set_tables(t->words, &tables));
  fcps_gp_set_hyper(t->words, hyper);
  fcps_gp_set_hyper(t->numbers, hyper);
  for (int i = 0; i < ROWS; i++) {
    double words[DIM], numbers[DIM];
    make_row(&rng, words, numbers);
    assert_ok(fcps_gp_add(t->words, words));
    assert_ok(fcps_gp_add(t->numbers, numbers));
  }
  for (int i = 0; i < POINTS; i++)
    make_row(&rng, t->at + i * DIM, t->hidden_at + i * DIM);
  fcps_rng_normals(&rng, 2 * ROWS, t->y);
  free(of[1].square);
}

static void free_twins(twins *t)
{
  fcps_gp_destroy(t->words);
  fcps_gp_destroy(t->numbers);
}

static void predictions_are_those_of_numbers(void **state)
{
  (void)state;
  for (int k = 0; fcps_kernel_at(k) != NULL; k++) {
    twins t;
    make_twins(&t, fcps_kernel_at(k));
    const fcps_gp_norm norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH};
    double mean[2][2 * POINTS], variance[2][POINTS], slope[2][2 * POINTS * DIM], uncertain[2][POINTS * DIM],
        factors[2][2];
    for (int i = 0; i < 2; i++) {
      fcps_gp *gp = i == 0 ? t.words : t.numbers;
      fcps_gp_outputs outputs = {0};
      fcps_gp_work work = {0};
      assert_ok(fcps_gp_factorize(gp, ROWS / 2));
      assert_ok(fcps_gp_grow(gp));
      assert_ok(fcps_gp_condition(gp, norm, ROWS, 2, t.y, &outputs));
      assert_ok(fcps_gp_work_reserve(&work, gp, POINTS));
      const fcps_gp_query query = {.count = POINTS,
                                   .points = i == 0 ? t.at : t.hidden_at,
                                   .mean = mean[i],
                                   .variance = variance[i],
                                   .mean_gradient = slope[i],
                                   .variance_gradient = uncertain[i]};
      fcps_gp_predict(gp, &outputs, &query, &work);
      assert_ok(fcps_gp_widening(gp, &outputs, factors[i]));
      fcps_gp_work_destroy(&work);
      fcps_gp_outputs_destroy(&outputs);
    }
    for (int i = 0; i < 2 * POINTS; i++)
      assert_near(mean[0][i], mean[1][i], 1e-10);
    for (int i = 0; i < POINTS; i++)
      assert_near(variance[0][i], variance[1][i], 1e-10);
    for (int i = 0; i < 2 * POINTS * DIM; i++)
      assert_near(slope[0][i], i % DIM == 1 ? 0.0 : slope[1][i], 1e-8); /* nothing lies between two words */
    for (int i = 0; i < POINTS * DIM; i++)
      assert_near(uncertain[0][i], i % DIM == 1 ? 0.0 : uncertain[1][i], 1e-8);
    for (int o = 0; o < 2; o++)
      assert_near(factors[0][o], factors[1][o], 1e-8);
    assert_near(fcps_gp_squared_distance(t.words, 3, 8), fcps_gp_squared_distance(t.numbers, 3, 8), 1e-12);
    free_twins(&t);
  }
}

static void likelihoods_are_those_of_numbers(void **state)
{
  (void)state;
  twins t;
  make_twins(&t, &fcps_kernel_se);
  const fcps_gp_norm norm = {.mean = FCPS_MEAN_GLS, .scaling = FCPS_SCALING_EACH};
  const fcps_gp_data data = {ROWS, 2, t.y, norm, &prior};
  double value[2], gradient[2][DIM + 2];
  for (int i = 0; i < 2; i++) {
    fcps_likelihood *likelihood = NULL;
    fcps_gp *gp = i == 0 ? t.words : t.numbers;
    assert_ok(fcps_likelihood_create(&likelihood, gp, &data));
    value[i] = fcps_likelihood_value(likelihood, gp->hyper, gradient[i]);
    fcps_likelihood_destroy(likelihood);
  }
  assert_near(value[0], value[1], 1e-9);
  for (int i = 0; i < DIM + 2; i++)
    assert_near(gradient[0][i], gradient[1][i], 1e-8);
  free_twins(&t);
}

/* the derivatives by the numbers of a table are those of finite differences, also when rows are repeated */
static void a_table_has_a_gradient(void **state)
{
  (void)state;
  twins t;
  make_twins(&t, &fcps_kernel_se);
  const fcps_gp_norm norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH};
  const fcps_gp_data data = {ROWS, 2, t.y, norm, &prior};
  fcps_likelihood *likelihood = NULL;
  double square[WORDS * WORDS], by_square[WORDS * WORDS] = {0}, gradient[DIM + 2];
  memcpy(square, t.words->tables.of[1].square, sizeof square);
  assert_ok(fcps_likelihood_create(&likelihood, t.words, &data));
  fcps_likelihood_value(likelihood, t.words->hyper, gradient);
  fcps_likelihood_table_gradient(likelihood, t.words->hyper, 1, WORDS, by_square);
  for (int a = 0; a < WORDS; a++)
    for (int b = 0; b < a; b++) {
      double values[2];
      for (int side = 0; side < 2; side++) {
        const double kept = square[a * WORDS + b], step = side == 0 ? 1e-5 : -1e-5;
        square[a * WORDS + b] = square[b * WORDS + a] = kept + step;
        fcps_likelihood_set_table(likelihood, 1, WORDS, square);
        values[side] = fcps_likelihood_value(likelihood, t.words->hyper, NULL);
        square[a * WORDS + b] = square[b * WORDS + a] = kept;
      }
      assert_near(by_square[a * WORDS + b] + by_square[b * WORDS + a], (values[0] - values[1]) / 2e-5, 1e-5);
    }
  fcps_likelihood_destroy(likelihood);
  free_twins(&t);
}

static void prior_covariances_are_those_of_numbers(void **state)
{
  (void)state;
  twins t;
  double k[2][POINTS * POINTS];
  make_twins(&t, &fcps_kernel_matern52);
  fcps_gp_prior_covariances(t.words, POINTS, t.at, POINTS, t.at, k[0]);
  fcps_gp_prior_covariances(t.numbers, POINTS, t.hidden_at, POINTS, t.hidden_at, k[1]);
  for (int i = 0; i < POINTS * POINTS; i++)
    assert_near(k[0][i], k[1][i], 1e-12);
  free_twins(&t);
}

/* copies have tables of their own */
static void copies_know_the_words(void **state)
{
  (void)state;
  twins t;
  fcps_gp *copy = NULL, *like = NULL;
  make_twins(&t, &fcps_kernel_se);
  assert_ok(fcps_gp_copy(t.words, &copy));
  assert_ok(fcps_gp_create_like(&like, t.words));
  const double distance = fcps_gp_squared_distance(t.words, 1, 2);
  t.words->tables.of[1].square[1] = 77.0;
  assert_true(copy->tables.of[1].square[1] != 77.0 && like->tables.of[1].square[1] != 77.0);
  fcps_gp_destroy(t.words);
  t.words = NULL;
  assert_true(fcps_gp_squared_distance(copy, 1, 2) == distance);
  assert_int_equal(like->count, 0);
  fcps_gp_destroy(copy);
  fcps_gp_destroy(like);
  free_twins(&t);
}

static void a_place_outside_is_the_nearest_word(void **state)
{
  (void)state;
  const fcps_table table = {.count = 3};
  const double places[] = {-0.2, 0.0, 0.34, 0.66, 0.67, 1.0, 1.5, NAN};
  const int words[] = {0, 0, 1, 1, 2, 2, 2, 0};
  for (int i = 0; i < 8; i++)
    assert_int_equal(fcps_tables_word(&table, places[i]), words[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(predictions_are_those_of_numbers),       cmocka_unit_test(likelihoods_are_those_of_numbers),
      cmocka_unit_test(prior_covariances_are_those_of_numbers), cmocka_unit_test(copies_know_the_words),
      cmocka_unit_test(a_place_outside_is_the_nearest_word),    cmocka_unit_test(a_table_has_a_gradient),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
