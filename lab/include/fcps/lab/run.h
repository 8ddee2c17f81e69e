/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of <fcps/run.h> on a built-in task: the study that is made from a task, its evaluation, and its result files. */
#ifndef FCPS_LAB_RUN_H
#define FCPS_LAB_RUN_H

#include <fcps/lab/task.h>
#include <fcps/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Holds the study and runs episodes of a task whose problem it has. An active learner chooses the contexts. Ends early as
 * fcps_run_program does, but for what a program may do wrong. */
FCPS_API fcps_status fcps_run(fcps_study *study, fcps_task *task, const fcps_run_options *options, fcps_error *error);

/* The origin of a study of a built-in task is a JSON object with "task", "task_settings" and "seed"; more keys may
 * follow. fcps_run_origin writes it (freed with fcps_free; NULL without memory), fcps_run_maker creates the task from
 * it, and fcps_run_task returns that task, which lives until the study is closed, or NULL for other studies. */
FCPS_API char *fcps_run_origin(const char *task, const fcps_setting *settings, uint64_t seed);
FCPS_API const fcps_study_maker *fcps_run_maker(void);
FCPS_API fcps_task *fcps_run_task(const fcps_study *study);

/* What an evaluation fills: arrays of the caller's, one row per context. */
typedef struct fcps_evaluation_rows {
  double *rewards; /* NaN if the rollout failed and the task does not say what that earns */
  double *parameters, *outcomes;
  bool *present;
  double *predictions; /* the rewards that the policy expects, NaN if it predicts none; NULL: not wanted */
} fcps_evaluation_rows;

/* Evaluates a policy in the task's evaluation contexts. `mean` is over the contexts whose rollout has a reward; NaN
 * if none has. */
FCPS_API fcps_status fcps_run_evaluate(fcps_task *task, fcps_policy *policy, const fcps_evaluation_rows *rows,
                                       double *mean, fcps_error *error);

/* The result files of a run in a folder of its own. They hold no clock: the same run writes the same bytes.
 *
 *   episodes.csv  one row per episode: episode, target.*, environment.*, parameters.*, outcome.*, reward, status
 *   offline.csv   one row per evaluation: episode, mean
 *   map.csv       one row per context of the last evaluation: target.*, environment.*, parameters.*, outcome.*, reward
 *   summary.json  what ran (task, learner, their settings, seed) and what came out
 */
typedef struct fcps_run_output fcps_run_output;

/* Creates the folder and its files, or starts them again: a run that goes on shows what it did before. The tables of an
 * earlier run stay until the new ones hold what they held. A file that is a study is never replaced:
 * FCPS_ERR_ARGUMENT. The study must be of a built-in task and outlive the output. */
FCPS_API fcps_status fcps_run_output_create(fcps_run_output **output, const char *directory, const fcps_study *study,
                                            fcps_error *error);
FCPS_API void fcps_run_output_destroy(fcps_run_output *output);

/* Adds an episode or an evaluation; in its file when the call returns, if it is not `is_earlier`. */
FCPS_API fcps_status fcps_run_output_episode(fcps_run_output *output, const fcps_episode *episode, fcps_error *error);
FCPS_API fcps_status fcps_run_output_offline(fcps_run_output *output, const fcps_offline *offline, fcps_error *error);

/* Writes summary.json, with what the best possible policy earns offline (NaN: unknown). */
FCPS_API fcps_status fcps_run_output_finish(fcps_run_output *output, double optimum, fcps_error *error);

/* What has been recorded. */
FCPS_API int64_t fcps_run_output_count(const fcps_run_output *output);
FCPS_API double fcps_run_output_cumulative(const fcps_run_output *output, int64_t episodes); /* NaN past the end */
FCPS_API double fcps_run_output_offline_mean(const fcps_run_output *output);                 /* the last; NaN if none */

/* The same as one JSON object: {"episodes": n, "cumulative": {"50": ..., "100": ...}, "offline_mean": ...}, cumulative
 * rewards every fifty episodes and at the last. Freed with fcps_free; NULL when there is no memory. */
FCPS_API char *fcps_run_output_summary(const fcps_run_output *output);

#ifdef __cplusplus
}
#endif
#endif
