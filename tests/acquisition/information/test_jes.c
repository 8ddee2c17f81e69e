/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/information/jes.c: gains compared with a GP that is conditioned on each drawn maximum. */
#include "acquisition/information/scene.h"
#include "acquisition/information/truncation.h"
#include "gp/query.h"

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

/* The first draws of the belief, each with the covariance of the trial and its maximum from the GP itself. */
static void joint_entropy_search_conditions_on_the_maximum_and_cuts_off_there(void **state)
{
  (void)state;
  scene s;
  double gains[TRIALS];
  open_scene(&s, fcps_acquisition_find("jes")->gain, gains);
  const fcps_gp *gp = fcps_model_gp(s.model, 0);
  const fcps_belief *b = &s.query.belief;
  const double sn2 = exp(2.0 * gp->hyper[gp->dim + 1]);
  for (int t = 0; t < TRIALS; t++) {
    const double *trial = s.query.trials.features + 3 * t;
    double mean, v, wanted = 0;
    predict(&s, trial, &mean, &v);
    for (int k = 0; k < few.optimal_pairs; k++) {
      int best = 0;
      double mu, vz;
      for (int i = 1; i < b->count; i++)
        if (b->samples[i * few.samples + k] > b->samples[best * few.samples + k]) best = i;
      const double top = b->samples[best * few.samples + k];
      predict(&s, b->features + 3 * best, &mu, &vz);
      const double c = covariance_of(gp, trial, b->features + 3 * best);
      const double left = v - c * c / vz, centre = mean + c / vz * (top - mu);
      wanted += (0.5 * log((v + sn2) / (left + sn2)) + brute_truncation(top - centre, left, sn2)) / few.optimal_pairs;
    }
    assert_near(gains[t], wanted, 1e-3);
    assert_true(wanted > 0.01);
  }
  close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joint_entropy_search_conditions_on_the_maximum_and_cuts_off_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
