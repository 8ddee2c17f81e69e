/* SPDX-License-Identifier: Apache-2.0 */
/* Knowledge gradient, max-value and joint entropy search against brute force: integrals on fine grids, and posteriors
 * of a GP that was given the outcome. */
#include "acquisition/information/gain.h"
#include "acquisition/information/line_envelope.h"
#include "acquisition/information/truncated_normal.h"
#include "acquisition/thrown_model.h"
#include "gp/joint.h"

#include <string.h>

static const fcps_belief_settings few = {.pool = 40,
                                         .best = 6,
                                         .others = 6,
                                         .draws = 24,
                                         .representers = 6,
                                         .samples = 512,
                                         .outcomes = 4,
                                         .maxima = 16,
                                         .winners = 32};

static double density(double z, double variance)
{
  return exp(-0.5 * z * z / variance) / sqrt(2.0 * acos(-1.0) * variance);
}

/* -- The envelope -- */

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

/* -- Truncation -- */

/* H[y] - H[y | f < bound] for f ~ N(0, v), y = f + noise, the density of y by an integral over f. */
static double brute_truncation(double bound, double v, double sn2)
{
  enum { STEPS = 500 };
  const double width = sqrt(v + sn2), lowest = fmin(bound, 0.0) - 9.0 * width, highest = bound + 9.0 * sqrt(sn2);
  const double from = fmin(bound, 0.0) - 9.0 * sqrt(v), over = bound - from, pi = acos(-1.0);
  double entropy = 0, share = 0.5 * erfc(-bound / sqrt(2.0 * v));
  for (int i = 0; i < STEPS; i++) {
    const double y = lowest + (highest - lowest) * (i + 0.5) / STEPS;
    double p = 0;
    for (int j = 0; j < STEPS; j++) {
      const double f = from + over * (j + 0.5) / STEPS;
      p += density(f, v) * density(y - f, sn2) * over / STEPS;
    }
    p /= share;
    if (p > 1e-300) entropy -= p * log(p) * (highest - lowest) / STEPS;
  }
  return 0.5 * log(2.0 * pi * exp(1.0) * (v + sn2)) - entropy;
}

static void what_a_bound_tells_agrees_with_integration(void **state)
{
  (void)state;
  const double gs[] = {-4.0, -1.5, 0.0, 0.7, 2.5}, shares[] = {0.1, 0.5, 0.9, 0.98};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 4; j++)
      assert_near(fcps_truncated_normal_gain(gs[i], shares[j]), brute_truncation(gs[i], 1.0, 1.0 / shares[j] - 1.0),
                  5e-4);
}

/* the entropy of a Gaussian that is cut off has a closed form, too; close to no noise nothing may jump */
static void without_noise_it_is_the_entropy_of_a_cut_gaussian(void **state)
{
  (void)state;
  enum { STEPS = 400000 };
  for (double g = -3.0; g < 4.0; g += 0.9) {
    const double share = 0.5 * erfc(-g / sqrt(2.0)), pi = acos(-1.0);
    double entropy = 0;
    for (int i = 0; i < STEPS; i++) {
      const double f = -12.0 + (g + 12.0) * (i + 0.5) / STEPS, p = density(f, 1.0) / share;
      entropy -= p * log(p) * (g + 12.0) / STEPS;
    }
    assert_near(fcps_truncated_normal_gain(g, 1.0), 0.5 * log(2.0 * pi * exp(1.0)) - entropy, 1e-6);
    assert_near(fcps_truncated_normal_gain(g, 1.0 - 1e-9), fcps_truncated_normal_gain(g, 1.0), 1e-3);
  }
  assert_true(fcps_truncated_normal_gain(50.0, 0.9) == 0.0 && fcps_truncated_normal_gain(1.0, 0.0) == 0.0);
  assert_true(isfinite(fcps_truncated_normal_gain(-1e9, 0.9)) && isfinite(fcps_truncated_normal_gain(NAN, 0.9)));
}

/* -- Whole questions -- */

typedef struct scene {
  fcps_model *model;
  fcps_posterior *posterior;
  fcps_gain_query question;
} scene;

enum { TRIALS = 4 };
static const double wheres[2 * TRIALS] = {0.5, 0.5, 0.9, 0.2, 0.3, 0.8, 0.05, 0.95};
static const double mark = 0.2, wind = 0.05;

static void open_scene(scene *s, const fcps_gain *gain, double *gains)
{
  s->model = make_model();
  assert_ok(fcps_posterior_create(&s->posterior, s->model, &mark, &wind, NULL));
  const fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_gain_query_open(&s->question, gain, &few, s->posterior, TRIALS, rng));
  fcps_gain_query_values(&s->question, TRIALS, wheres, gains);
}

static void close_scene(scene *s)
{
  fcps_gain_query_close(&s->question);
  fcps_posterior_destroy(s->posterior);
  fcps_model_destroy(s->model);
}

/* E max of the means after the trial, less their maximum before, each posterior by conditioning a copy of the GP. */
static double brute_knowledge(const scene *s, const double *trial)
{
  enum { OUTCOMES = 4000 };
  const int rows = s->model->gp->count, m = s->question.belief.count;
  double y[16], points[8 * 3], means[8], mean, variance, before = -INFINITY, after = 0, weights = 0;
  fcps_gp *gp = NULL;
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  assert_int_equal(s->model->gp->dim, 3);
  memcpy(points, s->question.belief.features, (size_t)m * 3 * sizeof(double));
  memcpy(points + 3 * m, trial, 3 * sizeof(double));
  assert_ok(s->model->ops->outputs(s->model, &mark, y, NULL));
  assert_ok(fcps_gp_copy(s->model->gp, &gp));
  assert_ok(fcps_gp_condition(gp, model_settings.norm, rows, 1, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 8));
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = m + 1, .points = points, .mean = means}, &work);
  for (int i = 0; i <= m; i++)
    before = fmax(before, means[i]);
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = trial, .mean = &mean, .variance = &variance},
                  &work);
  const double sn = exp(gp->hyper[gp->dim + 1]);
  assert_ok(fcps_gp_add(gp, trial));
  assert_ok(fcps_gp_factorize(gp, rows + 1));
  for (int j = 0; j < OUTCOMES; j++) {
    const double w = -8.0 + 16.0 * (j + 0.5) / OUTCOMES;
    double best = -INFINITY;
    y[rows] = mean + sqrt(variance + sn * sn) * w;
    assert_ok(fcps_gp_condition(gp, model_settings.norm, rows + 1, 1, y, &outputs));
    fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = m + 1, .points = points, .mean = means}, &work);
    for (int i = 0; i <= m; i++)
      best = fmax(best, means[i]);
    after += best * density(w, 1.0);
    weights += density(w, 1.0);
  }
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_work_destroy(&work);
  fcps_gp_destroy(gp);
  return after / weights - before;
}

static void the_knowledge_gradient_agrees_with_posteriors_after_each_outcome(void **state)
{
  (void)state;
  scene s;
  double gains[TRIALS], largest = 0;
  open_scene(&s, &fcps_gain_kg, gains);
  for (int t = 0; t < TRIALS; t++) {
    assert_near(gains[t], brute_knowledge(&s, s.question.trials.features + 3 * t), 1e-5);
    largest = fmax(largest, gains[t]);
  }
  assert_true(largest > 0.05); /* or the comparison says nothing */
  close_scene(&s);
}

/* Posterior covariance of two points, in unit scale. */
static double covariance_of(const fcps_gp *gp, const double *a, const double *b)
{
  const double *points[2] = {a, b};
  double whitened[2][16], covariance;
  fcps_gp_work work = {0};
  assert_true(gp->factored <= 16);
  assert_ok(fcps_gp_work_reserve(&work, gp, 0));
  for (int i = 0; i < 2; i++)
    fcps_gp_predict(gp, NULL, &(fcps_gp_query){.count = 1, .points = points[i], .whitened = whitened[i]}, &work);
  fcps_gp_covariance_between(gp, (fcps_gp_points){1, a, whitened[0]}, (fcps_gp_points){1, b, whitened[1]}, &covariance);
  fcps_gp_work_destroy(&work);
  return covariance;
}

/* Posterior mean and variance of a trial, in unit scale (the model neither centres nor scales). */
static void predict(const scene *s, const double *trial, double *mean, double *variance)
{
  fcps_gp_work work = {0};
  assert_ok(fcps_gp_work_reserve(&work, s->model->gp, 1));
  fcps_gp_predict(s->model->gp, fcps_posterior_outputs(s->posterior),
                  &(fcps_gp_query){.count = 1, .points = trial, .mean = mean, .variance = variance}, &work);
  fcps_gp_work_destroy(&work);
}

static void max_value_entropy_search_is_the_mean_over_drawn_maxima(void **state)
{
  (void)state;
  scene s;
  double gains[TRIALS];
  open_scene(&s, &fcps_gain_mes, gains);
  const fcps_belief *b = &s.question.belief;
  const double sn2 = exp(2.0 * s.model->gp->hyper[s.model->gp->dim + 1]);
  for (int t = 0; t < TRIALS; t++) {
    double mean, v, wanted = 0;
    predict(&s, s.question.trials.features + 3 * t, &mean, &v);
    for (int k = 0; k < few.samples; k += 8) {
      double top = -INFINITY;
      for (int i = 0; i < b->count; i++)
        top = fmax(top, b->samples[i * few.samples + k]);
      wanted += brute_truncation(top - mean, v, sn2) * 8 / few.samples;
    }
    assert_near(gains[t], wanted, 0.03); /* 64 draws against 16 strata of 512 */
    assert_true(wanted > 0.01);
  }
  close_scene(&s);
}

/* The first draws of the belief, each with the covariances of the trial and its winner from the GP itself. */
static void joint_entropy_search_conditions_on_the_winner_and_cuts_off_there(void **state)
{
  (void)state;
  scene s;
  double gains[TRIALS];
  open_scene(&s, &fcps_gain_jes, gains);
  const fcps_gp *gp = s.model->gp;
  const fcps_belief *b = &s.question.belief;
  const double sn2 = exp(2.0 * gp->hyper[gp->dim + 1]);
  for (int t = 0; t < TRIALS; t++) {
    const double *trial = s.question.trials.features + 3 * t;
    double mean, v, wanted = 0;
    predict(&s, trial, &mean, &v);
    for (int k = 0; k < few.winners; k++) {
      int best = 0;
      double mu, vz;
      for (int i = 1; i < b->count; i++)
        if (b->samples[i * few.samples + k] > b->samples[best * few.samples + k]) best = i;
      const double top = b->samples[best * few.samples + k];
      predict(&s, b->features + 3 * best, &mu, &vz);
      const double c = covariance_of(gp, trial, b->features + 3 * best);
      const double left = v - c * c / vz, centre = mean + c / vz * (top - mu);
      wanted += (0.5 * log((v + sn2) / (left + sn2)) + brute_truncation(top - centre, left, sn2)) / few.winners;
    }
    assert_near(gains[t], wanted, 1e-3);
    assert_true(wanted > 0.01);
  }
  close_scene(&s);
}

/* -- Learning -- */

static const char *const names[] = {"kg", "mes", "jes"};

static void each_learns_to_throw(void **state)
{
  (void)state;
  for (int a = 0; a < 3; a++) {
    const fcps_setting settings[] = {{"acquisition", names[a]}, {NULL, NULL}};
    fcps_error error;
    fcps_learner *learner = NULL;
    double parameters[2];
    assert_ok(fcps_learner_create(&learner, &throwing, "bo-fcps", settings, 3, &error));
    for (int i = 0; i < 30; i++)
      assert_ok(throwing_episode(learner, i, parameters));
    const double mean = throwing_mean_reward(learner);
    if (!(mean > -0.15)) fail_msg("%s: mean reward %g", names[a], mean);
    fcps_learner_destroy(learner);
  }
}

static void resumed_learners_go_on_with_the_same_bits(void **state)
{
  (void)state;
  for (int a = 0; a < 3; a++) {
    const fcps_setting settings[] = {{"acquisition", names[a]}, {NULL, NULL}};
    check_resumes(&throwing, "bo-fcps", settings, 12);
    check_resumes(&throwing, "bo-cps", settings, 10);
  }
}

static void models_of_outcomes_refuse_them(void **state)
{
  (void)state;
  for (int a = 0; a < 3; a++) {
    const fcps_setting settings[] = {{"acquisition", names[a]}, {NULL, NULL}};
    fcps_error error;
    fcps_learner *learner = NULL;
    assert_status(fcps_learner_create(&learner, &throwing, "outcome", settings, 3, &error), FCPS_ERR_UNSUPPORTED);
    assert_string_equal(error.field, "acquisition");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_envelope_agrees_with_the_integral_of_the_largest_line),
      cmocka_unit_test(lines_that_never_change_places_gain_nothing),
      cmocka_unit_test(what_a_bound_tells_agrees_with_integration),
      cmocka_unit_test(without_noise_it_is_the_entropy_of_a_cut_gaussian),
      cmocka_unit_test(the_knowledge_gradient_agrees_with_posteriors_after_each_outcome),
      cmocka_unit_test(max_value_entropy_search_is_the_mean_over_drawn_maxima),
      cmocka_unit_test(joint_entropy_search_conditions_on_the_winner_and_cuts_off_there),
      cmocka_unit_test(each_learns_to_throw),
      cmocka_unit_test(resumed_learners_go_on_with_the_same_bits),
      cmocka_unit_test(models_of_outcomes_refuse_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
