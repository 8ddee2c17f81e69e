/* SPDX-License-Identifier: Apache-2.0 */
/* Turns rollouts into rows of GPs by embedding the spaces of the problem, and lets several GPs be used like one. */
#include "model/gps.h"

#include "base/memory.h"
#include "problem/judge/judge.h"
#include "reward/expected_reward.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Layout -- */

void fcps_layout_destroy(fcps_layout *layout)
{
  fcps_embedding_destroy(&layout->context);
  fcps_embedding_destroy(&layout->parameters);
  free(layout->weights);
  free(layout->lower);
  *layout = (fcps_layout){0};
}

/* Sets the weights of the outcomes if the reward defines any; else they stay NULL. */
static fcps_status weigh_outcomes(fcps_layout *layout)
{
  double *weights = fcps_allocate((size_t)layout->problem->outcome.count, sizeof(double));
  if (weights == NULL) return FCPS_ERR_MEMORY;
  if (fcps_metric_find_weights(layout->problem, weights))
    layout->weights = weights;
  else
    free(weights);
  return FCPS_OK;
}

static fcps_status find_ends(fcps_layout *layout)
{
  const fcps_space *space = &layout->problem->outcome;
  layout->lower = fcps_allocate(2 * (size_t)space->count, sizeof(double));
  if (layout->lower == NULL) return FCPS_ERR_MEMORY;
  layout->upper = layout->lower + space->count;
  for (int j = 0; j < space->count; j++) {
    fcps_problem_find_span(layout->problem, j, layout->lower + j, layout->upper + j);
    if (!(space->dims[j].lower < space->dims[j].upper)) continue;
    layout->lower[j] = fmax(layout->lower[j], space->dims[j].lower);
    layout->upper[j] = fmin(layout->upper[j], space->dims[j].upper);
  }
  return FCPS_OK;
}

fcps_status fcps_layout_create(fcps_layout *layout, bool is_circular, bool has_metric)
{
  const fcps_problem *problem = layout->problem;
  const fcps_space *context[] = {&problem->environment, &problem->target};
  const fcps_space *parameters[] = {&problem->parameters};
  fcps_status status = fcps_embedding_create(&layout->context, layout->has_target ? 2 : 1, context, is_circular);
  if (status == FCPS_OK) status = fcps_embedding_create(&layout->parameters, 1, parameters, is_circular);
  layout->features = layout->context.width + layout->parameters.width;
  if (status == FCPS_OK && has_metric) status = weigh_outcomes(layout);
  if (status == FCPS_OK) status = find_ends(layout);
  if (status != FCPS_OK) fcps_layout_destroy(layout);
  return status;
}

int fcps_layout_environment_features(const fcps_layout *layout)
{
  int width = 0;
  for (int i = 0; i < layout->problem->environment.count; i++)
    width += fcps_embedding_width(&layout->context, i);
  return width;
}

void fcps_layout_context(const fcps_layout *layout, const double *target, const double *environment, double *features)
{
  double unit[2 * FCPS_SPACE_MAX];
  const fcps_problem *problem = layout->problem;
  fcps_space_to_unit(&problem->environment, environment, unit);
  if (layout->has_target) fcps_space_to_unit(&problem->target, target, unit + problem->environment.count);
  fcps_embed(&layout->context, unit, features);
}

void fcps_layout_row(const fcps_layout *layout, const double *target, const double *environment,
                     const double *parameters, double *features)
{
  double unit[FCPS_SPACE_MAX];
  fcps_layout_context(layout, target, environment, features);
  fcps_space_to_unit(&layout->problem->parameters, parameters, unit);
  fcps_embed(&layout->parameters, unit, features + layout->context.width);
}

int fcps_layout_place_features(const fcps_layout *layout)
{
  return fcps_layout_environment_features(layout) + layout->parameters.width;
}

void fcps_layout_place(const fcps_layout *layout, const double *environment, const double *parameters, double *features)
{
  const fcps_problem *problem = layout->problem;
  const fcps_embedding first = {.count = problem->environment.count,
                                .width = fcps_layout_environment_features(layout),
                                .turns = layout->context.turns,
                                .choices = layout->context.choices,
                                .known = layout->context.known};
  double unit[FCPS_SPACE_MAX];
  fcps_space_to_unit(&problem->environment, environment, unit);
  fcps_embed(&first, unit, features);
  fcps_space_to_unit(&problem->parameters, parameters, unit);
  fcps_embed(&layout->parameters, unit, features + first.width);
}

void fcps_layout_rollout(const fcps_layout *layout, const fcps_rollouts *rollouts, int index, double *features)
{
  fcps_layout_row(layout, fcps_rollouts_target(rollouts, index), fcps_rollouts_environment(rollouts, index),
                  fcps_rollouts_parameters(rollouts, index), features);
}

void fcps_layout_outcome(const fcps_layout *layout, const fcps_rollouts *rollouts, int index, double *outcome)
{
  const double *told = fcps_rollouts_outcome(rollouts, index);
  for (int j = 0; j < layout->problem->outcome.count; j++)
    outcome[j] = fmin(fmax(told[j], layout->lower[j]), layout->upper[j]);
}

bool fcps_layout_is_end(const fcps_layout *layout, int output, double value)
{
  return value == layout->lower[output] || value == layout->upper[output];
}

/* -- Words -- */

/* Factor on the distances between words that are declared alike. */
static const double alike = 0.2;

static void fill_table(const fcps_choices *choices, fcps_table *table)
{
  const double size = choices->is_alike ? alike * alike : 1.0;
  for (int a = 0; a < table->count; a++)
    for (int b = 0; b < table->count; b++) {
      const double steps = choices->is_ordered ? (double)(a - b) / (table->count - 1) : a != b;
      table->square[a * table->count + b] = table->count > 1 ? size * steps * steps : 0.0;
    }
}

/* Adds the tables of the first `coordinates` dimensions of an embedding; their features begin at `*first`. */
static fcps_status add_tables(const fcps_embedding *embedding, int coordinates, int *first, fcps_tables *tables)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < coordinates && status == FCPS_OK; i++) {
    const fcps_choices *choices = embedding->choices[i];
    if (choices != NULL) status = fcps_tables_add(tables, *first, choices->count);
    if (choices != NULL && status == FCPS_OK) fill_table(choices, tables->of + *first);
    *first += fcps_embedding_width(embedding, i);
  }
  return status;
}

static bool has_words(const fcps_embedding *embedding)
{
  for (int i = 0; i < embedding->count; i++)
    if (embedding->choices[i] != NULL) return true;
  return false;
}

fcps_status fcps_layout_tables(const fcps_layout *layout, bool of_places, fcps_tables *tables)
{
  int first = 0;
  if (!has_words(&layout->context) && !has_words(&layout->parameters)) return FCPS_OK;
  const int environment = layout->problem->environment.count;
  *tables = (fcps_tables){.inputs = of_places ? fcps_layout_place_features(layout) : layout->features};
  tables->of = fcps_allocate((size_t)tables->inputs, sizeof *tables->of);
  fcps_status status = tables->of != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK)
    status = add_tables(&layout->context, of_places ? environment : layout->context.count, &first, tables);
  if (status == FCPS_OK) status = add_tables(&layout->parameters, layout->parameters.count, &first, tables);
  if (tables->of == NULL) tables->inputs = 0;
  return status;
}

const char *fcps_layout_feature_name(const fcps_layout *layout, int feature)
{
  const fcps_problem *problem = layout->problem;
  const fcps_space *context[] = {&problem->environment, &problem->target};
  for (int i = 0, first = 0; i < layout->context.count; i++) {
    const int environments = problem->environment.count, width = fcps_embedding_width(&layout->context, i);
    if (feature < first + width) return context[i >= environments]->dims[i >= environments ? i - environments : i].name;
    first += width;
  }
  for (int i = 0, first = layout->context.width; i < layout->parameters.count; i++) {
    const int width = fcps_embedding_width(&layout->parameters, i);
    if (feature < first + width) return problem->parameters.dims[i].name;
    first += width;
  }
  return "";
}

/* -- GPs --
 *
 * Each row goes to all GPs, each output to one of them. If one GP serves all outputs, it gets every call. Noise is
 * summed in the order of the sources, so that the same parts give the same bits.
 *
 * The extra noise of a row is a sum over sources. A source is a structure (told deviations, inexact inputs, noise of
 * places, doubts) that knows nothing of the others. The variances are saved, because the state from which they were
 * computed may no longer exist. */

fcps_status fcps_gps_create(fcps_gps *gps, int count, int dim, const fcps_kernel *kernel, const fcps_tables *tables,
                            const double *hyper)
{
  *gps = (fcps_gps){.gp = fcps_allocate((size_t)count, sizeof(fcps_gp *))};
  fcps_status status = gps->gp != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    status = fcps_gp_create(gps->gp + i, dim, kernel);
    if (status != FCPS_OK) break;
    gps->count++;
    status = fcps_gp_set_tables(gps->gp[i], tables);
    if (status == FCPS_OK) fcps_gp_set_hyper(gps->gp[i], hyper);
  }
  if (status != FCPS_OK) fcps_gps_destroy(gps);
  return status;
}

static int part_count(const fcps_gps *gps)
{
  return gps->parts != NULL ? FCPS_NOISE_SOURCES * gps->count : 0;
}

void fcps_gps_destroy(fcps_gps *gps)
{
  for (int i = 0; i < part_count(gps); i++)
    free(gps->parts[i].variance);
  for (int i = 0; i < gps->count; i++)
    fcps_gp_destroy(gps->gp[i]);
  free(gps->parts);
  free(gps->gp);
  *gps = (fcps_gps){0};
}

static fcps_status make_parts(fcps_gps *gps)
{
  if (gps->parts == NULL)
    gps->parts = fcps_allocate((size_t)FCPS_NOISE_SOURCES * (size_t)gps->count, sizeof *gps->parts);
  return gps->parts != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* Replaces a part; on failure the part is unchanged. */
static fcps_status put_part(fcps_noise_part *part, int rows, const double *variance, double usual)
{
  double *kept = fcps_allocate((size_t)rows, sizeof(double));
  if (kept == NULL) return FCPS_ERR_MEMORY;
  if (rows > 0) memcpy(kept, variance, (size_t)rows * sizeof(double));
  free(part->variance);
  *part = (fcps_noise_part){.rows = rows, .variance = kept, .usual = usual};
  return FCPS_OK;
}

fcps_status fcps_gps_copy(const fcps_gps *gps, fcps_gps *copy)
{
  *copy = (fcps_gps){.gp = fcps_allocate((size_t)gps->count, sizeof(fcps_gp *))};
  fcps_status status = copy->gp != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < gps->count && status == FCPS_OK; i++) {
    status = fcps_gp_copy(gps->gp[i], copy->gp + i);
    copy->count += status == FCPS_OK;
  }
  if (status == FCPS_OK && gps->parts != NULL) status = make_parts(copy);
  for (int i = 0; i < part_count(gps) && status == FCPS_OK; i++)
    status = put_part(copy->parts + i, gps->parts[i].rows, gps->parts[i].variance, gps->parts[i].usual);
  if (status != FCPS_OK) fcps_gps_destroy(copy);
  return status;
}

/* -- Rows -- */

fcps_status fcps_gps_add(fcps_gps *gps, const double *input)
{
  const int before = gps->gp[0]->count;
  for (int i = 0; i < gps->count; i++) {
    const fcps_status status = fcps_gp_add(gps->gp[i], input);
    if (status == FCPS_OK) continue;
    fcps_gps_truncate(gps, before);
    return status;
  }
  return FCPS_OK;
}

void fcps_gps_truncate(fcps_gps *gps, int count)
{
  for (int i = 0; i < gps->count; i++)
    fcps_gp_truncate(gps->gp[i], count);
}

fcps_status fcps_gps_grow(fcps_gps *gps)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < gps->count && status == FCPS_OK; i++)
    status = fcps_gp_grow(gps->gp[i]);
  return status;
}

fcps_status fcps_gps_factorize(fcps_gps *gps, int rows)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < gps->count && status == FCPS_OK; i++)
    status = fcps_gp_factorize(gps->gp[i], rows);
  return status;
}

/* -- Outputs -- */

/* Returns the data that GP `index` is fitted to. */
static fcps_gp_data data_of(const fcps_gps *gps, const fcps_gp_data *data, int index)
{
  fcps_gp_data own = *data;
  own.outputs = gps->count > 1 ? 1 : data->outputs;
  own.y = data->y + (size_t)index * (size_t)data->rows;
  return own;
}

fcps_status fcps_gps_fit(fcps_gps *gps, const fcps_gp_data *data, fcps_fit_settings settings, fcps_rng rng,
                         fcps_fit_result *result)
{
  *result = FCPS_FIT_OK;
  for (int i = 0; i < gps->count; i++) {
    fcps_fit_result ending;
    const fcps_gp_data own = data_of(gps, data, i);
    const fcps_status status = fcps_gp_fit(gps->gp[i], &own, settings, rng, &ending);
    if (status != FCPS_OK) return status;
    if (ending > *result) *result = ending;
  }
  return FCPS_OK;
}

fcps_gp_outputs fcps_gps_outputs(const fcps_gps *gps, const fcps_gp_outputs *outputs, int index)
{
  if (gps->count == 1) return *outputs;
  return (fcps_gp_outputs){.outputs = 1,
                           .count = outputs->count,
                           .alpha = outputs->alpha + (size_t)index * (size_t)outputs->count,
                           .offset = outputs->offset + index,
                           .scale = outputs->scale + index};
}

/* Conditions each GP on its own output, and collects all outputs in one result. */
static fcps_status condition_each(const fcps_gps *gps, fcps_gp_norm norm, int rows, const double *y,
                                  fcps_gp_outputs *result)
{
  const size_t q = (size_t)gps->count, n = (size_t)rows;
  fcps_gp_outputs_destroy(result);
  result->alpha = fcps_allocate(n * q, sizeof(double));
  result->offset = fcps_allocate(q, sizeof(double));
  result->scale = fcps_allocate(q, sizeof(double));
  result->count = rows;
  result->outputs = (int)q;
  fcps_status status =
      result->alpha != NULL && result->offset != NULL && result->scale != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (size_t o = 0; o < q && status == FCPS_OK; o++) {
    fcps_gp_outputs one = {0};
    status = fcps_gp_condition(gps->gp[o], norm, rows, 1, y + o * n, &one);
    if (status == FCPS_OK) {
      if (n > 0) memcpy(result->alpha + o * n, one.alpha, n * sizeof(double));
      result->offset[o] = one.offset[0];
      result->scale[o] = one.scale[0];
    }
    fcps_gp_outputs_destroy(&one);
  }
  if (status != FCPS_OK) fcps_gp_outputs_destroy(result);
  return status;
}

fcps_status fcps_gps_condition(const fcps_gps *gps, fcps_gp_norm norm, int rows, int outputs, const double *y,
                               fcps_gp_outputs *result)
{
  return gps->count > 1 ? condition_each(gps, norm, rows, y, result)
                        : fcps_gp_condition(gps->gp[0], norm, rows, outputs, y, result);
}

/* -- Predictions -- */

fcps_status fcps_gps_reserve(fcps_gp_work *work, const fcps_gps *gps, int points)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < gps->count && status == FCPS_OK; i++)
    status = fcps_gp_work_reserve(work, gps->gp[i], points);
  return status;
}

/* Copies one number per point, from GP `index`, into rows that have one number per GP. */
static void spread(int count, int gps, int index, const double *from, double *to)
{
  for (int i = 0; i < count; i++)
    to[(size_t)i * (size_t)gps + (size_t)index] = from[i];
}

static void moments_of_each(const fcps_gps *gps, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                            fcps_gp_work *work)
{
  enum { BLOCK = 64 };
  double means[BLOCK], variances[BLOCK];
  for (int start = 0; start < query->count; start += BLOCK) {
    const size_t row = (size_t)start * (size_t)gps->count;
    fcps_gp_query block = *query;
    block.count = query->count - start < BLOCK ? query->count - start : BLOCK;
    block.points = query->points + (size_t)start * (size_t)gps->gp[0]->dim;
    block.mean = query->mean != NULL ? means : NULL;
    block.variance = query->variance != NULL ? variances : NULL;
    for (int i = 0; i < gps->count; i++) {
      const fcps_gp_outputs one = fcps_gps_outputs(gps, outputs, i);
      fcps_gp_predict(gps->gp[i], &one, &block, work);
      if (query->mean != NULL) spread(block.count, gps->count, i, means, query->mean + row);
      if (query->variance != NULL) spread(block.count, gps->count, i, variances, query->variance + row);
    }
  }
}

/* Predicts one point with one GP at a time, so that each gradient is written directly to its place in the result. */
static void gradients_of_each(const fcps_gps *gps, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                              fcps_gp_work *work)
{
  const size_t dim = (size_t)gps->gp[0]->dim, count = (size_t)gps->count;
  for (size_t row = 0; row < (size_t)query->count * count; row++) {
    const fcps_gp_outputs one = fcps_gps_outputs(gps, outputs, (int)(row % count));
    fcps_gp_query at = *query;
    at.count = 1;
    at.points = query->points + row / count * dim;
    at.mean = query->mean + row;
    at.mean_gradient = query->mean_gradient + row * dim;
    if (query->variance != NULL) at.variance = query->variance + row;
    if (query->variance_gradient != NULL) at.variance_gradient = query->variance_gradient + row * dim;
    fcps_gp_predict(gps->gp[row % count], &one, &at, work);
  }
}

void fcps_gps_predict(const fcps_gps *gps, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                      fcps_gp_work *work)
{
  if (gps->count == 1)
    fcps_gp_predict(gps->gp[0], outputs, query, work);
  else if (query->mean_gradient != NULL)
    gradients_of_each(gps, outputs, query, work);
  else
    moments_of_each(gps, outputs, query, work);
}

/* -- Noise of rows -- */

static fcps_noise_part *part_of(const fcps_gps *gps, int source, int gp)
{
  return gps->parts + (size_t)source * (size_t)gps->count + (size_t)gp;
}

double fcps_gps_noise_at(const fcps_gps *gps, int source, int gp, int row)
{
  if (gps->parts == NULL) return 0.0;
  const fcps_noise_part *part = part_of(gps, source, gp);
  return row < part->rows ? part->variance[row] : part->usual;
}

double fcps_gps_noise_usual(const fcps_gps *gps, int source, int gp)
{
  return gps->parts != NULL ? part_of(gps, source, gp)->usual : 0.0;
}

int fcps_gps_noise_known(const fcps_gps *gps, int source, int gp)
{
  return gps->parts != NULL ? part_of(gps, source, gp)->rows : 0;
}

static double sum_of(const fcps_gps *gps, int gp, int row)
{
  double sum = 0.0;
  for (int source = 0; source < FCPS_NOISE_SOURCES; source++)
    sum += fcps_gps_noise_at(gps, source, gp, row);
  return sum;
}

static double usual_of(const fcps_gps *gps, int gp)
{
  double sum = 0.0;
  for (int source = 0; source < FCPS_NOISE_SOURCES; source++)
    sum += fcps_gps_noise_usual(gps, source, gp);
  return sum;
}

/* Gives the rows of GP `index` the noise of all sources. The factor stays unless a row in it has new noise. */
static void apply(fcps_gps *gps, int index)
{
  fcps_gp *to = gps->gp[index];
  int unchanged = 0;
  while (unchanged < to->count && to->noise[unchanged] == sum_of(gps, index, unchanged))
    unchanged++;
  for (int i = unchanged; i < to->count; i++)
    to->noise[i] = sum_of(gps, index, i);
  to->usual_noise = usual_of(gps, index);
  if (unchanged < to->factored) to->factored = 0;
}

fcps_status fcps_gps_set_noise(fcps_gps *gps, int source, int gp, int rows, const double *variance, double usual)
{
  fcps_status status = make_parts(gps);
  if (status == FCPS_OK) status = put_part(part_of(gps, source, gp), rows, variance, usual);
  if (status == FCPS_OK) apply(gps, gp);
  return status;
}

void fcps_gps_add_other_noise(const fcps_gps *gps, int source, int gp, int rows, double *variance)
{
  for (int other = 0; other < FCPS_NOISE_SOURCES; other++)
    for (int i = 0; i < rows && other != source; i++)
      variance[i] += fcps_gps_noise_at(gps, other, gp, i);
}

void fcps_gps_truncate_noise(fcps_gps *gps, int count)
{
  for (int i = 0; i < part_count(gps); i++)
    if (gps->parts[i].rows > count) gps->parts[i].rows = count;
}

/* -- State -- */

static bool has_noise_of(const fcps_gps *gps, int source)
{
  for (int gp = 0; gp < gps->count && gps->parts != NULL; gp++)
    if (part_of(gps, source, gp)->rows > 0 || part_of(gps, source, gp)->usual > 0) return true;
  return false;
}

fcps_json *fcps_gps_write_noise(const fcps_gps *gps, int source)
{
  if (!has_noise_of(gps, source)) return NULL;
  fcps_json *json = fcps_json_array();
  for (int gp = 0; gp < gps->count; gp++) {
    const fcps_noise_part *part = part_of(gps, source, gp);
    fcps_json *one = fcps_json_array();
    fcps_json_add(&one, fcps_json_from_number(part->usual));
    fcps_json_add(&one, fcps_json_from_numbers(part->rows, part->variance));
    fcps_json_add(&json, one);
  }
  return json;
}

static bool is_noise(int count, const double *values)
{
  for (int i = 0; i < count; i++)
    if (!(values[i] >= 0.0 && values[i] < INFINITY)) return false;
  return true;
}

fcps_status fcps_gps_read_noise(fcps_gps *gps, int source, int rows, const fcps_json *json)
{
  double usual, *noise = fcps_allocate((size_t)rows, sizeof(double));
  fcps_status status = noise != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK && !(fcps_json_is_array(json) && fcps_json_count(json) == gps->count)) status = FCPS_ERR_FORMAT;
  for (int gp = 0; gp < gps->count && status == FCPS_OK; gp++) {
    const fcps_json *one = fcps_json_at(json, gp), *known = fcps_json_at(one, 1);
    const int count = fcps_json_count(known);
    const bool is_ok = fcps_json_is_array(one) && fcps_json_count(one) == 2 && count <= rows &&
                       fcps_json_number(fcps_json_at(one, 0), &usual) && is_noise(1, &usual) &&
                       fcps_json_numbers(known, count, noise) && is_noise(count, noise);
    status = is_ok ? fcps_gps_set_noise(gps, source, gp, count, noise, usual) : FCPS_ERR_FORMAT;
  }
  free(noise);
  return status;
}
