/* SPDX-License-Identifier: Apache-2.0 */
/* A formula at many rows of the callbacks at once, with derivatives: as the rewards of a problem with callbacks, without
 * the calls. */
#include "base/memory.h"
#include "problem/problem.h"
#include "reward/sum_impl.h"

#include <stdlib.h>

enum { LANES = FCPS_FORMULA_LANES };

/* Room for an evaluation. */
bool fcps_sum_reserve_work(fcps_expected_reward *s, const fcps_formula *formula)
{
  const size_t values = (size_t)s->formula->count;
  if (s->formula_inputs == NULL) s->formula_inputs = fcps_allocate(values, sizeof *s->formula_inputs);
  return s->formula_inputs != NULL && fcps_reserve((void **)&s->formula_work, &s->formula_capacity,
                                                   fcps_formula_work(formula), sizeof *s->formula_work);
}

/* The formula at `lanes` rows of the callbacks from `first` on; NULL: no memory. */
const double *fcps_sum_eval_rows(fcps_expected_reward *s, const fcps_formula *formula, int first, int lanes)
{
  const size_t p = (size_t)s->parameters, q = (size_t)s->outcomes, row = (size_t)first;
  if (!fcps_sum_reserve_work(s, formula)) return NULL;
  for (size_t d = 0; d < p; d++)
    s->formula_inputs[(size_t)s->formula->parameters + d] = (fcps_formula_input){s->row_parameters + row * p + d, p};
  for (size_t j = 0; j < q; j++)
    s->formula_inputs[(size_t)s->formula->outcome + j] = (fcps_formula_input){s->row_outcomes + row * q + j, q};
  return fcps_formula_eval(formula, lanes, s->formula_inputs, s->formula_work);
}

bool fcps_sum_is_usable(double reward)
{
  return fcps_rollout_values_usable(1, &reward);
}

bool fcps_expected_reward_sum_rows(fcps_expected_reward *s, const fcps_formula *formula, int count)
{
  for (int first = 0; first < count; first += LANES) {
    const int lanes = count - first < LANES ? count - first : LANES;
    const double *values = fcps_sum_eval_rows(s, formula, first, lanes);
    if (values == NULL) return false;
    for (int l = 0; l < lanes; l++)
      s->row_rewards[first + l] = fcps_sum_is_usable(values[l]) ? values[l] : s->worst;
  }
  return true;
}

bool fcps_expected_reward_sum_slopes(fcps_expected_reward *s, const fcps_formula *formula, int count,
                                     double *by_outcome, double *by_parameters)
{
  const int p = s->parameters, q = s->outcomes, values = s->formula->count;
  double *numbers = fcps_allocate((size_t)(p + q) * LANES, sizeof(double));
  double **wanted = fcps_allocate((size_t)values, sizeof *wanted);
  bool is_done = numbers != NULL && wanted != NULL;
  for (int i = 0; i < p + q && is_done; i++)
    wanted[i < p ? s->formula->parameters + i : s->formula->outcome + i - p] = numbers + i * LANES;
  for (int first = 0; first < count && is_done; first += LANES) {
    const int lanes = count - first < LANES ? count - first : LANES;
    const double *rewards = fcps_sum_eval_rows(s, formula, first, lanes);
    is_done = rewards != NULL;
    if (!is_done) break;
    fcps_formula_gradient(formula, lanes, s->formula_work, values, wanted);
    for (int l = 0; l < lanes; l++) {
      const double matters = fcps_sum_is_usable(rewards[l]) ? 1.0 : 0.0; /* the worst reward is the same everywhere */
      s->row_rewards[first + l] = fcps_sum_is_usable(rewards[l]) ? rewards[l] : s->worst;
      for (int d = 0; d < p; d++)
        by_parameters[(first + l) * p + d] = matters * s->parameter_slopes[d] * numbers[d * LANES + l];
      for (int j = 0; j < q && by_outcome != NULL; j++)
        by_outcome[(first + l) * q + j] = matters * numbers[(p + j) * LANES + l];
    }
  }
  free(numbers);
  free(wanted);
  return is_done;
}
