/* SPDX-License-Identifier: Apache-2.0 */
/* The embedding of periodic dimensions as points on circles, and its chain rule. */
#include "space/embedding.h"

#include "base/memory.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

fcps_status fcps_embedding_create(fcps_embedding *embedding, int spaces, const fcps_space *const *space, bool circular)
{
  int count = 0;
  for (int s = 0; s < spaces; s++)
    count += space[s]->count;
  double *turns = fcps_allocate((size_t)count, sizeof *turns);
  if (turns == NULL) return FCPS_ERR_MEMORY;

  *embedding = (fcps_embedding){.count = count, .width = count, .turns = turns};
  for (int s = 0, k = 0; s < spaces; s++) {
    for (int i = 0; i < space[s]->count; i++, k++) {
      const fcps_dimension *dim = &space[s]->dims[i];
      if (!circular || dim->period == 0) continue;
      turns[k] = fcps_dimension_span(dim) / dim->period;
      embedding->width++;
    }
  }
  return FCPS_OK;
}

void fcps_embedding_destroy(fcps_embedding *embedding)
{
  if (embedding == NULL) return;
  free(embedding->turns);
  *embedding = (fcps_embedding){0};
}

void fcps_embed(const fcps_embedding *embedding, const double *unit, double *features)
{
  for (int i = 0; i < embedding->count; i++) {
    const double turns = embedding->turns[i];
    if (turns == 0) {
      *features++ = unit[i];
    } else {
      const double angle = 2 * pi * turns * unit[i];
      *features++ = cos(angle) / 2;
      *features++ = sin(angle) / 2;
    }
  }
}

/* d/du (cos a, sin a)/2 = pi turns (-sin a, cos a). */
void fcps_embed_gradient(const fcps_embedding *embedding, const double *unit, const double *feature_gradient,
                         double *unit_gradient)
{
  const double *g = feature_gradient;
  for (int i = 0; i < embedding->count; i++) {
    const double turns = embedding->turns[i];
    if (turns == 0) {
      unit_gradient[i] = *g++;
    } else {
      const double angle = 2 * pi * turns * unit[i];
      unit_gradient[i] = pi * turns * (cos(angle) * g[1] - sin(angle) * g[0]);
      g += 2;
    }
  }
}

/* d^2/du^2 (cos a, sin a)/2 = -2 pi^2 turns^2 (cos a, sin a). */
void fcps_embed_curve(const fcps_embedding *embedding, const double *unit, int coordinate, double *velocity,
                      double *acceleration)
{
  for (int i = 0; i < embedding->width; i++)
    velocity[i] = acceleration[i] = 0.0;
  int first = 0;
  for (int i = 0; i < coordinate; i++)
    first += embedding->turns[i] == 0 ? 1 : 2;
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
