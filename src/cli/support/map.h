/* SPDX-License-Identifier: Apache-2.0 */
/* The policy over a grid of targets: the first target dimension across, the second (if there is one) upwards, the
 * others and the environment in the middle of their ranges. If there is no target, the same over the environment. */
#ifndef FCPS_CLI_SUPPORT_MAP_H
#define FCPS_CLI_SUPPORT_MAP_H

#include "cli/support/values.h"

#include <fcps/policy.h>
#include <fcps/study.h>

typedef struct cli_policy_map {
  const fcps_problem *problem;
  int columns, rows;
  cli_points at; /* a row per point of the grid: lowest row first, each from left to right */
  double *rewards, *deviations, *successes, *outcomes; /* what is predicted; all in one block */
} cli_policy_map;

/* The space of the map's axes; if it has no dimensions, there is no map. */
const fcps_space *cli_policy_map_axes(const fcps_problem *problem);

/* The form of the grid: twice as many columns as rows for characters, equally many for a figure. */
typedef enum cli_policy_map_form { CLI_MAP_CHARACTERS, CLI_MAP_SQUARES } cli_policy_map_form;

/* Computes a map. The problem must have axes and outlive the map. The map must be destroyed even after a failure. */
fcps_status cli_policy_map_create(cli_policy_map *map, cli_policy_map_form form, const fcps_problem *problem,
                                  fcps_policy *policy, fcps_error *error);
void cli_policy_map_destroy(cli_policy_map *map);

void cli_policy_map_print(const cli_policy_map *map);                                             /* as characters */
fcps_status cli_policy_map_write(const cli_policy_map *map, const char *path, fcps_error *error); /* as CSV */

/* Draws the figure of a study into each path, .svg or .png: its map, its trials and its learning curve, from the
 * study alone. Without a policy that predicts rewards (`policy` may be NULL), or without axes, it is the learning
 * curve alone. */
fcps_status cli_study_figure_draw(fcps_study *study, fcps_policy *policy, int count, const char *const *paths,
                                  fcps_error *error);

#endif
