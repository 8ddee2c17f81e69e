/* SPDX-License-Identifier: Apache-2.0 */
/* Deviations that the user reports with results become noise of rows.
 *
 * A row has its reported variance, in the unit scale of the output, as noise in addition to the fitted sn^2 that all
 * rows share. So sn^2 is the unreported part of the noise: if every row has a reported deviation, the prior of sn^2
 * lets it vanish. Rows without a reported deviation have no additional noise.
 *
 *   outcome            s_ij^2/scale_j^2 for outcome j; outputs that share a factorization share the mean of these
 *                      noises (with separate=on each output has its own)
 *   rescored, joint    the variance of the reward for the trial's own target (problem/rollouts.h) over the rewards'
 *                      squared scale: one factorization serves every target, so the noise cannot depend on the target
 *                      of a prediction. Reported rewards have no noise of their own, because their dependence on the
 *                      outcome is unknown
 *
 * The scale is that of the last fit, as it is for sn^2. It also applies to the rows after that fit, until the next fit.
 * It follows from the rollouts and the number of rows that were fitted, so a loaded model gives later rows the same
 * noise as the saved model would have. */
#include "model/description.h"

#include "base/memory.h"
#include "base/number.h"
#include "problem/rollouts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest noise of a row, in unit scale. A row with so much noise has no influence. */
static const double most_noise = 1e6;

/* The state of the structure. */
typedef struct told {
  double is_everywhere; /* 1 if every row has a reported deviation, else 0 */
} told;

static int count_told(const fcps_look *look)
{
  int count = 0;
  for (int i = 0; i < look->rollouts->count; i++)
    count += fcps_rollouts_deviation(look->rollouts, i) != NULL;
  return count;
}

/* -- The unit of an output -- */

static int rows_known(const fcps_look *look)
{
  return fcps_gps_noise_known(look->gps, look->index, 0);
}

/* Returns how many of the model's first rows determine the scale: those of the last fit or, if it was never fitted,
 * those whose noise is known, else all. */
static int rows_of_scale(const fcps_look *look)
{
  if (look->known > 0) return look->known;
  return rows_known(look) > 0 ? rows_known(look) : look->rollouts->count;
}

/* Computes the scale of each GP's outputs from the first `rows` rows. */
static fcps_status scale_outcomes(const fcps_look *look, int rows, double *scale)
{
  const int q = look->layout->outputs, gps = look->gps->count;
  const size_t n = (size_t)rows;
  const fcps_gp_norm norm = fcps_description_norm(look->description, look->layout);
  double *y = fcps_allocate((n + 1) * (size_t)q, sizeof(double));
  fcps_status status = y != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_description_outcomes(look->description, look->layout, look->rollouts, rows, y);
  for (int g = 0; g < gps && status == FCPS_OK; g++)
    fcps_gp_normalize(norm, rows, gps > 1 ? 1 : q, y + (size_t)g * n, y + n * (size_t)q + g, scale + g);
  free(y);
  return status;
}

/* Computes the scale of the finite rewards of the first `rows` rows for the trials' own targets. */
static fcps_status scale_rewards(const fcps_look *look, int rows, double *scale)
{
  double *y = fcps_allocate((size_t)rows, sizeof(double)), offset;
  if (y == NULL) return FCPS_ERR_MEMORY;
  int count = 0;
  for (int i = 0; i < rows; i++)
    if (isfinite(look->rollouts->rewards[i])) y[count++] = look->rollouts->rewards[i];
  fcps_gp_normalize(fcps_description_norm(look->description, look->layout), count, 1, y, &offset, scale);
  free(y);
  return FCPS_OK;
}

/* -- Variances -- */

/* Returns the mean, over the outputs of GP `gp`, of a row's reported variance in unit scale. */
static double outcome_variance(const fcps_look *look, int gp, int row, const double *scale)
{
  const double *deviation = fcps_rollouts_deviation(look->rollouts, row);
  const int gps = look->gps->count, q = look->layout->outputs;
  const int first = gps > 1 ? gp : 0, count = gps > 1 ? 1 : q;
  double sum = 0.0;
  for (int o = first; o < first + count && deviation != NULL; o++)
    sum += deviation[o] / scale[o] * (deviation[o] / scale[o]);
  return sum / count;
}

static fcps_status row_variance(const fcps_look *look, int gp, int row, const double *scale, double *variance)
{
  fcps_status status = FCPS_OK;
  if (look->layout->predicts_outcomes) {
    *variance = outcome_variance(look, gp, row, scale);
  } else {
    status = fcps_rollouts_reward_variance(look->rollouts, look->layout->problem, row, variance, look->error);
    const double deviation = sqrt(*variance) / scale[0];
    *variance = deviation * deviation;
  }
  *variance = fmin(*variance, most_noise);
  return status;
}

/* Finds the variance that a later row probably has: the median, which one inaccurate measurement hardly changes. */
static fcps_status find_usual(int rows, const double *variance, double *usual)
{
  double *sorted = fcps_copy(variance, (size_t)rows, sizeof(double));
  if (sorted == NULL) return FCPS_ERR_MEMORY;
  qsort(sorted, (size_t)rows, sizeof(double), fcps_number_compare);
  *usual = sorted[rows / 2];
  free(sorted);
  return FCPS_OK;
}

/* Sets the noise of the rows from `first` on, in units of `scale`. Earlier rows keep their noise. */
static fcps_status measure(fcps_look *look, int gp, int first, const double *scale)
{
  const int rows = look->rollouts->count;
  double usual = fcps_gps_noise_usual(look->gps, look->index, gp),
         *variance = fcps_allocate((size_t)rows, sizeof(double));
  fcps_status status = variance != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < rows && status == FCPS_OK; i++) {
    if (i < first)
      variance[i] = fcps_gps_noise_at(look->gps, look->index, gp, i);
    else
      status = row_variance(look, gp, i, scale, variance + i);
  }
  if (status == FCPS_OK && first == 0) status = find_usual(rows, variance, &usual);
  if (status == FCPS_OK) status = fcps_gps_set_noise(look->gps, look->index, gp, rows, variance, usual);
  free(variance);
  return status;
}

/* Sets the noise of the rows from `first` on. If there is a parent, the scale comes from it, because the child has too
 * few rows. */
static fcps_status measure_from(fcps_look *look, int first)
{
  const fcps_look *by = look->parent != NULL ? look->parent : look;
  const int rows = first > 0 || by != look ? rows_of_scale(by) : look->rollouts->count;
  double *scale = fcps_allocate((size_t)look->layout->outputs, sizeof(double));
  if (scale == NULL) return FCPS_ERR_MEMORY;
  fcps_status status =
      look->layout->predicts_outcomes ? scale_outcomes(by, rows, scale) : scale_rewards(by, rows, scale);
  for (int gp = 0; gp < look->gps->count && status == FCPS_OK; gp++)
    status = measure(look, gp, first, scale);
  free(scale);
  return status;
}

/* -- As a structure -- */

/* Whether deviations of outcomes concern the model's outputs: these are outcomes, or rewards computed from them. */
static bool are_outputs_told(const fcps_look *look)
{
  return look->layout->predicts_outcomes || look->layout->problem->reward != NULL;
}

static bool is_complete(const fcps_look *look, const fcps_structure *structure)
{
  (void)structure;
  const int known = rows_known(look);
  return !are_outputs_told(look) || known == look->rollouts->count || (known == 0 && count_told(look) == 0);
}

/* Stores whether every row has a reported deviation, because the prior of sn depends on it. */
static fcps_status note(fcps_look *look, fcps_structure *structure, int count)
{
  const told now = {.is_everywhere = count == look->rollouts->count};
  const told *before = structure->state;
  if (count == 0) {
    if (before == NULL) return FCPS_OK;
    fcps_structure_clear(structure);
  } else if (before != NULL && before->is_everywhere == now.is_everywhere) {
    return FCPS_OK;
  } else {
    const fcps_status status = fcps_structure_set(structure, sizeof now, &now);
    if (status != FCPS_OK) return status;
  }
  return fcps_description_edit(look->description, look->layout);
}

static fcps_status before_fit(fcps_look *look, fcps_structure *structure)
{
  const int count = are_outputs_told(look) ? count_told(look) : 0;
  const fcps_status status = note(look, structure, count);
  return status == FCPS_OK && (count > 0 || rows_known(look) > 0) ? measure_from(look, 0) : status;
}

static fcps_status grow(fcps_look *look, fcps_structure *structure)
{
  (void)structure;
  const fcps_status status = measure_from(look, rows_known(look));
  /* If the reward function fails here, new rows have the usual noise until it works again. The next caller that needs
   * the function reports the failure. */
  return status == FCPS_ERR_CALLBACK ? FCPS_OK : status;
}

static fcps_status edit(const void *state, const fcps_layout *layout, fcps_description *description)
{
  (void)layout;
  description->prior.noise_may_vanish = ((const told *)state)->is_everywhere != 0.0;
  return FCPS_OK;
}

static bool is_state(const fcps_look *look, int count, const double *numbers)
{
  (void)look;
  return count == 1 && (numbers[0] == 0.0 || numbers[0] == 1.0);
}

const fcps_structure_kind fcps_structure_told_noise = {.name = "told_noise",
                                                       .is_always_asked = true,
                                                       .edit = edit,
                                                       .before_fit = before_fit,
                                                       .grow = grow,
                                                       .is_complete = is_complete,
                                                       .is_state = is_state};
