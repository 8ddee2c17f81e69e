/* SPDX-License-Identifier: Apache-2.0 */
/* Shared or separate hyper-parameters of the outcomes: the evidence chooses, and a saved model continues with the same
 * bits. */
#include "base/rng.h"
#include "check.h"
#include "model/beliefs.h"
#include "model/model.h"
#include "toy.h"
#include "usual_prior.h"

#include <fcps/learner.h>

#include <stdlib.h>
#include <string.h>

static const double target[2] = {0.5, -0.6}, wind[1] = {0.1};

typedef void outcome_fn(const double *environment, const double *parameters, double *outcome);

/* Two outcomes of very different length-scales. */
static void slow_and_fast(const double *environment, const double *parameters, double *outcome)
{
  outcome[0] = 0.3 * parameters[1] + environment[0];
  outcome[1] = sin(11 * parameters[1]) + 0.2 * cos(parameters[0]);
}

static void slow_and_fast_in_other_units(const double *environment, const double *parameters, double *outcome)
{
  slow_and_fast(environment, parameters, outcome);
  outcome[0] *= 1e4;
  outcome[1] *= 1e-3;
}

static fcps_model *create(const fcps_problem *problem)
{
  fcps_model *model = NULL;
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .circular = true,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_METRIC},
                                        .prior = USUAL_PRIOR(0.8),
                                        .structures = {.separate = FCPS_STRUCTURE_AUTO},
                                        .fit = {.starts = 2, .budget = 40}};
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  return model;
}

/* Adds the trials from `first` to before `last`; every seventh has no outcome. */
static void add(fcps_model *model, outcome_fn *happen, int first, int last)
{
  for (int i = first; i < last; i++) {
    fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, (uint64_t)i);
    double u[3], outcome[2];
    fcps_rng_uniforms(&rng, 3, u);
    const double environment[1] = {0.6 * u[0] - 0.3}, parameters[2] = {6.28 * u[1], 1.5 * u[2]};
    happen(environment, parameters, outcome);
    const fcps_rollout rollout = {
        .target = target, .environment = environment, .parameters = parameters, .outcome = i % 7 == 6 ? NULL : outcome};
    assert_ok(fcps_model_add(model, &rollout));
  }
}

static void fit(fcps_model *model)
{
  fcps_fit_result result;
  const fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_FIT, (uint64_t)model->training.count);
  assert_ok(fcps_model_fit(model, 1, target, rng, &result, NULL));
  assert_ok(fcps_model_refresh(model));
}

/* The GPs after all fits, one after every five trials. */
static int learn(const fcps_problem *problem, outcome_fn *happen, int trials)
{
  fcps_model *model = create(problem);
  for (int i = 0; i < trials; i += 5) {
    add(model, happen, i, i + 5);
    fit(model);
  }
  const int gps = fcps_model_gp_count(model);
  fcps_model_destroy(model);
  return gps;
}

static void outcomes_that_differ_get_their_own_whatever_their_units(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  assert_int_equal(learn(&problem, slow_and_fast, 40), 2);
  assert_int_equal(learn(&problem, slow_and_fast_in_other_units, 40), 2);
}

static void outcomes_that_are_alike_share(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  assert_int_equal(learn(&problem, toy_throw, 60), 1);
}

static void few_trials_choose_nothing(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  assert_int_equal(learn(&problem, slow_and_fast, 10), 1);
}

/* Two waves, each with a jump. Most trials are at one place, the jump of one of them. */
static void add_converging(fcps_model *model)
{
  for (int i = 0; i < 60; i++) {
    fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, (uint64_t)i);
    double u[3];
    fcps_rng_uniforms(&rng, 3, u);
    const double width = i < 14 ? 1.0 : 0.03;
    const double environment[1] = {width * (0.6 * u[0] - 0.3)};
    const double parameters[2] = {3.0 + width * (6.28 * u[1] - 3.0), 0.75 + width * (1.5 * u[2] - 0.75)};
    const double waves[2] = {cos(parameters[0]) + sin(3.0 * parameters[1]),
                             sin(parameters[0]) + cos(3.0 * parameters[1])};
    const double outcome[2] = {waves[0] + (parameters[0] > 1.5 ? 0.4 : -0.4),
                               waves[1] + (parameters[0] > 3.0 ? 0.4 : -0.4)};
    assert_ok(fcps_model_add(
        model,
        &(fcps_rollout){.target = target, .environment = environment, .parameters = parameters, .outcome = outcome}));
  }
}

static void where_a_search_converges_nothing_is_shown(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = create(&problem), *everywhere = create(&problem);
  add_converging(model);
  add(everywhere, slow_and_fast, 0, 60);
  fit(model);
  fit(everywhere);
  assert_true(believes(model, "separate"));
  assert_int_equal(proof_of(model, "separate"), FCPS_MODEL_SUPPOSED);
  assert_true(believes(everywhere, "separate"));
  assert_int_equal(proof_of(everywhere, "separate"), FCPS_MODEL_SHOWN);
  fcps_model_destroy(model);
  fcps_model_destroy(everywhere);
}

/* Also trials without outcome, at their places in the order. */
static void a_choice_has_the_rollouts_of_the_model_in_their_order(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = create(&problem), *never = create(&problem);
  never->settings.structures.separate = FCPS_STRUCTURE_OFF;
  add(model, slow_and_fast, 0, 40);
  add(never, slow_and_fast, 0, 40);
  fit(model);
  fit(never);
  assert_int_equal(fcps_model_gp_count(model), 2);
  assert_int_equal(fcps_model_gp_count(never), 1);
  assert_true(believes(model, "separate"));
  assert_int_equal(model->training.count, never->training.count);
  assert_int_equal(model->others.count, never->others.count);
  assert_int_equal(model->fitted, never->fitted);
  for (int i = 0; i < model->others.count; i++)
    assert_int_equal(model->told_before[i], never->told_before[i]);
  for (int i = 0; i < model->training.count; i++) {
    const double *a = fcps_rollouts_outcome(&model->training, i), *b = fcps_rollouts_outcome(&never->training, i);
    assert_memory_equal(a, b, 2 * sizeof *a);
  }
  fcps_model_destroy(model);
  fcps_model_destroy(never);
}

/* The state of a learner's model is read into a model that has its rollouts and has chosen nothing. */
static void a_restored_model_has_the_same_bits_and_chooses_as_before(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = create(&problem), *restored = create(&problem);
  fcps_error error;
  add(model, slow_and_fast, 0, 40);
  add(restored, slow_and_fast, 0, 40);
  fit(model);
  fcps_json *json = fcps_model_write_state(model);
  assert_ok(fcps_model_read_state(restored, json, &error));
  fcps_json_destroy(json);
  for (int part = 0; part < 2; part++) {
    assert_int_equal(fcps_model_gp_count(restored), fcps_model_gp_count(model));
    for (int i = 0; i < fcps_model_gp_count(model); i++)
      assert_memory_equal(fcps_model_gp(restored, i)->hyper, fcps_model_gp(model, i)->hyper,
                          (size_t)FCPS_HYPER_COUNT(fcps_model_gp(model, 0)->dim) * sizeof(double));
    if (part == 1) break;
    add(model, toy_throw, 40, 70);
    add(restored, toy_throw, 40, 70);
    fit(model);
    fit(restored);
  }
  fcps_model_destroy(model);
  fcps_model_destroy(restored);
}

/* A policy keeps the choice: after loading it has the same one, and makes no other. */
static void a_saved_policy_keeps_the_choice(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = create(&problem), *loaded = NULL;
  fcps_error error;
  add(model, slow_and_fast, 0, 40);
  fit(model);
  fcps_json *json = fcps_model_write(model);
  assert_ok(fcps_model_read(&loaded, &problem, json, &error));
  assert_ok(fcps_model_refresh(loaded));
  fcps_json_destroy(json);
  assert_int_equal(fcps_model_gp_count(loaded), 2);
  assert_true(believes(loaded, "separate"));
  fcps_posterior *ours = NULL, *theirs = NULL;
  assert_ok(fcps_posterior_create(&ours, model, target, wind, &error));
  assert_ok(fcps_posterior_create(&theirs, loaded, target, wind, &error));
  const double x[2] = {0.21, 0.77};
  double a[2], b[2];
  fcps_posterior_moments(ours, 1, x, a, a + 1);
  fcps_posterior_moments(theirs, 1, x, b, b + 1);
  assert_memory_equal(a, b, sizeof a);
  fcps_posterior_destroy(ours);
  fcps_posterior_destroy(theirs);
  fcps_model_destroy(model);
  fcps_model_destroy(loaded);
}

/* -- Learners -- */

static void ask_and_tell(fcps_learner *learner, int episode, double *parameters)
{
  const double wish[2] = {cos(episode), 0.6 * sin(2.0 * episode)}, blow[1] = {0.3 * sin(3.0 * episode)};
  double outcome[2];
  int64_t id;
  assert_ok(fcps_learner_ask(learner, wish, blow, parameters, &id));
  slow_and_fast(blow, parameters, outcome);
  const fcps_rollout rollout = {
      .target = wish, .environment = blow, .parameters = parameters, .outcome = outcome, .status = FCPS_ROLLOUT_OK};
  assert_ok(fcps_learner_tell(learner, id, &rollout));
}

static int count_processes(fcps_learner *learner)
{
  fcps_policy *policy = NULL;
  assert_ok(fcps_learner_policy(learner, &policy));
  int count = 0;
  for (fcps_health health = {0}; fcps_policy_health(policy, count, &health);)
    count++;
  fcps_policy_destroy(policy);
  return count;
}

static void a_resumed_learner_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const fcps_setting options[] = {{"separate", "auto"}, {NULL, NULL}};
  fcps_learner *straight = NULL, *resumed = NULL;
  fcps_error error;
  assert_ok(fcps_learner_create(&straight, &problem, "outcome", options, 6, &error));
  assert_ok(fcps_learner_create(&resumed, &problem, "outcome", options, 6, &error));
  for (int episode = 0; episode < 34; episode++) {
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
  assert_int_equal(count_processes(straight), 2);
  assert_int_equal(count_processes(resumed), 2);
  fcps_learner_destroy(straight);
  fcps_learner_destroy(resumed);
}

/* Samples of hyper-parameters are drawn for all outcomes together, and stay so. */
static void what_is_made_for_all_outcomes_stays_shared(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const fcps_setting options[] = {
      {"separate", "auto"}, {"hyperparameters", "bayes"}, {"hyper_samples", "2"}, {NULL, NULL}};
  fcps_learner *learner = NULL;
  fcps_error error;
  double parameters[2];
  assert_ok(fcps_learner_create(&learner, &problem, "outcome", options, 6, &error));
  for (int episode = 0; episode < 22; episode++)
    ask_and_tell(learner, episode, parameters);
  assert_int_equal(count_processes(learner), 1);
  fcps_learner_destroy(learner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outcomes_that_differ_get_their_own_whatever_their_units),
      cmocka_unit_test(outcomes_that_are_alike_share),
      cmocka_unit_test(few_trials_choose_nothing),
      cmocka_unit_test(where_a_search_converges_nothing_is_shown),
      cmocka_unit_test(a_choice_has_the_rollouts_of_the_model_in_their_order),
      cmocka_unit_test(a_restored_model_has_the_same_bits_and_chooses_as_before),
      cmocka_unit_test(a_saved_policy_keeps_the_choice),
      cmocka_unit_test(a_resumed_learner_goes_on_with_the_same_bits),
      cmocka_unit_test(what_is_made_for_all_outcomes_stays_shared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
