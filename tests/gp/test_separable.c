/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/query.c: means from separate factors are the means of a query. */
#include "gp/query.h"

#include "gp/random_gp.h"

enum { DIM = 3, ROWS = 60, OUTPUTS = 2, POINTS = 37 };

/* the first input as a context, the others as candidates; a column for each output in each context */
static void means_from_separate_factors_are_the_means(void **state)
{
  (void)state;
  static const fcps_gp_norm norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH};
  fcps_rng rng = fcps_rng_stream(8, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(DIM, ROWS, &fcps_kernel_se, &rng);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double y[ROWS * OUTPUTS], candidates[POINTS * (DIM - 1)];
  enum { CONTEXTS = 3, COLUMNS = CONTEXTS * OUTPUTS };
  static double own[ROWS * POINTS], shared[ROWS * CONTEXTS], weights[ROWS * COLUMNS], mean[POINTS * COLUMNS];
  const double contexts[CONTEXTS] = {0.2, 0.5, 0.8};
  int output[COLUMNS];
  fcps_rng_normals(&rng, ROWS * OUTPUTS, y);
  fcps_rng_uniforms(&rng, POINTS * (DIM - 1), candidates);
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, norm, ROWS - 3, OUTPUTS, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_separate(gp, 1, DIM - 1, POINTS, candidates, &work, own);
  fcps_gp_separate(gp, 0, 1, CONTEXTS, contexts, &work, shared);
  for (int column = 0; column < COLUMNS; column++) {
    output[column] = column % OUTPUTS;
    fcps_gp_separated_weights(gp, &outputs, output[column], shared + column / OUTPUTS * ROWS,
                              weights + column * outputs.count);
  }
  fcps_gp_predict_separated(gp, &outputs, COLUMNS, output, weights, POINTS, own, mean);
  for (int i = 0; i < POINTS; i++)
    for (int c = 0; c < CONTEXTS; c++) {
      const double point[DIM] = {contexts[c], candidates[2 * i], candidates[2 * i + 1]};
      double expected[OUTPUTS];
      fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = point, .mean = expected}, &work);
      for (int o = 0; o < OUTPUTS; o++)
        assert_near(mean[i * COLUMNS + c * OUTPUTS + o], expected[o], 1e-11);
    }
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(means_from_separate_factors_are_the_means),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
