/* SPDX-License-Identifier: Apache-2.0 */
/* The contexts of a problem file, by episode. They are the same for every learner and after every restart. */
#ifndef FCPS_PROBLEM_CONTEXTS_H
#define FCPS_PROBLEM_CONTEXTS_H

#include "format/csv.h"
#include "format/yaml.h"

#include <fcps/problem.h>
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

/* -- Boxes --
 *
 * A box is a part of the context space, for problem files and for experiments. All code that reads boxes, draws from
 * them or tests membership is here.
 *
 * A context has the dimensions of the target, then those of the environment. The bounds of box b begin at boxes[2 b
 * width]: the lower and the upper end of each dimension in turn, where width is the number of dimensions. Every box
 * lies within the bounds of the problem. */

/* The first function returns dimension `index` of the context, the second how many there are. */
const fcps_dimension *fcps_context_dimension(const fcps_problem *problem, int index);
int fcps_context_width(const fcps_problem *problem);

/* Returns the index of the dimension with a name; negative if there is none. */
int fcps_context_find(const fcps_problem *problem, const char *name);

/* Reads `[{x: [-11, 0], y: [0, 11]}, ...]`, at least one box, into a new array (freed with free). A box keeps the
 * bounds of the dimensions that it does not name. Every refusal names contexts.boxes, the line and the column. */
fcps_status fcps_boxes_read(const fcps_yaml *yaml, const fcps_yaml_node *list, const fcps_problem *problem, int *count,
                            double **boxes, fcps_error *error);

/* The number or word of a dimension at a node. */
fcps_status fcps_boxes_read_value(const fcps_dimension *dim, const fcps_yaml *yaml, const fcps_yaml_node *node,
                                  const char *field, double *value, fcps_error *error);

/* The context of an episode. Chooses a box with a probability in proportion to its size, then a point uniformly within
 * it; with no boxes, a point uniformly within the bounds. Sizes are shares of the unit cube, so the distribution is
 * uniform over boxes that do not overlap. A side that is one value does not make its box smaller. The random numbers
 * are those of the seed's contexts. */
void fcps_boxes_draw(const fcps_problem *problem, int count, const double *boxes, uint64_t seed, int64_t episode,
                     double *target, double *environment);

/* Whether a context lies in one of the boxes, ends included; true if there are none. */
bool fcps_boxes_contain(const fcps_problem *problem, int count, const double *boxes, const double *target,
                        const double *environment);

#endif
