/* SPDX-License-Identifier: Apache-2.0 */
/* Probit classification: closed forms for one label, sums over a grid for two, finite differences for the gradient, and
 * edges that follow from labels. */
#include "check.h"

#include "base/normal.h"
#include "base/rng.h"
#include "gp/probit.h"
#include "gp/query.h"

#include <stdlib.h>

static const fcps_hyper_prior prior = {.length = 0.4,
                                       .length_sd = 0.7,
                                       .signal = 2.0,
                                       .signal_sd = 0.7,
                                       .noise = 1e-3,
                                       .noise_sd = 1.0,
                                       .noise_floor = 1e-3};

static fcps_gp *gp_of(int dim, int rows, const double *inputs)
{
  fcps_gp *gp = NULL;
  assert_ok(fcps_gp_create(&gp, dim, &fcps_kernel_se));
  for (int i = 0; i < rows; i++)
    assert_ok(fcps_gp_add(gp, inputs + i * dim));
  return gp;
}

static fcps_probit *probit_of(const fcps_gp *gp, int rows, const bool *labels, double base, double lapse)
{
  fcps_probit *probit = NULL;
  assert_ok(fcps_probit_create(&probit, gp, &(fcps_probit_data){rows, labels, base, lapse, &prior}));
  return probit;
}

/* For one label EP is exact: its evidence is the prior chance of a yes, or of a no. */
static void one_label_has_a_closed_form(void **state)
{
  (void)state;
  const double input = 0.3, hyper[] = {log(0.4), log(2.0), log(1e-3)};
  fcps_gp *gp = gp_of(1, 1, &input);
  for (int label = 0; label < 2; label++)
    for (double lapse = 0.0; lapse < 0.1; lapse += 0.05) {
      const bool labels[] = {label == 1};
      fcps_probit *probit = probit_of(gp, 1, labels, 0.7, lapse);
      const double mean = fcps_normal_quantile(0.7) * sqrt(5.0), variance = 4.0 + 1e-6;
      const double yes = lapse + (1.0 - 2.0 * lapse) * fcps_normal_cdf(mean / sqrt(1.0 + variance));
      assert_near(fcps_probit_evidence(probit, hyper, NULL), log(label == 1 ? yes : 1.0 - yes), 1e-6);
      fcps_probit_destroy(probit);
    }
  fcps_gp_destroy(gp);
}

/* Evidence and posterior mean of two labels, by a sum over a fine grid of both latent values. */
static void grid_moments(double correlation, double sf2, double mean, const bool *labels, double lapse,
                         double *evidence, double *first)
{
  enum { STEPS = 400 };
  const double width = 8.0 * sqrt(sf2), step = 2.0 * width / STEPS, c = sqrt(1.0 - correlation * correlation);
  double sum = 0.0, moment = 0.0;
  for (int i = 0; i <= STEPS; i++)
    for (int j = 0; j <= STEPS; j++) {
      const double a = -width + step * i, b = -width + step * j, s = sqrt(sf2);
      const double density =
          fcps_normal_density(a / s) / s * fcps_normal_density((b / s - correlation * a / s) / c) / (c * s);
      const double p = lapse + (1.0 - 2.0 * lapse) * fcps_normal_cdf(mean + a);
      const double q = lapse + (1.0 - 2.0 * lapse) * fcps_normal_cdf(mean + b);
      const double weight = density * step * step * (labels[0] ? p : 1.0 - p) * (labels[1] ? q : 1.0 - q);
      sum += weight;
      moment += weight * a;
    }
  *evidence = log(sum);
  *first = moment / sum;
}

static void two_labels_agree_with_sums_over_a_grid(void **state)
{
  (void)state;
  const double inputs[] = {0.3, 0.6}, hyper[] = {log(0.4), log(2.0), log(1e-3)}, lapse = 0.01;
  const double correlation = exp(-0.5 * 0.3 * 0.3 / 0.16);
  fcps_gp *gp = gp_of(1, 2, inputs);
  for (int kind = 0; kind < 4; kind++) {
    const bool labels[] = {(kind & 1) != 0, (kind & 2) != 0};
    double evidence, first, targets[2], variances[2], mean[1];
    fcps_probit *probit = probit_of(gp, 2, labels, 0.6, lapse);
    const double found = fcps_probit_evidence(probit, hyper, NULL);
    const double prior_mean = fcps_probit_sites(probit, targets, variances);
    grid_moments(correlation, 4.0, prior_mean, labels, lapse, &evidence, &first);
    assert_near(found, evidence, 0.02);

    fcps_gp_outputs outputs = {0};
    fcps_gp_work work = {0};
    fcps_gp_set_hyper(gp, hyper);
    fcps_gp_set_noise(gp, 2, variances, 0.0);
    assert_ok(fcps_gp_factorize(gp, 2));
    assert_ok(fcps_gp_condition(gp, (fcps_gp_norm){.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE}, 2, 1, targets,
                                &outputs));
    assert_ok(fcps_gp_work_reserve(&work, gp, 1));
    fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = inputs, .mean = mean}, &work);
    assert_near(mean[0], first, 0.03);
    fcps_gp_work_destroy(&work);
    fcps_gp_outputs_destroy(&outputs);
    fcps_probit_destroy(probit);
  }
  fcps_gp_destroy(gp);
}

static void gradient_agrees_with_differences(void **state)
{
  (void)state;
  enum { ROWS = 12, DIM = 2, COUNT = FCPS_HYPER_COUNT(DIM) };
  double inputs[ROWS * DIM], hyper[] = {log(0.3), log(0.6), log(2.5), log(1e-3)}, gradient[COUNT];
  bool labels[ROWS];
  for (int i = 0; i < ROWS; i++) {
    inputs[2 * i] = fmod(0.618 * (i + 1), 1.0);
    inputs[2 * i + 1] = fmod(0.755 * (i + 1), 1.0);
    labels[i] = inputs[2 * i] + 0.3 * inputs[2 * i + 1] < 0.7 || i == 3;
  }
  fcps_gp *gp = gp_of(DIM, ROWS, inputs);
  fcps_probit *probit = probit_of(gp, ROWS, labels, 0.6, 0.02);
  fcps_probit_evidence(probit, hyper, gradient);
  for (int d = 0; d <= DIM; d++) {
    const double at = hyper[d], step = 1e-4;
    hyper[d] = at + step;
    const double above = fcps_probit_evidence(probit, hyper, NULL);
    hyper[d] = at - step;
    const double below = fcps_probit_evidence(probit, hyper, NULL);
    hyper[d] = at;
    assert_near(gradient[d], (above - below) / (2.0 * step), 1e-3);
  }
  assert_near(gradient[DIM + 1], 0.0, 0.0);
  fcps_probit_destroy(probit);
  fcps_gp_destroy(gp);
}

static void a_fit_explains_labels_better_than_its_start(void **state)
{
  (void)state;
  enum { ROWS = 30 };
  double inputs[ROWS], hyper[] = {log(0.4), log(2.0), log(1e-3)};
  bool labels[ROWS];
  for (int i = 0; i < ROWS; i++) {
    inputs[i] = (i + 0.5) / ROWS;
    labels[i] = inputs[i] < 0.6;
  }
  fcps_gp *gp = gp_of(1, ROWS, inputs);
  fcps_probit *probit = probit_of(gp, ROWS, labels, 0.5, 0.01);
  const double before = fcps_probit_evidence(probit, hyper, NULL), after = fcps_probit_fit(probit, 30, hyper);
  assert_true(after > before + 0.5);
  assert_near(hyper[2], log(1e-3), 0.0);
  fcps_probit_destroy(probit);
  fcps_gp_destroy(gp);
}

static void slopes_of_a_probability_agree_with_differences(void **state)
{
  (void)state;
  double by_mean, by_variance;
  const double step = 1e-6;
  fcps_probit_probability(0.02, 0.7, 1.3, &by_mean, &by_variance);
  const double mean_slope = (fcps_probit_probability(0.02, 0.7 + step, 1.3, NULL, NULL) -
                             fcps_probit_probability(0.02, 0.7 - step, 1.3, NULL, NULL)) /
                            (2.0 * step);
  const double variance_slope = (fcps_probit_probability(0.02, 0.7, 1.3 + step, NULL, NULL) -
                                 fcps_probit_probability(0.02, 0.7, 1.3 - step, NULL, NULL)) /
                                (2.0 * step);
  assert_near(by_mean, mean_slope, 1e-8);
  assert_near(by_variance, variance_slope, 1e-8);
}

/* Labels without any order ask neighbours for opposite values: sites that are updated together then swing. */
static void labels_that_contradict_each_other_still_have_an_evidence(void **state)
{
  (void)state;
  enum { ROWS = 60, DIM = 4, WORLDS = 40 };
  for (int world = 0; world < WORLDS; world++) {
    fcps_rng rng = fcps_rng_stream((uint64_t)world, FCPS_PURPOSE_TEST, 0);
    double inputs[ROWS * DIM], hyper[FCPS_HYPER_COUNT(DIM)];
    bool labels[ROWS];
    fcps_rng_uniforms(&rng, ROWS * DIM, inputs);
    for (int i = 0; i < ROWS; i++)
      labels[i] = fcps_rng_uniform(&rng) < 0.6;
    for (int d = 0; d < DIM; d++)
      hyper[d] = log(0.15 + 0.05 * (world % 5));
    hyper[DIM] = log(6.0 + 2.0 * (world % 3));
    hyper[DIM + 1] = log(1e-3);
    fcps_gp *gp = gp_of(DIM, ROWS, inputs);
    fcps_probit *probit = probit_of(gp, ROWS, labels, 0.6, 0.01);
    assert_true(isfinite(fcps_probit_evidence(probit, hyper, NULL)));
    fcps_probit_destroy(probit);
    fcps_gp_destroy(gp);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_label_has_a_closed_form),
      cmocka_unit_test(two_labels_agree_with_sums_over_a_grid),
      cmocka_unit_test(gradient_agrees_with_differences),
      cmocka_unit_test(a_fit_explains_labels_better_than_its_start),
      cmocka_unit_test(slopes_of_a_probability_agree_with_differences),
      cmocka_unit_test(labels_that_contradict_each_other_still_have_an_evidence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
