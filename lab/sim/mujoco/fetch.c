/* SPDX-License-Identifier: Apache-2.0 */
/* The Fetch arm of FetchPush-v1 and FetchSlide-v1 [plappert2018]: the gripper is welded to a mocap body, which an
 * action moves by at most 5 cm per control period of 0.04 s.
 *
 * The model files are newer than the tasks, which date from 2019. Three edits restore the old behaviour
 * (docs/lab/robots.md has the numbers):
 *   W  the weld's rotational rows use the translational inverse weight, as before MuJoCo 3.0 (else the gripper tilts)
 *   U  seven joints have a range but no limit, as in the first models (else the torso creeps up)
 *   C  cylinder against box by the collision code that was the default before MuJoCo 3.3 */
#include "lab/sim/mujoco/robots.h"

#include <math.h>
#include <string.h>

enum { SUBSTEPS = 20, SETTLE = 10 * SUBSTEPS };

/* The distance by which an action of 1 moves the mocap body. */
static const double reach = 0.05;

/* The gripper points down; MuJoCo normalizes the quaternion. */
static const double downwards[4] = {1, 0, 1, 0};

static fcps_status find_parts(model *made, fcps_error *error)
{
  const struct {
    mjtObj type;
    const char *name;
    int *id;
  } wanted[] = {
      {mjOBJ_SITE, "robot0:grip", &made->parts.fetch.grip},
      {mjOBJ_SITE, "object0", &made->parts.fetch.object},
      {mjOBJ_BODY, "robot0:gripper_link", &made->parts.fetch.gripper},
      {mjOBJ_BODY, "robot0:mocap", &made->parts.fetch.mocap},
      {mjOBJ_JOINT, "object0:joint", &made->parts.fetch.object_qpos},
      {mjOBJ_JOINT, "robot0:r_gripper_finger_joint", &made->parts.fetch.finger_qpos[0]},
      {mjOBJ_JOINT, "robot0:l_gripper_finger_joint", &made->parts.fetch.finger_qpos[1]},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    const fcps_status status = fcps_mujoco_model_find(made, wanted[i].type, wanted[i].name, wanted[i].id, error);
    if (status != FCPS_OK) return status;
    if (wanted[i].type == mjOBJ_JOINT) *wanted[i].id = made->m->jnt_qposadr[*wanted[i].id];
  }
  made->parts.fetch.mocap = made->m->body_mocapid[made->parts.fetch.mocap];
  return FCPS_OK;
}

static fcps_status edit(model *made, fcps_error *error)
{
  static const char *const unlimited[] = {
      "robot0:torso_lift_joint",    "robot0:head_pan_joint",   "robot0:head_tilt_joint", "robot0:shoulder_pan_joint",
      "robot0:shoulder_lift_joint", "robot0:elbow_flex_joint", "robot0:wrist_flex_joint"};
  mjModel *m = made->m;
  fcps_status status = find_parts(made, error);

  /* the edits W, U and C of the first lines of this file */
  if (status == FCPS_OK) {
    mjtNum *weight = m->body_invweight0 + 2 * made->parts.fetch.gripper;
    weight[1] = weight[0];
    m->opt.disableflags |= mjDSBL_NATIVECCD;
  }
  for (size_t i = 0; status == FCPS_OK && i < sizeof unlimited / sizeof *unlimited; i++) {
    int joint;
    status = fcps_mujoco_model_find(made, mjOBJ_JOINT, unlimited[i], &joint, error);
    if (status == FCPS_OK) m->jnt_limited[joint] = 0;
  }

  /* the model compiler has stored an offset between mocap body and gripper; here it becomes zero (anchor, position,
   * quaternion) */
  if (status == FCPS_OK) {
    static const mjtNum none[10] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    memcpy(m->eq_data, none, sizeof none);
  }
  return status;
}

/* Sets up the robot as the Gym environments do: places base and object, and moves the gripper to its start in 10
 * control periods. */
static void prepare(model *made, mjData *d, double base, const double *object, double drop)
{
  const mjModel *m = made->m;
  double *qpos = d->qpos;
  qpos[0] = base, qpos[1] = 0.48, qpos[2] = 0; /* the three slides of the base come first */
  memcpy(qpos + made->parts.fetch.object_qpos, object, 3 * sizeof *object);
  memcpy(qpos + made->parts.fetch.object_qpos + 3, (double[]){1, 0, 0, 0}, 4 * sizeof *qpos);
  mj_forward(m, d);

  const double *grip = d->site_xpos + 3 * made->parts.fetch.grip;
  const double offset[3] = {-0.498, 0.005, -0.431 - drop};
  double *mocap = d->mocap_pos + 3 * made->parts.fetch.mocap;
  for (int i = 0; i < 3; i++)
    mocap[i] = grip[i] + offset[i];
  memcpy(d->mocap_quat + 4 * made->parts.fetch.mocap, downwards, sizeof downwards);
  for (int i = 0; i < SETTLE; i++)
    mj_step(m, d);

  /* like Gym, this makes no further mj_forward */
  made->facts.period = SUBSTEPS * m->opt.timestep;
  memcpy(made->facts.hand, d->site_xpos + 3 * made->parts.fetch.grip, sizeof made->facts.hand);
  memcpy(made->facts.object, d->site_xpos + 3 * made->parts.fetch.object, sizeof made->facts.object);
}

static void prepare_push(model *made, mjData *d)
{
  prepare(made, d, 0.405, (double[]){1.25, 0.53, 0.4}, 0);
}

static void prepare_slide(model *made, mjData *d)
{
  prepare(made, d, 0.05, (double[]){1.7, 1.1, 0.41}, 0.02);
}

static void reset(const model *shared, mjData *d, const double *object)
{
  if (object != NULL) memcpy(d->qpos + shared->parts.fetch.object_qpos, object, 2 * sizeof *object);
  mj_forward(shared->m, d);
}

/* Makes one step of the Gym environment, with the action that moves the grip site towards `position`. */
static void follow(const model *shared, mjData *d, const double *position, const double *velocity)
{
  (void)velocity;
  const double *grip = d->site_xpos + 3 * shared->parts.fetch.grip;
  const double *link = d->xpos + 3 * shared->parts.fetch.gripper, *turn = d->xquat + 4 * shared->parts.fetch.gripper;
  double *mocap = d->mocap_pos + 3 * shared->parts.fetch.mocap, *quat = d->mocap_quat + 4 * shared->parts.fetch.mocap;

  for (int i = 0; i < 3; i++) {
    const double action = fmin(1, fmax(-1, (position[i] - grip[i]) / reach));
    mocap[i] = link[i] + reach * action;
  }
  for (int i = 0; i < 4; i++)
    quat[i] = turn[i] + downwards[i]; /* pulls the gripper softly towards the vertical */
  for (int i = 0; i < SUBSTEPS; i++)
    mj_step(shared->m, d);

  /* the gripper stays closed */
  for (int i = 0; i < 2; i++)
    d->qpos[shared->parts.fetch.finger_qpos[i]] = 0;
  mj_forward(shared->m, d);
}

static void observe(const model *shared, const mjData *d, double *hand, double *object)
{
  memcpy(hand, d->site_xpos + 3 * shared->parts.fetch.grip, 3 * sizeof *hand);
  memcpy(object, d->site_xpos + 3 * shared->parts.fetch.object, 3 * sizeof *object);
}

const robot fcps_mujoco_fetch_push = {
    .file = "fetch/push.xml",
    .edit = edit,
    .prepare = prepare_push,
    .reset = reset,
    .follow = follow,
    .observe = observe,
    .camera = {.lookat = {1.2, 0.7, 0.52}, .distance = 1.6, .azimuth = 132, .elevation = -26},
};

const robot fcps_mujoco_fetch_slide = {
    .file = "fetch/slide.xml",
    .edit = edit,
    .prepare = prepare_slide,
    .reset = reset,
    .follow = follow,
    .observe = observe,
    .camera = {.lookat = {1.2, 0.7, 0.45}, .distance = 2.0, .azimuth = 132, .elevation = -26},
};
