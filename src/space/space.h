/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces: checking, copying, looking up, and scaling to the unit cube. */
#ifndef FCPS_SPACE_SPACE_H
#define FCPS_SPACE_SPACE_H

#include <fcps/space.h>

/* Values beyond this are no measurements: their squares would overflow. They count as not finite. */
#define FCPS_VALUE_LIMIT 1e100

/* Checks names (identifiers, not too long, unique within the space), bounds, period and scale. `label` ("target", ...)
 * begins the field of an error. Dimensions that are measured (`is_measured`: outcomes) may have lower == upper == 0,
 * meaning no bounds, and have neither period nor scale. */
fcps_status fcps_space_check(const fcps_space *space, const char *label, bool is_measured, fcps_error *error);

/* A deep copy; freed with fcps_space_free. */
fcps_status fcps_space_copy(const fcps_space *space, fcps_space *copy);
void fcps_space_free(fcps_space *space);

/* Index of a dimension by name; -1 when missing. */
int fcps_space_find(const fcps_space *space, const char *name);

/* Whether two spaces mean the same: they are equal in every field but the unit, which is for people. */
bool fcps_space_alike(const fcps_space *a, const fcps_space *b);

/* Whether two spaces are the same in every field. */
bool fcps_space_equal(const fcps_space *a, const fcps_space *b);

/* How much of a dimension the unit interval covers: its range, for integers one more; 1 where there are no bounds. */
double fcps_dimension_span(const fcps_dimension *dim);

/* Whether a dimension is a full circle: its span is its period. */
bool fcps_dimension_wraps(const fcps_dimension *dim);

/* `value` moved by whole periods into the bounds; as it is where that is impossible or needless. */
double fcps_dimension_wrap(const fcps_dimension *dim, double value);

/* `value` or the bound beyond which it is; as it is where there are none. */
double fcps_dimension_clip(const fcps_dimension *dim, double value);

/* Refuses values that are not there (NULL, where there are dimensions), are not finite, have no logarithm where the
 * scale wants one, or (with `bounded`) lie outside their bounds, with the field named. Values of a periodic dimension
 * are first wrapped into the range where that is possible. A value outside by less than 1e-9 of the range counts as
 * inside. */
fcps_status fcps_space_check_values(const fcps_space *space, const char *label, const double *values, bool bounded,
                                    fcps_error *error);

/* `values` -> unit cube and back, for one point. Linear and logarithmic dimensions map bounds to 0 and 1; integers
 * share the interval equally, and come back rounded. Periodic values are wrapped first, other values outside the bounds
 * map outside [0,1]; fcps_space_from_unit clips. Dimensions without bounds stay as they are. */
void fcps_space_to_unit(const fcps_space *space, const double *values, double *unit);
void fcps_space_from_unit(const fcps_space *space, const double *unit, double *values);

/* wraps[i] = fcps_dimension_wraps(dims[i]). */
void fcps_space_wraps(const fcps_space *space, bool *wraps);

/* levels[i]: how many values an integer dimension has, which share its unit interval equally; 0 for others. Whether
 * there is an integer. */
bool fcps_space_levels(const fcps_space *space, double *levels);

#endif
