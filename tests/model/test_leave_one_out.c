/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/model/leave_one_out.c: each rollout is predicted as by a model with the same hyper-parameters but
 * without that rollout. */
#include "model/leave_one_out.h"

#include "base/rng.h"
#include "check.h"
#include "gp/leave_one_out.h"
#include "space/space.h"
#include "throwing.h"
#include "toy.h"
#include "usual_prior.h"

#include <stdlib.h>

static fcps_model_settings settings(void)
{
  return (fcps_model_settings){.kernel = &fcps_kernel_matern52,
                               .circular = true,
                               .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
                               .prior = USUAL_PRIOR(0.8),
                               .fit = {.starts = 1, .budget = 20}};
}

/* `count` throws of the toy, whose directions are its targets' (all but `left_out`). */
static void add_throws(fcps_model *model, int count, int left_out)
{
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < count; i++) {
    double u[6], outcome[2];
    fcps_rng_uniforms(&rng, 6, u);
    const double environment[1] = {0.6 * u[0] - 0.3}, parameters[2] = {6.28 * u[1], 1.5 * u[2]};
    const double target[2] = {2 * u[3] - 1, 2 * u[4] - 1};
    toy_throw(environment, parameters, outcome);
    outcome[1] += 0.05 * (u[5] - 0.5);
    double reward;
    const bool present = true;
    assert_ok(toy_reward(NULL, 1, target, environment, parameters, outcome, &present, &reward));
    const fcps_rollout rollout = {
        .target = target, .environment = environment, .parameters = parameters, .outcome = outcome, .reward = reward};
    if (i != left_out) assert_ok(fcps_model_add(model, &rollout));
  }
}

/* The moments of all outputs of a trial, the noise of its row included, from a model without it. */
static void predict(const fcps_model *rest, const fcps_rollout *rollout, double noise, double *mean, double *variance)
{
  enum { FEATURES = 16 };
  const fcps_model *side = NULL;
  double row[FEATURES], unit[FEATURES], variances[2];
  assert_ok(fcps_split_model_child(rest, rollout->target, rollout->environment, &side));
  fcps_layout_context(&side->layout, rollout->target, rollout->environment, row);
  fcps_space_to_unit(&side->problem->parameters, rollout->parameters, unit);
  fcps_embed(&side->layout.parameters, unit, row + side->layout.context.width);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  assert_ok(fcps_model_condition(side, 1, rollout->target, &outputs, NULL));
  assert_ok(fcps_model_reserve(&work, side, 1));
  const fcps_gp_query query = {.count = 1, .points = row, .mean = mean, .variance = variances};
  fcps_model_predict(side, &outputs, &query, &work);
  for (int o = 0; o < outputs.outputs; o++) {
    const int g = fcps_model_gp_count(side) > 1 ? o : 0;
    const fcps_gp *gp = fcps_model_gp(side, g);
    variance[o] =
        outputs.scale[o] * outputs.scale[o] * (variances[g] + fcps_gp_hyper_noise_variance(gp->dim, gp->hyper) + noise);
  }
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
}

static void take_hyper(const fcps_model *from, fcps_model *to)
{
  for (int g = 0; g < fcps_model_gp_count(from); g++)
    fcps_gp_set_hyper(fcps_model_gp(to, g), fcps_model_gp(from, g)->hyper);
}

/* Compares with models that have all rollouts but one. */
static void check_against_refits(const fcps_model_ops *kind, const fcps_model_settings *s)
{
  enum { ROWS = 14 };
  const fcps_problem problem = toy_problem();
  const double target[2] = {0.3, 0.3};
  fcps_model *model = NULL;
  fcps_fit_result ending;
  assert_ok(fcps_model_create(&model, kind, &problem, s));
  add_throws(model, ROWS, -1);
  assert_ok(fcps_model_fit(model, 1, target, fcps_rng_stream(1, FCPS_PURPOSE_FIT, 1), &ending, NULL));
  double noise[ROWS];
  for (int i = 0; i < ROWS; i++)
    noise[i] = i % 4 == 0 ? 0.1 : 0.0;
  for (int g = 0; g < fcps_model_gp_count(model); g++)
    fcps_gp_set_noise(fcps_model_gp(model, g), ROWS, noise, 0.0);
  assert_ok(fcps_model_refresh(model));
  fcps_model_left_out found;
  assert_ok(fcps_model_leave_one_out(model, &found, NULL));
  assert_int_equal(found.rows, ROWS);
  assert_int_equal(found.outputs, model->layout.outputs);
  for (int i = 0; i < ROWS; i++) {
    fcps_model *rest = NULL;
    const fcps_rollout rollout = fcps_rollouts_at(&model->training, i);
    double mean[2], variance[2], others[ROWS];
    for (int j = 0, k = 0; j < ROWS; j++)
      if (j != i) others[k++] = noise[j];
    assert_ok(fcps_model_create(&rest, kind, &problem, s));
    add_throws(rest, ROWS, i);
    take_hyper(model, rest);
    for (int g = 0; g < fcps_model_gp_count(rest); g++)
      fcps_gp_set_noise(fcps_model_gp(rest, g), ROWS - 1, others, 0.0);
    assert_ok(fcps_model_refresh(rest));
    predict(rest, &rollout, noise[i], mean, variance);
    for (int o = 0; o < found.outputs; o++) {
      const int place = i * found.outputs + o;
      assert_near(found.mean[place], mean[o], 1e-8);
      assert_near(found.deviation[place], sqrt(variance[o]), 1e-8);
      assert_near(found.told[place], kind->predicts_outcomes ? rollout.outcome[o] : rollout.reward, 1e-12);
    }
    fcps_model_destroy(rest);
  }
  fcps_model_left_out_destroy(&found);
  fcps_model_destroy(model);
}

static void every_kind_predicts_as_without_the_rollout(void **state)
{
  (void)state;
  const fcps_model_settings s = settings();
  for (int kind = 0; fcps_model_kind_at(kind) != NULL; kind++)
    check_against_refits(fcps_model_kind_at(kind), &s);
}

static void outcomes_with_hyper_parameters_of_their_own_do_too(void **state)
{
  (void)state;
  fcps_model_settings s = settings();
  s.structures.separate = FCPS_STRUCTURE_ON;
  check_against_refits(&fcps_model_outcome, &s);
  s.norm = (fcps_gp_norm){.mean = FCPS_MEAN_GLS, .scaling = FCPS_SCALING_METRIC};
  check_against_refits(&fcps_model_outcome, &s);
}

/* -- A split in two -- */

/* Throws of which only two or three have more wind than 0.15. */
static fcps_rollout windy_throw(int i, double *numbers)
{
  double *mark = numbers, *wind = numbers + 1, *parameters = numbers + 2, *land = numbers + 4;
  throwing_context(i, mark, wind);
  parameters[0] = fmod(0.3 + 0.755 * i, 1.0);
  parameters[1] = fmod(0.8 + 0.57 * i, 1.0);
  *land = throwing_land(*wind, parameters);
  return (fcps_rollout){.target = mark, .environment = wind, .parameters = parameters, .outcome = land, .reward = -1};
}

static fcps_model *split_model(const fcps_model_settings *s, double threshold, int left_out)
{
  enum { ROWS = 24 };
  const double hyper[5] = {-0.7, -0.2, -0.4, 0.1, -2.5};
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_rescored, &throwing, s));
  for (int i = 0; i < ROWS; i++) {
    double numbers[5];
    const fcps_rollout rollout = windy_throw(i, numbers);
    if (i != left_out) assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_split_model_set(model, (fcps_split){.input = 0, .threshold = threshold}));
  for (int side = 0; side < 2; side++)
    fcps_gp_set_hyper(fcps_model_gp(fcps_model_side(model, side), 0), hyper);
  assert_ok(fcps_model_refresh(model));
  return model;
}

static void each_side_of_a_split_predicts_its_own(void **state)
{
  (void)state;
  const fcps_model_settings s = settings();
  fcps_model *model = split_model(&s, 0.55, -1);
  fcps_model_left_out found;
  assert_ok(fcps_model_leave_one_out(model, &found, NULL));
  for (int i = 0; i < found.rows; i++) {
    double numbers[5], mean, variance;
    const fcps_rollout rollout = windy_throw(i, numbers);
    fcps_model *rest = split_model(&s, 0.55, i);
    predict(rest, &rollout, 0.0, &mean, &variance);
    assert_near(found.mean[i], mean, 1e-9);
    assert_near(found.deviation[i], sqrt(variance), 1e-9);
    assert_near(found.told[i], throwing_reward_of(numbers[0], numbers[3], numbers[4]), 1e-12);
    fcps_model_destroy(rest);
  }
  fcps_model_left_out_destroy(&found);
  fcps_model_destroy(model);
}

/* The scale of all rows is that of one row less, but for a little. */
static void check_of_few(const fcps_model_settings *s, double threshold, int row, double mean, double deviation)
{
  double numbers[5], expected, variance;
  const fcps_rollout rollout = windy_throw(row, numbers);
  fcps_model *rest = split_model(s, threshold, row);
  predict(rest, &rollout, 0.0, &expected, &variance);
  assert_near(mean, expected, 1e-9);
  assert_near(deviation, sqrt(variance), 0.1 * deviation);
  fcps_model_destroy(rest);
}

/* a side of a few rows has the scale of all rows, and a row alone has no prediction */
static void a_side_of_a_few_rows_has_the_scale_of_all(void **state)
{
  (void)state;
  const fcps_model_settings s = settings();
  for (int few = 1; few < FCPS_SPLIT_MODEL_LEAST_ROWS; few++) {
    double threshold = 1.0;
    fcps_model *model = NULL;
    do {
      fcps_model_destroy(model);
      threshold -= 0.01;
      model = split_model(&s, threshold, -1);
    } while (fcps_model_side(model, 1)->training.count < few);
    assert_int_equal(fcps_model_side(model, 1)->training.count, few);
    fcps_model_left_out found;
    assert_ok(fcps_model_leave_one_out(model, &found, NULL));
    int seen = 0;
    for (int i = 0; i < found.rows; i++) {
      double numbers[5];
      const fcps_rollout rollout = windy_throw(i, numbers);
      const bool is_above = (*rollout.environment + 0.2) / 0.4 >= threshold;
      assert_int_equal(isnan(found.mean[i]), is_above && few == 1);
      assert_int_equal(isnan(found.deviation[i]), is_above && few == 1);
      assert_near(found.told[i], throwing_reward_of(numbers[0], numbers[3], numbers[4]), 1e-12);
      if (is_above && few > 1) check_of_few(&s, threshold, i, found.mean[i], found.deviation[i]);
      seen += is_above;
    }
    assert_int_equal(seen, few);
    fcps_model_left_out_destroy(&found);
    fcps_model_destroy(model);
  }
}

/* -- Samples of hyper-parameters -- */

static void samples_are_mixed(void **state)
{
  (void)state;
  enum { ROWS = 10 };
  const fcps_problem problem = toy_problem();
  const double target[2] = {0.3, 0.3};
  fcps_model_settings s = settings();
  s.fit.samples = 4;
  fcps_model *model = NULL;
  fcps_fit_result ending;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &problem, &s));
  add_throws(model, ROWS, -1);
  assert_ok(fcps_model_fit(model, 1, target, fcps_rng_stream(1, FCPS_PURPOSE_FIT, 1), &ending, NULL));
  assert_ok(fcps_model_refresh(model));
  const int samples = fcps_members_models(model);
  assert_int_equal(samples, 4);
  fcps_model_left_out found;
  assert_ok(fcps_model_leave_one_out(model, &found, NULL));
  double y[2 * ROWS];
  assert_ok(model->ops->outputs(model, target, y, NULL));
  for (int i = 0; i < ROWS; i++) {
    double mean = 0, square = 0;
    for (int k = 0; k < samples; k++) {
      fcps_leave_one_out *loo = NULL;
      fcps_left_out one[2];
      assert_ok(fcps_leave_one_out_create(&loo, fcps_model_gp(fcps_members_model(model, k), 0), ROWS));
      assert_ok(fcps_leave_one_out_row(loo, s.norm, i, 2, y, one));
      mean += one[1].mean / samples;
      square += (one[1].variance + one[1].mean * one[1].mean) / samples;
      fcps_leave_one_out_destroy(loo);
    }
    assert_near(found.mean[2 * i + 1], mean, 1e-12);
    assert_near(found.deviation[2 * i + 1], sqrt(square - mean * mean), 1e-9);
  }
  fcps_model_left_out_destroy(&found);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_predicts_as_without_the_rollout),
      cmocka_unit_test(outcomes_with_hyper_parameters_of_their_own_do_too),
      cmocka_unit_test(each_side_of_a_split_predicts_its_own),
      cmocka_unit_test(a_side_of_a_few_rows_has_the_scale_of_all),
      cmocka_unit_test(samples_are_mixed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
