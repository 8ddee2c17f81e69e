/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/information/propagation.c: closed forms in one dimension, rejection sampling in two and
 * three, and problems without a solution. */
#include "acquisition/information/optimality.h"

#include "base/rng.h"
#include "check.h"

#include <string.h>

enum { MOST = 3 };
static const fcps_propagation_settings usual = {.damping = 0.9, .tolerance = 1e-6, .sweeps = 200};

typedef struct answer {
  fcps_propagation propagation;
  double root[MOST * MOST], weights[MOST];
  double mean[MOST], covariance[MOST * MOST]; /* of u, given the conditions */
} answer;

/* What the answer says about u itself: its covariances with u are the columns of the prior's. */
static void run(const fcps_propagation_settings *settings, int count, const double *mean, const double *covariance,
                const fcps_propagation_condition *conditions, answer *a)
{
  a->propagation = (fcps_propagation){.count = count, .root = a->root, .weights = a->weights};
  assert_ok(fcps_propagation_run(settings, mean, covariance, conditions, &a->propagation));
  if (!a->propagation.has_converged) return;
  double reduced[MOST][MOST] = {{0}};
  for (int i = 0; i < count; i++) {
    a->mean[i] = mean[i];
    for (int j = 0; j < count; j++) {
      a->mean[i] += covariance[i * count + j] * a->weights[j];
      for (int r = 0; r < count; r++)
        reduced[i][r] += a->root[j * count + r] * covariance[i * count + j];
    }
  }
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) {
      a->covariance[i * count + j] = covariance[i * count + j];
      for (int r = 0; r < count; r++)
        a->covariance[i * count + j] -= reduced[i][r] * reduced[j][r];
    }
}

/* u ~ N(m, v), u + e > 0: with z = m/sqrt(v + noise) and h = phi(z)/Phi(z) */
static void one_positive_component_is_a_truncated_normal(void **state)
{
  (void)state;
  const double means[] = {-9, -2, 0, 0.4, 7}, noises[] = {0, 0.3};
  for (int i = 0; i < 5; i++)
    for (int e = 0; e < 2; e++) {
      const double m = means[i], v = 1.7, total = v + noises[e], z = m / sqrt(total);
      const double h = exp(-0.5 * z * z) / sqrt(2 * acos(-1.0)) / (0.5 * erfc(-z / sqrt(2.0)));
      answer a;
      run(&usual, 1, &m, &v, &(fcps_propagation_condition){.noise = noises[e]}, &a);
      assert_true(a.propagation.has_converged);
      assert_near(a.mean[0], m + v * h / sqrt(total), 1e-5);
      assert_near(a.covariance[0], v - v * v / total * h * (z + h), 1e-5);
    }
}

/* the first component is zero with noise: conditioning of Gaussians, exact after one sweep */
static void zeros_are_gaussian_conditioning(void **state)
{
  (void)state;
  const double mean[2] = {0.5, -1}, covariance[4] = {2, 0.6, 0.6, 1}, noise = 0.1;
  const fcps_propagation_condition zeros[2] = {{.is_zero = true, .noise = noise}, {.is_zero = true, .noise = 1e12}};
  answer a;
  run(&usual, 2, mean, covariance, zeros, &a);
  assert_true(a.propagation.has_converged);
  assert_int_equal(a.propagation.sweeps, 1);
  assert_near(a.mean[0], 0.5 - 2 / 2.1 * 0.5, 1e-9);
  assert_near(a.mean[1], -1 - 0.6 / 2.1 * 0.5, 1e-9);
  assert_near(a.covariance[0], 2 - 4 / 2.1, 1e-9);
  assert_near(a.covariance[1], 0.6 - 2 * 0.6 / 2.1, 1e-9);
  assert_near(a.covariance[3], 1 - 0.36 / 2.1, 1e-9);
}

/* Moments by rejection. Returns the number of draws behind them. */
static int reject(int count, const double *mean, const double *factor, const double *noise, double *moments,
                  double *covariance)
{
  enum { SAMPLES = 400000 };
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  double sums[MOST] = {0}, products[MOST * MOST] = {0};
  int accepted = 0;
  for (int s = 0; s < SAMPLES; s++) {
    double z[MOST], u[MOST];
    bool is_positive = true;
    fcps_rng_normals(&rng, count, z);
    for (int i = 0; i < count; i++) {
      u[i] = mean[i];
      for (int j = 0; j <= i; j++)
        u[i] += factor[i * count + j] * z[j];
      is_positive = u[i] + sqrt(noise[i]) * fcps_rng_normal(&rng) > 0 && is_positive;
    }
    if (!is_positive) continue;
    accepted++;
    for (int i = 0; i < count; i++) {
      sums[i] += u[i];
      for (int j = 0; j < count; j++)
        products[i * count + j] += u[i] * u[j];
    }
  }
  for (int i = 0; i < count; i++)
    moments[i] = sums[i] / accepted;
  for (int i = 0; i < count * count; i++)
    covariance[i] = products[i] / accepted - moments[i / count] * moments[i % count];
  return accepted;
}

/* Compares with rejection: in units of the deviations before, `bias` is what propagation itself errs by. */
static void compare(int count, const double *mean, const double *factor, const double *noise, double bias)
{
  double covariance[MOST * MOST] = {0}, wanted[MOST], wanted_covariance[MOST * MOST];
  fcps_propagation_condition conditions[MOST] = {{0}};
  for (int i = 0; i < count; i++) {
    conditions[i].noise = noise[i];
    for (int j = 0; j < count; j++)
      for (int r = 0; r < count; r++)
        covariance[i * count + j] += factor[i * count + r] * factor[j * count + r];
  }
  answer a;
  run(&usual, count, mean, covariance, conditions, &a);
  assert_true(a.propagation.has_converged);
  const int draws = reject(count, mean, factor, noise, wanted, wanted_covariance);
  assert_true(draws > 10000);
  for (int i = 0; i < count; i++) {
    const double deviation = sqrt(covariance[i * count + i]);
    assert_near((a.mean[i] - wanted[i]) / deviation, 0, 4 / sqrt(draws) + bias);
    for (int j = 0; j < count; j++) {
      const double scale = deviation * sqrt(covariance[j * count + j]);
      assert_near((a.covariance[i * count + j] - wanted_covariance[i * count + j]) / scale, 0,
                  4 * sqrt(2.0 / draws) + bias);
    }
  }
}

/* rows of factors of the covariance */
static void two_components_agree_with_rejection(void **state)
{
  (void)state;
  const double mean[2] = {0.3, -0.4}, away[2] = {-0.8, -0.5}, none[2] = {0}, some[2] = {0.2, 0.5};
  const double alone[4] = {1.3, 0, 0, 0.7}, alike[4] = {1, 0, 0.8, 0.6}, opposed[4] = {1, 0, -0.5, 0.87};
  compare(2, mean, alone, none, 0.0); /* independent: exact */
  compare(2, mean, alike, none, 0.02);
  compare(2, away, alike, some, 0.02);
  compare(2, mean, opposed, none, 0.02);
}

static void three_components_agree_with_rejection(void **state)
{
  (void)state;
  const double mean[3] = {0.2, 0.1, -0.3}, noise[3] = {0, 0.1, 0};
  const double factor[9] = {1, 0, 0, 0.5, 0.9, 0, -0.3, 0.4, 0.8};
  compare(3, mean, factor, noise, 0.03);
}

/* damping changes the way, not the end */
static void damping_ends_at_the_same_place(void **state)
{
  (void)state;
  const double mean[2] = {0.3, -0.4}, covariance[4] = {1, 0.8, 0.8, 1};
  const fcps_propagation_condition positive[2] = {{0}};
  fcps_propagation_settings slow = usual;
  slow.damping = 0.3;
  answer a, b;
  run(&usual, 2, mean, covariance, positive, &a);
  run(&slow, 2, mean, covariance, positive, &b);
  assert_true(a.propagation.has_converged && b.propagation.has_converged);
  assert_true(b.propagation.sweeps > 2 * a.propagation.sweeps);
  for (int i = 0; i < 4; i++)
    assert_near(a.covariance[i], b.covariance[i], 1e-5);
}

static void a_limit_of_sweeps_is_no_convergence(void **state)
{
  (void)state;
  const double mean[2] = {0.3, -0.4}, covariance[4] = {1, 0.8, 0.8, 1};
  const fcps_propagation_condition positive[2] = {{0}};
  fcps_propagation_settings short_of = usual;
  short_of.sweeps = 2;
  answer a;
  run(&short_of, 2, mean, covariance, positive, &a);
  assert_false(a.propagation.has_converged);
  assert_int_equal(a.propagation.sweeps, 2);
}

/* far below zero, not finite, and two components that cannot both be positive */
static void contradictions_do_not_converge(void **state)
{
  (void)state;
  const double covariance[4] = {1, 0, 0, 1}, opposed[4] = {1, -1, -1, 1};
  const double far[2] = {0.5, -1000}, missing[2] = {NAN, 0}, below[2] = {-20, -20};
  const fcps_propagation_condition positive[2] = {{0}};
  answer a;
  run(&usual, 2, far, covariance, positive, &a);
  assert_false(a.propagation.has_converged);
  run(&usual, 2, missing, covariance, positive, &a);
  assert_false(a.propagation.has_converged);
  run(&usual, 2, below, opposed, positive, &a);
  assert_false(a.propagation.has_converged);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_positive_component_is_a_truncated_normal),
      cmocka_unit_test(zeros_are_gaussian_conditioning),
      cmocka_unit_test(two_components_agree_with_rejection),
      cmocka_unit_test(three_components_agree_with_rejection),
      cmocka_unit_test(damping_ends_at_the_same_place),
      cmocka_unit_test(a_limit_of_sweeps_is_no_convergence),
      cmocka_unit_test(contradictions_do_not_converge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
