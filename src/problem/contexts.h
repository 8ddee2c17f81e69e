/* SPDX-License-Identifier: Apache-2.0 */
/* The contexts of a problem file, by episode. They are the same for every learner and after every restart. */
#ifndef FCPS_PROBLEM_CONTEXTS_H
#define FCPS_PROBLEM_CONTEXTS_H

#include "format/csv.h"

#include <fcps/problem_file.h>

typedef struct fcps_contexts fcps_contexts;

/* Reads the CSV if the file names one. It has one column for each target and environment dimension, in any order.
 * `file` must outlive the contexts. */
fcps_status fcps_contexts_create(fcps_contexts **contexts, const fcps_problem_file *file, uint64_t seed,
                                 fcps_error *error);
void fcps_contexts_destroy(fcps_contexts *contexts);

/* Writes the context of an episode, counted from 0. FCPS_CONTEXT_PROGRAM is not allowed: there the user's program gives
 * the contexts. */
void fcps_contexts_draw(const fcps_contexts *contexts, int64_t episode, double *target, double *environment);

/* columns[i] := the column of the i-th dimension of a context, targets first. */
fcps_status fcps_contexts_find_columns(const fcps_csv *csv, const fcps_problem *problem, int *columns,
                                       fcps_error *error);

/* The end of an error about a cell without a number. */
#define FCPS_CONTEXTS_MISSING "every context needs one: fill the cell in, or take the row out"

#endif
