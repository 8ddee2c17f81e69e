/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a problem file still says what its study has. */
#ifndef FCPS_CLI_RUN_SAME_PROBLEM_H
#define FCPS_CLI_RUN_SAME_PROBLEM_H

#include <fcps/fcps.h>

/* Warns (W_REWARD_DIFFERS) where the reward of the file is not the one that the study uses. */
void cli_run_warn_of_reward(const char *path, const fcps_problem_file *file, const fcps_study *study);

#endif
