/* SPDX-License-Identifier: Apache-2.0 */
/* Owning a problem, and calling its callbacks safely. */
#ifndef FCPS_PROBLEM_PROBLEM_H
#define FCPS_PROBLEM_PROBLEM_H

#include <fcps/problem.h>

/* Whether every value is finite and below FCPS_VALUE_LIMIT (space/space.h). */
bool fcps_rollout_values_usable(int count, const double *values);

/* A copy that owns its spaces; freed with fcps_problem_free. */
fcps_status fcps_problem_copy(const fcps_problem *problem, fcps_problem *copy);
void fcps_problem_free(fcps_problem *problem);

/* Some contexts, spread over their bounds, the middle first: `index` is below FCPS_CONTEXT_PROBES. */
enum { FCPS_CONTEXT_PROBES = 16 };
void fcps_problem_probe_context(const fcps_problem *problem, int index, double *target, double *environment);

/* Refuses constraints that cannot be read, or that no parameters keep in any context that is tried. If only some contexts have such
 * parameters, the others say so for themselves. */
fcps_status fcps_problem_check_constraints(const fcps_problem *problem, fcps_error *error);

/* Refuses a cost that cannot be read, uses an outcome, adds units that differ, or is not above zero at one of many places within the
 * bounds that keep the constraints (judge/cost.c). */
fcps_status fcps_problem_cost_check(const fcps_problem *problem, fcps_error *error);

void fcps_problem_free_constraints(fcps_problem *problem);

/* Gives a problem, which has none of its own, copies of these constraints; after a failure it is to be freed. */
fcps_status fcps_problem_copy_constraints(fcps_problem *problem, int count, const char *const *texts);

/* Whether any parameters keep the constraints in a context. */
bool fcps_problem_has_parameters(const fcps_problem *problem, const double *target, const double *environment);

/* A context of an episode that is drawn becomes that of another draw if no parameters keep the constraints in it. */
enum { FCPS_CONTEXT_REDRAWS = 100 };
#define FCPS_CONTEXT_REDRAW_STRIDE ((int64_t)1 << 40)

/* Moves parameters that a learner or a policy proposes in a context to such that keep the constraints, if they do not. */
fcps_status fcps_problem_keep_constraints(const fcps_problem *problem, const double *target, const double *environment,
                                          double *parameters, fcps_error *error);

/* The name of the first of the four spaces in which two problems differ; NULL if all four are the same. */
const char *fcps_problem_differing_space(const fcps_problem *problem, const fcps_problem *other);

/* Whether the spaces of two problems have the same dimensions by name; bounds may differ. */
bool fcps_problem_same_names(const fcps_problem *problem, const fcps_problem *other);

/* Calls the reward for `count` rows. A failing callback gives FCPS_ERR_CALLBACK, and the message names its status.
 * Rewards that cannot be used come back as NaN. */
fcps_status fcps_problem_score(const fcps_problem *problem, int count, const double *target, const double *environments,
                               const double *parameters, const double *outcomes, const bool *present, double *rewards,
                               fcps_error *error);

/* Calls the presence rule, which the problem must have, for `count` rows; a failure as above. */
fcps_status fcps_problem_ask_presence(const fcps_problem *problem, int count, const double *environments,
                                      const double *parameters, bool *present, fcps_error *error);

/* Everything that a formula may name, with its choices (NULL of a number): targets, environment, parameters, and the outcome
 * last, so that its use is noticed. The lists are freed with free, also after a failure; -1: no memory. */
int fcps_problem_list_values(const fcps_problem *problem, const char ***names, const fcps_choices ***choices);

#endif
