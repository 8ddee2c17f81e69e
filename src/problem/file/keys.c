/* SPDX-License-Identifier: Apache-2.0 */
/* Reads keys of a problem file: the four spaces, and how the problem is learnt and run. A dimension's name means one
 * thing in the whole file, in its formulas and in the tables that fcps writes. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/settings.h"
#include "problem/contexts.h"
#include "problem/file/reader.h"
#include "problem/formula/formula.h"
#include "space/space.h"

#include <stdio.h>
#include <stdlib.h>
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

/* Reads {range: [0, 1], period: 1, scale: log, step: 0.1, unit: m, when: tool == mill}. Only one of scale and step may
 * be given. */
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

/* Returns the first item of a list that does not begin as a number does; NULL if all do. */
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
    /* A list may repeat a name, but the keys of a map differ. */
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

/* -- Words to choose from --
 *
 * A dimension has its words in one of three forms (the last two also with `when`):
 *
 *   gate: [tab, pin, fan]
 *   gate: {choices: [low, mid, high], ordered: true}
 *   bean: {choices: {kenya: {acid: 5}, brazil: {acid: 2}}, alike: true}
 *
 * A word is taken as it is written: 1 and 1.0 are two words, and `on` is on. The short form is a range if one of its items
 * looks like a number. */

/* The memory of one dimension's words; their texts belong to the document or to a change. */
struct fcps_problem_file_words {
  struct fcps_problem_file_words *next;
  fcps_choices choices;
  const char **words, **properties;
  double *known;
  char *added;         /* the text of a word that a change adds */
  fcps_yaml *document; /* the same word with its known properties, as a document */
};

void fcps_problem_file_free_words(fcps_problem_file_reader *r)
{
  for (struct fcps_problem_file_words *one = r->words, *next; one != NULL; one = next) {
    next = one->next;
    free(one->words);
    free(one->properties);
    free(one->known);
    free(one->added);
    fcps_yaml_destroy(one->document);
    free(one);
  }
  r->words = NULL;
}

/* Gives a dimension memory for new words, which the reader owns. Returns NULL if memory ran out. */
static struct fcps_problem_file_words *give_words(fcps_problem_file_reader *r, int count, int properties,
                                                  fcps_dimension *dim)
{
  struct fcps_problem_file_words *one = fcps_allocate(1, sizeof *one);
  if (one == NULL) return NULL;
  one->next = r->words;
  r->words = one;
  one->words = fcps_allocate((size_t)count, sizeof *one->words);
  one->properties = fcps_allocate((size_t)properties, sizeof *one->properties);
  one->known = fcps_allocate((size_t)count * (size_t)properties, sizeof(double));
  if (one->words == NULL || one->properties == NULL || one->known == NULL) return NULL;
  one->choices = (fcps_choices){.count = count,
                                .words = one->words,
                                .property_count = properties,
                                .properties = one->properties,
                                .known = one->known};
  dim->choices = &one->choices;
  dim->lower = 0;
  dim->upper = count - 1;
  dim->scale = FCPS_SCALE_INTEGER;
  return one;
}

static bool looks_like_number(const fcps_yaml_node *node)
{
  double value = 0;
  return !node->is_quoted && (fcps_number_read(node->text, &value) || strchr("+-.0123456789", node->text[0]) != NULL);
}

bool fcps_problem_file_is_words(const fcps_yaml_node *node)
{
  if (node->kind != FCPS_YAML_LIST || node->count < 2) return false;
  for (int i = 0; i < node->count; i++)
    if (node->children[i]->kind != FCPS_YAML_TEXT || looks_like_number(node->children[i])) return false;
  return true;
}

static fcps_status read_list(fcps_problem_file_reader *r, const fcps_yaml_node *node, const char *field,
                             fcps_dimension *dim, fcps_error *error)
{
  struct fcps_problem_file_words *one = give_words(r, node->count, 0, dim);
  fcps_status status = one != NULL ? FCPS_OK : fcps_error_memory(error);
  for (int i = 0; i < node->count && status == FCPS_OK; i++)
    status = fcps_yaml_text(r->yaml, node->children[i], field, &one->words[i], error);
  return status;
}

/* Reads the known properties of a word, as in {acid: 5, body: 3}. Every word has the same properties as the first
 * one. */
static fcps_status read_known(fcps_problem_file_reader *r, const fcps_yaml_node *map, const char *field,
                              const struct fcps_problem_file_words *one, double *known, fcps_error *error)
{
  const fcps_choices *choices = &one->choices;
  const char *names[FCPS_PROPERTIES_MAX + 1] = {NULL};
  memcpy(names, one->properties, (size_t)choices->property_count * sizeof *names);
  fcps_status status = fcps_yaml_expect(r->yaml, map, FCPS_YAML_MAP, field, error);
  if (status == FCPS_OK) status = fcps_yaml_only(r->yaml, map, names, error);
  for (int p = 0; p < choices->property_count && status == FCPS_OK; p++) {
    const fcps_yaml_node *value = fcps_yaml_get(map, names[p]);
    if (value == NULL)
      status = fcps_yaml_error(r->yaml, map, FCPS_ERR_FORMAT, field, error,
                               "'%s' is missing; every word needs the same properties.", names[p]);
    else
      status = fcps_yaml_number(r->yaml, value, field, &known[p], error);
  }
  return status;
}

static fcps_status read_map(fcps_problem_file_reader *r, const fcps_yaml_node *node, const char *field,
                            fcps_dimension *dim, fcps_error *error)
{
  const fcps_yaml_node *first = node->count > 0 ? node->children[0] : node;
  fcps_status status = fcps_yaml_expect(r->yaml, first, FCPS_YAML_MAP, field, error);
  if (status != FCPS_OK) return status;
  if (first->count > FCPS_PROPERTIES_MAX)
    return fcps_yaml_error(r->yaml, first, FCPS_ERR_FORMAT, field, error, "more than %d properties.",
                           FCPS_PROPERTIES_MAX);
  struct fcps_problem_file_words *one = give_words(r, node->count, first->count, dim);
  if (one == NULL) return fcps_error_memory(error);
  for (int p = 0; p < first->count; p++)
    one->properties[p] = first->keys[p];
  for (int i = 0; i < node->count && status == FCPS_OK; i++) {
    one->words[i] = node->keys[i];
    status = read_known(r, node->children[i], field, one, one->known + (size_t)i * (size_t)first->count, error);
  }
  return status;
}

fcps_status fcps_problem_file_read_choices(fcps_problem_file_reader *r, const fcps_yaml_node *node, const char *field,
                                           fcps_dimension *dim, fcps_error *error)
{
  if (node->kind == FCPS_YAML_TEXT)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, field, error,
                           "expected the words to choose from, as in [soft, medium, hard].");
  if (node->count > FCPS_WORDS_MAX)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, field, error, "more than %d words.", FCPS_WORDS_MAX);
  return node->kind == FCPS_YAML_MAP ? read_map(r, node, field, dim, error) : read_list(r, node, field, dim, error);
}

fcps_status fcps_problem_file_read_words(fcps_problem_file_reader *r, const fcps_yaml_node *node, const char *field,
                                         fcps_dimension *dim, fcps_error *error)
{
  static const char *const known[] = {"choices", "ordered", "alike", "when", NULL};
  const fcps_yaml_node *ordered = fcps_yaml_get(node, "ordered"), *alike = fcps_yaml_get(node, "alike");
  const fcps_yaml_node *when = fcps_yaml_get(node, "when");
  bool is_ordered = false, is_alike = false;
  fcps_status status = fcps_yaml_only(r->yaml, node, known, error);
  if (status == FCPS_OK) status = fcps_problem_file_read_choices(r, fcps_yaml_get(node, "choices"), field, dim, error);
  if (status == FCPS_OK && ordered != NULL) status = fcps_yaml_bool(r->yaml, ordered, field, &is_ordered, error);
  if (status == FCPS_OK && alike != NULL) status = fcps_yaml_bool(r->yaml, alike, field, &is_alike, error);
  if (status == FCPS_OK && when != NULL) status = fcps_yaml_text(r->yaml, when, field, &dim->when, error);
  if (status != FCPS_OK) return status;
  r->words->choices.is_ordered = is_ordered;
  r->words->choices.is_alike = is_alike;
  return FCPS_OK;
}

/* -- One more word -- */

/* Reads an added word with its properties: {rwanda: {acid: 3}}. */
static fcps_status read_added(fcps_problem_file_reader *r, struct fcps_problem_file_words *one, const char *field,
                              const char *value, fcps_error *error)
{
  const fcps_choices *choices = &one->choices;
  const size_t width = (size_t)choices->property_count;
  fcps_yaml *const own = r->yaml;
  fcps_status status = fcps_yaml_read_text(&one->document, value, strlen(value), field, error);
  if (status != FCPS_OK) return status;
  const fcps_yaml_node *root = fcps_yaml_root(one->document);
  if (root->kind != FCPS_YAML_MAP || root->count != 1 || width == 0)
    return fcps_error_set(error, FCPS_ERR_FORMAT, field, "expected one word%s.",
                          width == 0 ? "; nothing is known of these words" : ", as in {rwanda: {acid: 3}}");
  one->words[choices->count - 1] = root->keys[0];
  r->yaml = one->document; /* From here on, positions of mistakes are positions in this text. */
  status = read_known(r, root->children[0], field, one, one->known + (size_t)(choices->count - 1) * width, error);
  r->yaml = own;
  return status;
}

fcps_status fcps_problem_file_add_word(fcps_problem_file_reader *r, const char *name, const char *value,
                                       fcps_error *error)
{
  char field[FCPS_NAME_MAX + 16];
  snprintf(field, sizeof field, "choices.%.63s", name);
  fcps_dimension *dim = NULL;
  int space = 0;
  const fcps_status found = fcps_problem_file_find_dimension(r, name, field, &dim, &space, error);
  if (found != FCPS_OK) return found;
  if (dim->choices == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, field, "'%.63s' is a number: it does not choose among words.",
                          name);
  const fcps_choices old = *dim->choices;
  const size_t width = (size_t)old.property_count;
  struct fcps_problem_file_words *one = give_words(r, old.count + 1, old.property_count, dim);
  if (one == NULL || (one->added = fcps_copy_text(value)) == NULL) return fcps_error_memory(error);
  memcpy(one->words, old.words, (size_t)old.count * sizeof *one->words);
  memcpy(one->properties, old.properties, width * sizeof *one->properties);
  memcpy(one->known, old.known, (size_t)old.count * width * sizeof(double));
  one->choices.is_ordered = old.is_ordered;
  one->choices.is_alike = old.is_alike;
  one->words[old.count] = one->added;
  if (width > 0 && value[0] != '{')
    return fcps_error_set(error, FCPS_ERR_FORMAT, field,
                          "'%.60s' needs what is known of the other words: '{%.60s: {%.60s: NUMBER%s}}'.", value, value,
                          old.properties[0], width > 1 ? ", ..." : "");
  const fcps_status status = value[0] == '{' ? read_added(r, one, field, one->added, error) : FCPS_OK;
  return status == FCPS_OK ? fcps_choices_check(dim, field, error) : status;
}

/* -- The keys learner, contexts and run: how the problem is learnt and run -- */

#define FIELD_SIZE 80

/* Reads {name: outcome, kappa: 2}, a name with settings, or only the name. */
fcps_status fcps_problem_file_read_learner(fcps_problem_file_reader *r, const fcps_yaml_node *node, fcps_error *error)
{
  const int count = node != NULL && node->kind == FCPS_YAML_MAP ? node->count : 0;
  if ((r->settings = fcps_allocate((size_t)count + 1, sizeof *r->settings)) == NULL) return fcps_error_memory(error);
  r->file.settings = r->settings;
  if (node == NULL) return FCPS_OK;
  if (node->kind == FCPS_YAML_TEXT) return fcps_yaml_text(r->yaml, node, "learner", &r->file.learner, error);

  fcps_status status = fcps_yaml_expect(r->yaml, node, FCPS_YAML_MAP, "learner", error);
  fcps_setting *setting = r->settings;
  for (int i = 0; status == FCPS_OK && i < count; i++) {
    char field[FIELD_SIZE];
    snprintf(field, sizeof field, "learner.%.60s", node->keys[i]);
    const char *text = NULL;
    status = fcps_yaml_text(r->yaml, node->children[i], field, &text, error);
    if (status != FCPS_OK) break;
    if (strcmp(node->keys[i], "name") == 0)
      r->file.learner = text;
    else
      *setting++ = (fcps_setting){node->keys[i], text};
  }
  if (status == FCPS_OK && r->file.learner == NULL)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "learner", error, "has no name; write {name: outcome}.");
  return status;
}

/* Reads uniform, program, {boxes: [...]} or {csv: FILE}. */
fcps_status fcps_problem_file_read_contexts(fcps_problem_file_reader *r, const fcps_yaml_node *node, fcps_error *error)
{
  static const char *const known[] = {"boxes", "csv", NULL};
  static const char *const remedy = "expected uniform, program, {boxes: [...]} or {csv: FILE}.";
  if (node == NULL) return FCPS_OK;
  if (node->kind == FCPS_YAML_TEXT) {
    if (strcmp(node->text, "program") == 0)
      r->file.contexts = FCPS_CONTEXT_PROGRAM;
    else if (strcmp(node->text, "uniform") != 0)
      return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "contexts", error, "%s", remedy);
    return FCPS_OK;
  }
  fcps_status status = fcps_yaml_expect(r->yaml, node, FCPS_YAML_MAP, "contexts", error);
  if (status == FCPS_OK) status = fcps_yaml_only(r->yaml, node, known, error);
  if (status == FCPS_OK && node->count != 1)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "contexts", error, "%s", remedy);
  if (status != FCPS_OK) return status;
  const fcps_yaml_node *boxes = fcps_yaml_get(node, "boxes");
  if (boxes != NULL) {
    r->file.contexts = FCPS_CONTEXT_BOXES;
    status = fcps_boxes_read(r->yaml, boxes, &r->file.problem, &r->file.box_count, &r->boxes, error);
    r->file.boxes = r->boxes;
    return status;
  }
  r->file.contexts = FCPS_CONTEXT_CSV;
  return fcps_yaml_text(r->yaml, node->children[0], "contexts.csv", &r->file.contexts_csv, error);
}

static fcps_status read_command(fcps_problem_file_reader *r, const fcps_yaml_node *node, fcps_error *error)
{
  if (node->kind == FCPS_YAML_TEXT)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "run.command", error,
                           "expected a list of the words of \"%.64s\", as in [python3, trial.py].", node->text);
  fcps_status status = fcps_yaml_expect(r->yaml, node, FCPS_YAML_LIST, "run.command", error);
  if (status == FCPS_OK && node->count == 0)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "run.command", error,
                           "the list is empty; write [PROGRAM, ARGUMENT, ...].");
  if (status == FCPS_OK && (r->command = fcps_allocate((size_t)node->count + 1, sizeof *r->command)) == NULL)
    return fcps_error_memory(error);
  for (int i = 0; status == FCPS_OK && i < node->count; i++)
    status = fcps_yaml_text(r->yaml, node->children[i], "run.command", &r->command[i], error);
  r->file.command = r->command;
  return status;
}

static fcps_status read_mode(fcps_problem_file_reader *r, const fcps_yaml_node *node, fcps_error *error)
{
  const char *text = NULL;
  const fcps_status status = fcps_yaml_text(r->yaml, node, "run.mode", &text, error);
  if (status != FCPS_OK) return status;
  r->file.process_per_rollout = strcmp(text, "once") == 0;
  if (!r->file.process_per_rollout && strcmp(text, "serve") != 0)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "run.mode", error,
                           "no mode '%s'; choose serve (one process for many rollouts) or once (one process each).",
                           text);
  return FCPS_OK;
}

/* Reads {command: [PROGRAM, ARGUMENT, ...], timeout_s: 30, mode: serve}. */
fcps_status fcps_problem_file_read_run(fcps_problem_file_reader *r, const fcps_yaml_node *node, fcps_error *error)
{
  static const char *const known[] = {"command", "timeout_s", "mode", NULL};
  if (node == NULL) return FCPS_OK;
  fcps_status status = fcps_yaml_expect(r->yaml, node, FCPS_YAML_MAP, "run", error);
  if (status == FCPS_OK) status = fcps_yaml_only(r->yaml, node, known, error);
  if (status != FCPS_OK) return status;
  const fcps_yaml_node *command = fcps_yaml_get(node, "command"), *limit = fcps_yaml_get(node, "timeout_s");
  const fcps_yaml_node *mode = fcps_yaml_get(node, "mode");
  if (command == NULL || limit == NULL)
    return fcps_yaml_error(r->yaml, node, FCPS_ERR_FORMAT, "run", error,
                           "needs both `command: [PROGRAM, ...]` and `timeout_s`, the most one rollout may take.");
  status = read_command(r, command, error);
  if (status == FCPS_OK) status = fcps_yaml_number(r->yaml, limit, "run.timeout_s", &r->file.timeout_s, error);
  if (status == FCPS_OK && !(r->file.timeout_s > 0.0 && r->file.timeout_s <= 1e6))
    return fcps_yaml_error(r->yaml, limit, FCPS_ERR_BOUNDS, "run.timeout_s", error,
                           "must be above 0 and at most 1e6 seconds.");
  if (status == FCPS_OK && mode != NULL) status = read_mode(r, mode, error);
  return status;
}
