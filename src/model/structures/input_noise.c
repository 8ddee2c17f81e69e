/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that are not executed exactly [mchutchon2011]: the machine executes theta + e, and only theta is known.
 *
 * With e_d ~ N(0, s_d^2) an output is noisier at a theta where it is steep. To first order its noise has the variance
 *
 *   sn^2 + sum_d s_d^2 (d mean / d theta_d)^2.
 *
 * So the slopes of the posterior mean at the rows become noise of the rows, and this noise changes the mean in turn:
 * fits and updates of the slopes alternate. Outputs that share a factorization have the mean of their noises. If the
 * deviations s_d are learnt, they take values on a ladder, and each moves by at most one rung a fit. */
#include "model/description.h"

#include "base/memory.h"
#include "gp/query.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The deviations that can be learnt, as shares of a parameter's range: 0, then values that double from rungs[1] on. */
static const double rungs[] = {0.0, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16};
enum { RUNGS = (int)(sizeof rungs / sizeof *rungs) };

/* The prior of a deviation is exponential with this mean, because machines execute parameters rather exactly. */
static const double usual_deviation = 0.02;

/* The state is the deviation s_d of each parameter in the unit cube. */
static fcps_status begin(const fcps_look *look, fcps_structure *structure)
{
  const fcps_layout *layout = look->layout;
  if (look->settings->inexact == FCPS_INPUT_NOISE_OFF || layout->parameters.count == 0) return FCPS_OK;
  double *deviations = fcps_allocate((size_t)layout->parameters.count, sizeof(double));
  if (deviations == NULL) return FCPS_ERR_MEMORY;
  for (int d = 0; d < layout->parameters.count && look->settings->inexact == FCPS_INPUT_NOISE_GIVEN; d++)
    deviations[d] = look->settings->input_noise_share;
  const fcps_status status =
      fcps_structure_set(structure, (size_t)layout->parameters.count * sizeof(double), deviations);
  free(deviations);
  return status;
}

/* -- Slopes -- */

/* Converts the gradients at a row from the GP's frame to the user's. In the user's frame an error of the angle also
 * moves the outcome, because the frame turns with it. With one GP per output the gradients stay in the GP's frame. */
static void unsee(const fcps_look *look, int row, const fcps_gp_outputs *outputs, double *mean, double *gradient,
                  double *features)
{
  if (!look->layout->predicts_outcomes || look->gps->count > 1) return;
  const fcps_seen at = {.inputs = look->description->inputs,
                        .outputs = outputs->outputs,
                        .gps = 1,
                        .mean = mean,
                        .mean_gradient = gradient};
  fcps_layout_rollout(look->layout, look->rollouts, row, features);
  fcps_description_unsee(look->description, look->layout, features, &at);
}

/* Writes to squares[i*parameters + d] the mean over the outputs of (d mean / d x_d)^2 at row i, in unit scale. */
static fcps_status squared_slopes(const fcps_look *look, const fcps_gp *gp, const fcps_gp_outputs *outputs, int count,
                                  const double *inputs, const double *x, double *squares)
{
  const fcps_embedding *parameters = &look->layout->parameters;
  const size_t dim = (size_t)gp->dim, p = (size_t)parameters->count, q = (size_t)outputs->outputs;
  const int first = look->layout->context.width;
  fcps_gp_work work = {0};
  double *gradient = fcps_allocate(q * dim + q + p + (size_t)look->layout->features, sizeof(double));
  fcps_status status = gradient != NULL ? fcps_gp_work_reserve(&work, gp, 1) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    double *mean = gradient + q * dim, *slope = mean + q, *features = slope + p;
    memset(squares, 0, (size_t)count * p * sizeof(double));
    for (size_t i = 0; i < (size_t)count; i++) {
      const fcps_gp_query query = {.count = 1, .points = inputs + i * dim, .mean = mean, .mean_gradient = gradient};
      fcps_gp_predict(gp, outputs, &query, &work);
      unsee(look, (int)i, outputs, mean, gradient, features);
      for (size_t o = 0; o < q; o++) {
        fcps_embed_gradient(parameters, x + i * p, gradient + o * dim + first, slope);
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

/* Computes the squared slopes at all rows of a GP from its posterior mean given y. */
static fcps_status slopes_of_rows(const fcps_look *look, const fcps_gp *gp, int outputs, const double *y,
                                  double *squares)
{
  const size_t rows = (size_t)look->rollouts->count, dim = (size_t)gp->dim, p = (size_t)look->layout->parameters.count;
  const fcps_gp_norm norm = fcps_description_norm(look->description, look->layout);
  fcps_gp_outputs posterior = {0};
  double *inputs = fcps_allocate(rows * (dim + p), sizeof(double));
  if (inputs == NULL) return FCPS_ERR_MEMORY;
  double *x = inputs + rows * dim;
  for (size_t i = 0; i < rows; i++) {
    fcps_gp_row(gp, (int)i, inputs + i * dim);
    fcps_space_to_unit(&look->layout->problem->parameters, fcps_rollouts_parameters(look->rollouts, (int)i), x + i * p);
  }
  fcps_status status = fcps_gp_condition(gp, norm, (int)rows, outputs, y, &posterior);
  if (status == FCPS_OK) status = squared_slopes(look, gp, &posterior, (int)rows, inputs, x, squares);
  fcps_gp_outputs_destroy(&posterior);
  free(inputs);
  return status;
}

/* -- Learning -- */

/* The data of one update of the deviations. */
typedef struct update {
  fcps_look *look;
  double *deviations;
  int gps, outputs, rows, parameters; /* number of GPs, and of outputs per GP */
  double *squares;                    /* GPs x rows x parameters: squared slopes */
  double *noise;                      /* one per row */
  fcps_likelihood **likelihoods;      /* one per GP */
} update;

static const double *squares_of(const update *u, int index)
{
  return u->squares + (size_t)index * (size_t)u->rows * (size_t)u->parameters;
}

static const double *outputs_of(const update *u, int index)
{
  return u->look->y + (size_t)index * (size_t)u->outputs * (size_t)u->rows;
}

static int rung_of(double deviation)
{
  int nearest = 0;
  for (int r = 1; r < RUNGS; r++)
    if (fabs(rungs[r] - deviation) < fabs(rungs[nearest] - deviation)) nearest = r;
  return nearest;
}

/* Returns the log likelihood of the outputs with the current deviations, plus the log prior of the deviations. */
static double worth(const update *u)
{
  const fcps_look *look = u->look;
  double value = 0.0;
  for (int i = 0; i < u->gps; i++) {
    noise_of(u->rows, u->parameters, u->deviations, squares_of(u, i), u->noise);
    fcps_gps_add_other_noise(look->gps, look->index, i, u->rows, u->noise);
    fcps_likelihood_set_noise(u->likelihoods[i], u->noise);
    value += fcps_likelihood_value(u->likelihoods[i], look->gps->gp[i]->hyper, NULL);
  }
  for (int d = 0; d < u->parameters; d++)
    value -= u->deviations[d] / usual_deviation;
  return value;
}

/* Moves each deviation by at most one rung if that increases the posterior density. */
static void choose_rungs(const update *u)
{
  double best = worth(u);
  for (int d = 0; d < u->parameters; d++) {
    const int rung = rung_of(u->deviations[d]);
    double kept = u->deviations[d];
    for (int next = rung - 1; next <= rung + 1; next += 2) {
      if (next < 0 || next >= RUNGS) continue;
      u->deviations[d] = rungs[next];
      const double value = worth(u);
      if (!(value > best)) continue;
      best = value;
      kept = rungs[next];
    }
    u->deviations[d] = kept;
  }
}

static fcps_status learn(update *u)
{
  const fcps_look *look = u->look;
  const fcps_hyper_prior prior = fcps_description_prior(look->description);
  if (u->rows > FCPS_FIT_ROWS) return FCPS_OK; /* with so many rows the deviations no longer change */
  u->likelihoods = fcps_allocate((size_t)u->gps, sizeof(fcps_likelihood *));
  fcps_status status = u->likelihoods != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < u->gps && status == FCPS_OK; i++) {
    const fcps_gp_data data = {u->rows, u->outputs, outputs_of(u, i),
                               fcps_description_norm(look->description, look->layout), &prior};
    status = fcps_likelihood_create(u->likelihoods + i, look->gps->gp[i], &data);
  }
  if (status == FCPS_OK) choose_rungs(u);
  for (int i = 0; i < u->gps && u->likelihoods != NULL; i++)
    fcps_likelihood_destroy(u->likelihoods[i]);
  free(u->likelihoods);
  return status;
}

/* Sets the noise of all rows of a GP from the deviations and factorizes the GP. */
static fcps_status apply(const update *u, int index)
{
  double usual = 0.0;
  noise_of(u->rows, u->parameters, u->deviations, squares_of(u, index), u->noise);
  for (int i = 0; i < u->rows; i++)
    usual += u->noise[i] / u->rows;
  const fcps_status status = fcps_gps_set_noise(u->look->gps, u->look->index, index, u->rows, u->noise, usual);
  return status == FCPS_OK ? fcps_gp_factorize(u->look->gps->gp[index], u->rows) : status;
}

static fcps_status after_fit(fcps_look *look, fcps_structure *structure)
{
  const size_t rows = (size_t)look->rollouts->count, p = (size_t)look->layout->parameters.count;
  if (rows == 0) return FCPS_OK;
  update u = {.look = look,
              .deviations = structure->state,
              .gps = look->gps->count,
              .rows = (int)rows,
              .parameters = (int)p,
              .outputs = look->outputs / look->gps->count};
  u.squares = fcps_allocate((size_t)u.gps * rows * p + rows, sizeof(double));
  if (u.squares == NULL) return FCPS_ERR_MEMORY;
  u.noise = u.squares + (size_t)u.gps * rows * p;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < u.gps && status == FCPS_OK; i++)
    status = slopes_of_rows(look, look->gps->gp[i], u.outputs, outputs_of(&u, i), u.squares + (size_t)i * rows * p);
  if (status == FCPS_OK && look->settings->inexact == FCPS_INPUT_NOISE_LEARNT) status = learn(&u);
  for (int i = 0; i < u.gps && status == FCPS_OK; i++)
    status = apply(&u, i);
  free(u.squares);
  return status;
}

static bool is_state(const fcps_look *look, int count, const double *deviations)
{
  bool is_ok = count == look->layout->parameters.count;
  for (int d = 0; d < count; d++)
    is_ok = is_ok && deviations[d] >= 0.0;
  return is_ok;
}

const fcps_structure_kind fcps_structure_input_noise = {
    .name = "input_noise", .begin = begin, .after_fit = after_fit, .fits_twice = true, .is_state = is_state};
