/* SPDX-License-Identifier: Apache-2.0 */
/* Noise that depends on the place (environment and parameters). At places where a gripper slips, repeated trials end
 * differently; at others they do not. With one noise variance for all places, the noisy places determine this variance:
 * elsewhere the model smooths good results away, and at the noisy places its predictions are too certain.
 *
 * In addition to sn^2 each row has noise T whose logarithm is a polynomial of the row's inputs [goldberg1998], the
 * "law":
 *
 *   T(x) = exp(b + sum_k w_k t_k(x)),   w_k ~ N(0, 1/4),   b/2 has the prior of the logarithm of sn
 *
 * The terms t_k are the inputs of the GPs. The range of the rows is scaled to [-1, 1]; beyond it a term is constant, so
 * that T does not extrapolate. A second proposal, for up to eight inputs, also has the squares and products of the
 * inputs as terms.
 *
 * T is learnt from leave-one-out residuals. With the hyper-parameters of the last fit, r_i is the difference of row i
 * from its prediction by the other rows, and v_i the variance of that difference without T. Then (b, w) maximizes
 *
 *   sum_i sum_o log N(r_io; 0, v_i + T(x_i)) + log p(b) + log p(w).
 *
 * Fits of the hyper-parameters and of T alternate. In the evidence b and w cost their prior and the width of their
 * posterior, which follows from the expected curvature. With F the rows of (1, t) and S their prior variances, that is
 *
 *   log |I + S^1/2 F' D F S^1/2|/2,   D_ii = outputs/2 (T_i/(v_i + T_i))^2. */
#include "model/description.h"

#include "base/memory.h"
#include "gp/leave_one_out.h"
#include "linalg/dense.h"
#include "optim/optim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double weight_sd = 0.5;    /* prior deviation of each w_k */
static const double most_noise = 4.0;   /* the largest T, for outputs of variance 1 */
static const double least_noise = 1e-8; /* the least T */

/* A law is proposed, and compared with others, only if it explains the residuals better by this many nats. */
static const double worth_a_look = 1.0;

enum { MOST_SQUARES = 8, BUDGET = 200 };

/* The state. `numbers` has the least values of all inputs in the rows, their largest values, then b and w of each
 * GP. */
typedef struct law {
  double gps, inputs;
  double has_squares; /* 1 if the law has squares and products, else 0 */
  double cost;        /* in nats: what b and w of all GPs cost in the evidence */
  double numbers[];
} law;

static int count_terms(int inputs, bool has_squares)
{
  return has_squares ? inputs + inputs * (inputs + 1) / 2 : inputs;
}

static int terms_of(const law *l)
{
  return count_terms((int)l->inputs, l->has_squares != 0.0);
}

static int number_count(int gps, int inputs, bool has_squares)
{
  return 2 * inputs + gps * (1 + count_terms(inputs, has_squares));
}

static size_t law_size(const law *l)
{
  return sizeof(law) + (size_t)number_count((int)l->gps, (int)l->inputs, l->has_squares != 0.0) * sizeof(double);
}

static double *weights_of(law *l, int gp)
{
  return l->numbers + 2 * (int)l->inputs + gp * (1 + terms_of(l));
}

/* Computes the terms of `inputs`: each input scaled to [-1, 1], then their products. Inputs from number `count` on no
 * longer exist; their term is 0, the middle. */
static void find_terms(const law *l, int count, const double *inputs, double *terms)
{
  const int all = (int)l->inputs;
  const double *least = l->numbers, *most = least + all;
  for (int d = 0; d < all; d++) {
    const double width = most[d] - least[d];
    terms[d] = d < count && width > 0 ? fmax(-1.0, fmin(1.0, 2 * (inputs[d] - least[d]) / width - 1)) : 0.0;
  }
  int k = all;
  for (int d = 0; d < all && l->has_squares != 0.0; d++)
    for (int e = d; e < all; e++)
      terms[k++] = terms[d] * terms[e];
}

static double noise_of(int terms, const double *weights, const double *at)
{
  double exponent = weights[0];
  for (int k = 0; k < terms; k++)
    exponent += weights[1 + k] * at[k];
  return fmax(least_noise, fmin(most_noise, exp(exponent)));
}

/* Returns T at the inputs of one GP. If the GPs have changed since T was learnt, the old law serves until the next
 * fit. */
static double noise_at(const void *state, const fcps_description *description, int gp, const double *inputs)
{
  double terms[4 * FCPS_SPACE_MAX + 1]; /* environment, parameters and drift; an angle has two inputs */
  const law *l = state;
  find_terms(l, description->inputs, inputs, terms);
  const int index = gp < l->gps ? gp : (int)l->gps - 1, count = terms_of(l);
  return noise_of(count, l->numbers + 2 * (int)l->inputs + index * (1 + count), terms);
}

/* -- Residuals -- */

/* The leave-one-out residuals that T of one GP is learnt from. */
typedef struct residuals {
  int rows, outputs, terms;
  const fcps_hyper_prior *prior;
  double *variance; /* v of each row, without T */
  double *square;   /* sum over outputs of r^2 */
  double *at;       /* the terms of each row: rows x terms */
} residuals;

static void free_residuals(residuals *r)
{
  free(r->variance);
  free(r->at);
}

/* Computes the residuals of one GP. Outputs that do not count in the fit of hyper-parameters do not count here
 * either. */
static fcps_status find_residuals(const fcps_look *look, int gp, int outputs, const double *y, residuals *r)
{
  const fcps_gp *of = look->gps->gp[gp];
  const fcps_gp_norm norm = fcps_description_norm(look->description, look->layout);
  fcps_leave_one_out *others = NULL;
  fcps_left_out *left_out = fcps_allocate((size_t)outputs, sizeof *left_out);
  fcps_status status = left_out != NULL ? fcps_leave_one_out_create(&others, of, r->rows) : FCPS_ERR_MEMORY;
  r->outputs = 0;
  for (int o = 0; o < outputs; o++)
    r->outputs += fcps_gp_norm_counts(&norm, o);
  for (int i = 0; i < r->rows && status == FCPS_OK; i++) {
    status = fcps_leave_one_out_row(others, norm, i, outputs, y, left_out);
    double variance = 0.0;
    r->square[i] = 0.0;
    for (int o = 0; o < outputs && status == FCPS_OK; o++) {
      if (!fcps_gp_norm_counts(&norm, o)) continue;
      const double residual = (y[(size_t)o * (size_t)r->rows + (size_t)i] - left_out[o].mean) / left_out[o].scale;
      r->square[i] += residual * residual;
      variance += left_out[o].variance / (left_out[o].scale * left_out[o].scale * r->outputs);
    }
    variance -= fcps_gps_noise_at(look->gps, look->index, gp, i);
    r->variance[i] = fmax(variance, FCPS_VARIANCE_FLOOR);
  }
  fcps_leave_one_out_destroy(others);
  free(left_out);
  return status;
}

static fcps_status make_residuals(const fcps_look *look, const law *l, int gp, int outputs, const double *y,
                                  const fcps_hyper_prior *prior, residuals *r)
{
  const int rows = look->rollouts->count, terms = terms_of(l), inputs_count = (int)l->inputs;
  *r = (residuals){.rows = rows, .terms = terms, .prior = prior};
  r->variance = fcps_allocate(2 * (size_t)rows, sizeof(double));
  r->at = fcps_allocate((size_t)rows * (size_t)terms + (size_t)inputs_count, sizeof(double));
  if (r->variance == NULL || r->at == NULL) return FCPS_ERR_MEMORY;
  r->square = r->variance + rows;
  double *inputs = r->at + (size_t)rows * (size_t)terms;
  for (int i = 0; i < rows; i++) {
    fcps_gp_row(look->gps->gp[gp], i, inputs);
    find_terms(l, inputs_count, inputs, r->at + (size_t)i * (size_t)terms);
  }
  return find_residuals(look, gp, outputs, y, r);
}

/* -- Learning -- */

/* Returns the log prior of b and w, without its constants. */
static double log_prior_of(const fcps_hyper_prior *prior, int n, const double *x)
{
  const double from_usual = (0.5 * x[0] - log(prior->noise)) / prior->noise_sd;
  double sum = -0.5 * from_usual * from_usual;
  for (int k = 1; k < n; k++)
    sum -= 0.5 * x[k] * x[k] / (weight_sd * weight_sd);
  return sum;
}

/* Returns the log density of the residuals plus the log prior, which b and w maximize. */
static double log_density(void *user, int n, const double *x, double *gradient)
{
  const residuals *r = user;
  const double from_usual = (0.5 * x[0] - log(r->prior->noise)) / r->prior->noise_sd;
  double value = log_prior_of(r->prior, n, x);
  if (gradient != NULL) memset(gradient, 0, (size_t)n * sizeof(double));
  if (gradient != NULL) gradient[0] = -0.5 * from_usual / r->prior->noise_sd;
  for (int k = 1; k < n && gradient != NULL; k++)
    gradient[k] = -x[k] / (weight_sd * weight_sd);
  for (int i = 0; i < r->rows; i++) {
    const double *at = r->at + (size_t)i * (size_t)r->terms, noise = noise_of(n - 1, x, at);
    const double variance = r->variance[i] + noise;
    value -= 0.5 * (r->outputs * log(variance) + r->square[i] / variance);
    if (gradient == NULL || noise <= least_noise || noise >= most_noise) continue;
    const double slope = -0.5 * (r->outputs / variance - r->square[i] / (variance * variance)) * noise;
    gradient[0] += slope;
    for (int k = 1; k < n; k++)
      gradient[k] += slope * at[k - 1];
  }
  return value;
}

/* Finds the best b and w (b alone unless `has_terms`) from the values in `weights`, and the density *value reached. */
static fcps_status climb(const residuals *r, bool has_terms, double *weights, double *value)
{
  const int n = 1 + (has_terms ? r->terms : 0);
  double *box = fcps_allocate(2 * (size_t)n, sizeof(double));
  if (box == NULL) return FCPS_ERR_MEMORY;
  for (int k = 0; k < n; k++) {
    box[k] = k == 0 ? log(least_noise) : -8 * weight_sd;
    box[n + k] = k == 0 ? log(most_noise) : 8 * weight_sd;
  }
  residuals of = *r;
  const fcps_objective objective = {.n = n, .value = log_density, .user = &of};
  fcps_optimum optimum;
  weights[0] = fmax(box[0], fmin(box[n], weights[0]));
  const fcps_status status = fcps_lbfgsb_maximize_box(&objective, box, box + n, BUDGET, 1e-5, weights, &optimum);
  *value = optimum.value;
  free(box);
  return status;
}

/* Computes the cost of b and w by the width of their posterior: the equation at the head of this file. */
static fcps_status find_cost(const residuals *r, const double *weights, double *cost)
{
  const size_t n = (size_t)r->terms + 1;
  double *matrix = fcps_allocate(2 * n * n + n, sizeof(double)), *row = matrix + 2 * n * n;
  if (matrix == NULL) return FCPS_ERR_MEMORY;
  for (size_t i = 0; i < (size_t)r->rows; i++) {
    const double *at = r->at + i * (n - 1), noise = noise_of(r->terms, weights, at);
    const double share = noise / (r->variance[i] + noise), weight = 0.5 * r->outputs * share * share;
    row[0] = 2.0 * r->prior->noise_sd;
    for (size_t k = 1; k < n; k++)
      row[k] = weight_sd * at[k - 1];
    for (size_t k = 0; k < n; k++)
      for (size_t l = k; l < n; l++)
        matrix[k * n + l] += weight * row[k] * row[l];
  }
  for (size_t k = 0; k < n; k++)
    matrix[k * n + k] += 1.0;
  const fcps_status status = fcps_chol_factor((int)n, matrix, (int)n, matrix + n * n, NULL);
  if (status == FCPS_OK) *cost = fcps_chol_half_logdet((int)n, matrix, (int)n);
  free(matrix);
  return status;
}

/* Allocates a law for the current GPs, which the caller frees; NULL if memory runs out. The law starts with the numbers
 * of `before` if that has the same shape. `before` may be NULL. */
static law *begin_law(const fcps_look *look, bool has_squares, const law *before)
{
  const fcps_gp *gp = look->gps->gp[0];
  const int gps = look->gps->count, inputs = gp->dim, rows = look->rollouts->count;
  const law empty = {.gps = gps, .inputs = inputs, .has_squares = has_squares};
  law *l = fcps_allocate(law_size(&empty), 1);
  if (l == NULL) return NULL;
  *l = empty;
  const bool is_alike =
      before != NULL && before->gps == gps && before->inputs == inputs && before->has_squares == l->has_squares;
  if (is_alike) memcpy(l->numbers, before->numbers, law_size(l) - sizeof *l);
  for (int g = 0; g < gps && !is_alike; g++)
    weights_of(l, g)[0] = log(fmax(least_noise, fcps_gp_noise(look->gps->gp[g])));
  for (int d = 0; d < inputs; d++) {
    const double *input = gp->inputs + (size_t)d * (size_t)gp->capacity;
    double *least = l->numbers + d, *most = least + inputs;
    *least = *most = input[0];
    for (int i = 1; i < rows; i++) {
      *least = fmin(*least, input[i]);
      *most = fmax(*most, input[i]);
    }
  }
  return l;
}

/* Learns T of one GP. Adds to *asked (may be NULL) the gain over a constant T in explaining the residuals, less the
 * cost. */
static fcps_status learn(const fcps_look *look, law *l, int gp, double *asked)
{
  const int each = look->outputs / look->gps->count;
  const double *y = look->y + (size_t)(gp * each) * (size_t)look->rollouts->count;
  const fcps_hyper_prior prior = fcps_description_prior(look->description);
  double explained = 0.0, flat = 0.0, cost = 0.0, usual = 2.0 * log(prior.noise);
  residuals r;
  fcps_status status = make_residuals(look, l, gp, each, y, &prior, &r);
  if (status == FCPS_OK) status = climb(&r, true, weights_of(l, gp), &explained);
  if (status == FCPS_OK && asked != NULL) status = climb(&r, false, &usual, &flat);
  if (status == FCPS_OK) status = find_cost(&r, weights_of(l, gp), &cost);
  if (status == FCPS_OK) {
    l->cost += cost - log_prior_of(&prior, r.terms + 1, weights_of(l, gp));
    if (asked != NULL) *asked += explained - flat - cost;
  }
  free_residuals(&r);
  return status;
}

/* -- As a structure -- */

static bool is_ready(const fcps_look *look)
{
  const int rows = look->rollouts->count;
  return look->y != NULL && look->gps->gp[0]->factored >= rows && rows <= FCPS_FIT_ROWS;
}

/* Proposes one law, with or without squares, if it explains the residuals well enough or is believed now. */
static fcps_status propose_law(const fcps_look *look, bool has_squares, fcps_structure *proposals, int *count)
{
  const law *believed = look->description->structures[look->index].state;
  const bool is_believed = believed != NULL && believed->has_squares == has_squares;
  double asked = 0.0;
  law *l = begin_law(look, has_squares, believed);
  fcps_status status = l != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int g = 0; g < look->gps->count && status == FCPS_OK; g++)
    status = learn(look, l, g, &asked);
  if (status == FCPS_OK && (is_believed || asked > worth_a_look))
    status = fcps_structure_set(proposals + (*count)++, law_size(l), l);
  free(l);
  return status;
}

/* Proposes only laws that explain the residuals well enough, which saves comparisons of descriptions. */
static fcps_status propose(const fcps_look *look, fcps_structure *proposals, int *count)
{
  *count = 0;
  if (!is_ready(look)) return FCPS_OK;
  fcps_status status = propose_law(look, false, proposals, count);
  if (status == FCPS_OK && look->gps->gp[0]->dim <= MOST_SQUARES) status = propose_law(look, true, proposals, count);
  return status;
}

static double log_prior(const fcps_layout *layout, const void *state)
{
  (void)layout;
  return -((const law *)state)->cost;
}

/* Sets the noise of all rows of all GPs to T. */
static fcps_status grow(fcps_look *look, fcps_structure *structure)
{
  const int rows = look->rollouts->count, inputs = look->description->inputs;
  double *noise = fcps_allocate((size_t)(rows + inputs), sizeof(double));
  fcps_status status = noise != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int g = 0; g < look->gps->count && status == FCPS_OK; g++) {
    double usual = 0.0;
    for (int i = 0; i < rows; i++) {
      fcps_gp_row(look->gps->gp[g], i, noise + rows);
      noise[i] = noise_at(structure->state, look->description, g, noise + rows);
      usual += noise[i] / rows;
    }
    status = fcps_gps_set_noise(look->gps, look->index, g, rows, noise, usual);
  }
  free(noise);
  return status;
}

static fcps_status after_fit(fcps_look *look, fcps_structure *structure)
{
  if (!is_ready(look)) return FCPS_OK;
  const law *before = structure->state;
  law *l = begin_law(look, before->has_squares != 0.0, before);
  fcps_status status = l != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int g = 0; g < look->gps->count && status == FCPS_OK; g++)
    status = learn(look, l, g, NULL);
  if (status == FCPS_OK) status = fcps_structure_set(structure, law_size(l), l);
  if (status == FCPS_OK) status = grow(look, structure);
  if (status == FCPS_OK) status = fcps_gps_factorize(look->gps, look->rollouts->count);
  free(l);
  return status;
}

/* -- What is shown -- */

/* Returns the nearest other row, -1 if there is none, and writes its squared distance in length-scales to *square. */
static int nearest_row(const fcps_gp *gp, int rows, int row, double *square)
{
  int nearest = -1;
  *square = INFINITY;
  for (int i = 0; i < rows; i++) {
    const double own = i != row ? fcps_gp_squared_distance(gp, i, row) : INFINITY;
    if (!(own < *square)) continue;
    *square = own;
    nearest = i;
  }
  return nearest;
}

static double log_normal(double square, double variance)
{
  return -0.5 * (log(variance) + square / variance);
}

/* Whether the outputs of neighbouring rows differ by as much as T predicts. A function that the kernel cannot follow
 * also looks noisy. Only pairs of rows so near that the function hardly differs between them show real noise. */
static bool is_shown(const fcps_look *look, const void *state)
{
  enum { LEAST_PAIRS = 4 };
  static const double clear = 3.0;
  const int rows = look->rollouts->count, each = look->outputs / look->gps->count;
  const fcps_gp_norm norm = fcps_description_norm(look->description, look->layout);
  double nats = 0.0, scale[FCPS_SPACE_MAX], offset[FCPS_SPACE_MAX];
  int pairs = 0;
  (void)state;
  for (int g = 0; g < look->gps->count; g++) {
    const fcps_gp *gp = look->gps->gp[g];
    const double *y = look->y + (size_t)(g * each) * (size_t)rows, sf2 = fcps_gp_signal_variance(gp);
    const double even = fcps_gp_hyper_noise_variance(gp->dim, gp->hyper);
    double quiet = INFINITY;
    fcps_gp_normalize(norm, rows, each, y, offset, scale);
    for (int i = 0; i < rows; i++)
      quiet = fmin(quiet, fcps_gps_noise_at(look->gps, look->index, g, i));
    for (int i = 0; i < rows; i++) {
      double square, phi;
      const int j = nearest_row(gp, rows, i, &square);
      if (j < i) continue; /* count each pair once */
      gp->kernel->eval(1, &square, &phi, NULL);
      const double smooth = 2.0 * sf2 * (1.0 - phi);
      const double places =
          fcps_gps_noise_at(look->gps, look->index, g, i) + fcps_gps_noise_at(look->gps, look->index, g, j);
      if (!(smooth < 0.5 * places)) continue;
      pairs++;
      for (int o = 0; o < each; o++) {
        const double d = (y[o * rows + i] - y[o * rows + j]) / scale[o];
        nats += log_normal(d * d, smooth + 2.0 * even + places) - log_normal(d * d, smooth + 2.0 * (even + quiet));
      }
    }
  }
  return pairs >= LEAST_PAIRS && nats > clear;
}

/* -- Files -- */

static bool is_state(const fcps_look *look, int count, const double *numbers)
{
  const law *l = (const law *)numbers;
  const int features = look->layout->features;
  if (count < (int)(sizeof *l / sizeof *numbers) || !(l->gps == 1 || l->gps == look->layout->outputs) ||
      !(l->inputs == features || l->inputs == features + 1) || !(l->has_squares == 0.0 || l->has_squares == 1.0) ||
      (l->has_squares == 1.0 && l->inputs > MOST_SQUARES) || (size_t)count * sizeof *numbers != law_size(l))
    return false;
  const double *least = l->numbers, *most = least + (int)l->inputs;
  bool is_ok = true;
  for (int d = 0; d < l->inputs; d++)
    is_ok = is_ok && least[d] <= most[d];
  return is_ok;
}

const fcps_structure_kind fcps_structure_uneven_noise = {
    .name = "uneven_noise",
    .excludes = "input_noise",
    .needs_whole = true,
    .least_rows = 20,
    .propose = propose,
    .log_prior = log_prior,
    .noise_at = noise_at,
    .after_fit = after_fit,
    .grow = grow,
    .is_state = is_state,
    .is_shown = is_shown,
    .words = "the same parameters end more differently at some places than at others"};
