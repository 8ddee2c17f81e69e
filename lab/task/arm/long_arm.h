/* SPDX-License-Identifier: Apache-2.0 */
/* Poses of a planar arm of equal links, one metre long in all, with its base at the origin. Each angle is relative to
 * the link before; the first one is relative to the x axis:
 *   hand = sum_j (cos a_j, sin a_j)/joints,   a_j = angle_1 + ... + angle_j */
#ifndef FCPS_LAB_TASK_ARM_LONG_ARM_H
#define FCPS_LAB_TASK_ARM_LONG_ARM_H

enum { FCPS_ARM_MOST_JOINTS = 100 };

/* Computes the position of the hand. */
void fcps_arm_hand(int joints, const double *angles, double hand[2]);

/* Among all poses with the hand on `target`, finds the one with the smallest mean square of angles. Returns that mean
 * square. The angles have no bounds. */
double fcps_arm_least_bent(int joints, const double target[2], double *angles);

#endif
