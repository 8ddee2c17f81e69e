/* SPDX-License-Identifier: Apache-2.0 */
/* FetchPush-v1: push a block to a point on the table. The movement is in fetch.c. */
#include "lab/task/robot/fetch.h"
#include "lab/task/task_impl.h"

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

const fcps_task_ops fcps_task_fetch_push = {
    FCPS_ROBOT_INFO(.name = "fetch-push", .summary = "a Fetch arm pushes a block to a place on the table (MuJoCo)",
                    .settings = &fcps_fetch_settings),
    .design = &design,
    FCPS_FETCH_OPERATIONS,
};
