/* SPDX-License-Identifier: Apache-2.0 */
/* A batch process, which should make a given volume of a given grade, with a catalyst that ages.
 *
 *   target       wanted (mL), grade (%)
 *   environment  age (days) of the catalyst
 *   parameters   heat (degrees C), minutes (logarithmic), dose (g), stir (1 ... 6)
 *   outcome      volume (mL), purity (%)
 *   reward       -|volume - wanted|/5 - |purity - grade|/4 - dose/50;   -6 if nothing comes out
 *
 * With the conversion c = 1 - exp(-rate), where the rate grows with heat, time, stirring and a young catalyst, the
 * volume is 40 c dose/10; purity falls with heat and time. If a batch is too hot for its dose, its product sets solid
 * and nothing comes out. Large volumes and low grades want heat and dose, so their best parameters lie at this edge.
 * Constants vary by a few percent with the seed. In training both readings have noise. */
#include "base/error.h"
#include "base/memory.h"
#include "lab/task/workshop/workshop.h"

#include <math.h>
#include <stdlib.h>

enum { HEAT, MINUTES, DOSE, STIR, PARAMETERS };
enum { VOLUME, PURITY, OUTCOMES };
enum { WANTED, GRADE, TARGETS };
static const double volume_noise = 0.3, purity_noise = 0.2, nothing_earns = -6.0;

static const fcps_dimension target_dims[TARGETS] = {
    {.name = "wanted", .lower = 4.0, .upper = 26.0, .unit = "mL"},
    {.name = "grade", .lower = 84.0, .upper = 97.0, .unit = "%"},
};
static const fcps_dimension environment_dims[] = {{.name = "age", .lower = 0.0, .upper = 30.0, .unit = "d"}};
static const fcps_dimension parameter_dims[PARAMETERS] = {
    {.name = "heat", .lower = 60.0, .upper = 120.0, .unit = "C"},
    {.name = "minutes", .lower = 5.0, .upper = 60.0, .scale = FCPS_SCALE_LOG, .unit = "min"},
    {.name = "dose", .lower = 1.0, .upper = 10.0, .unit = "g"},
    {.name = "stir", .lower = 1.0, .upper = 6.0, .scale = FCPS_SCALE_INTEGER},
};
static const fcps_dimension outcome_dims[OUTCOMES] = {{.name = "volume"}, {.name = "purity", .unit = "%"}};

typedef struct reactor {
  fcps_mishaps mishaps; /* must come first, because fcps_workshop_recall reads it at that place */
  double unit;          /* the factor of the volume (fcps_mishaps_unit) */
  double rate, limit, decay;
  double targets[FCPS_WORKSHOP_EVALUATIONS * TARGETS], environments[FCPS_WORKSHOP_EVALUATIONS];
} reactor;

static double score(const fcps_task *task, const double *target, const double *environment, const double *parameters,
                    const double *outcome)
{
  (void)environment;
  const reactor *r = task->state;
  if (outcome == NULL) return nothing_earns;
  return -fabs(outcome[VOLUME] / r->unit - target[WANTED]) / 5.0 - fabs(outcome[PURITY] - target[GRADE]) / 4.0 -
         parameters[DOSE] / 50.0;
}

/* A constant of the world: `typical`, changed by at most a few percent. */
static double vary(fcps_rng *rng, double typical)
{
  return typical * (1.0 + 0.1 * (fcps_rng_uniform(rng) - 0.5));
}

static fcps_status create(fcps_task *task, const void *settings, fcps_error *error)
{
  (void)error;
  reactor *r = task->state;
  r->mishaps = *(const fcps_mishaps *)settings;
  r->unit = fcps_mishaps_unit(&r->mishaps);
  fcps_rng rng = fcps_rng_stream(task->seed, FCPS_PURPOSE_WORLD, 0);
  r->rate = vary(&rng, 2.4);
  r->limit = vary(&rng, 1.15);
  r->decay = vary(&rng, 0.4);
  task->problem = (fcps_problem){.target = {TARGETS, target_dims},
                                 .environment = {1, environment_dims},
                                 .parameters = {PARAMETERS, parameter_dims},
                                 .outcome = {OUTCOMES, outcome_dims}};
  fcps_workshop_place_evaluations(task, r->targets, r->environments, nothing_earns);
  return FCPS_OK;
}

static fcps_status run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                       double *outcome, fcps_rollout *rollout)
{
  reactor *r = task->state;
  const double heat = (parameters[HEAT] - 60.0) / 60.0, time = log(parameters[MINUTES] / 5.0) / log(12.0);
  const double dose = parameters[DOSE] / 10.0, stir = (parameters[STIR] - 1.0) / 5.0, age = environment[0] / 30.0;
  const double stirring = 0.6 + 0.4 * stir * (1.6 - 0.9 * stir);
  const double conversion = 1.0 - exp(-r->rate * (0.15 + heat) * (0.2 + time) * stirring * (1.0 - r->decay * age));
  fcps_rng rng = fcps_task_noise(task, episode);
  const double noise = episode < 0 ? 0.0 : 1.0;
  const double volume_error = noise * volume_noise * fcps_rng_normal(&rng);
  const double purity_error = noise * purity_noise * fcps_rng_normal(&rng);
  const bool is_solid = heat + 0.35 * time + 0.6 * dose + 0.15 * age > r->limit;
  if (!is_solid) {
    outcome[VOLUME] = 40.0 * dose * conversion + volume_error;
    outcome[PURITY] = 98.5 - 16.0 * heat * (0.4 + 0.6 * time) - 3.0 * stir * stir * dose - 2.0 * age + purity_error;
    rollout->outcome = outcome;
  }
  fcps_mishaps_happen(&r->mishaps, task, episode, outcome, rollout);
  return FCPS_OK;
}

const fcps_task_ops fcps_task_reactor = {
    .info = {.name = "reactor",
             .summary = "a batch process with two outcomes in different units: too hot a batch sets solid",
             .settings = &fcps_mishap_settings},
    .state_size = sizeof(reactor),
    .create = create,
    .score = score,
    .run = run,
    .optimum = fcps_workshop_optimum,
    .recall = fcps_workshop_recall,
};
