/* SPDX-License-Identifier: Apache-2.0 */
/* The pre-flight check: integrates a motion step by step and compares every state with limits before the robot
 * moves. */
#include "primitive/primitive_impl.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The distance of `value` from [lower, upper]: 0 inside, infinite if the value is not finite. */
static double excess(double value, double lower, double upper)
{
  if (!isfinite(value)) return INFINITY;
  return fmax(0, fmax(lower - value, value - upper));
}

/* Compares one value with its limits, and notes in `found` the time and value of the largest excess. `worst` is the
 * largest excess so far. */
static void note(fcps_violation *found, double *worst, double time, double value, double lower, double upper)
{
  const double over = excess(value, lower, upper);
  if (!(over > *worst)) return;
  if (*worst == 0) found->time = time;
  *worst = over;
  found->worst_time = time;
  found->value = value;
  found->limit = value < lower ? lower : upper;
}

typedef struct check {
  const fcps_limits *limits;
  int dimensions;
  fcps_violation *found; /* one per kind of limit and dimension; those of the workspace come last */
  double *worst;         /* the largest excess of each violation; 0: its limit was not broken */
} check;

static void check_state(const check *c, double time, const double *y, const double *v)
{
  const fcps_limits *l = c->limits;
  const int d = c->dimensions;
  bool is_finite = true;

  for (int j = 0; j < d; j++) {
    is_finite = is_finite && isfinite(y[j]);
    note(&c->found[j], &c->worst[j], time, y[j], l->lower != NULL ? l->lower[j] : -INFINITY,
         l->upper != NULL ? l->upper[j] : INFINITY);
    const double fastest = l->velocity != NULL ? l->velocity[j] : INFINITY;
    note(&c->found[d + j], &c->worst[d + j], time, v[j], -fastest, fastest);
  }
  if (c->worst[3 * d] == 0 && l->inside != NULL && !(is_finite && l->inside(l->user, y))) {
    c->worst[3 * d] = 1;
    c->found[3 * d].time = c->found[3 * d].worst_time = time;
  }
}

static void check_acceleration(const check *c, double time, const double *a)
{
  const int d = c->dimensions;
  for (int j = 0; j < d; j++) {
    const double largest = c->limits->acceleration != NULL ? c->limits->acceleration[j] : INFINITY;
    note(&c->found[2 * d + j], &c->worst[2 * d + j], time, a[j], -largest, largest);
  }
}

/* Integrates the motion and checks every state. `state` is scratch for position, velocity and acceleration. */
static void play(const check *c, const fcps_motion *motion, const double *start, const double *velocity, double *state)
{
  const int d = c->dimensions, steps = fcps_motion_step_count(motion);
  const double dt = fcps_motion_dt(motion);
  double *y = state, *v = state + d, *a = state + 2 * d;

  memcpy(y, start, (size_t)d * sizeof *y);
  for (int j = 0; j < d; j++)
    v[j] = velocity != NULL ? velocity[j] : 0;
  check_state(c, 0, y, v);
  for (int k = 0; k < steps; k++) {
    fcps_motion_step(motion, k, y, v, a);
    check_acceleration(c, k * dt, a);
    check_state(c, (k + 1) * dt, y, v);
  }
}

fcps_status fcps_motion_check(const fcps_motion *motion, const double *start, const double *velocity,
                              const fcps_limits *limits, int capacity, fcps_violation *violations, int *count)
{
  if (motion == NULL || start == NULL || limits == NULL || count == NULL || capacity < 0 ||
      (capacity > 0 && violations == NULL))
    return FCPS_ERR_ARGUMENT;
  const int d = fcps_motion_dimensions(motion), kinds = 3 * d + 1;
  fcps_violation *found = fcps_allocate((size_t)kinds, sizeof *found);
  double *worst = fcps_allocate((size_t)(kinds + 3 * d), sizeof *worst);
  if (found == NULL || worst == NULL) {
    free(found);
    free(worst);
    return FCPS_ERR_MEMORY;
  }

  for (int i = 0; i < kinds; i++)
    found[i] = (fcps_violation){.kind = (fcps_limit_kind)(i / d), .dimension = i % d, .value = NAN, .limit = NAN};
  found[3 * d].kind = FCPS_LIMIT_WORKSPACE;
  found[3 * d].dimension = -1;
  const check c = {.limits = limits, .dimensions = d, .found = found, .worst = worst};
  play(&c, motion, start, velocity, worst + kinds);

  *count = 0;
  for (int i = 0; i < kinds; i++) {
    if (worst[i] == 0) continue;
    if (*count < capacity) violations[*count] = found[i];
    ++*count;
  }
  free(found);
  free(worst);
  return FCPS_OK;
}

char *fcps_violation_format(const fcps_violation *v, size_t size, char *text)
{
  static const char *const names[] = {"position", "velocity", "acceleration"};
  if (text == NULL || size == 0) return text;
  text[0] = 0;
  if (v == NULL || (int)v->kind < 0 || v->kind >= FCPS_LIMIT_KIND_COUNT) return text;
  if (v->kind == FCPS_LIMIT_WORKSPACE)
    snprintf(text, size, "leaves the workspace at %.4g s", v->time);
  else
    snprintf(text, size, "%s of dimension %d reaches %.4g at %.4g s (limit %.4g, broken from %.4g s)", names[v->kind],
             v->dimension, v->value, v->worst_time, v->limit, v->time);
  return text;
}
