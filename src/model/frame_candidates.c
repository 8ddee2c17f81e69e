/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates: planar pairs by name and unit, angles by period, and their combinations. */
#include "model/frame_candidates.h"

#include "model/model.h"
#include "space/space.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.28318530717958647692;

/* -- Planar pairs -- */

/* Whether the names are the same but for one letter, an x in the first and a y in the second. */
static bool is_x_and_y(const char *a, const char *b)
{
  int differing = 0;
  if (strlen(a) != strlen(b)) return false;
  for (size_t i = 0; a[i] != '\0'; i++) {
    if (a[i] == b[i]) continue;
    if (!((a[i] == 'x' && b[i] == 'y') || (a[i] == 'X' && b[i] == 'Y'))) return false;
    differing++;
  }
  return differing == 1;
}

static bool is_plain(const fcps_dimension *dim)
{
  return dim->period == 0 && dim->scale == FCPS_SCALE_LINEAR;
}

static bool is_planar(const fcps_dimension *a, const fcps_dimension *b)
{
  return is_plain(a) && is_plain(b) && fcps_dimension_has_unit_of(a, b) && is_x_and_y(a->name, b->name);
}

/* Outcomes that the reward weighs differently, or not at all, are no plane. */
static bool has_same_weight(const fcps_model *model, int i, int j)
{
  const double *weights = model->settings.norm.weights;
  return weights == NULL || (weights[i] > 0 && fabs(weights[i] - weights[j]) <= 1e-9 * weights[i]);
}

static int find_outcome_pairs(const fcps_model *model, fcps_frame_pair *pairs)
{
  const fcps_space *space = &model->problem->outcome;
  int count = 0;
  for (int i = 0; i < space->count; i++)
    for (int j = 0; j < space->count && count < FCPS_FRAME_PAIRS; j++)
      if (i != j && is_planar(space->dims + i, space->dims + j) && has_same_weight(model, i, j))
        pairs[count++] = (fcps_frame_pair){.first = i, .second = j};
  const bool are_two = count == 0 && space->count == 2 && fcps_dimension_has_unit_of(space->dims, space->dims + 1);
  if (are_two && has_same_weight(model, 0, 1)) pairs[count++] = (fcps_frame_pair){.first = 0, .second = 1};
  return count;
}

/* The feature of a coordinate of an embedding, from `first` on. */
static int feature_of(const fcps_embedding *embedding, int first, int coordinate)
{
  for (int i = 0; i < coordinate; i++)
    first += embedding->turns[i] != 0 ? 2 : 1;
  return first;
}

/* Vectors among the inputs, of a space whose features begin at `first`. Their origin is zero where that is within the
 * bounds, as it is for a stroke, else the middle. */
static int find_vectors(const fcps_space *space, const fcps_embedding *embedding, int first, fcps_frame_vector *vectors)
{
  int count = 0;
  for (int i = 0; i < space->count; i++)
    for (int j = 0; j < space->count && count < FCPS_FRAME_PAIRS; j++) {
      const fcps_dimension *a = space->dims + i, *b = space->dims + j;
      if (i == j || !is_planar(a, b)) continue;
      const bool has_zero = a->lower <= 0 && a->upper >= 0 && b->lower <= 0 && b->upper >= 0;
      const double span[2] = {fcps_dimension_span(a), fcps_dimension_span(b)};
      vectors[count++] =
          (fcps_frame_vector){.first = feature_of(embedding, first, i),
                              .second = feature_of(embedding, first, j),
                              .origin = {has_zero ? -a->lower / span[0] : 0.5, has_zero ? -b->lower / span[1] : 0.5},
                              .span = {span[0], span[1]}};
    }
  return count;
}

/* The vector of an environment that has the unit of the outcomes, as a position. */
static bool find_base(const fcps_model *model, const fcps_frame_pair *pair, fcps_frame_vector *base)
{
  const fcps_space *space = &model->problem->environment;
  const fcps_dimension *outcome = model->problem->outcome.dims + pair->first;
  for (int i = 0; i < space->count; i++)
    for (int j = 0; j < space->count; j++) {
      const fcps_dimension *a = space->dims + i, *b = space->dims + j;
      if (i == j || !is_planar(a, b) || !fcps_dimension_has_unit_of(a, outcome)) continue;
      const double span[2] = {fcps_dimension_span(a), fcps_dimension_span(b)};
      *base = (fcps_frame_vector){.first = feature_of(&model->context, 0, i),
                                  .second = feature_of(&model->context, 0, j),
                                  .origin = {-a->lower / span[0], -b->lower / span[1]},
                                  .span = {span[0], span[1]}};
      return true;
    }
  return false;
}

/* -- Combinations -- */

/* What the frames of a problem have in common. */
typedef struct parts {
  int pair_count, parameter_count, environment_count;
  fcps_frame_pair pairs[FCPS_FRAME_PAIRS];
  fcps_frame_vector parameters[FCPS_FRAME_PAIRS], environments[FCPS_FRAME_PAIRS];
  bool has_base;
  fcps_frame_vector base;
} parts;

static void add_vectors(int count, const fcps_frame_vector *vectors, fcps_frame *frame)
{
  for (int i = 0; i < count && frame->input_count < FCPS_FRAME_PAIRS; i++)
    frame->inputs[frame->input_count++] = vectors[i];
}

static void list(fcps_frame frame, const parts *p, fcps_frame *frames, int *count)
{
  for (int is_relative = 0; is_relative <= p->has_base; is_relative++) {
    for (int i = 0; i < frame.pair_count; i++) {
      frame.pairs[i].is_relative = is_relative;
      if (is_relative) frame.pairs[i].base = p->base;
    }
    if (*count < FCPS_FRAME_CANDIDATES) frames[(*count)++] = frame;
  }
}

/* The frames of one angle: which inputs turn with it. */
static void list_inputs(fcps_frame frame, const parts *p, fcps_frame *frames, int *count)
{
  frame.pair_count = p->pair_count;
  memcpy(frame.pairs, p->pairs, sizeof p->pairs);
  list(frame, p, frames, count);
  add_vectors(p->parameter_count, p->parameters, &frame);
  if (p->parameter_count > 0) list(frame, p, frames, count);
  add_vectors(p->environment_count, p->environments, &frame);
  if (p->environment_count > 0) list(frame, p, frames, count);
}

static void list_circles(const fcps_space *space, const fcps_embedding *embedding, int first, const parts *p,
                         fcps_frame *frames, int *count)
{
  for (int i = 0; i < space->count; i++) {
    const double phase = embedding->turns[i] != 0 ? two_pi * space->dims[i].lower / space->dims[i].period : 0.0;
    for (int sign = 1; sign >= -1 && embedding->turns[i] != 0; sign -= 2)
      list_inputs((fcps_frame){.angle = FCPS_FRAME_CIRCLE,
                               .sign = sign,
                               .cosine = feature_of(embedding, first, i),
                               .phase = {cos(phase), sin(phase)}},
                  p, frames, count);
  }
}

/* A vector that gives the direction turns itself: what is left of it is its length. */
static void list_directions(const parts *p, fcps_frame *frames, int *count)
{
  for (int i = 0; i < p->parameter_count; i++) {
    fcps_frame frame = {
        .angle = FCPS_FRAME_DIRECTION, .sign = 1, .vector = p->parameters[i], .pair_count = p->pair_count};
    memcpy(frame.pairs, p->pairs, sizeof p->pairs);
    add_vectors(p->parameter_count, p->parameters, &frame);
    list(frame, p, frames, count);
  }
}

int fcps_frame_candidates_find(const fcps_model *model, fcps_frame frames[FCPS_FRAME_CANDIDATES])
{
  const fcps_problem *problem = model->problem;
  const int first = model->context.width;
  int count = 1;
  parts p = {.pair_count = 0};
  frames[0] = (fcps_frame){.angle = FCPS_FRAME_NONE};
  p.pair_count = find_outcome_pairs(model, p.pairs);
  if (p.pair_count == 0) return count;
  p.parameter_count = find_vectors(&problem->parameters, &model->parameters, first, p.parameters);
  p.environment_count = find_vectors(&problem->environment, &model->context, 0, p.environments);
  p.has_base = find_base(model, p.pairs, &p.base);
  list_circles(&problem->parameters, &model->parameters, first, &p, frames, &count);
  list_circles(&problem->environment, &model->context, 0, &p, frames, &count);
  list_directions(&p, frames, &count);
  return count;
}
