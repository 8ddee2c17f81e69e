/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/information/kg.c: gains compared with posteriors of a GP that was given each outcome. */
#include "acquisition/information/scene.h"
#include "acquisition/information/truncation.h"

#include <string.h>

/* E max of the means after the trial, less their maximum before, each posterior by conditioning a copy of the GP. */
static double brute_knowledge(const scene *s, const double *trial)
{
  enum { OUTCOMES = 4000 };
  const int rows = fcps_model_gp(s->model, 0)->count, m = s->query.belief.count;
  double y[16], points[8 * 3], means[8], mean, variance, before = -INFINITY, after = 0, weights = 0;
  fcps_gp *gp = NULL;
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  assert_int_equal(fcps_model_gp(s->model, 0)->dim, 3);
  memcpy(points, s->query.belief.features, (size_t)m * 3 * sizeof(double));
  memcpy(points + 3 * m, trial, 3 * sizeof(double));
  assert_ok(s->model->ops->outputs(s->model, &mark, y, NULL));
  assert_ok(fcps_gp_copy(fcps_model_gp(s->model, 0), &gp));
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
  open_scene(&s, fcps_acquisition_find("kg")->gain, gains);
  for (int t = 0; t < TRIALS; t++) {
    assert_near(gains[t], brute_knowledge(&s, s.query.trials.features + 3 * t), 1e-5);
    largest = fmax(largest, gains[t]);
  }
  assert_true(largest > 0.05); /* or the comparison says nothing */
  close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_knowledge_gradient_agrees_with_posteriors_after_each_outcome),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
