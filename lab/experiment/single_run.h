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
  double *offline;    /* the evaluation after each episode; NaN if there was none */
  double *broken;     /* 1 for each episode that broke a limit or constraint, else 0; NULL: the task has none */
  int context_count, target_count, environment_count;
  double *targets, *environments;   /* evaluation contexts */
  double *map;                      /* reward in each of these contexts after the last episode */
  double fallen;                    /* share of these contexts in which the last policy has no outcome */
  double expected;                  /* the mean reward that it predicted there; NaN if it cannot */
  double random;                    /* the mean reward of random parameters there; NaN if no claim needs it */
  double accuracy, locked, ignored; /* measurements of the last model (last_model.h); NaN if no claim needs them */
  fcps_intervals_kept kept;         /* calibration of the last policy there; NaN if no claim needs it */
  double optimum; /* reward of the best possible policy there; only for the first row of a world, else NaN */
} fcps_experiment_run_result;

/* The path of a run's file with this ending: "json" is its result, "fcps" its study, "seconds" its processor time. */
fcps_status fcps_experiment_run_result_path(const fcps_experiment *experiment, const char *directory, int row,
                                            uint64_t seed, const char *ending, char path[FCPS_EXPERIMENT_PATH],
                                            fcps_error *error);

/* Writes everything that the bytes of a run depend on, as a JSON text. It is also the origin of the run's study. Freed
 * with fcps_free; NULL if there is no memory. */
char *fcps_experiment_run_result_source(const fcps_experiment *experiment, int row, uint64_t seed);

/* Whether the result file exists, is complete, and belongs to exactly this run: same program, task, learner, settings
 * and protocol. */
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
