/* SPDX-License-Identifier: Apache-2.0 */
/* What makes outcomes of different units comparable: if the reward is a distance, the target that they achieve. */
#ifndef FCPS_REWARD_OUTCOME_METRIC_H
#define FCPS_REWARD_OUTCOME_METRIC_H

#include <fcps/problem.h>

/* Finds a weight for each outcome, such that outcomes times their weights are coordinates of the target in one unit:
 * how far one unit of the outcome moves the achieved target. An outcome in millimetres has a thousandth of the weight
 * that it has in metres; one that does not move the target has none. False if the problem is not a distance, or the
 * map is not of this kind. */
bool fcps_metric_find_weights(const fcps_problem *problem, double *weights);

#endif
