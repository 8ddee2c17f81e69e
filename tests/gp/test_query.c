/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/query.c: closed forms, finite differences, bounds, and that all strategies agree. */
#include "gp/query.h"

#include "gp/random_gp.h"
#include "linalg/dense.h"

#include <stdlib.h>
#include <string.h>

static const fcps_gp_norm plain = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE};

/* For one observation the posterior is scalar:
 *   mean = k y/(f + s),  variance = f - k^2/(f + s),   f the signal and s the noise variance.
 * All constants differ and none is 0 or 1, so no wrong formula agrees by accident. */
static void one_observation_matches_the_closed_form(void **state)
{
  (void)state;
  const double f = 2.5, s = 0.3, length = 0.7, x1[2] = {0.2, -1.4}, y1 = -3.1, x[2] = {0.5, -0.9};
  const double k = f * exp(-(0.3 * 0.3 + 0.5 * 0.5) / (2 * length * length));
  const double hyper[] = {log(length), log(length), 0.5 * log(f), 0.5 * log(s)};
  fcps_gp *gp;
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double mean, variance;
  assert_ok(fcps_gp_create(&gp, 2, &fcps_kernel_se));
  fcps_gp_set_hyper(gp, hyper);
  assert_ok(fcps_gp_add(gp, x1));
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, plain, 1, 1, &y1, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 4));
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = x, .mean = &mean, .variance = &variance}, &work);
  assert_near(mean, k * y1 / (f + s), 1e-12);
  assert_near(variance, f - k * k / (f + s), 1e-12);
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

static void one_noisy_row_is_believed_less(void **state)
{
  (void)state;
  double y, noise, mean, variance;
  fcps_gp *gp = noisy_gp(1, &y, &noise);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  fcps_gp_set_noise(gp, 1, &noise, 0.0);
  assert_ok(fcps_gp_factorize(gp, 1));
  assert_ok(fcps_gp_condition(gp, plain, 1, 1, &y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  const double at[NOISY_DIM] = {gp->inputs[0], gp->inputs[gp->capacity]}, sf2 = exp(0.4), sn2 = exp(-4.0);
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = at, .mean = &mean, .variance = &variance},
                  &work);
  assert_near(mean, y * sf2 / (sf2 + sn2 + noise), 1e-12);
  assert_near(variance, sf2 - sf2 * sf2 / (sf2 + sn2 + noise), 1e-12);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_work_destroy(&work);
  fcps_gp_destroy(gp);
}

static void without_rows_the_posterior_is_the_prior(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(3, 0, &fcps_kernel_matern52, &rng);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  const double x[3] = {0.1, 0.2, 0.3};
  double mean, variance, y = 0;
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, plain, 0, 1, &y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = x, .mean = &mean, .variance = &variance}, &work);
  assert_near(mean, 0.0, 1e-15);
  assert_near(variance, 1.69, 1e-12);
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

/* gradients of mean and variance, dimensions 1 to 10, all kernels, 100 points each */
static void gradients_match_finite_differences(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  for (int k = 0; fcps_kernel_at(k) != NULL; k++)
    for (int dim = 1; dim <= 10; dim++) {
      enum { ROWS = 12, POINTS = 100 };
      fcps_gp *gp = random_gp(dim, ROWS, fcps_kernel_at(k), &rng);
      fcps_gp_outputs outputs = {0};
      fcps_gp_work work = {0};
      double y[2 * ROWS];
      fcps_rng_normals(&rng, 2 * ROWS, y);
      assert_ok(fcps_gp_grow(gp));
      assert_ok(fcps_gp_condition(gp, (fcps_gp_norm){.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH}, ROWS, 2,
                                  y, &outputs));
      assert_ok(fcps_gp_work_reserve(&work, gp, 2));
      for (int trial = 0; trial < POINTS; trial++) {
        double x[10], mean[2], variance, dmean[20], dvariance[10];
        fcps_rng_uniforms(&rng, dim, x);
        fcps_gp_predict(gp, &outputs,
                        &(fcps_gp_query){.count = 1,
                                         .points = x,
                                         .mean = mean,
                                         .variance = &variance,
                                         .mean_gradient = dmean,
                                         .variance_gradient = dvariance},
                        &work);
        for (int d = 0; d < dim; d++) {
          const double step = 1e-5;
          double points[20], m[4], v[2];
          memcpy(points, x, (size_t)dim * sizeof(double));
          memcpy(points + dim, x, (size_t)dim * sizeof(double));
          points[d] += step;
          points[dim + d] -= step;
          fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 2, .points = points, .mean = m, .variance = v},
                          &work);
          assert_near(dmean[d], (m[0] - m[2]) / (2 * step), 2e-6);
          assert_near(dmean[dim + d], (m[1] - m[3]) / (2 * step), 2e-6);
          assert_near(dvariance[d], (v[0] - v[1]) / (2 * step), 2e-6);
        }
      }
      fcps_gp_work_destroy(&work);
      fcps_gp_outputs_destroy(&outputs);
      fcps_gp_destroy(gp);
    }
}

static void pending_rows_reduce_the_variance_and_leave_the_mean(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(6, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(2, 8, &fcps_kernel_se, &rng);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double y[8], x[2] = {0.31, 0.77}, before, after, mean_before, mean_after;
  fcps_rng_normals(&rng, 8, y);
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, plain, 8, 1, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = x, .mean = &mean_before, .variance = &before},
                  &work);
  assert_ok(fcps_gp_add(gp, x));
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = x, .mean = &mean_after, .variance = &after},
                  &work);
  assert_near(mean_after, mean_before, 1e-12);
  assert_near(after, before - before * before / (before + 0.01), 1e-10); /* conditioning on one noisy value */
  fcps_gp_predict(
      gp, &outputs,
      &(fcps_gp_query){.count = 1, .points = x, .has_results_only = true, .mean = &mean_after, .variance = &after},
      &work);
  assert_true(after == before && mean_after == mean_before);
  fcps_gp_truncate(gp, 8);
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = x, .mean = &mean_after, .variance = &after},
                  &work);
  assert_true(after == before);
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

/* with one row the bound is the variance; with more rows it is larger, and close to the variance near a row */
static void bounds_of_the_variance_hold(void **state)
{
  (void)state;
  enum { POINTS = 200, DIM = 3 };
  for (int rows = 0; rows <= 40; rows += rows < 2 ? 1 : 19) {
    fcps_rng rng = fcps_rng_stream(9, FCPS_PURPOSE_TEST, (uint64_t)rows);
    fcps_gp *gp = random_gp(DIM, rows, &fcps_kernel_se, &rng);
    fcps_gp_outputs outputs = {0};
    fcps_gp_work work = {0};
    double y[40], points[POINTS * DIM], mean[POINTS], exact[POINTS], mean_again[POINTS], bound[POINTS];
    fcps_rng_uniforms(&rng, 40, y);
    fcps_rng_uniforms(&rng, POINTS * DIM, points);
    assert_ok(fcps_gp_grow(gp));
    assert_ok(fcps_gp_condition(gp, plain, rows, 1, y, &outputs));
    assert_ok(fcps_gp_work_reserve(&work, gp, 64));
    fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = POINTS, .points = points, .mean = mean, .variance = exact},
                    &work);
    fcps_gp_predict(gp, &outputs,
                    &(fcps_gp_query){.count = POINTS,
                                     .variance_kind = FCPS_VARIANCE_BOUND,
                                     .points = points,
                                     .mean = mean_again,
                                     .variance = bound},
                    &work);
    for (int i = 0; i < POINTS; i++) {
      assert_near(mean_again[i], mean[i], 1e-12);
      if (rows < 2) assert_near(bound[i], exact[i], 1e-12);
      assert_true(bound[i] >= exact[i] - 1e-12 && bound[i] <= 1.69 + 1e-12);
      if (rows >= 2) assert_true(bound[i] < 1.69 - 1e-6);
    }
    fcps_gp_work_destroy(&work);
    fcps_gp_outputs_destroy(&outputs);
    fcps_gp_destroy(gp);
  }
}

static void bounds_are_never_too_small(void **state)
{
  (void)state;
  double y[NOISY_ROWS], noise[NOISY_ROWS], bounds[64], variances[64], points[64 * NOISY_DIM];
  fcps_gp *gp = noisy_gp(NOISY_ROWS, y, noise);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  fcps_gp_set_noise(gp, NOISY_ROWS, noise, 0.0);
  assert_ok(fcps_gp_factorize(gp, NOISY_ROWS));
  assert_ok(fcps_gp_condition(gp, plain, NOISY_ROWS, 1, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 64));
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
  fcps_rng_uniforms(&rng, 64 * NOISY_DIM, points);
  for (int i = 0; i < NOISY_ROWS; i++) /* and at the rows, where bounds are tightest */
    for (int d = 0; d < NOISY_DIM; d++)
      points[i * NOISY_DIM + d] = gp->inputs[d * gp->capacity + i];
  fcps_gp_predict(
      gp, &outputs,
      &(fcps_gp_query){.count = 64, .variance_kind = FCPS_VARIANCE_BOUND, .points = points, .variance = bounds}, &work);
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 64, .points = points, .variance = variances}, &work);
  for (int i = 0; i < 64; i++)
    assert_true(bounds[i] >= variances[i]);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_work_destroy(&work);
  fcps_gp_destroy(gp);
}

/* -- Strategies -- */

enum { DIM = 3, OUTPUTS = 2, POINTS = 37 };

/* All answers of a query with gradients about POINTS points. */
typedef struct answers {
  double mean[POINTS * OUTPUTS], variance[POINTS];
  double mean_gradient[POINTS * OUTPUTS * DIM], variance_gradient[POINTS * DIM];
} answers;

static fcps_gp_query query_for(int first, int count, const double *points, bool with_variances, fcps_gp_sums sums,
                               answers *a)
{
  return (fcps_gp_query){.count = count,
                         .points = points + first * DIM,
                         .sums = sums,
                         .mean = a->mean + first * OUTPUTS,
                         .variance = with_variances ? a->variance + first : NULL,
                         .mean_gradient = a->mean_gradient + first * OUTPUTS * DIM,
                         .variance_gradient = with_variances ? a->variance_gradient + first * DIM : NULL};
}

static void assert_all_near(int count, const double *a, const double *b, double tolerance)
{
  for (int i = 0; i < count; i++)
    assert_near(a[i], b[i], tolerance);
}

static void assert_answers_near(const answers *a, const answers *b)
{
  assert_all_near(POINTS * OUTPUTS, a->mean, b->mean, 1e-10);
  assert_all_near(POINTS, a->variance, b->variance, 1e-10);
  assert_all_near(POINTS * OUTPUTS * DIM, a->mean_gradient, b->mean_gradient, 1e-9);
  assert_all_near(POINTS * DIM, a->variance_gradient, b->variance_gradient, 1e-9);
}

/* A conditioned GP with POINTS points to ask about, and two work spaces: for one point, and for all. */
typedef struct scene {
  fcps_gp *gp;
  fcps_gp_outputs outputs;
  double points[POINTS * DIM];
  fcps_gp_work one, all;
} scene;

/* `pending` of the rows have no output: they change only the variance. */
static void open_scene(scene *s, int rows, int pending, const fcps_kernel *kernel)
{
  static const fcps_gp_norm norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_SHARED};
  fcps_rng rng = fcps_rng_stream(7, FCPS_PURPOSE_TEST, (uint64_t)rows);
  double *y = malloc(((size_t)rows * OUTPUTS + 1) * sizeof *y);
  *s = (scene){.gp = random_gp(DIM, rows, kernel, &rng)};
  fcps_rng_normals(&rng, rows * OUTPUTS, y);
  fcps_rng_uniforms(&rng, POINTS * DIM, s->points);
  assert_ok(fcps_gp_grow(s->gp));
  assert_ok(fcps_gp_condition(s->gp, norm, rows - pending, OUTPUTS, y, &s->outputs));
  assert_ok(fcps_gp_work_reserve(&s->one, s->gp, 1));
  assert_ok(fcps_gp_work_reserve_products(&s->all, s->gp, OUTPUTS, POINTS));
  free(y);
}

static void close_scene(scene *s)
{
  fcps_gp_work_destroy(&s->one);
  fcps_gp_work_destroy(&s->all);
  fcps_gp_outputs_destroy(&s->outputs);
  fcps_gp_destroy(s->gp);
}

static void ask_one_by_one(scene *s, bool with_variances, answers *a)
{
  for (int i = 0; i < POINTS; i++) {
    const fcps_gp_query query = query_for(i, 1, s->points, with_variances, FCPS_SUMS_PER_POINT, a);
    fcps_gp_predict(s->gp, &s->outputs, &query, &s->one);
  }
}

static void ask_at_once(scene *s, bool with_variances, fcps_gp_sums sums, answers *a)
{
  const fcps_gp_query query = query_for(0, POINTS, s->points, with_variances, sums, a);
  fcps_gp_predict(s->gp, &s->outputs, &query, &s->all);
}

/* Means and variances without gradients, in passes of all points or of one, and beside whitened covariances. */
static void compare_moments(scene *s, const answers *alone)
{
  answers a = {0};
  double *whitened = malloc(((size_t)s->gp->factored * POINTS + 1) * sizeof *whitened);
  fcps_gp_query query = {.count = POINTS, .points = s->points, .mean = a.mean, .variance = a.variance};
  for (int way = 0; way < 3; way++) {
    query.whitened = way == 2 ? whitened : NULL;
    fcps_gp_predict(s->gp, &s->outputs, &query, way == 0 ? &s->all : &s->one);
    assert_all_near(POINTS * OUTPUTS, a.mean, alone->mean, 1e-10);
    assert_all_near(POINTS, a.variance, alone->variance, 1e-10);
  }
  for (int j = 0; j < POINTS; j++) {
    double v = fcps_gp_signal_variance(s->gp);
    for (int i = 0; i < s->gp->factored; i++)
      v -= whitened[j * s->gp->factored + i] * whitened[j * s->gp->factored + i];
    assert_near(a.variance[j], v, 1e-10);
  }
  free(whitened);
}

static void compare_strategies(int rows, int pending, const fcps_kernel *kernel)
{
  scene s;
  open_scene(&s, rows, pending, kernel);
  for (int with_variances = 0; with_variances < 2; with_variances++) {
    answers alone = {0}, shared = {0}, products = {0};
    ask_one_by_one(&s, with_variances == 1, &alone);
    ask_at_once(&s, with_variances == 1, FCPS_SUMS_PER_POINT, &shared);
    ask_at_once(&s, with_variances == 1, FCPS_SUMS_AS_PRODUCTS, &products);
    assert_answers_near(&shared, &alone);
    assert_answers_near(&products, &alone);
    if (with_variances == 1) compare_moments(&s, &alone);
  }
  close_scene(&s);
}

static void all_strategies_agree(void **state)
{
  (void)state;
  compare_strategies(60, 0, &fcps_kernel_se);
  compare_strategies(60, 0, &fcps_kernel_matern52);
  compare_strategies(1, 0, &fcps_kernel_se);
}

static void pending_rows_count_for_the_variance_alone(void **state)
{
  (void)state;
  compare_strategies(60, 5, &fcps_kernel_matern52);
  compare_strategies(3, 3, &fcps_kernel_se); /* nothing but pending rows */
}

static void without_rows_the_prior_is_flat(void **state)
{
  (void)state;
  compare_strategies(0, 0, &fcps_kernel_se);
}

/* a factor larger than the cache: points that share their solves have the same answers as single points */
static void points_that_share_a_pass_over_a_large_factor_have_the_answers_of_points_alone(void **state)
{
  (void)state;
  compare_strategies(FCPS_CHOL_CACHED_ROWS + 190, 5, &fcps_kernel_matern52);
}

/* a factor that fits into the cache: each point is computed alone, so that no bit depends on the others */
static void gradients_from_a_small_factor_do_not_depend_on_the_other_points(void **state)
{
  (void)state;
  scene s;
  answers alone = {0}, together = {0};
  open_scene(&s, 60, 5, &fcps_kernel_matern32);
  ask_one_by_one(&s, true, &alone);
  ask_at_once(&s, true, FCPS_SUMS_PER_POINT, &together);
  assert_memory_equal(&together, &alone, sizeof alone);
  close_scene(&s);
}

/* remains of a query in the work space do not affect the next query, also of another GP */
static void a_work_space_serves_one_gp_after_the_other(void **state)
{
  (void)state;
  scene s;
  answers before = {0}, after = {0};
  fcps_rng rng = fcps_rng_stream(12, FCPS_PURPOSE_TEST, 0);
  fcps_gp *other = random_gp(2 * DIM, 90, &fcps_kernel_se, &rng);
  fcps_gp_outputs outputs = {0};
  double y[90], mean[POINTS], points[2 * DIM * POINTS];
  open_scene(&s, 60, 0, &fcps_kernel_matern52);
  ask_at_once(&s, true, FCPS_SUMS_AS_PRODUCTS, &before);
  fcps_rng_normals(&rng, 90, y);
  fcps_rng_uniforms(&rng, 2 * DIM * POINTS, points);
  assert_ok(fcps_gp_grow(other));
  assert_ok(fcps_gp_condition(other, plain, 90, 1, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&s.all, other, POINTS));
  fcps_gp_predict(other, &outputs, &(fcps_gp_query){.count = POINTS, .points = points, .mean = mean}, &s.all);
  ask_at_once(&s, true, FCPS_SUMS_AS_PRODUCTS, &after);
  assert_memory_equal(&after, &before, sizeof before);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(other);
  close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_observation_matches_the_closed_form),
      cmocka_unit_test(one_noisy_row_is_believed_less),
      cmocka_unit_test(without_rows_the_posterior_is_the_prior),
      cmocka_unit_test(gradients_match_finite_differences),
      cmocka_unit_test(pending_rows_reduce_the_variance_and_leave_the_mean),
      cmocka_unit_test(bounds_of_the_variance_hold),
      cmocka_unit_test(bounds_are_never_too_small),
      cmocka_unit_test(all_strategies_agree),
      cmocka_unit_test(pending_rows_count_for_the_variance_alone),
      cmocka_unit_test(without_rows_the_prior_is_flat),
      cmocka_unit_test(points_that_share_a_pass_over_a_large_factor_have_the_answers_of_points_alone),
      cmocka_unit_test(gradients_from_a_small_factor_do_not_depend_on_the_other_points),
      cmocka_unit_test(a_work_space_serves_one_gp_after_the_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
