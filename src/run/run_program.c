/* SPDX-License-Identifier: Apache-2.0 */
/* The external program of a problem file as the place where trials happen. */
#include "base/error.h"
#include "base/settings.h"
#include "problem/contexts.h"
#include "problem/file_compare.h"
#include "problem/problem.h"
#include "run/endings.h"
#include "run/guard.h"
#include "run/loop.h"
#include "run/program/external.h"
#include "study/hold.h"

#include <string.h>

typedef struct program_runner {
  const fcps_problem_file *file;
  fcps_contexts *contexts;
  fcps_external *external;
  int64_t rollouts, failures;
} program_runner;

static fcps_status observe_context(void *self, int64_t episode, double *target, double *environment, fcps_error *error)
{
  program_runner *runner = self;
  if (runner->file->contexts == FCPS_CONTEXT_PROGRAM)
    return fcps_external_context(runner->external, episode + 1, target, environment, error);
  fcps_contexts_draw(runner->contexts, episode, target, environment);
  return FCPS_OK;
}

static fcps_status run_trial(void *self, int64_t episode, const fcps_ask *ask, fcps_result *result, fcps_error *error)
{
  (void)episode;
  program_runner *runner = self;
  const fcps_status status = fcps_external_run(runner->external, ask, result, error);
  if (status != FCPS_OK) return status;
  runner->rollouts++;
  runner->failures += result->rollout.status != FCPS_ROLLOUT_OK;
  return FCPS_OK;
}

/* The study's own file is read again: an amendment by another process replaces the study's copy. */
static fcps_status own_file(const fcps_study *study, fcps_problem_file **file, fcps_error *error)
{
  const fcps_problem_file *there = fcps_study_file(study);
  if (there == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "the study was not made from a problem file: give one.");
  return fcps_problem_file_parse(file, there->text, strlen(there->text), there->file, NULL, error);
}

/* Says how the study itself can be changed, where it can. */
static fcps_status refuse_edited(const fcps_study *study, const fcps_problem_file *file, const char *key,
                                 fcps_error *error)
{
  const char *url = fcps_study_url(study) != NULL ? fcps_study_url(study) : "STUDY";
  const char *option = strcmp(key, "reward") == 0    ? "--reward FORMULA"
                       : strcmp(key, "learner") == 0 ? "--learner NAME --set NAME=VALUE"
                                                     : "--bounds NAME=LOWER,UPPER";
  if (strcmp(key, "achieved") == 0)
    return fcps_error_at(error, FCPS_ERR_UNSUPPORTED, file->file, 0, 0, key,
                         "differs from the study, which keeps its own value; change it back, or use a new study.");
  return fcps_error_at(error, FCPS_ERR_UNSUPPORTED, file->file, 0, 0, key,
                       "differs from the study, which keeps its own value; to change the study: fcps study amend %s "
                       "%s; or use a new study.",
                       url, option);
}

/* Whether the file names the learner that the study was amended to, with its settings. */
static bool is_present_learner(const fcps_study *study, const char *key, const fcps_problem_file *file)
{
  if (strcmp(key, "learner") != 0 || file->learner == NULL || strcmp(file->learner, fcps_study_learner(study)) != 0)
    return false;
  const fcps_setting *const lists[] = {file->settings, fcps_study_settings(study)};
  for (int l = 0; l < 2; l++)
    for (const fcps_setting *setting = lists[l]; setting != NULL && setting->name != NULL; setting++) {
      const char *other = fcps_setting_value(lists[1 - l], setting->name);
      if (other == NULL || strcmp(other, setting->value) != 0) return false;
    }
  return true;
}

/* A file that was edited since would be ignored; one may say what the study was made with, or what it was amended
 * to. */
static fcps_status check_file(const fcps_study *study, const fcps_problem_file *file, fcps_error *error)
{
  if (!fcps_problem_same_names(fcps_study_problem(study), &file->problem))
    return fcps_error_at(error, FCPS_ERR_UNSUPPORTED, file->file, 0, 0, "",
                         "has other dimensions than the study, which was made from another problem; use a new study.");
  if (fcps_study_file(study) == NULL) return FCPS_OK;
  fcps_problem_file *first = NULL;
  fcps_status status = own_file(study, &first, error);
  for (const char *const *key = fcps_problem_file_kept_keys; status == FCPS_OK && *key; key++)
    if (!fcps_problem_file_same(*key, file, first) && !fcps_problem_file_same(*key, file, fcps_study_file(study)) &&
        !is_present_learner(study, *key, file))
      status = refuse_edited(study, file, *key, error);
  fcps_problem_file_destroy(first);
  return status;
}

static fcps_status prepare(program_runner *runner, fcps_study *study, const fcps_run_options *options,
                           fcps_error *error)
{
  fcps_status status = check_file(study, runner->file, error);
  if (status == FCPS_OK) status = fcps_contexts_create(&runner->contexts, runner->file, fcps_study_seed(study), error);
  /* the program keeps the hold while it lives: no other run can begin beside it */
  if (status == FCPS_OK) status = fcps_study_hold(study, error);
  if (status == FCPS_OK)
    status = fcps_external_create(&runner->external, runner->file, fcps_study_hold_file(study), error);
  if (status == FCPS_OK) fcps_external_set_guarded(runner->external, fcps_study_claimed_file(study));
  if (status != FCPS_OK) return status;
  fcps_external_set_stop(runner->external, options->stop, options->user);
  fcps_external_set_log(runner->external, options->log);
  return FCPS_OK;
}

/* A run too short for the loop's failure rule also fails if all of its rollouts failed. */
static fcps_status check_all_failed(const program_runner *runner, const fcps_study *study, fcps_error *error)
{
  if (runner->rollouts == 0 || runner->failures < runner->rollouts) return FCPS_OK;
  return fcps_run_endings_all_failed(study, runner->failures, error);
}

/* What of the program could not be ended is said in any case; where the run failed, its own words come first. */
static fcps_status end_program(program_runner *runner, const fcps_run_options *options, fcps_status status,
                               fcps_error *error)
{
  fcps_error left = {0};
  if (fcps_external_end(runner->external, &left) == FCPS_OK) return status;
  if (status == FCPS_OK) return fcps_error_set(error, left.status, left.field, "%s", left.message);
  fcps_log_say(&options->log, FCPS_LOG_WARNING, "W_PROGRAM_LEFT", "%s", left.message);
  return status;
}

fcps_status fcps_run_program(fcps_study *study, const fcps_problem_file *file, const fcps_run_options *options,
                             fcps_error *error)
{
  if (study == NULL) return fcps_error_null(error, "study");
  if (options == NULL) return fcps_error_null(error, "options");
  fcps_problem_file *own = NULL;
  fcps_status status = file != NULL ? FCPS_OK : own_file(study, &own, error);
  fcps_run_guard guard;
  const fcps_run_options guarded = fcps_run_guard_options(&guard, study, options);
  program_runner self = {.file = file != NULL ? file : own};
  if (status == FCPS_OK) status = prepare(&self, study, &guarded, error);
  if (status == FCPS_OK) {
    const fcps_trial_runner runner = {.context = observe_context,
                                      .run = run_trial,
                                      .has_own_contexts = self.file->contexts == FCPS_CONTEXT_PROGRAM,
                                      .self = &self};
    status = fcps_run_loop(study, &runner, &guarded, error);
    if (status == FCPS_OK) status = check_all_failed(&self, study, error);
  }
  if (self.external != NULL) status = end_program(&self, options, status, error);
  fcps_external_destroy(self.external);
  fcps_contexts_destroy(self.contexts);
  fcps_problem_file_destroy(own);
  return status;
}
