/* SPDX-License-Identifier: Apache-2.0 */
/* Learnt distances between words (categories that a parameter or a context chooses among). A priori all words without
 * an order are equally far apart, so a result of one word says equally little about every other word. With this
 * structure each word has a learnt place z_w on a line or in a plane. The places determine the distances between words
 * [zhang2020]:
 *
 *   d^2(a, b) = |z_a - z_b|^2 + v_a + v_b,   z_w ~ N(0, s^2 I)  a priori,   2 rank s^2 = the squared distance a priori
 *
 * v_w is the posterior variance of z_w. So an untried word keeps its prior distance from all others, and the distance
 * between well-known words follows from the rows. Ordered words have places at equal steps a priori, which move by at
 * most half a step. So the words keep their order.
 *
 * The places and all hyper-parameters maximize the likelihood together, from several starts. The evidence charges for
 * the prior of the places and for the width of their posterior. */
#include "model/evidence.h"

#include "base/memory.h"
#include "gp/fit.h"
#include "gp/likelihood.h"
#include "linalg/dense.h"
#include "optim/optim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MOST_ROWS: learning with more rows takes too long, so a subset is used. */
enum { MOST_INPUTS = 16, MOST_RANK = 2, MOST_ROWS = 80 };
/* DRAWS: number of random draws of places, of which the best is a start. BUDGET: evaluations of an ascent. LOOKED_AT:
 * number of rows at which predictions are compared. */
enum { DRAWS = 12, BUDGET = 60, LOOKED_AT = 40 };
/* The most coordinates that are learnt together. */
enum { MOST_COORDINATES = 240 };

/* The state: this header, then for each word input its places (words x rank) and its variances. */
typedef struct places {
  double rank;
  double width; /* -log of the posterior volume of the coordinates relative to the prior, in nats */
  double numbers[];
} places;

/* -- Inputs -- */

/* One input that chooses among words. */
typedef struct word_input {
  int input, words;
  bool is_ordered;
  double spread; /* prior deviation s of a coordinate */
  double step;   /* distance between neighbours, if words are ordered */
  int at;        /* index of its first coordinate among those of all inputs */
} word_input;

typedef struct word_inputs {
  int count, rank, coordinates;
  word_input of[MOST_INPUTS];
} word_inputs;

static void add_inputs(const fcps_embedding *embedding, const fcps_tables *tables, int first, word_inputs *all)
{
  const int fewest = 2 * all->rank + 2; /* with fewer words, there are hardly fewer coordinates than distances */
  for (int i = 0; i < embedding->count; first += fcps_embedding_width(embedding, i++)) {
    const fcps_choices *choices = embedding->choices[i];
    if (choices == NULL || choices->count < fewest || all->count == MOST_INPUTS ||
        all->coordinates + choices->count * all->rank > MOST_COORDINATES)
      continue;
    const double size = tables->of[first].square[1], last = tables->of[first].square[choices->count - 1];
    const double step = sqrt(last) / (choices->count - 1);
    all->of[all->count++] = (word_input){.input = first,
                                         .words = choices->count,
                                         .is_ordered = choices->is_ordered,
                                         .step = choices->is_ordered ? step : 0.0,
                                         .spread = choices->is_ordered ? 0.25 * step : sqrt(size / (2.0 * all->rank)),
                                         .at = all->coordinates};
    all->coordinates += choices->count * all->rank;
  }
}

/* Finds all inputs whose words have places to learn, from the tables of the layout. */
static fcps_status find_inputs(const fcps_layout *layout, int rank, word_inputs *all)
{
  fcps_tables tables = {0};
  *all = (word_inputs){.rank = rank};
  const fcps_status status = fcps_layout_tables(layout, false, &tables);
  if (status == FCPS_OK && tables.inputs > 0) {
    add_inputs(&layout->context, &tables, 0, all);
    add_inputs(&layout->parameters, &tables, layout->context.width, all);
  }
  fcps_tables_free(&tables);
  return status;
}

/* Returns the prior mean of coordinate r of word w. Ordered words have one coordinate. */
static double centre_of(const word_input *in, int w, int r)
{
  return in->is_ordered && r == 0 ? w * in->step : 0.0;
}

static double spread_of(const word_input *in, int r)
{
  return in->is_ordered && r > 0 ? 0.0 : in->spread;
}

static double reach_of(const word_input *in, int r)
{
  return in->is_ordered ? (r == 0 ? 0.5 * in->step : 0.0) : 6.0 * in->spread;
}

/* Writes to `square` the squared distances between words with the places z. `variance` may be NULL. */
static void fill_squares(const word_input *in, int rank, const double *z, const double *variance, double *square)
{
  for (int a = 0; a < in->words; a++)
    for (int b = 0; b < in->words; b++) {
      double sum = a != b && variance != NULL ? variance[a] + variance[b] : 0.0;
      for (int r = 0; r < rank; r++)
        sum += (z[a * rank + r] - z[b * rank + r]) * (z[a * rank + r] - z[b * rank + r]);
      square[a * in->words + b] = sum;
    }
}

/* -- Learning -- */

/* The problem of learning places. A point consists of the hyper-parameters of all GPs, then all coordinates. */
typedef struct lesson {
  const fcps_look *look;
  const word_inputs *in;
  int gps, hypers, numbers; /* `hypers` counts the hyper-parameters of all GPs, `numbers` all numbers of a point */
  fcps_likelihood **likelihoods;
  double *square, *by_square; /* room for the largest input */
} lesson;

/* Returns the log prior of all places, without its constant; adds its derivatives to `gradient` unless that is NULL. */
static double log_prior_of_places(const word_inputs *all, const double *z, double *gradient)
{
  double sum = 0.0;
  for (int i = 0; i < all->count; i++) {
    const word_input *in = &all->of[i];
    for (int k = 0; k < in->words * all->rank; k++) {
      const double s = spread_of(in, k % all->rank), off = z[in->at + k] - centre_of(in, k / all->rank, k % all->rank);
      if (s == 0.0) continue;
      sum -= 0.5 * off * off / (s * s);
      if (gradient != NULL) gradient[in->at + k] -= off / (s * s);
    }
  }
  return sum;
}

/* Adds the gradient of one GP's likelihood with respect to the places. */
static void add_slopes(const lesson *l, fcps_likelihood *likelihood, const double *hyper, const double *z,
                       double *gradient)
{
  const int rank = l->in->rank;
  for (int i = 0; i < l->in->count; i++) {
    const word_input *in = &l->in->of[i];
    const size_t words = (size_t)in->words;
    memset(l->by_square, 0, words * words * sizeof(double));
    fcps_likelihood_table_gradient(likelihood, hyper, in->input, in->words, l->by_square);
    for (size_t a = 0; a < words; a++)
      for (size_t b = 0; b < words; b++) {
        const double by = l->by_square[a * words + b];
        for (int r = 0; r < rank && by != 0.0; r++) {
          const size_t at_a = (size_t)in->at + a * (size_t)rank + (size_t)r,
                       at_b = (size_t)in->at + b * (size_t)rank + (size_t)r;
          gradient[at_a] += 2.0 * by * (z[at_a] - z[at_b]);
          gradient[at_b] -= 2.0 * by * (z[at_a] - z[at_b]);
        }
      }
  }
}

static double value_of(void *user, int n, const double *x, double *gradient)
{
  const lesson *l = user;
  const double *z = x + l->hypers;
  const int each = l->hypers / l->gps;
  double sum = 0.0;
  (void)n;
  if (gradient != NULL) memset(gradient, 0, (size_t)l->numbers * sizeof(double));
  for (int g = 0; g < l->gps; g++) {
    for (int i = 0; i < l->in->count; i++) {
      const word_input *in = &l->in->of[i];
      fill_squares(in, l->in->rank, z + in->at, NULL, l->square);
      fcps_likelihood_set_table(l->likelihoods[g], in->input, in->words, l->square);
    }
    sum += fcps_likelihood_value(l->likelihoods[g], x + g * each, gradient != NULL ? gradient + g * each : NULL);
    if (gradient != NULL && isfinite(sum)) add_slopes(l, l->likelihoods[g], x + g * each, z, gradient + l->hypers);
  }
  return sum + log_prior_of_places(l->in, z, gradient != NULL ? gradient + l->hypers : NULL);
}

/* Creates the likelihood of one GP from at most MOST_ROWS rows, evenly spread over the order of rows. */
static fcps_status open_likelihood(const fcps_look *look, int index, const fcps_hyper_prior *prior,
                                   fcps_likelihood **likelihood)
{
  const fcps_gp *gp = look->gps->gp[index];
  const int all = look->rollouts->count, rows = all < MOST_ROWS ? all : MOST_ROWS;
  const int each = look->outputs / look->gps->count;
  fcps_gp *some = NULL;
  double *y = fcps_allocate((size_t)(rows * each + gp->dim), sizeof(double)), *row = y + rows * each;
  fcps_status status = y != NULL ? fcps_gp_create_like(&some, gp) : FCPS_ERR_MEMORY;
  for (int i = 0; i < rows && status == FCPS_OK; i++) {
    const int from = (int)((int64_t)i * all / rows);
    fcps_gp_row(gp, from, row);
    for (int o = 0; o < each; o++)
      y[o * rows + i] = look->y[(size_t)(index * each + o) * (size_t)all + (size_t)from];
    status = fcps_gp_add(some, row);
    if (status == FCPS_OK) some->noise[i] = gp->noise[from];
  }
  fcps_gp_norm norm = fcps_description_norm(look->description, look->layout);
  norm.aside_count = 0;
  const fcps_gp_data data = {rows, each, y, norm, prior};
  if (status == FCPS_OK) status = fcps_likelihood_create(likelihood, some, &data);
  fcps_gp_destroy(some);
  free(y);
  return status;
}

static void close_lesson(lesson *l)
{
  for (int g = 0; g < l->gps && l->likelihoods != NULL; g++)
    fcps_likelihood_destroy(l->likelihoods[g]);
  free(l->likelihoods);
  free(l->square);
}

static fcps_status open_lesson(lesson *l, const fcps_look *look, const word_inputs *in, const fcps_hyper_prior *prior)
{
  size_t most = 0;
  for (int i = 0; i < in->count; i++)
    most = (size_t)in->of[i].words > most ? (size_t)in->of[i].words : most;
  *l = (lesson){.look = look, .in = in, .gps = look->gps->count};
  l->hypers = l->gps * FCPS_HYPER_COUNT(look->gps->gp[0]->dim);
  l->numbers = l->hypers + in->coordinates;
  l->likelihoods = fcps_allocate((size_t)l->gps, sizeof *l->likelihoods);
  l->square = fcps_allocate(2 * most * most, sizeof(double));
  l->by_square = l->square + most * most;
  fcps_status status = l->likelihoods != NULL && l->square != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int g = 0; g < l->gps && status == FCPS_OK; g++)
    status = open_likelihood(look, g, prior, l->likelihoods + g);
  return status;
}

static void set_bounds(const lesson *l, const fcps_hyper_prior *prior, double *lower, double *upper)
{
  const int each = l->hypers / l->gps, rank = l->in->rank;
  for (int g = 0; g < l->gps; g++)
    fcps_gp_hyper_bounds(prior, each - 2, lower + g * each, upper + g * each);
  for (int i = 0; i < l->in->count; i++) {
    const word_input *in = &l->in->of[i];
    for (int k = 0; k < in->words * rank; k++) {
      const double centre = centre_of(in, k / rank, k % rank), reach = reach_of(in, k % rank);
      lower[l->hypers + in->at + k] = centre - reach;
      upper[l->hypers + in->at + k] = centre + reach;
    }
  }
}

/* Draws all places from the prior. */
static void draw_places(const lesson *l, fcps_rng *rng, double *z)
{
  const int rank = l->in->rank;
  for (int i = 0; i < l->in->count; i++) {
    const word_input *in = &l->in->of[i];
    for (int k = 0; k < in->words * rank; k++)
      z[in->at + k] = centre_of(in, k / rank, k % rank) + spread_of(in, k % rank) * fcps_rng_normal(rng);
  }
}

/* Predicts the outputs of some rows for each word in turn: predicted[word] has `width` numbers, in units of the output
 * scale. */
static fcps_status predict_words(const fcps_look *look, const word_input *in, int rows, double *predicted)
{
  const fcps_gp_norm norm = fcps_description_norm(look->description, look->layout);
  const int all = look->rollouts->count, outputs = look->outputs, dim = look->gps->gp[0]->dim;
  fcps_gp_outputs conditioned = {0};
  fcps_gp_work work = {0};
  double *input = fcps_allocate((size_t)dim, sizeof(double));
  fcps_status status =
      input != NULL ? fcps_gps_condition(look->gps, norm, all, outputs, look->y, &conditioned) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_gps_reserve(&work, look->gps, 1);
  for (int w = 0; w < in->words && status == FCPS_OK; w++)
    for (int i = 0; i < rows; i++, predicted += outputs) {
      const fcps_gp_query query = {.count = 1, .points = input, .mean = predicted};
      fcps_gp_row(look->gps->gp[0], (int)((int64_t)i * all / rows), input);
      input[in->input] = (w + 0.5) / in->words;
      fcps_gps_predict(look->gps, &conditioned, &query, &work);
      for (int o = 0; o < outputs; o++)
        predicted[o] = (predicted[o] - conditioned.offset[o]) / conditioned.scale[o];
    }
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&conditioned);
  free(input);
  return status;
}

/* Writes to z the principal coordinates of the words' predictions: the eigenvectors of the Gram matrix of their
 * differences from the mean over all words. `gram` has room for this matrix, its eigenvalues and work space. */
static fcps_status find_directions(const word_input *in, int rank, int width, double *predicted, double *gram,
                                   double *z)
{
  const int words = in->words;
  double *values = gram + words * words, size = 0.0;
  for (int p = 0; p < width; p++) {
    double mean = 0.0;
    for (int w = 0; w < words; w++)
      mean += predicted[w * width + p] / words;
    for (int w = 0; w < words; w++)
      predicted[w * width + p] -= mean;
  }
  fcps_multiply_tn(words, words, width, 1.0, predicted, width, predicted, width, 0.0, gram, words);
  const fcps_status status = fcps_eigen_symmetric(words, gram, words, values, values + words);
  for (int k = 0; k < words * rank && status == FCPS_OK; k++) {
    const int from = words - 1 - k % rank; /* the largest eigenvalue is the last one */
    z[k] = gram[from * words + k / rank] * sqrt(fmax(values[from], 0.0));
    size += z[k] * z[k] / (words * rank);
  }
  for (int k = 0; k < words * rank && status == FCPS_OK; k++)
    z[k] *= size > 0.0 ? in->spread / sqrt(size) : 0.0;
  return status;
}

/* Sets the places of unordered words by the model's current predictions; places of ordered words stay as they are. */
static fcps_status see_places(const lesson *l, double *z)
{
  const int all = l->look->rollouts->count, rows = all < LOOKED_AT ? all : LOOKED_AT, width = rows * l->look->outputs;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < l->in->count && status == FCPS_OK; i++) {
    const word_input *in = &l->in->of[i];
    const size_t words = (size_t)in->words, room = words * (words + 1) + (size_t)fcps_eigen_work(in->words);
    double *predicted = fcps_allocate(words * (size_t)width + room, sizeof(double));
    if (predicted == NULL) return FCPS_ERR_MEMORY;
    if (!in->is_ordered) status = predict_words(l->look, in, rows, predicted);
    if (!in->is_ordered && status == FCPS_OK)
      status = find_directions(in, l->in->rank, width, predicted, predicted + words * (size_t)width, z + in->at);
    free(predicted);
  }
  return status;
}

/* Copies the model's hyper-parameters, but sets the length-scales of word inputs to their prior centre, because the
 * distances between words change. */
static void begin_hyper(const lesson *l, const fcps_hyper_prior *prior, double *x)
{
  const int each = l->hypers / l->gps;
  for (int g = 0; g < l->gps; g++) {
    memcpy(x + g * each, l->look->gps->gp[g]->hyper, (size_t)each * sizeof *x);
    for (int i = 0; i < l->in->count; i++)
      x[g * each + l->in->of[i].input] = log(prior->length * prior->stretch[l->in->of[i].input]);
  }
}

/* Draws places from the prior and writes the likeliest draw to z, as a start. */
static void choose_draw(const lesson *l, const double *lower, const double *upper, double *point, double *z)
{
  const size_t c = (size_t)l->in->coordinates, h = (size_t)l->hypers;
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_FIT, (uint64_t)l->in->rank);
  double most = -INFINITY;
  for (int d = 0; d < DRAWS; d++) {
    draw_places(l, &rng, point + h);
    for (size_t i = 0; i < c; i++)
      point[h + i] = fmin(fmax(point[h + i], lower[h + i]), upper[h + i]);
    const double value = value_of((void *)l, l->numbers, point, NULL);
    if (!(value > most)) continue;
    most = value;
    memcpy(z, point + h, c * sizeof *z);
  }
}

/* Writes to x the best end of the ascents from all starts: the places believed last, those of the current predictions,
 * and the best draw. `room` has space for three points and the coordinates of the starts. */
static fcps_status learn(const lesson *l, const fcps_hyper_prior *prior, const places *last, double *room, double *x)
{
  enum { STARTS = 3 };
  const size_t n = (size_t)l->numbers, c = (size_t)l->in->coordinates, h = (size_t)l->hypers;
  double *lower = room, *upper = lower + n, *point = upper + n, *starts = point + n;
  const fcps_objective objective = {.n = l->numbers, .value = value_of, .user = (void *)l};
  double most = -INFINITY;
  int count = 0;
  set_bounds(l, prior, lower, upper);
  begin_hyper(l, prior, point);
  memcpy(x, point, n * sizeof *x);
  if (last != NULL && last->rank == l->in->rank)
    memcpy(starts + (size_t)count++ * c, last->numbers, c * sizeof *starts);
  choose_draw(l, lower, upper, point, starts + (size_t)count * c);
  memcpy(starts + (size_t)(count + 1) * c, starts + (size_t)count * c, c * sizeof *starts);
  const fcps_status status = see_places(l, starts + (size_t)count * c);
  count += 2;
  for (int s = 0; s < count && s < STARTS && status == FCPS_OK; s++) {
    fcps_optimum optimum;
    begin_hyper(l, prior, point);
    for (size_t i = 0; i < c; i++)
      point[h + i] = fmin(fmax(starts[(size_t)s * c + i], lower[h + i]), upper[h + i]);
    if (fcps_lbfgsb_maximize_box(&objective, lower, upper, BUDGET, 1e-4, point, &optimum) != FCPS_OK) continue;
    if (!(optimum.value > most)) continue;
    most = optimum.value;
    memcpy(x, point, n * sizeof *x);
  }
  return status;
}

/* Computes the negative second derivatives with respect to the coordinates by differences of gradients. Each coordinate
 * is in units of its prior deviation. The curvature of a coordinate that cannot move is 1. */
static void find_curvature(const lesson *l, double *x, double *gradients, double *curvature)
{
  const size_t n = (size_t)l->numbers, h = (size_t)l->hypers, c = (size_t)l->in->coordinates;
  const int rank = l->in->rank;
  double *here = gradients, *ahead = gradients + n, spread[MOST_COORDINATES];
  for (int i = 0; i < l->in->count; i++)
    for (int k = 0; k < l->in->of[i].words * rank; k++)
      spread[l->in->of[i].at + k] = spread_of(&l->in->of[i], k % rank);
  value_of((void *)l, l->numbers, x, here);
  for (size_t i = 0; i < c; i++) {
    static const double share = 1e-3;
    const double kept = x[h + i];
    x[h + i] = kept + share * spread[i];
    if (spread[i] > 0.0) value_of((void *)l, l->numbers, x, ahead);
    x[h + i] = kept;
    for (size_t j = 0; j < c; j++)
      curvature[i * c + j] = spread[i] > 0.0 ? (here[h + j] - ahead[h + j]) * spread[j] / share : i == j;
  }
  for (size_t i = 0; i < c; i++)
    for (size_t j = 0; j < i; j++)
      curvature[i * c + j] = curvature[j * c + i] = 0.5 * (curvature[i * c + j] + curvature[j * c + i]);
}

/* Adds the posterior variance of each word's place, with all other coordinates fixed. */
static void find_variances(const lesson *l, const double *curvature, places *state)
{
  const int rank = l->in->rank, c = l->in->coordinates;
  for (int i = 0, word = 0; i < l->in->count; word += l->in->of[i++].words) {
    const word_input *in = &l->in->of[i];
    for (int k = 0; k < in->words * rank && !in->is_ordered; k++)
      state->numbers[c + word + k / rank] +=
          in->spread * in->spread / fmax(1.0, curvature[(in->at + k) * c + in->at + k]);
  }
}

static int count_words(const word_inputs *in)
{
  int words = 0;
  for (int i = 0; i < in->count; i++)
    words += in->of[i].words;
  return words;
}

static size_t size_of(int count)
{
  return sizeof(places) + (size_t)count * sizeof(double);
}

/* Makes one proposal: places of the given rank. */
static fcps_status propose_rank(const fcps_look *look, const word_inputs *in, fcps_structure *proposal)
{
  const fcps_hyper_prior prior = fcps_description_prior(look->description);
  const fcps_structure *believed = look->description->structures + look->index;
  const int count = in->coordinates + count_words(in);
  lesson l;
  fcps_status status = open_lesson(&l, look, in, &prior);
  const size_t n = (size_t)l.numbers, c = (size_t)in->coordinates;
  double *room = fcps_allocate(4 * n + 3 * c + c * c, sizeof(double)), *x = room + 3 * n + 3 * c;
  double *curvature = x + n;
  places *state = fcps_allocate(1, size_of(count));
  if (room == NULL || state == NULL) status = FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    status = learn(&l, &prior, believed->size > 0 ? believed->state : NULL, room, x);
  }
  if (status == FCPS_OK) {
    state->rank = in->rank;
    memcpy(state->numbers, x + l.hypers, c * sizeof(double));
    find_curvature(&l, x, room, curvature);
    find_variances(&l, curvature, state);
    /* curvatures are in units of the prior, which is at least as wide as the posterior */
    status = fcps_evidence_width(in->coordinates, curvature, 1.0, &state->width);
    if (status == FCPS_OK) status = fcps_structure_set(proposal, size_of(count), state);
  }
  close_lesson(&l);
  free(room);
  free(state);
  return status;
}

static bool concerns(const fcps_layout *layout)
{
  word_inputs in;
  return find_inputs(layout, 1, &in) == FCPS_OK && in.count > 0;
}

static fcps_status propose(const fcps_look *look, fcps_structure *proposals, int *count)
{
  word_inputs in;
  fcps_status status = FCPS_OK;
  *count = 0;
  if (look->known == 0 || look->y == NULL) return FCPS_OK;
  for (int rank = 1; rank <= MOST_RANK && status == FCPS_OK; rank++) {
    status = find_inputs(look->layout, rank, &in);
    if (status != FCPS_OK || in.count == 0) break;
    status = propose_rank(look, &in, proposals + (*count)++);
  }
  return status;
}

/* -- What follows -- */

/* Returns log p(z) plus the log volume of the posterior relative to the prior, which is -width. */
static double log_prior(const fcps_layout *layout, const void *state)
{
  const places *p = state;
  word_inputs in;
  if (find_inputs(layout, (int)p->rank, &in) != FCPS_OK) return -INFINITY;
  return log_prior_of_places(&in, p->numbers, NULL) - p->width;
}

static fcps_status edit(const void *state, const fcps_layout *layout, fcps_description *description)
{
  const places *p = state;
  word_inputs in;
  const fcps_status status = find_inputs(layout, (int)p->rank, &in);
  if (status != FCPS_OK) return status;
  for (int i = 0, word = 0; i < in.count; word += in.of[i++].words)
    fill_squares(&in.of[i], in.rank, p->numbers + in.of[i].at, p->numbers + in.coordinates + word,
                 description->tables.of[in.of[i].input].square);
  return FCPS_OK;
}

static bool is_state(const fcps_look *look, int count, const double *numbers)
{
  const places *p = (const places *)numbers;
  word_inputs in;
  if (count < 2 || !(p->rank == 1 || p->rank == MOST_RANK) || !(p->width >= 0.0 && p->width < 1e6) ||
      find_inputs(look->layout, (int)p->rank, &in) != FCPS_OK)
    return false;
  const int all = in.coordinates + count_words(&in);
  bool is_ok = in.count > 0 && count == 2 + all;
  for (int i = 0; i < all && is_ok; i++)
    is_ok = fabs(p->numbers[i]) <= 1e3 && (i < in.coordinates || p->numbers[i] >= 0.0);
  return is_ok;
}

const fcps_structure_kind fcps_structure_words = {.name = "words",
                                                  .needs_whole = true,
                                                  .least_rows = 8,
                                                  .concerns = concerns,
                                                  .propose = propose,
                                                  .log_prior = log_prior,
                                                  .edit = edit,
                                                  .is_state = is_state,
                                                  .words = "some words are more alike than others"};
