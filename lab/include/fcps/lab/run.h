/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of <fcps/run.h> for a built-in task: a study made from a task, its evaluation, and its result files.
 *
 *   const fcps_study_options options = {.maker = fcps_run_maker()};
 *   char *origin = fcps_run_origin("cannon", NULL, 1);
 *   fcps_study_create(&study, NULL, &(fcps_study_setup){.origin = origin, .seed = 1}, &options, &error);
 *   fcps_run(study, fcps_run_task(study), &(fcps_run_options){.episodes = 150}, &error);
 */
#ifndef FCPS_LAB_RUN_H
#define FCPS_LAB_RUN_H

#include <fcps/lab/task.h>
#include <fcps/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs episodes of a task. The study must have the task's problem; this call holds it until it returns. An active
 * learner chooses the contexts. The call ends early for the same reasons as fcps_run_program, except those that concern
 * an external program. */
FCPS_API fcps_status fcps_run(fcps_study *study, fcps_task *task, const fcps_run_options *options, fcps_error *error);

/* A study of a built-in task has an origin: a JSON object with "task", "task_settings" and "seed", and perhaps more
 * keys. fcps_run_origin writes it (freed with fcps_free; NULL without memory). fcps_run_maker creates the task from it.
 * fcps_run_task returns that task, which lives until the study is closed, or NULL for other studies. */
FCPS_API char *fcps_run_origin(const char *task, const fcps_setting *settings, uint64_t seed);
FCPS_API const fcps_study_maker *fcps_run_maker(void);
FCPS_API fcps_task *fcps_run_task(const fcps_study *study);

/* The results of an evaluation: arrays of the caller, with one row per context. */
typedef struct fcps_evaluation_rows {
  double *rewards; /* NaN if the rollout failed and the task does not count failures */
  double *parameters, *outcomes;
  bool *present;
  double *predictions; /* the rewards that the policy predicts; NaN if it predicts no rewards; NULL: not wanted */
} fcps_evaluation_rows;

/* Evaluates a policy in the task's evaluation contexts. `mean` is the mean reward over the contexts whose rollout has a
 * reward; NaN if no rollout has one. */
FCPS_API fcps_status fcps_run_evaluate(fcps_task *task, fcps_policy *policy, const fcps_evaluation_rows *rows,
                                       double *mean, fcps_error *error);

/* The result files of a run, in a folder of its own. They contain no times, so the same run writes the same bytes.
 *
 *   episodes.csv  one row per episode: episode, target.*, environment.*, parameters.*, outcome.*, reward, status
 *   offline.csv   one row per evaluation: episode, mean
 *   map.csv       one row per context of the last evaluation: target.*, environment.*, parameters.*, outcome.*, reward
 *   summary.json  the task, the learner, their settings, the seed, and the results
 */
typedef struct fcps_run_output fcps_run_output;

/* Creates the folder and its files. Existing files are written anew. A run that is continued first writes its earlier
 * episodes again; until the new tables have as many rows as the old ones, the old ones stay. A file that is a study is
 * never replaced: FCPS_ERR_ARGUMENT. The study must be of a built-in task and outlive the output. */
FCPS_API fcps_status fcps_run_output_create(fcps_run_output **output, const char *directory, const fcps_study *study,
                                            fcps_error *error);
FCPS_API void fcps_run_output_destroy(fcps_run_output *output);

/* Add an episode, or an evaluation. When the call returns, the row is in its file. The exception is a row that an
 * earlier part of the run has written before (`is_earlier`): it may still wait for the rows after it. */
FCPS_API fcps_status fcps_run_output_episode(fcps_run_output *output, const fcps_episode *episode, fcps_error *error);
FCPS_API fcps_status fcps_run_output_offline(fcps_run_output *output, const fcps_offline *offline, fcps_error *error);

/* Writes summary.json, with the mean reward of the best possible policy in the evaluation (NaN: unknown). */
FCPS_API fcps_status fcps_run_output_finish(fcps_run_output *output, double optimum, fcps_error *error);

/* What has been recorded: the number of episodes, the cumulative reward after `episodes` of them, and the mean of the
 * last evaluation. */
FCPS_API int64_t fcps_run_output_count(const fcps_run_output *output);
FCPS_API double fcps_run_output_cumulative(const fcps_run_output *output, int64_t episodes); /* NaN past the end */
/* NaN before the first evaluation */
FCPS_API double fcps_run_output_offline_mean(const fcps_run_output *output);

/* The same numbers as one JSON object: {"episodes": n, "cumulative": {"50": ..., "100": ...}, "offline_mean": ...},
 * with cumulative rewards every fifty episodes and at the last. Freed with fcps_free; NULL if there is no memory. */
FCPS_API char *fcps_run_output_summary(const fcps_run_output *output);

#ifdef __cplusplus
}
#endif
#endif
