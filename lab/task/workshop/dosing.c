/* SPDX-License-Identifier: Apache-2.0 */
/* Two liquids in a vessel, which should get a given pH and a given temperature from as little liquid as possible.
 *
 *   target       acidity (pH), warmth (degrees C)
 *   environment  hardness (degrees) of the water
 *   parameters   acid (mL), base (mL), hot (mL) water
 *   outcome      ph, warm (degrees C)
 *   reward       -|ph - acidity| - |warm - warmth|/6 - volume/200;   -4 if the probe reads nothing
 *
 * The vessel holds 40 mL of water at 15 degrees. Its pH follows a titration curve, steep near the neutral point and
 * flattened by hardness. The probe hangs in the vessel at a height that depends on the seed: if too little liquid was
 * added, it reads nothing, and the cheapest doses lie at that edge. In training both readings have noise. */
#include "base/error.h"
#include "base/memory.h"
#include "lab/task/workshop/workshop.h"

#include <math.h>
#include <stdlib.h>

enum { ACID, BASE, HOT, PARAMETERS };
enum { PH, WARM, OUTCOMES };
static const double ph_noise = 0.05, warm_noise = 0.3, nothing_earns = -4.0;

static const fcps_dimension target_dims[] = {
    {.name = "acidity", .lower = 4.5, .upper = 9.5},
    {.name = "warmth", .lower = 22.0, .upper = 45.0, .unit = "C"},
};
static const fcps_dimension environment_dims[] = {{.name = "hardness", .lower = 1.0, .upper = 20.0, .unit = "dH"}};
static const fcps_dimension parameter_dims[PARAMETERS] = {
    {.name = "acid", .lower = 0.0, .upper = 20.0, .unit = "mL"},
    {.name = "base", .lower = 0.0, .upper = 20.0, .unit = "mL"},
    {.name = "hot", .lower = 0.0, .upper = 60.0, .unit = "mL"},
};
static const fcps_dimension outcome_dims[OUTCOMES] = {{.name = "ph"}, {.name = "warm"}};

typedef struct dosing {
  fcps_mishaps mishaps; /* must come first, because fcps_workshop_recall reads it at that place */
  double unit;          /* the factor of the pH (fcps_mishaps_unit) */
  double probe;         /* the volume, in mL, at which the liquid reaches the probe */
  double neutral, heat;
  double targets[FCPS_WORKSHOP_EVALUATIONS * 2], environments[FCPS_WORKSHOP_EVALUATIONS];
} dosing;

static double score(const fcps_task *task, const double *target, const double *environment, const double *parameters,
                    const double *outcome)
{
  (void)environment;
  const dosing *d = task->state;
  if (outcome == NULL) return nothing_earns;
  const double volume = parameters[ACID] + parameters[BASE] + parameters[HOT];
  return -fabs(outcome[PH] / d->unit - target[0]) - fabs(outcome[WARM] - target[1]) / 6.0 - volume / 200.0;
}

static fcps_status create(fcps_task *task, const void *settings, fcps_error *error)
{
  (void)error;
  dosing *d = task->state;
  d->mishaps = *(const fcps_mishaps *)settings;
  d->unit = fcps_mishaps_unit(&d->mishaps);
  fcps_rng rng = fcps_rng_stream(task->seed, FCPS_PURPOSE_WORLD, 0);
  d->probe = 55.0 + 10.0 * fcps_rng_uniform(&rng);
  d->neutral = 6.5 + fcps_rng_uniform(&rng);
  d->heat = 75.0 + 10.0 * fcps_rng_uniform(&rng);
  task->problem = (fcps_problem){.target = {2, target_dims},
                                 .environment = {1, environment_dims},
                                 .parameters = {PARAMETERS, parameter_dims},
                                 .outcome = {OUTCOMES, outcome_dims}};
  fcps_workshop_place_evaluations(task, d->targets, d->environments, nothing_earns);
  return FCPS_OK;
}

static fcps_status run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                       double *outcome, fcps_rollout *rollout)
{
  dosing *d = task->state;
  const double volume = 40.0 + parameters[ACID] + parameters[BASE] + parameters[HOT];
  const double excess = (parameters[BASE] - parameters[ACID]) / (2.0 + 0.35 * environment[0]);
  fcps_rng rng = fcps_task_noise(task, episode);
  const double noise = episode < 0 ? 0.0 : 1.0;
  const double ph_error = noise * ph_noise * fcps_rng_normal(&rng);
  const double warm_error = noise * warm_noise * fcps_rng_normal(&rng);
  if (volume >= d->probe) {
    outcome[PH] = d->neutral + 3.5 * tanh(excess) + ph_error;
    outcome[WARM] = (15.0 * (volume - parameters[HOT]) + d->heat * parameters[HOT]) / volume + warm_error;
    rollout->outcome = outcome;
  }
  fcps_mishaps_happen(&d->mishaps, task, episode, outcome, rollout);
  return FCPS_OK;
}

const fcps_task_ops fcps_task_dosing = {
    .info = {.name = "dosing",
             .summary = "doses for a given pH and temperature, with as little liquid as the probe can measure",
             .settings = &fcps_mishap_settings},
    .state_size = sizeof(dosing),
    .create = create,
    .score = score,
    .run = run,
    .optimum = fcps_workshop_optimum,
    .recall = fcps_workshop_recall,
};
