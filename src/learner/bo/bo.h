/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of Bayesian-optimization learners: a model with its settings, kept up to date. The passive learner is in
 * bo.c; learners that choose contexts are in active.c and outcome_active.c. */
#ifndef FCPS_LEARNER_BO_BO_H
#define FCPS_LEARNER_BO_BO_H

#include "learner/bo/bo_settings.h"
#include "learner/learner_impl.h"

/* -- A choice of context -- */

/* A choice of context in the unit cube: which coordinates are free, and the chosen values. It stands between
 * fcps_learner_choose, which uses the problem's units, and an acquisition's select_context.
 *
 * Invariant: values that are not free are never written, so they keep their bits. */

typedef struct fcps_bo_context_choice {
  const fcps_problem *problem;
  int environments, targets; /* coordinates of the context: environment first */
  bool *is_free;             /* for each coordinate of the context */
  /* coordinates that are not free are the caller's; free ones are 0.5 until they are chosen */
  double *context;
  double *x; /* parameters */
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

/* The most rows of a model; more results are refused, because a factor has a number for each pair of rows. */
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

/* Whether the initial design goes on. It ends when enough results tell the model something; failed trials and asks
 * without a result do not count. A learner that always draws parameters at random does not depend on it. */
bool fcps_bo_needs_design(const fcps_learner *learner);

/* Fits if enough rollouts came since the last fit (first of all to `target`, if not NULL), brings the factor up to
 * date and adds the pending trials. The caller clears these after the decision. */
fcps_status fcps_bo_update_model(fcps_learner *learner, int64_t id, const double *target, fcps_error *error);

/* Lets an acquisition choose the free coordinates of a context, and the parameters. The model must be up to date. */
fcps_status fcps_bo_select_context(const fcps_learner *learner, const fcps_acquisition *acquisition, int64_t id,
                                   fcps_bo_context_choice *choice, fcps_error *error);

/* Whether a decision failed only because the model cannot be used. Then the trial must be space-filling, and the log
 * says so. The caller must return every other status. */
bool fcps_bo_must_fall_back(const fcps_learner *learner, fcps_status status);

/* Warns of problems in the computation of a decision. */
void fcps_bo_warn_of_decision(const fcps_learner *learner, const fcps_decision_report *report);

/* -- Words (corrections.c) -- */

/* The first function gives a point of a design its words by turns. The second gives every other ask of a model,
 * whose decision chose `x`, an untried word, if there is one. The third chooses the words of the asks between again,
 * more widely, and the numbers that suit them; the decision must be one by UCB. */
fcps_status fcps_bo_take_turns(const fcps_learner *learner, int64_t id, double *x);
fcps_status fcps_bo_try_words(const fcps_learner *learner, const fcps_decision *decision, int64_t id, double *x);
fcps_status fcps_bo_choose_words(const fcps_learner *learner, const fcps_decision *decision, int64_t id, double *x);

/* -- Several asks for one context (corrections.c) -- */

/* Each ask for a context is apart from the unfinished asks for it.
 *
 * A pending trial lowers the deviation near its parameters but does not change the mean. So in a well-known context
 * UCB would propose the same parameters again, up to a few thousandths of their range, and such a copy tells only
 * the noise. So a further ask is the best one by UCB among parameters that differ from those of the pending asks by
 * at least a tenth of the model's lengths, where the believed correlation of outcomes is 0.99. */

/* Moves `x` (unit cube), the choice of a decision by UCB in this context, away from the parameters of pending asks
 * in the very same context. It stays if there are none, if it is apart already, or if no point is apart. */
fcps_status fcps_bo_keep_apart(const fcps_learner *learner, const fcps_decision *decision, const double *target,
                               const double *environment, double *x);

#endif
