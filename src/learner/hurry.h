/* SPDX-License-Identifier: Apache-2.0 */
/* Asks that others wait for: a fit that is due may be put off, and the ask uses the last one. */
#ifndef FCPS_LEARNER_HURRY_H
#define FCPS_LEARNER_HURRY_H

#include <fcps/learner.h>

/* Says whether the next asks are waited for. It is no part of a saved learner: whoever asks says so each time. */
void fcps_learner_set_hurried(fcps_learner *learner, bool is_hurried);

/* Whether the last ask used an old fit because it was waited for, and the rollouts that this fit knew. */
bool fcps_learner_put_off_fit(const fcps_learner *learner, int *fitted);

#endif
