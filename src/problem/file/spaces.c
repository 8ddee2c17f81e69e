/* SPDX-License-Identifier: Apache-2.0 */
/* The four spaces of a problem file. A dimension's name means one thing in the whole file, in its formulas and in the
 * tables that fcps writes. */
#include "problem/file/reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/settings.h"
#include "problem/formula/formula.h"
#include "space/space.h"

#include <stdio.h>
#include <string.h>

static const char *const space_keys[4] = {"target", "environment", "parameters", "outcome"};
enum { PARAMETERS = 2, OUTCOME = 3, FIELD_SIZE = 64 };

static fcps_space *space_at(fcps_problem_file_reader *r, int s)
{
  fcps_problem *p = &r->file.problem;
  fcps_space *const spaces[4] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  return spaces[s];
}

static fcps_status read_scale(const fcps_problem_file_reader *r, const fcps_yaml_node *node, const char *field,
                              fcps_scale *scale, fcps_error *error)
{
  const char *text = NULL;
  const fcps_status status = fcps_yaml_text(r->yaml, node, field, &text, error);
  if (status != FCPS_OK) return status;
  const int index = fcps_choice_find(fcps_scale_name, text);
  if (index < 0)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, field, error,
                           "no scale '%s'; choose linear, log or integer.", text);
  *scale = (fcps_scale)index;
  return FCPS_OK;
}

/* {range: [0, 1], period: 1, scale: log, step: 0.1, unit: m, when: tool == mill}; of scale and step one at most */
static fcps_status read_dimension_map(fcps_problem_file_reader *r, const fcps_yaml_node *node, const char *field,
                                      bool needs_range, fcps_dimension *dim, fcps_error *error)
{
  if (fcps_yaml_get(node, "choices") != NULL) return fcps_problem_file_read_words(r, node, field, dim, error);
  static const char *const known[] = {"range", "choices", "period", "scale", "step", "unit", "when", NULL};
  fcps_status status = fcps_yaml_only(r->yaml, node, known, error);
  const fcps_yaml_node *range = fcps_yaml_get(node, "range"), *period = fcps_yaml_get(node, "period");
  const fcps_yaml_node *scale = fcps_yaml_get(node, "scale"), *unit = fcps_yaml_get(node, "unit");
  const fcps_yaml_node *step = fcps_yaml_get(node, "step"), *when = fcps_yaml_get(node, "when");
  if (status == FCPS_OK && range == NULL && needs_range)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, field, error,
                           "has no range; write `range: [LOWER, UPPER]`, or `choices: [WORD, ...]`.");
  if (status == FCPS_OK && range != NULL)
    status = fcps_yaml_range(r->yaml, range, field, &dim->lower, &dim->upper, error);
  if (status == FCPS_OK && period != NULL) status = fcps_yaml_number(r->yaml, period, field, &dim->period, error);
  if (status == FCPS_OK && scale != NULL) status = read_scale(r, scale, field, &dim->scale, error);
  if (status == FCPS_OK && step != NULL) status = fcps_yaml_number(r->yaml, step, field, &dim->step, error);
  if (status == FCPS_OK && unit != NULL) status = fcps_yaml_text(r->yaml, unit, field, &dim->unit, error);
  if (status == FCPS_OK && when != NULL) status = fcps_yaml_text(r->yaml, when, field, &dim->when, error);
  return status;
}

/* Names that tables of fcps use for other columns, and names of the shell variables of an ask. */
static const char *const taken_names[] = {"ask",
                                          "status",
                                          "reward",
                                          "hindsight_reward",
                                          "used",
                                          "message",
                                          "predicted_reward",
                                          "predicted_reward_sd",
                                          "chance_of_success",
                                          "chance_of_outcome",
                                          "success_reward",
                                          "success_reward_sd",
                                          NULL};

static bool is_taken(const char *name)
{
  for (const char *const *taken = taken_names; *taken; taken++)
    if (strcmp(*taken, name) == 0) return true;
  return false;
}

/* Refuses a name that has a meaning already: in an earlier space, in formulas, or as a column of a table. */
static fcps_status check_name(fcps_problem_file_reader *r, const fcps_yaml_node *node, int s, const char *name,
                              const char *field, fcps_error *error)
{
  if (fcps_formula_is_reserved(name))
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, field, error,
                           "'%s' means something else in formulas; choose another name.", name);
  if (is_taken(name))
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, field, error,
                           "'%s' is a column of every table of results; choose another name, as in '%s_%c'.", name,
                           name, space_keys[s][0]);
  for (int other = 0; other < s; other++)
    if (fcps_space_find(space_at(r, other), name) >= 0)
      return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, field, error,
                             "'%s' is already a dimension of `%s`; names must differ.", name, space_keys[other]);
  return FCPS_OK;
}

/* The first item of a list that does not begin as a number does; NULL: all begin so. */
static const fcps_yaml_node *find_word(const fcps_yaml_node *list)
{
  for (int i = 0; i < list->count; i++) {
    const fcps_yaml_node *item = list->children[i];
    if (item->kind == FCPS_YAML_TEXT && item->text[0] != '\0' && strchr("+-.0123456789", item->text[0]) == NULL)
      return item;
  }
  return NULL;
}

static fcps_status read_dimension(fcps_problem_file_reader *r, const fcps_yaml_node *node, int s, fcps_dimension *dim,
                                  fcps_error *error)
{
  char field[FIELD_SIZE];
  snprintf(field, sizeof field, "%s.%s", space_keys[s], dim->name);
  fcps_status status = check_name(r, node, s, dim->name, field, error);
  if (status != FCPS_OK) return status;
  if (fcps_problem_file_is_words(node))
    status = fcps_problem_file_read_choices(r, node, field, dim, error);
  else if (node->kind == FCPS_YAML_LIST && find_word(node) != NULL)
    return fcps_yaml_error(r->yaml, find_word(node), FCPS_ERR_FORMAT, field, error,
                           "expected two numbers, [LOWER, UPPER]; for words, of which one looks like a number, write "
                           "{choices: [WORD, ...]}.");
  else if (node->kind == FCPS_YAML_LIST)
    status = fcps_yaml_range(r->yaml, node, field, &dim->lower, &dim->upper, error);
  else if (node->kind == FCPS_YAML_MAP)
    status = read_dimension_map(r, node, field, s != OUTCOME, dim, error);
  else if (s != OUTCOME || node->text != dim->name)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, field, error,
                           "expected [LOWER, UPPER], {range: [LOWER, UPPER], ...} or {choices: [WORD, ...]}.");
  if (status != FCPS_OK) return status;
  if (dim->when != NULL && s != PARAMETERS)
    return fcps_yaml_error(r->yaml, fcps_yaml_get(node, "when"), FCPS_ERR_UNSUPPORTED, field, error,
                           "only a parameter may have a condition; the others are there in every trial.");
  const fcps_space alone = {1, dim};
  fcps_error inner = {0};
  status = fcps_space_check(&alone, space_keys[s], s == OUTCOME, &inner);
  return status != FCPS_OK ? fcps_yaml_error(r->yaml, node, status, field, error, "%s", inner.message) : FCPS_OK;
}

static fcps_status read_space(fcps_problem_file_reader *r, const fcps_yaml_node *node, int s, fcps_error *error)
{
  fcps_space *space = space_at(r, s);
  const bool is_list = s == OUTCOME && node->kind == FCPS_YAML_LIST;
  fcps_status status = is_list ? FCPS_OK : fcps_yaml_expect(r->yaml, node, FCPS_YAML_MAP, space_keys[s], error);
  if (status != FCPS_OK) return status;
  if (node->count > FCPS_SPACE_MAX)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, space_keys[s], error, "more than %d dimensions.",
                           FCPS_SPACE_MAX);
  if ((r->dims[s] = fcps_allocate((size_t)node->count, sizeof *r->dims[s])) == NULL) return fcps_error_memory(error);
  space->dims = r->dims[s];
  for (int i = 0; status == FCPS_OK && i < node->count; i++) {
    const fcps_yaml_node *child = node->children[i];
    if (is_list)
      status = fcps_yaml_text(r->yaml, child, space_keys[s], &r->dims[s][i].name, error);
    else
      r->dims[s][i].name = node->keys[i];
    if (status == FCPS_OK) status = read_dimension(r, child, s, &r->dims[s][i], error);
    /* a list may repeat a name; the keys of a map cannot */
    if (status == FCPS_OK && fcps_space_find(space, r->dims[s][i].name) >= 0)
      status = fcps_yaml_error(r->yaml, child, FCPS_ERR_FORMAT, space_keys[s], error, "'%s' is here twice.",
                               r->dims[s][i].name);
    if (status == FCPS_OK) space->count = i + 1;
  }
  return status;
}

fcps_status fcps_problem_file_read_spaces(fcps_problem_file_reader *r, fcps_error *error)
{
  const fcps_yaml_node *root = fcps_yaml_root(r->yaml);
  for (int s = 0; s < 4; s++) {
    const fcps_yaml_node *node = fcps_yaml_get(root, space_keys[s]);
    const fcps_status status = node != NULL ? read_space(r, node, s, error) : FCPS_OK;
    if (status != FCPS_OK) return status;
  }
  if (r->file.problem.parameters.count == 0)
    return fcps_yaml_error(r->yaml, root, FCPS_ERR_FORMAT, "parameters", error,
                           "missing or empty; name at least one parameter to learn.");
  return FCPS_OK;
}

fcps_status fcps_problem_file_find_dimension(fcps_problem_file_reader *r, const char *name, const char *field,
                                             fcps_dimension **dim, int *space, fcps_error *error)
{
  const char *names[4 * FCPS_SPACE_MAX];
  char hint[200];
  int count = 0;
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < space_at(r, s)->count; i++) {
      names[count++] = r->dims[s][i].name;
      if (strcmp(names[count - 1], name) != 0) continue;
      *dim = &r->dims[s][i];
      *space = s;
      return FCPS_OK;
    }
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, field, "no dimension is called '%s'; %s", name,
                        fcps_name_hint(name, count, names, sizeof hint, hint));
}

fcps_status fcps_problem_file_change_bounds(fcps_problem_file_reader *r, const char *name, const char *value,
                                            fcps_error *error)
{
  char lower[FCPS_NUMBER_SIZE], field[FIELD_SIZE];
  snprintf(field, sizeof field, "bounds.%s", name);
  const char *comma = strchr(value, ',');
  fcps_dimension changed = {0};
  if (comma == NULL || (size_t)(comma - value) >= sizeof lower)
    return fcps_error_set(error, FCPS_ERR_FORMAT, field, "expected LOWER,UPPER.");
  memcpy(lower, value, (size_t)(comma - value));
  lower[comma - value] = '\0';
  if (!fcps_number_read(lower, &changed.lower) || !fcps_number_read(comma + 1, &changed.upper))
    return fcps_error_set(error, FCPS_ERR_FORMAT, field, "expected two numbers, LOWER,UPPER.");

  fcps_dimension *dim = NULL;
  int space = 0;
  fcps_status status = fcps_problem_file_find_dimension(r, name, field, &dim, &space, error);
  if (status != FCPS_OK) return status;
  if (dim->choices != NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, field, "%s chooses among words, which have no bounds.", name);
  fcps_dimension wanted = *dim;
  wanted.lower = changed.lower;
  wanted.upper = changed.upper;
  const fcps_space alone = {1, &wanted};
  status = fcps_space_check(&alone, space_keys[space], space == OUTCOME, error);
  if (status == FCPS_OK) *dim = wanted;
  return status;
}
