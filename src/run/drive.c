/* SPDX-License-Identifier: Apache-2.0 */
#include <fcps/drive.h>

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
  const fcps_drive_options *options;
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
  const fcps_problem_file *file = fcps_study_file(d->study);
  fcps_status status = FCPS_OK;
  // an unfinished ask brings its own context
  if (!is_unfinished && d->options->is_active)
    return fcps_study_choose(d->study, run_client, NULL, d->target, d->environment, trial, error);
  if (!is_unfinished && file->contexts == FCPS_CONTEXT_PROGRAM)
    status = fcps_external_context(d->external, episode + 1, d->target, d->environment, error);
  else if (file->contexts != FCPS_CONTEXT_PROGRAM)
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
    const fcps_drive_episode shown = {episode + 1,    &trial,         answer.status,
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
  const fcps_drive_options *options = d->options;
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

fcps_status fcps_drive(fcps_study *study, const fcps_drive_options *options, fcps_error *error)
{
  const fcps_problem_file *file = fcps_study_file(study);
  if (!file)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "only a study made from a problem file can be driven.");
  const fcps_problem *p = fcps_study_problem(study);
  drive d = {.study = study, .options = options};
  d.target = fcps_allocate((size_t)p->target.count, sizeof(double));
  d.environment = fcps_allocate((size_t)p->environment.count, sizeof(double));
  fcps_status status = d.target && d.environment ? FCPS_OK : fcps_error_memory(error);
  if (!status) status = fcps_study_hold(study, error);
  if (!status) status = fcps_study_refresh(study, error);
  if (!status) status = fcps_contexts_create(&d.contexts, file, fcps_study_seed(study), error);
  if (!status) status = fcps_external_create(&d.external, file, error);
  if (!status) {
    fcps_external_set_stop(d.external, options->stop, options->user);
    status = drive_all(&d, error);
  }
  fcps_external_destroy(d.external);
  fcps_contexts_destroy(d.contexts);
  free(d.target);
  free(d.environment);
  return status;
}
