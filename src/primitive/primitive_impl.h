/* SPDX-License-Identifier: Apache-2.0 */
/* Private to this room: the primitive, and the parts of its equation (see fcps/primitive.h). Imitation and motions use
 * the same functions, so imitation inverts exactly the equation that a motion integrates. */
#ifndef FCPS_PRIMITIVE_PRIMITIVE_IMPL_H
#define FCPS_PRIMITIVE_PRIMITIVE_IMPL_H

#include <fcps/primitive.h>

struct fcps_primitive {
  fcps_primitive_settings settings;
  double *centres, *widths; /* c_i, h_i: basis_count each */
  double *weights;          /* dimensions x basis_count */
};

/* The number of dimensions of a motion, and its time step in seconds. */
int fcps_motion_dimensions(const fcps_motion *motion);
double fcps_motion_dt(const fcps_motion *motion);

/* The phase z at a fraction t/T of the duration. */
double fcps_primitive_phase(const fcps_primitive *primitive, double fraction);

/* row[i] = z psi_i / sum psi: the forcing is the dot product of this row with the weights. */
void fcps_primitive_basis(const fcps_primitive *primitive, double z, double *row);

/* The factor in front of the spring: 1 - z, or 1 without fading in. */
double fcps_primitive_fade(const fcps_primitive *primitive, double z);

/* The spring that pulls towards the moving goal: a (a/4 (g - g' (T - t) - y) + T (g' - y')). */
static inline double fcps_primitive_pull(double gain, double duration, double time, double goal, double goal_velocity,
                                         double y, double v)
{
  const double moving_goal = goal - goal_velocity * (duration - time);
  return gain * (0.25 * gain * (moving_goal - y) + duration * (goal_velocity - v));
}

#endif
