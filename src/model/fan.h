/* SPDX-License-Identifier: Apache-2.0 */
/* A model seen from many targets in one environment, for questions in batches.
 *
 * The same candidates serve every target. What does not depend on the target is done once for all of them: covariances of
 * candidates and rows, the pair of triangular solves (many right-hand sides), and the means as one matrix product; with
 * outcome outputs the outcomes of all candidates. Not for models that have the target among their inputs.
 */
#ifndef FCPS_MODEL_FAN_H
#define FCPS_MODEL_FAN_H

#include "model/search.h"

typedef struct fcps_fan fcps_fan;

/* Targets that a fan takes at once. */
#define FCPS_FAN_TARGETS 256

/* Borrows the model, the candidates (rows, unit cube; at least 1) and `error` until destroyed. */
fcps_status fcps_fan_create(fcps_fan **fan, const fcps_model *model, int candidates, const double *unit,
                            fcps_error *error);
void fcps_fan_destroy(fcps_fan *fan);

/* Looks at up to FCPS_FAN_TARGETS targets (rows) in one environment. Borrows the targets until the next call. */
fcps_status fcps_fan_aim(fcps_fan *fan, int count, const double *targets, const double *environment);

/* The view of one of them, and the mean rewards of the candidates there. The view belongs to the fan and lives until the
 * next call. */
fcps_status fcps_fan_view(fcps_fan *fan, int index, fcps_view **view, double *means);

/* The reward expected of one parameter vector for each target (rows), and its deviation; both may be NULL. */
fcps_status fcps_fan_predict(fcps_fan *fan, const double *unit, double *means, double *deviations);

/* The best parameters for each of the targets (rows, unit cube): from the best candidates of every target searches go on
 * side by side, so that their covariances and triangular solves are products of matrices. Only where the outputs are
 * outcomes and the reward is a distance in closed form: fcps_fan_can_climb, after an aim. */
bool fcps_fan_can_climb(const fcps_fan *fan);
fcps_status fcps_fan_climb(fcps_fan *fan, const fcps_search_settings *settings, double *unit);

#endif
