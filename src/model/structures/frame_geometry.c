/* SPDX-License-Identifier: Apache-2.0 */
/* Turning rows, outcomes and predictions. With c and s the cosine and sine of the frame's angle,
 *
 *   R(-t) v = (c v1 + s v2, -s v1 + c v2),   R(t) z = (c z1 - s z2, s z1 + c z2).
 *
 * Both depend on two features a and b: c and s are linear in those of a circle; for a vector (x, y) of length r they are
 * x/r and y/r. A gradient by the GP's inputs therefore passes two steps: through the inputs that turned, where it also
 * moves c and s, and through the outputs, where c and s move the mean itself. */
#include "model/structures/frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* c and s at a row, and their derivatives by the features a and b. */
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

/* A turned vector has one unit for both features, the longer side. */
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

/* A vector without length points ahead. */
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

bool fcps_frame_turns_inputs(const void *state)
{
  const fcps_frame *frame = state;
  return frame->input_count > 0;
}

bool fcps_frame_turns_feature(const void *state, int feature)
{
  const fcps_frame *frame = state;
  for (int i = 0; i < frame->input_count; i++)
    if (frame->inputs[i].first == feature || frame->inputs[i].second == feature) return true;
  return false;
}

void fcps_frame_turn_inputs(const fcps_frame *frame, const double *row, double *inputs)
{
  if (!fcps_frame_turns_inputs(frame)) return;
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

/* One gradient by what the GP saw becomes one by the features of the row. */
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

/* The gradients of a pair of means, whose values are still those of the frame. */
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

/* Variances of a pair that has two, in units of their own scales: c^2 v1 + s^2 v2 and s^2 v1 + c^2 v2. */
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

void fcps_frame_unsee(const void *state, const fcps_layout *layout, const double *row, const fcps_seen *at)
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
