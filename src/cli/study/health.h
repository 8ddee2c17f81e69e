/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the model behind a policy in plain words; nothing for a policy without a model. */
#ifndef FCPS_CLI_STUDY_HEALTH_H
#define FCPS_CLI_STUDY_HEALTH_H

#include <fcps/policy.h>

fcps_status cli_health_print(const fcps_problem *problem, const fcps_policy *policy, fcps_error *error);

#endif
