/* SPDX-License-Identifier: Apache-2.0 */
/* An arm among posts: its tip must reach a point while no link touches a post.
 *
 *   target       x, y (m)
 *   environment  load (kg) at the tip, under which the joints give way
 *   parameters   joint1, joint2, joint3 (rad), each relative to the link before
 *   outcome      tip_x, tip_y (m)
 *   reward       -|target - tip| - 0.02 (|joint1| + |joint2| + |joint3|)
 *
 * The three links of 0.4 m begin at the origin; targets are in front of it. Three posts stand at places that depend on
 * the seed. A collision is a failed trial without outcome, whose message names the post. In training the joints have
 * noise. */
#include "base/error.h"
#include "base/memory.h"
#include "lab/task/workshop/workshop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOINTS = 3, POSTS = 3 };
static const double link = 0.4, post_radius = 0.06, joint_noise = 0.01, collision_earns = -2.0;

static const fcps_dimension target_dims[] = {
    {.name = "x", .lower = 0.35, .upper = 1.0, .unit = "m"},
    {.name = "y", .lower = -0.6, .upper = 0.6, .unit = "m"},
};
static const fcps_dimension environment_dims[] = {{.name = "load", .lower = 0.0, .upper = 2.0, .unit = "kg"}};
#define JOINT(label)                                                                                                   \
  {                                                                                                                    \
    .name = label, .lower = -2.0, .upper = 2.0, .unit = "rad"                                                          \
  }
static const fcps_dimension parameter_dims[JOINTS] = {JOINT("joint1"), JOINT("joint2"), JOINT("joint3")};
static const fcps_dimension outcome_dims[] = {{.name = "tip_x"}, {.name = "tip_y"}};

typedef struct reach {
  fcps_mishaps mishaps; /* must come first, because fcps_workshop_recall reads it at that place */
  double unit;          /* the factor of tip_x (fcps_mishaps_unit) */
  double posts[POSTS][2];
  double give[JOINTS]; /* how far a joint gives way, rad per kg */
  double targets[FCPS_WORKSHOP_EVALUATIONS * 2], environments[FCPS_WORKSHOP_EVALUATIONS];
} reach;

static double score(const fcps_task *task, const double *target, const double *environment, const double *parameters,
                    const double *outcome)
{
  (void)environment;
  const reach *r = task->state;
  if (outcome == NULL) return collision_earns;
  double effort = 0.0;
  for (int j = 0; j < JOINTS; j++)
    effort += fabs(parameters[j]);
  return -hypot(target[0] - outcome[0] / r->unit, target[1] - outcome[1]) - 0.02 * effort;
}

static fcps_status achieved(void *user, int count, const double *environments, const double *outcomes, double *targets)
{
  (void)environments;
  const reach *r = ((const fcps_task *)user)->state;
  for (int i = 0; i < count; i++) {
    targets[2 * i] = outcomes[2 * i] / r->unit;
    targets[2 * i + 1] = outcomes[2 * i + 1];
  }
  return FCPS_OK;
}

static fcps_status create(fcps_task *task, const void *settings, fcps_error *error)
{
  (void)error;
  /* posts stand near these places, none so near to the base that the arm could not start */
  static const double places[POSTS][2] = {{0.55, 0.25}, {0.6, -0.3}, {0.25, 0.45}};
  reach *r = task->state;
  r->mishaps = *(const fcps_mishaps *)settings;
  r->unit = fcps_mishaps_unit(&r->mishaps);
  fcps_rng rng = fcps_rng_stream(task->seed, FCPS_PURPOSE_WORLD, 0);
  for (int i = 0; i < POSTS; i++)
    for (int d = 0; d < 2; d++)
      r->posts[i][d] = places[i][d] + 0.2 * (fcps_rng_uniform(&rng) - 0.5);
  for (int j = 0; j < JOINTS; j++)
    r->give[j] = -0.06 * fcps_rng_uniform(&rng);
  task->problem = (fcps_problem){.target = {2, target_dims},
                                 .environment = {1, environment_dims},
                                 .parameters = {JOINTS, parameter_dims},
                                 .outcome = {2, outcome_dims},
                                 .achieved = achieved,
                                 .is_distance = true};
  fcps_workshop_place_evaluations(task, r->targets, r->environments, collision_earns);
  return FCPS_OK;
}

/* The distance of a post from the line between two points. */
static double distance_to_piece(const double *post, const double *a, const double *b)
{
  const double dx = b[0] - a[0], dy = b[1] - a[1];
  const double along = ((post[0] - a[0]) * dx + (post[1] - a[1]) * dy) / (dx * dx + dy * dy);
  const double share = fmin(1.0, fmax(0.0, along));
  return hypot(a[0] + share * dx - post[0], a[1] + share * dy - post[1]);
}

/* The number, counted from 1, of the post that one of the links between these points touches; 0 if no link touches a
 * post. */
static int touched_post(const reach *r, double points[JOINTS + 1][2])
{
  for (int i = 0; i < POSTS; i++)
    for (int j = 0; j < JOINTS; j++)
      if (distance_to_piece(r->posts[i], points[j], points[j + 1]) < post_radius) return i + 1;
  return 0;
}

static fcps_status run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                       double *outcome, fcps_rollout *rollout)
{
  reach *r = task->state;
  double points[JOINTS + 1][2] = {{0.0, 0.0}}, angle = 0.0;
  fcps_rng rng = fcps_task_noise(task, episode);
  for (int j = 0; j < JOINTS; j++) {
    const double noise = joint_noise * fcps_rng_normal(&rng);
    angle += parameters[j] + r->give[j] * environment[0] + (episode < 0 ? 0.0 : noise);
    points[j + 1][0] = points[j][0] + link * cos(angle);
    points[j + 1][1] = points[j][1] + link * sin(angle);
  }
  const int post = touched_post(r, points);
  if (post > 0) {
    rollout->status = FCPS_ROLLOUT_FAILED;
    snprintf(task->message, sizeof task->message, "the arm touched post %d", post);
  } else {
    outcome[0] = points[JOINTS][0];
    outcome[1] = points[JOINTS][1];
    rollout->outcome = outcome;
  }
  fcps_mishaps_happen(&r->mishaps, task, episode, outcome, rollout);
  return FCPS_OK;
}

const fcps_task_ops fcps_task_reach = {
    .info = {.name = "reach",
             .summary = "a three-joint arm among posts: reach any point, a collision is a failed trial",
             .settings = &fcps_mishap_settings},
    .state_size = sizeof(reach),
    .create = create,
    .score = score,
    .run = run,
    .optimum = fcps_workshop_optimum,
    .recall = fcps_workshop_recall,
};
