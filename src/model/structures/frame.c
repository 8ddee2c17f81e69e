/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes that turn with an angle: which frames a problem may have, and what one changes.
 *
 * The frames follow from the spaces alone. An angle is a periodic parameter or environment, or the direction of a planar vector
 * among the parameters. Two dimensions are a planar vector if they have the same unit and names that differ in x and y
 * (land_x and land_y); two outcomes also if there are only two. With each angle all planar pairs of outcomes turn, in both
 * senses, and with them no inputs, those of the parameters, or also those of the environment. If the environment has a
 * vector of the outcomes' unit, outcomes may also be measured from it.
 *
 * In a frame the features of its angle have longer lengths a priori: what is left of the angle is local.
 *
 * Invariant: the same problem gives the same frames in the same order. */
#include "model/structures/frame.h"

#include "space/space.h"

#include <math.h>
#include <stdio.h>
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

/* Outcomes that the reward weighs differently, or not at all, are not a plane. */
static bool has_same_weight(const fcps_layout *layout, int i, int j)
{
  const double *weights = layout->weights;
  return weights == NULL || (weights[i] > 0 && fabs(weights[i] - weights[j]) <= 1e-9 * weights[i]);
}

static int find_outcome_pairs(const fcps_layout *layout, fcps_frame_pair *pairs)
{
  const fcps_space *space = &layout->problem->outcome;
  int count = 0;
  for (int i = 0; i < space->count; i++)
    for (int j = 0; j < space->count && count < FCPS_FRAME_PAIRS; j++)
      if (i != j && is_planar(space->dims + i, space->dims + j) && has_same_weight(layout, i, j))
        pairs[count++] = (fcps_frame_pair){.first = i, .second = j};
  const bool are_two = count == 0 && space->count == 2 && fcps_dimension_has_unit_of(space->dims, space->dims + 1);
  if (are_two && has_same_weight(layout, 0, 1)) pairs[count++] = (fcps_frame_pair){.first = 0, .second = 1};
  return count;
}

/* The feature of a coordinate of an embedding, from `first` on. */
static int feature_of(const fcps_embedding *embedding, int first, int coordinate)
{
  for (int i = 0; i < coordinate; i++)
    first += fcps_embedding_width(embedding, i);
  return first;
}

/* Dimensions i and j of a space whose features begin at `first`, seen from an origin. */
static fcps_frame_vector vector_of(const fcps_space *space, const fcps_embedding *embedding, int first, int i, int j,
                                   const double *origin)
{
  return (fcps_frame_vector){.first = feature_of(embedding, first, i),
                             .second = feature_of(embedding, first, j),
                             .origin = {origin[0], origin[1]},
                             .span = {fcps_dimension_span(space->dims + i), fcps_dimension_span(space->dims + j)}};
}

/* Where a dimension is zero, as a share of its range. */
static double zero_of(const fcps_dimension *dim)
{
  return -dim->lower / fcps_dimension_span(dim);
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
      const double origin[2] = {has_zero ? zero_of(a) : 0.5, has_zero ? zero_of(b) : 0.5};
      vectors[count++] = vector_of(space, embedding, first, i, j, origin);
    }
  return count;
}

/* The vector of an environment that has the unit of the outcomes, as a position. */
static bool find_base(const fcps_layout *layout, const fcps_frame_pair *pair, fcps_frame_vector *base)
{
  const fcps_space *space = &layout->problem->environment;
  const fcps_dimension *outcome = layout->problem->outcome.dims + pair->first;
  for (int i = 0; i < space->count; i++)
    for (int j = 0; j < space->count; j++) {
      const fcps_dimension *a = space->dims + i, *b = space->dims + j;
      if (i == j || !is_planar(a, b) || !fcps_dimension_has_unit_of(a, outcome)) continue;
      const double origin[2] = {zero_of(a), zero_of(b)};
      *base = vector_of(space, &layout->context, 0, i, j, origin);
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
    if (*count < FCPS_PROPOSALS) frames[(*count)++] = frame;
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

/* Writes all frames that the problem may have, at most FCPS_PROPOSALS, and returns how many there are. */
static int find_frames(const fcps_layout *layout, fcps_frame *frames)
{
  const fcps_problem *problem = layout->problem;
  const int first = layout->context.width;
  int count = 0;
  parts p = {.pair_count = 0};
  memset(frames, 0, FCPS_PROPOSALS * sizeof *frames); /* states are compared as bytes */
  p.pair_count = find_outcome_pairs(layout, p.pairs);
  if (p.pair_count == 0) return 0;
  p.parameter_count = find_vectors(&problem->parameters, &layout->parameters, first, p.parameters);
  p.environment_count = find_vectors(&problem->environment, &layout->context, 0, p.environments);
  p.has_base = find_base(layout, p.pairs, &p.base);
  list_circles(&problem->parameters, &layout->parameters, first, &p, frames, &count);
  list_circles(&problem->environment, &layout->context, 0, &p, frames, &count);
  list_directions(&p, frames, &count);
  return count;
}

/* -- In words -- */

static void append(size_t size, char *text, const char *more)
{
  const size_t used = strlen(text);
  if (used + 1 < size) snprintf(text + used, size - used, "%s", more);
}

static void append_vector(const fcps_frame_vector *v, const fcps_layout *layout, size_t size, char *text)
{
  append(size, text, fcps_layout_feature_name(layout, v->first));
  append(size, text, ", ");
  append(size, text, fcps_layout_feature_name(layout, v->second));
}

static char *put_words(const fcps_layout *layout, const fcps_frame *frame, size_t size, char *text)
{
  const fcps_dimension *outcome = layout->problem->outcome.dims;
  text[0] = '\0';
  for (int i = 0; i < frame->pair_count; i++) {
    const fcps_frame_pair *p = frame->pairs + i;
    append(size, text, i > 0 ? ", " : "");
    append(size, text, outcome[p->first].name);
    append(size, text, ", ");
    append(size, text, outcome[p->second].name);
    if (!p->is_relative) continue;
    append(size, text, " (from ");
    append_vector(&p->base, layout, size, text);
    append(size, text, ")");
  }
  for (int i = 0; i < frame->input_count; i++) {
    append(size, text, ", ");
    append_vector(frame->inputs + i, layout, size, text);
  }
  append(size, text, frame->sign > 0 ? " turn with " : " turn against ");
  if (frame->angle == FCPS_FRAME_CIRCLE) {
    append(size, text, fcps_layout_feature_name(layout, frame->cosine));
  } else {
    append(size, text, "the direction of ");
    append_vector(&frame->vector, layout, size, text);
  }
  return text;
}

/* -- What it changes -- */

/* Factor of the length prior for the features of a frame's angle. */
static const double angle_stretch = 3.0;

static fcps_status edit(const void *state, const fcps_layout *layout, fcps_description *description)
{
  const fcps_frame *frame = state;
  (void)layout;
  for (int i = 0; i < 2 && frame->angle == FCPS_FRAME_CIRCLE; i++)
    description->stretch[frame->cosine + i] = fmax(description->stretch[frame->cosine + i], angle_stretch);
  description->pair_count = frame->pair_count;
  for (int i = 0; i < frame->pair_count; i++) {
    description->pairs[2 * i] = frame->pairs[i].first;
    description->pairs[2 * i + 1] = frame->pairs[i].second;
  }
  return FCPS_OK;
}

static void see(const void *state, const fcps_layout *layout, const double *features, int order, double *inputs,
                double *outcome)
{
  (void)layout, (void)order;
  if (outcome != NULL) fcps_frame_turn_outcome(state, features, outcome);
  if (inputs != NULL) fcps_frame_turn_inputs(state, features, inputs);
}

/* -- What may be believed -- */

static fcps_status propose(const fcps_look *look, fcps_structure *proposals, int *count)
{
  fcps_frame frames[FCPS_PROPOSALS];
  fcps_status status = FCPS_OK;
  const int found = find_frames(look->layout, frames);
  for (*count = 0; *count < found && status == FCPS_OK; (*count)++)
    status = fcps_structure_set(proposals + *count, sizeof *frames, frames + *count);
  return status;
}

/* What each pair of inputs that turns costs, and what it costs to measure outcomes from elsewhere: of frames that explain the
 * outcomes alike the simplest is believed. A direction's own vector costs nothing: without it there is no such frame. */
static double log_prior(const fcps_layout *layout, const void *state)
{
  static const double price = 2.0;
  const fcps_frame *frame = state;
  (void)layout;
  const int inputs = frame->input_count - (frame->angle == FCPS_FRAME_DIRECTION ? 1 : 0);
  return -price * (inputs + (frame->pairs[0].is_relative ? 1 : 0));
}

/* A frame is judged by the outcomes that turn in it alone. The others are the same in every frame, but their
 * evidence under the pairs' hyper-parameters is not, and an outcome that hardly varies, such as the height of a
 * sliding block, would decide. */
static bool counts(const fcps_layout *layout, int output)
{
  fcps_frame_pair pairs[FCPS_FRAME_PAIRS];
  const int count = find_outcome_pairs(layout, pairs);
  for (int i = 0; i < count; i++)
    if (pairs[i].first == output || pairs[i].second == output) return true;
  return false;
}

/* The frame with these words; false: there is none. */
static bool find_by_words(const fcps_layout *layout, const char *words, fcps_frame *found)
{
  fcps_frame frames[FCPS_PROPOSALS];
  char text[FCPS_FRAME_WORDS];
  const int count = find_frames(layout, frames);
  for (int i = 0; i < count; i++) {
    if (words == NULL || strcmp(put_words(layout, frames + i, sizeof text, text), words) != 0) continue;
    *found = frames[i];
    return true;
  }
  return false;
}

static fcps_status begin(const fcps_look *look, fcps_structure *structure)
{
  fcps_frame frame;
  if (look->settings->frame != FCPS_STRUCTURE_ON || !find_by_words(look->layout, look->settings->frame_words, &frame))
    return FCPS_OK;
  return fcps_structure_set(structure, sizeof frame, &frame);
}

char *fcps_frame_list(const fcps_layout *layout, size_t size, char *text)
{
  fcps_frame frames[FCPS_PROPOSALS];
  char words[FCPS_FRAME_WORDS];
  const int count = find_frames(layout, frames);
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < count; i++) {
    const char *one = put_words(layout, frames + i, sizeof words, words), *before = i == 0 ? ", or: " : "; ";
    if (used + strlen(before) + strlen(one) >= size) break;
    used += (size_t)snprintf(text + used, size - used, "%s%s", before, one);
  }
  return text;
}

/* The number of places after which a design may end: two if it is decided that outcomes turn and with what,
 * because the model then knows more of all directions than further blind trials would tell; one if it is declared. */
static int design_places(const fcps_look *look, const fcps_structure *structure, bool is_decided)
{
  if (look->settings->frame == FCPS_STRUCTURE_ON) return structure->size > 0 ? 1 : 0;
  return is_decided ? 2 : 0;
}

static char *describe(const fcps_look *look, const void *state, size_t size, char *text)
{
  return put_words(look->layout, state, size, text);
}

/* -- Files -- */

static fcps_json *write_frame(const fcps_layout *layout, const fcps_description *description, const void *state)
{
  char text[FCPS_FRAME_WORDS];
  (void)description;
  return fcps_json_from_text(put_words(layout, state, sizeof text, text));
}

static fcps_status read_frame(const fcps_look *look, const fcps_json *json, fcps_structure *structure)
{
  fcps_frame frame;
  if (!find_by_words(look->layout, fcps_json_text(json), &frame)) return FCPS_ERR_FORMAT;
  return fcps_structure_set(structure, sizeof frame, &frame);
}

const fcps_structure_kind fcps_structure_frame = {.name = "frame",
                                                  .least_rows = 1,
                                                  .propose = propose,
                                                  .log_prior = log_prior,
                                                  .counts = counts,
                                                  .begin = begin,
                                                  .design_places = design_places,
                                                  .edit = edit,
                                                  .see = see,
                                                  .changes_inputs = fcps_frame_turns_inputs,
                                                  .unsee_outcomes = fcps_frame_unsee_outcomes,
                                                  .unsee = fcps_frame_unsee,
                                                  .turns_feature = fcps_frame_turns_feature,
                                                  .write = write_frame,
                                                  .read = read_frame,
                                                  .describe = describe};
