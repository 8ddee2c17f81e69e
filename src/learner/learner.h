/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of learners that only studies use: saving in parts, the result that a learner expects of a trial, and the
 * results that it does not believe.
 *
 * A study saves often, and its journal has the rollouts already. So it saves a learner in two parts without the
 * rollouts. The two parts and the rollouts, in their order, restore the saved learner. */
#ifndef FCPS_LEARNER_LEARNER_H
#define FCPS_LEARNER_LEARNER_H

#include "acquisition/acquisition.h"
#include "model/surprises.h"
#include "policy/policy_impl.h"

#include <fcps/learner.h>

/* Saves the part that never changes. The caller frees *text. */
fcps_status fcps_learner_save_head(const fcps_learner *learner, char **text, fcps_error *error);

/* Saves everything else, without the rollouts, so that the text stays short. The caller frees *text. */
fcps_status fcps_learner_save_partial(const fcps_learner *learner, char **text, fcps_error *error);

/* Tells a learner the same rollouts as before, in the same order. */
typedef fcps_status fcps_learner_refill_fn(void *user, fcps_learner *learner, fcps_error *error);

/* Loads a learner as fcps_learner_load does, from the two parts, or from a whole text if `head` is NULL. `refill` tells
 * the learner the rollouts that are not in the text. Fails with FCPS_ERR_FORMAT if their number has changed. */
fcps_status fcps_learner_load_partial(fcps_learner **learner, const fcps_problem *problem, const char *head,
                                      const char *text, fcps_learner_refill_fn *refill, void *user, fcps_error *error);

/* Lets a learner continue after another one that has made asks up to `id`: its next id is at least `id` + 1. Returns
 * false if `id` cannot be the id of an ask. */
bool fcps_learner_follow(fcps_learner *learner, int64_t id);

/* Sets whether the next asks must not be blind: if so, in a problem with limits they try no word whose chance of
 * keeping the limits is unknown. */
void fcps_learner_set_strict(fcps_learner *learner, bool is_strict);

/* Adds a pending ask. */
fcps_status fcps_learner_store_pending(fcps_learner *learner, int64_t id, const double *target,
                                       const double *environment, const double *parameters, fcps_error *error);

/* -- Beliefs: questions that never change what the learner does later -- */

/* Predicts a trial with these parameters into `prediction`, whose arrays are the caller's. Predicts nothing
 * (has_reward and has_outcome are false) if the learner has no fitted model, or its model cannot be used. */
fcps_status fcps_learner_expect(fcps_learner *learner, const double *target, const double *environment,
                                const double *parameters, fcps_prediction *prediction, fcps_error *error);

/* Whether the learner with this name ever doubts a result. */
bool fcps_learner_can_doubt(const char *name);

/* How a learner decides, for a caller that decides in the same way with another model. The members are borrowed from
 * the learner. Returns false if the learner has no model. */
typedef struct fcps_learner_habits {
  const fcps_acquisition *acquisition;
  const fcps_acquisition_settings *settings;
  fcps_greedy_settings policy;
} fcps_learner_habits;
bool fcps_learner_habits_of(const fcps_learner *learner, fcps_learner_habits *habits);

/* Returns the learner's model in its present state, NULL if it has no model. */
const fcps_model *fcps_learner_model(const fcps_learner *learner);

/* Finds the results that the model does not believe, each judged by all others. `found` must start zeroed. */
fcps_status fcps_learner_find_surprises(fcps_learner *learner, fcps_surprises *found, fcps_error *error);

#endif
