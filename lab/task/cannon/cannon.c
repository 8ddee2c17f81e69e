/* SPDX-License-Identifier: Apache-2.0 */
/* The toy cannon [pinsler2019, Sec. V-A]: hit any point of a square among unknown hills.
 *
 *   target       x, y           where the ball should land
 *   parameters   turn, tilt, speed
 *   outcome      land_x, land_y where it landed
 *   reward       -|target - landing| - 0.05 speed^2
 *
 * In training, Gaussian noise of one degree disturbs the tilt. The offline evaluation is a grid over the square,
 * borders included, without noise. Hills, contexts and noise have their own random streams, so all learners with the
 * same seed have the same world. Where the paper gives no detail (gravity, number and shape of hills, landing rule),
 * this task follows the authors' earlier published simulator. */
#include "lab/task/cannon/cannon.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/settings.h"
#include "format/csv.h"
#include "format/file.h"
#include "lab/task/task_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* -- The picture of shots -- */

/* Writes the cannon's picture as data files: a grid of ground heights, the targets with their landings, and the
 * flights. Each file is written in memory and then replaced at once. */

enum { GROUND_POINTS = 101, FLIGHT_POINTS = 60 };

/* The shots whose data the three files show. */
typedef struct trial_set {
  const fcps_cannon *cannon;
  int count;
  const double *targets;
  const double *parameters; /* NULL: the best shots are shown */
} trial_set;

typedef void rows_fn(const trial_set *trials, fcps_csv_writer *csv);

static void write_point(fcps_csv_writer *csv, double x, double y, double z)
{
  fcps_csv_write_number(csv, x);
  fcps_csv_write_number(csv, y);
  fcps_csv_write_number(csv, z);
  fcps_csv_end_row(csv);
}

static void write_ground(const trial_set *trials, fcps_csv_writer *csv)
{
  const double step = 2.0 * FCPS_CANNON_REACH / (GROUND_POINTS - 1);
  for (int i = 0; i < GROUND_POINTS; i++) {
    for (int j = 0; j < GROUND_POINTS; j++) {
      const double x = -FCPS_CANNON_REACH + step * i, y = -FCPS_CANNON_REACH + step * j;
      write_point(csv, x, y, fcps_cannon_ground(trials->cannon, x, y));
    }
  }
}

static void shot_at(const trial_set *trials, int index, double *parameters)
{
  if (trials->parameters == NULL) {
    fcps_cannon_best_shot(trials->cannon, trials->targets + 2 * index, parameters);
    return;
  }
  for (int i = 0; i < FCPS_CANNON_PARAMETERS; i++) {
    parameters[i] = trials->parameters[FCPS_CANNON_PARAMETERS * index + i];
  }
}

static void write_mark(const trial_set *trials, fcps_csv_writer *csv, const char *kind, const double *point)
{
  fcps_csv_write_text(csv, kind);
  write_point(csv, point[0], point[1], fcps_cannon_ground(trials->cannon, point[0], point[1]));
}

static void write_marks(const trial_set *trials, fcps_csv_writer *csv)
{
  const double origin[2] = {0.0, 0.0};
  write_mark(trials, csv, "start", origin);
  for (int i = 0; i < trials->count; i++) {
    double parameters[FCPS_CANNON_PARAMETERS], landing[2];
    shot_at(trials, i, parameters);
    fcps_cannon_shoot(trials->cannon, parameters, landing);
    write_mark(trials, csv, "target", trials->targets + 2 * i);
    write_mark(trials, csv, "end", landing);
  }
}

static void write_flights(const trial_set *trials, fcps_csv_writer *csv)
{
  for (int i = 0; i < trials->count; i++) {
    double parameters[FCPS_CANNON_PARAMETERS], points[3 * FLIGHT_POINTS];
    shot_at(trials, i, parameters);
    fcps_cannon_flight(trials->cannon, parameters, FLIGHT_POINTS, points);
    for (int j = 0; j < FLIGHT_POINTS; j++) {
      fcps_csv_write_integer(csv, i + 1);
      write_point(csv, points[3 * j], points[3 * j + 1], points[3 * j + 2]);
    }
  }
}

static fcps_status write_file(const trial_set *trials, const char *directory, const char *name,
                              const char *first_column, rows_fn *write_rows, fcps_error *error)
{
  char path[4096];
  const fcps_status joined = fcps_file_join(directory, name, sizeof path, path, error);
  if (joined != FCPS_OK) return joined;

  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (stream == NULL) return fcps_error_memory(error);

  fcps_csv_writer csv = {.stream = stream};
  if (first_column != NULL) fcps_csv_write_text(&csv, first_column);
  fcps_csv_write_text(&csv, "x");
  fcps_csv_write_text(&csv, "y");
  fcps_csv_write_text(&csv, "z");
  fcps_csv_end_row(&csv);
  write_rows(trials, &csv);

  const bool is_written = !ferror(stream);
  const fcps_status status =
      fclose(stream) == 0 && is_written ? fcps_file_replace(path, text, length, error) : fcps_error_memory(error);
  free(text);
  return status;
}

/* Writes surface.csv, marks.csv and paths.csv (see fcps_task_sketch). */
static fcps_status cannon_sketch(const fcps_cannon *cannon, int count, const double *targets, const double *parameters,
                                 const char *directory, fcps_error *error)
{
  const trial_set trials = {cannon, count, targets, parameters};
  fcps_status status = write_file(&trials, directory, "surface.csv", NULL, write_ground, error);
  if (status == FCPS_OK) status = write_file(&trials, directory, "marks.csv", "kind", write_marks, error);
  if (status == FCPS_OK) status = write_file(&trials, directory, "paths.csv", "path", write_flights, error);
  return status;
}

/* -- The task -- */

#define TWO_PI 6.283185307179586
#define REACH  FCPS_CANNON_REACH
#define BEYOND (FCPS_CANNON_EDGE + FCPS_CANNON_STEP) /* the last step of a flight may end this far out */

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
    FCPS_INTEGER_ROW("hills", fcps_cannon_settings, hills, "10", 0, FCPS_CANNON_MAX_HILLS,
                     "number of hills around the cannon"),
    FCPS_NUMBER_ROW("noise_deg", fcps_cannon_settings, noise_deg, "1", 0, 10,
                    "deviation of the tilt in training, in degrees"),
    FCPS_CHOICE_ROW("landing", fcps_cannon_settings, landing, "step", landing_choice,
                    "where a ball lands: at the first 0.1 m step below the ground, or where its path meets the ground"),
    FCPS_CHOICE_ROW("targets", fcps_cannon_settings, targets, "everywhere", targets_choice,
                    "training targets: the whole square, or only where x and y have opposite signs"),
    FCPS_INTEGER_ROW("grid", fcps_cannon_settings, grid, "15", 2, 101,
                     "number of evaluation targets along each side of the square"),
    {.spec.name = NULL},
};

static const fcps_setting_table table = {.size = sizeof(fcps_cannon_settings), .parts = {{fcps_cannon_rows, 0}}};

typedef struct cannon_state {
  fcps_cannon world;
  double noise; /* the standard deviation of the tilt's noise, rad */
  fcps_cannon_targets targets;
  double *evaluation_targets;
} cannon_state;

static double score(const fcps_task *task, const double *target, const double *environment, const double *parameters,
                    const double *outcome)
{
  (void)task, (void)environment;
  /* without a landing point the reward cannot be computed */
  return outcome != NULL ? fcps_cannon_reward(target, outcome, parameters[FCPS_CANNON_SPEED]) : NAN;
}

static fcps_status reward_gradient(void *user, int count, const double *target, const double *environments,
                                   const double *parameters, const double *outcomes, double *outcome_gradients,
                                   double *parameter_gradients)
{
  (void)user, (void)environments;
  for (int i = 0; i < count; i++) {
    const double dx = target[0] - outcomes[2 * i], dy = target[1] - outcomes[2 * i + 1];
    const double distance = sqrt(dx * dx + dy * dy);
    /* on the target itself the distance has no gradient; it counts as 0 */
    const double scale = distance > 0.0 ? 1.0 / distance : 0.0;
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

/* Places the evaluation targets: a grid over the square, borders included; the first dimension changes slowest. */
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
  cannon_state *state = task->state;
  state->noise = s->noise_deg * TWO_PI / 360.0;
  state->targets = s->targets;
  fcps_cannon_build(&state->world, task->seed, s->hills, s->landing == FCPS_CANNON_LANDING_EXACT);

  task->problem = (fcps_problem){
      .target = {2, target_dims},
      .parameters = {FCPS_CANNON_PARAMETERS, parameter_dims},
      .outcome = {2, outcome_dims},
      .gradient = reward_gradient,
      .achieved = fcps_task_point_achieved,
      .is_distance = true,
  };
  return lay_grid(task, state, s->grid, error);
}

static void destroy(void *user)
{
  cannon_state *state = user;
  free(state->evaluation_targets);
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
  return cannon_sketch(&state->world, count, targets, parameters, directory, &task->error);
}

const fcps_task_ops fcps_task_cannon = {
    .info = {.name = "cannon",
             .summary = "the paper's toy cannon: hit any point of a 22 m square among unknown hills",
             .settings = &table},
    .state_size = sizeof(cannon_state),
    .create = create,
    .score = score,
    .destroy = destroy,
    .context = context,
    .run = run,
    .optimum = optimum,
    .sketch = sketch,
};
