/* SPDX-License-Identifier: Apache-2.0 */
/* The levels of an experiment whose file says `oracle`: what doing nothing, random parameters and the best parameters
 * of a search earn. They are computed with the experiment, once, and kept as levels.json beside its results. */
#ifndef FCPS_EXPERIMENT_ORACLE_LEVELS_H
#define FCPS_EXPERIMENT_ORACLE_LEVELS_H

#include "lab/experiment/experiment_impl.h"

/* Reads them, or computes and keeps them. All are NaN where the file does not ask for them, and in a quick look. */
fcps_status fcps_oracle_levels_find(const fcps_experiment *experiment, const char *directory,
                                    fcps_oracle_levels *levels, fcps_error *error);

/* The command that prints the same numbers. Returns `text`. */
char *fcps_oracle_levels_command(const fcps_experiment *experiment, size_t size, char *text);

#endif
