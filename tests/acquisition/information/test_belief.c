/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/information/belief.c: the promised properties of representers and samples. */
#include "acquisition/information/belief.h"
#include "acquisition/thrown_model.h"

#include <string.h>

static const fcps_belief_settings small = {
    .pool = 60, .best = 8, .others = 8, .draws = 40, .representers = 7, .samples = 4000, .outcomes = 4};
static const double mark = 0.2, wind = 0.05;

typedef struct scene {
  fcps_model *model;
  fcps_posterior *posterior;
  fcps_belief_builder builder;
  fcps_belief belief;
} scene;

static void open_scene(scene *s)
{
  *s = (scene){.model = make_model()};
  assert_ok(fcps_belief_builder_create(&s->builder, &small, s->model, fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0)));
  assert_ok(fcps_posterior_create(&s->posterior, s->model, &mark, &wind, NULL));
  assert_ok(fcps_beliefs_create(&s->builder, s->model, fcps_posterior_outputs(s->posterior),
                                fcps_posterior_context(s->posterior), &s->belief));
}

static void close_scene(scene *s)
{
  fcps_belief_destroy(&s->belief);
  fcps_posterior_destroy(s->posterior);
  fcps_belief_builder_destroy(&s->builder);
  fcps_model_destroy(s->model);
}

static void the_first_representer_has_the_largest_mean_of_the_pool(void **state)
{
  (void)state;
  scene s;
  open_scene(&s);
  double means[60], first, largest = -INFINITY;
  fcps_posterior_moments(s.posterior, small.pool, s.builder.pool, means, NULL);
  fcps_posterior_moments(s.posterior, 1, s.belief.x, &first, NULL);
  for (int i = 0; i < small.pool; i++)
    largest = fmax(largest, means[i]);
  assert_near(first, largest, 1e-12);
  close_scene(&s);
}

static void no_representer_comes_twice(void **state)
{
  (void)state;
  scene s;
  open_scene(&s);
  assert_true(s.belief.count > 2 && s.belief.count <= small.representers);
  for (int i = 0; i < s.belief.count; i++)
    for (int j = 0; j < i; j++)
      assert_true(memcmp(s.belief.x + 2 * i, s.belief.x + 2 * j, 2 * sizeof(double)) != 0);
  close_scene(&s);
}

/* Means and deviations of the samples against those of the posterior. */
static void samples_have_the_moments_of_the_posterior(void **state)
{
  (void)state;
  scene s;
  open_scene(&s);
  for (int i = 0; i < s.belief.count; i++) {
    double mean, deviation, sum = 0, squares = 0;
    fcps_posterior_moments(s.posterior, 1, s.belief.x + 2 * i, &mean, &deviation);
    for (int k = 0; k < small.samples; k++)
      sum += s.belief.samples[i * small.samples + k];
    for (int k = 0; k < small.samples; k++)
      squares += pow(s.belief.samples[i * small.samples + k] - sum / small.samples, 2.0);
    assert_near(s.belief.mean[i], mean, 1e-12);
    assert_near(sum / small.samples, mean, 4.0 * deviation / sqrt(small.samples));
    assert_near(sqrt(squares / small.samples), deviation, 0.06 * deviation);
  }
  close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_representer_has_the_largest_mean_of_the_pool),
      cmocka_unit_test(no_representer_comes_twice),
      cmocka_unit_test(samples_have_the_moments_of_the_posterior),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
