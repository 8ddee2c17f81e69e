/* SPDX-License-Identifier: Apache-2.0 */
/* The toy cannon [pinsler2019, Sec. V-A]: hit any point of a square among unknown hills.
 *
 *   target       x, y           where the ball should land
 *   parameters   turn, tilt, speed
 *   outcome      land_x, land_y where it landed
 *   reward       -|target - landing| - 0.05 speed^2
 *
 * In training the tilt is disturbed by Gaussian noise of one degree; the offline evaluation is a grid over the square,
 * borders included, without noise. Hills, contexts and noise have their own random streams, so every learner with one
 * seed meets the same world. What the paper leaves open (gravity, number and shape of hills, landing rule) follows the
 * authors' earlier published simulator.
 */
#include "lab/task/cannon/cannon.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "lab/task/cannon/settings.h"
#include "lab/task/cannon/sketch.h"
#include "lab/task/task_impl.h"

#include <math.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586
#define REACH  FCPS_CANNON_REACH
#define BEYOND (FCPS_CANNON_EDGE + FCPS_CANNON_STEP) /* the last step may end this far out */

static const fcps_dimension target_dims[] = {
    {.name = "x", .lower = -REACH, .upper = REACH, .unit = "m"},
    {.name = "y", .lower = -REACH, .upper = REACH, .unit = "m"},
};
static const fcps_dimension parameter_dims[] = {
    {.name = "turn", .lower = 0.0, .upper = TWO_PI, .period = TWO_PI, .unit = "rad"},
    {.name = "tilt", .lower = FCPS_CANNON_TILT_LOWER, .upper = FCPS_CANNON_TILT_UPPER, .unit = "rad"},
    {.name = "speed", .lower = FCPS_CANNON_SPEED_LOWER, .upper = FCPS_CANNON_SPEED_UPPER, .unit = "m/s"},
};
static const fcps_dimension outcome_dims[] = {
    {.name = "land_x", .lower = -BEYOND, .upper = BEYOND, .unit = "m"},
    {.name = "land_y", .lower = -BEYOND, .upper = BEYOND, .unit = "m"},
};

static const char *landing_choice(int index)
{
  static const char *const names[] = {[FCPS_CANNON_LANDING_STEP] = "step", [FCPS_CANNON_LANDING_EXACT] = "exact"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

static const char *targets_choice(int index)
{
  static const char *const names[] = {
      [FCPS_CANNON_TARGETS_EVERYWHERE] = "everywhere", [FCPS_CANNON_TARGETS_TWO_QUADRANTS] = "two-quadrants"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

const fcps_setting_row fcps_cannon_rows[] = {
    FCPS_INTEGER_ROW("hills", fcps_cannon_settings, hills, "10", 0, FCPS_CANNON_MAX_HILLS, "hills around the cannon"),
    FCPS_NUMBER_ROW("noise_deg", fcps_cannon_settings, noise_deg, "1", 0, 10,
                    "deviation of the tilt in training, in degrees"),
    FCPS_CHOICE_ROW("landing", fcps_cannon_settings, landing, "step", landing_choice,
                    "the first 0.1 m step below the ground, or where the ball meets it"),
    FCPS_CHOICE_ROW("targets", fcps_cannon_settings, targets, "everywhere", targets_choice,
                    "training targets: the whole square, or only where x and y have opposite signs"),
    FCPS_INTEGER_ROW("grid", fcps_cannon_settings, grid, "15", 2, 101,
                     "evaluation targets along each side of the square"),
    {.spec.name = NULL},
};

static const fcps_setting_table table = {.size = sizeof(fcps_cannon_settings), .parts = {{fcps_cannon_rows, 0}}};

typedef struct cannon_state {
  fcps_cannon world;
  double noise; /* standard deviation of the tilt, rad */
  fcps_cannon_targets targets;
  double *evaluation_targets;
} cannon_state;

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments;
  for (int i = 0; i < count; i++) {
    const double speed = parameters[FCPS_CANNON_PARAMETERS * i + FCPS_CANNON_SPEED];
    /* the reward of a ball whose landing was not seen is unknown */
    rewards[i] = present[i] ? fcps_cannon_reward(target, outcomes + 2 * i, speed) : NAN;
  }
  return FCPS_OK;
}

static fcps_status reward_gradient(void *user, int count, const double *target, const double *environments,
                                   const double *parameters, const double *outcomes, double *outcome_gradients,
                                   double *parameter_gradients)
{
  (void)user, (void)environments;
  for (int i = 0; i < count; i++) {
    const double dx = target[0] - outcomes[2 * i], dy = target[1] - outcomes[2 * i + 1];
    const double distance = sqrt(dx * dx + dy * dy);
    const double scale = distance > 0.0 ? 1.0 / distance : 0.0; /* at the tip of the cone the gradient counts as 0 */
    outcome_gradients[2 * i] = scale * dx;
    outcome_gradients[2 * i + 1] = scale * dy;

    double *gradient = parameter_gradients + FCPS_CANNON_PARAMETERS * i;
    gradient[FCPS_CANNON_TURN] = 0.0;
    gradient[FCPS_CANNON_TILT] = 0.0;
    gradient[FCPS_CANNON_SPEED] =
        -2.0 * FCPS_CANNON_PENALTY * parameters[FCPS_CANNON_PARAMETERS * i + FCPS_CANNON_SPEED];
  }
  return FCPS_OK;
}

/* A grid over the square, borders included; the first dimension changes slowest. */
static fcps_status lay_grid(fcps_task *task, cannon_state *state, int side, fcps_error *error)
{
  double *targets = fcps_allocate((size_t)side * (size_t)side, 2 * sizeof *targets);
  if (targets == NULL) return fcps_error_memory(error);
  for (int i = 0; i < side * side; i++) {
    targets[2 * i] = -REACH + 2.0 * REACH * (i / side) / (side - 1);
    targets[2 * i + 1] = -REACH + 2.0 * REACH * (i % side) / (side - 1);
  }
  state->evaluation_targets = targets;
  task->evaluation = (fcps_evaluation){.count = side * side, .columns = side, .targets = targets};
  return FCPS_OK;
}

static fcps_status create(fcps_task *task, const void *settings, fcps_error *error)
{
  const fcps_cannon_settings *s = settings;
  cannon_state *state = fcps_allocate(1, sizeof *state);
  if (state == NULL) return fcps_error_memory(error);

  task->state = state;
  state->noise = s->noise_deg * TWO_PI / 360.0;
  state->targets = s->targets;
  fcps_cannon_build(&state->world, task->seed, s->hills, s->landing == FCPS_CANNON_LANDING_EXACT);

  task->problem = (fcps_problem){
      .target = {2, target_dims},
      .parameters = {FCPS_CANNON_PARAMETERS, parameter_dims},
      .outcome = {2, outcome_dims},
      .reward = reward,
      .gradient = reward_gradient,
      .achieved = fcps_task_point_achieved,
      .is_distance = true,
  };
  return lay_grid(task, state, s->grid, error);
}

static void destroy(void *user)
{
  cannon_state *state = user;
  if (state == NULL) return;
  free(state->evaluation_targets);
  free(state);
}

static void context(const fcps_task *task, int64_t episode, double *target, double *environment)
{
  (void)environment;
  const cannon_state *state = task->state;
  fcps_rng rng = fcps_rng_stream(task->seed, FCPS_PURPOSE_CONTEXT, (uint64_t)episode);
  target[0] = REACH * (2.0 * fcps_rng_uniform(&rng) - 1.0);
  target[1] = REACH * (2.0 * fcps_rng_uniform(&rng) - 1.0);
  if (state->targets == FCPS_CANNON_TARGETS_TWO_QUADRANTS) target[1] = -copysign(target[1], target[0]);
}

static fcps_status run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                       double *outcome, fcps_rollout *rollout)
{
  (void)environment;
  const cannon_state *state = task->state;
  double shot[FCPS_CANNON_PARAMETERS];
  for (int i = 0; i < FCPS_CANNON_PARAMETERS; i++)
    shot[i] = parameters[i];

  if (episode >= 0) {
    fcps_rng rng = fcps_rng_stream(task->seed, FCPS_PURPOSE_NOISE, (uint64_t)episode);
    shot[FCPS_CANNON_TILT] += state->noise * fcps_rng_normal(&rng);
  }
  fcps_cannon_shoot(&state->world, shot, outcome);
  rollout->outcome = outcome;
  return FCPS_OK;
}

static double optimum(fcps_task *task)
{
  const cannon_state *state = task->state;
  double parameters[FCPS_CANNON_PARAMETERS], sum = 0.0;
  for (int i = 0; i < task->evaluation.count; i++) {
    sum += fcps_cannon_best_shot(&state->world, state->evaluation_targets + 2 * i, parameters);
  }
  return sum / task->evaluation.count;
}

static fcps_status sketch(fcps_task *task, int count, const double *targets, const double *environments,
                          const double *parameters, const char *directory)
{
  (void)environments;
  const cannon_state *state = task->state;
  return fcps_cannon_sketch(&state->world, count, targets, parameters, directory, &task->error);
}

const fcps_task_ops fcps_task_cannon = {
    .info = {.name = "cannon",
             .summary = "the paper's toy cannon: hit any point of a 22 m square among unknown hills",
             .settings = &table},
    .create = create,
    .destroy = destroy,
    .context = context,
    .run = run,
    .optimum = optimum,
    .sketch = sketch,
};
