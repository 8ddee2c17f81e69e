/* SPDX-License-Identifier: Apache-2.0 */
/* From unit-cube coordinates to the inputs of a model. A periodic dimension may become a point on a circle,
 *   u -> (cos a, sin a)/2,   a = 2 pi u range/period,
 * so that its two ends are neighbours. A word becomes the middle of its share of the interval, followed by its
 * properties, each scaled to [0,1] by its range over the words. Every other coordinate stays as it is.
 */
#ifndef FCPS_SPACE_EMBEDDING_H
#define FCPS_SPACE_EMBEDDING_H

#include <fcps/space.h>

typedef struct fcps_embedding {
  int count;                    /* coordinates in */
  int width;                    /* features out */
  double *turns;                /* for each coordinate: 0 = as it is, else range/period */
  const fcps_choices **choices; /* of each coordinate, borrowed from the space; NULL: it is a number */
  double **known;               /* of each coordinate: words x properties, in [0,1]; NULL: no properties */
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
