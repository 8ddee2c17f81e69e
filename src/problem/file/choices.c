/* SPDX-License-Identifier: Apache-2.0 */
/* The words that a dimension of a problem file chooses among, in the three forms (the last two also with `when`)
 *
 *   gate: [tab, pin, fan]
 *   gate: {choices: [low, mid, high], ordered: true}
 *   bean: {choices: {kenya: {acid: 5}, brazil: {acid: 2}}, alike: true}
 *
 * A word is taken as it is written: 1 and 1.0 are two words, and `on` is on. The short form is a range if one of its items
 * looks like a number. */
#include "problem/file/reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "space/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The memory of one dimension's words; their texts belong to the document or to a change. */
struct fcps_problem_file_words {
  struct fcps_problem_file_words *next;
  fcps_choices choices;
  const char **words, **properties;
  double *known;
  char *added;         /* a word that a change adds */
  fcps_yaml *document; /* the same word with its known properties */
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

/* Gives a dimension new words, which the reader owns. NULL: out of memory. */
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

/* Reads the known properties of a word, {acid: 5, body: 3}; every word has those of the first one. */
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
  r->yaml = one->document; /* mistakes have their place in this text */
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
