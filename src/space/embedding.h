/* SPDX-License-Identifier: Apache-2.0 */
/* From unit-cube coordinates to the inputs of a model: a periodic dimension may become a point on a circle,
 *   u -> (cos a, sin a)/2,   a = 2 pi u range/period,
 * so that its two ends are neighbours. A word becomes the middle of its share of the interval, and what is known of it,
 * each property in [0,1] by its range over the words. Every other coordinate stays as it is.
 */
#ifndef FCPS_SPACE_EMBEDDING_H
#define FCPS_SPACE_EMBEDDING_H

#include <fcps/space.h>

typedef struct fcps_embedding {
  int count;                    /* coordinates in */
  int width;                    /* features out */
  double *turns;                /* for each coordinate: 0 = as it is, else range/period */
  const fcps_choices **choices; /* of each coordinate: borrowed from the space; NULL: a number */
  double **known;               /* of each coordinate that has words with properties: words x properties, in [0,1] */
} fcps_embedding;

/* The embedding of several spaces, one after the other. With `circular` false, periodic dimensions stay as they are. */
fcps_status fcps_embedding_create(fcps_embedding *embedding, int spaces, const fcps_space *const *space, bool circular);
void fcps_embedding_destroy(fcps_embedding *embedding);

/* The features of one coordinate. */
int fcps_embedding_width(const fcps_embedding *embedding, int coordinate);

/* Features of one point. `features` has `width` numbers. */
void fcps_embed(const fcps_embedding *embedding, const double *unit, double *features);

/* Chain rule: `unit_gradient` (count) from the gradient with respect to the features (width). */
void fcps_embed_gradient(const fcps_embedding *embedding, const double *unit, const double *feature_gradient,
                         double *unit_gradient);

/* First and second derivatives of all features (width each) with respect to one coordinate. */
void fcps_embed_curve(const fcps_embedding *embedding, const double *unit, int coordinate, double *velocity,
                      double *acceleration);

#endif
