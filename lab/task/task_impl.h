/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of a task: one file with an fcps_task_ops, and one line in the registry in task.c. The same seed and
 * episode give the same context and noise, whatever was called before.
 *
 * One mishap (a typo, workshop/workshop.h) happens in the first trial that has an outcome, so it depends on earlier
 * trials. A run that is continued by another process therefore tells the task which episodes had an outcome
 * (fcps_task_recall). */
#ifndef FCPS_LAB_TASK_TASK_IMPL_H
#define FCPS_LAB_TASK_TASK_IMPL_H

#include "base/rng.h"
#include "base/settings.h"
#include "lab/sim/sim.h"

#include <fcps/lab/task.h>

typedef struct fcps_task_ops {
  fcps_task_info info;

  /* OPTIONAL, for robots (FCPS_ROBOT_INFO): the info for each part of the simulator that may be missing. */
  fcps_task_info lacking[FCPS_SIM_LACK_COUNT];

  /* OPTIONAL: constants in which tasks with the same operations differ. */
  const void *design;

  /* The size of task->state in bytes. The state exists, all zero, when `create` is called. */
  size_t state_size;

  /* Builds the world of `seed` and fills the state, task->problem (which points into it) and task->evaluation.
   * `settings` is the struct of info.settings. */
  fcps_status (*create)(fcps_task *task, const void *settings, fcps_error *error);
  void (*destroy)(void *state); /* OPTIONAL: frees the memory that a state owns, also if `create` did not finish */

  /* OPTIONAL: the reward of one trial, whose outcome may be NULL. It replaces the `reward` of the problem. */
  double (*score)(const fcps_task *task, const double *target, const double *environment, const double *parameters,
                  const double *outcome);

  /* OPTIONAL: draws the context of an episode; otherwise contexts are uniform within the bounds. */
  void (*context)(const fcps_task *task, int64_t episode, double *target, double *environment);

  /* Runs one rollout; `episode` < 0 means without noise. Writes `outcome` and makes rollout->outcome, which is NULL
   * before, point to it. If the rollout fails, writes the reason to task->message. */
  fcps_status (*run)(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                     double *outcome, fcps_rollout *rollout);

  /* OPTIONAL, for a task whose trials depend on earlier ones: called before a run begins or continues, with the
   * episodes that had an outcome so far, in the order of their results. */
  void (*recall)(fcps_task *task, int count, const int64_t *episodes);

  /* OPTIONAL: the best mean reward over the evaluation contexts. */
  double (*optimum)(fcps_task *task);

  /* OPTIONAL: whether a trial with an outcome, as it was recorded, broke a limit or a constraint. */
  bool (*breaks)(const fcps_task *task, const fcps_rollout *rollout);

  /* OPTIONAL: the outcome if nothing is done. */
  void (*idle)(const fcps_task *task, const double *environment, double *outcome);

  /* OPTIONAL: the data files of a picture (fcps_task_sketch); an error goes to task->error. */
  fcps_status (*sketch)(fcps_task *task, int count, const double *targets, const double *environments,
                        const double *parameters, const char *directory);

  /* OPTIONAL: a rollout in pictures (fcps_task_film); an error goes to task->error. */
  fcps_status (*film)(fcps_task *task, const double *target, const double *environment, const double *parameters,
                      const fcps_film *film, double *outcome, fcps_rollout *rollout);
} fcps_task_ops;

struct fcps_task {
  const fcps_task_ops *ops;
  uint64_t seed;
  void *state; /* the task's own */
  fcps_problem problem;
  fcps_evaluation evaluation;
  double optimum; /* NaN until computed */
  bool has_optimum;
  bool is_filming; /* the caller may be inside on_frame and must not use the task */
  fcps_error error;
  char message[256]; /* why the last rollout failed; empty otherwise */
};

/* fcps_task_create and fcps_task_destroy for a task inside the state of another; `ops` and `seed` are set. */
fcps_status fcps_task_build(fcps_task *task, const void *settings, fcps_error *error);
void fcps_task_clear(fcps_task *task);

/* The random numbers of an episode's noise; an episode without noise has those of the first. */
fcps_rng fcps_task_noise(const fcps_task *task, int64_t episode);

/* `achieved` of a problem whose target is a point (x, y) and whose outcome is the point that was reached. */
fcps_status fcps_task_point_achieved(void *user, int count, const double *environments, const double *outcomes,
                                     double *targets);

/* The mean over the evaluation's contexts of the best reward that a search with this many rollouts per context finds;
 * NaN for 0 rollouts. */
double fcps_task_search_optimum(fcps_task *task, int rollouts);

/* -- Earlier trials, for a run that another process continues -- */

/* Whether the task depends on earlier trials. */
bool fcps_task_recalls(const fcps_task *task);

/* Tells the task the earlier episodes that had an outcome, in the order of their results; with 0 episodes the run
 * begins. */
void fcps_task_recall(fcps_task *task, int count, const int64_t *episodes);

#endif
