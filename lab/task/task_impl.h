/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of a task: one file with an fcps_task_ops, and one line in the registry in task.c. The same seed and
 * episode give the same context and noise, whatever was called before.
 *
 * There is one exception. A mishap of the workshop, the typo (workshop/workshop.h), happens in the first trial from a
 * number on that has an outcome, so it depends on earlier trials. If another process continues a run, it therefore
 * tells the task which episodes had an outcome (fcps_task_recall). */
#ifndef FCPS_LAB_TASK_TASK_IMPL_H
#define FCPS_LAB_TASK_TASK_IMPL_H

#include "base/rng.h"
#include "base/settings.h"
#include "lab/sim/sim.h"

#include <fcps/lab/task.h>

typedef struct fcps_task_ops {
  fcps_task_info info;

  /* OPTIONAL, for robots (FCPS_ROBOT_INFO): for each part of the simulator that may be missing, the info to show
   * then. */
  fcps_task_info lacking[FCPS_SIM_LACK_COUNT];

  /* OPTIONAL: constants in which tasks with the same operations differ. */
  const void *design;

  /* The size of task->state in bytes. The state exists, all zero, when `create` is called. */
  size_t state_size;

  /* Builds the world of `seed` and fills the state, task->problem (which points into it) and task->evaluation.
   * `settings` is the struct of info.settings. */
  fcps_status (*create)(fcps_task *task, const void *settings, fcps_error *error);
  void (*destroy)(void *state); /* OPTIONAL: frees the memory that a state owns, even if `create` did not finish */

  /* OPTIONAL: the reward of one trial, whose `outcome` may be NULL. If it is set, it computes the `reward` of the
   * problem. */
  double (*score)(const fcps_task *task, const double *target, const double *environment, const double *parameters,
                  const double *outcome);

  /* OPTIONAL: draws the context of an episode. If it is NULL, contexts are uniform within the bounds. */
  void (*context)(const fcps_task *task, int64_t episode, double *target, double *environment);

  /* Runs one rollout; `episode` < 0 means without noise. rollout->outcome is NULL before. If there is an outcome,
   * writes it to `outcome` and lets rollout->outcome point to it. If the rollout fails, writes the reason to
   * task->message. */
  fcps_status (*run)(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                     double *outcome, fcps_rollout *rollout);

  /* OPTIONAL, for a task whose trials depend on earlier ones: called before a run begins or continues, with the
   * episodes that had an outcome so far, in the order of their results. */
  void (*recall)(fcps_task *task, int count, const int64_t *episodes);

  /* OPTIONAL: the best mean reward over the evaluation contexts. */
  double (*optimum)(fcps_task *task);

  /* OPTIONAL: whether a recorded trial that has an outcome broke a limit or a constraint. */
  bool (*breaks)(const fcps_task *task, const fcps_rollout *rollout);

  /* OPTIONAL: the outcome of doing nothing. */
  void (*idle)(const fcps_task *task, const double *environment, double *outcome);

  /* OPTIONAL: writes the data files of a picture (fcps_task_sketch). An error goes to task->error. */
  fcps_status (*sketch)(fcps_task *task, int count, const double *targets, const double *environments,
                        const double *parameters, const char *directory);

  /* OPTIONAL: films a rollout (fcps_task_film). An error goes to task->error. */
  fcps_status (*film)(fcps_task *task, const double *target, const double *environment, const double *parameters,
                      const fcps_film *film, double *outcome, fcps_rollout *rollout);
} fcps_task_ops;

struct fcps_task {
  const fcps_task_ops *ops;
  uint64_t seed;
  void *state; /* the state of this kind of task */
  fcps_problem problem;
  fcps_evaluation evaluation;
  double optimum; /* NaN until it is computed */
  bool has_optimum;
  bool is_filming; /* true inside a film, whose on_frame must not use the task */
  fcps_error error;
  char message[256]; /* why the last rollout failed; empty otherwise */
};

/* Do the work of fcps_task_create and fcps_task_destroy for a task inside the state of another task. `ops` and `seed`
 * must be set. */
fcps_status fcps_task_build(fcps_task *task, const void *settings, fcps_error *error);
void fcps_task_clear(fcps_task *task);

/* Returns the random numbers for the noise of an episode. An episode without noise (`episode` < 0) gets the numbers of
 * the first episode. */
fcps_rng fcps_task_noise(const fcps_task *task, int64_t episode);

/* The function `achieved` of a problem whose target is a point (x, y) and whose outcome is the point that was
 * reached. */
fcps_status fcps_task_point_achieved(void *user, int count, const double *environments, const double *outcomes,
                                     double *targets);

/* Searches for the best reward in each context of the evaluation, with this many rollouts, and returns the mean of
 * these rewards; NaN for 0 rollouts. */
double fcps_task_search_optimum(fcps_task *task, int rollouts);

/* -- Earlier trials, which a task must know if another process continues a run -- */

/* Whether the task depends on earlier trials. */
bool fcps_task_recalls(const fcps_task *task);

/* Tells the task which earlier episodes had an outcome, in the order of their results. `count` is 0 at the beginning of
 * a run. */
void fcps_task_recall(fcps_task *task, int count, const int64_t *episodes);

#endif
