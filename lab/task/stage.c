/* SPDX-License-Identifier: Apache-2.0 */
/* A positioning stage with four axes that disturb each other. It answers one question: how much does it help to know
 * that a part of the context is a target [pinsler2019, Sec. VI]?
 *
 *   context      c1 ... c4      where the workpiece is, axis by axis
 *   parameters   a1 ... a4      the commands of the axes
 *   reward       -|c - h(a)|,   h_j(a) = a_j + crosstalk sin(pi a_{j+1} + phase_j)
 *
 * The setting `targets` says on how many axes, from the first, c_j is a target: on these a sensor measures the position
 * h_j(a) of the tool. On the other axes c_j belongs to the environment: the sensor is on the workpiece and measures
 * only the miss, h_j(a) - c_j. The reward is the same function of context and parameters in every case, so a learner
 * that does not distinguish targets from environments always has the same problem. The phases come from the seed. Every
 * context can be reached, because h is one to one. In training each sensor has noise. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "lab/task/task_impl.h"
#include "space/points.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.141592653589793
enum { AXES = 4, EVALUATIONS = 40 };
static const double reach = 0.5, noise = 0.01;

#define CONTEXT(label)                                                                                                 \
  {                                                                                                                    \
    .name = label, .lower = -0.5, .upper = 0.5                                                                         \
  }
#define AXIS(label)                                                                                                    \
  {                                                                                                                    \
    .name = label, .lower = -1.0, .upper = 1.0                                                                         \
  }
#define SENSOR(label)                                                                                                  \
  {                                                                                                                    \
    .name = label, .lower = -2.0, .upper = 2.0                                                                         \
  }
static const fcps_dimension context_dims[AXES] = {CONTEXT("c1"), CONTEXT("c2"), CONTEXT("c3"), CONTEXT("c4")};
static const fcps_dimension parameter_dims[AXES] = {AXIS("a1"), AXIS("a2"), AXIS("a3"), AXIS("a4")};
static const fcps_dimension outcome_dims[AXES] = {SENSOR("s1"), SENSOR("s2"), SENSOR("s3"), SENSOR("s4")};

typedef struct stage_settings {
  int targets;
  double crosstalk;
} stage_settings;

static const fcps_setting_row setting_rows[] = {
    FCPS_INTEGER_ROW("targets", stage_settings, targets, "2", 0, AXES,
                     "number of axes whose context is a target; on all others it belongs to the environment"),
    FCPS_NUMBER_ROW("crosstalk", stage_settings, crosstalk, "0.3", 0, 0.3,
                    "how far an axis is moved by the axis after it"),
    {.spec.name = NULL},
};

static const fcps_setting_table table = {.size = sizeof(stage_settings), .parts = {{setting_rows, 0}}};

typedef struct stage {
  int targets;
  double crosstalk, phases[AXES];
  double evaluation_targets[EVALUATIONS * AXES], evaluation_environments[EVALUATIONS * AXES];
} stage;

/* Computes the misses. On a target axis the miss is outcome - target; on another axis it is the outcome itself. */
static void misses_of(const stage *s, const double *target, const double *outcome, double *misses)
{
  for (int j = 0; j < AXES; j++)
    misses[j] = j < s->targets ? outcome[j] - target[j] : outcome[j];
}

static double length_of(const double *misses)
{
  double sum = 0.0;
  for (int j = 0; j < AXES; j++)
    sum += misses[j] * misses[j];
  return sqrt(sum);
}

static double score(const fcps_task *task, const double *target, const double *environment, const double *parameters,
                    const double *outcome)
{
  (void)environment, (void)parameters;
  double misses[AXES];
  if (outcome == NULL) return NAN;
  misses_of(task->state, target, outcome, misses);
  return -length_of(misses);
}

static fcps_status gradient(void *user, int count, const double *target, const double *environments,
                            const double *parameters, const double *outcomes, double *outcome_gradients,
                            double *parameter_gradients)
{
  (void)environments, (void)parameters;
  for (int i = 0; i < count; i++) {
    double misses[AXES];
    misses_of(((const fcps_task *)user)->state, target, outcomes + AXES * i, misses);
    const double length = length_of(misses);
    for (int j = 0; j < AXES; j++) {
      outcome_gradients[AXES * i + j] = length > 0.0 ? -misses[j] / length : 0.0;
      parameter_gradients[AXES * i + j] = 0.0;
    }
  }
  return FCPS_OK;
}

static fcps_status achieved(void *user, int count, const double *environments, const double *outcomes, double *hits)
{
  (void)environments;
  const stage *s = ((const fcps_task *)user)->state;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < s->targets; j++)
      hits[i * s->targets + j] = outcomes[AXES * i + j];
  return FCPS_OK;
}

/* Splits a context into target and environment. */
static void divide(const stage *s, const double *context, double *target, double *environment)
{
  for (int j = 0; j < AXES; j++) {
    if (j < s->targets)
      target[j] = context[j];
    else
      environment[j - s->targets] = context[j];
  }
}

/* Places the contexts of the evaluation. They are the same for every seed and every number of targets. */
static fcps_status place_evaluations(fcps_task *task, stage *s)
{
  double contexts[EVALUATIONS * AXES];
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 0);
  const fcps_status status = fcps_points_latin(&rng, AXES, EVALUATIONS, contexts);
  for (int i = 0; i < EVALUATIONS * AXES; i++)
    contexts[i] = reach * (2.0 * contexts[i] - 1.0);
  for (int i = 0; i < EVALUATIONS; i++)
    divide(s, contexts + AXES * i, s->evaluation_targets + s->targets * i,
           s->evaluation_environments + (AXES - s->targets) * i);
  task->evaluation = (fcps_evaluation){
      .count = EVALUATIONS, .targets = s->evaluation_targets, .environments = s->evaluation_environments};
  return status;
}

static fcps_status create(fcps_task *task, const void *settings, fcps_error *error)
{
  const stage_settings *given = settings;
  stage *s = task->state;
  s->targets = given->targets;
  s->crosstalk = given->crosstalk;
  fcps_rng rng = fcps_rng_stream(task->seed, FCPS_PURPOSE_WORLD, 0);
  for (int j = 0; j < AXES; j++)
    s->phases[j] = 2.0 * PI * fcps_rng_uniform(&rng);
  task->problem = (fcps_problem){
      .target = {s->targets, context_dims},
      .environment = {AXES - s->targets, context_dims + s->targets},
      .parameters = {AXES, parameter_dims},
      .outcome = {AXES, outcome_dims},
      .gradient = gradient,
      .achieved = s->targets > 0 ? achieved : NULL,
  };
  return place_evaluations(task, s) == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}

/* Draws a context, which is the same for every number of targets. */
static void context(const fcps_task *task, int64_t episode, double *target, double *environment)
{
  double whole[AXES];
  fcps_rng rng = fcps_rng_stream(task->seed, FCPS_PURPOSE_CONTEXT, (uint64_t)episode);
  for (int j = 0; j < AXES; j++)
    whole[j] = reach * (2.0 * fcps_rng_uniform(&rng) - 1.0);
  divide(task->state, whole, target, environment);
}

static fcps_status run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                       double *outcome, fcps_rollout *rollout)
{
  const stage *s = task->state;
  fcps_rng rng = fcps_task_noise(task, episode);
  for (int j = 0; j < AXES; j++) {
    const double position = parameters[j] + s->crosstalk * sin(PI * parameters[(j + 1) % AXES] + s->phases[j]);
    const double seen = j < s->targets ? position : position - environment[j - s->targets];
    const double error = noise * fcps_rng_normal(&rng);
    outcome[j] = episode < 0 ? seen : seen + error;
  }
  rollout->outcome = outcome;
  return FCPS_OK;
}

/* The best reward is 0: because crosstalk pi < 1, the equation a = c - crosstalk sin(...) has one solution, which is
 * within the axes' range. */
static double optimum(fcps_task *task)
{
  (void)task;
  return 0.0;
}

const fcps_task_ops fcps_task_stage = {
    .info = {.name = "stage",
             .summary = "four axes that disturb each other: any part of the context may be target or environment",
             .settings = &table},
    .state_size = sizeof(stage),
    .create = create,
    .score = score,
    .context = context,
    .run = run,
    .optimum = optimum,
};
