/* SPDX-License-Identifier: Apache-2.0 */
/* Input noise in three steps after each fit: slopes of the posterior mean at the rows, deviations that explain the
 * outputs best (a ladder of values, one rung per parameter and fit), noise of the rows. */
#include "model/composite/input_noise.h"

#include "base/memory.h"
#include "base/settings.h"
#include "gp/query.h"
#include "model/model.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The deviations that may be learnt, as shares of a parameter's range: none, then from rungs[1] on twice as large
 * each. */
static const double rungs[] = {0.0, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16};
enum { RUNGS = (int)(sizeof rungs / sizeof *rungs) };

/* Prior of a deviation: exponential with this mean. Machines miss by little. */
static const double usual_deviation = 0.02;

const char *fcps_input_noise_name(int index)
{
  static const char *const names[] = {
      [FCPS_INPUT_NOISE_OFF] = "off", [FCPS_INPUT_NOISE_GIVEN] = "given", [FCPS_INPUT_NOISE_LEARNT] = "learnt"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

fcps_status fcps_input_noise_create(fcps_model *model)
{
  const int count = model->parameters.count;
  if (model->settings.input_noise == FCPS_INPUT_NOISE_OFF) return FCPS_OK;
  model->input_noise.deviations = fcps_allocate((size_t)count, sizeof(double));
  if (model->input_noise.deviations == NULL) return FCPS_ERR_MEMORY;
  for (int d = 0; d < count && model->settings.input_noise == FCPS_INPUT_NOISE_GIVEN; d++)
    model->input_noise.deviations[d] = model->settings.input_noise_share;
  return FCPS_OK;
}

void fcps_input_noise_copy(const fcps_model *model, fcps_model *copy)
{
  for (int d = 0; d < model->parameters.count && model->input_noise.deviations != NULL; d++)
    copy->input_noise.deviations[d] = model->input_noise.deviations[d];
}

void fcps_input_noise_destroy(fcps_model *model)
{
  free(model->input_noise.deviations);
}

/* -- Slopes -- */

/* Gradients at a training rollout in the user's frame: there a turn by mistake moves the outcome itself. With one GP
 * per output there is only that of the frame. */
static fcps_status turn_back(const fcps_model *model, int index, const fcps_gp_outputs *outputs, double *mean,
                             double *gradient)
{
  if (model->frame.angle == FCPS_FRAME_NONE || fcps_model_gp_count(model) > 1) return FCPS_OK;
  const int dim = model->gp->dim;
  double *row = fcps_allocate((size_t)dim, sizeof(double));
  if (row == NULL) return FCPS_ERR_MEMORY;
  const fcps_frame_prediction at = {
      .dim = dim, .outputs = outputs->outputs, .gps = 1, .mean = mean, .mean_gradient = gradient};
  const fcps_status status = fcps_model_row(model, &model->training, index, row);
  if (status == FCPS_OK) fcps_frame_turn_back_prediction(&model->frame, row, &at);
  free(row);
  return status;
}

/* squares[i*parameters + d] := mean over outputs of (d mean / d x_d)^2 at training rollout i, in unit scale. */
static fcps_status squared_slopes(const fcps_model *model, const fcps_gp *gp, const fcps_gp_outputs *outputs, int count,
                                  const double *features, const double *x, double *squares)
{
  const size_t dim = (size_t)gp->dim, p = (size_t)model->parameters.count, q = (size_t)outputs->outputs;
  const int first = model->context.width;
  fcps_gp_work work = {0};
  double *gradient = fcps_allocate(q * dim + q + p, sizeof(double));
  fcps_status status = gradient != NULL ? fcps_gp_work_reserve(&work, gp, 1) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    double *mean = gradient + q * dim, *slope = mean + q;
    memset(squares, 0, (size_t)count * p * sizeof(double));
    for (size_t i = 0; i < (size_t)count && status == FCPS_OK; i++) {
      const fcps_gp_query query = {.count = 1, .points = features + i * dim, .mean = mean, .mean_gradient = gradient};
      fcps_gp_predict(gp, outputs, &query, &work);
      status = turn_back(model, (int)i, outputs, mean, gradient);
      for (size_t o = 0; o < q; o++) {
        fcps_embed_gradient(&model->parameters, x + i * p, gradient + o * dim + first, slope);
        const double weight = 1.0 / ((double)q * outputs->scale[o] * outputs->scale[o]);
        for (size_t d = 0; d < p; d++)
          squares[i * p + d] += weight * slope[d] * slope[d];
      }
    }
  }
  fcps_gp_work_destroy(&work);
  free(gradient);
  return status;
}

/* noise[i] := sum_d s_d^2 squares_id. */
static void noise_of(int count, int parameters, const double *deviations, const double *squares, double *noise)
{
  for (int i = 0; i < count; i++) {
    noise[i] = 0.0;
    for (int d = 0; d < parameters; d++)
      noise[i] += deviations[d] * deviations[d] * squares[(size_t)i * (size_t)parameters + (size_t)d];
  }
}

/* Slopes at the rows of a GP, by its own posterior given y. */
static fcps_status slopes_of_rows(const fcps_model *model, const fcps_gp *gp, int outputs, const double *y,
                                  double *squares)
{
  const size_t rows = (size_t)model->training.count, dim = (size_t)gp->dim, p = (size_t)model->parameters.count;
  fcps_gp_outputs posterior = {0};
  double *features = fcps_allocate(rows * (dim + p), sizeof(double));
  if (features == NULL) return FCPS_ERR_MEMORY;
  double *x = features + rows * dim;
  for (size_t i = 0; i < rows; i++) {
    for (size_t d = 0; d < dim; d++)
      features[i * dim + d] = gp->inputs[d * (size_t)gp->capacity + i];
    fcps_space_to_unit(&model->problem->parameters, fcps_rollouts_parameters(&model->training, (int)i), x + i * p);
  }
  fcps_status status = fcps_gp_condition(gp, model->settings.norm, (int)rows, outputs, y, &posterior);
  if (status == FCPS_OK) status = squared_slopes(model, gp, &posterior, (int)rows, features, x, squares);
  fcps_gp_outputs_destroy(&posterior);
  free(features);
  return status;
}

/* -- Learning -- */

/* What one update works on. */
typedef struct update {
  fcps_model *model;
  int gps, outputs;              /* GPs, and outputs of each */
  const double *y;               /* rows x outputs of all GPs */
  double *squares;               /* GPs x rows x parameters: squared slopes */
  double *noise;                 /* rows */
  fcps_likelihood **likelihoods; /* one per GP */
} update;

static const double *squares_of(const update *u, int index)
{
  return u->squares + (size_t)index * (size_t)u->model->training.count * (size_t)u->model->parameters.count;
}

static const double *outputs_of(const update *u, int index)
{
  return u->y + (size_t)index * (size_t)u->outputs * (size_t)u->model->training.count;
}

static int rung_of(double deviation)
{
  int nearest = 0;
  for (int r = 1; r < RUNGS; r++)
    if (fabs(rungs[r] - deviation) < fabs(rungs[nearest] - deviation)) nearest = r;
  return nearest;
}

/* What the outputs say about the model's deviations, and the prior. */
static double worth(const update *u)
{
  const fcps_model *model = u->model;
  double value = 0.0;
  for (int i = 0; i < u->gps; i++) {
    noise_of(model->training.count, model->parameters.count, model->input_noise.deviations, squares_of(u, i), u->noise);
    fcps_row_noise_add_others(model, FCPS_NOISE_INPUT, i, model->training.count, u->noise);
    fcps_likelihood_set_noise(u->likelihoods[i], u->noise);
    value += fcps_likelihood_value(u->likelihoods[i], fcps_model_gp(model, i)->hyper, NULL);
  }
  for (int d = 0; d < model->parameters.count; d++)
    value -= model->input_noise.deviations[d] / usual_deviation;
  return value;
}

/* Moves every deviation by at most one rung, where that explains the outputs better. */
static void choose_rungs(const update *u)
{
  double *deviations = u->model->input_noise.deviations, best = worth(u);
  for (int d = 0; d < u->model->parameters.count; d++) {
    const int rung = rung_of(deviations[d]);
    double kept = deviations[d];
    for (int next = rung - 1; next <= rung + 1; next += 2) {
      if (next < 0 || next >= RUNGS) continue;
      deviations[d] = rungs[next];
      const double value = worth(u);
      if (!(value > best)) continue;
      best = value;
      kept = rungs[next];
    }
    deviations[d] = kept;
  }
}

static fcps_status learn(update *u)
{
  const fcps_model *model = u->model;
  const int rows = model->training.count;
  if (rows > FCPS_FIT_ROWS) return FCPS_OK; /* settled long before */
  u->likelihoods = fcps_allocate((size_t)u->gps, sizeof(fcps_likelihood *));
  fcps_status status = u->likelihoods != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < u->gps && status == FCPS_OK; i++) {
    const fcps_gp_data data = {rows, u->outputs, outputs_of(u, i), model->settings.norm, &model->settings.prior};
    status = fcps_likelihood_create(u->likelihoods + i, fcps_model_gp(model, i), &data);
  }
  if (status == FCPS_OK) choose_rungs(u);
  for (int i = 0; i < u->gps && u->likelihoods != NULL; i++)
    fcps_likelihood_destroy(u->likelihoods[i]);
  free(u->likelihoods);
  return status;
}

/* Gives the rows of a GP their noise. */
static fcps_status apply(const update *u, int index)
{
  const int rows = u->model->training.count;
  double usual = 0.0;
  noise_of(rows, u->model->parameters.count, u->model->input_noise.deviations, squares_of(u, index), u->noise);
  for (int i = 0; i < rows; i++)
    usual += u->noise[i] / rows;
  const fcps_status status = fcps_row_noise_set(u->model, FCPS_NOISE_INPUT, index, rows, u->noise, usual);
  return status == FCPS_OK ? fcps_gp_factorize(fcps_model_gp(u->model, index), rows) : status;
}

fcps_status fcps_input_noise_update(fcps_model *model, int outputs, const double *y)
{
  const size_t rows = (size_t)model->training.count, p = (size_t)model->parameters.count;
  if (model->input_noise.deviations == NULL || rows == 0) return FCPS_OK;
  update u = {.model = model, .gps = fcps_model_gp_count(model), .y = y};
  u.outputs = outputs / u.gps;
  u.squares = fcps_allocate((size_t)u.gps * rows * p + rows, sizeof(double));
  if (u.squares == NULL) return FCPS_ERR_MEMORY;
  u.noise = u.squares + (size_t)u.gps * rows * p;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < u.gps && status == FCPS_OK; i++)
    status =
        slopes_of_rows(model, fcps_model_gp(model, i), u.outputs, outputs_of(&u, i), u.squares + (size_t)i * rows * p);
  if (status == FCPS_OK && model->settings.input_noise == FCPS_INPUT_NOISE_LEARNT) status = learn(&u);
  for (int i = 0; i < u.gps && status == FCPS_OK; i++)
    status = apply(&u, i);
  free(u.squares);
  return status;
}

/* -- State -- */

fcps_json *fcps_input_noise_write(const fcps_model *model)
{
  const int rows = model->training.count;
  fcps_json *json = fcps_json_array();
  if (json == NULL || model->input_noise.deviations == NULL) return json;
  fcps_json_add(&json, fcps_json_from_numbers(model->parameters.count, model->input_noise.deviations));
  for (int i = 0; i < fcps_model_gp_count(model); i++) {
    fcps_json *noise = fcps_json_array();
    for (int row = 0; row < rows; row++)
      fcps_json_add(&noise, fcps_json_from_number(fcps_row_noise_at(model, FCPS_NOISE_INPUT, i, row)));
    fcps_json_add(&json, fcps_json_from_number(fcps_row_noise_usual(model, FCPS_NOISE_INPUT, i)));
    fcps_json_add(&json, noise);
  }
  return json;
}

static bool is_noise(int count, const double *values)
{
  for (int i = 0; i < count; i++)
    if (!(values[i] >= 0.0 && values[i] < INFINITY)) return false;
  return true;
}

fcps_status fcps_input_noise_read(fcps_model *model, const fcps_json *json)
{
  const int rows = model->training.count, p = model->parameters.count;
  if (model->input_noise.deviations == NULL) return FCPS_OK;
  double usual, *noise = fcps_allocate((size_t)rows, sizeof(double));
  if (noise == NULL) return FCPS_ERR_MEMORY;
  bool ok = fcps_json_numbers(fcps_json_at(json, 0), p, model->input_noise.deviations) &&
            is_noise(p, model->input_noise.deviations);
  fcps_status status = FCPS_OK;
  for (int i = 0; i < fcps_model_gp_count(model) && ok && status == FCPS_OK; i++) {
    ok = fcps_json_number(fcps_json_at(json, 2 * i + 1), &usual) && is_noise(1, &usual) &&
         fcps_json_numbers(fcps_json_at(json, 2 * i + 2), rows, noise) && is_noise(rows, noise);
    if (ok) status = fcps_row_noise_set(model, FCPS_NOISE_INPUT, i, rows, noise, usual);
  }
  free(noise);
  return ok ? status : FCPS_ERR_FORMAT;
}
