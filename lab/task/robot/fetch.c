/* SPDX-License-Identifier: Apache-2.0 */
/* The Fetch arm moves an object to a target with two primitives [pinsler2019, Sec. V-B].
 *
 * Context: where the object starts (environment) and where it should end (target), drawn as Gym does [plappert2018].
 * Parameters: the approach angle and the end of the stroke, relative to the object. The first primitive lifts the hand
 * over to y1 = object + 0.08 (-sin angle, cos angle), with a shape learnt by imitation. The second primitive strokes
 * from y1 to y2 = object + stroke. Then the hand rests, and the object may slide on, until 2 s are over. Outcome: the
 * displacement of the object. Reward: minus the distance to the target in three dimensions, as in Gym, so an object
 * that fell off the table also loses the depth of its fall. */
#include "base/error.h"
#include "base/memory.h"
#include "lab/task/robot/robot.h"
#include "lab/task/task_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The constants in which the two tasks differ. Ranges are relative to the ready position of the hand; strokes are
 * relative to the object. */
typedef struct fetch_design {
  fcps_sim_robot robot;
  const char *version;               /* the version of the rules; cached rollouts of another version are not used */
  double approach_time, stroke_time; /* s */
  /* the object starts within this distance of the hand in x and in y, but at least 0.1 away */
  double object_range;
  double target_range;  /* the target lies within this distance of `target_offset` */
  double target_offset; /* the centre of the targets in x */
  double angle;         /* the largest approach angle */
  double stroke_lower[2], stroke_upper[2];
  double hand_lower[3], hand_upper[3]; /* where the hand can go, for the check before a movement */
} fetch_design;

/* -- The common part -- */

static const double pi = 3.14159265358979323846;

enum { INPUTS = 5, PERIODS = 50, SAMPLES = 2001, MOST_DRAWS = 100000 };

static const double hand_height = 0.425;      /* the height of both goals: the finger tips are just above the table */
static const double lift_height = 0.1;        /* how far the hand rises: enough to clear the object */
static const double approach_distance = 0.08; /* the distance between the hand and the object's centre */
static const double clearance = 0.1;          /* as in Gym: the object starts at least this far from the hand */
static const double fastest = 0.05 / 0.04;    /* m/s: an action moves the hand at most 5 cm per period */

typedef struct fetch {
  fcps_robot robot;
  const fetch_design *design;
  bool preflight;
  int oracle_rollouts;
  fcps_dimension target[2], environment[2], parameters[3], outcome[3];
} fetch;

typedef struct fetch_settings {
  fcps_robot_settings robot;
  bool preflight;
} fetch_settings;

static const fcps_setting_row setting_rows[] = {
    FCPS_SWITCH_ROW("preflight", fetch_settings, preflight, "off",
                    "refuse movements that leave the workspace or are too fast"),
    {.spec.name = NULL},
};

static const fcps_setting_table settings_table = {
    .size = sizeof(fetch_settings),
    .parts = {{fcps_robot_rows, offsetof(fetch_settings, robot)}, {setting_rows, 0}},
};

/* reward = -|(object + displacement) - target|; the target's height is the object's height at rest */
static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user;
  (void)parameters;
  for (int i = 0; i < count; i++) {
    const double *s = environments + 2 * i, *o = outcomes + 3 * i;
    rewards[i] =
        present[i] ? -sqrt(pow(s[0] + o[0] - target[0], 2) + pow(s[1] + o[1] - target[1], 2) + o[2] * o[2]) : NAN;
  }
  return FCPS_OK;
}

static fcps_status gradient(void *user, int count, const double *target, const double *environments,
                            const double *parameters, const double *outcomes, double *outcome_gradients,
                            double *parameter_gradients)
{
  (void)user;
  (void)parameters;
  for (int i = 0; i < count; i++) {
    const double *s = environments + 2 * i, *o = outcomes + 3 * i;
    const double miss[3] = {s[0] + o[0] - target[0], s[1] + o[1] - target[1], o[2]};
    const double distance = sqrt(miss[0] * miss[0] + miss[1] * miss[1] + miss[2] * miss[2]);
    for (int j = 0; j < 3; j++)
      outcome_gradients[3 * i + j] = distance > 0 ? -miss[j] / distance : 0;
  }
  memset(parameter_gradients, 0, (size_t)count * 3 * sizeof *parameter_gradients);
  return FCPS_OK;
}

static fcps_status achieved(void *user, int count, const double *environments, const double *outcomes, double *targets)
{
  (void)user;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < 2; j++)
      targets[2 * i + j] = environments[2 * i + j] + outcomes[3 * i + j];
  return FCPS_OK;
}

static void describe(fcps_task *task, fetch *f)
{
  const fetch_design *d = f->design;
  const double *hand = f->robot.facts->hand;
  static const char *const names[3][2] = {{"x", "y"}, {"object_x", "object_y"}, {"stroke_x", "stroke_y"}};

  f->parameters[0] = (fcps_dimension){.name = "angle", .upper = d->angle, .period = 2 * pi, .unit = "rad"};
  for (int i = 0; i < 2; i++) {
    const double centre = hand[i] + (i == 0 ? d->target_offset : 0);
    f->target[i] = (fcps_dimension){names[0][i], centre - d->target_range, centre + d->target_range, .unit = "m"};
    f->environment[i] =
        (fcps_dimension){names[1][i], hand[i] - d->object_range, hand[i] + d->object_range, .unit = "m"};
    f->parameters[1 + i] = (fcps_dimension){names[2][i], d->stroke_lower[i], d->stroke_upper[i], .unit = "m"};
  }
  f->outcome[0] = (fcps_dimension){"dx", -1.5, 1.5, .unit = "m"};
  f->outcome[1] = (fcps_dimension){"dy", -1.5, 1.5, .unit = "m"};
  f->outcome[2] = (fcps_dimension){"dz", -0.5, 0.1, .unit = "m"};
  task->problem = (fcps_problem){.target = {2, f->target},
                                 .environment = {2, f->environment},
                                 .parameters = {3, f->parameters},
                                 .outcome = {3, f->outcome},
                                 .reward = reward,
                                 .gradient = gradient,
                                 .achieved = achieved,
                                 .user = f};
}

/* Learns the lift from a demonstration: x and y stay, z rises in the first quarter and sinks in the last third. */
static fcps_status imitate_lift(const fetch *f, fcps_primitive *primitive, fcps_error *error)
{
  const double *hand = f->robot.facts->hand;
  double(*path)[3] = fcps_allocate(SAMPLES, sizeof *path);
  if (path == NULL) return fcps_error_memory(error);

  for (int t = 0; t < SAMPLES; t++) {
    const double s = (double)t / (SAMPLES - 1);
    const double move = fcps_minimum_jerk(s), up = fcps_minimum_jerk(s / 0.25),
                 down = fcps_minimum_jerk((s - 0.65) / 0.35);
    path[t][0] = hand[0];
    path[t][1] = hand[1];
    path[t][2] = hand[2] + (hand_height - hand[2]) * move + lift_height * (up - down);
  }
  const fcps_demonstration demonstration = {.count = SAMPLES,
                                            .duration = f->design->approach_time,
                                            .positions = path[0],
                                            .end_velocity = (double[]){0, 0, 0}};
  const fcps_status status = fcps_primitive_imitate(primitive, &demonstration, 1e-8, error);
  free(path);
  return status;
}

static fcps_status make_motion(fetch *f, fcps_error *error)
{
  const fcps_primitive_settings settings = fcps_primitive_settings_default(3);
  fcps_primitive *lift = NULL, *stroke = NULL;
  fcps_status status = fcps_primitive_create(&lift, &settings, error);
  if (status == FCPS_OK) status = fcps_primitive_create(&stroke, &settings, error);
  if (status == FCPS_OK) status = imitate_lift(f, lift, error);
  if (status == FCPS_OK) {
    const fcps_motion_part parts[] = {{lift, f->design->approach_time, true}, {stroke, f->design->stroke_time, true}};
    status = fcps_motion_create(&f->robot.motion, 2, parts, FCPS_ROBOT_DT, error);
  }
  fcps_primitive_destroy(lift);
  fcps_primitive_destroy(stroke);
  return status;
}

/* Draws a context as Gym does: first the object, again and again until it is clear of the hand, then the target. */
static void sample(const fcps_task *task, fcps_rng *rng, double *target, double *environment)
{
  const fetch *f = task->state;
  const double *hand = f->robot.facts->hand;
  double offset[2] = {clearance, clearance};
  for (int draw = 0; draw < MOST_DRAWS; draw++) {
    for (int i = 0; i < 2; i++)
      offset[i] = f->design->object_range * (2 * fcps_rng_uniform(rng) - 1);
    if (hypot(offset[0], offset[1]) >= clearance) break;
  }
  for (int i = 0; i < 2; i++)
    environment[i] = hand[i] + offset[i];
  for (int i = 0; i < 2; i++)
    target[i] =
        hand[i] + (i == 0 ? f->design->target_offset : 0) + f->design->target_range * (2 * fcps_rng_uniform(rng) - 1);
}

/* The operations of both tasks (see fcps_task_ops); the design of a task is a fetch_design. */
static fcps_status fetch_create(fcps_task *task, const void *settings, fcps_error *error)
{
  const fetch_settings *s = settings;
  const fetch_design *design = task->ops->design;
  fetch *f = task->state;
  f->design = design;
  f->preflight = s->preflight;
  f->oracle_rollouts = s->robot.oracle_rollouts;
  fcps_status status = fcps_robot_open(&f->robot, design->robot, error);
  if (status == FCPS_OK) status = make_motion(f, error);
  if (status != FCPS_OK) return status;
  describe(task, f);
  fcps_robot_remember(task, &f->robot, design->version);
  return fcps_robot_draw_evaluation(task, &f->robot, &s->robot, sample, error);
}

static void fetch_destroy(void *state)
{
  fetch *f = state;
  fcps_robot_close(&f->robot);
}

static void fetch_context(const fcps_task *task, int64_t episode, double *target, double *environment)
{
  fcps_rng rng = fcps_rng_stream(task->seed, FCPS_PURPOSE_CONTEXT, (uint64_t)episode);
  sample(task, &rng, target, environment);
}

/* Sets the goals y1 and y2. */
static fcps_status aim(fetch *f, const double *object, const double *parameters)
{
  const double angle = parameters[0];
  const double approach[3] = {object[0] - approach_distance * sin(angle), object[1] + approach_distance * cos(angle),
                              hand_height};
  const double stroke[3] = {object[0] + parameters[1], object[1] + parameters[2], hand_height};
  const fcps_status status = fcps_motion_set_goal(f->robot.motion, 0, approach, NULL);
  return status == FCPS_OK ? fcps_motion_set_goal(f->robot.motion, 1, stroke, NULL) : status;
}

/* Checks a movement before it is made. A movement that breaks a limit is refused, and the robot does not move. */
static fcps_status check_motion(fcps_task *task, fcps_rollout *rollout)
{
  const fetch *f = task->state;
  static const double speed[3] = {fastest, fastest, fastest};
  const fcps_limits limits = {.lower = f->design->hand_lower, .upper = f->design->hand_upper, .velocity = speed};
  fcps_violation violation;
  int count = 0;
  const fcps_status status =
      fcps_motion_check(f->robot.motion, f->robot.facts->hand, NULL, &limits, 1, &violation, &count);
  if (status != FCPS_OK || count == 0) return status;
  char words[160];
  snprintf(task->message, sizeof task->message, "refused before moving: %s",
           fcps_violation_format(&violation, sizeof words, words));
  rollout->status = FCPS_ROLLOUT_REFUSED;
  return FCPS_OK;
}

/* Moves hand and object for 2 s; the goals are already set. */
static fcps_status simulate(fcps_task *task, const double *object, fcps_recorder *recorder, double *outcome,
                            fcps_rollout *rollout)
{
  fetch *f = task->state;
  fcps_robot_play play;
  fcps_robot_start(&f->robot, &play, f->robot.facts->hand, object);
  fcps_status status = fcps_recorder_take_frame(recorder, &play, &task->error);
  for (int k = 0; k < PERIODS && play.view.is_stable && status == FCPS_OK; k++) {
    fcps_robot_move(&f->robot, &play);
    status = fcps_recorder_take_frame(recorder, &play, &task->error);
  }
  if (status != FCPS_OK) return status;
  if (!play.view.is_stable) {
    fcps_robot_unstable(task, &play, rollout);
    return FCPS_OK;
  }
  const double start[3] = {object[0], object[1], f->robot.facts->object[2]};
  for (int i = 0; i < 3; i++)
    outcome[i] = play.view.object[i] - start[i];
  rollout->outcome = outcome;
  return FCPS_OK;
}

/* Runs a rollout. If it is not filmed, its outcome may come from the cache. */
static fcps_status push(fcps_task *task, const double *object, const double *parameters, fcps_recorder *recorder,
                        double *outcome, fcps_rollout *rollout)
{
  fetch *f = task->state;
  fcps_status status = aim(f, object, parameters);
  if (status == FCPS_OK && f->preflight) status = check_motion(task, rollout);
  if (status != FCPS_OK)
    return fcps_error_set(&task->error, status, "parameters",
                          "the movement with these parameters could not be computed");
  if (rollout->status == FCPS_ROLLOUT_REFUSED) return FCPS_OK;

  const double inputs[INPUTS] = {object[0], object[1], parameters[0], parameters[1], parameters[2]};
  if (recorder == NULL && fcps_cache_find(f->robot.cache, inputs, outcome)) {
    rollout->outcome = outcome;
    return FCPS_OK;
  }
  status = simulate(task, object, recorder, outcome, rollout);
  if (status == FCPS_OK && rollout->outcome != NULL && recorder == NULL)
    fcps_cache_keep(f->robot.cache, inputs, outcome);
  return status;
}

static fcps_status fetch_run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                             double *outcome, fcps_rollout *rollout)
{
  (void)episode; /* the simulation has no noise */
  return push(task, environment, parameters, NULL, outcome, rollout);
}

static fcps_status fetch_film(fcps_task *task, const double *target, const double *environment,
                              const double *parameters, const fcps_film *film, double *outcome, fcps_rollout *rollout)
{
  fetch *f = task->state;
  const double mark[3] = {target[0], target[1], 0.402}; /* the mark lies on the table */
  fcps_recorder *recorder;
  fcps_status status = fcps_recorder_create(&recorder, &f->robot, film, mark, &task->error);
  if (status == FCPS_OK) status = push(task, environment, parameters, recorder, outcome, rollout);
  fcps_recorder_destroy(recorder);
  return status;
}

static double fetch_optimum(fcps_task *task)
{
  return fcps_task_search_optimum(task, ((const fetch *)task->state)->oracle_rollouts);
}

/* Doing nothing: the object stays where it is. */
static void fetch_idle(const fcps_task *task, const double *environment, double *outcome)
{
  (void)environment;
  memset(outcome, 0, (size_t)task->problem.outcome.count * sizeof *outcome);
}

/* -- The tasks -- */

#define OPERATIONS                                                                                                     \
  .state_size = sizeof(fetch), .create = fetch_create, .destroy = fetch_destroy, .context = fetch_context,             \
  .run = fetch_run, .film = fetch_film, .optimum = fetch_optimum, .idle = fetch_idle

/* FetchPush-v1: push a block to a point on the table. */
static const fetch_design push_design = {
    .robot = FCPS_SIM_FETCH_PUSH,
    .version = "fetch-push-1",
    .approach_time = 1.0,
    .stroke_time = 0.8,
    .object_range = 0.15,
    .target_range = 0.15,
    .target_offset = 0,
    .angle = 6.283185307179586, /* approach from all sides */
    .stroke_lower = {-0.2, -0.2},
    .stroke_upper = {0.2, 0.2},
    .hand_lower = {1.05, 0.4, 0.4}, /* above the table; the arm can reach to x = 1.548 */
    .hand_upper = {1.548, 1.1, 0.6},
};

const fcps_task_ops fcps_task_fetch_push = {
    FCPS_ROBOT_INFO(.name = "fetch-push", .summary = "a Fetch arm pushes a block to a place on the table (MuJoCo)",
                    .settings = &settings_table),
    .design = &push_design,
    OPERATIONS,
};

/* FetchSlide-v1: slide a puck to a point that the arm cannot reach. */
static const fetch_design slide_design = {
    .robot = FCPS_SIM_FETCH_SLIDE,
    .version = "fetch-slide-1",
    .approach_time = 0.8,
    .stroke_time = 0.6,
    .object_range = 0.1,
    .target_range = 0.3,
    .target_offset = 0.4,
    .angle = 3.141592653589793, /* approach only from the robot's side of the puck */
    .stroke_lower = {0, -0.4},
    .stroke_upper = {0.4, 0.4},
    .hand_lower = {0.7, 0.3, 0.4}, /* above the table; the arm can reach to x = 1.193 */
    .hand_upper = {1.193, 1.2, 0.6},
};

const fcps_task_ops fcps_task_fetch_slide = {
    FCPS_ROBOT_INFO(.name = "fetch-slide", .summary = "a Fetch arm slides a puck to a place out of its reach (MuJoCo)",
                    .settings = &settings_table),
    .design = &slide_design,
    OPERATIONS,
};
