/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that Bayesian-optimization learners share: a model, its settings, and functions that keep it up to date.
 * The passive learner is in bo.c; learners that choose contexts are in active.c and outcome_active.c. */
#ifndef FCPS_LEARNER_BO_BO_H
#define FCPS_LEARNER_BO_BO_H

#include "learner/bo/bo_settings.h"
#include "learner/learner_impl.h"

/* -- A choice of context -- */

/* A choice of context in the unit cube: which coordinates are free, and the chosen values. It translates between
 * fcps_learner_choose, which uses the problem's units, and an acquisition's select_context.
 *
 * Invariant: values that are not free are never written, so they keep their bits. */

typedef struct fcps_bo_context_choice {
  const fcps_problem *problem;
  int environments, targets; /* coordinates of the context: environment first */
  bool *is_free;             /* one per coordinate of the context */
  /* The caller's values for coordinates that are not free. Free coordinates are 0.5 until they are chosen. */
  double *context;
  double *x; /* the chosen parameters, unit cube */
} fcps_bo_context_choice;

/* Opens a choice, which borrows the problem. Close it even if opening fails. */
fcps_status fcps_bo_context_choice_open(fcps_bo_context_choice *choice, const fcps_problem *problem,
                                        const fcps_free_dimensions *free_dimensions, const double *target,
                                        const double *environment);
void fcps_bo_context_choice_close(fcps_bo_context_choice *choice);

/* Writes the choice in the problem's own units. */
fcps_status fcps_bo_context_choice_write(const fcps_bo_context_choice *choice, double *target, double *environment,
                                         double *parameters);

/* -- The learner -- */

/* The most rows of a model. More results are refused, because a factor has a number for each pair of rows. */
#define FCPS_BO_MOST_ROWS 10000

typedef struct fcps_bo {
  fcps_bo_settings settings;
  fcps_model *model;
  bool has_usual_design; /* the number of first trials is the learner's default, which a structure may change */
  fcps_trust_region trust_region; /* used if settings.region is FCPS_REGION_ON */
} fcps_bo;

/* The functions of fcps_learner_ops, with an fcps_bo as learner->state. */
fcps_status fcps_bo_create(fcps_learner *learner, fcps_error *error);
void fcps_bo_destroy(void *state);
fcps_status fcps_bo_ask(fcps_learner *learner, int64_t id, const double *target, const double *environment,
                        double *parameters, fcps_error *error);
fcps_status fcps_bo_absorb(fcps_learner *learner, const fcps_rollout *rollout, fcps_error *error);
fcps_status fcps_bo_policy(const fcps_learner *learner, fcps_policy **policy, fcps_error *error);
fcps_status fcps_bo_expect(fcps_learner *learner, const double *target, const double *environment,
                           const double *parameters, fcps_prediction *prediction, fcps_error *error);
const fcps_model *fcps_bo_model(const fcps_learner *learner);
fcps_status fcps_bo_surprises(fcps_learner *learner, fcps_surprises *found, fcps_error *error);
void fcps_bo_habits(const fcps_learner *learner, fcps_learner_habits *habits);
fcps_json *fcps_bo_write(const fcps_learner *learner);
fcps_status fcps_bo_read(fcps_learner *learner, const fcps_json *json, fcps_error *error);

/* Whether the initial design goes on. It ends when the model can learn from enough results; failed trials and asks
 * without a result do not count. If the acquisition needs no model, all trials count. */
bool fcps_bo_needs_design(const fcps_learner *learner);

/* Fits the model if a fit is due, to `target` (unless NULL) before all other targets, brings its factor up to date, and
 * adds the pending trials. The caller clears these after the decision. */
fcps_status fcps_bo_update_model(fcps_learner *learner, int64_t id, const double *target, fcps_error *error);

/* Lets an acquisition choose the free coordinates of a context, and the parameters. The model must be up to date. */
fcps_status fcps_bo_select_context(const fcps_learner *learner, const fcps_acquisition *acquisition, int64_t id,
                                   fcps_bo_context_choice *choice, fcps_error *error);

/* Whether a decision failed only because the model cannot be used. Logs a warning if so, and the caller must make the
 * trial space-filling. The caller must return every other failure. */
bool fcps_bo_must_fall_back(const fcps_learner *learner, fcps_status status);

/* Warns of draws that a decision could not use. */
void fcps_bo_warn_of_decision(const fcps_learner *learner, const fcps_decision_report *report);

/* -- Words (corrections.c) -- */

/* `take_turns` gives the points of a design all words in turn. `try_words` gives every second ask an untried word, if
 * there is one, in place of the word in `x`, the model's choice. For the other asks, `choose_words` searches the words
 * again, more widely, with numbers that suit them; the decision must be one by UCB. */
fcps_status fcps_bo_take_turns(const fcps_learner *learner, int64_t id, double *x);
fcps_status fcps_bo_try_words(const fcps_learner *learner, const fcps_decision *decision, int64_t id, double *x);
fcps_status fcps_bo_choose_words(const fcps_learner *learner, const fcps_decision *decision, int64_t id, double *x);

/* With limits, gives every other ask after the design a safe trial that was never done, if there is one for its context
 * (corrections.c). */
fcps_status fcps_bo_take_safe(const fcps_learner *learner, int64_t id, const double *target, const double *environment,
                              double *x, bool *is_safe, fcps_error *error);

/* -- Several asks for one context (corrections.c) -- */

/* Asks for the same context must not be copies of each other.
 *
 * A pending trial lowers the deviation near its parameters but does not change the mean. So in a well-known context UCB
 * would propose nearly the same parameters again, and such a copy only tells the noise. A further ask is therefore the
 * best one by UCB among parameters that differ from those of the pending asks by at least a tenth of the model's
 * lengths; at that distance the correlation of outcomes is 0.99. */

/* Moves `x` (unit cube), the choice of a decision by UCB, away from the parameters of pending asks in exactly the same
 * context. It stays if there are no such asks, or if it is far enough from them, or if no point is. */
fcps_status fcps_bo_keep_apart(const fcps_learner *learner, const fcps_decision *decision, const double *target,
                               const double *environment, double *x);

#endif
