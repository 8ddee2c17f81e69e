/* SPDX-License-Identifier: Apache-2.0 */
/* Weights that make outcomes of different units comparable, if the reward is a distance. */
#ifndef FCPS_REWARD_OUTCOME_METRIC_H
#define FCPS_REWARD_OUTCOME_METRIC_H

#include <fcps/problem.h>

/* Finds a weight for each outcome, such that outcomes times their weights are coordinates of the target in one unit.
 * The weight is how far the achieved target moves with one unit of the outcome. An outcome in millimetres has a
 * thousandth of the weight that it would have in metres; one that does not move the target has weight 0. Returns false
 * if the problem is not a distance, or if the map from outcomes to targets is not of this kind. */
bool fcps_metric_find_weights(const fcps_problem *problem, double *weights);

#endif
