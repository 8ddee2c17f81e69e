/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces: checking, copying, finding, and scaling to the unit cube, in which all models and searches work.
 *
 * Steps are levels (fcps_dimension_step): an integer is a step of 1. The levels share the unit interval equally, so
 * that those at the ends are as likely as those in the middle. */
#ifndef FCPS_SPACE_SPACE_H
#define FCPS_SPACE_SPACE_H

#include <fcps/space.h>

/* Values beyond this limit count as not finite, because their squares might overflow. */
#define FCPS_VALUE_LIMIT 1e100

/* A linear range below this limit is refused for the same reason: the square of its inverse might overflow. */
#define FCPS_RANGE_LEAST 1e-100

/* Checks names (identifiers, not too long, unique within the space), bounds, period and scale. The field of an error
 * begins with `label` ("target", ...). Measured dimensions (`is_measured`: outcomes) may have lower == upper == 0,
 * which means no bounds, and have neither period nor scale. */
fcps_status fcps_space_check(const fcps_space *space, const char *label, bool is_measured, fcps_error *error);

/* A deep copy; freed with fcps_space_free. */
fcps_status fcps_space_copy(const fcps_space *space, fcps_space *copy);
void fcps_space_free(fcps_space *space);

/* Index of a dimension by name; -1 when missing. */
int fcps_space_find(const fcps_space *space, const char *name);

/* Whether two spaces have the same meaning: they are equal in every field but the unit, which is for people. */
bool fcps_space_alike(const fcps_space *a, const fcps_space *b);

/* Whether two spaces are the same in every field. */
bool fcps_space_equal(const fcps_space *a, const fcps_space *b);

/* The same of choices, either of which may be NULL. */
bool fcps_choices_equal(const fcps_choices *a, const fcps_choices *b);

/* Whether both choose among the same words in the same order. */
bool fcps_choices_same_words(const fcps_choices *a, const fcps_choices *b);

/* Refuses what no dimension could choose among, under `field`. (choices.c) */
fcps_status fcps_choices_check(const fcps_dimension *dim, const char *field, fcps_error *error);

/* Refuses a word that is not among the choices of a dimension: names the nearest one, or lists them. (choices.c) */
fcps_status fcps_choices_refuse(const fcps_dimension *dim, const char *word, const char *field, fcps_error *error);

/* The distance between neighbouring values: 1 for integers, 0 if a value may be any number. */
double fcps_dimension_step(const fcps_dimension *dim);

/* The length that the unit interval stands for: the range, and with steps one step more; 1 if there are no bounds. */
double fcps_dimension_span(const fcps_dimension *dim);

/* The first dimension from `first` on whose value is not one of its steps; -1 if there is none. */
int fcps_space_find_off_step(const fcps_space *space, const double *values, int first);

/* Whether a dimension is a full circle: its span is its period. */
bool fcps_dimension_wraps(const fcps_dimension *dim);

/* `value` moved by whole periods into the bounds; unchanged where that is impossible or not needed. */
double fcps_dimension_wrap(const fcps_dimension *dim, double value);

/* `value` clipped to the bounds; unchanged if there are none. */
double fcps_dimension_clip(const fcps_dimension *dim, double value);

/* Refuses values that are NULL, are not finite, have no logarithm where the scale needs one, or (with `bounded`) lie
 * outside their bounds. The error names the field. Values of a periodic dimension are first wrapped into the range
 * where possible. A value outside by less than 1e-9 of the range counts as inside. */
fcps_status fcps_space_check_values(const fcps_space *space, const char *label, const double *values, bool bounded,
                                    fcps_error *error);

/* The first dimension from `first` on whose value lies outside its bounds, as above; -1 if there is none. A value
 * that is not finite lies nowhere. */
int fcps_space_find_outside(const fcps_space *space, const double *values, int first);

/* How far `value` lies beyond the bounds, as a share of the range that they stand for in the unit cube; 0 inside. On a
 * circle it is the short way. */
double fcps_dimension_beyond(const fcps_dimension *dim, double value);

/* Whether both are in the same unit, or both say none. */
bool fcps_dimension_has_unit_of(const fcps_dimension *a, const fcps_dimension *b);

/* Maps one point from its values to the unit cube and back. The bounds of linear and logarithmic dimensions map to 0
 * and 1. The values of a dimension with steps share the interval equally and come back rounded. Periodic values are
 * wrapped first; other values outside the bounds map outside [0,1]. fcps_space_from_unit clips. Dimensions without
 * bounds are unchanged. */
void fcps_space_to_unit(const fcps_space *space, const double *values, double *unit);
void fcps_space_from_unit(const fcps_space *space, const double *unit, double *values);

/* wraps[i] = fcps_dimension_wraps(dims[i]). */
void fcps_space_wraps(const fcps_space *space, bool *wraps);

/* levels[i]: the number of values of a dimension with steps, which share its unit interval equally; 0 for other
 * dimensions. Of words it is less than 0, because none is between two others. Returns whether there is one with steps. */
bool fcps_space_levels(const fcps_space *space, double *levels);

#endif
