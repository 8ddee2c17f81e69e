/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the context space as boxes: where training contexts come from.
 *
 * A context has the dimensions of the target, then those of the environment. Box b has the lower and the upper end of
 * each of them, in turn, from boxes[2 b width] on, where width is the number of dimensions. */
#ifndef FCPS_PROBLEM_BOXES_H
#define FCPS_PROBLEM_BOXES_H

#include <fcps/problem.h>

/* Dimension `index` of the context, and how many there are. */
const fcps_dimension *fcps_context_dimension(const fcps_problem *problem, int index);
int fcps_context_width(const fcps_problem *problem);

/* The index of the dimension with a name; negative where there is none. */
int fcps_context_find(const fcps_problem *problem, const char *name);

/* A box that holds every context. */
void fcps_box_fill(const fcps_problem *problem, double *box);

/* The context of an episode: a box, as likely as it is large, then a point in it; with no box anywhere within the
 * bounds. Sizes are shares of the unit cube, so that the law is uniform over boxes that do not overlap; a side that is
 * a single value does not make its box smaller. The numbers are those of the seed's contexts. */
void fcps_boxes_draw(const fcps_problem *problem, int count, const double *boxes, uint64_t seed, int64_t episode,
                     double *target, double *environment);

/* Whether a context lies in one of the boxes, ends included; true where there are none. */
bool fcps_boxes_contain(const fcps_problem *problem, int count, const double *boxes, const double *target,
                        const double *environment);

#endif
