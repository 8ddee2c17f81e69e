/* SPDX-License-Identifier: Apache-2.0 */
/* Several GPs as if they were one, and the noise of single rows. */
#include "base/rng.h"
#include "check.h"
#include "improvement.h"
#include "model/model.h"
#include "search/batch.h"
#include "toy.h"
#include "usual_prior.h"

#include <fcps/learner.h>

#include <stdlib.h>
#include <string.h>

enum { THROWS = 25 };
static const double target[2] = {0.5, -0.6}, wind[1] = {0.1};

static fcps_model_settings settings(bool is_separate)
{
  return (fcps_model_settings){.kernel = &fcps_kernel_se,
                               .circular = true,
                               .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
                               .prior = USUAL_PRIOR(0.8),
                               .structures = {.separate = is_separate ? FCPS_STRUCTURE_ON : FCPS_STRUCTURE_OFF},
                               .fit = {.starts = 2, .budget = 40}};
}

/* The outcome of a throw: the toy's landing, or two outcomes of very different length-scales. */
typedef void outcome_fn(const double *environment, const double *parameters, double *outcome);

static void slow_and_fast(const double *environment, const double *parameters, double *outcome)
{
  outcome[0] = 0.3 * parameters[1] + environment[0];
  outcome[1] = sin(11 * parameters[1]) + 0.2 * cos(parameters[0]);
}

static fcps_model *train(const fcps_problem *problem, bool is_separate, outcome_fn *happen, int count)
{
  fcps_model *model = NULL;
  const fcps_model_settings s = settings(is_separate);
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &s));
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < count; i++) {
    double u[3], outcome[2];
    fcps_rng_uniforms(&rng, 3, u);
    const double environment[1] = {0.6 * u[0] - 0.3}, parameters[2] = {6.28 * u[1], 1.5 * u[2]};
    happen(environment, parameters, outcome);
    const fcps_rollout rollout = {
        .target = target, .environment = environment, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_model_add(model, &rollout));
  }
  return model;
}

static void fit(fcps_model *model)
{
  fcps_fit_result result;
  assert_ok(fcps_model_fit(model, 1, target, fcps_rng_stream(1, FCPS_PURPOSE_FIT, 1), &result, NULL));
  assert_ok(fcps_model_refresh(model));
}

/* All answers of a posterior about one point, in one row of numbers. */
enum { ANSWERS = 16 };
static void ask_all(const fcps_model *model, const double *x, double *answers)
{
  fcps_posterior *posterior = NULL;
  fcps_error error;
  const double best = -0.5;
  const fcps_utility improvement = improvement_over(&best);
  double normals[4] = {0.3, -1.1, 0.7, 0.2}, two[4] = {x[0], x[1], 0.9, 0.1};
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
  fcps_posterior_moments(posterior, 1, x, answers, answers + 1);
  fcps_posterior_gradient(posterior, x, answers + 2, answers + 3, answers + 4, answers + 6);
  assert_true(fcps_posterior_outcome(posterior, x, answers + 8, answers + 10));
  fcps_posterior_expect(posterior, &improvement, 1, x, answers + 12);
  answers[13] = fcps_posterior_incumbent(posterior);
  assert_ok(fcps_posterior_draw(posterior, 2, two, normals, answers + 14));
  assert_ok(fcps_posterior_failure(posterior));
  fcps_posterior_destroy(posterior);
}

static void with_equal_hyper_parameters_it_is_the_shared_model(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *shared = train(&problem, false, toy_throw, THROWS), *separate = train(&problem, true, toy_throw, THROWS);
  fit(shared);
  assert_int_equal(fcps_model_gp_count(shared), 1);
  assert_int_equal(fcps_model_gp_count(separate), 2);
  for (int i = 0; i < 2; i++)
    fcps_gp_set_hyper(fcps_model_gp(separate, i), fcps_model_gp(shared, 0)->hyper);
  assert_ok(fcps_model_refresh(separate));
  const double pending[2] = {2.0, 0.9}; /* a trial under way counts in every GP */
  fcps_model_add_pending(shared, target, wind, pending);
  fcps_model_add_pending(separate, target, wind, pending);
  for (int i = 0; i < 6; i++) {
    const double x[2] = {0.1 + 0.15 * i, 0.95 - 0.13 * i};
    double a[ANSWERS], b[ANSWERS];
    ask_all(shared, x, a);
    ask_all(separate, x, b);
    for (int k = 0; k < ANSWERS; k++)
      assert_near(b[k], a[k], 1e-10);
  }
  fcps_model_destroy(shared);
  fcps_model_destroy(separate);
}

static void every_output_is_fitted_alone(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, true, slow_and_fast, THROWS);
  const fcps_model_settings s = settings(true);
  double y[2 * THROWS];
  assert_ok(model->ops->outputs(model, target, y, NULL));
  fcps_gp *alone[2];
  for (int o = 0; o < 2; o++) {
    fcps_fit_result result;
    assert_ok(fcps_gp_copy(fcps_model_gp(model, 0), alone + o));
    assert_ok(fcps_gp_fit(alone[o], &(fcps_gp_data){THROWS, 1, y + o * THROWS, s.norm, &s.prior}, s.fit,
                          fcps_rng_stream(1, FCPS_PURPOSE_FIT, 1), &result));
  }
  fit(model);
  const size_t bytes = (size_t)FCPS_HYPER_COUNT(fcps_model_gp(model, 0)->dim) * sizeof(double);
  for (int o = 0; o < 2; o++) {
    assert_memory_equal(fcps_model_gp(model, o)->hyper, alone[o]->hyper, bytes);
    fcps_gp_destroy(alone[o]);
  }
  assert_true(memcmp(fcps_model_gp(model, 0)->hyper, fcps_model_gp(model, 1)->hyper, bytes) != 0);
  fcps_model_destroy(model);
}

static double log_density(const fcps_model *model)
{
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
  fcps_posterior *posterior = NULL;
  fcps_error error;
  double sum = 0;
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
  for (int i = 0; i < 200; i++) {
    double x[2], outcome[2], mean[2], deviation[2];
    fcps_rng_uniforms(&rng, 2, x);
    const double parameters[2] = {6.28318 * x[0], 1.5 * x[1]};
    slow_and_fast(wind, parameters, outcome);
    assert_true(fcps_posterior_outcome(posterior, x, mean, deviation));
    for (int o = 0; o < 2; o++) {
      const double z = (outcome[o] - mean[o]) / deviation[o];
      sum += (-0.5 * z * z - log(deviation[o])) / 400;
    }
  }
  fcps_posterior_destroy(posterior);
  return sum;
}

static void outcomes_of_different_length_scales_are_predicted_better(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *shared = train(&problem, false, slow_and_fast, THROWS);
  fcps_model *separate = train(&problem, true, slow_and_fast, THROWS);
  fit(shared);
  fit(separate);
  assert_true(log_density(separate) > log_density(shared) + 0.3);
  fcps_model_destroy(shared);
  fcps_model_destroy(separate);
}

static void gradients_agree_with_differences(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, true, slow_and_fast, THROWS);
  fcps_posterior *posterior = NULL;
  fcps_error error;
  fit(model);
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
  const double x[2] = {0.37, 0.61}, h = 1e-6;
  double mean, deviation, by_mean[2], by_deviation[2];
  fcps_posterior_gradient(posterior, x, &mean, &deviation, by_mean, by_deviation);
  for (int d = 0; d < 2; d++) {
    double points[4] = {x[0], x[1], x[0], x[1]}, means[2], deviations[2];
    points[d] += h;
    points[2 + d] -= h;
    fcps_posterior_moments(posterior, 2, points, means, deviations);
    assert_near(by_mean[d], (means[0] - means[1]) / (2 * h), 1e-5);
    assert_near(by_deviation[d], (deviations[0] - deviations[1]) / (2 * h), 1e-5);
  }
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

static void many_targets_at_once_are_as_one_by_one(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, true, slow_and_fast, THROWS);
  fcps_batch *batch = NULL;
  fcps_error error;
  fit(model);
  const double x[] = {0.2, 0.3, 0.7, 0.9, 0.5, 0.1}, marks[] = {0.5, -0.6, -0.3, 0.8};
  assert_ok(fcps_batch_create(&batch, model, 3, x, &error));
  const double winds[] = {wind[0], wind[0]};
  int taken;
  assert_ok(fcps_batch_set_contexts(batch, 2, marks, winds, &taken));
  assert_int_equal(taken, 2);
  for (int t = 0; t < 2; t++) {
    fcps_posterior *seen = NULL, *posterior = NULL;
    double means[3], wanted[3];
    assert_ok(fcps_batch_posterior(batch, t, &seen, means));
    assert_ok(fcps_posterior_create(&posterior, model, marks + 2 * t, wind, &error));
    fcps_posterior_moments(posterior, 3, x, wanted, NULL);
    for (int i = 0; i < 3; i++)
      assert_near(means[i], wanted[i], 1e-12);
    fcps_posterior_destroy(posterior);
  }
  fcps_batch_destroy(batch);
  fcps_model_destroy(model);
}

static void a_model_that_was_saved_has_the_same_bits(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, true, slow_and_fast, THROWS), *loaded = NULL, *copy = NULL;
  fcps_error error;
  fit(model);
  fcps_json *json = fcps_model_write(model);
  assert_ok(fcps_model_read(&loaded, &problem, json, &error));
  assert_ok(fcps_model_refresh(loaded));
  assert_ok(fcps_model_copy(model, &problem, &copy));
  const double x[2] = {0.21, 0.77};
  double a[ANSWERS], b[ANSWERS], c[ANSWERS];
  ask_all(model, x, a);
  ask_all(loaded, x, b);
  ask_all(copy, x, c);
  assert_memory_equal(a, b, sizeof a);
  assert_memory_equal(a, c, sizeof a);
  fcps_json_destroy(json);
  fcps_model_destroy(model);
  fcps_model_destroy(loaded);
  fcps_model_destroy(copy);
}

/* -- Learners -- */

static void ask_and_tell(fcps_learner *learner, int episode, double *parameters)
{
  const double wish[2] = {cos(episode), 0.6 * sin(2.0 * episode)}, blow[1] = {0.3 * sin(3.0 * episode)};
  double outcome[2];
  int64_t id;
  assert_ok(fcps_learner_ask(learner, wish, blow, parameters, &id));
  toy_throw(blow, parameters, outcome);
  const fcps_rollout rollout = {
      .target = wish, .environment = blow, .parameters = parameters, .outcome = outcome, .status = FCPS_ROLLOUT_OK};
  assert_ok(fcps_learner_tell(learner, id, &rollout));
}

static void a_resumed_learner_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const fcps_setting options[] = {{"separate", "on"}, {"input_noise", "learnt"}, {NULL, NULL}};
  fcps_learner *straight = NULL, *resumed = NULL;
  fcps_error error;
  assert_ok(fcps_learner_create(&straight, &problem, "outcome", options, 6, &error));
  assert_ok(fcps_learner_create(&resumed, &problem, "outcome", options, 6, &error));
  for (int episode = 0; episode < 14; episode++) {
    double a[2], b[2];
    char *text = NULL;
    assert_ok(fcps_learner_save(resumed, &text, &error));
    fcps_learner_destroy(resumed);
    assert_ok(fcps_learner_load(&resumed, &problem, text, &error));
    fcps_free(text);
    ask_and_tell(straight, episode, a);
    ask_and_tell(resumed, episode, b);
    assert_memory_equal(a, b, sizeof a);
  }
  fcps_learner_destroy(straight);
  fcps_learner_destroy(resumed);
}

/* Chooses trials by a criterion until there are `shots`; every GP says what a trial tells about its outcome. */
static void check_choosing(const char *criterion, int shots)
{
  const fcps_problem problem = toy_problem();
  const fcps_setting options[] = {{"separate", "on"}, {"criterion", criterion}, {NULL, NULL}};
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL;
  fcps_error error;
  double mean = 0;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome-active", options, 6, &error));
  for (int i = 0; i < shots; i++) {
    double wish[2], blow[1], parameters[2], outcome[2];
    int64_t id;
    assert_ok(fcps_learner_choose(learner, NULL, wish, blow, parameters, &id));
    toy_throw(blow, parameters, outcome);
    const fcps_rollout rollout = {.target = wish, .environment = blow, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  for (int i = 0; i < 16; i++) {
    const double wish[2] = {0.7 * (i % 4 / 1.5 - 1), 0.7 * (i / 4 / 1.5 - 1)};
    double parameters[2], outcome[2];
    assert_ok(fcps_policy_query(policy, wish, wind, parameters, NULL));
    toy_throw(wind, parameters, outcome);
    mean += hypot(wish[0] - outcome[0], wish[1] - outcome[1]) / 16;
  }
  assert_true(mean < 0.1);
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
}

static void trials_are_chosen_by_what_they_tell_each_gp(void **state)
{
  (void)state;
  check_choosing("ivr", 20);
  check_choosing("es", 16);
}

static void samples_of_hyper_parameters_are_refused_with_the_reason(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const fcps_setting sampled[] = {{"separate", "on"}, {"hyperparameters", "bayes"}, {NULL, NULL}};
  fcps_learner *learner = NULL;
  fcps_error error;
  assert_status(fcps_learner_create(&learner, &problem, "outcome", sampled, 6, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, "separate");
}

/* -- Noise of rows -- */

/* Two sources of noise that nothing asks for here. */
#define SOURCE       fcps_structure_find("input_noise")
#define OTHER_SOURCE fcps_structure_find("doubts")

static const fcps_dimension lever[] = {{.name = "lever", .lower = 0, .upper = 1}};
static const fcps_dimension height[] = {{.name = "height"}};
static fcps_status height_reward(void *user, int count, const double *targets, const double *environments,
                                 const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)targets, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = outcomes[i];
  return FCPS_OK;
}

static const fcps_problem lifting = {.parameters = {1, lever}, .outcome = {1, height}, .reward = height_reward};

/* A model of `count` trials on a line, factorized. */
static fcps_model *make_line(int count)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
                                        .prior = USUAL_PRIOR(0.8),
                                        .fit = {.starts = 1, .budget = 5}};
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &lifting, &settings));
  for (int i = 0; i < count; i++) {
    const double x = (i + 0.5) / count, outcome = 2 * x;
    const fcps_rollout rollout = {.parameters = &x, .outcome = &outcome};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

static void add_height(fcps_model *model, double x)
{
  const fcps_rollout rollout = {.parameters = &x, .outcome = &x};
  assert_ok(fcps_model_add(model, &rollout));
}

static void the_noise_of_a_row_is_the_sum_of_what_its_sources_say(void **state)
{
  (void)state;
  fcps_model *model = make_line(3);
  const double inexact[] = {0.1, 0.2, 0.3}, suspect[] = {0.0, 9.0};
  assert_ok(fcps_gps_set_noise(&model->gps, SOURCE, 0, 3, inexact, 0.25));
  assert_ok(fcps_gps_set_noise(&model->gps, OTHER_SOURCE, 0, 2, suspect, 0.0));
  const double expected[] = {0.1, 9.2, 0.3};
  for (int i = 0; i < 3; i++)
    assert_near(fcps_model_gp(model, 0)->noise[i], expected[i], 1e-15);
  assert_near(fcps_model_gp(model, 0)->usual_noise, 0.25, 0);
  /* a source that gives fewer noises takes nothing from the others */
  const double cleared[] = {0.0, 0.0};
  assert_ok(fcps_gps_set_noise(&model->gps, OTHER_SOURCE, 0, 2, cleared, 0.0));
  for (int i = 0; i < 3; i++)
    assert_near(fcps_model_gp(model, 0)->noise[i], inexact[i], 0);
  double others[3] = {1, 1, 1};
  fcps_gps_add_other_noise(&model->gps, OTHER_SOURCE, 0, 3, others);
  assert_near(others[2], 1.3, 1e-15);
  fcps_model_destroy(model);
}

static void rows_to_come_have_the_usual_noise_until_their_source_knows_them(void **state)
{
  (void)state;
  fcps_model *model = make_line(2);
  const double first[] = {0.1, 0.2, 5.0};
  assert_ok(fcps_gps_set_noise(&model->gps, SOURCE, 0, 2, first, 0.15));
  assert_ok(fcps_model_refresh(model));
  add_height(model, 0.5);
  assert_near(fcps_model_gp(model, 0)->noise[2], 0.15, 0);
  assert_int_equal(fcps_model_gp(model, 0)->factored, 2);
  /* the factor of the rows that keep their noise stays */
  assert_ok(fcps_gps_set_noise(&model->gps, SOURCE, 0, 3, first, 0.15));
  assert_near(fcps_model_gp(model, 0)->noise[2], 5.0, 0);
  assert_int_equal(fcps_model_gp(model, 0)->factored, 2);
  assert_ok(fcps_model_refresh(model));
  const double changed[] = {0.1, 0.3, 5.0};
  assert_ok(fcps_gps_set_noise(&model->gps, SOURCE, 0, 3, changed, 0.15));
  assert_int_equal(fcps_model_gp(model, 0)->factored, 0);
  /* what is taken back is forgotten */
  fcps_model_truncate(model, (fcps_model_size){.training = 2});
  assert_int_equal(fcps_gps_noise_known(&model->gps, SOURCE, 0), 2);
  add_height(model, 0.7);
  assert_near(fcps_model_gp(model, 0)->noise[2], 0.15, 0);
  fcps_model_destroy(model);
}

static void copies_and_saved_models_have_the_same_noise(void **state)
{
  (void)state;
  fcps_model *model = make_line(4), *copy = NULL, *loaded = NULL;
  const double suspect[] = {0.0, 9.0, 0.0, 1.0 / 3.0};
  assert_ok(fcps_gps_set_noise(&model->gps, OTHER_SOURCE, 0, 4, suspect, 0.0));
  assert_ok(fcps_model_refresh(model));
  fcps_json *json = fcps_model_write(model);
  assert_non_null(json);
  assert_ok(fcps_model_copy(model, &lifting, &copy));
  for (int i = 0; i < 4; i++) {
    assert_true(fcps_model_gp(copy, 0)->noise[i] == suspect[i]);
    assert_true(fcps_gps_noise_at(&copy->gps, OTHER_SOURCE, 0, i) == suspect[i]);
  }
  assert_ok(fcps_model_read(&loaded, &lifting, json, NULL));
  for (int j = 0; j < 4; j++)
    for (int i = j; i < 4; i++)
      assert_true(fcps_model_gp(loaded, 0)->factor[j * fcps_model_gp(loaded, 0)->capacity + i] ==
                  fcps_model_gp(model, 0)->factor[j * fcps_model_gp(model, 0)->capacity + i]);
  fcps_json_destroy(json);
  fcps_model_destroy(loaded);
  fcps_model_destroy(copy);
  fcps_model_destroy(model);
}

static void a_saved_model_with_impossible_noise_is_refused(void **state)
{
  (void)state;
  static const char *const texts[] = {"[[0, [-1]]]", "[[-1, []]]", "[[0, [1, 2, 3]]]", "[]", "[[0]]"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    fcps_model *model = make_line(2);
    fcps_json *json = NULL;
    assert_ok(fcps_json_read(&json, texts[i], strlen(texts[i]), "text", NULL));
    assert_int_equal(fcps_gps_read_noise(&model->gps, SOURCE, 2, json), FCPS_ERR_FORMAT);
    fcps_json_destroy(json);
    fcps_model_destroy(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(with_equal_hyper_parameters_it_is_the_shared_model),
      cmocka_unit_test(every_output_is_fitted_alone),
      cmocka_unit_test(outcomes_of_different_length_scales_are_predicted_better),
      cmocka_unit_test(gradients_agree_with_differences),
      cmocka_unit_test(many_targets_at_once_are_as_one_by_one),
      cmocka_unit_test(a_model_that_was_saved_has_the_same_bits),
      cmocka_unit_test(a_resumed_learner_goes_on_with_the_same_bits),
      cmocka_unit_test(trials_are_chosen_by_what_they_tell_each_gp),
      cmocka_unit_test(samples_of_hyper_parameters_are_refused_with_the_reason),
      cmocka_unit_test(the_noise_of_a_row_is_the_sum_of_what_its_sources_say),
      cmocka_unit_test(rows_to_come_have_the_usual_noise_until_their_source_knows_them),
      cmocka_unit_test(copies_and_saved_models_have_the_same_noise),
      cmocka_unit_test(a_saved_model_with_impossible_noise_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
