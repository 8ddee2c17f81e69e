/* SPDX-License-Identifier: Apache-2.0 */
/* The root of the mean square over outputs: those that share a GP keep one variance, so that a distance keeps its closed
 * form. */
#include "model/widening.h"

#include "base/error.h"
#include "base/memory.h"
#include "gp/leave_one_out.h"

#include <math.h>
#include <stdlib.h>

/* factors := one for each output, each from its own GP or all from one. */
static fcps_status find_factors(const fcps_model *model, const fcps_gp_outputs *outputs, double *factors)
{
  const int gps = fcps_model_gp_count(model);
  if (gps == 1) return fcps_gp_widening(fcps_model_gp(model, 0), outputs, factors);
  fcps_status status = FCPS_OK;
  for (int g = 0; g < gps && status == FCPS_OK; g++) {
    const fcps_gp_outputs own = {.outputs = 1,
                                 .count = outputs->count,
                                 .alpha = outputs->alpha + (size_t)g * (size_t)outputs->count,
                                 .offset = outputs->offset + g,
                                 .scale = outputs->scale + g};
    status = fcps_gp_widening(fcps_model_gp(model, g), &own, factors + g);
  }
  return status;
}

static double root_mean_square(int count, const double *values)
{
  double sum = 0.0;
  for (int i = 0; i < count; i++)
    sum += values[i] * values[i];
  return sqrt(sum / count);
}

fcps_status fcps_model_widening(const fcps_model *model, double *widening, fcps_error *error)
{
  *widening = 1.0;
  if (model->training.count == 0 || model->split_model.split.input >= 0 || fcps_model_is_sampled(model)) return FCPS_OK;
  fcps_gp_outputs outputs = {0};
  double *factors = fcps_allocate((size_t)model->problem->outcome.count, sizeof(double));
  /* outcomes are the same for every target */
  fcps_status status = factors != NULL
                           ? fcps_model_condition(model, 1, fcps_rollouts_target(&model->training, 0), &outputs, error)
                           : fcps_error_memory(error);
  if (status == FCPS_OK) status = find_factors(model, &outputs, factors);
  if (status == FCPS_OK) *widening = root_mean_square(outputs.outputs, factors);
  fcps_gp_outputs_destroy(&outputs);
  free(factors);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}
