/* SPDX-License-Identifier: Apache-2.0 */
/* A function of the caller as the place where trials happen: a simulator in the caller's own language, or a person.
 *
 * It is called by the calling thread, one trial after another, while the study cannot be changed; the function may read
 * it. The contexts are drawn as the problem file of the study says, or uniformly within the bounds if it says
 * nothing. */
#include "base/error.h"
#include "problem/contexts.h"
#include "run/loop.h"
#include "study/inside.h"

typedef struct function_runner {
  fcps_study *study;
  fcps_trial_fn *trial;
  void *user;
  fcps_contexts *contexts;
} function_runner;

static fcps_status draw_context(void *self, int worker, int64_t episode, double *target, double *environment,
                                fcps_error *error)
{
  (void)worker;
  (void)error;
  const function_runner *runner = self;
  fcps_contexts_draw(runner->contexts, episode, target, environment);
  return FCPS_OK;
}

static fcps_status run_trial(void *self, int worker, int64_t episode, const fcps_ask *ask, fcps_result *result,
                             fcps_error *error)
{
  (void)worker;
  const function_runner *runner = self;
  const bool was_held = fcps_study_set_held(runner->study, true);
  const fcps_status status = runner->trial(runner->user, episode, ask, result);
  fcps_study_set_held(runner->study, was_held);
  if (status == FCPS_OK) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_CALLBACK, "trial",
                        "the function that runs the trials failed (%s); its ask stays unfinished, and the next run "
                        "begins with it",
                        fcps_status_text(status));
}

fcps_status fcps_run_function(fcps_study *study, fcps_trial_fn *trial, void *user, const fcps_run_options *options,
                              fcps_error *error)
{
  if (study == NULL) return fcps_error_null(error, "study");
  if (trial == NULL) return fcps_error_null(error, "trial");
  if (options == NULL) return fcps_error_null(error, "options");
  fcps_status status = fcps_run_check_parallel(options, error);
  if (status != FCPS_OK) return status;

  const fcps_problem_file uniform = {.problem = *fcps_study_problem(study)};
  const fcps_problem_file *file = fcps_study_file(study) != NULL ? fcps_study_file(study) : &uniform;
  if (file->contexts == FCPS_CONTEXT_PROGRAM && options->context == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "contexts",
                          "the problem file says that a program gives the contexts; give them as options.context");
  function_runner self = {.study = study, .trial = trial, .user = user};
  fcps_run_guard guard;
  const fcps_run_options guarded = fcps_run_guard_options(&guard, study, options);
  const fcps_trial_runner runner = {
      .context = draw_context, .run = run_trial, .workers = fcps_run_worker_count(options), .self = &self};
  status = fcps_contexts_create(&self.contexts, file, fcps_study_seed(study), error);
  if (status == FCPS_OK) status = fcps_run_loop(study, &runner, &guarded, error);
  fcps_contexts_destroy(self.contexts);
  return status;
}
