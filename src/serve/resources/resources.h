/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked of a served study: one function per path of src/serve/route.c. docs/serve.md says what each takes
 * and gives. */
#ifndef FCPS_SERVE_RESOURCES_RESOURCES_H
#define FCPS_SERVE_RESOURCES_RESOURCES_H

#include "serve/call.h"

/* studies.c: a study as a whole. fcps_resource_make is given a file name by its lane. */
fcps_resource_fn fcps_resource_make, fcps_resource_status, fcps_resource_problem;

/* copy.c */
fcps_resource_fn fcps_resource_file;

/* asks.c */
fcps_resource_fn fcps_resource_asks, fcps_resource_ask, fcps_resource_choose, fcps_resource_forget;

/* leases.c: workers on other machines */
fcps_resource_fn fcps_resource_work, fcps_resource_lease, fcps_resource_renew, fcps_resource_release;

/* results.c */
fcps_resource_fn fcps_resource_tell, fcps_resource_use, fcps_resource_drop, fcps_resource_confirm;

/* import.c */
fcps_resource_fn fcps_resource_import;

/* history.c */
fcps_resource_fn fcps_resource_rollouts, fcps_resource_suspects, fcps_resource_table, fcps_resource_events,
    fcps_resource_curve;

/* policy.c */
fcps_resource_fn fcps_resource_policy, fcps_resource_best, fcps_resource_retarget;

/* model.c */
fcps_resource_fn fcps_resource_health, fcps_resource_check_model;

/* map.c */
fcps_resource_fn fcps_resource_map;

/* amendments.c */
fcps_resource_fn fcps_resource_amend;

#endif
