/* SPDX-License-Identifier: Apache-2.0 */
/* Problems that look nothing like the paper's cannon, to see that a learner's defaults are not made for it.
 *
 *   putting   two environment dimensions (slope, friction); a distance
 *   drop      three outcomes and a wind; the reward is a weighted sum of absolute errors, no distance
 *   oven      a reward of squares and a threshold; a logarithmic parameter
 *   pumps     all targets lie in one corner of the parameter box
 *   blend     five outcomes; what is wanted is a taste, not a place
 */
#ifndef FCPS_TESTS_PROBLEMS_H
#define FCPS_TESTS_PROBLEMS_H

#include "base/rng.h"
#include "space/space.h"

#include <fcps/problem.h>

#include <math.h>

typedef struct toy_task {
  const char *name;
  fcps_problem problem;
  void (*simulate)(const double *environment, const double *parameters, double *outcome);
  double noise; /* deviation of every outcome in training */
} toy_task;

#define SPACE(name)                                                                                                    \
  {                                                                                                                    \
    .dims = name, .count = (int)(sizeof name / sizeof *name)                                                           \
  }
#define UNUSED_REWARD_ARGUMENTS (void)user, (void)environments, (void)parameters, (void)present

/* -- Putting -- */

static const fcps_dimension putting_target[] = {{.name = "hole_x", .lower = 2, .upper = 8},
                                                {.name = "hole_y", .lower = -3, .upper = 3}};
static const fcps_dimension putting_environment[] = {{.name = "slope", .lower = -0.3, .upper = 0.3},
                                                     {.name = "friction", .lower = 0.6, .upper = 1.4}};
static const fcps_dimension putting_parameters[] = {{.name = "aim", .lower = -1.2, .upper = 1.2},
                                                    {.name = "strength", .lower = 0.2, .upper = 4}};
static const fcps_dimension putting_outcome[] = {{.name = "stop_x"}, {.name = "stop_y"}};

static void putting_simulate(const double *environment, const double *parameters, double *outcome)
{
  const double roll = parameters[1] * parameters[1] / environment[1];
  outcome[0] = roll * cos(parameters[0]);
  outcome[1] = roll * sin(parameters[0]) + environment[0] * roll * roll / 12;
}

static fcps_status putting_reward(void *user, int count, const double *target, const double *environments,
                                  const double *parameters, const double *outcomes, const bool *present,
                                  double *rewards)
{
  UNUSED_REWARD_ARGUMENTS;
  for (int i = 0; i < count; i++)
    rewards[i] = -hypot(target[0] - outcomes[2 * i], target[1] - outcomes[2 * i + 1]) - 0.1 * parameters[2 * i + 1];
  return FCPS_OK;
}

static fcps_status same_as_outcome(void *user, int count, const double *environments, const double *outcomes,
                                   double *targets)
{
  (void)user, (void)environments;
  for (int i = 0; i < 2 * count; i++)
    targets[i] = outcomes[i];
  return FCPS_OK;
}

/* -- Drop -- */

static const fcps_dimension drop_target[] = {{.name = "want_x", .lower = -5, .upper = 5},
                                             {.name = "want_y", .lower = -5, .upper = 5},
                                             {.name = "want_time", .lower = 2.2, .upper = 3.5}};
static const fcps_dimension drop_environment[] = {{.name = "wind", .lower = -1, .upper = 1}};
static const fcps_dimension drop_parameters[] = {{.name = "fly_x", .lower = -4, .upper = 4},
                                                 {.name = "fly_y", .lower = -4, .upper = 4},
                                                 {.name = "height", .lower = 5, .upper = 60}};
static const fcps_dimension drop_outcome[] = {{.name = "land_x"}, {.name = "land_y"}, {.name = "land_time"}};

static void drop_simulate(const double *environment, const double *parameters, double *outcome)
{
  const double time = sqrt(parameters[2] / 4.9);
  outcome[0] = parameters[0] * time + environment[0] * time * time / 4;
  outcome[1] = parameters[1] * time;
  outcome[2] = time;
}

static fcps_status drop_reward(void *user, int count, const double *target, const double *environments,
                               const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  UNUSED_REWARD_ARGUMENTS;
  for (int i = 0; i < count; i++)
    rewards[i] = -fabs(target[0] - outcomes[3 * i]) - fabs(target[1] - outcomes[3 * i + 1]) -
                 2 * fabs(target[2] - outcomes[3 * i + 2]);
  return FCPS_OK;
}

/* -- Oven -- */

static const fcps_dimension oven_target[] = {{.name = "doneness", .lower = 0.3, .upper = 0.9}};
static const fcps_dimension oven_environment[] = {{.name = "mass", .lower = 0.5, .upper = 2}};
static const fcps_dimension oven_parameters[] = {
    {.name = "heat", .lower = 120, .upper = 260, .unit = "C"},
    {.name = "minutes", .lower = 4, .upper = 120, .scale = FCPS_SCALE_LOG, .unit = "min"}};
static const fcps_dimension oven_outcome[] = {{.name = "core", .lower = 0, .upper = 2},
                                              {.name = "crust", .lower = 0, .upper = 3}};

static void oven_simulate(const double *environment, const double *parameters, double *outcome)
{
  const double dose = (parameters[0] - 60) * parameters[1] / 4000;
  outcome[0] = 1.3 * (1 - exp(-dose / environment[0]));
  outcome[1] = dose * parameters[0] / 260;
}

static fcps_status oven_reward(void *user, int count, const double *target, const double *environments,
                               const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  UNUSED_REWARD_ARGUMENTS;
  for (int i = 0; i < count; i++) {
    const double miss = outcomes[2 * i] - target[0], burnt = fmax(0, outcomes[2 * i + 1] - 1);
    rewards[i] = -4 * miss * miss - burnt * burnt - 0.004 * parameters[2 * i + 1];
  }
  return FCPS_OK;
}

/* -- Pumps -- */

static const fcps_dimension pumps_target[] = {{.name = "want_flow", .lower = 6, .upper = 9.5},
                                              {.name = "want_pressure", .lower = 6, .upper = 9.5}};
static const fcps_dimension pumps_parameters[] = {{.name = "pump_a", .lower = 0, .upper = 1},
                                                  {.name = "pump_b", .lower = 0, .upper = 1},
                                                  {.name = "pump_c", .lower = 0, .upper = 1}};
static const fcps_dimension pumps_outcome[] = {{.name = "flow"}, {.name = "pressure"}};

static void pumps_simulate(const double *environment, const double *parameters, double *outcome)
{
  (void)environment;
  outcome[0] = 10 * pow(parameters[0] * parameters[1], 2);
  outcome[1] = 10 * pow(parameters[1] * parameters[2], 2);
}

static fcps_status pumps_reward(void *user, int count, const double *target, const double *environments,
                                const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  UNUSED_REWARD_ARGUMENTS;
  for (int i = 0; i < count; i++)
    rewards[i] = -hypot(target[0] - outcomes[2 * i], target[1] - outcomes[2 * i + 1]);
  return FCPS_OK;
}

/* -- Blend -- */

enum { FLAVOURS = 5 };
static const fcps_dimension blend_target[] = {{.name = "likes_sweet", .lower = 0, .upper = 1},
                                              {.name = "likes_sour", .lower = 0, .upper = 1}};
static const fcps_dimension blend_environment[] = {{.name = "ripeness", .lower = 0, .upper = 1}};
static const fcps_dimension blend_parameters[] = {{.name = "apple", .lower = 0, .upper = 1},
                                                  {.name = "lemon", .lower = 0, .upper = 1},
                                                  {.name = "honey", .lower = 0, .upper = 1},
                                                  {.name = "chill", .lower = 0, .upper = 1}};
static const fcps_dimension blend_outcome[] = {
    {.name = "sweet"}, {.name = "sour"}, {.name = "body"}, {.name = "cold"}, {.name = "bitter"}};

static void blend_simulate(const double *environment, const double *parameters, double *outcome)
{
  const double apple = parameters[0], lemon = parameters[1], honey = parameters[2], chill = parameters[3];
  outcome[0] = tanh(2 * honey + apple * (0.5 + environment[0])) - 0.3 * lemon;
  outcome[1] = lemon * (1.2 - 0.5 * honey) + 0.3 * apple * (1 - environment[0]);
  outcome[2] = sqrt(0.1 + apple * apple + honey * honey);
  outcome[3] = chill * (1 - 0.3 * honey);
  outcome[4] = lemon * lemon * (0.5 + 0.5 * chill);
}

static fcps_status blend_reward(void *user, int count, const double *target, const double *environments,
                                const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  UNUSED_REWARD_ARGUMENTS;
  for (int i = 0; i < count; i++) {
    const double *o = outcomes + FLAVOURS * i;
    const double sweet = o[0] - target[0], sour = o[1] - target[1], body = o[2] - 0.8;
    rewards[i] =
        -2 * sweet * sweet - 2 * sour * sour - body * body + 0.3 * log(1 + fmax(0, o[3])) - fmax(0, o[4] - 0.3);
  }
  return FCPS_OK;
}

/* -- The list -- */

static const toy_task toy_tasks[] = {
    {"putting",
     {SPACE(putting_target), SPACE(putting_environment), SPACE(putting_parameters), SPACE(putting_outcome),
      .reward = putting_reward, .achieved = same_as_outcome, .is_distance = true},
     putting_simulate,
     0.02},
    {"drop",
     {SPACE(drop_target), SPACE(drop_environment), SPACE(drop_parameters), SPACE(drop_outcome), .reward = drop_reward},
     drop_simulate,
     0.02},
    {"oven",
     {SPACE(oven_target), SPACE(oven_environment), SPACE(oven_parameters), SPACE(oven_outcome), .reward = oven_reward},
     oven_simulate,
     0.01},
    {"pumps",
     {SPACE(pumps_target), .parameters = SPACE(pumps_parameters), .outcome = SPACE(pumps_outcome),
      .reward = pumps_reward, .achieved = same_as_outcome, .is_distance = true},
     pumps_simulate,
     0.02},
    {"blend",
     {SPACE(blend_target), SPACE(blend_environment), SPACE(blend_parameters), SPACE(blend_outcome),
      .reward = blend_reward},
     blend_simulate,
     0.01},
};
enum { TOY_TASKS = (int)(sizeof toy_tasks / sizeof *toy_tasks) };

/* A context, uniform in the boxes. */
static void toy_context(const toy_task *task, fcps_rng *rng, double *target, double *environment)
{
  double x[8];
  fcps_rng_uniforms(rng, task->problem.target.count, x);
  fcps_space_from_unit(&task->problem.target, x, target);
  fcps_rng_uniforms(rng, task->problem.environment.count, x);
  fcps_space_from_unit(&task->problem.environment, x, environment);
}

/* The reward of parameters without noise. */
static inline double toy_value(const toy_task *task, const double *target, const double *environment,
                               const double *parameters)
{
  double outcome[8], reward = NAN;
  const bool present = true;
  task->simulate(environment, parameters, outcome);
  task->problem.reward(NULL, 1, target, environment, parameters, outcome, &present, &reward);
  return reward;
}

#endif
