/* SPDX-License-Identifier: Apache-2.0 */
/* The embedding of periodic dimensions as points on circles, of words as places and properties, and its chain rule. */
#include "space/space.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* Scales each property to [0,1] by its range over the words; 0.5 if all words have the same value. NULL without memory.
 */
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

/* A periodic dimension contributes d/du (cos a, sin a)/2 = pi turns (-sin a, cos a). */
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

/* Here d^2/du^2 (cos a, sin a)/2 = -2 pi^2 turns^2 (cos a, sin a). */
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
