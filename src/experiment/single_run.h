/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an experiment, and its file. */
#ifndef FCPS_EXPERIMENT_SINGLE_RUN_H
#define FCPS_EXPERIMENT_SINGLE_RUN_H

#include "experiment/experiment_impl.h"

/* What a finished run left. Contexts are rows of the target and of the environment space. */
typedef struct fcps_experiment_run_result {
  int64_t episodes;
  double *rewards;    /* of each episode; NaN where the rollout failed */
  double *cumulative; /* up to each episode */
  double *offline;    /* after each episode; NaN where not evaluated */
  int context_count, target_count, environment_count;
  double *targets, *environments; /* evaluation contexts */
  double *map;                    /* reward in each of them, after the last episode */
  double optimum; /* what the best possible policy earns there; of the first row in its world, else NaN */
} fcps_experiment_run_result;

/* Path of a run's file with this ending: "json" the finished run, "fcps" its study, "seconds" what it cost. */
fcps_status fcps_experiment_run_result_path(const fcps_experiment *experiment, const char *directory, int row,
                                            uint64_t seed, const char *ending, char path[FCPS_EXPERIMENT_PATH],
                                            fcps_error *error);

/* Everything that the bytes of a run depend on, as a JSON text that is also the origin of its study; freed with
 * fcps_free. NULL when there is no memory. */
char *fcps_experiment_run_result_source(const fcps_experiment *experiment, int row, uint64_t seed);

/* Whether the file is there, whole, and of this very run: same program, task, learner, settings and protocol. */
bool fcps_experiment_run_result_is_done(const fcps_experiment *experiment, const char *directory, int row,
                                        uint64_t seed);

fcps_status fcps_experiment_run_result_read(fcps_experiment_run_result *single, const fcps_experiment *experiment,
                                            const char *directory, int row, uint64_t seed, fcps_error *error);
void fcps_experiment_run_result_destroy(fcps_experiment_run_result *single);

/* Writes a finished run. */
fcps_status fcps_experiment_run_result_write(const fcps_experiment_run_result *single,
                                             const fcps_experiment *experiment, const char *directory, int row,
                                             uint64_t seed, fcps_error *error);

#endif
