/* SPDX-License-Identifier: Apache-2.0 */
/* The model behind a policy, in plain words and as JSON. Nothing for policies that have none. */
#ifndef FCPS_CLI_STUDY_HEALTH_H
#define FCPS_CLI_STUDY_HEALTH_H

#include "format/json.h"

#include <fcps/policy.h>

fcps_status fcps_health_print(const fcps_problem *problem, const fcps_policy *policy, fcps_error *error);

/* An array with an object for each Gaussian process; NULL when there is no memory. */
fcps_json *fcps_health_json(const fcps_problem *problem, const fcps_policy *policy);

#endif
