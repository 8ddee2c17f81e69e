/* SPDX-License-Identifier: Apache-2.0 */
/* Sobol indices of a model. The mean of a Gaussian process is c + sum_i a_i prod_d k_d(x_d, x_id). With
 *
 *   I_d(i) = int k_d(x, x_id) dx,   J_d(i, j) = int k_d(x, x_id) k_d(x, x_jd) dx,
 *
 * variances are sums over pairs of rows: in the variance of E(f | x_D) the factor of an input is J_d for d in D and
 * I_d(i) I_d(j) for all others, and prod I_d(i) I_d(j) is subtracted [oakley2004, Sec. 4]. For k = exp(-(x - y)^2/(2
 * l^2)) on [0, 1], with m = (x_i + x_j)/2,
 *
 *   I = l sqrt(pi/2) (erf((1 - x_i)/(sqrt(2) l)) + erf(x_i/(sqrt(2) l))),
 *   J = l sqrt(pi)/2 exp(-(x_i - x_j)^2/(4 l^2)) (erf((1 - m)/l) + erf(m/l)).
 *
 * An angle is two features of one input: its integrals are sums over equal steps, which are exact to all digits on a
 * full circle. */
#include "insight/sobol.h"

#include "base/error.h"
#include "base/memory.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846, least_share = 1e-12;
enum { STEPS = 128, SAMPLES = 1024, MOST_ROWS = 1000 };

/* -- By sampling -- */

/* Writes `points`. A is the first half of each Halton point, B the second half. d = -1 gives A, d = `inputs` gives B,
 * and any other d gives A with input d of B. */
static void mix(int inputs, int count, const double *halton, int d, double *points)
{
  for (int i = 0; i < count; i++) {
    const double *a = halton + (size_t)i * 2 * (size_t)inputs, *b = a + inputs;
    double *p = points + (size_t)i * (size_t)inputs;
    memcpy(p, d == inputs ? b : a, (size_t)inputs * sizeof *p);
    if (d >= 0 && d < inputs) p[d] = b[d];
  }
}

static void estimate(const fcps_sobol_function *f, int count, const double *a, const double *b, const double *ab, int d,
                     double *first, double *total)
{
  const int q = f->outputs;
  for (int o = 0; o < q; o++) {
    double sum = 0.0, squares = 0.0, with_a = 0.0, with_b = 0.0;
    int n = 0;
    for (int i = 0; i < count; i++) {
      const double fa = a[i * q + o], fb = b[i * q + o], fab = ab[i * q + o];
      if (!isfinite(fa) || !isfinite(fb) || !isfinite(fab)) continue;
      sum += fa + fb;
      squares += fa * fa + fb * fb;
      with_a += (fa - fab) * (fa - fab);
      with_b += (fb - fab) * (fb - fab);
      n++;
    }
    const double mean = sum / (2.0 * n), variance = squares / (2.0 * n) - mean * mean;
    const bool varies = n > 1 && variance > least_share * (mean * mean + variance);
    first[o * f->inputs + d] = varies ? fmax(0.0, 1.0 - with_b / (2.0 * n * variance)) : NAN;
    total[o * f->inputs + d] = varies ? with_a / (2.0 * n * variance) : NAN;
  }
}

fcps_status fcps_sobol_sample(const fcps_sobol_function *f, int count, double *first, double *total)
{
  const size_t n = (size_t)count, d = (size_t)f->inputs, q = (size_t)f->outputs;
  double *halton = fcps_allocate(n * (3 * d + 3 * q) + 1, sizeof *halton);
  if (halton == NULL) return FCPS_ERR_MEMORY;
  double *points = halton + 2 * n * d, *a = points + n * d, *b = a + n * q, *ab = b + n * q;
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 3);
  if (d > 0) fcps_points_halton(&rng, 2 * f->inputs, 0, count, halton);
  mix(f->inputs, count, halton, -1, points);
  fcps_status status = f->values(f->user, count, points, a);
  mix(f->inputs, count, halton, f->inputs, points);
  if (status == FCPS_OK) status = f->values(f->user, count, points, b);
  for (int i = 0; i < f->inputs && status == FCPS_OK; i++) {
    mix(f->inputs, count, halton, i, points);
    status = f->values(f->user, count, points, ab);
    if (status == FCPS_OK) estimate(f, count, a, b, ab, i, first, total);
  }
  free(halton);
  return status;
}

/* -- The inputs of a model -- */

static const fcps_space *space_of(const fcps_model *model, int *index)
{
  const fcps_problem *p = model->problem;
  const int targets = model->layout.has_target ? p->target.count : 0;
  if (*index < p->environment.count) return &p->environment;
  *index -= p->environment.count;
  if (*index < targets) return &p->target;
  *index -= targets;
  return &p->parameters;
}

int fcps_sobol_inputs(const fcps_model *model)
{
  return model->layout.context.count + model->layout.parameters.count;
}

const fcps_dimension *fcps_sobol_input(const fcps_model *model, int index)
{
  const fcps_space *space = space_of(model, &index);
  return space->dims + index;
}

fcps_status fcps_sobol_means(const fcps_model *model, const double *target, int count, const double *points,
                             double *means, fcps_error *error)
{
  const fcps_problem *p = model->problem;
  const size_t inputs = (size_t)fcps_sobol_inputs(model), q = (size_t)model->layout.outputs;
  const int targets = model->layout.has_target ? p->target.count : 0;
  fcps_gp_outputs outputs[2] = {{0}, {0}};
  fcps_gp_work work = {0};
  double own[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX], parameters[FCPS_SPACE_MAX];
  double *features = fcps_allocate((size_t)model->layout.features, sizeof *features);
  const int sides = fcps_model_side_count(model);
  fcps_status status = features != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int s = 0; s < sides && status == FCPS_OK; s++)
    status = fcps_model_condition(fcps_model_side(model, s), 1, target, outputs + s, error);
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    const double *u = points + (size_t)i * inputs;
    const fcps_model *child = NULL;
    fcps_space_from_unit(&p->environment, u, environment);
    if (targets > 0) fcps_space_from_unit(&p->target, u + p->environment.count, own);
    fcps_space_from_unit(&p->parameters, u + p->environment.count + targets, parameters);
    const double *at = targets > 0 ? own : target;
    status = fcps_split_model_child(model, at, environment, &child);
    const int side = sides > 1 && child == fcps_model_side(model, 1) ? 1 : 0;
    if (status == FCPS_OK) status = fcps_model_reserve(&work, child, 1);
    if (status != FCPS_OK) break;
    fcps_layout_row(&child->layout, at, environment, parameters, features);
    fcps_model_predict(child, outputs + side,
                       &(fcps_gp_query){.count = 1, .points = features, .mean = means + (size_t)i * q}, &work);
  }
  for (int s = 0; s < 2; s++)
    fcps_gp_outputs_destroy(outputs + s);
  fcps_gp_work_destroy(&work);
  free(features);
  return status;
}

/* -- In closed form -- */

/* An input of a model: its embedding, its index in the embedding, its first feature and its number of features. */
typedef struct input {
  const fcps_embedding *embedding;
  int coordinate, first, width;
} input;

static void list_inputs(const fcps_layout *layout, input *inputs)
{
  const fcps_embedding *const embeddings[] = {&layout->context, &layout->parameters};
  int feature = 0;
  for (int e = 0; e < 2; e++)
    for (int c = 0; c < embeddings[e]->count; c++, inputs++) {
      *inputs = (input){embeddings[e], c, feature, embeddings[e]->turns[c] > 0.0 ? 2 : 1};
      feature += inputs->width;
    }
}

static double row_of(const fcps_gp *gp, int feature, int row)
{
  return gp->inputs[(size_t)feature * (size_t)gp->capacity + (size_t)row];
}

/* Computes I and J of a plain input. */
static void integrate_line(const fcps_gp *gp, int feature, int rows, double *once, double *twice)
{
  const double l = exp(gp->hyper[feature]), root = sqrt(2.0) * l;
  for (int i = 0; i < rows; i++) {
    const double x = row_of(gp, feature, i);
    once[i] = l * sqrt(0.5 * pi) * (erf((1.0 - x) / root) + erf(x / root));
    for (int j = 0; j <= i; j++) {
      const double y = row_of(gp, feature, j), m = 0.5 * (x + y), half = 0.5 * (x - y) / l;
      twice[i * rows + j] = 0.5 * l * sqrt(pi) * exp(-half * half) * (erf((1.0 - m) / l) + erf(m / l));
    }
  }
}

/* Computes I and J of an angle; `values` has room for rows x STEPS numbers. */
static void integrate_circle(const fcps_gp *gp, const input *in, int rows, double *values, double *once, double *twice)
{
  const double turns = in->embedding->turns[in->coordinate];
  for (int s = 0; s < STEPS; s++) {
    const double angle = 2.0 * pi * turns * (s + 0.5) / STEPS, at[2] = {0.5 * cos(angle), 0.5 * sin(angle)};
    for (int i = 0; i < rows; i++) {
      double squares = 0.0;
      for (int f = 0; f < 2; f++) {
        const double z = (at[f] - row_of(gp, in->first + f, i)) / exp(gp->hyper[in->first + f]);
        squares += z * z;
      }
      values[i * STEPS + s] = exp(-0.5 * squares);
    }
  }
  for (int i = 0; i < rows; i++) {
    once[i] = 0.0;
    for (int s = 0; s < STEPS; s++)
      once[i] += values[i * STEPS + s] / STEPS;
    for (int j = 0; j <= i; j++) {
      double sum = 0.0;
      for (int s = 0; s < STEPS; s++)
        sum += values[i * STEPS + s] * values[j * STEPS + s];
      twice[i * rows + j] = sum / STEPS;
    }
  }
}

/* Computes three variances for one output with weights a: of the whole mean, of E(f | x_d), and of E(f | all but
 * x_d). */
static void sum_pairs(int inputs, int rows, const double *a, const double *once, const double *twice, double *whole,
                      double *alone, double *others)
{
  const size_t n = (size_t)rows, block = n * n;
  *whole = 0.0;
  for (int d = 0; d < inputs; d++)
    alone[d] = others[d] = 0.0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      const double weight = (i == j ? 1.0 : 2.0) * a[i] * a[j];
      double both = 1.0, apart = 1.0;
      for (size_t d = 0; d < (size_t)inputs; d++) {
        both *= twice[d * block + i * n + j];
        apart *= once[d * n + i] * once[d * n + j];
      }
      *whole += weight * (both - apart);
      for (size_t d = 0; d < (size_t)inputs; d++) {
        const double t = twice[d * block + i * n + j], o = once[d * n + i] * once[d * n + j];
        alone[d] += o > 0.0 ? weight * (apart / o * t - apart) : 0.0;
        others[d] += t > 0.0 ? weight * (both / t * o - apart) : 0.0;
      }
    }
}

static fcps_status solve_closed(const fcps_model *model, double *first, double *total, fcps_error *error)
{
  const int inputs = fcps_sobol_inputs(model), rows = model->training.count, gps = fcps_model_gp_count(model);
  const size_t n = (size_t)rows, d = (size_t)inputs;
  fcps_gp_outputs outputs = {0};
  input *list = fcps_allocate(d, sizeof *list);
  double *room = fcps_allocate(d * (n + n * n + 2) + n * STEPS, sizeof *room);
  fcps_status status = list != NULL && room != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_model_condition(model, 1, NULL, &outputs, error);
  double *once = room, *twice = once + d * n, *alone = twice + d * n * n, *others = alone + d, *values = others + d;
  if (status == FCPS_OK) list_inputs(&model->layout, list);
  for (int o = 0; o < model->layout.outputs && status == FCPS_OK; o++) {
    const fcps_gp *gp = fcps_model_gp(model, gps > 1 ? o : 0);
    double whole;
    for (size_t k = 0; k < d && (o == 0 || gps > 1); k++) {
      if (list[k].width == 1)
        integrate_line(gp, list[k].first, rows, once + k * n, twice + k * n * n);
      else
        integrate_circle(gp, list + k, rows, values, once + k * n, twice + k * n * n);
    }
    sum_pairs(inputs, rows, outputs.alpha + (size_t)o * n, once, twice, &whole, alone, others);
    for (size_t k = 0; k < d; k++) {
      first[(size_t)o * d + k] = whole > 0.0 ? fmin(1.0, fmax(0.0, alone[k] / whole)) : NAN;
      total[(size_t)o * d + k] = whole > 0.0 ? fmin(1.0, fmax(0.0, 1.0 - others[k] / whole)) : NAN;
    }
  }
  fcps_gp_outputs_destroy(&outputs);
  free(list);
  free(room);
  return status;
}

/* -- Sobol indices of a model -- */

typedef struct asked {
  const fcps_model *model;
  fcps_error *error;
} asked;

static fcps_status means_of(void *user, int count, const double *points, double *values)
{
  const asked *a = user;
  return fcps_sobol_means(a->model, NULL, count, points, values, a->error);
}

/* Whether an input chooses among words, so that there is no line to integrate along. */
static bool has_words(const fcps_model *model)
{
  bool has = false;
  for (int i = 0; i < fcps_sobol_inputs(model); i++)
    has = has || fcps_sobol_input(model, i)->choices != NULL;
  return has;
}

fcps_status fcps_sobol_model(const fcps_model *model, double *first, double *total, bool *is_closed, fcps_error *error)
{
  asked a = {model, error};
  const fcps_sobol_function f = {fcps_sobol_inputs(model), model->layout.outputs, means_of, &a};
  *is_closed = model->description.kernel == &fcps_kernel_se && !model->description.changes_inputs &&
               !model->description.changes_outputs && model->description.inputs == model->layout.features &&
               fcps_model_side_count(model) == 1 && model->description.tables.inputs == 0 &&
               model->training.count <= MOST_ROWS && !has_words(model);
  const fcps_status status =
      *is_closed ? solve_closed(model, first, total, error) : fcps_sobol_sample(&f, SAMPLES, first, total);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}
