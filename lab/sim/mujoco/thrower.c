/* SPDX-License-Identifier: Apache-2.0 */
/* The arm of Thrower-v2: its hand is a basket of fingers with a loose ball in it. Motors with limited torque move the
 * hand along a desired path.
 *
 * In each step of 0.01 s, with J the position Jacobian of the hand and A = J J' + 0.05^2 I,
 *   dq = J' A^-1 (y_des - y),  dq' = J' A^-1 y'_des,
 *   u  = kp dq + kd (dq' - q') + damping q' + bias,   kp = armature w^2,  kd = 2 armature w,
 * clamped to the motors' range. The arm's inertia is its armature (0.75), so this is a critically damped spring of w =
 * 6 rad/s. */
#include "lab/sim/mujoco/robots.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

enum { JOINTS = 7, MOST_SPEEDS = 64, SETTLE = 50 };

static const double armature = 0.75, damping = 1.0, spring = 6.0, regularization = 0.05;

static fcps_status edit(model *made, fcps_error *error)
{
  mjModel *m = made->m;
  int goal = 0;
  const struct {
    mjtObj type;
    const char *name;
    int *id;
  } wanted[] = {
      {mjOBJ_BODY, "r_wrist_roll_link", &made->parts.thrower.hand},
      {mjOBJ_BODY, "goal", &goal},
      {mjOBJ_JOINT, "ball_free", &made->parts.thrower.ball_qpos},
      {mjOBJ_JOINT, "goal_slidex", &made->parts.thrower.goal_qpos[0]},
      {mjOBJ_JOINT, "goal_slidey", &made->parts.thrower.goal_qpos[1]},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    const fcps_status status = fcps_mujoco_model_find(made, wanted[i].type, wanted[i].name, wanted[i].id, error);
    if (status != FCPS_OK) return status;
    if (wanted[i].type == mjOBJ_JOINT) *wanted[i].id = m->jnt_qposadr[*wanted[i].id];
  }

  if (m->nu != JOINTS || m->nv > MOST_SPEEDS)
    return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL,
                          "%s is not the model that this fcps expects: run scripts/setup-robots again",
                          made->robot->file);

  /* the box is only drawn: if it could be hit, the outcome would depend on the target */
  for (int geom = 0; geom < m->ngeom; geom++)
    if (m->geom_bodyid[geom] == goal) m->geom_contype[geom] = m->geom_conaffinity[geom] = 0;
  memcpy(made->parts.thrower.goal_home, m->body_pos + 3 * goal, sizeof made->parts.thrower.goal_home);

  /* more light, because the model has only one weak lamp */
  for (int i = 0; i < 3; i++) {
    m->vis.headlight.ambient[i] = 0.45f;
    m->vis.headlight.diffuse[i] = 0.65f;
  }
  return FCPS_OK;
}

static void observe(const model *shared, const mjData *d, double *hand, double *object)
{
  memcpy(hand, d->xpos + 3 * shared->parts.thrower.hand, 3 * sizeof *hand);
  memcpy(object, d->qpos + shared->parts.thrower.ball_qpos, 3 * sizeof *object);
}

/* Lets the ball drop into the basket and come to rest there, while the motors are off. */
static void prepare(model *made, mjData *d)
{
  mj_forward(made->m, d);
  double start[3];
  observe(made, d, start, made->facts.object);
  for (int i = 0; i < SETTLE; i++)
    mj_step(made->m, d);
  memset(d->qvel, 0, (size_t)made->m->nv * sizeof *d->qvel);
  observe(made, d, made->facts.hand, made->facts.object);
  /* movements start at the hand's position in the model file, as if the load had not pulled it down */
  memcpy(made->facts.hand, start, sizeof start);
  made->facts.period = made->m->opt.timestep;
}

static void reset(const model *shared, mjData *d, const double *object)
{
  if (object != NULL) memcpy(d->qpos + shared->parts.thrower.ball_qpos, object, 2 * sizeof *object);
  mj_forward(shared->m, d);
}

/* Solves A x = b for the symmetric positive definite 3 x 3 matrix J J' + regularization^2 I. */
static void solve(double (*jacobian)[JOINTS], const double *position, const double *velocity, double *dy, double *dv)
{
  mjtNum a[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      a[3 * i + j] = mju_dot(jacobian[i], jacobian[j], JOINTS) + (i == j ? regularization * regularization : 0);
  mju_cholFactor(a, 3, 0);
  mju_cholSolve(dy, a, position, 3);
  mju_cholSolve(dv, a, velocity, 3);
}

static void follow(const model *shared, mjData *d, const double *position, const double *velocity)
{
  const mjModel *m = shared->m;
  const double *hand = d->xpos + 3 * shared->parts.thrower.hand;
  mjtNum full[3 * MOST_SPEEDS];
  double jacobian[3][JOINTS], error[3], dy[3], dv[3];

  mj_jacBody(m, d, full, NULL, shared->parts.thrower.hand);
  for (int i = 0; i < 3; i++) {
    memcpy(jacobian[i], full + i * m->nv, sizeof jacobian[i]); /* the arm's joints come first */
    error[i] = position[i] - hand[i];
  }
  solve(jacobian, error, velocity, dy, dv);

  const double kp = armature * spring * spring, kd = 2 * armature * spring;
  for (int j = 0; j < JOINTS; j++) {
    double dq = 0, dqd = 0;
    for (int i = 0; i < 3; i++)
      dq += jacobian[i][j] * dy[i], dqd += jacobian[i][j] * dv[i];
    const double torque = kp * dq + kd * (dqd - d->qvel[j]) + damping * d->qvel[j] + d->qfrc_bias[j];
    d->ctrl[j] = fmin(m->actuator_ctrlrange[2 * j + 1], fmax(m->actuator_ctrlrange[2 * j], torque));
  }
  mj_step(m, d);
}

static void show_target(const model *shared, mjData *d, const double *target)
{
  for (int i = 0; i < 2; i++)
    d->qpos[shared->parts.thrower.goal_qpos[i]] = target[i] - shared->parts.thrower.goal_home[i];
}

const robot fcps_mujoco_thrower = {
    .file = "thrower.xml",
    .edit = edit,
    .prepare = prepare,
    .reset = reset,
    .follow = follow,
    .observe = observe,
    .show_target = show_target,
    .camera = {.lookat = {0.45, -0.05, 0}, .distance = 2.2, .azimuth = 160, .elevation = -22},
};
