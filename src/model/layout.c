/* SPDX-License-Identifier: Apache-2.0 */
/* Computes features of rollouts by embedding the spaces of the problem. */
#include "model/layout.h"

#include "base/memory.h"
#include "problem/judge/judge.h"
#include "reward/outcome_metric.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>

void fcps_layout_destroy(fcps_layout *layout)
{
  fcps_embedding_destroy(&layout->context);
  fcps_embedding_destroy(&layout->parameters);
  free(layout->weights);
  free(layout->lower);
  *layout = (fcps_layout){0};
}

/* Finds the weights of the outcomes if the reward defines any. */
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
