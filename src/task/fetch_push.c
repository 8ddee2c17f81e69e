/* SPDX-License-Identifier: Apache-2.0 */
/* FetchPush-v1: push a block to a place on the table. */
#include "task/fetch.h"
#include "task/tasks.h"

static const fcps_fetch_design design = {
    .robot = FCPS_SIM_FETCH_PUSH,
    .version = "fetch-push-1",
    .approach_time = 1.0,
    .stroke_time = 0.8,
    .object_range = 0.15,
    .target_range = 0.15,
    .target_offset = 0,
    .angle = 6.283185307179586, /* all round */
    .stroke_lower = {-0.2, -0.2},
    .stroke_upper = {0.2, 0.2},
    .hand_lower = {1.05, 0.4, 0.4}, /* above the table; the arm ends at x = 1.548 */
    .hand_upper = {1.548, 1.1, 0.6},
};

static fcps_status create(fcps_task *task, const fcps_settings *settings, fcps_error *error)
{
  return fcps_fetch_create(task, &design, settings, error);
}

/* one description for each lack of the simulator, so that all of them are constant */
#define INFO(lack)                                                                                                     \
  {                                                                                                                    \
    .name = "fetch-push", .summary = "a Fetch arm pushes a block to a place on the table (MuJoCo)",                    \
    .settings = fcps_fetch_settings, .unavailable = (lack)                                                             \
  }
static const fcps_task_info infos[FCPS_SIM_LACK_COUNT] = {INFO(NULL), INFO(fcps_sim_no_module),
                                                          INFO(fcps_sim_no_models)};

static const fcps_task_info *info_now(void)
{
  return &infos[fcps_sim_lacks()];
}

const fcps_task_ops fcps_task_fetch_push = {
    .info = INFO(NULL),
    .info_now = info_now,
    .create = create,
    .destroy = fcps_fetch_destroy,
    .context = fcps_fetch_context,
    .run = fcps_fetch_run,
    .film = fcps_fetch_film,
    .optimum = fcps_fetch_optimum,
    .idle = fcps_fetch_idle,
};
