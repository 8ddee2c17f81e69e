/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of learners for the study, beyond those for users: saving in parts, what a learner expects of a trial, and the
 * results that it does not believe.
 *
 * A study saves often and has the rollouts in its journal. So it saves a learner in two parts, without them. The two
 * parts and the rollouts in their order make the learner that was saved. */
#ifndef FCPS_LEARNER_LEARNER_H
#define FCPS_LEARNER_LEARNER_H

#include "acquisition/acquisition.h"
#include "model/surprises.h"
#include "policy/policy_impl.h"

#include <fcps/learner.h>

/* The part that never changes. */
fcps_status fcps_learner_save_head(const fcps_learner *learner, char **text, fcps_error *error);

/* Saves the rest without the rollouts, so that the text stays small however many rollouts there are. */
fcps_status fcps_learner_save_partial(const fcps_learner *learner, char **text, fcps_error *error);

/* Tells a learner the rollouts that it had been told, in the same order. */
typedef fcps_status fcps_learner_refill_fn(void *user, fcps_learner *learner, fcps_error *error);

/* As fcps_learner_load, of the two parts, or of a whole text where `head` is NULL; `refill` gives rollouts back that
 * are not in it. Fails with FCPS_ERR_FORMAT if they are not as many as before. */
fcps_status fcps_learner_load_partial(fcps_learner **learner, const fcps_problem *problem, const char *head,
                                      const char *text, fcps_learner_refill_fn *refill, void *user, fcps_error *error);

/* For a learner that replaces one which handed out asks up to `id`: its ids, and the random numbers derived from them,
 * continue after `id`. false if `id` cannot be an ask. */
bool fcps_learner_follow(fcps_learner *learner, int64_t id);

/* Adds a trial that was asked for and is under way. */
fcps_status fcps_learner_store_pending(fcps_learner *learner, int64_t id, const double *target,
                                       const double *environment, const double *parameters, fcps_error *error);

/* -- Beliefs: nothing that the learner does later depends on asking for them -- */

/* What it expects of a trial with these parameters, in `prediction`, whose arrays are the caller's: nothing (has_reward and
 * has_outcome are false) if the learner has no model that was fitted, or its model cannot be used. */
fcps_status fcps_learner_expect(fcps_learner *learner, const double *target, const double *environment,
                                const double *parameters, fcps_prediction *prediction, fcps_error *error);

/* Whether the learner with this name ever doubts a result. */
bool fcps_learner_can_doubt(const char *name);

/* How it decides, for who decides as it would with another state of its model (borrowed from the learner); false: it has no
 * model. */
typedef struct fcps_learner_habits {
  const fcps_acquisition *acquisition;
  const fcps_acquisition_settings *settings;
  fcps_greedy_settings policy;
} fcps_learner_habits;
bool fcps_learner_habits_of(const fcps_learner *learner, fcps_learner_habits *habits);

/* The model that it decides by, as it was at its last fit; NULL: it has none. */
const fcps_model *fcps_learner_model(const fcps_learner *learner);

/* The results that it does not believe, each judged by all others; `found` starts zeroed. */
fcps_status fcps_learner_find_surprises(fcps_learner *learner, fcps_surprises *found, fcps_error *error);

#endif
