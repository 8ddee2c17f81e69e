/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/information/mes.c: gains compared with integrals over the drawn maxima. */
#include "acquisition/information/scene.h"
#include "acquisition/information/truncation.h"

static void max_value_entropy_search_is_the_mean_over_drawn_maxima(void **state)
{
  (void)state;
  scene s;
  double gains[TRIALS];
  open_scene(&s, fcps_acquisition_find("mes")->gain, gains);
  const fcps_belief *b = &s.query.belief;
  const double sn2 = exp(2.0 * fcps_model_gp(s.model, 0)->hyper[fcps_model_gp(s.model, 0)->dim + 1]);
  for (int t = 0; t < TRIALS; t++) {
    double mean, v, wanted = 0;
    predict(&s, s.query.trials.features + 3 * t, &mean, &v);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(max_value_entropy_search_is_the_mean_over_drawn_maxima),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
