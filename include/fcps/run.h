/* SPDX-License-Identifier: Apache-2.0 */
/* The one loop: draw (or choose) a context, ask, run, tell. Every command uses it. */
#ifndef FCPS_RUN_H
#define FCPS_RUN_H

#include <fcps/learner.h>
#include <fcps/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One finished episode, as the loop shows it. Pointers live during the call. */
typedef struct fcps_episode {
  int64_t episode;                                           /* from 1 */
  const double *target, *environment, *parameters, *outcome; /* outcome NULL: absent */
  double reward;                                             /* NaN where the rollout failed */
  fcps_rollout_status status;
  double ask_seconds, run_seconds;
} fcps_episode;

/* The mean reward of the greedy policy over the task's evaluation contexts, without noise. */
typedef struct fcps_offline {
  int64_t episode;
  double mean;
  int count;
  const double *rewards;    /* one for each evaluation context; NaN where the rollout failed */
  const double *parameters; /* rows */
  const double *outcomes;   /* rows */
  const bool *present;
} fcps_offline;

typedef struct fcps_run_options {
  int64_t episodes;       /* in all, those of a loaded learner included */
  int64_t evaluate_every; /* 0: only after the last episode; negative: never */
  /* All optional. `stop` is asked between episodes; returning true ends the run with FCPS_ERR_STOPPED. `context` draws
   * the context of an episode (counted from 0) in place of the task. The other two are called when the learner has been
   * told, so that it may be saved there; a status other than FCPS_OK ends the run. */
  bool (*stop)(void *user);
  void (*context)(void *user, int64_t episode, double *target, double *environment);
  fcps_status (*on_episode)(void *user, const fcps_episode *episode);
  fcps_status (*on_offline)(void *user, const fcps_offline *offline);
  void *user;
} fcps_run_options;

/* Runs `learner` on `task` until it has been told `options->episodes` rollouts: from its own rollout count on, so that a
 * loaded learner continues. Ends with FCPS_ERR_FAILURE_RATE when at least five rollouts ran and more than half of them
 * failed. */
FCPS_API fcps_status fcps_run(fcps_task *task, fcps_learner *learner, const fcps_run_options *options,
                              fcps_error *error);

/* Evaluates a policy in the task's evaluation contexts. Arrays are the caller's, one row a context. `mean` is over the
 * contexts whose rollout has a reward; NaN where none has. */
FCPS_API fcps_status fcps_run_evaluate(fcps_task *task, fcps_policy *policy, double *mean, double *rewards,
                                       double *parameters, double *outcomes, bool *present, fcps_error *error);

/* The result files of a run in a folder of its own. They hold no clock: the same run writes the same bytes.
 *
 *   episodes.csv  a row an episode: episode, target.*, environment.*, parameters.*, outcome.*, reward, status
 *   offline.csv   a row an evaluation: episode, mean
 *   map.csv       a row a context of the last evaluation: target.*, environment.*, parameters.*, outcome.*, reward
 *   summary.json  what ran (task, learner, their settings, seed) and what came out
 */
typedef struct fcps_record fcps_record;

/* What a record is of. */
typedef struct fcps_record_source {
  const char *learner;
  const fcps_setting *task_settings, *learner_settings; /* as given; may be NULL */
  uint64_t seed;
} fcps_record_source;

/* Creates the folder and its files, or starts them again. With `kept` > 0 the folder must have a record of the same
 * source with that many episodes, which stay; what came after them is dropped. The task must outlive the record. */
FCPS_API fcps_status fcps_record_create(fcps_record **record, const char *directory, fcps_task *task,
                                        const fcps_record_source *source, int64_t kept, fcps_error *error);
FCPS_API void fcps_record_destroy(fcps_record *record);

/* Adds an episode or an evaluation; on disk when the call returns. */
FCPS_API fcps_status fcps_record_episode(fcps_record *record, const fcps_episode *episode, fcps_error *error);
FCPS_API fcps_status fcps_record_offline(fcps_record *record, const fcps_offline *offline, fcps_error *error);

/* Writes summary.json, with what the best possible policy earns offline (NaN: unknown). */
FCPS_API fcps_status fcps_record_finish(fcps_record *record, double optimum, fcps_error *error);

/* What has been recorded. */
FCPS_API int64_t fcps_record_count(const fcps_record *record);
FCPS_API double fcps_record_cumulative(const fcps_record *record, int64_t episodes); /* NaN past the end */
FCPS_API double fcps_record_offline_mean(const fcps_record *record);                 /* the last; NaN where none */

/* The same as one JSON object: {"episodes": n, "cumulative": {"50": ..., "100": ...}, "offline_mean": ...}, cumulative
 * rewards every fifty episodes and at the last. Freed with fcps_free; NULL when there is no memory. */
FCPS_API char *fcps_record_summary(const fcps_record *record);

#ifdef __cplusplus
}
#endif
#endif
