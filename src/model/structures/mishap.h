/* SPDX-License-Identifier: Apache-2.0 */
/* When a number is so far from what was expected that somebody should look at it again. Plain arithmetic, for the rows that a
 * model doubts (doubts.h) and for results that differ from what their ask expected (study/expectation.h). */
#ifndef FCPS_MODEL_STRUCTURES_MISHAP_H
#define FCPS_MODEL_STRUCTURES_MISHAP_H

#include <stdbool.h>

/* A number this many deviations of a normal distribution away is surprising. One that is further from all others than so many
 * times what they are from each other is like no other: -999 of a sensor that failed. A function of many decades leaves its
 * range by nature. */
#define FCPS_SURPRISING    6.0
#define FCPS_LIKE_NO_OTHER 2.0

/* With few rows a deviation is itself uncertain: what is `deviations` away for a normal distribution is this for Student's with
 * as many degrees of freedom. NaN of two rows or fewer. */
double fcps_mishap_distance(double deviations, int rows);

/* Whether a value lies among others, which go from `least` to `most`, or no further from them than so many times what they are
 * from each other, and has a sign that they have. */
bool fcps_mishap_is_within(double least, double most, double value, double spans);

/* Whether a lost decimal point explains a value. */
bool fcps_mishap_has_lost_its_point(double value, double expected, double deviation);

#endif
