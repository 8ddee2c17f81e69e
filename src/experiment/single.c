/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an experiment: build the task and the learner, let the one loop run, keep the numbers. */
#include "experiment/single.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "experiment/contexts.h"
#include "experiment/times.h"
#include "format/file.h"

#include <math.h>
#include <string.h>

/* A run under way. */
typedef struct single_run {
  const fcps_experiment *experiment;
  uint64_t seed;
  fcps_task *task;
  fcps_learner *learner;
  fcps_single single;
  double since;   /* processor seconds when the last callback returned */
  double seconds; /* spent on asks, rollouts and tells; evaluations are not learning */
  bool (*stop)(void *user);
  void *user;
} single_run;

static bool should_stop(void *user)
{
  const single_run *run = user;
  return run->stop && run->stop(run->user);
}

static void draw_context(void *user, int64_t episode, double *target, double *environment)
{
  const single_run *run = user;
  fcps_experiment_draw_context(run->experiment, run->seed, episode, target, environment);
}

static fcps_status keep_episode(void *user, const fcps_episode *episode)
{
  single_run *run = user;
  run->single.rewards[episode->episode - 1] = episode->reward;
  run->single.offline[episode->episode - 1] = NAN;
  const double now = fcps_clock_processor_seconds();
  run->seconds += now - run->since;
  run->since = now;
  return FCPS_OK;
}

static fcps_status keep_offline(void *user, const fcps_offline *offline)
{
  single_run *run = user;
  run->single.offline[offline->episode - 1] = offline->mean;
  memcpy(run->single.map, offline->rewards, (size_t)offline->count * sizeof *run->single.map);
  run->since = fcps_clock_processor_seconds();
  return FCPS_OK;
}

/* Room for what the loop will show, and the contexts that it evaluates in. */
static bool prepare(single_run *run)
{
  fcps_single *single = &run->single;
  const fcps_problem *problem = fcps_task_problem(run->task);
  const fcps_evaluation *contexts = fcps_task_evaluation(run->task);
  const size_t count = (size_t)contexts->count;
  single->episodes = fcps_experiment_episodes(run->experiment);
  single->context_count = contexts->count;
  single->target_count = problem->target.count;
  single->environment_count = problem->environment.count;
  single->rewards = fcps_allocate((size_t)single->episodes, sizeof *single->rewards);
  single->offline = fcps_allocate((size_t)single->episodes, sizeof *single->offline);
  single->map = fcps_allocate(count, sizeof *single->map);
  single->targets = fcps_copy(contexts->targets, count * (size_t)problem->target.count, sizeof *single->targets);
  single->environments =
      fcps_copy(contexts->environments, count * (size_t)problem->environment.count, sizeof *single->environments);
  return single->rewards && single->offline && single->map && single->targets && single->environments;
}

static fcps_status run_loop(single_run *run, int row, fcps_error *error)
{
  const fcps_experiment *experiment = run->experiment;
  const fcps_row *learner = &experiment->rows[row];
  fcps_status status = fcps_task_create(&run->task, experiment->task, learner->task_settings, run->seed, error);
  if (status != FCPS_OK) return status;
  status = fcps_learner_create(&run->learner, fcps_task_problem(run->task), learner->learner, learner->settings,
                               run->seed, error);
  if (status != FCPS_OK) return status;
  if (!prepare(run)) return fcps_error_memory(error);

  const fcps_run_options options = {.episodes = run->single.episodes,
                                    .evaluate_every = experiment->evaluate_every,
                                    .context = experiment->box_count > 0 ? draw_context : NULL,
                                    .stop = should_stop,
                                    .on_episode = keep_episode,
                                    .on_offline = keep_offline,
                                    .user = run};
  run->since = fcps_clock_processor_seconds();
  status = fcps_run(run->task, run->learner, &options, error);
  // the world is the same for all rows, and the search for its optimum takes a while
  run->single.optimum = status == FCPS_OK && row == 0 ? fcps_task_optimum(run->task) : NAN;
  return status;
}

static int find_row(const fcps_experiment *experiment, const char *label)
{
  for (int i = 0; i < experiment->row_count; i++) {
    if (strcmp(experiment->rows[i].label, label) == 0) return i;
  }
  return -1;
}

fcps_status fcps_experiment_run_one(const fcps_experiment *experiment, const char *directory, const char *label,
                                    uint64_t seed, bool (*stop)(void *user), void *user, fcps_error *error)
{
  const int row = find_row(experiment, label);
  if (row < 0) {
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, "label", "the experiment %s has no learner labelled \"%s\"",
                          experiment->name, label);
  }
  char folder[FCPS_EXPERIMENT_PATH];
  fcps_status status = fcps_experiment_path(experiment, directory, "runs", folder, error);
  if (status == FCPS_OK) status = fcps_file_make_directory(folder, error);
  if (status != FCPS_OK) return status;

  single_run run = {.experiment = experiment, .seed = seed, .stop = stop, .user = user};
  status = run_loop(&run, row, error);
  if (status == FCPS_OK) status = fcps_times_keep(experiment, directory, row, seed, run.seconds, error);
  if (status == FCPS_OK) status = fcps_single_write(&run.single, experiment, directory, row, seed, error);
  fcps_single_destroy(&run.single);
  fcps_learner_destroy(run.learner);
  fcps_task_destroy(run.task);
  return status;
}
