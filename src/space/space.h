/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces: checking, copying, finding, and scaling to the unit cube, in which all models and searches work.
 *
 * A dimension with a step (fcps_dimension_step) has finitely many values, its levels; an integer has step 1. The levels
 * share the unit interval equally, so that the first and last levels are as likely as the others. */
#ifndef FCPS_SPACE_SPACE_H
#define FCPS_SPACE_SPACE_H

#include <fcps/space.h>

/* Values beyond this limit count as not finite, because their squares might overflow. */
#define FCPS_VALUE_LIMIT 1e100

/* A smaller linear range is refused: the square of its inverse might overflow. */
#define FCPS_RANGE_LEAST 1e-100

/* Checks names (identifiers, not too long, unique within the space), bounds, period and scale. The field of an error
 * begins with `label` ("target", ...). If `is_measured`, the dimensions are outcomes: an outcome may have lower ==
 * upper == 0, which means no bounds, and must have neither period nor scale. */
fcps_status fcps_space_check(const fcps_space *space, const char *label, bool is_measured, fcps_error *error);

/* Makes a deep copy, which fcps_space_free frees. */
fcps_status fcps_space_copy(const fcps_space *space, fcps_space *copy);
void fcps_space_free(fcps_space *space);

/* The index of a dimension by name; -1 if there is no such dimension. */
int fcps_space_find(const fcps_space *space, const char *name);

/* Whether two spaces mean the same: they are equal in every field but the unit, which is only for people. */
bool fcps_space_alike(const fcps_space *a, const fcps_space *b);

/* Whether two spaces are the same in every field. */
bool fcps_space_equal(const fcps_space *a, const fcps_space *b);

/* Whether two lists of choices are the same in every field; either may be NULL. */
bool fcps_choices_equal(const fcps_choices *a, const fcps_choices *b);

/* Whether both choose among the same words in the same order. */
bool fcps_choices_same_words(const fcps_choices *a, const fcps_choices *b);

/* Checks the choices of a dimension. An error names `field`. (choices.c) */
fcps_status fcps_choices_check(const fcps_dimension *dim, const char *field, fcps_error *error);

/* Makes the error for a word that is not among the choices of a dimension. It names the nearest word, or lists all
 * words. (choices.c) */
fcps_status fcps_choices_refuse(const fcps_dimension *dim, const char *word, const char *field, fcps_error *error);

/* The distance between neighbouring values: 1 for integers; 0 if every number is allowed. */
double fcps_dimension_step(const fcps_dimension *dim);

/* The length for which the unit interval stands: the range, plus one step if there are steps; 1 if there are no
 * bounds. */
double fcps_dimension_span(const fcps_dimension *dim);

/* The first dimension, from number `first` on, whose value is not one of its steps; -1 if all values are. */
int fcps_space_find_off_step(const fcps_space *space, const double *values, int first);

/* Whether a dimension is a full circle: its span is its period. */
bool fcps_dimension_wraps(const fcps_dimension *dim);

/* Returns `value` moved by whole periods into the bounds; unchanged if that is impossible or not needed. */
double fcps_dimension_wrap(const fcps_dimension *dim, double value);

/* Returns `value` clipped to the bounds; unchanged if there are no bounds. */
double fcps_dimension_clip(const fcps_dimension *dim, double value);

/* Checks values. Refuses them if they are NULL or not finite, if the scale needs the logarithm of a number that has
 * none, or, with `bounded`, if they are outside their bounds. The error names the field. Values of a periodic dimension
 * are first moved into the range if possible. A value that is outside by less than 1e-9 of the range counts as
 * inside. */
fcps_status fcps_space_check_values(const fcps_space *space, const char *label, const double *values, bool bounded,
                                    fcps_error *error);

/* The first dimension, from number `first` on, whose value is outside its bounds by the same rules; -1 if all are
 * inside. Skips values that are not finite. */
int fcps_space_find_outside(const fcps_space *space, const double *values, int first);

/* How far `value` is outside the bounds, measured in the unit cube; 0 if it is inside. On a circle the shorter way
 * counts. */
double fcps_dimension_beyond(const fcps_dimension *dim, double value);

/* Whether both dimensions have the same unit, or both have no unit. */
bool fcps_dimension_has_unit_of(const fcps_dimension *a, const fcps_dimension *b);

/* Map one point from its values to the unit cube and back. The bounds of linear and logarithmic dimensions map to 0 and
 * 1. The values of a dimension with steps share the interval equally, and come back rounded to a step. Periodic values
 * are first moved into the bounds; other values outside the bounds map outside [0,1]. fcps_space_from_unit clips to the
 * bounds. Dimensions without bounds are unchanged. */
void fcps_space_to_unit(const fcps_space *space, const double *values, double *unit);
void fcps_space_from_unit(const fcps_space *space, const double *unit, double *values);

/* Writes wraps[i] = fcps_dimension_wraps(dims[i]). */
void fcps_space_wraps(const fcps_space *space, bool *wraps);

/* Writes for each dimension how many values share the unit interval: levels[i] > 0 is their number for a dimension with
 * steps; levels[i] < 0 is minus the number of words, which have no order; 0 means that every number is allowed. Returns
 * whether any dimension has steps or words. */
bool fcps_space_levels(const fcps_space *space, double *levels);

/* -- Embedding (points.c) -- */

/* From unit-cube coordinates to the inputs of a model. A periodic dimension may become a point on a circle,
 *   u -> (cos a, sin a)/2,   a = 2 pi u range/period,
 * so that its two ends are neighbours. A word becomes the middle of its share of the interval, followed by its
 * properties, each scaled to [0,1] by its range over the words. Every other coordinate stays as it is. */

typedef struct fcps_embedding {
  int count;                    /* number of coordinates: the input */
  int width;                    /* number of features: the output */
  double *turns;                /* per coordinate: range/period, or 0 for a coordinate that stays as it is */
  const fcps_choices **choices; /* per coordinate, borrowed from the space: its words; NULL: it is a number */
  double **known;               /* per coordinate: its properties, words x properties, in [0,1]; NULL: it has none */
} fcps_embedding;

/* The embedding of several spaces, one after the other. With `circular` false, periodic dimensions stay as they are. */
fcps_status fcps_embedding_create(fcps_embedding *embedding, int spaces, const fcps_space *const *space, bool circular);
void fcps_embedding_destroy(fcps_embedding *embedding);

/* The number of features of one coordinate. */
int fcps_embedding_width(const fcps_embedding *embedding, int coordinate);

/* Writes the `width` features of one point. */
void fcps_embed(const fcps_embedding *embedding, const double *unit, double *features);

/* The chain rule: turns the gradient with respect to the features (width) into `unit_gradient` (count). */
void fcps_embed_gradient(const fcps_embedding *embedding, const double *unit, const double *feature_gradient,
                         double *unit_gradient);

/* First and second derivatives of all features (width each) with respect to one coordinate. */
void fcps_embed_curve(const fcps_embedding *embedding, const double *unit, int coordinate, double *velocity,
                      double *acceleration);

#endif
