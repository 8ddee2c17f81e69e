/* SPDX-License-Identifier: Apache-2.0 */
/* Levels to compare learning curves with, and measurements of the last model of a run (oracle.c, last_model.c). */
#include "check.h"

#include "lab/experiment/last_model.h"

#include <fcps/lab/experiment.h>
#include <fcps/lab/run.h>

static fcps_task *make(const char *name)
{
  const fcps_setting small[] = {{"grid", "3"}, {NULL, NULL}};
  fcps_task *task = NULL;
  fcps_error error = {0};
  assert_ok(fcps_task_create(&task, name, small, 1004, &error));
  return task;
}

static void the_best_shots_beat_random_ones_and_a_cannon_cannot_idle(void **state)
{
  (void)state;
  fcps_task *task = make("cannon");
  fcps_oracle_levels levels;
  fcps_error error = {0};
  assert_ok(fcps_oracle_measure(task, 1004, &levels, &error));
  assert_true(isnan(levels.idle));
  assert_true(levels.random < -5.0);
  assert_true(levels.best > -1.0 && levels.best < 0.0);
  fcps_task_destroy(task);
}

/* Runs a few random trials and asks about the model of the last policy. */
static fcps_last_model model_after(const char *task_name, const char *learner, const fcps_setting *settings)
{
  fcps_task *task = make(task_name);
  fcps_study *study = NULL;
  fcps_last_model found;
  fcps_error error = {0};
  const fcps_study_setup setup = {
      .problem = fcps_task_problem(task), .learner = learner, .settings = settings, .seed = 1004};
  assert_ok(fcps_study_create(&study, NULL, &setup, NULL, &error));
  const fcps_run_options options = {.episodes = 20, .evaluate_every = -1};
  assert_ok(fcps_run(study, task, &options, &error));
  assert_ok(fcps_last_model_measure(study, task, &found, &error));
  fcps_study_close(study);
  fcps_task_destroy(task);
  return found;
}

/* With fixed lengths of 0.4 neither model is locked; the one that scores its rollouts again is more accurate. */
static void rewards_of_unseen_trials_are_compared_with_what_the_model_expects(void **state)
{
  (void)state;
#define FIXED                                                                                                          \
  {"length_prior_sd", "0.01"}, {"signal_prior_sd", "0.01"}, {"noise_prior_sd", "0.01"},                                \
  {                                                                                                                    \
    NULL, NULL                                                                                                         \
  }
  const fcps_setting joint[] = {{"model", "joint"}, FIXED}, rescored[] = {{"model", "rescored"}, FIXED};
  const fcps_last_model a = model_after("cannon", "random", joint), b = model_after("cannon", "random", rescored);
  assert_true(a.accuracy < 0.0 && a.accuracy > -20.0);
  assert_true(b.accuracy > a.accuracy);
  assert_near(a.locked, 0, 0);
  assert_near(b.locked, 0, 0);
  assert_near(a.ignored, 0, 0);
}

/* Lengths of three ranges for the parameters, and of 0.3 for the environment. */
static void a_fit_that_ignores_all_parameters_is_locked(void **state)
{
  (void)state;
  const fcps_setting locked[] = {
      {"model", "joint"}, {"length_prior", "3"}, {"environment_stretch", "0.1"}, {"angles", "raw"}, FIXED};
  const fcps_last_model found = model_after("cannon-active", "random", locked);
  assert_near(found.locked, 1, 0);
  assert_near(found.ignored, 1, 0);
}

static void a_learner_without_a_model_has_none_of_them(void **state)
{
  (void)state;
  const fcps_last_model found = model_after("cannon", "c-reps", NULL);
  assert_true(isnan(found.accuracy) && isnan(found.locked) && isnan(found.ignored));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_shots_beat_random_ones_and_a_cannon_cannot_idle),
      cmocka_unit_test(rewards_of_unseen_trials_are_compared_with_what_the_model_expects),
      cmocka_unit_test(a_fit_that_ignores_all_parameters_is_locked),
      cmocka_unit_test(a_learner_without_a_model_has_none_of_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
