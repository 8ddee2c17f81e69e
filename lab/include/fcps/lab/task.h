/* SPDX-License-Identifier: Apache-2.0 */
/* A task: a problem, a way to run a rollout, the distribution of its contexts, and its offline evaluation.
 *
 * A task and a learner never see each other; only rollouts pass between them.
 *
 *   fcps_task_create(&task, "cannon", NULL, 1, &error);
 *   fcps_task_context(task, 0, target, environment);
 *   fcps_learner_ask(learner, target, environment, parameters, &id); // a learner of fcps_task_problem(task)
 *   fcps_task_run(task, 0, environment, parameters, outcome, &rollout);
 *   rollout.target = target;
 *   fcps_learner_tell(learner, id, &rollout);
 */
#ifndef FCPS_LAB_TASK_H
#define FCPS_LAB_TASK_H

#include <fcps/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcps_task fcps_task;

/* Creates a built-in task by name ("cannon"). The seed fixes the task's world (for example its hills), its contexts and
 * its noise; each of these has its own random stream. */
FCPS_API fcps_status fcps_task_create(fcps_task **task, const char *name, const fcps_setting *settings, uint64_t seed,
                                      fcps_error *error);
FCPS_API void fcps_task_destroy(fcps_task *task);

/* The name that the task was created with. */
FCPS_API const char *fcps_task_name(const fcps_task *task);

/* The task's problem; lives as long as the task. */
FCPS_API const fcps_problem *fcps_task_problem(const fcps_task *task);

/* The context of episode `episode` (counted from 0). */
FCPS_API void fcps_task_context(const fcps_task *task, int64_t episode, double *target, double *environment);

/* Runs a rollout with the noise of `episode`. A negative `episode` means without noise, as in the offline evaluation.
 * `outcome` is the caller's array. Afterwards rollout->outcome points to it, or is NULL if the trial gave no outcome.
 * The caller fills in the target and the reward of the rollout. */
FCPS_API fcps_status fcps_task_run(fcps_task *task, int64_t episode, const double *environment,
                                   const double *parameters, double *outcome, fcps_rollout *rollout);

/* Whether a recorded trial broke a limit or a constraint of the task. If `rollout` is NULL: whether the task has a
 * limit or a constraint at all. */
FCPS_API bool fcps_task_breaks(const fcps_task *task, const fcps_rollout *rollout);

/* The reason why the last rollout failed, or "" if it did not fail. Lives until the next rollout. */
FCPS_API const char *fcps_task_message(const fcps_task *task);

/* The contexts of the offline evaluation: rows of the target and of the environment space, which live as long as the
 * task. If `columns` > 0, they form a grid with that many columns, in which the first target dimension changes slowest.
 */
typedef struct fcps_evaluation {
  int count, columns;
  const double *targets, *environments;
  bool counts_failures;  /* a failed trial counts as `failure_reward`; else it is left out of the mean */
  double failure_reward; /* the reward of a failed trial */
} fcps_evaluation;
FCPS_API const fcps_evaluation *fcps_task_evaluation(const fcps_task *task);

/* The mean reward of the best possible policy over the evaluation's contexts; NaN if the task has no search for it. The
 * first call searches, with many rollouts; later calls return the same number. */
FCPS_API double fcps_task_optimum(fcps_task *task);

/* The outcome of doing nothing at all, for comparison. Returns false if the task does not know it. */
FCPS_API bool fcps_task_idle(const fcps_task *task, const double *environment, double *outcome);

/* Writes data files for a picture of trials to an existing folder: surface.csv (x, y, z: the ground, on a grid),
 * marks.csv (kind, x, y, z: each target, and the place where its trial ended) and paths.csv (path, x, y, z: the path of
 * each trial). There is one trial without noise for each of `count` contexts (rows), with `parameters` (rows), or with
 * the best parameters if `parameters` is NULL. Fails with FCPS_ERR_UNSUPPORTED if a task has no picture. */
FCPS_API fcps_status fcps_task_sketch(fcps_task *task, int count, const double *targets, const double *environments,
                                      const double *parameters, const char *directory);

/* A film of one rollout, frame by frame. */
typedef struct fcps_film {
  int width, height;        /* the size of a frame in pixels */
  double frames_per_second; /* frames per second of simulated time */
  const char *caption;      /* lines of text in the corner; may be NULL */
  /* Receives a frame: 3 * width * height bytes (red, green, blue), top row first. Another status than FCPS_OK ends the
   * film. The function must not use the task (FCPS_ERR_BUSY). */
  fcps_status (*on_frame)(void *user, double time, const unsigned char *rgb);
  void *user;
} fcps_film;

/* fcps_task_film runs a rollout as fcps_task_run does, without noise, and films it, with the target marked. It fails
 * with FCPS_ERR_UNSUPPORTED if the task cannot be filmed, and with FCPS_ERR_UNAVAILABLE if this machine cannot draw.
 * fcps_task_has_film says whether the task can be filmed. */
FCPS_API bool fcps_task_has_film(const fcps_task *task);
FCPS_API fcps_status fcps_task_film(fcps_task *task, const double *target, const double *environment,
                                    const double *parameters, const fcps_film *film, double *outcome,
                                    fcps_rollout *rollout);

/* The error of the last failed call on this task. */
FCPS_API const fcps_error *fcps_task_error(const fcps_task *task);

typedef struct fcps_task_info {
  const char *name;
  const char *summary;                /* one line */
  const fcps_setting_table *settings; /* see fcps_setting_at */
  /* values that replace the defaults of `settings`; the list ends with {NULL, NULL}; NULL: no replacement */
  const fcps_setting *defaults;
  /* NULL if the task can be used here; else why it cannot, and what to do about it */
  const char *unavailable;
} fcps_task_info;
FCPS_API const fcps_task_info *fcps_task_info_at(int index);

#ifdef __cplusplus
}
#endif
#endif
