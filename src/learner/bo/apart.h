/* SPDX-License-Identifier: Apache-2.0 */
/* Several asks for one context: each is apart from those that are unfinished there.
 *
 * A pending trial lowers the deviation where it was made and leaves the mean, so in a context that is well known UCB
 * asks for the same parameters again, up to a few thousandths of their range. Such a copy tells nothing but the noise.
 * So a further ask for a context is the best one by UCB among parameters that differ from the pending ones there: by a
 * tenth of the model's lengths, at which the outcomes are believed to be correlated by 0.99. */
#ifndef FCPS_LEARNER_BO_APART_H
#define FCPS_LEARNER_BO_APART_H

#include "learner/bo/bo.h"

/* Moves `x` (unit cube), the choice of a decision by UCB in this context, away from the parameters of asks that are
 * pending in the very same context. It stays where there are none, where it is apart already, or where nothing is. */
fcps_status fcps_bo_keep_apart(const fcps_learner *learner, const fcps_decision *decision, const double *target,
                               const double *environment, double *x);

#endif
