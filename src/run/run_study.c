/* SPDX-License-Identifier: Apache-2.0 */
#include <fcps/run_study.h>

#include "base/error.h"
#include "base/memory.h"
#include "problem/contexts.h"
#include "task/external.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The client of every ask made here: its unfinished ask is offered again after a crash. */
static const char run_client[] = "run";

enum { FAILURE_RULE_MINIMUM = 5 };

typedef struct drive {
  fcps_study *study;
  const fcps_problem_file *file;
  const fcps_run_study_options *options;
  fcps_contexts *contexts;
  fcps_external *external;
  double *target, *environment;
  int rollouts, failures;
} drive;

// episodes asked so far by us, and whether the last one is unfinished
static int64_t count_episodes(const fcps_study *study, bool *is_unfinished)
{
  int64_t count = 0;
  *is_unfinished = false;
  for (int i = 0; i < fcps_study_ask_count(study); i++) {
    fcps_trial trial;
    fcps_study_ask_at(study, i, &trial);
    if (strcmp(trial.client, run_client) != 0) continue;
    count++;
    *is_unfinished = trial.state == FCPS_ASK_PENDING;
  }
  return count;
}

static fcps_status next_trial(drive *d, int64_t episode, bool is_unfinished, fcps_trial *trial, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  // an unfinished ask brings its own context
  if (!is_unfinished && d->options->is_active)
    return fcps_study_choose(d->study, run_client, NULL, d->target, d->environment, trial, error);
  if (!is_unfinished && d->file->contexts == FCPS_CONTEXT_PROGRAM)
    status = fcps_external_context(d->external, episode + 1, d->target, d->environment, error);
  else if (d->file->contexts != FCPS_CONTEXT_PROGRAM)
    fcps_contexts_draw(d->contexts, episode, d->target, d->environment);
  return status ? status : fcps_study_ask(d->study, run_client, d->target, d->environment, trial, error);
}

static fcps_status run_episode(drive *d, int64_t episode, bool is_unfinished, fcps_error *error)
{
  fcps_trial trial;
  fcps_answer answer;
  fcps_receipt receipt;
  fcps_status status = next_trial(d, episode, is_unfinished, &trial, error);
  if (!status)
    status =
        fcps_external_run(d->external, trial.id, trial.target, trial.environment, trial.parameters, &answer, error);
  if (status) return status;
  const fcps_study_result result = {.status = answer.status,
                                    .outcome = answer.outcome,
                                    .reward = answer.reward,
                                    .hindsight_reward = NAN,
                                    .environment = answer.environment,
                                    .client = run_client,
                                    .message = answer.message};
  status = fcps_study_tell(d->study, trial.id, &result, &receipt, error);
  if (status) return status;

  d->rollouts++;
  d->failures += answer.status != FCPS_ROLLOUT_OK;
  if (d->options->on_episode) {
    fcps_study_ask_at(d->study, fcps_study_ask_count(d->study) - 1, &trial);
    const fcps_study_episode shown = {episode + 1,    &trial,         answer.status,
                                      answer.outcome, receipt.reward, answer.message};
    status = d->options->on_episode(d->options->user, &shown);
  }
  if (!status && d->rollouts >= FAILURE_RULE_MINIMUM && 2 * d->failures > d->rollouts)
    return fcps_error_set(error, FCPS_ERR_FAILURE_RATE, "",
                          "%d of %d rollouts failed, so the run stops. All are stored. The last one: %.300s",
                          d->failures, d->rollouts, answer.message);
  return status;
}

static fcps_status drive_all(drive *d, fcps_error *error)
{
  const fcps_run_study_options *options = d->options;
  fcps_status status = FCPS_OK;
  while (!status) {
    bool is_unfinished = false;
    const int64_t asked = count_episodes(d->study, &is_unfinished), done = asked - is_unfinished;
    if (done >= options->episodes) break;
    if (options->stop && options->stop(options->user))
      return fcps_error_set(error, FCPS_ERR_STOPPED, "", "stopped on request.");
    status = run_episode(d, done, is_unfinished, error);
  }
  return status;
}

static bool same_names(const fcps_space *a, const fcps_space *b)
{
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; i++)
    if (strcmp(a->dims[i].name, b->dims[i].name) != 0) return false;
  return true;
}

static fcps_status check_file(const fcps_study *study, const fcps_problem_file *file, fcps_error *error)
{
  const fcps_problem *a = fcps_study_problem(study), *b = &file->problem;
  if (same_names(&a->target, &b->target) && same_names(&a->environment, &b->environment) &&
      same_names(&a->parameters, &b->parameters) && same_names(&a->outcome, &b->outcome))
    return FCPS_OK;
  return fcps_error_at(error, FCPS_ERR_UNSUPPORTED, file->file, 0, 0, "",
                       "has other dimensions than the study, which was made from another problem; use a new study.");
}

// the study's own file is read anew: an amendment by another process replaces the study's copy
static fcps_status own_file(const fcps_study *study, fcps_problem_file **file, fcps_error *error)
{
  const fcps_problem_file *there = fcps_study_file(study);
  if (!there)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "only a study made from a problem file can be driven.");
  return fcps_problem_file_parse(file, there->text, strlen(there->text), there->file, NULL, error);
}

static fcps_status prepare(drive *d, fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(d->study);
  d->target = fcps_allocate((size_t)p->target.count, sizeof(double));
  d->environment = fcps_allocate((size_t)p->environment.count, sizeof(double));
  if (!d->target || !d->environment) return fcps_error_memory(error);
  fcps_status status = check_file(d->study, d->file, error);
  if (!status) status = fcps_study_hold(d->study, error);
  if (!status) status = fcps_study_refresh(d->study, error);
  if (!status) status = fcps_contexts_create(&d->contexts, d->file, fcps_study_seed(d->study), error);
  if (!status) status = fcps_external_create(&d->external, d->file, error);
  if (!status) fcps_external_set_stop(d->external, d->options->stop, d->options->user);
  return status;
}

fcps_status fcps_run_study(fcps_study *study, const fcps_run_study_options *options, fcps_error *error)
{
  drive d = {.study = study, .options = options, .file = options->file};
  fcps_problem_file *own = NULL;
  fcps_status status = d.file ? FCPS_OK : own_file(study, &own, error);
  if (!d.file) d.file = own;
  if (!status) status = prepare(&d, error);
  if (!status) status = drive_all(&d, error);
  fcps_external_destroy(d.external);
  fcps_contexts_destroy(d.contexts);
  fcps_problem_file_destroy(own);
  free(d.target);
  free(d.environment);
  return status;
}
