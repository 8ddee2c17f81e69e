/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of points in the unit cube, and the embedding of a point as the inputs of a model. Functions on sets work in the
 * caller's array and allocate no memory. */
#include "space/points.h"

#include "base/memory.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

void fcps_points_uniform(fcps_rng *rng, int n, int count, double *points)
{
  for (int i = 0; i < count; i++)
    fcps_rng_uniforms(rng, n, points + (size_t)i * (size_t)n);
}

void fcps_points_grid(int n, int per_side, double *points)
{
  size_t count = 1;
  for (int d = 0; d < n; d++)
    count *= (size_t)per_side;
  for (size_t i = 0; i < count; i++) {
    /* the digits of i in base per_side are the coordinates */
    size_t rest = i;
    for (int d = n - 1; d >= 0; d--, rest /= (size_t)per_side) {
      const double digit = (double)(rest % (size_t)per_side);
      points[i * (size_t)n + (size_t)d] = per_side > 1 ? digit / (per_side - 1) : 0.5;
    }
  }
}

/* Each column gets the slices 0 ... count-1 in random order (Fisher-Yates within the column). Each point then gets a
 * random position within its slice. */
fcps_status fcps_points_latin(fcps_rng *rng, int n, int count, double *points)
{
  if (n < 0 || count < 0) return FCPS_ERR_ARGUMENT;
  const size_t stride = (size_t)n;
  for (int d = 0; d < n; d++) {
    double *column = points + d;
    for (int i = 0; i < count; i++) {
      const size_t j = (size_t)fcps_rng_below(rng, (uint64_t)i + 1);
      column[(size_t)i * stride] = column[j * stride];
      column[j * stride] = i;
    }
    for (int i = 0; i < count; i++) {
      double *x = &column[(size_t)i * stride];
      *x = fmin((*x + fcps_rng_uniform(rng)) / count, 1.0);
    }
  }
  return FCPS_OK;
}

static int next_prime(int number)
{
  for (number++;; number++) {
    int divisor = 2;
    while (divisor * divisor <= number && number % divisor != 0)
      divisor++;
    if (divisor * divisor > number) return number;
  }
}

/* The radical inverse: the digits of `index` in `base`, mirrored at the decimal point. */
static double radical_inverse(int base, int index)
{
  double value = 0, weight = 1;
  for (; index > 0; index /= base) {
    weight /= base;
    value += weight * (index % base);
  }
  return value;
}

void fcps_points_halton(fcps_rng *rng, int n, int first, int count, double *points)
{
  int base = 1;
  for (int d = 0; d < n; d++) {
    base = next_prime(base);
    const double shift = fcps_rng_uniform(rng);
    for (int i = 0; i < count; i++) {
      const double x = radical_inverse(base, first + i) + shift;
      points[(size_t)i * (size_t)n + (size_t)d] = x - floor(x);
    }
  }
}

static double squared_distance(int n, const bool *wraps, const double *p, const double *q)
{
  double sum = 0;
  for (int d = 0; d < n; d++) {
    const double gap = wraps != NULL && wraps[d] ? sin(pi * (p[d] - q[d])) : p[d] - q[d];
    sum += gap * gap;
  }
  return sum;
}

/* A face counts as a mirror: a point and its mirror image are apart by twice the point's distance from the face. */
double fcps_points_spread(int n, const bool *wraps, const bool *open, int count, const double *points, const double *p)
{
  double smallest = INFINITY;
  for (int d = 0; d < n; d++) {
    const double to_face = fmin(p[d], 1 - p[d]);
    if ((wraps == NULL || !wraps[d]) && (open == NULL || !open[d])) smallest = fmin(smallest, 4 * to_face * to_face);
  }
  for (int j = 0; j < count; j++) {
    smallest = fmin(smallest, squared_distance(n, wraps, p, points + (size_t)j * (size_t)n));
  }
  return smallest;
}

void fcps_points_maximin(fcps_rng *rng, int n, const bool *wraps, int count, const double *points, int candidates,
                         double *next)
{
  /* a random stream is a value: its copy from before the best candidate is enough to draw that candidate again */
  fcps_rng best = *rng;
  double best_spread = -1;
  for (int c = 0; c < candidates; c++) {
    const fcps_rng here = *rng;
    fcps_rng_uniforms(rng, n, next);
    const double s = fcps_points_spread(n, wraps, NULL, count, points, next);
    if (s > best_spread) {
      best = here;
      best_spread = s;
    }
  }
  fcps_rng_uniforms(&best, n, next);
}

/* -- The embedding and its chain rule: angles become points on circles, words the middles of their shares -- */

/* Scales each property to [0,1] by its range over the words; 0.5 if the range is empty. NULL if there is no memory. */
static double *scale_properties(const fcps_choices *choices)
{
  const int properties = choices->property_count;
  double *scaled = fcps_allocate((size_t)choices->count * (size_t)properties, sizeof *scaled);
  for (int p = 0; p < properties && scaled != NULL; p++) {
    double least = INFINITY, most = -INFINITY;
    for (int w = 0; w < choices->count; w++) {
      least = fmin(least, choices->known[w * properties + p]);
      most = fmax(most, choices->known[w * properties + p]);
    }
    for (int w = 0; w < choices->count; w++)
      scaled[w * properties + p] = most > least ? (choices->known[w * properties + p] - least) / (most - least) : 0.5;
  }
  return scaled;
}

static fcps_status describe(fcps_embedding *e, int coordinate, const fcps_dimension *dim, bool circular)
{
  e->choices[coordinate] = dim->choices;
  if (circular && dim->period != 0) e->turns[coordinate] = fcps_dimension_span(dim) / dim->period;
  if (dim->choices != NULL && dim->choices->property_count > 0) {
    e->known[coordinate] = scale_properties(dim->choices);
    if (e->known[coordinate] == NULL) return FCPS_ERR_MEMORY;
  }
  e->width += fcps_embedding_width(e, coordinate);
  return FCPS_OK;
}

fcps_status fcps_embedding_create(fcps_embedding *embedding, int spaces, const fcps_space *const *space, bool circular)
{
  int count = 0;
  for (int s = 0; s < spaces; s++)
    count += space[s]->count;
  const size_t n = (size_t)count;
  *embedding = (fcps_embedding){.turns = fcps_allocate(n, sizeof(double)),
                                .choices = fcps_allocate(n, sizeof(const fcps_choices *)),
                                .known = fcps_allocate(n, sizeof(double *))};
  const bool has_room = embedding->turns != NULL && embedding->choices != NULL && embedding->known != NULL;
  fcps_status status = has_room ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int s = 0; s < spaces && status == FCPS_OK; s++)
    for (int i = 0; i < space[s]->count && status == FCPS_OK; i++)
      status = describe(embedding, embedding->count++, &space[s]->dims[i], circular);
  if (status != FCPS_OK) fcps_embedding_destroy(embedding);
  return status;
}

void fcps_embedding_destroy(fcps_embedding *embedding)
{
  if (embedding == NULL) return;
  for (int i = 0; i < embedding->count; i++)
    free(embedding->known[i]);
  free(embedding->turns);
  free(embedding->choices);
  free(embedding->known);
  *embedding = (fcps_embedding){0};
}

int fcps_embedding_width(const fcps_embedding *embedding, int coordinate)
{
  if (embedding->choices[coordinate] != NULL) return 1 + embedding->choices[coordinate]->property_count;
  return embedding->turns[coordinate] != 0 ? 2 : 1;
}

/* Writes the features of the word at a coordinate: the middle of its share of the interval, then its properties. */
static void embed_word(const fcps_choices *choices, const double *known, double unit, double *features)
{
  const int word = (int)fmin(fmax(floor(unit * choices->count), 0.0), choices->count - 1.0);
  *features++ = (word + 0.5) / choices->count;
  for (int p = 0; p < choices->property_count; p++)
    *features++ = known[word * choices->property_count + p];
}

void fcps_embed(const fcps_embedding *embedding, const double *unit, double *features)
{
  for (int i = 0; i < embedding->count; i++) {
    const double turns = embedding->turns[i];
    if (embedding->choices[i] != NULL) {
      embed_word(embedding->choices[i], embedding->known[i], unit[i], features);
      features += fcps_embedding_width(embedding, i);
    } else if (turns == 0) {
      *features++ = unit[i];
    } else {
      const double angle = 2 * pi * turns * unit[i];
      *features++ = cos(angle) / 2;
      *features++ = sin(angle) / 2;
    }
  }
}

/* For a periodic dimension, d/du (cos a, sin a)/2 = pi turns (-sin a, cos a). */
void fcps_embed_gradient(const fcps_embedding *embedding, const double *unit, const double *feature_gradient,
                         double *unit_gradient)
{
  const double *g = feature_gradient;
  for (int i = 0; i < embedding->count; i++) {
    const double turns = embedding->turns[i];
    if (embedding->choices[i] != NULL) {
      unit_gradient[i] = 0.0;
      g += fcps_embedding_width(embedding, i);
    } else if (turns == 0) {
      unit_gradient[i] = *g++;
    } else {
      const double angle = 2 * pi * turns * unit[i];
      unit_gradient[i] = pi * turns * (cos(angle) * g[1] - sin(angle) * g[0]);
      g += 2;
    }
  }
}

/* For a periodic dimension, d^2/du^2 (cos a, sin a)/2 = -2 pi^2 turns^2 (cos a, sin a). */
void fcps_embed_curve(const fcps_embedding *embedding, const double *unit, int coordinate, double *velocity,
                      double *acceleration)
{
  for (int i = 0; i < embedding->width; i++)
    velocity[i] = acceleration[i] = 0.0;
  int first = 0;
  for (int i = 0; i < coordinate; i++)
    first += fcps_embedding_width(embedding, i);
  if (embedding->choices[coordinate] != NULL) return;
  const double rate = pi * embedding->turns[coordinate], angle = 2 * rate * unit[coordinate];
  if (rate == 0) {
    velocity[first] = 1.0;
    return;
  }
  velocity[first] = -rate * sin(angle);
  velocity[first + 1] = rate * cos(angle);
  acceleration[first] = -2 * rate * rate * cos(angle);
  acceleration[first + 1] = -2 * rate * rate * sin(angle);
}
