/* SPDX-License-Identifier: Apache-2.0 */
/* Who does the runs of an experiment: processes of this machine (pool.c), or a job array of Slurm (engine_slurm.c). The runs
 * share nothing but the folder of the results, so every engine gives the same bytes. */
#ifndef FCPS_EXPERIMENT_ENGINE_H
#define FCPS_EXPERIMENT_ENGINE_H

#include <fcps/lab/experiment.h>

/* Does every run that is not done; the folder of the runs is there. */
typedef fcps_status fcps_engine_fn(const fcps_experiment *experiment, const fcps_experiment_options *options,
                                   fcps_error *error);

fcps_engine_fn fcps_engine_local, fcps_engine_slurm;

#endif
