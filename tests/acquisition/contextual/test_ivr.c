/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/contextual/ivr.c: gains compared with the deviations of a GP that was given the trial. */
#include "acquisition/contextual/outcome_search.h"
#include "acquisition/toy_decision.h"

enum { THROWS = 9, ACTS = 3, TRIALS = 4, DIM = 4 }; /* inputs: wind, the angle on a circle, distance */
static const double acts[ACTS][3] = {{0.4, 0.1, 0.5}, {0.9, 0.6, 0.8}, {0.2, 0.85, 0.3}};
static const double wheres[TRIALS][3] = {{0.5, 0.1, 0.5}, {0.9, 0.65, 0.7}, {0.1, 0.4, 0.9}, {0.25, 0.85, 0.25}};
static const double weights[ACTS] = {1.0, 0.3, 0.7};

static void fill_features(const fcps_model *model, const double *trial, double *features)
{
  fcps_embed(&model->layout.context, trial, features);
  fcps_embed(&model->layout.parameters, trial + 1, features + model->layout.context.width);
}

/* Deviations at the acts, in unit scale; they do not depend on what was seen. */
static void find_deviations(const fcps_gp *gp, const double *features, double *deviations)
{
  const double nothing[THROWS + 1] = {0};
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double means[ACTS];
  const fcps_gp_norm norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE};
  assert_ok(fcps_gp_condition(gp, norm, gp->count, 1, nothing, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, ACTS));
  fcps_gp_predict(gp, &outputs,
                  &(fcps_gp_query){.count = ACTS, .points = features, .mean = means, .variance = deviations}, &work);
  for (int t = 0; t < ACTS; t++)
    deviations[t] = sqrt(deviations[t]);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_work_destroy(&work);
}

/* Each trial is given to a copy of the GP, and the deviations are asked for before and after. */
static void gains_are_the_deviations_that_a_trial_takes(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = make_toy_model(&fcps_model_outcome, &problem, THROWS);
  const fcps_gp *gp = fcps_model_gp(model, 0);
  fcps_ivr ivr;
  fcps_candidates trials;
  double gains[TRIALS], before[ACTS], after[ACTS], largest = 0;
  assert_int_equal(gp->dim, DIM);
  assert_ok(fcps_ivr_create(&ivr, gp, ACTS, TRIALS));
  assert_ok(fcps_candidates_create(&trials, gp, TRIALS));
  for (int t = 0; t < ACTS; t++) {
    fill_features(model, acts[t], ivr.features + t * DIM);
    ivr.weight[t] = weights[t];
  }
  for (int i = 0; i < TRIALS; i++)
    fill_features(model, wheres[i], trials.features + i * DIM);
  fcps_ivr_prepare(&ivr, gp);
  fcps_candidates_prepare(&trials, gp, TRIALS);
  fcps_ivr_gains(&ivr, gp, &trials, gains);
  find_deviations(gp, ivr.features, before);
  for (int i = 0; i < TRIALS; i++) {
    fcps_gp *longer = NULL;
    double wanted = 0;
    int most = 0;
    assert_ok(fcps_gp_copy(gp, &longer));
    assert_ok(fcps_gp_add(longer, trials.features + i * DIM));
    assert_ok(fcps_gp_factorize(longer, THROWS + 1));
    find_deviations(longer, ivr.features, after);
    for (int t = 0; t < ACTS; t++) {
      wanted += weights[t] * (before[t] - after[t]);
      if (weights[t] * (before[t] - after[t]) > weights[most] * (before[most] - after[most])) most = t;
    }
    assert_near(gains[i], wanted, 1e-6);
    assert_int_equal(fcps_ivr_main_act(&ivr, &trials, i), most);
    largest = fmax(largest, wanted);
    fcps_gp_destroy(longer);
  }
  assert_true(largest > 0.05); /* or the comparison says nothing */
  fcps_candidates_destroy(&trials);
  fcps_ivr_destroy(&ivr);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gains_are_the_deviations_that_a_trial_takes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
