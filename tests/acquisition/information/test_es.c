/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/information/es.c: the gain compared with brute force. A GP is given each outcome, and
 * probabilities of the maximum come from other joint draws. Nothing of the fast form is used. */
#include "acquisition/information/gain.h"
#include "acquisition/thrown_model.h"
#include "base/memory.h"
#include "gp/query.h"

#include <stdlib.h>
#include <string.h>

static const fcps_belief_settings fine = {
    .pool = 40, .best = 6, .others = 6, .draws = 24, .representers = 6, .samples = 16000, .outcomes = 24};

/* Entropy of the place of the maximum of N(mean, L L'), from joint draws; draws of one call are all different. */
static double brute_entropy(const fcps_gp *gp, const fcps_gp_outputs *outputs, int m, const double *features,
                            const double *normals, int samples)
{
  double *draws = fcps_allocate((size_t)m * (size_t)samples, sizeof(double));
  int votes[16] = {0};
  assert_ok(fcps_gp_draw(gp, outputs, 0, m, features, samples, normals, draws));
  for (int s = 0; s < samples; s++) {
    int best = 0;
    for (int i = 1; i < m; i++)
      if (draws[s * m + i] > draws[s * m + best]) best = i;
    votes[best]++;
  }
  free(draws);
  double entropy = 0;
  for (int i = 0; i < m; i++) {
    const double p = (double)votes[i] / samples;
    if (votes[i] > 0) entropy -= p * log(p);
  }
  return entropy;
}

/* H[p] - E_y H[p | y], each posterior by conditioning a copy of the GP on the outcome y = mean + sqrt(v + sn^2) w. */
static double brute_gain(const fcps_model *model, const double *y, int m, const double *features, const double *trial)
{
  enum { DRAWS = 20000, OUTCOMES = 16 };
  const int rows = fcps_model_gp(model, 0)->count;
  double *normals = fcps_allocate((size_t)m * DRAWS, sizeof(double));
  double outputs_y[16], mean, variance, after = 0;
  fcps_rng rng = fcps_rng_stream(11, FCPS_PURPOSE_TEST, 0);
  fcps_rng_normals(&rng, m * DRAWS, normals);
  fcps_gp *gp = NULL;
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  assert_ok(fcps_gp_copy(fcps_model_gp(model, 0), &gp));
  assert_ok(fcps_gp_condition(gp, model_settings.norm, rows, 1, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = trial, .mean = &mean, .variance = &variance},
                  &work);
  const double before = brute_entropy(gp, &outputs, m, features, normals, DRAWS);
  const double sn = exp(gp->hyper[gp->dim + 1]);
  assert_ok(fcps_gp_add(gp, trial));
  assert_ok(fcps_gp_factorize(gp, rows + 1));
  memcpy(outputs_y, y, (size_t)rows * sizeof(double));
  for (int j = 0; j < OUTCOMES; j++) {
    /* mid-quantiles of the normal, by Newton steps */
    const double p = (2.0 * j + 1.0) / (2.0 * OUTCOMES);
    double w = 0;
    for (int i = 0; i < 50; i++)
      w -= (0.5 * erfc(-w / sqrt(2.0)) - p) / (exp(-0.5 * w * w) / sqrt(2.0 * acos(-1.0)));
    outputs_y[rows] = mean + sqrt(variance + sn * sn) * w;
    assert_ok(fcps_gp_condition(gp, model_settings.norm, rows + 1, 1, outputs_y, &outputs));
    after += brute_entropy(gp, &outputs, m, features, normals, DRAWS) / OUTCOMES;
  }
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_work_destroy(&work);
  fcps_gp_destroy(gp);
  free(normals);
  return before - after;
}

static void the_gain_agrees_with_brute_force(void **state)
{
  (void)state;
  fcps_model *model = make_model();
  fcps_belief_builder builder;
  fcps_belief belief = {0};
  fcps_posterior *posterior = NULL;
  const double mark = 0.2, wind = 0.05;
  assert_ok(fcps_belief_builder_create(&builder, &fine, model, fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0)));
  assert_ok(fcps_posterior_create(&posterior, model, &mark, &wind, NULL));
  assert_ok(fcps_beliefs_create(&builder, model, fcps_posterior_outputs(posterior), fcps_posterior_context(posterior),
                                &belief));
  double y[5];
  assert_ok(model->ops->outputs(model, &mark, y, NULL));

  enum { TRIALS = 4 };
  const double wheres[TRIALS][2] = {{0.5, 0.5}, {0.9, 0.2}, {0.3, 0.8}, {0.05, 0.95}};
  fcps_candidates trials;
  double gains[TRIALS] = {0};
  assert_ok(fcps_candidates_create(&trials, fcps_model_gp(model, 0), TRIALS));
  for (int i = 0; i < TRIALS; i++) {
    trials.features[3 * i] = fcps_posterior_context(posterior)[0];
    trials.features[3 * i + 1] = wheres[i][0];
    trials.features[3 * i + 2] = wheres[i][1];
  }
  fcps_candidates_prepare(&trials, fcps_model_gp(model, 0), TRIALS);
  const fcps_gain *gain = fcps_acquisition_find("es")->gain;
  void *scratch = gain->scratch(&builder, TRIALS);
  gain->add(&builder, fcps_model_gp(model, 0), &belief, &trials, scratch, gains);
  double largest = 0;
  for (int i = 0; i < TRIALS; i++) {
    const double wanted = brute_gain(model, y, belief.count, belief.features, trials.features + 3 * i);
    assert_near(gains[i], wanted, 0.012); /* Monte-Carlo error of both */
    largest = fmax(largest, wanted);
  }
  assert_true(largest > 0.1); /* or the comparison says nothing */
  free(scratch);
  fcps_candidates_destroy(&trials);
  fcps_belief_destroy(&belief);
  fcps_posterior_destroy(posterior);
  fcps_belief_builder_destroy(&builder);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gain_agrees_with_brute_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
