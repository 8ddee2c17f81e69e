/* SPDX-License-Identifier: Apache-2.0 */
/* The policy over a grid of targets: the first dimension of the target goes across, the second (if there is one)
 * upwards. All other dimensions, and the environment, stay in the middle of their ranges. If the problem has no target,
 * the grid has two dimensions of the environment instead. */
#ifndef FCPS_CLI_SUPPORT_MAP_H
#define FCPS_CLI_SUPPORT_MAP_H

#include "cli/support/values.h"

#include <fcps/policy.h>
#include <fcps/study.h>

typedef struct cli_policy_map {
  const fcps_problem *problem;
  int columns, rows;
  /* one row for each point of the grid: the lowest line of the map first, each line from left to right */
  cli_points at;
  double *rewards, *deviations, *successes, *outcomes; /* the predictions at the points, all in one allocated block */
} cli_policy_map;

/* Returns the space that gives the axes of the map: targets or environment. If the space is empty, the problem has no
 * map. */
const fcps_space *cli_policy_map_axes(const fcps_problem *problem);

/* What the grid is for. For characters it has twice as many columns as rows; for a figure, equally many. */
typedef enum cli_policy_map_form { CLI_MAP_CHARACTERS, CLI_MAP_SQUARES } cli_policy_map_form;

/* Computes a map. The problem must have axes and outlive the map. The map must be destroyed even after a failure. */
fcps_status cli_policy_map_create(cli_policy_map *map, cli_policy_map_form form, const fcps_problem *problem,
                                  fcps_policy *policy, fcps_error *error);
void cli_policy_map_destroy(cli_policy_map *map);

/* prints the map as characters */
void cli_policy_map_print(const cli_policy_map *map);
/* writes the map as CSV */
fcps_status cli_policy_map_write(const cli_policy_map *map, const char *path, fcps_error *error);

/* Draws the figure of a study into each path, .svg or .png: its map, its trials and its learning curve, from the study
 * alone. If no policy predicts rewards (`policy` may be NULL), or if the problem has no axes, the figure is the
 * learning curve alone. */
fcps_status cli_study_figure_draw(fcps_study *study, fcps_policy *policy, int count, const char *const *paths,
                                  fcps_error *error);

#endif
