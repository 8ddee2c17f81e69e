/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an experiment: opens its study, runs the loop, writes its result. The study is kept beside the result
 * file, so an interrupted run continues where it stopped. The commits of the study do not wait for the disk, because a
 * lost run can be done again. */
#include "lab/experiment/single_run.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "format/file.h"
#include "lab/experiment/experiment_impl.h"
#include "lab/experiment/last_model.h"
#include "lab/experiment/oracle.h"
#include "lab/experiment/tables.h"
#include "problem/contexts.h"
#include "store/store.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* How often, and how long, to wait for another process that holds the run: half a minute in all. */
enum { MOST_WAITS = 600, WAIT_NANOSECONDS = 50000000 };

/* The state of a run. */
typedef struct single_run {
  const fcps_experiment *experiment;
  uint64_t seed;
  fcps_study *study;
  fcps_task *task; /* the task that the study was made with */
  fcps_experiment_run_result result;
  double since;    /* the processor time, in seconds, when the last callback returned */
  double seconds;  /* processor time, in seconds, of asks, rollouts and tells, without evaluations */
  bool is_resumed; /* another process has done a part of the run, so its whole time is unknown */
  bool (*stop)(void *user);
  void *user;
} single_run;

static bool should_stop(void *user)
{
  const single_run *run = user;
  return run->stop != NULL && run->stop(run->user);
}

static void draw_context(void *user, int64_t episode, double *target, double *environment)
{
  const single_run *run = user;
  const fcps_experiment *experiment = run->experiment;
  fcps_boxes_draw(fcps_experiment_problem(experiment), experiment->box_count, experiment->boxes, run->seed, episode,
                  target, environment);
}

static fcps_status keep_episode(void *user, const fcps_episode *episode)
{
  single_run *run = user;
  run->result.rewards[episode->episode - 1] = episode->stored.result.rollout.reward;
  run->result.offline[episode->episode - 1] = NAN;
  if (run->result.broken != NULL)
    run->result.broken[episode->episode - 1] = fcps_task_breaks(run->task, &episode->stored.result.rollout);
  const double now = fcps_clock_processor_seconds();
  run->seconds += now - run->since;
  run->is_resumed = run->is_resumed || episode->is_earlier;
  run->since = now;
  return FCPS_OK;
}

/* Keeps what the last evaluation found: the reward of each context, the share without an outcome, and the mean
 * predicted reward. */
static void keep_contexts(fcps_experiment_run_result *result, const fcps_offline *offline)
{
  memcpy(result->map, offline->rewards, (size_t)offline->count * sizeof *result->map);
  result->fallen = result->expected = 0.0;
  for (int i = 0; i < offline->count; i++) {
    result->fallen += (offline->present[i] ? 0.0 : 1.0) / offline->count;
    result->expected += offline->predictions[i] / offline->count;
  }
}

static fcps_status keep_offline(void *user, const fcps_offline *offline)
{
  single_run *run = user;
  run->result.offline[offline->episode - 1] = offline->mean;
  if (offline->count > 0) keep_contexts(&run->result, offline);
  run->since = fcps_clock_processor_seconds();
  return FCPS_OK;
}

/* Allocates the result, and copies the evaluation contexts into it. */
static bool prepare(single_run *run)
{
  fcps_experiment_run_result *result = &run->result;
  const fcps_problem *problem = fcps_task_problem(run->task);
  const fcps_evaluation *contexts = fcps_task_evaluation(run->task);
  const size_t count = (size_t)contexts->count;
  result->episodes = fcps_experiment_episodes(run->experiment);
  result->context_count = contexts->count;
  result->target_count = problem->target.count;
  result->environment_count = problem->environment.count;
  result->rewards = fcps_allocate((size_t)result->episodes, sizeof *result->rewards);
  result->offline = fcps_allocate((size_t)result->episodes, sizeof *result->offline);
  const bool may_break = fcps_task_breaks(run->task, NULL);
  result->broken = may_break ? fcps_allocate((size_t)result->episodes, sizeof *result->broken) : NULL;
  result->map = fcps_allocate(count, sizeof *result->map);
  result->targets = fcps_copy(contexts->targets, count * (size_t)problem->target.count, sizeof *result->targets);
  result->environments =
      fcps_copy(contexts->environments, count * (size_t)problem->environment.count, sizeof *result->environments);
  return result->rewards != NULL && result->offline != NULL && result->map != NULL && result->targets != NULL &&
         result->environments != NULL && (result->broken != NULL || !may_break);
}

/* Opens the study of an earlier attempt at exactly this run, or creates a new one. */
static fcps_status open_study(single_run *run, int row, const char *path, const char *origin, fcps_error *error)
{
  const fcps_row *learner = &run->experiment->rows[row];
  const fcps_study_options options = {.is_relaxed = true, .maker = fcps_run_maker()};
  const fcps_study_setup setup = {
      .origin = origin, .learner = learner->learner, .settings = learner->settings, .seed = run->seed};
  fcps_status status = fcps_study_open(&run->study, path, &options, error);
  const char *there = status == FCPS_OK ? fcps_study_origin(run->study) : NULL;
  if (there != NULL && strcmp(there, origin) == 0 &&
      fcps_study_ask_count(run->study) <= fcps_experiment_episodes(run->experiment))
    return FCPS_OK;
  if (status == FCPS_ERR_LOCKED || status == FCPS_ERR_MEMORY) return status;

  /* the study cannot be used: it does not exist, is damaged, has too many asks, or belongs to other settings or another
   * program */
  fcps_study_close(run->study);
  run->study = NULL;
  /* the folder belongs to the experiment; so a file that is not even recognized as a study is a damaged one, and may be
   * removed */
  status = fcps_store_remove(path, true, error);
  if (status != FCPS_OK) return status;
  if (error != NULL) *error = (fcps_error){0};
  return fcps_study_create(&run->study, path, &setup, &options, error);
}

static fcps_status open_run(single_run *run, int row, const char *directory, fcps_error *error)
{
  char path[FCPS_EXPERIMENT_PATH];
  fcps_status status = fcps_experiment_run_result_path(run->experiment, directory, row, run->seed, "fcps", path, error);
  char *origin = fcps_experiment_run_result_source(run->experiment, row, run->seed);
  if (status == FCPS_OK) status = origin != NULL ? open_study(run, row, path, origin, error) : fcps_error_memory(error);
  fcps_free(origin);
  if (status == FCPS_OK) run->task = fcps_run_task(run->study);
  return status;
}

/* Measures the last model if claims need it. Otherwise the numbers are NaN. */
static fcps_status measure_model(single_run *run, fcps_error *error)
{
  fcps_last_model found = {NAN, NAN, NAN};
  const bool is_needed = fcps_experiment_needs_last_model(run->experiment);
  const fcps_status status = is_needed ? fcps_last_model_measure(run->study, run->task, &found, error) : FCPS_OK;
  run->result.accuracy = found.accuracy;
  run->result.locked = found.locked;
  run->result.ignored = found.ignored;
  return status;
}

static fcps_status run_loop(single_run *run, int row, const char *directory, fcps_error *error)
{
  const fcps_experiment *experiment = run->experiment;
  fcps_status status = open_run(run, row, directory, error);
  if (status == FCPS_OK && !prepare(run)) status = fcps_error_memory(error);
  if (status != FCPS_OK) return status;

  const fcps_run_options options = {.episodes = run->result.episodes,
                                    .evaluate_every = experiment->evaluate_every,
                                    .context = experiment->box_count > 0 ? draw_context : NULL,
                                    .goes_on_failing = true, /* an experiment may be about failures */
                                    .stop = should_stop,
                                    .on_episode = keep_episode,
                                    .on_offline = keep_offline,
                                    .user = run};
  run->since = fcps_clock_processor_seconds();
  status = fcps_run(run->study, run->task, &options, error);
  if (status == FCPS_OK) status = measure_model(run, error);
  /* the search for the optimum takes long, so only the first row of each world does it */
  const bool is_first = fcps_experiment_first_in_world(experiment, row) == row;
  const bool needs_random = fcps_experiment_needs_random_level(experiment);
  run->result.random = status == FCPS_OK && needs_random ? fcps_random_level(run->task) : NAN;
  run->result.optimum = status == FCPS_OK && is_first ? fcps_task_optimum(run->task) : NAN;
  run->result.kept = (fcps_intervals_kept){.outcomes = NAN, .rewards = NAN, .earned = NAN};
  if (status == FCPS_OK && fcps_experiment_needs_intervals(experiment))
    status = fcps_intervals_measure(&run->result.kept, run->study, run->task, error);
  return status;
}

static int find_row(const fcps_experiment *experiment, const char *label)
{
  for (int i = 0; i < experiment->row_count; i++) {
    if (strcmp(experiment->rows[i].label, label) == 0) return i;
  }
  return -1;
}

static fcps_status do_run(const fcps_experiment *experiment, const char *directory, int row, uint64_t seed,
                          bool (*stop)(void *user), void *user, fcps_error *error)
{
  single_run run = {.experiment = experiment, .seed = seed, .stop = stop, .user = user};
  fcps_status status = run_loop(&run, row, directory, error);
  if (status == FCPS_OK && !run.is_resumed)
    status = fcps_times_keep(experiment, directory, row, seed, run.seconds, error);
  if (status == FCPS_OK)
    status = fcps_experiment_run_result_write(&run.result, experiment, directory, row, seed, error);
  fcps_experiment_run_result_destroy(&run.result);
  fcps_study_close(run.study);
  return status;
}

fcps_status fcps_experiment_run_one(const fcps_experiment *experiment, const char *directory, const char *label,
                                    uint64_t seed, bool (*stop)(void *user), void *user, fcps_error *error)
{
  if (experiment == NULL) return fcps_error_null(error, "experiment");
  if (directory == NULL) return fcps_error_null(error, "directory");
  if (label == NULL) return fcps_error_null(error, "label");
  const int row = find_row(experiment, label);
  if (row < 0) {
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, "label", "the experiment %s has no learner labelled \"%s\"",
                          experiment->name, label);
  }
  char folder[FCPS_EXPERIMENT_PATH];
  fcps_status status = fcps_experiment_path(experiment, directory, "runs", folder, error);
  if (status == FCPS_OK) status = fcps_file_make_directory(folder, error);
  if (status != FCPS_OK) return status;

  const bool was_held = *experiment->is_held;
  *experiment->is_held = true;
  /* the study may still be held by a run whose command was killed: that run ends after its episode or evaluation */
  for (int wait = 0;; wait++) {
    status = do_run(experiment, directory, row, seed, stop, user, error);
    if (status != FCPS_ERR_LOCKED || wait == MOST_WAITS || (stop != NULL && stop(user))) break;
    nanosleep(&(struct timespec){.tv_nsec = WAIT_NANOSECONDS}, NULL);
    if (error != NULL) *error = (fcps_error){0};
  }
  *experiment->is_held = was_held;
  return status;
}
