/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of learners for studies, beside those for users: saving in parts, what a learner expects of a trial, and
 * the results that it does not believe.
 *
 * A study saves often, and has the rollouts in its journal. So it saves a learner in two parts without the rollouts.
 * The two parts and the rollouts in their order restore the saved learner. */
#ifndef FCPS_LEARNER_LEARNER_H
#define FCPS_LEARNER_LEARNER_H

#include "acquisition/acquisition.h"
#include "model/surprises.h"
#include "policy/policy_impl.h"

#include <fcps/learner.h>

/* Saves the part that never changes. */
fcps_status fcps_learner_save_head(const fcps_learner *learner, char **text, fcps_error *error);

/* Saves everything that fcps_learner_save_head does not, but leaves out the rollouts, so that the text stays short. */
fcps_status fcps_learner_save_partial(const fcps_learner *learner, char **text, fcps_error *error);

/* Tells a learner the same rollouts as before, in the same order. */
typedef fcps_status fcps_learner_refill_fn(void *user, fcps_learner *learner, fcps_error *error);

/* Loads a learner as fcps_learner_load does, from the two parts, or from a whole text if `head` is NULL; `refill`
 * tells it the rollouts that are not in the text. Fails with FCPS_ERR_FORMAT if they are not as many as before. */
fcps_status fcps_learner_load_partial(fcps_learner **learner, const fcps_problem *problem, const char *head,
                                      const char *text, fcps_learner_refill_fn *refill, void *user, fcps_error *error);

/* Lets a learner continue after one that has made asks up to `id`: its ids, and the random numbers derived from
 * them, go on after `id`. false if `id` cannot be the id of an ask. */
bool fcps_learner_follow(fcps_learner *learner, int64_t id);

/* Whether the next asks must not be blind: with limits, they then try no word whose chance is unknown. */
void fcps_learner_set_strict(fcps_learner *learner, bool is_strict);

/* Adds a pending trial. */
fcps_status fcps_learner_store_pending(fcps_learner *learner, int64_t id, const double *target,
                                       const double *environment, const double *parameters, fcps_error *error);

/* -- Beliefs: questions that never change what the learner does later -- */

/* Predicts a trial with these parameters into `prediction`, whose arrays are the caller's. Predicts nothing
 * (has_reward and has_outcome are false) if the learner has no fitted model, or its model cannot be used. */
fcps_status fcps_learner_expect(fcps_learner *learner, const double *target, const double *environment,
                                const double *parameters, fcps_prediction *prediction, fcps_error *error);

/* Whether the learner with this name ever doubts a result. */
bool fcps_learner_can_doubt(const char *name);

/* How a learner decides, for a caller that decides in the same way with another state of the model (borrowed from
 * the learner); false if the learner has no model. */
typedef struct fcps_learner_habits {
  const fcps_acquisition *acquisition;
  const fcps_acquisition_settings *settings;
  fcps_greedy_settings policy;
} fcps_learner_habits;
bool fcps_learner_habits_of(const fcps_learner *learner, fcps_learner_habits *habits);

/* The learner's model, as it was at its last fit; NULL if it has none. */
const fcps_model *fcps_learner_model(const fcps_learner *learner);

/* Finds the results that the model does not believe, each judged by all others; `found` must start zeroed. */
fcps_status fcps_learner_find_surprises(fcps_learner *learner, fcps_surprises *found, fcps_error *error);

#endif
