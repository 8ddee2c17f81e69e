/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces and rollouts as JSON. Every saved learner and policy contains them. */
#ifndef FCPS_PROBLEM_SAVE_H
#define FCPS_PROBLEM_SAVE_H

#include "format/json.h"
#include "problem/rollouts.h"

/* Writes "choices" and, if they apply, "ordered", "alike" and "known" ({"acid": [5, 2]}, one number for each word). */
void fcps_problem_put_choices(fcps_json **object, const fcps_choices *choices);

/* Writes the four spaces, and the constraints if there are any. NULL if memory ran out. */
fcps_json *fcps_problem_write_spaces(const fcps_problem *problem);

/* Refuses with FCPS_ERR_UNSUPPORTED if `spaces`, as written above, are not the spaces of `problem`. */
fcps_status fcps_problem_match_spaces(const fcps_problem *problem, const fcps_json *spaces, fcps_error *error);

/* Gives a copy of a problem the constraints that were written with its spaces, if there were any. */
fcps_status fcps_problem_take_constraints(fcps_problem *problem, const fcps_json *spaces, fcps_error *error);

/* Writes rollouts as an array of arrays; NULL if memory ran out. Reading adds them to `rollouts`. */
fcps_json *fcps_rollouts_write(const fcps_rollouts *rollouts);
fcps_status fcps_rollouts_read(fcps_rollouts *rollouts, const fcps_json *json, fcps_error *error);

#endif
