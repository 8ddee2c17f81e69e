/* SPDX-License-Identifier: Apache-2.0 */
/* FetchSlide-v1: slide a puck to a place that the arm cannot reach. */
#include "task/fetch.h"
#include "task/tasks.h"

static const fcps_fetch_design design = {
    .robot = FCPS_SIM_FETCH_SLIDE,
    .version = "fetch-slide-1",
    .approach_time = 0.8,
    .stroke_time = 0.6,
    .object_range = 0.1,
    .target_range = 0.3,
    .target_offset = 0.4,
    .angle = 3.141592653589793, /* the robot's side of the puck */
    .stroke_lower = {0, -0.4},
    .stroke_upper = {0.4, 0.4},
    .hand_lower = {0.7, 0.3, 0.4}, /* above the table; the arm ends at x = 1.193 */
    .hand_upper = {1.193, 1.2, 0.6},
};

static fcps_status create(fcps_task *task, const fcps_settings *settings, fcps_error *error)
{
  return fcps_fetch_create(task, &design, settings, error);
}

/* one description for each lack of the simulator, so that all of them are constant */
#define INFO(lack)                                                                                                     \
  {                                                                                                                    \
    .name = "fetch-slide", .summary = "a Fetch arm slides a puck to a place out of its reach (MuJoCo)",                \
    .settings = fcps_fetch_settings, .unavailable = (lack)                                                             \
  }
static const fcps_task_info infos[FCPS_SIM_LACK_COUNT] = {INFO(NULL), INFO(fcps_sim_no_module),
                                                          INFO(fcps_sim_no_models)};

static const fcps_task_info *info_now(void)
{
  return &infos[fcps_sim_lacks()];
}

const fcps_task_ops fcps_task_fetch_slide = {
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
