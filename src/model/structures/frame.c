/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes that turn with an angle: lists the frames (frame.h) that a problem may have, and applies one of them.
 *
 * The frames follow from the spaces alone. The angle is a periodic dimension of the parameters or the environment, or
 * the direction of a planar vector among the parameters. Two dimensions are a planar vector if they have the same unit
 * and their names only differ in x and y (land_x and land_y). Two outcomes are also one if they have the same unit and
 * the problem has no other outcomes. With each angle all planar pairs of outcomes turn. For each angle there is a frame
 * for both senses of rotation and for three sets of inputs that turn as well: no inputs, the planar vectors of the
 * parameters, or also those of the environment. If the environment has a vector with the outcomes' unit, there are also
 * frames that measure the outcomes from this vector.
 *
 * In a frame the angle's features have longer length-scales a priori, because after the rotation the outcomes only
 * depend weakly on the angle.
 *
 * Invariant: the same problem gives the same frames in the same order. */
#include "model/structures/frame.h"

#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double two_pi = 6.28318530717958647692;

/* -- Planar pairs -- */

/* Whether two names differ in exactly one letter: an x in the first, a y in the second. */
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

/* Whether the reward gives outcomes i and j the same positive weight, or no weights. Only then can they be a pair. */
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

/* Returns the index of a coordinate's first feature in an embedding whose features begin at `first`. */
static int feature_of(const fcps_embedding *embedding, int first, int coordinate)
{
  for (int i = 0; i < coordinate; i++)
    first += fcps_embedding_width(embedding, i);
  return first;
}

/* Returns the vector of dimensions i and j of a space whose features begin at `first`, measured from an origin. */
static fcps_frame_vector vector_of(const fcps_space *space, const fcps_embedding *embedding, int first, int i, int j,
                                   const double *origin)
{
  return (fcps_frame_vector){.first = feature_of(embedding, first, i),
                             .second = feature_of(embedding, first, j),
                             .origin = {origin[0], origin[1]},
                             .span = {fcps_dimension_span(space->dims + i), fcps_dimension_span(space->dims + j)}};
}

/* Returns the position of zero as a share of a dimension's range. */
static double zero_of(const fcps_dimension *dim)
{
  return -dim->lower / fcps_dimension_span(dim);
}

/* Finds the planar vectors of a space whose features begin at `first`, and returns their number. The origin of a vector
 * is zero if both bounds include zero, as for a stroke of the hand; else it is the middle of the range. */
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

/* Finds a planar vector of the environment with the unit of the outcomes, which can serve as their origin. Returns
 * false if there is none. */
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

/* The parts that frames of a problem are composed of. */
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

/* Lists the frames of one angle, which differ in the inputs that turn. */
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

/* Lists the frames whose angle is the direction of a vector. This vector always turns, too, so only its length remains
 * as an input. */
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

/* Writes all frames that the problem may have, at most FCPS_PROPOSALS. Returns their number. */
static int find_frames(const fcps_layout *layout, fcps_frame *frames)
{
  const fcps_problem *problem = layout->problem;
  const int first = layout->context.width;
  int count = 0;
  parts p = {.pair_count = 0};
  memset(frames, 0, FCPS_PROPOSALS * sizeof *frames); /* unused bytes of states are compared, too */
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

/* -- Geometry -- */

/* Turning rows, outcomes and predictions. With c and s the cosine and sine of the frame's angle,
 *
 *   R(-t) v = (c v1 + s v2, -s v1 + c v2),   R(t) z = (c z1 - s z2, s z1 + c z2).
 *
 * Both c and s depend on two features a and b. On the features of a circle they depend linearly; for a vector (x, y) of
 * length r they are x/r and y/r. So a gradient with respect to the GP's inputs is converted in two steps: through the
 * turned inputs, which depend on c and s, and through the outputs, because c and s also rotate the mean. */

/* The cosine c and sine s of the frame's angle at a row, and their derivatives with respect to the features a and b. */
typedef struct turn {
  double c, s;
  int a, b;
  double dc[2], ds[2];
} turn;

static double x_of(const fcps_frame_vector *v, const double *row)
{
  return (row[v->first] - v->origin[0]) * v->span[0];
}

static double y_of(const fcps_frame_vector *v, const double *row)
{
  return (row[v->second] - v->origin[1]) * v->span[1];
}

/* Returns the unit of both features of a turned vector: the span of its longer side. */
static double unit_of(const fcps_frame_vector *v)
{
  return fmax(v->span[0], v->span[1]);
}

static turn circle(const fcps_frame *f, const double *row)
{
  const double sign = f->sign, cp = 2.0 * f->phase[0], sp = 2.0 * f->phase[1];
  const double x = row[f->cosine], y = row[f->cosine + 1];
  return (turn){.c = cp * x - sp * y,
                .s = sign * (sp * x + cp * y),
                .a = f->cosine,
                .b = f->cosine + 1,
                .dc = {cp, -sp},
                .ds = {sign * sp, sign * cp}};
}

/* Computes the angle of a direction. A vector of length 0 has the angle 0. */
static turn direction(const fcps_frame *f, const double *row)
{
  const fcps_frame_vector *v = &f->vector;
  const double sign = f->sign, x = x_of(v, row), y = y_of(v, row), r = hypot(x, y);
  turn t = {.c = 1.0, .a = v->first, .b = v->second};
  if (!(r > 1e-12 * unit_of(v))) return t;
  const double c = x / r, s = y / r;
  t.c = c;
  t.s = sign * s;
  t.dc[0] = v->span[0] * s * s / r;
  t.dc[1] = -v->span[1] * c * s / r;
  t.ds[0] = -sign * v->span[0] * c * s / r;
  t.ds[1] = sign * v->span[1] * c * c / r;
  return t;
}

static turn turn_at(const fcps_frame *f, const double *row)
{
  return f->angle == FCPS_FRAME_CIRCLE ? circle(f, row) : direction(f, row);
}

/* -- Rows and outcomes -- */

/* Whether the frame turns inputs of the GP. */
static bool turns_inputs(const void *state)
{
  const fcps_frame *frame = state;
  return frame->input_count > 0;
}

static bool turns_feature(const void *state, int feature)
{
  const fcps_frame *frame = state;
  for (int i = 0; i < frame->input_count; i++)
    if (frame->inputs[i].first == feature || frame->inputs[i].second == feature) return true;
  return false;
}

void fcps_frame_turn_inputs(const fcps_frame *frame, const double *row, double *inputs)
{
  if (!turns_inputs(frame)) return;
  const turn t = turn_at(frame, row);
  for (int i = 0; i < frame->input_count; i++) {
    const fcps_frame_vector *v = frame->inputs + i;
    const double x = x_of(v, row) / unit_of(v), y = y_of(v, row) / unit_of(v);
    inputs[v->first] = t.c * x + t.s * y;
    inputs[v->second] = t.c * y - t.s * x;
  }
}

void fcps_frame_turn_outcome(const fcps_frame *frame, const double *row, double *outcome)
{
  const turn t = turn_at(frame, row);
  for (int i = 0; i < frame->pair_count; i++) {
    const fcps_frame_pair *p = frame->pairs + i;
    const double x = outcome[p->first] - (p->is_relative ? x_of(&p->base, row) : 0.0);
    const double y = outcome[p->second] - (p->is_relative ? y_of(&p->base, row) : 0.0);
    outcome[p->first] = t.c * x + t.s * y;
    outcome[p->second] = t.c * y - t.s * x;
  }
}

void fcps_frame_unsee_outcomes(const void *state, const fcps_layout *layout, const double *row, size_t count,
                               size_t stride, double *outcomes)
{
  const fcps_frame *frame = state;
  (void)layout;
  const turn t = turn_at(frame, row);
  for (int i = 0; i < frame->pair_count; i++) {
    const fcps_frame_pair *p = frame->pairs + i;
    const double base_x = p->is_relative ? x_of(&p->base, row) : 0.0,
                 base_y = p->is_relative ? y_of(&p->base, row) : 0.0;
    for (double *outcome = outcomes; outcome < outcomes + count * stride; outcome += stride) {
      const double x = outcome[p->first], y = outcome[p->second];
      outcome[p->first] = t.c * x - t.s * y + base_x;
      outcome[p->second] = t.s * x + t.c * y + base_y;
    }
  }
}

/* -- Predictions -- */

/* Converts a gradient with respect to the GP's inputs into one with respect to the features of the row, in place. */
static void through_inputs(const fcps_frame *f, const turn *t, const double *row, double *gradient)
{
  double by_c = 0.0, by_s = 0.0;
  for (int i = 0; i < f->input_count; i++) {
    const fcps_frame_vector *v = f->inputs + i;
    const double unit = unit_of(v), x = x_of(v, row) / unit, y = y_of(v, row) / unit;
    const double g1 = gradient[v->first], g2 = gradient[v->second];
    by_c += x * g1 + y * g2;
    by_s += y * g1 - x * g2;
    gradient[v->first] = v->span[0] / unit * (t->c * g1 - t->s * g2);
    gradient[v->second] = v->span[1] / unit * (t->s * g1 + t->c * g2);
  }
  gradient[t->a] += t->dc[0] * by_c + t->ds[0] * by_s;
  gradient[t->b] += t->dc[1] * by_c + t->ds[1] * by_s;
}

/* Turns the gradients of a pair of means to the user's frame. The means themselves must still be in the turned
 * frame. */
static void turn_mean_gradients(const fcps_frame_pair *p, const turn *t, const fcps_seen *at)
{
  const double x = at->mean[p->first], y = at->mean[p->second];
  double *gx = at->mean_gradient + p->first * at->inputs, *gy = at->mean_gradient + p->second * at->inputs;
  for (int d = 0; d < at->inputs; d++) {
    const double g1 = gx[d], g2 = gy[d];
    gx[d] = t->c * g1 - t->s * g2;
    gy[d] = t->s * g1 + t->c * g2;
  }
  gx[t->a] += t->dc[0] * x - t->ds[0] * y;
  gx[t->b] += t->dc[1] * x - t->ds[1] * y;
  gy[t->a] += t->ds[0] * x + t->dc[0] * y;
  gy[t->b] += t->ds[1] * x + t->dc[1] * y;
  if (!p->is_relative) return;
  gx[p->base.first] += p->base.span[0];
  gy[p->base.second] += p->base.span[1];
}

/* Turns the variances of a pair with one GP per output: c^2 v1 + s^2 v2 and s^2 v1 + c^2 v2, in units of each output's
 * scale. */
static void turn_variances(const fcps_frame_pair *p, const turn *t, const fcps_seen *at)
{
  const double ratio = at->scale[p->second] / at->scale[p->first], cc = t->c * t->c, ss = t->s * t->s;
  const double v1 = at->variance[p->first], v2 = at->variance[p->second] * ratio * ratio;
  if (at->variance_gradient != NULL) {
    double *g1 = at->variance_gradient + p->first * at->inputs, *g2 = at->variance_gradient + p->second * at->inputs;
    for (int d = 0; d < at->inputs; d++) {
      const double d1 = g1[d], d2 = g2[d] * ratio * ratio;
      g1[d] = cc * d1 + ss * d2;
      g2[d] = ss * d1 + cc * d2;
    }
    const int features[2] = {t->a, t->b};
    for (int i = 0; i < 2; i++) {
      const double dcc = 2.0 * t->c * t->dc[i], dss = 2.0 * t->s * t->ds[i];
      g1[features[i]] += dcc * v1 + dss * v2;
      g2[features[i]] += dss * v1 + dcc * v2;
    }
    for (int d = 0; d < at->inputs; d++)
      g2[d] /= ratio * ratio;
  }
  at->variance[p->first] = cc * v1 + ss * v2;
  at->variance[p->second] = (ss * v1 + cc * v2) / (ratio * ratio);
}

/* Turns a prediction to the user's frame, in place. Its gradients are then with respect to the features of the row. */
static void unsee(const void *state, const fcps_layout *layout, const double *row, const fcps_seen *at)
{
  const fcps_frame *frame = state;
  const turn t = turn_at(frame, row);
  for (int o = 0; o < at->outputs && at->mean_gradient != NULL; o++)
    through_inputs(frame, &t, row, at->mean_gradient + o * at->inputs);
  for (int g = 0; g < at->gps && at->variance_gradient != NULL; g++)
    through_inputs(frame, &t, row, at->variance_gradient + g * at->inputs);
  for (int i = 0; i < frame->pair_count; i++) {
    if (at->mean_gradient != NULL) turn_mean_gradients(frame->pairs + i, &t, at);
    if (at->variance != NULL && at->gps > 1) turn_variances(frame->pairs + i, &t, at);
  }
  if (at->mean != NULL) fcps_frame_unsee_outcomes(frame, layout, row, 1, 1, at->mean);
}

/* -- What it changes -- */

/* The prior length-scale of the features of a frame's angle is longer by this factor. */
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

/* Charges for each pair of inputs that turns, and for an origin other than zero, so that the simplest of equally good
 * frames is believed. The vector of a direction costs nothing, because it is part of every such frame. */
static double log_prior(const fcps_layout *layout, const void *state)
{
  static const double price = 2.0;
  const fcps_frame *frame = state;
  (void)layout;
  const int inputs = frame->input_count - (frame->angle == FCPS_FRAME_DIRECTION ? 1 : 0);
  return -price * (inputs + (frame->pairs[0].is_relative ? 1 : 0));
}

/* Only outcomes that turn count when frames are compared. The other outcomes are the same in every frame, but they
 * share hyper-parameters with the pairs, so their evidence would still differ. Then an outcome that hardly varies, such
 * as the height of a sliding block, could decide the comparison. */
static bool counts(const fcps_layout *layout, int output)
{
  fcps_frame_pair pairs[FCPS_FRAME_PAIRS];
  const int count = find_outcome_pairs(layout, pairs);
  for (int i = 0; i < count; i++)
    if (pairs[i].first == output || pairs[i].second == output) return true;
  return false;
}

/* Finds the frame that put_words describes by these words. Returns false if there is none. */
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

/* Returns the number of places after which an initial design may end. It is one if the user has declared the frame, and
 * two if the evidence has decided on a frame: the model then extrapolates to all directions, and further design trials
 * would teach it less. Otherwise it is 0: the usual number. */
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

static fcps_json *write_frame(const fcps_layout *layout, const void *state)
{
  char text[FCPS_FRAME_WORDS];
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
                                                  .changes_inputs = turns_inputs,
                                                  .unsee_outcomes = fcps_frame_unsee_outcomes,
                                                  .unsee = unsee,
                                                  .turns_feature = turns_feature,
                                                  .write = write_frame,
                                                  .read = read_frame,
                                                  .describe = describe};
