/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a problem from YAML, key by key. Names and texts point into the document, which lives as long as the handle. */
#include "base/error.h"
#include "base/memory.h"
#include "base/study_file.h"
#include "format/file.h"
#include "problem/contexts.h"
#include "problem/file/reader.h"
#include "problem/formula/conditions.h"
#include "problem/limits.h"
#include "problem/problem.h"
#include "problem/reward.h"
#include "space/space.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT ((size_t)1 << 20)

static const char *const known_keys[] = {"name",     "target",   "environment", "parameters", "outcome",
                                         "achieved", "reward",   "constraints", "limits",     "safe",
                                         "cost",     "contexts", "learner",     "run",        NULL};

/* Reads the formula that achieves each target dimension, in the order of the target space. */
static fcps_status read_achieved(fcps_problem_file_reader *r, const fcps_yaml_node *node, fcps_error *error)
{
  const fcps_space *target = &r->file.problem.target;
  fcps_status status = fcps_yaml_expect(r->yaml, node, FCPS_YAML_MAP, "achieved", error);
  if (status != FCPS_OK) return status;
  if ((r->achieved = fcps_allocate((size_t)target->count, sizeof *r->achieved)) == NULL)
    return fcps_error_memory(error);
  for (int i = 0; i < node->count; i++) {
    const int t = fcps_space_find(target, node->keys[i]);
    if (t < 0)
      return fcps_yaml_error(r->yaml, node->children[i], FCPS_ERR_FORMAT, "achieved", error,
                             "'%s' is not a target dimension; write `TARGET: OUTCOME` for each target dimension.",
                             node->keys[i]);
    status = fcps_yaml_text(r->yaml, node->children[i], "achieved", &r->achieved[t], error);
    if (status != FCPS_OK) return status;
  }
  for (int t = 0; t < target->count; t++)
    if (r->achieved[t] == NULL)
      return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "achieved", error,
                             "nothing achieves the target '%s'; add it, or leave `achieved` out.",
                             target->dims[t].name);
  r->file.achieved = r->achieved;
  return FCPS_OK;
}

/* -- Positions -- */

/* The functions below find the position of a character of a text in the file. YAML changes line breaks and blanks, but
 * no other byte. So going through the file and the text at the same time finds every other byte. */

/* A position in the file: a character, with its line and column. */
typedef struct position {
  const char *at;
  int line, column;
} position;

static void step(position *p)
{
  const bool ends_line = *p->at == '\n';
  p->at++;
  while (((unsigned char)*p->at & 0xC0) == 0x80) /* skip the other bytes of the same character */
    p->at++;
  p->line += ends_line;
  p->column = ends_line ? 1 : p->column + 1;
}

static void skip_blanks(position *p)
{
  while (isspace((unsigned char)*p->at))
    step(p);
}

/* Returns the position of the first character of a node's text: after a quote, or in the line below `|` or `>`. */
static position text_start(const char *source, const fcps_yaml_node *node)
{
  position p = {source, 1, 1};
  while (*p.at && (p.line < node->line || (p.line == node->line && p.column < node->column)))
    step(&p);
  const bool is_block = *p.at == '|' || *p.at == '>';
  if (*p.at == '"' || *p.at == '\'') step(&p);
  for (const int line = p.line; is_block && *p.at && p.line == line;)
    step(&p);
  return p;
}

/* Moves past the bytes before `byte` that are not blank, one by one. */
static void text_position(const fcps_problem_file_reader *r, const fcps_yaml_node *node, int byte, int *line,
                          int *column)
{
  *line = node->line;
  *column = node->column;
  position p = text_start(r->text, node);
  const char *text = node->text, *end = text + strnlen(text, byte > 0 ? (size_t)byte : 0);
  for (; text < end; text++) {
    if (isspace((unsigned char)*text) || ((unsigned char)*text & 0xC0) == 0x80) continue;
    skip_blanks(&p);
    /* The text has an escape, so the two differ. The error then has the position of the node. */
    if (*p.at != *text) return;
    step(&p);
  }
  if (*end && !isspace((unsigned char)*end)) skip_blanks(&p);
  *line = p.line;
  *column = p.column;
}

bool fcps_problem_file_learner_position(const fcps_problem_file *file, const char *key, int *line, int *column)
{
  /* The handle is the first member of the reader. */
  const fcps_problem_file_reader *r = (const fcps_problem_file_reader *)file;
  const fcps_yaml_node *learner = fcps_yaml_get(fcps_yaml_root(r->yaml), "learner");
  const bool is_name_alone = learner != NULL && learner->kind == FCPS_YAML_TEXT && strcmp(key, "name") == 0;
  const fcps_yaml_node *node = is_name_alone ? learner : fcps_yaml_get(learner, key);
  if (node == NULL) return false;
  *line = node->line;
  *column = node->column;
  return true;
}

/* -- Formulas -- */

/* Returns the node of a formula, so that an error can have its position in the file. */
static const fcps_yaml_node *formula_node(const fcps_problem_file_reader *r, const char *field)
{
  const fcps_yaml_node *root = fcps_yaml_root(r->yaml);
  if (strcmp(field, "reward") == 0) return r->reward_is_changed ? NULL : fcps_yaml_get(root, "reward");
  if (strcmp(field, "cost") == 0) return r->changed_cost != NULL ? NULL : fcps_yaml_get(root, "cost");
  const char *dot = strchr(field, '.');
  if (strncmp(field, "achieved", 8) != 0) return fcps_problem_file_limit_node(r, field);
  return dot != NULL ? fcps_yaml_get(fcps_yaml_get(root, "achieved"), dot + 1) : NULL;
}

/* Makes the error about a mistake in the text at a node. */
static fcps_status refuse_at(const fcps_problem_file_reader *r, const fcps_yaml_node *node, const fcps_error *inner,
                             fcps_error *error)
{
  int line = node->line, column = node->column;
  if (node->kind == FCPS_YAML_TEXT) text_position(r, node, inner->column - 1, &line, &column);
  return fcps_error_at(error, inner->status, r->file.file, line, column, inner->field, "%s", inner->message);
}

/* Reads the conditions of parameters. Then safe trials leave out the parameters that do not apply. */
static fcps_status compile_conditions(fcps_problem_file_reader *r, fcps_error *error)
{
  const fcps_problem *p = &r->file.problem;
  const size_t width = (size_t)(p->target.count + p->environment.count + p->parameters.count);
  fcps_error inner = {0};
  int which;
  fcps_status status = fcps_problem_check_conditions(p, &which, &inner);
  const fcps_yaml_node *parameters = fcps_yaml_get(fcps_yaml_root(r->yaml), "parameters");
  if (status != FCPS_OK && which >= 0)
    return refuse_at(r, fcps_yaml_get(fcps_yaml_get(parameters, p->parameters.dims[which].name), "when"), &inner,
                     error);
  for (int i = 0; i < p->safe_count && status == FCPS_OK; i++) {
    double *parts = r->safe_numbers + (size_t)i * width;
    char label[24];
    snprintf(label, sizeof label, "safe.%d", i + 1);
    status = fcps_problem_take_parameters(p, label, parts, parts + p->target.count,
                                          parts + p->target.count + p->environment.count, &inner);
    if (status == FCPS_OK) continue;
    const fcps_yaml_node *node = fcps_problem_file_limit_node(r, label);
    inner.column = 1;
    if (node != NULL) return refuse_at(r, node, &inner, error);
  }
  if (status != FCPS_OK && error != NULL) *error = inner;
  return status;
}

static fcps_status compile_formulas(fcps_problem_file_reader *r, fcps_error *error)
{
  fcps_error inner = {0};
  fcps_status status = compile_conditions(r, error);
  if (status != FCPS_OK) return status;
  status = fcps_reward_create(&r->reward, &r->file.problem, r->file.reward, r->achieved, &inner);
  if (status == FCPS_OK) status = fcps_problem_check_rules(&r->file.problem, &inner);
  if (status == FCPS_OK) return FCPS_OK;
  const fcps_yaml_node *node = formula_node(r, inner.field);
  if (node == NULL) {
    if (error != NULL) *error = inner;
    return status;
  }
  return refuse_at(r, node, &inner, error);
}

static fcps_status read_reward(fcps_problem_file_reader *r, const fcps_yaml_node *node, fcps_error *error)
{
  if (node == NULL)
    return fcps_yaml_error(r->yaml, fcps_yaml_root(r->yaml), FCPS_ERR_FORMAT, "reward", error,
                           "missing; write a formula over the dimensions, or `told`.");
  const char *text = NULL;
  const fcps_status status = fcps_yaml_text(r->yaml, node, "reward", &text, error);
  if (status == FCPS_OK) r->file.reward = strcmp(text, "told") == 0 ? NULL : text;
  return status;
}

/* Sets the formula of the cost; `none` stands for no cost. */
static void set_cost(fcps_problem_file_reader *r, const char *text)
{
  r->file.problem.cost = strcmp(text, "none") == 0 ? NULL : text;
}

static fcps_status read_cost(fcps_problem_file_reader *r, const fcps_yaml_node *node, fcps_error *error)
{
  const char *text = NULL;
  const fcps_status status = fcps_yaml_text(r->yaml, node, "cost", &text, error);
  if (status == FCPS_OK) set_cost(r, text);
  return status;
}

/* Applies one change: {"reward", FORMULA}, {"cost", FORMULA}, {"bounds.NAME", "LOWER,UPPER"} or {"choices.NAME", WORD}. */
static fcps_status apply_change(fcps_problem_file_reader *r, const fcps_setting *change, fcps_error *error)
{
  if (strcmp(change->name, "reward") == 0) {
    free(r->changed_reward);
    if ((r->changed_reward = fcps_copy_text(change->value)) == NULL) return fcps_error_memory(error);
    r->file.reward = strcmp(change->value, "told") == 0 ? NULL : r->changed_reward;
    r->reward_is_changed = true;
    return FCPS_OK;
  }
  if (strcmp(change->name, "cost") == 0) {
    free(r->changed_cost);
    if ((r->changed_cost = fcps_copy_text(change->value)) == NULL) return fcps_error_memory(error);
    set_cost(r, r->changed_cost);
    return FCPS_OK;
  }
  if (fcps_problem_file_has_part(change->name))
    return fcps_problem_file_change_part(r, change->name, change->value, error);
  if (strncmp(change->name, "bounds.", 7) == 0)
    return fcps_problem_file_change_bounds(r, change->name + 7, change->value, error);
  if (strncmp(change->name, "choices.", 8) == 0)
    return fcps_problem_file_add_word(r, change->name + 8, change->value, error);
  return fcps_error_set(
      error, FCPS_ERR_UNKNOWN_NAME, change->name,
      "cannot be amended; only reward, constraints, limits, safe, cost, bounds.NAME and choices.NAME can.");
}

static fcps_status read_all(fcps_problem_file_reader *r, const fcps_setting *changes, fcps_error *error)
{
  const fcps_yaml_node *root = fcps_yaml_root(r->yaml);
  fcps_status status = fcps_yaml_expect(r->yaml, root, FCPS_YAML_MAP, "", error);
  if (status == FCPS_OK) status = fcps_yaml_only(r->yaml, root, known_keys, error);

  const fcps_yaml_node *name = fcps_yaml_get(root, "name");
  r->file.name = "unnamed";
  if (status == FCPS_OK && name != NULL) status = fcps_yaml_text(r->yaml, name, "name", &r->file.name, error);

  if (status == FCPS_OK) status = fcps_problem_file_read_spaces(r, error);
  if (status == FCPS_OK) status = read_reward(r, fcps_yaml_get(root, "reward"), error);
  const fcps_yaml_node *achieved = fcps_yaml_get(root, "achieved");
  if (status == FCPS_OK && achieved != NULL) status = read_achieved(r, achieved, error);
  if (status == FCPS_OK) status = fcps_problem_file_read_parts(r, error);
  const fcps_yaml_node *cost = fcps_yaml_get(root, "cost");
  if (status == FCPS_OK && cost != NULL) status = read_cost(r, cost, error);
  for (const fcps_setting *change = changes; status == FCPS_OK && change != NULL && change->name != NULL; change++)
    status = apply_change(r, change, error);
  if (status == FCPS_OK) status = compile_formulas(r, error);
  if (status == FCPS_OK) status = fcps_problem_file_read_learner(r, fcps_yaml_get(root, "learner"), error);
  if (status == FCPS_OK) status = fcps_problem_file_read_contexts(r, fcps_yaml_get(root, "contexts"), error);
  if (status == FCPS_OK) status = fcps_problem_file_read_run(r, fcps_yaml_get(root, "run"), error);
  return status;
}

fcps_status fcps_problem_file_parse(fcps_problem_file **file, const char *text, size_t length, const char *name,
                                    const fcps_setting *changes, fcps_error *error)
{
  if (file == NULL) return fcps_error_null(error, "file");
  *file = NULL;
  if (text == NULL) return fcps_error_null(error, "text");
  if (name == NULL) return fcps_error_null(error, "name");
  for (const fcps_setting *change = changes; change != NULL && change->name != NULL; change++)
    if (change->value == NULL) return fcps_error_null(error, change->name);
  fcps_problem_file_reader *r = fcps_allocate(1, sizeof *r);
  if (r == NULL) return fcps_error_memory(error);
  fcps_status status = FCPS_OK;
  r->name = fcps_copy_text(name);
  r->text = fcps_allocate(length + 1, 1);
  if (r->name == NULL || r->text == NULL) status = fcps_error_memory(error);
  if (status == FCPS_OK) {
    memcpy(r->text, text, length);
    r->file.file = r->name;
    r->file.text = r->text;
    status = fcps_yaml_read_text(&r->yaml, text, length, name, error);
  }
  if (status == FCPS_OK) status = read_all(r, changes, error);
  if (status != FCPS_OK) {
    fcps_problem_file_destroy(&r->file);
    return status;
  }
  *file = &r->file;
  return FCPS_OK;
}

fcps_status fcps_problem_file_read(fcps_problem_file **file, const char *path, fcps_error *error)
{
  if (file == NULL) return fcps_error_null(error, "file");
  *file = NULL;
  if (path == NULL) return fcps_error_null(error, "path");
  if (fcps_recognize_file(path) == FCPS_RECOGNIZED_STUDY)
    return fcps_error_at(error, FCPS_ERR_ARGUMENT, path, 0, 0, NULL,
                         "is a study; give the problem file, as in throw.yaml");
  char *text = NULL;
  size_t length = 0;
  fcps_status status = fcps_file_read(path, FILE_LIMIT, &text, &length, error);
  if (status == FCPS_OK) status = fcps_problem_file_parse(file, text, length, path, NULL, error);
  free(text);
  return status;
}

void fcps_problem_file_destroy(fcps_problem_file *file)
{
  if (file == NULL) return;
  fcps_problem_file_reader *r = (fcps_problem_file_reader *)file; /* the handle is its first member */
  fcps_reward_destroy(r->reward);
  for (int s = 0; s < 4; s++)
    free(r->dims[s]);
  fcps_problem_file_free_words(r);
  free(r->achieved);
  free(r->constraints);
  free(r->limits);
  free(r->safe);
  free(r->safe_numbers);
  for (int i = 0; i < FCPS_PROBLEM_FILE_PARTS; i++)
    fcps_yaml_destroy(r->changed_parts[i]);
  free(r->changed_reward);
  free(r->changed_cost);
  free(r->settings);
  free(r->boxes);
  free(r->command);
  fcps_yaml_destroy(r->yaml);
  free(r->text);
  free(r->name);
  free(r);
}

/* -- The keys constraints, limits and safe -- */

/* -- Constraints: a list of formulas, or one -- */

static fcps_status read_constraints(fcps_problem_file_reader *r, const fcps_yaml *yaml, const fcps_yaml_node *node,
                                    fcps_error *error)
{
  const bool is_one = node->kind == FCPS_YAML_TEXT;
  const int count = is_one ? 1 : node->count;
  fcps_status status = is_one ? FCPS_OK : fcps_yaml_expect(yaml, node, FCPS_YAML_LIST, "constraints", error);
  if (status != FCPS_OK) return status;
  free(r->constraints);
  if ((r->constraints = fcps_allocate((size_t)count, sizeof *r->constraints)) == NULL) return fcps_error_memory(error);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    status = fcps_yaml_text(yaml, is_one ? node : node->children[i], "constraints", &r->constraints[i], error);
  r->file.problem.constraints = r->constraints;
  r->file.problem.constraint_count = count;
  return status;
}

/* -- Limits: NAME: {of: FORMULA, at_most: LEVEL, at_least: LEVEL, chance: NUMBER} -- */

static fcps_status read_text(const fcps_yaml *yaml, const fcps_yaml_node *map, const char *key, const char *field,
                             const char **text, fcps_error *error)
{
  const fcps_yaml_node *node = fcps_yaml_get(map, key);
  return node != NULL ? fcps_yaml_text(yaml, node, field, text, error) : FCPS_OK;
}

static fcps_status read_limit(const fcps_yaml *yaml, const fcps_yaml_node *node, fcps_limit *limit, fcps_error *error)
{
  static const char *const known[] = {"of", "at_most", "at_least", "chance", NULL};
  char field[96];
  snprintf(field, sizeof field, "limits.%.80s", limit->name);
  limit->chance = 0.95;
  fcps_status status = fcps_yaml_expect(yaml, node, FCPS_YAML_MAP, field, error);
  if (status == FCPS_OK) status = fcps_yaml_only(yaml, node, known, error);
  if (status == FCPS_OK) status = read_text(yaml, node, "of", field, &limit->of, error);
  if (status == FCPS_OK) status = read_text(yaml, node, "at_most", field, &limit->at_most, error);
  if (status == FCPS_OK) status = read_text(yaml, node, "at_least", field, &limit->at_least, error);
  const fcps_yaml_node *chance = fcps_yaml_get(node, "chance");
  return status == FCPS_OK && chance != NULL ? fcps_yaml_number(yaml, chance, field, &limit->chance, error) : status;
}

static fcps_status read_limits(fcps_problem_file_reader *r, const fcps_yaml *yaml, const fcps_yaml_node *node,
                               fcps_error *error)
{
  fcps_status status = fcps_yaml_expect(yaml, node, FCPS_YAML_MAP, "limits", error);
  if (status != FCPS_OK) return status;
  free(r->limits);
  if ((r->limits = fcps_allocate((size_t)node->count, sizeof *r->limits)) == NULL) return fcps_error_memory(error);
  for (int i = 0; i < node->count && status == FCPS_OK; i++) {
    r->limits[i].name = node->keys[i];
    status = read_limit(yaml, node->children[i], &r->limits[i], error);
  }
  r->file.problem.limits = r->limits;
  r->file.problem.limit_count = node->count;
  return status;
}

/* -- Safe trials: a list of maps from names of parameters, and of the context where only that is meant, to numbers or words --
 */

static fcps_status read_safe_number(const fcps_problem *p, const fcps_yaml *yaml, const fcps_yaml_node *trial,
                                    int index, double *numbers, fcps_error *error)
{
  const fcps_space *spaces[] = {&p->target, &p->environment, &p->parameters};
  for (int s = 0; s < 3; s++) {
    const int d = fcps_space_find(spaces[s], trial->keys[index]);
    if (d >= 0)
      return fcps_boxes_read_value(&spaces[s]->dims[d], yaml, trial->children[index], "safe", numbers + d, error);
    numbers += spaces[s]->count;
  }
  return fcps_yaml_error(yaml, trial->children[index], FCPS_ERR_UNKNOWN_NAME, "safe", error,
                         "'%.64s' is not a parameter, target or environment dimension.", trial->keys[index]);
}

static fcps_status read_safe_trial(const fcps_problem *p, const fcps_yaml *yaml, const fcps_yaml_node *node,
                                   double *numbers, fcps_error *error)
{
  const int first = p->target.count + p->environment.count, width = first + p->parameters.count;
  fcps_status status = fcps_yaml_expect(yaml, node, FCPS_YAML_MAP, "safe", error);
  for (int i = 0; i < width; i++)
    numbers[i] = NAN;
  for (int i = 0; status == FCPS_OK && i < node->count; i++)
    status = read_safe_number(p, yaml, node, i, numbers, error);
  for (int d = 0; d < p->parameters.count && status == FCPS_OK; d++)
    if (isnan(numbers[first + d]) && p->parameters.dims[d].when == NULL)
      status = fcps_yaml_error(yaml, node, FCPS_ERR_FORMAT, "safe", error, "'%s' is missing; name every parameter.",
                               p->parameters.dims[d].name);
  return status;
}

static fcps_status read_safe(fcps_problem_file_reader *r, const fcps_yaml *yaml, const fcps_yaml_node *node,
                             fcps_error *error)
{
  fcps_problem *p = &r->file.problem;
  const size_t first = (size_t)p->target.count, middle = first + (size_t)p->environment.count,
               width = middle + (size_t)p->parameters.count;
  fcps_status status = fcps_yaml_expect(yaml, node, FCPS_YAML_LIST, "safe", error);
  if (status != FCPS_OK) return status;
  free(r->safe);
  free(r->safe_numbers);
  r->safe_numbers = NULL;
  r->safe = fcps_allocate((size_t)node->count, sizeof *r->safe);
  r->safe_numbers = fcps_allocate((size_t)node->count * width, sizeof(double));
  if (r->safe == NULL || r->safe_numbers == NULL) return fcps_error_memory(error);
  for (int i = 0; i < node->count && status == FCPS_OK; i++) {
    double *numbers = r->safe_numbers + (size_t)i * width;
    status = read_safe_trial(p, yaml, node->children[i], numbers, error);
    r->safe[i] = (fcps_safe_trial){numbers, numbers + first, numbers + middle};
  }
  p->safe = r->safe;
  p->safe_count = node->count;
  return status;
}

/* -- All of them -- */

static const struct part {
  const char *key;
  fcps_status (*read)(fcps_problem_file_reader *r, const fcps_yaml *yaml, const fcps_yaml_node *node,
                      fcps_error *error);
} parts[FCPS_PROBLEM_FILE_PARTS] = {{"constraints", read_constraints}, {"limits", read_limits}, {"safe", read_safe}};

fcps_status fcps_problem_file_read_parts(fcps_problem_file_reader *r, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < FCPS_PROBLEM_FILE_PARTS && status == FCPS_OK; i++) {
    const fcps_yaml_node *node = fcps_yaml_get(fcps_yaml_root(r->yaml), parts[i].key);
    if (node != NULL) status = parts[i].read(r, r->yaml, node, error);
  }
  return status;
}

static int find_part(const char *name)
{
  for (int i = 0; i < FCPS_PROBLEM_FILE_PARTS; i++)
    if (strncmp(name, parts[i].key, strlen(parts[i].key)) == 0) return i;
  return -1;
}

bool fcps_problem_file_has_part(const char *name)
{
  const int part = find_part(name);
  return part >= 0 && strcmp(name, parts[part].key) == 0;
}

fcps_status fcps_problem_file_change_part(fcps_problem_file_reader *r, const char *name, const char *text,
                                          fcps_error *error)
{
  const int part = find_part(name);
  fcps_yaml **changed = &r->changed_parts[part];
  fcps_yaml_destroy(*changed);
  *changed = NULL;
  const fcps_status status = fcps_yaml_read_text(changed, text, strlen(text), name, error);
  return status == FCPS_OK ? parts[part].read(r, *changed, fcps_yaml_root(*changed), error) : status;
}

/* -- Mistakes -- */

const fcps_yaml_node *fcps_problem_file_limit_node(const fcps_problem_file_reader *r, const char *field)
{
  const int part = find_part(field);
  const char *dot = strchr(field, '.');
  if (part < 0 || r->changed_parts[part] != NULL) return NULL;
  const fcps_yaml_node *node = fcps_yaml_get(fcps_yaml_root(r->yaml), parts[part].key);
  if (dot == NULL || node == NULL) return node;
  if (node->kind == FCPS_YAML_MAP) return fcps_yaml_get(node, dot + 1);
  const int index = atoi(dot + 1) - 1;
  return node->kind == FCPS_YAML_LIST && index >= 0 && index < node->count ? node->children[index] : node;
}
