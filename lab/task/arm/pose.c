/* SPDX-License-Identifier: Apache-2.0 */
/* The least bent pose: a stationary point of  mean angle^2  subject to  hand = target.
 *
 * With the Jacobian J of the hand, the angles of such a pose are J'l for some multiplier l in the plane: a chain of
 * springs that a force at the hand holds (the elastica). Each step solves the problem with the hand linearized,
 *   angles <- J'(JJ')^-1 (J angles + target - hand),
 * and goes a part of the way, because the linearization ignores the curvature of the hand's path. Arms that bend to the
 * left or right, slightly or nearly into a circle, are different stationary points; the search starts from each.
 */
#include "lab/task/arm/pose.h"

#include <math.h>
#include <string.h>

enum { STEPS = 1000 };
static const double damping = 0.3, longest_step = 0.2, converged = 1e-12, reached = 1e-9;

/* The turn of the arm from base to hand at the start of each search, in radians. */
static const double first_turns[] = {1.0, -1.0, 3.0, -3.0, 5.0, -5.0};
enum { STARTS = sizeof first_turns / sizeof first_turns[0] };

void fcps_arm_hand(int joints, const double *angles, double hand[2])
{
  double angle = 0.0, x = 0.0, y = 0.0;
  for (int j = 0; j < joints; j++) {
    angle += angles[j];
    x += cos(angle);
    y += sin(angle);
  }
  hand[0] = x / joints;
  hand[1] = y / joints;
}

/* The position of the hand, and its derivative by each joint: a rotation about the position of that joint. */
static void linearize(int joints, const double *angles, double hand[2], double (*slopes)[2])
{
  fcps_arm_hand(joints, angles, hand);
  double angle = 0.0, x = 0.0, y = 0.0;
  for (int j = 0; j < joints; j++) {
    slopes[j][0] = -(hand[1] - y);
    slopes[j][1] = hand[0] - x;
    angle += angles[j];
    x += cos(angle) / joints;
    y += sin(angle) / joints;
  }
}

/* One step. Returns the largest move of a joint that the linearized problem asks for; `miss` receives the miss before
 * the step. */
static double step(int joints, const double target[2], double *angles, double *miss)
{
  double hand[2], slopes[FCPS_ARM_MOST_JOINTS][2];
  linearize(joints, angles, hand, slopes);
  double xx = 0.0, xy = 0.0, yy = 0.0, right[2] = {target[0] - hand[0], target[1] - hand[1]};
  *miss = hypot(right[0], right[1]);
  for (int j = 0; j < joints; j++) {
    xx += slopes[j][0] * slopes[j][0];
    xy += slopes[j][0] * slopes[j][1];
    yy += slopes[j][1] * slopes[j][1];
    right[0] += slopes[j][0] * angles[j];
    right[1] += slopes[j][1] * angles[j];
  }
  const double determinant = xx * yy - xy * xy;
  const double force[2] = {(yy * right[0] - xy * right[1]) / determinant,
                           (xx * right[1] - xy * right[0]) / determinant};

  double moves[FCPS_ARM_MOST_JOINTS], most = 0.0;
  for (int j = 0; j < joints; j++) {
    moves[j] = slopes[j][0] * force[0] + slopes[j][1] * force[1] - angles[j];
    most = fmax(most, fabs(moves[j]));
  }
  const double share = fmin(damping, longest_step / most);
  for (int j = 0; j < joints; j++)
    angles[j] += share * moves[j];
  return most;
}

/* Goes from an arc of a circle to a stationary pose. Returns the mean square of its angles; infinite where the hand is
 * not on target. */
static double relax(int joints, const double target[2], double turn, double *angles)
{
  double miss = INFINITY, move = INFINITY, sum = 0.0;
  for (int j = 0; j < joints; j++)
    angles[j] = turn / joints;
  for (int i = 0; i < STEPS && move > converged; i++)
    move = step(joints, target, angles, &miss);
  for (int j = 0; j < joints; j++)
    sum += angles[j] * angles[j];
  return miss < reached ? sum / joints : INFINITY;
}

double fcps_arm_least_bent(int joints, const double target[2], double *angles)
{
  double best = INFINITY, pose[FCPS_ARM_MOST_JOINTS];
  for (int s = 0; s < STARTS; s++) {
    const double bend = relax(joints, target, first_turns[s], pose);
    if (bend < best) {
      best = bend;
      memcpy(angles, pose, (size_t)joints * sizeof(double));
    }
  }
  return best;
}
