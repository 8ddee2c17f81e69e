/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/learner/bo/active.c: chosen contexts, fixed dimensions, resuming and refusals. */
#include "check.h"
#include "learner/bo/bo.h"
#include "throwing.h"

#include <fcps/lab/run.h>

#include <stdlib.h>
#include <string.h>

/* Small enough for a test. */
static const fcps_setting quick[] = {{"contexts", "24"}, {"targets", "4"}, {"initial", "6"}, {NULL, NULL}};

static fcps_status choose_and_tell(fcps_learner *learner, const fcps_free_dimensions *wanted, double *mark,
                                   double *wind, double *parameters)
{
  int64_t id;
  fcps_status status = fcps_learner_choose(learner, wanted, mark, wind, parameters, &id);
  if (status != FCPS_OK) return status;
  const double land = throwing_land(*wind, parameters);
  const fcps_rollout rollout = {.target = mark,
                                .environment = wind,
                                .parameters = parameters,
                                .outcome = &land,
                                .reward = throwing_reward_of(*mark, parameters[1], land)};
  return fcps_learner_tell(learner, id, &rollout);
}

static const char *const acquisitions[] = {"es", "kg", "mes", "jes", "pes"};
enum { ACQUISITIONS = sizeof acquisitions / sizeof *acquisitions };

/* `quick` with an acquisition. */
typedef struct quick_settings {
  fcps_setting list[sizeof quick / sizeof *quick + 1];
} quick_settings;

static quick_settings quick_with(const char *acquisition)
{
  quick_settings settings = {.list = {{"acquisition", acquisition}}};
  memcpy(settings.list + 1, quick, sizeof quick);
  return settings;
}

/* Both learners with the two acquisitions that are quick; FCPS_TEST_LONG=1: with all. */
static bool is_tried(int acquisition)
{
  return acquisition < 2 || getenv("FCPS_TEST_LONG") != NULL;
}

static void they_learn_in_contexts_of_their_own_choice(void **state)
{
  (void)state;
  const char *const names[] = {"aces", "faces"};
  for (int l = 0; l < 2 * ACQUISITIONS; l++) {
    const bool is_factored = l % 2 == 1;
    if (!is_factored && !is_tried(l / 2)) continue;
    const quick_settings settings = quick_with(acquisitions[l / 2]);
    fcps_error error;
    fcps_learner *learner = NULL;
    assert_ok(fcps_learner_create(&learner, &throwing, names[is_factored], settings.list, 5, &error));
    assert_true(fcps_learner_is_active(learner));
    double least = 1, most = -1;
    for (int i = 0; i < 30; i++) {
      double mark, wind, parameters[2];
      assert_ok(choose_and_tell(learner, NULL, &mark, &wind, parameters));
      assert_true(mark >= -1 && mark <= 1 && wind >= -0.2 && wind <= 0.2);
      assert_true(parameters[0] >= 0 && parameters[0] <= 1 && parameters[1] >= 0 && parameters[1] <= 1);
      least = fmin(least, wind);
      most = fmax(most, wind);
    }
    assert_true(most - least > 0.2); /* it looked around */
    const double reward = throwing_mean_reward(learner);
    if (!(reward > (is_factored ? -0.15 : -0.3)))
      fail_msg("%s, %s: %g", names[is_factored], acquisitions[l / 2], reward);
    fcps_learner_destroy(learner);
  }
}

static void fixed_dimensions_keep_their_bits(void **state)
{
  (void)state;
  const bool no[] = {false}, yes[] = {true};
  fcps_error error;
  fcps_learner *learner = NULL;
  assert_ok(fcps_learner_create(&learner, &throwing, "faces", quick, 5, &error));
  for (int i = 0; i < 10; i++) {
    double mark = 0.1 + 0.01 * i, wind = -0.07, parameters[2];
    const double wanted = mark;
    const fcps_free_dimensions only_wind = {.target = no, .environment = yes};
    assert_ok(choose_and_tell(learner, &only_wind, &mark, &wind, parameters));
    assert_true(mark == wanted);
    wind = 0.03;
    const fcps_free_dimensions nothing = {.target = no, .environment = no};
    assert_ok(choose_and_tell(learner, &nothing, &mark, &wind, parameters));
    assert_true(mark == wanted && wind == 0.03);
  }
  double mark = 3, wind = 0, parameters[2];
  int64_t id;
  const fcps_free_dimensions only_wind = {.target = no, .environment = yes};
  assert_status(fcps_learner_choose(learner, &only_wind, &mark, &wind, parameters, &id), FCPS_ERR_BOUNDS);
  fcps_learner_destroy(learner);
}

static void a_given_context_is_answered_too(void **state)
{
  (void)state;
  fcps_error error;
  fcps_learner *learner = NULL;
  double parameters[2];
  assert_ok(fcps_learner_create(&learner, &throwing, "aces", quick, 5, &error));
  for (int i = 0; i < 9; i++)
    assert_ok(throwing_episode(learner, i, parameters));
  fcps_learner_destroy(learner);
}

/* The mark is part of the environment here. */
static fcps_status untargeted_reward(void *user, int count, const double *target, const double *environments,
                                     const double *parameters, const double *outcomes, const bool *present,
                                     double *rewards)
{
  (void)user, (void)target, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = throwing_reward_of(environments[2 * i + 1], parameters[2 * i + 1], outcomes[i]);
  return FCPS_OK;
}

/* Without target dimensions there is nothing to factor: both must do the same, to the bit. */
static void without_a_target_aces_and_faces_are_one(void **state)
{
  (void)state;
  fcps_problem untargeted = throwing;
  const fcps_dimension both[] = {throwing_environment[0], throwing_target[0]};
  untargeted.environment = (fcps_space){2, both};
  untargeted.target = (fcps_space){0};
  untargeted.achieved = NULL;
  fcps_learner *learners[2] = {NULL, NULL};
  const char *const names[] = {"aces", "faces"};
  fcps_error error;
  untargeted.reward = untargeted_reward;
  for (int l = 0; l < 2; l++)
    assert_ok(fcps_learner_create(&learners[l], &untargeted, names[l], quick, 9, &error));
  for (int i = 0; i < 14; i++) {
    double environment[2][2], parameters[2][2];
    for (int l = 0; l < 2; l++) {
      int64_t id;
      assert_ok(fcps_learner_choose(learners[l], NULL, NULL, environment[l], parameters[l], &id));
      const double land = throwing_land(environment[l][0], parameters[l]);
      const fcps_rollout rollout = {.environment = environment[l], .parameters = parameters[l], .outcome = &land};
      assert_ok(fcps_learner_tell(learners[l], id, &rollout));
    }
    assert_memory_equal(environment[0], environment[1], sizeof environment[0]);
    assert_memory_equal(parameters[0], parameters[1], sizeof parameters[0]);
  }
  fcps_policy *policies[2];
  double answers[2][2];
  const double here[2] = {0.1, 0.3};
  for (int l = 0; l < 2; l++) {
    assert_ok(fcps_learner_policy(learners[l], &policies[l]));
    assert_ok(fcps_policy_query(policies[l], NULL, here, answers[l], NULL));
    fcps_policy_destroy(policies[l]);
    fcps_learner_destroy(learners[l]);
  }
  assert_memory_equal(answers[0], answers[1], sizeof answers[0]);
}

/* A break in the wind: beyond 0.12 nothing flies. */
static fcps_status broken_reward(void *user, int count, const double *target, const double *environments,
                                 const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)throwing_reward(user, count, target, environments, parameters, outcomes, present, rewards);
  for (int i = 0; i < count; i++)
    if (environments[i] < 0.12) rewards[i] = -8.0 - parameters[2 * i];
  return FCPS_OK;
}

static void a_resumed_learner_goes_on_with_the_same_bits_before_and_after_a_split(void **state)
{
  (void)state;
  fcps_problem broken = throwing;
  broken.reward = broken_reward;
  const char *const names[] = {"aces", "faces"};
  for (int l = 0; l < 2 * ACQUISITIONS; l++) {
    if (!is_tried(l / 2)) continue;
    const quick_settings settings = quick_with(acquisitions[l / 2]);
    fcps_error error;
    fcps_learner *alone = NULL, *resumed = NULL;
    bool has_split = false;
    assert_ok(fcps_learner_create(&alone, &broken, names[l % 2], settings.list, 7, &error));
    assert_ok(fcps_learner_create(&resumed, &broken, names[l % 2], settings.list, 7, &error));
    for (int i = 0; i < 20; i++) {
      double a[4], b[4];
      char *text = NULL;
      assert_ok(fcps_learner_save(resumed, &text, &error));
      fcps_learner_destroy(resumed);
      assert_ok(fcps_learner_load(&resumed, &broken, text, &error));
      fcps_free(text);
      assert_ok(choose_and_tell(alone, NULL, a, a + 1, a + 2));
      assert_ok(choose_and_tell(resumed, NULL, b, b + 1, b + 2));
      assert_memory_equal(a, b, sizeof a);
      has_split = has_split || ((const fcps_bo *)alone->state)->model->split_model.split.input >= 0;
    }
    assert_true(has_split);
    fcps_learner_destroy(alone);
    fcps_learner_destroy(resumed);
  }
}

/* The mean over the evaluation contexts of cannon-active after `episodes` episodes with trials of the learner's
 * choice. */
static double learnt_cannon(const char *learner_name, const fcps_setting *settings, uint64_t seed, int episodes)
{
  const fcps_setting small[] = {{"grid", "4"}, {NULL, NULL}};
  fcps_task *task = NULL;
  fcps_study *study = NULL;
  fcps_policy *policy = NULL;
  fcps_error error;
  double mean, rewards[16], parameters[16 * 3], outcomes[16 * 2];
  bool present[16];
  assert_ok(fcps_task_create(&task, "cannon-active", small, seed, &error));
  const fcps_study_setup setup = {
      .problem = fcps_task_problem(task), .learner = learner_name, .settings = settings, .seed = seed};
  assert_ok(fcps_study_create(&study, NULL, &setup, NULL, &error));
  const fcps_run_options options = {.episodes = episodes, .evaluate_every = -1};
  assert_ok(fcps_run(study, task, &options, &error));
  assert_ok(fcps_study_policy(study, &policy, &error));
  const fcps_evaluation_rows rows = {
      .rewards = rewards, .parameters = parameters, .outcomes = outcomes, .present = present};
  assert_ok(fcps_run_evaluate(task, policy, &rows, &mean, &error));
  fcps_policy_destroy(policy);
  fcps_study_close(study);
  fcps_task_destroy(task);
  return mean;
}

/* In one context of ten there is a shot: a learner that does not choose contexts learns little in 80 episodes.
 * FCPS_TEST_LONG=1: all four. */
static void chosen_shots_teach_more_than_random_ones(void **state)
{
  (void)state;
  const uint64_t seed = 1000;
  const fcps_setting random[] = {{"angles", "raw"}, {"split", "on"}, {NULL, NULL}};
  const double by_chance = learnt_cannon("random", random, seed, 80);
  for (int a = 0; a < ACQUISITIONS; a++) {
    if (a != 1 && getenv("FCPS_TEST_LONG") == NULL) continue;
    const fcps_setting chosen[] = {{"angles", "raw"}, {"acquisition", acquisitions[a]}, {NULL, NULL}};
    const double by_choice = learnt_cannon("faces", chosen, seed, 80);
    print_message("%s: %.2f, by chance %.2f\n", acquisitions[a], by_choice, by_chance);
    assert_true(by_choice > by_chance + 1.0);
  }
}

/* The share of trials after the design in which the ball flies. */
static double chosen_shots(const fcps_setting *settings, uint64_t seed, int initial, int episodes)
{
  fcps_task *task = NULL;
  fcps_learner *learner = NULL;
  fcps_error error;
  int shots = 0;
  assert_ok(fcps_task_create(&task, "cannon-active", NULL, seed, &error));
  assert_ok(fcps_learner_create(&learner, fcps_task_problem(task), "aces", settings, seed, &error));
  for (int i = 0; i < episodes; i++) {
    double target[2], environment, parameters[3], outcome[2];
    int64_t id;
    fcps_rollout rollout;
    assert_ok(fcps_learner_choose(learner, NULL, target, &environment, parameters, &id));
    assert_ok(fcps_task_run(task, i, &environment, parameters, outcome, &rollout));
    rollout.target = target;
    rollout.environment = &environment;
    rollout.parameters = parameters;
    assert_ok(fcps_learner_tell(learner, id, &rollout));
    shots += i >= initial && environment <= 0.1;
  }
  fcps_learner_destroy(learner);
  fcps_task_destroy(task);
  return (double)shots / (episodes - initial);
}

/* Doing nothing earns more than any early shot, and upper confidence bounds choose the context with the highest
 * promise. */
static void upper_confidence_bounds_choose_what_is_easy(void **state)
{
  (void)state;
  const fcps_setting easy[] = {{"acquisition", "ucb"},     {"split", "off"},      {"angles", "raw"},
                               {"length_prior_sd", "0.4"}, {"candidates", "100"}, {NULL, NULL}};
  const double share = chosen_shots(easy, 1001, 10, 40);
  print_message("share of shots: %.2f; by chance 0.10\n", share);
  assert_true(share < 0.05);
}

static void bad_outcomes_never_stop_a_choice(void **state)
{
  (void)state;
  const double values[] = {NAN, INFINITY, 1e300, -1e12, 0.25};
  for (int v = 0; v < 5; v++) {
    fcps_error error;
    fcps_learner *learner = NULL;
    assert_ok(fcps_learner_create(&learner, &throwing, v % 2 == 0 ? "faces" : "aces", quick, 7, &error));
    for (int i = 0; i < 12; i++) {
      double mark, wind, parameters[2];
      int64_t id;
      assert_ok(fcps_learner_choose(learner, NULL, &mark, &wind, parameters, &id));
      const fcps_rollout rollout = {.target = &mark,
                                    .environment = &wind,
                                    .parameters = parameters,
                                    .outcome = i % 4 == 3 ? NULL : values + v,
                                    .status = i % 5 == 4 ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK};
      assert_ok(fcps_learner_tell(learner, id, &rollout));
    }
    fcps_learner_destroy(learner);
  }
}

static void settings_that_do_not_fit_are_refused_with_the_reason(void **state)
{
  (void)state;
  const fcps_setting outcome_model[] = {{"model", "outcome"}, {"acquisition", "ucb"}, {NULL, NULL}};
  const fcps_setting split[] = {{"split", "on"}, {NULL, NULL}}, ei[] = {{"acquisition", "ei"}, {NULL, NULL}};
  fcps_error error;
  fcps_learner *learner = NULL;
  assert_status(fcps_learner_create(&learner, &throwing, "faces", outcome_model, 1, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, "model");
  assert_status(fcps_learner_create(&learner, &throwing, "aces", ei, 1, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, "acquisition");
  assert_status(fcps_learner_create(&learner, &throwing, "outcome-active", split, 1, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, "split");
  fcps_problem told = throwing;
  told.reward = NULL;
  assert_status(fcps_learner_create(&learner, &told, "faces", NULL, 1, &error), FCPS_ERR_UNSUPPORTED);
  assert_null(learner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_learn_in_contexts_of_their_own_choice),
      cmocka_unit_test(fixed_dimensions_keep_their_bits),
      cmocka_unit_test(a_given_context_is_answered_too),
      cmocka_unit_test(without_a_target_aces_and_faces_are_one),
      cmocka_unit_test(a_resumed_learner_goes_on_with_the_same_bits_before_and_after_a_split),
      cmocka_unit_test(chosen_shots_teach_more_than_random_ones),
      cmocka_unit_test(upper_confidence_bounds_choose_what_is_easy),
      cmocka_unit_test(bad_outcomes_never_stop_a_choice),
      cmocka_unit_test(settings_that_do_not_fit_are_refused_with_the_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
