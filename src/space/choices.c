/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a dimension: checking and finding them. A word may stand in a cell of a table, behind an = on a command
 * line and between quotes in a formula, so commas and double quotes are refused. */
#include "base/error.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

fcps_status fcps_choices_refuse(const fcps_dimension *dim, const char *word, const char *field, fcps_error *error)
{
  char hint[300];
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, field, "\"%.60s\" is not a word of %s; %s", word, dim->name,
                        fcps_name_hint(word, dim->choices->count, dim->choices->words, sizeof hint, hint));
}

/* -- Checking -- */

static bool has_control(const char *word)
{
  for (; *word != '\0'; word++)
    if ((unsigned char)*word < ' ' || *word == 127) return true;
  return false;
}

static fcps_status check_word(const fcps_choices *choices, int index, const char *field, fcps_error *error)
{
  const char *word = choices->words[index];
  if (word == NULL || word[0] == '\0')
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "word %d is empty; name it", index + 1);
  const size_t length = strlen(word);
  if (length > FCPS_WORD_MAX)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field,
                          "the word \"%.20s...\" has %zu characters; shorten it to %d or fewer", word, length,
                          FCPS_WORD_MAX);
  if (has_control(word) || strpbrk(word, ",\"") != NULL || word[0] == ' ' || word[length - 1] == ' ')
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field,
                          "the word \"%.60s\" has a comma, a double quote, a control character or a space at an end; "
                          "leave it out",
                          word);
  if (fcps_choices_find(choices, word) != index)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "the word \"%.60s\" is given twice; leave one out", word);
  return FCPS_OK;
}

static fcps_status check_known(const fcps_choices *choices, const char *field, fcps_error *error)
{
  if (choices->property_count < 0 || choices->property_count > FCPS_PROPERTIES_MAX)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "%d properties; a word has 0 to %d", choices->property_count,
                          FCPS_PROPERTIES_MAX);
  if (choices->property_count > 0 && (choices->known == NULL || choices->properties == NULL))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field,
                          "the number of properties is %d, but the list of properties is NULL",
                          choices->property_count);
  for (int i = 0; i < choices->count * choices->property_count; i++)
    if (!(fabs(choices->known[i]) <= FCPS_VALUE_LIMIT))
      return fcps_error_set(error, FCPS_ERR_NOT_FINITE, field, "\"%.40s\" of \"%.40s\" is not a finite number",
                            choices->properties[i % choices->property_count],
                            choices->words[i / choices->property_count]);
  return FCPS_OK;
}

fcps_status fcps_choices_check(const fcps_dimension *dim, const char *field, fcps_error *error)
{
  const fcps_choices *choices = dim->choices;
  if (choices->count < 2 || choices->count > FCPS_WORDS_MAX)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "%d word%s to choose from; give 2 to %d", choices->count,
                          choices->count == 1 ? "" : "s", FCPS_WORDS_MAX);
  if (choices->words == NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "the number of words is %d, but the list of words is NULL",
                          choices->count);
  fcps_status status = FCPS_OK;
  for (int i = 0; i < choices->count && status == FCPS_OK; i++)
    status = check_word(choices, i, field, error);
  if (status == FCPS_OK) status = check_known(choices, field, error);
  if (status != FCPS_OK) return status;
  if (choices->is_ordered && choices->is_alike)
    return fcps_error_set(
        error, FCPS_ERR_ARGUMENT, field,
        "words cannot be both ordered and alike, because words of one kind have no order; leave one of the two out");
  if (dim->lower != 0 || dim->upper != choices->count - 1 || dim->scale != FCPS_SCALE_INTEGER || dim->period != 0 ||
      dim->step != 0)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field,
                          "a dimension of %d words has the values 0 to %d on an integer scale, without period and "
                          "step; set lower, upper and scale to these",
                          choices->count, choices->count - 1);
  return FCPS_OK;
}
