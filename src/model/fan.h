/* SPDX-License-Identifier: Apache-2.0 */
/* A model seen from many contexts, for questions in batches.
 *
 * The same candidates serve every context. What does not depend on the target is done once for all of them: covariances
 * of candidates and rows, the pair of triangular solves (many right-hand sides), and the means as one matrix product;
 * with outcome outputs the outcomes of all candidates. Other environments change a factor of the covariances alone
 * where the kernel is separable (gp/separable.h), so that contexts in different ones still share most of it. Not for
 * models that have the target among their inputs.
 */
#ifndef FCPS_MODEL_FAN_H
#define FCPS_MODEL_FAN_H

#include "model/search.h"

typedef struct fcps_fan fcps_fan;

/* Contexts that a fan takes at once. */
#define FCPS_FAN_CONTEXTS 256

/* Borrows the model, the candidates (rows, unit cube; at least 1) and `error` until destroyed. */
fcps_status fcps_fan_create(fcps_fan **fan, const fcps_model *model, int candidates, const double *unit,
                            fcps_error *error);
void fcps_fan_destroy(fcps_fan *fan);

/* Looks at contexts (rows of both): at the first `taken` of them, which can be looked at together; at least one, at
 * most FCPS_FAN_CONTEXTS. Borrows the targets until the next call. */
fcps_status fcps_fan_aim(fcps_fan *fan, int count, const double *targets, const double *environments, int *taken);

/* The view of one of them, and the mean rewards of the candidates there (where fcps_fan_can_climb bounds of them:
 * climb). The view belongs to the fan and lives until the next call. */
fcps_status fcps_fan_view(fcps_fan *fan, int context, fcps_view **view, double *means);

/* The reward expected of one parameter vector for each context (rows), and its deviation; both may be NULL. */
fcps_status fcps_fan_predict(fcps_fan *fan, const double *unit, double *means, double *deviations);

/* The best parameters for each of the contexts (rows, unit cube): from the best candidates of every one searches go on
 * side by side, so that their covariances and triangular solves are products of matrices. Only where the outputs are
 * outcomes and the reward is a distance in closed form: fcps_fan_can_climb, after an aim. */
bool fcps_fan_can_climb(const fcps_fan *fan);
fcps_status fcps_fan_climb(fcps_fan *fan, const fcps_search_settings *settings, double *unit);

#endif
