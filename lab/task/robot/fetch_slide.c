/* SPDX-License-Identifier: Apache-2.0 */
/* FetchSlide-v1: slide a puck to a point that the arm cannot reach. The movement is in fetch.c. */
#include "lab/task/robot/fetch.h"
#include "lab/task/task_impl.h"

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

const fcps_task_ops fcps_task_fetch_slide = {
    FCPS_ROBOT_INFO(.name = "fetch-slide", .summary = "a Fetch arm slides a puck to a place out of its reach (MuJoCo)",
                    .settings = &fcps_fetch_settings),
    .design = &design,
    FCPS_FETCH_OPERATIONS,
};
