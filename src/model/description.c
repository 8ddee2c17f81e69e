/* SPDX-License-Identifier: Apache-2.0 */
/* The table of structures, descriptions as values, and the functions that call a description's structures in turn. */
#include "model/description.h"

#include "base/memory.h"
#include "base/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- The table of structures -- */

#define DECLARED(name)               extern const fcps_structure_kind fcps_structure_##name;
#define LOOK_DECLARED(name, d, n, h) DECLARED(name)
FCPS_STRUCTURE_LIST(LOOK_DECLARED, DECLARED)

#define LISTED(name)               &fcps_structure_##name,
#define LOOK_LISTED(name, d, n, h) LISTED(name)
static const fcps_structure_kind *const kinds[] = {FCPS_STRUCTURE_LIST(LOOK_LISTED, LISTED)};
enum { KINDS = (int)(sizeof kinds / sizeof *kinds) };
_Static_assert((int)KINDS <= (int)FCPS_STRUCTURES, "there is room for all structures");

const fcps_structure_kind *fcps_structure_kind_at(int index)
{
  return index >= 0 && index < KINDS ? kinds[index] : NULL;
}

int fcps_structure_find(const char *name)
{
  for (int i = 0; name != NULL && i < KINDS; i++)
    if (strcmp(kinds[i]->name, name) == 0) return i;
  return -1;
}

fcps_json *fcps_structure_write(const fcps_structure_kind *kind, const fcps_layout *layout,
                                const fcps_structure *structure)
{
  if (kind->write != NULL) return kind->write(layout, structure->state);
  if (kind->is_state == NULL) return fcps_json_from_bool(true);
  return fcps_json_from_numbers((int)(structure->size / sizeof(double)), structure->state);
}

static fcps_status read_numbers(const fcps_structure_kind *kind, const fcps_look *look, const fcps_json *json,
                                fcps_structure *structure)
{
  const int count = fcps_json_count(json);
  double *numbers = fcps_allocate((size_t)count, sizeof *numbers);
  if (numbers == NULL) return FCPS_ERR_MEMORY;
  bool is_ok = count > 0 && fcps_json_numbers(json, count, numbers);
  for (int i = 0; i < count && is_ok; i++)
    is_ok = isfinite(numbers[i]);
  const fcps_status status = is_ok && kind->is_state(look, count, numbers)
                                 ? fcps_structure_set(structure, (size_t)count * sizeof *numbers, numbers)
                                 : FCPS_ERR_FORMAT;
  free(numbers);
  return status;
}

fcps_status fcps_structure_read(const fcps_structure_kind *kind, const fcps_look *look, const fcps_json *json,
                                fcps_structure *structure)
{
  bool is_on = false;
  if (kind->read != NULL) return kind->read(look, json, structure);
  if (kind->is_state != NULL) return read_numbers(kind, look, json, structure);
  return fcps_json_bool(json, &is_on) && is_on ? fcps_structure_mark(structure) : FCPS_ERR_FORMAT;
}

/* Whether a list of names, separated by spaces, contains a name. */
static bool has_name(const char *list, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = list; at != NULL && (at = strstr(at, name)) != NULL; at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' ')) return true;
  return false;
}

bool fcps_structure_excludes(const fcps_structure_kind *a, const fcps_structure_kind *b)
{
  return has_name(a->excludes, b->name) || has_name(b->excludes, a->name);
}

const char *fcps_structure_setting_name(int index)
{
  static const char *const names[] = {
      [FCPS_STRUCTURE_OFF] = "off", [FCPS_STRUCTURE_AUTO] = "auto", [FCPS_STRUCTURE_ON] = "on"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

const char *fcps_structure_look_name(int index)
{
  return index <= FCPS_STRUCTURE_AUTO ? fcps_structure_setting_name(index) : NULL;
}

const char *fcps_input_noise_name(int index)
{
  static const char *const names[] = {
      [FCPS_INPUT_NOISE_OFF] = "off", [FCPS_INPUT_NOISE_GIVEN] = "given", [FCPS_INPUT_NOISE_LEARNT] = "learnt"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

fcps_structure_setting fcps_structure_setting_of(const fcps_structure_settings *settings, int index)
{
#define FIELD(name)               settings->name,
#define LOOK_FIELD(name, d, n, h) FIELD(name)
  const fcps_structure_setting all[] = {FCPS_STRUCTURE_LIST(LOOK_FIELD, FIELD)};
  return all[index];
}

/* -- Structures as values -- */

fcps_status fcps_structure_set(fcps_structure *structure, size_t size, const void *state)
{
  void *kept = fcps_copy(state, size, 1);
  if (kept == NULL) return FCPS_ERR_MEMORY;
  free(structure->state);
  *structure = (fcps_structure){.size = size, .state = kept, .nats = structure->nats};
  return FCPS_OK;
}

fcps_status fcps_structure_mark(fcps_structure *structure)
{
  static const int nothing = 0;
  return fcps_structure_set(structure, sizeof nothing, &nothing);
}

fcps_status fcps_structure_copy(const fcps_structure *from, fcps_structure *to)
{
  if (from->size == 0) {
    fcps_structure_clear(to);
    to->nats = from->nats;
    return FCPS_OK;
  }
  const fcps_status status = fcps_structure_set(to, from->size, from->state);
  if (status == FCPS_OK) to->nats = from->nats;
  return status;
}

void fcps_structure_clear(fcps_structure *structure)
{
  free(structure->state);
  *structure = (fcps_structure){0};
}

/* -- Life -- */

void fcps_description_destroy(fcps_description *description)
{
  for (int i = 0; i < FCPS_STRUCTURES; i++)
    fcps_structure_clear(description->structures + i);
  free(description->stretch);
  free(description->aside);
  fcps_tables_free(&description->tables);
  *description = (fcps_description){0};
}

fcps_status fcps_description_copy(const fcps_description *description, fcps_description *copy)
{
  *copy = *description;
  memset(copy->structures, 0, sizeof copy->structures);
  copy->tables = (fcps_tables){0};
  copy->stretch = fcps_copy(description->stretch, (size_t)description->inputs, sizeof(double));
  copy->aside = fcps_copy(description->aside, (size_t)description->aside_count, sizeof(int));
  fcps_status status = copy->stretch != NULL && copy->aside != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_tables_copy(&description->tables, &copy->tables);
  for (int i = 0; i < FCPS_STRUCTURES && status == FCPS_OK; i++)
    status = fcps_structure_copy(description->structures + i, copy->structures + i);
  if (status != FCPS_OK) fcps_description_destroy(copy);
  return status;
}

bool fcps_description_has(const fcps_description *description, int index)
{
  return description->structures[index].size > 0;
}

/* Returns the first kind from index `*index` on that the description has, NULL if none is left; moves `*index` to
 * it. */
static const fcps_structure_kind *next_kind(const fcps_description *description, int *index)
{
  for (; fcps_structure_kind_at(*index) != NULL; (*index)++)
    if (fcps_description_has(description, *index)) return fcps_structure_kind_at(*index);
  return NULL;
}

/* Sets all members that follow from structures to their values without structures. Environment features come first. */
static fcps_status begin_edit(fcps_description *d, const fcps_layout *layout)
{
  double *stretch = fcps_allocate((size_t)layout->features, sizeof(double));
  if (stretch == NULL) return FCPS_ERR_MEMORY;
  const int environment = fcps_layout_environment_features(layout);
  for (int i = 0; i < layout->features; i++)
    stretch[i] = i < environment && d->environment_stretch > 0 ? d->environment_stretch : 1.0;
  free(d->stretch);
  d->stretch = stretch;
  d->pair_count = 0;
  d->inputs = layout->features;
  d->outputs = layout->outputs;
  d->gps = 1;
  d->scaling = d->usual_scaling;
  d->prior = d->usual_prior;
  d->changes_inputs = d->changes_outputs = d->has_places = d->has_rest = false;
  fcps_tables_free(&d->tables);
  return fcps_layout_tables(layout, false, &d->tables);
}

static void note_changes(fcps_description *d, const fcps_structure_kind *kind, const void *state)
{
  d->changes_inputs |= kind->see != NULL && (kind->changes_inputs == NULL || kind->changes_inputs(state));
  d->changes_outputs |= kind->unsee_outcomes != NULL;
  d->has_places |= kind->noise_at != NULL;
  d->has_rest |= kind->rests != NULL;
}

fcps_status fcps_description_edit(fcps_description *description, const fcps_layout *layout)
{
  const fcps_structure_kind *kind;
  fcps_status status = begin_edit(description, layout);
  for (int i = 0; status == FCPS_OK && (kind = next_kind(description, &i)) != NULL; i++) {
    note_changes(description, kind, description->structures[i].state);
    if (kind->edit != NULL) status = kind->edit(description->structures[i].state, layout, description);
  }
  return status;
}

fcps_status fcps_description_with(const fcps_description *description, const fcps_layout *layout, int index,
                                  const fcps_structure *structure, fcps_description *with)
{
  const fcps_structure_kind *kind = fcps_structure_kind_at(index);
  fcps_status status = fcps_description_copy(description, with);
  if (status != FCPS_OK) return status;
  for (int i = 0; fcps_structure_kind_at(i) != NULL && structure->size > 0; i++)
    if (i != index && fcps_structure_excludes(kind, fcps_structure_kind_at(i)))
      fcps_structure_clear(with->structures + i);
  status = fcps_structure_copy(structure, with->structures + index);
  if (status == FCPS_OK) status = fcps_description_edit(with, layout);
  if (status != FCPS_OK) fcps_description_destroy(with);
  return status;
}

bool fcps_description_doubts(const fcps_description *d, int row)
{
  const fcps_structure_kind *kind;
  for (int i = 0; (kind = next_kind(d, &i)) != NULL; i++)
    if (kind->sets_aside != NULL && kind->sets_aside(d->structures + i, row)) return true;
  return false;
}

static bool is_aside(const fcps_description *d, const fcps_rollouts *rollouts, int row)
{
  return fcps_description_doubts(d, row) ||
         fcps_description_rests(d, fcps_rollouts_environment(rollouts, row), fcps_rollouts_outcome(rollouts, row));
}

fcps_status fcps_description_set_aside(fcps_description *d, const fcps_layout *layout, const fcps_rollouts *rollouts)
{
  if (!layout->predicts_outcomes) return FCPS_OK;
  int *aside = fcps_allocate((size_t)rollouts->count, sizeof(int));
  if (aside == NULL) return FCPS_ERR_MEMORY;
  free(d->aside);
  d->aside = aside;
  d->aside_count = 0;
  for (int i = 0; i < rollouts->count; i++)
    if (is_aside(d, rollouts, i)) aside[d->aside_count++] = i;
  return FCPS_OK;
}

/* -- What follows -- */

fcps_gp_norm fcps_description_norm(const fcps_description *d, const fcps_layout *layout)
{
  return (fcps_gp_norm){.mean = d->mean,
                        .scaling = d->scaling,
                        .weights = d->scaling == FCPS_SCALING_METRIC ? layout->weights : NULL,
                        .aside_count = d->aside_count,
                        .aside = d->aside,
                        .pair_count = d->pair_count,
                        .pairs = d->pairs};
}

fcps_hyper_prior fcps_description_prior(const fcps_description *description)
{
  fcps_hyper_prior prior = description->prior;
  prior.stretch = description->stretch;
  return prior;
}

/* -- What the GPs see -- */

void fcps_description_see(const fcps_description *d, const fcps_layout *layout, const double *features, int order,
                          double *inputs, double *outcome)
{
  const fcps_structure_kind *kind;
  if (inputs != NULL && inputs != features) memcpy(inputs, features, (size_t)layout->features * sizeof(double));
  for (int i = 0; (kind = next_kind(d, &i)) != NULL; i++)
    if (kind->see != NULL) kind->see(d->structures[i].state, layout, features, order, inputs, outcome);
}

fcps_status fcps_description_outcomes(const fcps_description *d, const fcps_layout *layout,
                                      const fcps_rollouts *rollouts, int rows, double *y)
{
  const size_t q = (size_t)layout->outputs;
  const bool is_seen = d->changes_outputs;
  double outcome[FCPS_SPACE_MAX], *features = fcps_allocate((size_t)layout->features, sizeof(double));
  if (features == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < rows; i++) {
    fcps_layout_outcome(layout, rollouts, i, outcome);
    if (is_seen) fcps_layout_rollout(layout, rollouts, i, features);
    if (is_seen) fcps_description_see(d, layout, features, i, NULL, outcome);
    for (size_t o = 0; o < q; o++)
      y[o * (size_t)rows + (size_t)i] = outcome[o];
  }
  free(features);
  return FCPS_OK;
}

void fcps_description_unsee_outcomes(const fcps_description *d, const fcps_layout *layout, const double *features,
                                     size_t count, size_t stride, double *outcomes)
{
  const fcps_structure_kind *kind;
  for (int i = 0; (kind = next_kind(d, &i)) != NULL; i++)
    if (kind->unsee_outcomes != NULL)
      kind->unsee_outcomes(d->structures[i].state, layout, features, count, stride, outcomes);
}

void fcps_description_unsee(const fcps_description *d, const fcps_layout *layout, const double *features,
                            const fcps_seen *at)
{
  const fcps_structure_kind *kind;
  for (int i = 0; (kind = next_kind(d, &i)) != NULL; i++)
    if (kind->unsee != NULL) kind->unsee(d->structures[i].state, layout, features, at);
}

bool fcps_description_turns_feature(const fcps_description *d, int feature)
{
  const fcps_structure_kind *kind;
  for (int i = 0; (kind = next_kind(d, &i)) != NULL; i++)
    if (kind->turns_feature != NULL && kind->turns_feature(d->structures[i].state, feature)) return true;
  return false;
}

/* -- Noise of places -- */

double fcps_description_noise_at(const fcps_description *d, int gp, const double *inputs)
{
  const fcps_structure_kind *kind;
  double sum = 0.0;
  for (int i = 0; (kind = next_kind(d, &i)) != NULL; i++)
    if (kind->noise_at != NULL) sum += kind->noise_at(d->structures[i].state, d, gp, inputs);
  return sum;
}

double fcps_description_usual_places(const fcps_description *d, const fcps_gps *gps, int gp)
{
  const fcps_structure_kind *kind;
  double sum = 0.0;
  for (int i = 0; (kind = next_kind(d, &i)) != NULL; i++)
    if (kind->noise_at != NULL) sum += fcps_gps_noise_usual(gps, i, gp);
  return sum;
}

/* -- Rest -- */

bool fcps_description_rests(const fcps_description *d, const double *environment, const double *outcome)
{
  const fcps_structure_kind *kind;
  for (int i = 0; (kind = next_kind(d, &i)) != NULL; i++)
    if (kind->rests != NULL && kind->rests(d->structures[i].state, environment, outcome)) return true;
  return false;
}

void fcps_description_rest(const fcps_description *d, const double *environment, double *outcome)
{
  const fcps_structure_kind *kind;
  for (int i = 0; (kind = next_kind(d, &i)) != NULL; i++)
    if (kind->rest != NULL) kind->rest(d->structures[i].state, environment, outcome);
}
