/* SPDX-License-Identifier: Apache-2.0 */
/* A learner saved without its rollouts, for whoever keeps those in a better place. */
#ifndef FCPS_LEARNER_BRIEF_H
#define FCPS_LEARNER_BRIEF_H

#include <fcps/learner.h>

/* As fcps_learner_save, but the rollouts; the text stays small however many there are. */
fcps_status fcps_learner_save_brief(const fcps_learner *learner, char **text, fcps_error *error);

/* Tells a learner the rollouts that it had been told, in the same order. */
typedef fcps_status fcps_learner_refill_fn(void *user, fcps_learner *learner, fcps_error *error);

/* As fcps_learner_load, of either text; of a brief one `refill` gives the rollouts back. Fails with FCPS_ERR_FORMAT where
 * they are not as many as before. */
fcps_status fcps_learner_load_brief(fcps_learner **learner, const fcps_problem *problem, const char *text,
                                    fcps_learner_refill_fn *refill, void *user, fcps_error *error);

#endif
