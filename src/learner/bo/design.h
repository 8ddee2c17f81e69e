/* SPDX-License-Identifier: Apache-2.0 */
/* The first parameters, before a model can say anything. */
#ifndef FCPS_LEARNER_BO_DESIGN_H
#define FCPS_LEARNER_BO_DESIGN_H

#include "learner/learner_impl.h"

typedef enum fcps_design { FCPS_DESIGN_RANDOM, FCPS_DESIGN_MAXIMIN, FCPS_DESIGN_LATIN, FCPS_DESIGN_HALTON } fcps_design;

/* Their names, in the order of the enumeration; NULL past the end. */
const char *fcps_design_name(int index);

/* Point (unit cube) of a design of `size` points for the ask `id`. Rollouts and pending asks of the learner count as
 * points already made, so that points stay apart also when rollouts were told that nobody asked for. */
fcps_status fcps_design_point(const fcps_learner *learner, fcps_design design, int size, int64_t id, double *x,
                              fcps_error *error);

/* How many points were made: rollouts and pending asks. */
int fcps_design_made(const fcps_learner *learner);

#endif
