/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a problem, and calls its callbacks safely. */
#ifndef FCPS_PROBLEM_PROBLEM_H
#define FCPS_PROBLEM_PROBLEM_H

#include <fcps/problem.h>
#include <fcps/problem_file.h>

/* Whether every value is finite and below FCPS_VALUE_LIMIT (space/space.h). */
bool fcps_rollout_values_usable(int count, const double *values);

/* Makes a copy that owns its spaces. The caller frees it with fcps_problem_free. */
fcps_status fcps_problem_copy(const fcps_problem *problem, fcps_problem *copy);
void fcps_problem_free(fcps_problem *problem);

/* Writes one of FCPS_CONTEXT_PROBES contexts that are spread over their bounds. Number 0 is the middle. */
enum { FCPS_CONTEXT_PROBES = 16 };
void fcps_problem_probe_context(const fcps_problem *problem, int index, double *target, double *environment);

/* Refuses constraints that cannot be read, and constraints that cannot be kept in any of the contexts that are tried.
 * If they can be kept only in some contexts, an ask in another context fails. */
fcps_status fcps_problem_check_constraints(const fcps_problem *problem, fcps_error *error);

/* Refuses a cost that cannot be read, uses an outcome or adds different units, and one that is not above zero at one
 * of many places within the bounds where the constraints are kept (judge/cost.c). */
fcps_status fcps_problem_cost_check(const fcps_problem *problem, fcps_error *error);

/* Refuses constraints, limits, safe trials and a cost that cannot be used. */
fcps_status fcps_problem_check_rules(const fcps_problem *problem, fcps_error *error);

void fcps_problem_free_constraints(fcps_problem *problem);

/* Copies constraints into a problem that has none. After a failure the caller frees the problem. */
fcps_status fcps_problem_copy_constraints(fcps_problem *problem, int count, const char *const *texts);

/* Whether a parameter applies only under a condition (formula/conditions.h). */
bool fcps_problem_has_conditions(const fcps_problem *problem);

/* Whether the problem has constraints or conditions, so that a search must leave out parts of the unit cube. */
bool fcps_problem_restricts(const fcps_problem *problem);

/* Whether any parameters keep the constraints in a context. */
bool fcps_problem_has_parameters(const fcps_problem *problem, const double *target, const double *environment);

/* If no parameters keep the constraints in the context of an episode, another context is drawn, at most this many
 * times. */
enum { FCPS_CONTEXT_REDRAWS = 100 };
#define FCPS_CONTEXT_REDRAW_STRIDE ((int64_t)1 << 40)

/* Moves parameters that a learner or a policy proposes to parameters that keep the constraints in the context.
 * Parameters that do not apply get their value at rest. */
fcps_status fcps_problem_keep_constraints(const fcps_problem *problem, const double *target, const double *environment,
                                          double *parameters, fcps_error *error);

/* Returns the name of the first of the four spaces in which two problems differ; NULL if all four are the same. */
const char *fcps_problem_differing_space(const fcps_problem *problem, const fcps_problem *other);

/* Whether the spaces of two problems have the same dimensions by name; bounds may differ. */
bool fcps_problem_same_names(const fcps_problem *problem, const fcps_problem *other);

/* Calls the reward for `count` rows. A failing callback gives FCPS_ERR_CALLBACK, and the message names its status.
 * Rewards that cannot be used come back as NaN. */
fcps_status fcps_problem_score(const fcps_problem *problem, int count, const double *target, const double *environments,
                               const double *parameters, const double *outcomes, const bool *present, double *rewards,
                               fcps_error *error);

/* Calls the presence rule, which the problem must have, for `count` rows. A failure is reported as above. */
fcps_status fcps_problem_ask_presence(const fcps_problem *problem, int count, const double *environments,
                                      const double *parameters, bool *present, fcps_error *error);

/* Lists everything that a formula may name, with its choices (NULL for a number): targets, environment, parameters, and
 * the outcome last. Returns their number, or -1 if memory ran out. The caller frees both lists with free, even after a
 * failure. */
int fcps_problem_list_values(const fcps_problem *problem, const char ***names, const fcps_choices ***choices);

/* -- Callbacks --
 *
 * What stands between a handle and the callbacks that its caller gave: reward, gradient, achieved, presence, log.
 *
 * A handle (learner, policy, study) owns one fcps_callbacks and works with a problem and a log whose functions go through
 * it. They keep two promises:
 *   - the handle knows when one of its callbacks runs. A function that works on the handle begins with
 *     fcps_callbacks_begin and refuses to be called from there with FCPS_ERR_BUSY, because its memory is in use;
 *   - once a callback has failed, no callback of the problem is called again until the next such beginning.
 * A study's learner stands on the study's problem, so both know. A policy lives on its own: it takes the functions as
 * they were given (fcps_callbacks_unguard). */

typedef enum fcps_callback_kind {
  FCPS_CALLBACK_REWARD,
  FCPS_CALLBACK_GRADIENT,
  FCPS_CALLBACK_ACHIEVED,
  FCPS_CALLBACK_PRESENCE
} fcps_callback_kind;

typedef struct fcps_callbacks {
  /* the user's functions */
  fcps_reward_fn *reward;
  fcps_reward_gradient_fn *gradient;
  fcps_achieved_fn *achieved;
  fcps_presence_fn *presence;
  void *user;
  fcps_log log;

  bool is_inside;            /* a callback is running */
  bool is_held;              /* a handle that was made from this one may be running callbacks */
  fcps_status failure;       /* the status of the first callback that failed since the last beginning */
  fcps_callback_kind failed; /* which callback failed */
} fcps_callbacks;

/* Lets the functions of `problem` go through `callbacks`, which must outlive it. */
void fcps_callbacks_guard(fcps_callbacks *callbacks, fcps_problem *problem);

/* Gives the problem back the user's functions, without the guards. */
void fcps_callbacks_unguard(fcps_problem *problem);

/* Returns a log that goes through `callbacks` to `log`. */
fcps_log fcps_callbacks_guard_log(fcps_callbacks *callbacks, fcps_log log);

/* Returns FCPS_ERR_BUSY if it is called from inside a callback of the handle. The error uses the handle's name
 * ("learner"). */
fcps_status fcps_callbacks_check(const fcps_callbacks *callbacks, const char *handle, fcps_error *error);

/* Begins a call on the handle: makes the same check, and forgets earlier failures. */
fcps_status fcps_callbacks_begin(fcps_callbacks *callbacks, const char *handle, fcps_error *error);

/* Sets FCPS_ERR_CALLBACK for a callback of `problem` that returned `status`. The message names the callback that failed
 * first, or `kind` if none is recorded. */
fcps_status fcps_callbacks_fail(const fcps_problem *problem, fcps_callback_kind kind, fcps_status status,
                                fcps_error *error);

/* Finds the line and column of the value of `learner.KEY` ("name" or a setting), for mistakes that are found only after
 * reading. Returns false if the file does not have this key. (read.c) */
bool fcps_problem_file_learner_position(const fcps_problem_file *file, const char *key, int *line, int *column);

#endif
