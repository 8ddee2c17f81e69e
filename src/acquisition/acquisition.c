/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of acquisitions, which declares and lists them. An acquisition is defined in the file of its name. Other
 * rooms find it by name or number.
 *
 * Invariant: acquisitions that select parameters in a given context come first. Settings list acquisitions in this
 * order, so a new one is added after the last of its sort. */
#include "acquisition/acquisition.h"

#include "base/settings.h"
#include "space/points.h"
#include "space/space.h"

#include <string.h>

extern const fcps_acquisition fcps_acquisition_random, fcps_acquisition_es, fcps_acquisition_ei,
    fcps_acquisition_thompson, fcps_acquisition_kg, fcps_acquisition_mes, fcps_acquisition_jes, fcps_acquisition_pes,
    fcps_acquisition_ivr, fcps_acquisition_outcome_es;

static const fcps_acquisition *const acquisitions[] = {
    &fcps_acquisition_ucb,
    &fcps_acquisition_random,
    &fcps_acquisition_es,
    &fcps_acquisition_ei,
    &fcps_acquisition_thompson,
    &fcps_acquisition_kg,
    &fcps_acquisition_mes,
    &fcps_acquisition_jes,
    &fcps_acquisition_pes,
    /* acquisitions that only choose contexts */
    &fcps_acquisition_ivr,
    &fcps_acquisition_outcome_es,
};

const fcps_acquisition *fcps_acquisition_at(int index)
{
  const int count = (int)(sizeof acquisitions / sizeof *acquisitions);
  return index >= 0 && index < count ? acquisitions[index] : NULL;
}

const fcps_acquisition *fcps_acquisition_find(const char *name)
{
  const fcps_acquisition *acquisition;
  for (int i = 0; (acquisition = fcps_acquisition_at(i)) != NULL; i++)
    if (strcmp(acquisition->name, name) == 0) return acquisition;
  return NULL;
}

bool fcps_acquisition_fits(const fcps_acquisition *acquisition, const fcps_model_ops *model)
{
  switch (acquisition->outputs) {
  case FCPS_OUTPUTS_REWARDS:
    return !model->predicts_outcomes;
  case FCPS_OUTPUTS_OUTCOMES:
    return model->predicts_outcomes;
  default:
    return true;
  }
}

const char *fcps_kappa_schedule_name(int index)
{
  static const char *const names[] = {
      [FCPS_KAPPA_CONSTANT] = "constant", [FCPS_KAPPA_GP_UCB] = "gp-ucb", [FCPS_KAPPA_GP_UCB2] = "gp-ucb2"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

/* -- Costs -- */

void fcps_acquisition_price_trial(const fcps_context_decision *decision, const double *context, const double *x,
                                  double *gain)
{
  if (decision->cost == NULL) return;
  const fcps_problem *problem = decision->model->problem;
  double environment[FCPS_SPACE_MAX], target[FCPS_SPACE_MAX];
  fcps_space_from_unit(&problem->environment, context, environment);
  fcps_space_from_unit(&problem->target, context + problem->environment.count, target);
  fcps_cost_set_context(decision->cost, target, environment);
  fcps_price_apply(&(fcps_price){.cost = decision->cost}, problem->parameters.count, 1, x, gain);
}

/* -- Random -- */

/* Uniformly random parameters: the baseline of [pinsler2019]. It needs no model to choose; the learner still has one
 * for its policy. */

static fcps_status select_uniform(const fcps_decision *decision, double *x)
{
  fcps_rng rng = decision->rng;
  fcps_points_uniform(&rng, decision->n, 1, x);
  return FCPS_OK;
}

const fcps_acquisition fcps_acquisition_random = {.name = "random", .select = select_uniform};
