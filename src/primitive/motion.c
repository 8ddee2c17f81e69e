/* SPDX-License-Identifier: Apache-2.0 */
/* Motion: primitives one after the other, with goals, at a fixed time step.
 *
 * The phase has a closed form, so only the spring depends on the state; everything else depends on the step number. The
 * forcing f(z) and the factor 1 - z are tabulated when the motion is created. So a step is semi-implicit Euler with a
 * few operations per dimension. */
#include "primitive/primitive_impl.h"

#include "base/error.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct part {
  int first, steps; /* this part has the steps [first, first + steps) of the motion */
  double duration, gain;
  bool from_rest;
  double *fade;    /* 1 - z, one number per step */
  double *forcing; /* f(z), steps x dimensions */
  double *goal, *goal_velocity;
} part;

struct fcps_motion {
  int dimensions, count, steps;
  double dt;
  part *parts;
};

/* A motion with more steps is refused: most likely dt or a duration has the wrong unit. */
enum { MOST_STEPS = 10000000 };

static fcps_status check_parts(int count, const fcps_motion_part *parts, double dt, fcps_error *error)
{
  if (count < 1) return fcps_error_set(error, FCPS_ERR_ARGUMENT, "count", "a motion needs at least one primitive");
  if (!(dt > 0 && isfinite(dt)))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "dt", "is %g; it must be positive", dt);
  double steps = 0;
  for (int p = 0; p < count; p++) {
    if (parts[p].primitive == NULL) return fcps_error_null(error, "primitive");
    if (!(parts[p].duration > 0 && isfinite(parts[p].duration)))
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, "duration", "of part %d is %g; it must be positive", p + 1,
                            parts[p].duration);
    if (parts[p].primitive->settings.dimensions != parts[0].primitive->settings.dimensions)
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, "primitive",
                            "that of part %d has %d dimensions, but the first part has %d", p + 1,
                            parts[p].primitive->settings.dimensions, parts[0].primitive->settings.dimensions);
    steps += parts[p].duration / dt;
  }
  if (steps > MOST_STEPS)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "dt",
                          "%g gives more than %d steps; use a larger time step or shorter parts", dt, MOST_STEPS);
  return FCPS_OK;
}

/* Tabulates f and 1 - z at the start of each step. */
static bool tabulate(part *made, const fcps_primitive *primitive, double dt)
{
  const int d = primitive->settings.dimensions, n = primitive->settings.basis_count;
  double *row = fcps_allocate((size_t)n, sizeof *row);
  if (row == NULL) return false;

  for (int k = 0; k < made->steps; k++) {
    const double z = fcps_primitive_phase(primitive, k * dt / made->duration);
    made->fade[k] = fcps_primitive_fade(primitive, z);
    fcps_primitive_basis(primitive, z, row);
    for (int j = 0; j < d; j++) {
      const double *weights = primitive->weights + j * n;
      double sum = 0;
      for (int i = 0; i < n; i++)
        sum += row[i] * weights[i];
      made->forcing[k * d + j] = sum;
    }
  }
  free(row);
  return true;
}

static bool make_part(part *made, const fcps_motion_part *from, int first, double dt)
{
  const size_t d = (size_t)from->primitive->settings.dimensions;
  /* without the factor, rounding could add a step if the duration is a multiple of dt */
  const int steps = (int)fmax(1, ceil(from->duration / dt * (1 - 1e-12)));
  *made = (part){.first = first,
                 .steps = steps,
                 .duration = from->duration,
                 .gain = from->primitive->settings.gain,
                 .from_rest = from->from_rest,
                 .fade = fcps_allocate((size_t)steps, sizeof(double)),
                 .forcing = fcps_allocate((size_t)steps * d, sizeof(double)),
                 .goal = fcps_allocate(d, sizeof(double)),
                 .goal_velocity = fcps_allocate(d, sizeof(double))};
  return made->fade != NULL && made->forcing != NULL && made->goal != NULL && made->goal_velocity != NULL &&
         tabulate(made, from->primitive, dt);
}

fcps_status fcps_motion_create(fcps_motion **motion, int count, const fcps_motion_part *parts, double dt,
                               fcps_error *error)
{
  if (motion == NULL) return fcps_error_null(error, "motion");
  *motion = NULL;
  if (parts == NULL) return fcps_error_null(error, "parts");
  const fcps_status status = check_parts(count, parts, dt, error);
  if (status != FCPS_OK) return status;

  fcps_motion *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return fcps_error_memory(error);
  made->dimensions = parts[0].primitive->settings.dimensions;
  made->dt = dt;
  made->parts = fcps_allocate((size_t)count, sizeof *made->parts);
  bool is_made = made->parts != NULL;
  for (int p = 0; is_made && p < count; p++) {
    made->count++;
    is_made = make_part(&made->parts[p], &parts[p], made->steps, dt);
    made->steps += made->parts[p].steps;
  }
  if (!is_made) {
    fcps_motion_destroy(made);
    return fcps_error_memory(error);
  }
  *motion = made;
  return FCPS_OK;
}

void fcps_motion_destroy(fcps_motion *motion)
{
  if (motion == NULL) return;
  for (int p = 0; p < motion->count; p++) {
    free(motion->parts[p].fade);
    free(motion->parts[p].forcing);
    free(motion->parts[p].goal);
    free(motion->parts[p].goal_velocity);
  }
  free(motion->parts);
  free(motion);
}

fcps_status fcps_motion_set_goal(fcps_motion *motion, int index, const double *position, const double *velocity)
{
  if (motion == NULL || position == NULL || index < 0 || index >= motion->count) return FCPS_ERR_ARGUMENT;
  for (int j = 0; j < motion->dimensions; j++)
    if (!isfinite(position[j]) || (velocity != NULL && !isfinite(velocity[j]))) return FCPS_ERR_NOT_FINITE;

  part *p = &motion->parts[index];
  for (int j = 0; j < motion->dimensions; j++) {
    p->goal[j] = position[j];
    p->goal_velocity[j] = velocity != NULL ? velocity[j] : 0;
  }
  return FCPS_OK;
}

int fcps_motion_step_count(const fcps_motion *motion)
{
  return motion != NULL ? motion->steps : 0;
}

void fcps_motion_step(const fcps_motion *motion, int k, double *y, double *v, double *acceleration)
{
  if (motion == NULL || k < 0 || y == NULL || v == NULL) return;
  const int d = motion->dimensions;
  if (k >= motion->steps) {
    memset(v, 0, (size_t)d * sizeof *v);
    if (acceleration != NULL) memset(acceleration, 0, (size_t)d * sizeof *acceleration);
    return;
  }
  const part *p = motion->parts;
  while (k >= p->first + p->steps)
    p++;

  const int step = k - p->first;
  const double T = p->duration, t = step * motion->dt, dt = motion->dt;
  if (step == 0 && p->from_rest) memset(v, 0, (size_t)d * sizeof *v);
  for (int j = 0; j < d; j++) {
    const double pull = fcps_primitive_pull(p->gain, T, t, p->goal[j], p->goal_velocity[j], y[j], v[j]);
    const double a = (p->fade[step] * pull + p->forcing[step * d + j]) / (T * T);
    v[j] += dt * a;
    y[j] += dt * v[j];
    if (acceleration != NULL) acceleration[j] = a;
  }
}

void fcps_motion_trajectory(const fcps_motion *motion, const double *start, const double *velocity, double *positions,
                            double *velocities, double *accelerations)
{
  if (motion == NULL || start == NULL || positions == NULL || velocities == NULL) return;
  const size_t d = (size_t)motion->dimensions, row = d * sizeof(double);
  memcpy(positions, start, row);
  if (velocity != NULL)
    memcpy(velocities, velocity, row);
  else
    memset(velocities, 0, row);

  for (int k = 0; k < motion->steps; k++) {
    memcpy(positions + d, positions, row);
    memcpy(velocities + d, velocities, row);
    positions += d;
    velocities += d;
    fcps_motion_step(motion, k, positions, velocities, accelerations != NULL ? accelerations + (size_t)k * d : NULL);
  }
}

int fcps_motion_dimensions(const fcps_motion *motion)
{
  return motion->dimensions;
}

double fcps_motion_dt(const fcps_motion *motion)
{
  return motion->dt;
}
