/* SPDX-License-Identifier: Apache-2.0 */
/* Learning T from leave-one-out residuals, and believing it by evidence.
 *
 * With the hyper-parameters of the last fit, r_i is what row i differs from what the other rows say about it, and v_i the
 * variance of that, without its T. Then T is the maximum over b, w of
 *
 *   sum_i sum_o log N(r_io; 0, v_i + T(x_i)) + log p(b) + log p(w),
 *
 * where exp(b/2) has the prior of sn. Fits and this take turns, as they do for inexact inputs. The evidence of the pair is
 * that of the fit, less what w costs: its prior, and the width of its posterior by Laplace's approximation, with the
 * expected curvature
 *
 *   log |I + F' D F / 4| / 2,   D_ii = outputs/2 (T_i / (v_i + T_i))^2. */
#include "model/composite/uneven_noise.h"

#include "base/memory.h"
#include "gp/fit.h"
#include "gp/leave_one_out.h"
#include "linalg/cholesky.h"
#include "model/model.h"
#include "optim/optim.h"

#include <fcps/space.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double margin = 3.0;       /* nats: odds of twenty to one; what is learnt to be even is left by itself */
static const double weight_sd = 0.5;    /* of w */
static const double most_noise = 4.0;   /* of T, where the outputs have a variance of 1 */
static const double least_noise = 1e-8; /* of T */

/* Looks are cheap where nothing is found, and cost as much as a fit where something is. */
enum { LEAST_ROWS = 30, FEW_ROWS = 50, EARLY = 10, LATER = 25, MOST_SQUARES = 8, BUDGET = 200 };

/* -- The law -- */

static int count_terms(int dim)
{
  return dim <= MOST_SQUARES ? dim + dim * (dim + 1) / 2 : dim;
}

static int law_size(const fcps_model *model)
{
  return 1 + count_terms(model->gp->dim);
}

static const double *law_of(const fcps_model *model, int gp)
{
  return model->uneven_noise.laws + (size_t)gp * (size_t)law_size(model);
}

/* The terms of inputs: themselves in [-1, 1], then their products. */
static void find_terms(int dim, const double *range, const double *inputs, double *terms)
{
  for (int d = 0; d < dim; d++) {
    const double width = range[dim + d] - range[d];
    terms[d] = width > 0 ? fmax(-1.0, fmin(1.0, 2 * (inputs[d] - range[d]) / width - 1)) : 0.0;
  }
  int k = dim;
  for (int d = 0; d < dim && dim <= MOST_SQUARES; d++)
    for (int e = d; e < dim; e++)
      terms[k++] = terms[d] * terms[e];
}

static double noise_of(int terms, const double *law, const double *at)
{
  double exponent = law[0];
  for (int k = 0; k < terms; k++)
    exponent += law[1 + k] * at[k];
  return fmax(least_noise, fmin(most_noise, exp(exponent)));
}

double fcps_uneven_noise_at(const fcps_model *model, int gp, const double *inputs)
{
  double terms[4 * FCPS_SPACE_MAX]; /* environment and parameters, each of which may be an angle of two inputs */
  if (!model->uneven_noise.is_believed) return 0.0;
  find_terms(model->gp->dim, model->uneven_noise.range, inputs, terms);
  return noise_of(count_terms(model->gp->dim), law_of(model, gp), terms);
}

/* -- Life -- */

static bool may_look(const fcps_model *model)
{
  const fcps_model_settings *s = &model->settings;
  return s->looks_uneven && model->ops->predicts_outcomes && !s->may_split && model->parent == NULL &&
         s->fit.samples <= 1 && model->input_noise.deviations == NULL;
}

static void forget(fcps_uneven_noise *u)
{
  free(u->range);
  free(u->laws);
  u->range = u->laws = NULL;
  u->is_believed = false;
}

static fcps_status make_room(const fcps_model *model, fcps_uneven_noise *u)
{
  u->range = fcps_allocate(2 * (size_t)model->gp->dim, sizeof(double));
  u->laws = fcps_allocate((size_t)fcps_model_gp_count(model) * (size_t)law_size(model), sizeof(double));
  if (u->range != NULL && u->laws != NULL) return FCPS_OK;
  forget(u);
  return FCPS_ERR_MEMORY;
}

void fcps_uneven_noise_destroy(fcps_model *model)
{
  forget(&model->uneven_noise);
}

fcps_status fcps_uneven_noise_copy(const fcps_model *model, fcps_model *copy)
{
  const fcps_uneven_noise *u = &model->uneven_noise;
  copy->uneven_noise = (fcps_uneven_noise){.is_believed = u->is_believed, .log_odds = u->log_odds};
  if (!u->is_believed) return FCPS_OK;
  const fcps_status status = make_room(model, &copy->uneven_noise);
  if (status != FCPS_OK) return status;
  memcpy(copy->uneven_noise.range, u->range, 2 * (size_t)model->gp->dim * sizeof(double));
  memcpy(copy->uneven_noise.laws, u->laws,
         (size_t)fcps_model_gp_count(model) * (size_t)law_size(model) * sizeof(double));
  return FCPS_OK;
}

/* -- Learning -- */

/* What T of one GP is learnt from. */
typedef struct residuals {
  int rows, outputs, terms;
  const fcps_hyper_prior *prior;
  double *variance; /* v of each row, without T */
  double *square;   /* sum over outputs of r^2 */
  double *at;       /* rows x terms */
} residuals;

static void free_residuals(residuals *r)
{
  free(r->variance);
  free(r->at);
}

static void inputs_of(const fcps_gp *gp, int row, double *inputs)
{
  for (int d = 0; d < gp->dim; d++)
    inputs[d] = gp->inputs[(size_t)d * (size_t)gp->capacity + (size_t)row];
}

static void find_range(const fcps_gp *gp, int rows, double *range)
{
  for (int d = 0; d < gp->dim; d++) {
    const double *input = gp->inputs + (size_t)d * (size_t)gp->capacity;
    range[d] = range[gp->dim + d] = input[0];
    for (int i = 1; i < rows; i++) {
      range[d] = fmin(range[d], input[i]);
      range[gp->dim + d] = fmax(range[gp->dim + d], input[i]);
    }
  }
}

/* Outputs that hyper-parameters are not fitted to say nothing about the noise either. */
static fcps_status find_residuals(const fcps_model *model, int gp, int outputs, const double *y, residuals *r)
{
  const fcps_gp *of = fcps_model_gp(model, gp);
  fcps_leave_one_out *others = NULL;
  fcps_left_out *left_out = fcps_allocate((size_t)outputs, sizeof *left_out);
  fcps_status status = left_out != NULL ? fcps_leave_one_out_create(&others, of, r->rows) : FCPS_ERR_MEMORY;
  r->outputs = 0;
  for (int o = 0; o < outputs; o++)
    r->outputs += fcps_gp_norm_counts(&model->settings.norm, o);
  for (int i = 0; i < r->rows && status == FCPS_OK; i++) {
    status = fcps_leave_one_out_row(others, model->settings.norm, i, outputs, y, left_out);
    double variance = 0.0;
    r->square[i] = 0.0;
    for (int o = 0; o < outputs && status == FCPS_OK; o++) {
      if (!fcps_gp_norm_counts(&model->settings.norm, o)) continue;
      const double residual = (y[(size_t)o * (size_t)r->rows + (size_t)i] - left_out[o].mean) / left_out[o].scale;
      r->square[i] += residual * residual;
      variance += left_out[o].variance / (left_out[o].scale * left_out[o].scale * r->outputs);
    }
    r->variance[i] = fmax(least_noise, variance - fcps_row_noise_at(model, FCPS_NOISE_PLACE, gp, i));
  }
  fcps_leave_one_out_destroy(others);
  free(left_out);
  return status;
}

static fcps_status make_residuals(const fcps_model *model, int gp, const double *range, int outputs, const double *y,
                                  residuals *r)
{
  const fcps_gp *of = fcps_model_gp(model, gp);
  const size_t rows = (size_t)model->training.count, terms = (size_t)count_terms(of->dim);
  *r = (residuals){.rows = (int)rows, .terms = (int)terms, .prior = &model->settings.prior};
  r->variance = fcps_allocate(2 * rows, sizeof(double));
  r->at = fcps_allocate(rows * terms + (size_t)of->dim, sizeof(double));
  fcps_status status = r->variance != NULL && r->at != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    r->square = r->variance + rows;
    double *inputs = r->at + rows * terms;
    for (size_t i = 0; i < rows; i++) {
      inputs_of(of, (int)i, inputs);
      find_terms(of->dim, range, inputs, r->at + i * terms);
    }
    status = find_residuals(model, gp, outputs, y, r);
  }
  if (status != FCPS_OK) free_residuals(r);
  return status;
}

/* log p(r | b, w) + log p(b) + log p(w), and its gradient */
static double log_density(void *user, int n, const double *law, double *gradient)
{
  const residuals *r = user;
  const double from_usual = (0.5 * law[0] - log(r->prior->noise)) / r->prior->noise_sd;
  double value = -0.5 * from_usual * from_usual;
  if (gradient != NULL) gradient[0] = -0.5 * from_usual / r->prior->noise_sd;
  for (int k = 1; k < n; k++) {
    value -= 0.5 * law[k] * law[k] / (weight_sd * weight_sd);
    if (gradient != NULL) gradient[k] = -law[k] / (weight_sd * weight_sd);
  }
  for (int i = 0; i < r->rows; i++) {
    const double *at = r->at + (size_t)i * (size_t)r->terms;
    const double noise = noise_of(r->terms, law, at), all = r->variance[i] + noise;
    value -= 0.5 * (r->outputs * log(all) + r->square[i] / all);
    const double slope = 0.5 * noise * (r->square[i] / all - r->outputs) / all;
    if (gradient == NULL || noise >= most_noise || noise <= least_noise) continue;
    gradient[0] += slope;
    for (int k = 0; k < r->terms; k++)
      gradient[1 + k] += slope * at[k];
  }
  return value;
}

/* The best law with (or without) weights from `law` on, and how well it explains the residuals. */
static fcps_status climb(residuals *r, bool has_weights, double *law, double *value)
{
  const int n = has_weights ? 1 + r->terms : 1;
  double *box = fcps_allocate(2 * (size_t)n, sizeof(double));
  if (box == NULL) return FCPS_ERR_MEMORY;
  for (int k = 0; k < n; k++) {
    box[k] = k == 0 ? log(least_noise) : -8 * weight_sd;
    box[n + k] = k == 0 ? log(most_noise) : 8 * weight_sd;
  }
  residuals of = *r;
  if (!has_weights) of.terms = 0; /* rows of `at` are not read then */
  const fcps_objective objective = {.n = n, .value = log_density, .user = &of};
  fcps_optimum optimum;
  law[0] = fmax(box[0], fmin(box[n], law[0]));
  const fcps_status status = fcps_lbfgsb_maximize_box(&objective, box, box + n, BUDGET, 1e-5, law, &optimum);
  *value = optimum.value;
  free(box);
  return status;
}

/* What the width of w's posterior costs: Laplace's approximation with the expected curvature. */
static fcps_status find_width(const residuals *r, const double *law, double *width)
{
  const size_t n = (size_t)r->terms;
  double *matrix = fcps_allocate(2 * n * n, sizeof(double));
  if (matrix == NULL) return FCPS_ERR_MEMORY;
  for (size_t i = 0; i < (size_t)r->rows; i++) {
    const double *at = r->at + i * n, noise = noise_of(r->terms, law, at), share = noise / (r->variance[i] + noise);
    const double factor = 0.5 * r->outputs * share * share * weight_sd * weight_sd;
    for (size_t k = 0; k < n; k++)
      for (size_t l = k; l < n; l++)
        matrix[k * n + l] += factor * at[k] * at[l];
  }
  for (size_t k = 0; k < n; k++)
    matrix[k * n + k] += 1.0;
  const fcps_status status = fcps_chol_factor(r->terms, matrix, r->terms, matrix + n * n, NULL);
  if (status == FCPS_OK) *width = fcps_chol_half_logdet(r->terms, matrix, r->terms);
  free(matrix);
  return status;
}

/* T of the rows of a GP as its noise there. */
static fcps_status apply(fcps_model *model, int gp)
{
  const fcps_gp *of = fcps_model_gp(model, gp);
  const int rows = model->training.count;
  double usual = 0.0, *noise = fcps_allocate((size_t)(rows + of->dim), sizeof(double));
  if (noise == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < rows; i++) {
    inputs_of(of, i, noise + rows);
    noise[i] = fcps_uneven_noise_at(model, gp, noise + rows);
    usual += noise[i] / rows;
  }
  const fcps_status status = fcps_row_noise_set(model, FCPS_NOISE_PLACE, gp, rows, noise, usual);
  free(noise);
  return status;
}

static const double *outputs_of(const fcps_model *model, int gp, int each, const double *y)
{
  return y + (size_t)gp * (size_t)each * (size_t)model->training.count;
}

fcps_status fcps_uneven_noise_update(fcps_model *model, int outputs, const double *y)
{
  const fcps_uneven_noise *u = &model->uneven_noise;
  if (!u->is_believed) return FCPS_OK;
  const int gps = fcps_model_gp_count(model), each = outputs / gps, rows = model->training.count;
  fcps_status status = fcps_per_output_grow(model);
  find_range(model->gp, rows, u->range);
  for (int g = 0; g < gps && status == FCPS_OK; g++) {
    residuals r;
    double value;
    status = make_residuals(model, g, u->range, each, outputs_of(model, g, each, y), &r);
    if (status != FCPS_OK) break;
    status = climb(&r, true, u->laws + (size_t)g * (size_t)law_size(model), &value);
    free_residuals(&r);
    if (status == FCPS_OK) status = apply(model, g);
    if (status == FCPS_OK) status = fcps_gp_factorize(fcps_model_gp(model, g), rows);
  }
  return status;
}

/* -- Belief -- */

static bool is_due(const fcps_model *model)
{
  const int rows = model->training.count, every = rows < FEW_ROWS ? EARLY : LATER;
  return rows >= LEAST_ROWS && rows <= FCPS_FIT_ROWS && rows / every != model->fitted / every;
}

/* The log posterior density of the best hyper-parameters of a GP with this noise of its rows; it becomes that GP. */
static fcps_status fit_with(const fcps_model *model, fcps_gp *gp, const double *noise, int each, const double *y,
                            double *evidence)
{
  const fcps_gp_data data = {.rows = model->training.count,
                             .outputs = each,
                             .y = y,
                             .norm = model->settings.norm,
                             .prior = &model->settings.prior};
  const fcps_fit_settings fit = {.starts = 1, .budget = model->settings.fit.budget};
  fcps_likelihood *likelihood = NULL;
  fcps_fit_result result;
  fcps_gp_set_noise(gp, data.rows, noise, 0.0);
  fcps_status status = fcps_gp_fit(gp, &data, fit, (fcps_rng){0}, &result);
  if (status == FCPS_OK) status = fcps_likelihood_create(&likelihood, gp, &data);
  if (status == FCPS_OK) *evidence += fcps_likelihood_value(likelihood, gp->hyper, NULL);
  fcps_likelihood_destroy(likelihood);
  return status;
}

/* What is compared for one GP: even noise and uneven noise, each with hyper-parameters of its own. */
typedef struct comparison {
  fcps_gp *even, *uneven;
} comparison;

/* Adds what uneven noise explains better to *gain; the law is learnt where it is not believed yet. */
static fcps_status compare(const fcps_model *model, const fcps_uneven_noise *with, int g, int each, const double *y,
                           comparison *c, double *gain)
{
  const int rows = model->training.count;
  double *law = with->laws + (size_t)g * (size_t)law_size(model), *noise = fcps_allocate((size_t)rows, sizeof(double));
  double even = 0.0, uneven = 0.0, width = 0.0, plain = log(model->settings.prior.noise) * 2, explained, flat;
  residuals r;
  fcps_status status = noise != NULL ? make_residuals(model, g, with->range, each, y, &r) : FCPS_ERR_MEMORY;
  if (status != FCPS_OK) {
    free(noise);
    return status;
  }
  if (!model->uneven_noise.is_believed) law[0] = log(fmax(least_noise, fcps_gp_noise(fcps_model_gp(model, g))));
  status = climb(&r, true, law, &explained);
  if (status == FCPS_OK) status = climb(&r, false, &plain, &flat);
  if (status == FCPS_OK) status = find_width(&r, law, &width);
  /* where not even the residuals ask for it, a fit need not be made */
  if (status == FCPS_OK && !model->uneven_noise.is_believed && !(explained - flat - width > margin)) {
    *gain = -INFINITY;
  } else if (status == FCPS_OK) {
    status = fcps_gp_copy(fcps_model_gp(model, g), &c->even);
    if (status == FCPS_OK) status = fcps_gp_copy(fcps_model_gp(model, g), &c->uneven);
    memset(noise, 0, (size_t)rows * sizeof(double));
    fcps_row_noise_add_others(model, FCPS_NOISE_PLACE, g, rows, noise);
    if (status == FCPS_OK) status = fit_with(model, c->even, noise, each, y, &even);
    for (int i = 0; i < rows; i++)
      noise[i] += noise_of(r.terms, law, r.at + (size_t)i * (size_t)r.terms);
    if (status == FCPS_OK) status = fit_with(model, c->uneven, noise, each, y, &uneven);
    const double from_usual = (0.5 * law[0] - log(r.prior->noise)) / r.prior->noise_sd;
    *gain += uneven - even - width - 0.5 * from_usual * from_usual;
    for (int k = 1; k <= r.terms; k++)
      *gain -= 0.5 * law[k] * law[k] / (weight_sd * weight_sd);
  }
  free_residuals(&r);
  free(noise);
  return status;
}

/* Takes the belief and hyper-parameters that go with it. */
static fcps_status believe(fcps_model *model, bool is_uneven, fcps_uneven_noise *with, const comparison *found)
{
  fcps_status status = FCPS_OK;
  forget(&model->uneven_noise);
  if (is_uneven) {
    model->uneven_noise = *with;
    model->uneven_noise.is_believed = true;
    with->range = with->laws = NULL;
  }
  for (int g = 0; g < fcps_model_gp_count(model) && status == FCPS_OK; g++) {
    fcps_gp_set_hyper(fcps_model_gp(model, g), (is_uneven ? found[g].uneven : found[g].even)->hyper);
    status = is_uneven ? apply(model, g) : fcps_row_noise_set(model, FCPS_NOISE_PLACE, g, 0, NULL, 0.0);
  }
  return status;
}

fcps_status fcps_uneven_noise_review(fcps_model *model, int outputs, const double *y, bool *has_changed)
{
  *has_changed = false;
  if (!may_look(model) || !is_due(model)) return FCPS_OK;
  const bool was = model->uneven_noise.is_believed;
  const int gps = fcps_model_gp_count(model), each = outputs / gps;
  fcps_uneven_noise with = {.is_believed = false};
  comparison *found = fcps_allocate((size_t)gps, sizeof *found);
  double gain = 0.0;
  fcps_status status = found != NULL ? make_room(model, &with) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_per_output_grow(model);
  if (status == FCPS_OK) find_range(model->gp, model->training.count, with.range);
  if (status == FCPS_OK && was)
    memcpy(with.laws, model->uneven_noise.laws, (size_t)gps * (size_t)law_size(model) * sizeof(double));
  for (int g = 0; g < gps && status == FCPS_OK && gain > -INFINITY; g++)
    status = compare(model, &with, g, each, outputs_of(model, g, each, y), found + g, &gain);
  *has_changed = status == FCPS_OK && (was ? gain < 0.0 : gain > margin); /* false for NaN */
  with.log_odds = gain;
  model->uneven_noise.log_odds = gain;
  if (*has_changed) status = believe(model, !was, &with, found);
  for (int g = 0; g < gps && found != NULL; g++) {
    fcps_gp_destroy(found[g].even);
    fcps_gp_destroy(found[g].uneven);
  }
  free(found);
  forget(&with);
  return status;
}

void fcps_uneven_noise_range(const fcps_model *model, int gp, double *least, double *most)
{
  const double usual = fcps_row_noise_usual(model, FCPS_NOISE_PLACE, gp);
  *least = *most = 0.0;
  for (int i = 0; i < fcps_row_noise_known(model, FCPS_NOISE_PLACE, gp); i++) {
    const double noise = fcps_row_noise_at(model, FCPS_NOISE_PLACE, gp, i);
    *least = fmin(*least, noise - usual);
    *most = fmax(*most, noise - usual);
  }
}

/* -- Growth -- */

bool fcps_uneven_noise_is_complete(const fcps_model *model)
{
  return !model->uneven_noise.is_believed || fcps_row_noise_known(model, FCPS_NOISE_PLACE, 0) == model->training.count;
}

bool fcps_uneven_noise_is_consistent(const fcps_model *model)
{
  return model->uneven_noise.is_believed || fcps_row_noise_known(model, FCPS_NOISE_PLACE, 0) == 0;
}

fcps_status fcps_uneven_noise_grow(fcps_model *model)
{
  fcps_status status = FCPS_OK;
  const bool is_complete = fcps_uneven_noise_is_complete(model);
  for (int g = 0; g < fcps_model_gp_count(model) && !is_complete && status == FCPS_OK; g++)
    status = apply(model, g);
  return status;
}

/* -- State -- */

fcps_json *fcps_uneven_noise_write(const fcps_model *model)
{
  const fcps_uneven_noise *u = &model->uneven_noise;
  fcps_json *json = fcps_json_array();
  fcps_json_add(&json, fcps_json_from_number(u->log_odds));
  fcps_json_add(&json, fcps_json_from_numbers(2 * model->gp->dim, u->range));
  fcps_json_add(&json, fcps_json_from_numbers(fcps_model_gp_count(model) * law_size(model), u->laws));
  return json;
}

static bool are_finite(int count, const double *numbers)
{
  for (int i = 0; i < count; i++)
    if (!isfinite(numbers[i])) return false;
  return true;
}

/* The least and the greatest of each input: finite, and in this order. */
static bool is_range(int dim, const double *range)
{
  for (int d = 0; d < dim; d++)
    if (!(range[d] <= range[dim + d])) return false;
  return are_finite(2 * dim, range);
}

fcps_status fcps_uneven_noise_read(fcps_model *model, const fcps_json *json)
{
  fcps_uneven_noise *u = &model->uneven_noise;
  forget(u);
  if (json == NULL) return FCPS_OK;
  const int ranges = 2 * model->gp->dim, numbers = fcps_model_gp_count(model) * law_size(model);
  const fcps_status status = make_room(model, u);
  if (status != FCPS_OK) return status;
  u->is_believed = fcps_json_is_array(json) && fcps_json_count(json) == 3 &&
                   fcps_json_number(fcps_json_at(json, 0), &u->log_odds) &&
                   fcps_json_numbers(fcps_json_at(json, 1), ranges, u->range) && is_range(model->gp->dim, u->range) &&
                   fcps_json_numbers(fcps_json_at(json, 2), numbers, u->laws) && are_finite(numbers, u->laws);
  if (u->is_believed) return FCPS_OK;
  forget(u);
  return FCPS_ERR_FORMAT;
}
