/* SPDX-License-Identifier: Apache-2.0 */
/* The model behind a policy, in plain words. Nothing for policies that have none. */
#ifndef FCPS_CLI_STUDY_HEALTH_H
#define FCPS_CLI_STUDY_HEALTH_H

#include <fcps/policy.h>

fcps_status fcps_health_print(const fcps_problem *problem, const fcps_policy *policy, fcps_error *error);

#endif
