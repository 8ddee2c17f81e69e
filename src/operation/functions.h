/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of table.c. The row of each says what it takes and returns. */
#ifndef FCPS_OPERATION_FUNCTIONS_H
#define FCPS_OPERATION_FUNCTIONS_H

#include "operation/call.h"

/* studies.c: a study as a whole */
fcps_operation_fn fcps_operation_status, fcps_operation_problem, fcps_operation_file;

/* asks.c */
fcps_operation_fn fcps_operation_asks, fcps_operation_ask, fcps_operation_choose, fcps_operation_forget;

/* leases.c: workers on other machines */
fcps_operation_fn fcps_operation_work, fcps_operation_lease, fcps_operation_renew, fcps_operation_release;

/* results.c */
fcps_operation_fn fcps_operation_tell, fcps_operation_use, fcps_operation_drop, fcps_operation_confirm,
    fcps_operation_note, fcps_operation_import;

/* history.c */
fcps_operation_fn fcps_operation_rollouts, fcps_operation_suspects, fcps_operation_table, fcps_operation_events,
    fcps_operation_curve;

/* policy.c */
fcps_operation_fn fcps_operation_policy, fcps_operation_best, fcps_operation_retarget;

fcps_operation_fn fcps_operation_health, fcps_operation_check_model;

/* map.c */
fcps_operation_fn fcps_operation_map;

/* why.c, forecast.c, explain.c: questions to the model */
fcps_operation_fn fcps_operation_why, fcps_operation_forecast, fcps_operation_explain;

/* amend.c */
fcps_operation_fn fcps_operation_amend;

#endif
