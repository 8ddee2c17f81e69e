/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that a model believes to be wrong: which rows, their remaining effect on the model, and rows that are believed
 * again. */
#include "check.h"
#include "model/beliefs.h"
#include "model/model.h"
#include "model/surprises.h"
#include "usual_prior.h"

#include <string.h>

static const fcps_dimension lever[] = {{.name = "lever", .lower = 0, .upper = 1}};
static const fcps_dimension readings[] = {{.name = "height"}, {.name = "warmth"}};
static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)target, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = outcomes[2 * i];
  return FCPS_OK;
}
static const fcps_problem lifting = {.parameters = {1, lever}, .outcome = {2, readings}, .reward = reward};

/* A number in [-1, 1] that looks like noise. */
static double jitter(int i)
{
  const double x = 43758.5453 * sin(12.9898 * (i + 1));
  return 2.0 * (x - floor(x)) - 1.0;
}

static double height_of(double x)
{
  return 20.0 + 10.0 * sin(3.0 * x);
}

static fcps_model *make_for(const fcps_problem *problem, bool is_separate)
{
  const fcps_model_settings settings = {
      .kernel = &fcps_kernel_se,
      .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
      .prior = USUAL_PRIOR(0.8),
      .structures = {.separate = is_separate ? FCPS_STRUCTURE_ON : FCPS_STRUCTURE_OFF, .doubts = FCPS_STRUCTURE_AUTO},
      .fit = {.starts = 2, .budget = 60}};
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  return model;
}

static fcps_model *make(bool is_separate)
{
  return make_for(&lifting, is_separate);
}

static void add(fcps_model *model, double x, double height, double warmth)
{
  const double outcome[] = {height, warmth};
  const fcps_rollout rollout = {.parameters = &x, .outcome = outcome};
  assert_ok(fcps_model_add(model, &rollout));
}

/* Row i of `count`; the height of row `wrong` is ten times what it is. */
static void add_row(fcps_model *model, int count, int i, int wrong)
{
  const double x = fmod(0.618034 * (i + 1), 1.0);
  const double height = height_of(x) + 0.1 * jitter(i);
  (void)count;
  add(model, x, i == wrong ? 10.0 * height : height, 5.0 + 2.0 * x + 0.02 * jitter(i + 100));
}

static void fit(fcps_model *model)
{
  fcps_fit_result result;
  assert_ok(fcps_model_fit(model, 1, NULL, fcps_rng_stream(7, FCPS_PURPOSE_FIT, (uint64_t)model->training.count),
                           &result, NULL));
  assert_ok(fcps_model_refresh(model));
}

static fcps_model *train(bool is_separate, int count, int wrong)
{
  fcps_model *model = make(is_separate);
  for (int i = 0; i < count; i++)
    add_row(model, count, i, wrong);
  fit(model);
  return model;
}

static double predicted_height(const fcps_model *model, double x)
{
  fcps_posterior *posterior = NULL;
  double outcome[2], deviation[2];
  assert_ok(fcps_posterior_create(&posterior, model, NULL, NULL, NULL));
  assert_true(fcps_posterior_outcome(posterior, &x, outcome, deviation));
  fcps_posterior_destroy(posterior);
  return outcome[0];
}

static void a_wild_row_becomes_a_suspect_and_hardly_moves_the_model(void **state)
{
  (void)state;
  for (int is_separate = 0; is_separate < 2; is_separate++) {
    fcps_model *clean = train(is_separate, 20, -1), *model = train(is_separate, 20, 12);
    assert_int_equal(doubt_count(clean), 0);
    assert_int_equal(doubt_count(model), 1);
    assert_int_equal(doubt_at(model, 0)->row, 12);
    assert_true(fcps_description_doubts(&model->description, 12) && !fcps_description_doubts(&model->description, 11));
    for (int i = 0; i <= 10; i++)
      assert_near(predicted_height(model, i / 10.0), predicted_height(clean, i / 10.0), 0.15);
    fcps_model_destroy(clean);
    fcps_model_destroy(model);
  }
}

static void offset_and_scale_do_not_look_at_rows_that_are_aside(void **state)
{
  (void)state;
  const double all[] = {1, 2, 900, 4, 5}, others[] = {1, 2, 4, 5};
  const int aside[] = {2};
  fcps_gp_norm norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH};
  double offset[2], scale[2];
  fcps_gp_normalize(norm, 4, 1, others, offset, scale);
  norm.aside_count = 1;
  norm.aside = aside;
  fcps_gp_normalize(norm, 5, 1, all, offset + 1, scale + 1);
  assert_true(offset[0] == offset[1] && scale[0] == scale[1]);
}

static void a_suspect_that_others_explain_is_believed_again(void **state)
{
  (void)state;
  fcps_model *model = train(false, 20, 12);
  assert_int_equal(doubt_count(model), 1);
  const fcps_rollout wild = fcps_rollouts_at(&model->training, 12);
  add(model, *wild.parameters, wild.outcome[0] + 0.05, wild.outcome[1]);
  fit(model);
  assert_int_equal(doubt_count(model), 0);
  for (int i = 0; i < model->training.count; i++)
    assert_true(fcps_model_gp(model, 0)->noise[i] == 0.0);
  fcps_model_destroy(model);
}

static void a_confirmed_row_is_never_a_suspect(void **state)
{
  (void)state;
  fcps_model *model = make(false);
  for (int i = 0; i < 20; i++)
    add_row(model, 20, i, 12);
  model->training.confirmed[12] = true;
  fit(model);
  assert_int_equal(doubt_count(model), 0);
  fcps_model_destroy(model);
}

/* A rough function, or a coarse reading: here the model is wrong, not a row. */
static void many_surprises_are_no_slips(void **state)
{
  (void)state;
  fcps_model *model = make(false), *coarse = make(false);
  for (int i = 0; i < 40; i++) {
    const double x = fmod(0.618034 * (i + 1), 1.0);
    add(model, x, i % 4 == 0 ? 500.0 * (2.0 + jitter(i)) : height_of(x), 5.0 + 2.0 * x + 0.02 * jitter(i));
    add(coarse, x, i == 30 ? 7.0 : 0.0, 5.0 + 2.0 * x + 0.02 * jitter(i));
  }
  fit(model);
  fit(coarse);
  assert_int_equal(doubt_count(model), 0);
  assert_int_equal(doubt_count(coarse), 0);
  fcps_model_destroy(model);
  fcps_model_destroy(coarse);
}

static void a_row_that_comes_between_fits_is_noticed(void **state)
{
  (void)state;
  fcps_model *model = train(false, 20, -1);
  bool is_surprised = true;
  add_row(model, 21, 20, -1);
  assert_ok(fcps_model_is_surprised(model, &is_surprised, NULL));
  assert_false(is_surprised);
  add_row(model, 22, 21, 21);
  assert_ok(fcps_model_is_surprised(model, &is_surprised, NULL));
  assert_true(is_surprised);
  fcps_surprises found = {0};
  assert_ok(fcps_model_find_surprises(model, &found, NULL));
  assert_int_equal(found.rollouts.count, 1);
  assert_int_equal(doubt_count(model), 0); /* who looks changes nothing */
  const fcps_rollout wild = fcps_rollouts_at(&model->training, 21), tame = fcps_rollouts_at(&model->training, 20);
  const fcps_surprise *surprise = fcps_surprises_of(&found, &wild);
  assert_non_null(surprise);
  assert_null(fcps_surprises_of(&found, &tame));
  assert_int_equal(surprise->output, 0);
  assert_near(surprise->expected, height_of(*wild.parameters), 0.5);
  fcps_surprises_destroy(&found);
  fcps_model_destroy(model);
}

static void a_saved_model_has_the_same_suspects_and_goes_on_alike(void **state)
{
  (void)state;
  fcps_model *model = train(false, 20, 12), *loaded = NULL;
  fcps_json *json = fcps_model_write(model);
  assert_non_null(json);
  assert_ok(fcps_model_read(&loaded, &lifting, json, NULL));
  assert_ok(fcps_model_refresh(loaded));
  assert_int_equal(doubt_count(loaded), 1);
  assert_int_equal(doubt_at(loaded, 0)->row, 12);
  for (int i = 0; i <= 10; i++)
    assert_true(predicted_height(model, i / 10.0) == predicted_height(loaded, i / 10.0));
  fcps_model_truncate(model, (fcps_model_size){.training = 12});
  assert_int_equal(doubt_count(model), 0);
  fcps_json_destroy(json);
  fcps_model_destroy(model);
  fcps_model_destroy(loaded);
}

/* -- Curved outcomes -- */

typedef double curve(double x, double steepness);

static double exponential(double x, double k)
{
  return 3.0 * exp(k * x);
}
static double steep_power(double x, double k)
{
  return 2.0 + 500.0 * pow(x, k);
}
static double signed_curve(double x, double k)
{
  return exp(k * x) - 12.0;
}

/* Forty rows as a learner tries them: the first `few` everywhere, the others, up to `width`, at places with a small
 * output. Row `wrong` is told times `factor`. */
typedef struct curved {
  curve *output;
  int few;
  double width, steepness;
  int wrong;
  double factor;
} curved;

static fcps_model *train_curved(curved c)
{
  fcps_model *model = make(true);
  for (int i = 0; i < 40; i++) {
    const double u = fmod(0.618034 * (i + 1), 1.0), x = i < c.few ? u : c.width * u;
    const double right = c.output(x, c.steepness) * (1.0 + 0.01 * jitter(i));
    add(model, x, i == c.wrong ? c.factor * right : right, 5.0 + 2.0 * x);
  }
  fit(model);
  return model;
}

/* The largest values are at places with few others, and differ from them more than these differ from each other. */
static void the_largest_values_of_a_curved_output_are_believed(void **state)
{
  (void)state;
  static const curved cases[] = {{exponential, 3, 0.45, 5.0, -1, 1.0}, {exponential, 6, 0.3, 7.0, -1, 1.0},
                                 {exponential, 6, 0.45, 7.0, -1, 1.0}, {exponential, 6, 0.6, 7.0, -1, 1.0},
                                 {steep_power, 6, 0.6, 5.0, -1, 1.0},  {steep_power, 6, 0.45, 7.0, -1, 1.0},
                                 {signed_curve, 3, 0.45, 7.0, -1, 1.0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    fcps_model *model = train_curved(cases[k]);
    if (doubt_count(model) > 0) fail_msg("case %zu: row %.0f is a suspect", k, doubt_at(model, 0)->row);
    fcps_model_destroy(model);
  }
}

static void a_slip_in_a_curved_output_is_a_suspect(void **state)
{
  (void)state;
  static const double factors[] = {100.0, 0.01, 10.0};
  for (size_t k = 0; k < 3; k++)
    for (int wrong = 12; wrong < 40; wrong += 9) {
      fcps_model *model = train_curved((curved){exponential, 10, 0.6, 4.0, wrong, factors[k]});
      if (!fcps_description_doubts(&model->description, wrong))
        fail_msg("row %d times %g is believed", wrong, factors[k]);
      assert_int_equal(doubt_count(model), 1);
      fcps_model_destroy(model);
    }
}

/* A review would cost fits. Without one the factor, which does not exist here, is not touched. */
static void of_too_many_rows_none_is_judged(void **state)
{
  (void)state;
  enum { MANY = FCPS_MOST_JUDGED + 1 };
  static double y[2 * MANY];
  fcps_model *model = make(false);
  bool has_changed = true, is_worth_a_look = true;
  for (int i = 0; i < MANY; i++)
    add_row(model, MANY, i, 100);
  model->fitted = MANY - 1;
  fcps_look parent, look = fcps_model_look(model, &parent, NULL);
  look.y = y;
  look.outputs = 2;
  assert_ok(fcps_doubts_judge(&look, &has_changed));
  assert_false(has_changed);
  assert_ok(fcps_doubts_screen(&look, &is_worth_a_look));
  assert_false(is_worth_a_look);
  assert_int_equal(doubt_count(model), 0);
  fcps_model_destroy(model);
}

/* The height of a pushed block is known to the micrometre. If it differs by ten micrometres, this is no typing
 * error. If it differs by two tenths of a millimetre, which is not small beside a tenth of a metre, the user is
 * still asked. */
static void a_trifle_is_no_surprise(void **state)
{
  (void)state;
  static const fcps_dimension places[] = {{.name = "along", .unit = "m"}, {.name = "up", .unit = "m"}};
  const fcps_problem pushing = {.parameters = {1, lever}, .outcome = {2, places}, .reward = reward};
  const double jumps[] = {0.0, 1e-5, 2e-4};
  for (int k = 0; k < 3; k++) {
    fcps_model *model = make_for(&pushing, true);
    for (int i = 0; i < 25; i++) {
      const double x = fmod(0.618034 * (i + 1), 1.0);
      add(model, x, 0.1 * sin(3.0 * x) + 1e-3 * jitter(i), 8.5e-5 + 1e-7 * jitter(i + 50) + (i == 12 ? jumps[k] : 0.0));
    }
    fit(model);
    assert_int_equal(doubt_count(model), k == 2);
    fcps_model_destroy(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wild_row_becomes_a_suspect_and_hardly_moves_the_model),
      cmocka_unit_test(offset_and_scale_do_not_look_at_rows_that_are_aside),
      cmocka_unit_test(a_suspect_that_others_explain_is_believed_again),
      cmocka_unit_test(a_confirmed_row_is_never_a_suspect),
      cmocka_unit_test(of_too_many_rows_none_is_judged),
      cmocka_unit_test(many_surprises_are_no_slips),
      cmocka_unit_test(a_row_that_comes_between_fits_is_noticed),
      cmocka_unit_test(a_saved_model_has_the_same_suspects_and_goes_on_alike),
      cmocka_unit_test(the_largest_values_of_a_curved_output_are_believed),
      cmocka_unit_test(a_slip_in_a_curved_output_is_a_suspect),
      cmocka_unit_test(a_trifle_is_no_surprise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
