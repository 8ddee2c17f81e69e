/* SPDX-License-Identifier: Apache-2.0 */
/* From told deviations to variances in unit scale. The scale follows from the training rollouts and from how many of
 * them were fitted, so that a model that was loaded measures later rows as the saved one would have. */
#include "model/told_noise.h"

#include "base/memory.h"
#include "model/model.h"
#include "problem/deviation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int count_told(const fcps_model *model)
{
  int told = 0;
  for (int i = 0; i < model->training.count; i++)
    told += fcps_rollouts_deviation(&model->training, i) != NULL;
  return told;
}

/* -- The unit of an output -- */

/* A child of a few rows has no scale of its own (model.c). */
static const fcps_model *measured_by(const fcps_model *model)
{
  return model->parent != NULL && model->training.count < FCPS_SPLIT_MODEL_LEAST_ROWS ? model->parent : model;
}

/* How many of a model's first rows say what the scale is: those of the last fit, or those that were measured before. */
static int rows_of_scale(const fcps_model *model)
{
  const int known = fcps_row_noise_known(model, FCPS_NOISE_TOLD, 0);
  if (model->fitted > 0) return model->fitted;
  return known > 0 ? known : model->training.count;
}

/* Keeps the first `rows` rows of each column. */
static void cut_columns(int from, int rows, int columns, double *y)
{
  for (size_t o = 0; o < (size_t)columns; o++)
    memmove(y + o * (size_t)rows, y + o * (size_t)from, (size_t)rows * sizeof(double));
}

/* Scales of the outcomes, by their first rows. */
static fcps_status scale_outcomes(const fcps_model *model, int rows, double *scale, fcps_error *error)
{
  const int q = model->problem->outcome.count, gps = fcps_model_gp_count(model);
  double *y = fcps_allocate((size_t)(model->training.count + 1) * (size_t)q, sizeof(double));
  if (y == NULL) return FCPS_ERR_MEMORY;
  double *offset = y + (size_t)model->training.count * (size_t)q;
  const fcps_status status = model->ops->outputs(model, NULL, y, error);
  if (status == FCPS_OK) {
    cut_columns(model->training.count, rows, q, y);
    for (int i = 0; i < gps; i++)
      fcps_gp_normalize(model->settings.norm, rows, gps > 1 ? 1 : q, y + (size_t)i * (size_t)rows, offset + i,
                        scale + i);
  }
  free(y);
  return status;
}

/* The scale of the rewards for the trials' own targets, those that are numbers. */
static fcps_status scale_rewards(const fcps_model *model, int rows, double *scale)
{
  double *y = fcps_allocate((size_t)rows, sizeof(double)), offset;
  if (y == NULL) return FCPS_ERR_MEMORY;
  int count = 0;
  for (int i = 0; i < rows; i++)
    if (isfinite(model->training.rewards[i])) y[count++] = model->training.rewards[i];
  fcps_gp_normalize(model->settings.norm, count, 1, y, &offset, scale);
  free(y);
  return FCPS_OK;
}

/* -- Variances -- */

/* Mean over the outputs of GP `gp` of a row's told variance in unit scale. */
static double outcome_variance(const fcps_model *model, int gp, int row, const double *scale)
{
  const double *deviation = fcps_rollouts_deviation(&model->training, row);
  const int gps = fcps_model_gp_count(model), q = model->problem->outcome.count;
  const int first = gps > 1 ? gp : 0, count = gps > 1 ? 1 : q;
  double sum = 0.0;
  for (int o = first; o < first + count && deviation != NULL; o++)
    sum += deviation[o] / scale[o] * (deviation[o] / scale[o]);
  return sum / count;
}

static fcps_status row_variance(const fcps_model *model, int gp, int row, const double *scale, double *variance,
                                fcps_error *error)
{
  fcps_status status = FCPS_OK;
  if (model->ops->predicts_outcomes) {
    *variance = outcome_variance(model, gp, row, scale);
  } else {
    status = fcps_rollouts_reward_variance(&model->training, model->problem, row, variance, error);
    const double deviation = sqrt(*variance) / scale[0];
    *variance = deviation * deviation;
  }
  *variance = fmin(*variance, FCPS_TOLD_NOISE_MOST);
  return status;
}

static int compare(const void *a, const void *b)
{
  const double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

/* What the next row will likely have: the median, which one rough measurement does not move. */
static fcps_status find_usual(int rows, const double *variance, double *usual)
{
  double *sorted = fcps_allocate((size_t)rows, sizeof(double));
  if (sorted == NULL) return FCPS_ERR_MEMORY;
  memcpy(sorted, variance, (size_t)rows * sizeof(double));
  qsort(sorted, (size_t)rows, sizeof(double), compare);
  *usual = sorted[rows / 2];
  free(sorted);
  return FCPS_OK;
}

/* Measures the rows from `first` on by `scale`; those before it keep their noise. */
static fcps_status measure(fcps_model *model, int gp, int first, const double *scale, fcps_error *error)
{
  const int rows = model->training.count;
  double usual = fcps_row_noise_usual(model, FCPS_NOISE_TOLD, gp),
         *variance = fcps_allocate((size_t)rows, sizeof(double));
  fcps_status status = variance != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < rows && status == FCPS_OK; i++) {
    if (i < first)
      variance[i] = fcps_row_noise_at(model, FCPS_NOISE_TOLD, gp, i);
    else
      status = row_variance(model, gp, i, scale, variance + i, error);
  }
  if (status == FCPS_OK && first == 0) status = find_usual(rows, variance, &usual);
  if (status == FCPS_OK) status = fcps_row_noise_set(model, FCPS_NOISE_TOLD, gp, rows, variance, usual);
  free(variance);
  return status;
}

/* Measures the rows from `first` on by the scale of the first `rows` rows of the model that has it. */
static fcps_status measure_from(fcps_model *model, int first, fcps_error *error)
{
  const fcps_model *by = measured_by(model);
  const int width = model->ops->width(model->problem),
            rows = first > 0 || by != model ? rows_of_scale(by) : model->training.count;
  double *scale = fcps_allocate((size_t)width, sizeof(double));
  if (scale == NULL) return FCPS_ERR_MEMORY;
  fcps_status status =
      model->ops->predicts_outcomes ? scale_outcomes(by, rows, scale, error) : scale_rewards(by, rows, scale);
  for (int gp = 0; gp < fcps_model_gp_count(model) && status == FCPS_OK; gp++)
    status = measure(model, gp, first, scale, error);
  free(scale);
  return status;
}

/* Whether deviations of outcomes say anything about the outputs. */
static bool are_outputs_told(const fcps_model *model)
{
  return model->ops->predicts_outcomes || model->problem->reward != NULL;
}

bool fcps_told_noise_is_complete(const fcps_model *model)
{
  const int known = fcps_row_noise_known(model, FCPS_NOISE_TOLD, 0);
  return !are_outputs_told(model) || known == model->training.count || (known == 0 && count_told(model) == 0);
}

fcps_status fcps_told_noise_update(fcps_model *model, fcps_error *error)
{
  const int told = count_told(model), known = fcps_row_noise_known(model, FCPS_NOISE_TOLD, 0);
  const bool is_known = are_outputs_told(model);
  model->settings.prior.noise_may_vanish = is_known && told > 0 && told == model->training.count;
  return is_known && (told > 0 || known > 0) ? measure_from(model, 0, error) : FCPS_OK;
}

fcps_status fcps_told_noise_grow(fcps_model *model)
{
  if (fcps_told_noise_is_complete(model)) return FCPS_OK;
  const fcps_status status = measure_from(model, fcps_row_noise_known(model, FCPS_NOISE_TOLD, 0), NULL);
  /* a reward function that fails now is not called again in this call: who needs it next says so, with words. The rows
   * have the usual noise until it works again */
  return status == FCPS_ERR_CALLBACK ? FCPS_OK : status;
}
