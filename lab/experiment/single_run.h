/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an experiment, and its result file. */
#ifndef FCPS_LAB_EXPERIMENT_SINGLE_RUN_H
#define FCPS_LAB_EXPERIMENT_SINGLE_RUN_H

#include "lab/experiment/experiment_impl.h"
#include "lab/experiment/last_model.h"

/* The result of a finished run. Contexts are rows of the target and of the environment space. */
typedef struct fcps_experiment_run_result {
  int64_t episodes;
  double *rewards;    /* the reward of each episode; NaN if the rollout failed */
  double *cumulative; /* the sum of rewards up to each episode */
  /* the mean reward of the evaluation after each episode; NaN after episodes without an evaluation */
  double *offline;
  /* 1 for each episode that broke a limit or constraint, else 0; NULL: the task has no limits and constraints */
  double *broken;
  int context_count, target_count, environment_count;
  double *targets, *environments; /* the evaluation contexts, row by row */
  double *map;                    /* the reward in each evaluation context after the last episode */
  double fallen;                  /* the share of the evaluation contexts in which the last policy has no outcome */
  /* the mean reward that the last policy predicted in these contexts; NaN if it predicts no rewards */
  double expected;
  /* the mean reward of random parameters in these contexts; NaN if no claim needs it */
  double random;
  double accuracy, locked, ignored; /* measurements of the last model (last_model.h); NaN if no claim needs them */
  fcps_intervals_kept kept;         /* how well the last policy predicts its own trials; NaN if no claim needs it */
  /* the mean reward of the best possible policy in these contexts; NaN except for the first row of each world */
  double optimum;
} fcps_experiment_run_result;

/* The path of one of a run's files. `ending` chooses it: "json" is the result, "fcps" the study, "seconds" the
 * processor time. */
fcps_status fcps_experiment_run_result_path(const fcps_experiment *experiment, const char *directory, int row,
                                            uint64_t seed, const char *ending, char path[FCPS_EXPERIMENT_PATH],
                                            fcps_error *error);

/* Writes everything that the bytes of a run depend on, as a JSON text, which is also the origin of the run's study. The
 * caller frees it with fcps_free; NULL if there is no memory. */
char *fcps_experiment_run_result_source(const fcps_experiment *experiment, int row, uint64_t seed);

/* Whether the result file exists, is complete, and belongs to exactly this run: it has the same program, task, learner,
 * settings and protocol. */
bool fcps_experiment_run_result_is_done(const fcps_experiment *experiment, const char *directory, int row,
                                        uint64_t seed);

fcps_status fcps_experiment_run_result_read(fcps_experiment_run_result *result, const fcps_experiment *experiment,
                                            const char *directory, int row, uint64_t seed, fcps_error *error);
void fcps_experiment_run_result_destroy(fcps_experiment_run_result *result);

/* Writes the result of a finished run. */
fcps_status fcps_experiment_run_result_write(const fcps_experiment_run_result *result,
                                             const fcps_experiment *experiment, const char *directory, int row,
                                             uint64_t seed, fcps_error *error);

#endif
