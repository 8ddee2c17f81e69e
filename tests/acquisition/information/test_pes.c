/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/information/pes.c: gains without conditions on derivatives or rivals compared with
 * predictive entropies by rejection on a grid; and draws that are left out. test_optimality.c tests each condition. */
#include "acquisition/information/gain.h"

#include "acquisition/information/hill.h"
#include "linalg/dense.h"

enum { TRIALS = 12, CELLS = 400 };

static const fcps_belief_settings many = {.pool = 400,
                                          .best = 60,
                                          .others = 60,
                                          .draws = 128,
                                          .representers = 40,
                                          .samples = 512,
                                          .outcomes = 4,
                                          .maxima = 16,
                                          .places = 256};

typedef struct scene {
  fcps_problem problem;
  fcps_model *model;
  fcps_posterior *posterior;
  fcps_gain_query query;
  double trials[TRIALS * HILL_MOST], gains[TRIALS];
} scene;

static void open_scene(scene *s, int n, const fcps_kernel *kernel)
{
  *s = (scene){.problem = hill_problem(n)};
  s->model = hill_model(&s->problem, kernel);
  assert_ok(fcps_posterior_create(&s->posterior, s->model, NULL, NULL, NULL));
  assert_ok(fcps_gain_query_open(&s->query, fcps_acquisition_find("pes")->gain, &many, s->posterior, TRIALS,
                                 fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0)));
  fcps_rng rng = fcps_rng_stream(8, FCPS_PURPOSE_TEST, 0);
  fcps_rng_uniforms(&rng, TRIALS * n, s->trials);
  fcps_gain_query_values(&s->query, TRIALS, s->trials, s->gains);
}

static void close_scene(scene *s)
{
  fcps_gain_query_close(&s->query);
  fcps_posterior_destroy(s->posterior);
  fcps_model_destroy(s->model);
}

/* A grid of CELLS points in n dimensions, and the trials behind them. */
static void fill_grid(const scene *s, int n, double *x)
{
  const int side = n == 1 ? CELLS : 20;
  for (int i = 0; i < CELLS; i++)
    for (int d = 0; d < n; d++)
      x[i * n + d] = ((d == 0 ? i % side : i / side) + 0.5) / side;
  memcpy(x + CELLS * n, s->trials, sizeof(double) * (size_t)(TRIALS * n));
}

/* The information of each trial about the place of the maximum: H[y] - E H[y | place], Gaussian entropies, with the
 * place known up to `wide` neighbouring cells. */
static void brute_gains(const scene *s, int n, int wide, double *gains)
{
  enum { ALL = CELLS + TRIALS, SAMPLES = 6000 };
  double *x = malloc(sizeof(double) * ALL * HILL_MOST), *mean = malloc(sizeof(double) * ALL);
  double *factor = malloc(sizeof(double) * ALL * ALL), *backup = malloc(sizeof(double) * ALL * ALL);
  double *normals = malloc(sizeof(double) * ALL * SAMPLES), *f = malloc(sizeof(double) * ALL * SAMPLES);
  double(*sums)[TRIALS][3] = calloc(CELLS, sizeof *sums);
  assert_true(x != NULL && mean != NULL && factor != NULL && backup != NULL);
  assert_true(normals != NULL && f != NULL && sums != NULL);
  fill_grid(s, n, x);
  hill_joint(s->model, fcps_posterior_outputs(s->posterior), ALL, x, mean, factor);
  for (int i = 0; i < ALL; i++)
    factor[i * ALL + i] += 1e-7;
  assert_ok(fcps_chol_factor(ALL, factor, ALL, backup, NULL));
  for (int j = 1; j < ALL; j++)
    memset(factor + j * ALL, 0, sizeof(double) * (size_t)j);
  fcps_rng rng = fcps_rng_stream(9, FCPS_PURPOSE_TEST, 0);
  fcps_rng_normals(&rng, ALL * SAMPLES, normals);
  fcps_multiply_nn(ALL, SAMPLES, ALL, 1.0, factor, ALL, normals, ALL, 0.0, f, ALL);
  const int side = n == 1 ? CELLS : 20;
  for (int k = 0; k < SAMPLES; k++) {
    int best = 0;
    for (int i = 1; i < CELLS; i++)
      if (mean[i] + f[k * ALL + i] > mean[best] + f[k * ALL + best]) best = i;
    const int place = n == 1 ? best / wide : best % side / wide + best / side / wide * side;
    for (int t = 0; t < TRIALS; t++) {
      const double y = f[k * ALL + CELLS + t];
      sums[place][t][0] += 1;
      sums[place][t][1] += y;
      sums[place][t][2] += y * y;
    }
  }
  const double sn2 = fcps_gp_noise(fcps_model_gp(s->model, 0));
  for (int t = 0; t < TRIALS; t++) {
    double left = 0, total = 0;
    for (int c = 0; c < CELLS; c++) {
      const double count = sums[c][t][0], average = sums[c][t][1] / count;
      if (count < 30) continue;
      left += count * 0.5 * log((sums[c][t][2] - count * average * average) / (count - 1) + sn2);
      total += count;
    }
    gains[t] = 0.5 * log(s->query.trials.variance[t]) - left / total;
  }
  free(sums);
  free(f);
  free(normals);
  free(backup);
  free(factor);
  free(mean);
  free(x);
}

/* The gains need not be exact, but alike: `off` is their root mean square distance, relative to that of the gains. */
static void compare_on_a_grid(int n, int wide, const fcps_kernel *kernel, double off)
{
  scene s;
  double wanted[TRIALS], distance = 0, size = 0;
  int best = 0, best_wanted = 0;
  open_scene(&s, n, kernel);
  brute_gains(&s, n, wide, wanted);
  for (int t = 0; t < TRIALS; t++) {
    assert_true(s.gains[t] >= 0);
    distance += pow(s.gains[t] - wanted[t], 2);
    size += pow(wanted[t], 2);
    if (s.gains[t] > s.gains[best]) best = t;
    if (wanted[t] > wanted[best_wanted]) best_wanted = t;
  }
  if (!(sqrt(distance / size) < off)) fail_msg("%s, %d: %g", kernel->name, n, sqrt(distance / size));
  assert_true(wanted[best] > 0.9 * wanted[best_wanted]);
  close_scene(&s);
}

static void gains_along_one_parameter_are_those_of_rejection_on_a_grid(void **state)
{
  (void)state;
  compare_on_a_grid(1, 4, &fcps_kernel_se, 0.25);
  compare_on_a_grid(1, 4, &fcps_kernel_matern52, 0.3);
}

static void gains_over_two_parameters_are_those_of_rejection_on_a_grid(void **state)
{
  (void)state;
  compare_on_a_grid(2, 1, &fcps_kernel_se, 0.25);
  compare_on_a_grid(2, 1, &fcps_kernel_matern52, 0.2);
}

/* The belief of the scene studied again, with other means or outputs than its samples come from. */
static fcps_decision_report study(scene *s, const fcps_gp_outputs *outputs, double *gains)
{
  const fcps_gain *gain = s->query.gain;
  fcps_belief *belief = &s->query.belief;
  fcps_decision_report report = {0};
  free(belief->gain_state);
  belief->gain_state = NULL;
  assert_true(gain->prepare(&(fcps_belief_source){&s->query.builder, s->model, outputs, 0}, belief));
  gain->report(&s->query.builder, belief, &report);
  fcps_gain_query_values(&s->query, TRIALS, s->trials, gains);
  return report;
}

/* a representer that its mean excludes, though draws are largest there */
static void draws_that_do_not_converge_are_left_out_and_counted(void **state)
{
  (void)state;
  scene s;
  double gains[TRIALS];
  int votes[64] = {0}, places = 0, excluded = 0;
  open_scene(&s, 2, &fcps_kernel_se);
  const fcps_gp_outputs *outputs = fcps_posterior_outputs(s.posterior);
  fcps_belief *belief = &s.query.belief;
  for (int d = 0; d < many.places; d++)
    places += votes[fcps_belief_best(&s.query.builder, belief, d)]++ == 0;
  assert_true(places > 2);
  for (int i = 1; i < belief->count; i++)
    if (votes[i] > votes[excluded] || excluded == 0) excluded = i;

  fcps_decision_report report = study(&s, outputs, gains);
  assert_int_equal(report.draws, many.places);
  assert_int_equal(report.left_out, 0);
  assert_memory_equal(gains, s.gains, sizeof gains);

  belief->mean[excluded] -= 1e6;
  report = study(&s, outputs, gains);
  assert_int_equal(report.left_out, votes[excluded]);
  double changed = 0;
  for (int t = 0; t < TRIALS; t++) {
    assert_true(isfinite(gains[t]) && gains[t] >= 0);
    changed = fmax(changed, fabs(gains[t] - s.gains[t]));
  }
  assert_true(changed > 1e-3 && changed < 0.5);
  close_scene(&s);
}

/* means of derivatives that no maximum can have, wherever it is: the condition on the trial is left */
static void where_no_draw_is_left_the_trial_is_still_below_the_maximum(void **state)
{
  (void)state;
  scene s;
  double gains[TRIALS], largest = 0;
  open_scene(&s, 1, &fcps_kernel_se);
  fcps_gp_outputs outputs = *fcps_posterior_outputs(s.posterior);
  double alpha[HILL_ROWS];
  for (int i = 0; i < HILL_ROWS; i++)
    alpha[i] = -1e9 * outputs.alpha[i];
  outputs.alpha = alpha;
  for (int i = 1; i < s.query.belief.count; i++)
    s.query.belief.mean[i] -= 1e6;
  const fcps_decision_report report = study(&s, &outputs, gains);
  assert_int_equal(report.left_out, many.places);
  for (int t = 0; t < TRIALS; t++) {
    assert_true(isfinite(gains[t]) && gains[t] >= 0);
    largest = fmax(largest, gains[t]);
  }
  assert_true(largest > 0);
  close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gains_along_one_parameter_are_those_of_rejection_on_a_grid),
      cmocka_unit_test(gains_over_two_parameters_are_those_of_rejection_on_a_grid),
      cmocka_unit_test(draws_that_do_not_converge_are_left_out_and_counted),
      cmocka_unit_test(where_no_draw_is_left_the_trial_is_still_below_the_maximum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
