/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts each row of a model from its other rows, with one factorization of each GP for all rows. If outputs depend
 * on the target (rescored rewards), each row needs the outputs of all rows for its own target. So all rollouts are
 * scored once per row.
 *
 * A mixture of samples k = 1 ... m has the mean of their means mu_k, and the variance mean(s_k^2 + mu_k^2) - mean^2.
 * Here mu_k is taken relative to mu_1, so that no digits are lost. */
#include "model/leave_one_out.h"

#include "base/error.h"
#include "base/memory.h"
#include "gp/leave_one_out.h"

#include <math.h>
#include <stdlib.h>

/* -- One sample of one side -- */

/* A model whose rows are predicted, and the arrays that this needs. */
typedef struct side_task {
  const fcps_model *model;
  int rows, width;
  fcps_leave_one_out **gps; /* one per GP of the model */
  double *y;                /* outputs of all rows: rows x width */
  double *scale;            /* scales (1 unless the model is a child with too few rows), then offsets */
  fcps_gp_norm norm;
  fcps_left_out *predicted; /* the prediction of one row: one element per output */
  fcps_error *error;
} side_task;

static void close_task(side_task *task)
{
  for (int g = 0; task->gps != NULL && g < fcps_model_gp_count(task->model); g++)
    fcps_leave_one_out_destroy(task->gps[g]);
  free(task->gps);
  free(task->y);
  free(task->scale);
  free(task->predicted);
}

static fcps_status open_task(side_task *task, const fcps_model *model, fcps_error *error)
{
  *task = (side_task){.model = model,
                      .rows = model->training.count,
                      .width = model->layout.outputs,
                      .norm = fcps_model_norm(model),
                      .error = error};
  const size_t width = (size_t)task->width, gps = (size_t)fcps_model_gp_count(model);
  task->gps = fcps_allocate(gps, sizeof *task->gps);
  task->y = fcps_allocate((size_t)task->rows * width, sizeof(double));
  task->scale = fcps_allocate(2 * width, sizeof(double));
  task->predicted = fcps_allocate(width, sizeof *task->predicted);
  if (task->gps == NULL || task->y == NULL || task->scale == NULL || task->predicted == NULL) return FCPS_ERR_MEMORY;
  fcps_status status = FCPS_OK;
  for (size_t g = 0; g < gps && status == FCPS_OK; g++)
    status = fcps_leave_one_out_create(task->gps + g, fcps_model_gp(model, (int)g), task->rows);
  for (size_t o = 0; o < width; o++)
    task->scale[o] = 1.0;
  if (model->parent != NULL && task->rows < FCPS_SPLIT_MODEL_LEAST_ROWS) task->norm.scaling = FCPS_SCALING_NONE;
  return status;
}

/* Computes the outputs of all rows for the prediction of row `row`: only once if they do not depend on the target. */
static fcps_status outputs_for_row(side_task *task, int row)
{
  const fcps_model *model = task->model;
  if (row > 0 && !fcps_model_kind_has_outputs_per_target(model->ops)) return FCPS_OK;
  const double *target = fcps_rollouts_target(&model->training, row);
  fcps_status status = model->ops->outputs(model, target, task->y, task->error);
  if (status == FCPS_OK) status = fcps_model_scale_of_parent(model, 1, target, task->scale, task->error);
  for (int i = 0; i < task->rows * task->width && status == FCPS_OK; i++)
    task->y[i] /= task->scale[i / task->rows];
  return status;
}

/* Removes the noise that a row has because of its own outcome, for example because it is doubted. A prediction from the
 * other rows cannot know this noise. */
static void forget_doubt(const side_task *task, int gp, int row, int outputs, fcps_left_out *predicted)
{
  const double doubt = fcps_model_own_noise(task->model, gp, row);
  for (int o = 0; o < outputs; o++) {
    const double unit = predicted[o].scale * predicted[o].scale;
    predicted[o].variance = fmax(predicted[o].variance - unit * doubt, FCPS_VARIANCE_FLOOR * unit);
  }
}

/* Predicts all outputs of a row into task->predicted. */
static fcps_status predict_row(side_task *task, int row)
{
  const int gps = fcps_model_gp_count(task->model), each = gps > 1 ? 1 : task->width;
  fcps_status status = outputs_for_row(task, row);
  for (int g = 0; g < gps && status == FCPS_OK; g++) {
    status = fcps_leave_one_out_row(task->gps[g], task->norm, row, each, task->y + (size_t)g * (size_t)task->rows,
                                    task->predicted + g);
    if (status == FCPS_OK) forget_doubt(task, g, row, each, task->predicted + g);
  }
  return status;
}

/* -- All samples of one side -- */

typedef struct mixture {
  double first; /* mean of the first sample; other means are summed relative to it */
  double mean;  /* mean of the samples' means, less `first` */
  double square;
} mixture;

static void mix(mixture *mixed, bool is_first, double share, double mean, double variance)
{
  if (is_first) *mixed = (mixture){.first = mean};
  const double difference = mean - mixed->first;
  mixed->mean += share * difference;
  mixed->square += share * (variance + difference * difference);
}

/* Adds sample `sample` of `samples` to the mixtures of all rows; writes mixture i to row index[i] of `result`. */
static fcps_status predict_sample(side_task *task, int sample, int samples, mixture *mixtures, const int *index,
                                  fcps_model_left_out *result)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < task->rows && status == FCPS_OK; i++) {
    status = predict_row(task, i);
    for (int o = 0; o < task->width && status == FCPS_OK; o++) {
      const size_t place = (size_t)index[i] * (size_t)task->width + (size_t)o;
      const double scale = task->scale[o];
      mixture *mixed = mixtures + i * task->width + o;
      mix(mixed, sample == 0, 1.0 / samples, task->predicted[o].mean * scale,
          task->predicted[o].variance * scale * scale);
      result->told[place] = task->y[(size_t)o * (size_t)task->rows + (size_t)i] * scale;
      result->mean[place] = mixed->first + mixed->mean;
      result->deviation[place] = sqrt(mixed->square - mixed->mean * mixed->mean);
    }
  }
  return status;
}

/* Turns the told values of a model's rows and the predictions back into the user's frame. */
static fcps_status turn_back(const fcps_model *model, const int *index, fcps_model_left_out *result)
{
  if (!model->description.changes_outputs) return FCPS_OK;
  const int q = result->outputs, gps = fcps_model_gp_count(model);
  double scale[FCPS_SPACE_MAX], variance[FCPS_SPACE_MAX];
  double *features = fcps_allocate((size_t)model->layout.features, sizeof(double));
  if (features == NULL) return FCPS_ERR_MEMORY;
  for (int o = 0; o < q; o++)
    scale[o] = 1.0;
  for (int i = 0; i < model->training.count; i++) {
    const size_t place = (size_t)index[i] * (size_t)q;
    const fcps_seen at = {.outputs = q, .gps = gps, .scale = scale, .mean = result->mean + place, .variance = variance};
    for (int o = 0; o < q; o++)
      variance[o] = result->deviation[place + (size_t)o] * result->deviation[place + (size_t)o];
    fcps_layout_rollout(&model->layout, &model->training, i, features);
    fcps_model_unsee_outcomes(model, features, 1, 1, result->told + place);
    fcps_description_unsee(&model->description, &model->layout, features, &at);
    for (int o = 0; o < q && gps > 1; o++)
      result->deviation[place + (size_t)o] = sqrt(variance[o]);
  }
  free(features);
  return FCPS_OK;
}

/* If the description has rest (structure.h), mixes the prediction for a movement with the outcome at rest. */
static fcps_status mix_rest(const fcps_model *model, fcps_model_left_out *result)
{
  if (!model->description.has_rest) return FCPS_OK;
  double rest[FCPS_SPACE_MAX], *moves = fcps_allocate((size_t)result->rows, sizeof(double));
  const fcps_trials trials = fcps_model_trials(model);
  const fcps_status status = moves != NULL ? fcps_feasibility_leave_out_movement(&trials, moves) : FCPS_ERR_MEMORY;
  for (int i = 0; i < result->rows && status == FCPS_OK; i++) {
    fcps_description_rest(&model->description, fcps_rollouts_environment(&model->training, i), rest);
    for (int o = 0; o < result->outputs; o++) {
      double *mean = result->mean + i * result->outputs + o, *deviation = result->deviation + i * result->outputs + o;
      const double p = moves[i], gap = *mean - rest[o];
      *mean = rest[o] + p * gap;
      *deviation = sqrt(p * *deviation * *deviation + p * (1.0 - p) * gap * gap);
    }
  }
  free(moves);
  return status;
}

/* Predicts all rows of a model that has not split; its row i is row index[i] of `result`. Predictions of samples of the
 * hyper-parameters are mixed. Rivals (members with other descriptions) are left out. */
static fcps_status predict_side(const fcps_model *model, const int *index, fcps_model_left_out *result,
                                fcps_error *error)
{
  const int samples = model->members.earlier_count > 0 ? fcps_members_models(model) : 1;
  mixture *mixtures = fcps_allocate((size_t)model->training.count * (size_t)result->outputs, sizeof *mixtures);
  fcps_status status = mixtures != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int k = 0; k < samples && status == FCPS_OK; k++) {
    side_task task;
    status = open_task(&task, fcps_members_model(model, k), error);
    if (status == FCPS_OK) status = predict_sample(&task, k, samples, mixtures, index, result);
    close_task(&task);
  }
  free(mixtures);
  return status;
}

/* Writes the told values of a row that is alone on its side of a split. Its prediction is NaN. */
static fcps_status tell_row(const fcps_model *model, const int *index, fcps_model_left_out *result, fcps_error *error)
{
  const double *target = fcps_rollouts_target(&model->training, 0);
  const size_t place = (size_t)index[0] * (size_t)result->outputs;
  for (int o = 0; o < result->outputs; o++)
    result->mean[place + (size_t)o] = result->deviation[place + (size_t)o] = NAN;
  return model->ops->outputs(model, target, result->told + place, error);
}

/* -- All sides -- */

/* Finds the rows of `model` that belong to `side`, in their order. */
static fcps_status find_rows(const fcps_model *model, const fcps_model *side, int *index)
{
  for (int i = 0, count = 0; i < model->training.count; i++) {
    const fcps_model *child = NULL;
    const fcps_status status = fcps_split_model_child(model, fcps_rollouts_target(&model->training, i),
                                                      fcps_rollouts_environment(&model->training, i), &child);
    if (status != FCPS_OK) return status;
    if (child == side) index[count++] = i;
  }
  return FCPS_OK;
}

void fcps_model_left_out_destroy(fcps_model_left_out *result)
{
  free(result->told);
  free(result->mean);
  free(result->deviation);
  *result = (fcps_model_left_out){0};
}

fcps_status fcps_model_leave_one_out(const fcps_model *model, fcps_model_left_out *result, fcps_error *error)
{
  *result = (fcps_model_left_out){.rows = model->training.count, .outputs = model->layout.outputs};
  const size_t numbers = (size_t)result->rows * (size_t)result->outputs;
  result->told = fcps_allocate(numbers, sizeof(double));
  result->mean = fcps_allocate(numbers, sizeof(double));
  result->deviation = fcps_allocate(numbers, sizeof(double));
  int *index = fcps_allocate((size_t)result->rows, sizeof *index);
  fcps_status status = result->told != NULL && result->mean != NULL && result->deviation != NULL && index != NULL
                           ? FCPS_OK
                           : FCPS_ERR_MEMORY;
  for (int s = 0; s < fcps_model_side_count(model) && status == FCPS_OK; s++) {
    const fcps_model *side = fcps_model_side(model, s);
    status = find_rows(model, side, index);
    if (status == FCPS_OK && side->training.count == 1) status = tell_row(side, index, result, error);
    if (status == FCPS_OK && side->training.count > 1) status = predict_side(side, index, result, error);
    if (status == FCPS_OK) status = turn_back(side, index, result);
  }
  if (status == FCPS_OK) status = mix_rest(model, result);
  free(index);
  if (status != FCPS_OK) fcps_model_left_out_destroy(result);
  return status;
}

/* -- Deviations that are too small -- */

/* Gives all outcomes the root mean square of their factors. A distance has a closed form only if its outcomes share one
 * variance; the chances of limits were calibrated with one factor. */
static void make_equal(int count, double *factors)
{
  double sum = 0.0;
  for (int i = 0; i < count; i++)
    sum += factors[i] * factors[i];
  for (int i = 0; i < count; i++)
    factors[i] = sqrt(sum / count);
}

fcps_status fcps_model_widening(const fcps_model *model, double *factors, fcps_error *error)
{
  const int q = model->problem->outcome.count;
  for (int o = 0; o < q; o++)
    factors[o] = 1.0;
  if (model->training.count == 0 || model->split_model.split.input >= 0 || fcps_model_is_sampled(model)) return FCPS_OK;
  fcps_gp_outputs outputs = {0};
  /* The outputs are outcomes, which are the same for every target: any target serves. */
  fcps_status status = fcps_model_condition(model, 1, fcps_rollouts_target(&model->training, 0), &outputs, error);
  for (int g = 0; g < fcps_model_gp_count(model) && status == FCPS_OK; g++) {
    const fcps_gp_outputs own = fcps_gps_outputs(&model->gps, &outputs, g);
    status = fcps_gp_widening(fcps_model_gp(model, g), &own, factors + g);
  }
  fcps_gp_outputs_destroy(&outputs);
  if (status == FCPS_OK && (model->problem->is_distance || model->problem->limit_count > 0)) make_equal(q, factors);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

/* -- Few results --
 *
 * A Gaussian process treats its fitted scale, lengths and noise as known. With few results they are not. A plane over d
 * inputs has d + 1 coefficients, so n results leave n - d - 1 degrees of freedom to estimate its error. Deviations are
 * therefore taken from Student's t distribution with as many degrees of freedom: they are multiplied by the ratio of
 * its 97.5 % quantile to that of the normal distribution, so that two of them give intervals of 95 % again. From three
 * results on, at least two degrees are assumed, whatever d is: a Gaussian process does not fit a plane freely, because
 * its prior prefers functions that hardly change.
 *
 * One or two results say nothing about lengths and noise. With two results, the deviation therefore also includes their
 * distances from the prediction. With a single result, it includes the size of that result, which at least has the
 * right unit.
 *
 * From FCPS_FEW_MANY results on, their leave-one-out errors say how wide deviations must be (gp/leave_one_out.h). None
 * of this changes means, the choice of parameters, or asks. (Cannon, reactor, reach and dosing, seeds 1000 to 1007: the
 * share of outcomes inside their 95 % intervals was 36 % after one result, 41 % after two, 84 % after three and 82 %
 * after eight; with the wider deviations it was 100, 98, 98 and 92 %.) */

enum { SOME = 3, LEAST_DEGREES = 2 };

/* Returns the 97.5 % quantile of Student's t distribution, divided by that of the normal distribution. */
static double student_factor(int degrees)
{
  static const double normal = 1.959963984540054;
  static const double quantiles[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622,
                                     2.2281,  2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009};
  static const int known = sizeof quantiles / sizeof *quantiles;
  return degrees <= known ? quantiles[degrees - 1] / normal : 1.0;
}

/* Returns the root mean square distance of `count` numbers, `stride` apart, from the prediction. A single result is its
 * own prediction, so its size is returned instead. */
static double spread_around(double predicted, int count, int stride, const double *values)
{
  double squares = 0.0;
  if (count == 1) return fabs(predicted);
  for (int i = 0; i < count; i++)
    squares += (values[i * stride] - predicted) * (values[i * stride] - predicted) / count;
  return isfinite(squares) ? sqrt(squares) : 0.0;
}

fcps_few fcps_few_of(int count, int inputs)
{
  const int left = count - inputs - 1, degrees = count < SOME ? 1 : LEAST_DEGREES;
  const bool are_few = count > 0 && count < FCPS_FEW_MANY;
  return (fcps_few){count, are_few ? student_factor(left > degrees ? left : degrees) : 1.0};
}

double fcps_few_widen(const fcps_few *few, double predicted, int stride, const double *seen, double deviation)
{
  if (!isfinite(deviation) || !(few->count > 0)) return deviation;
  return few->factor * hypot(deviation, few->count < SOME ? spread_around(predicted, few->count, stride, seen) : 0.0);
}

void fcps_few_widen_outcomes(const fcps_few *few, const fcps_rollouts *seen, const double *outcome, double *deviation)
{
  for (int o = 0; o < seen->outcome_width; o++)
    deviation[o] =
        fcps_few_widen(few, outcome != NULL ? outcome[o] : 0.0, seen->outcome_width, seen->outcomes + o, deviation[o]);
}
