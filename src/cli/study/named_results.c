/* SPDX-License-Identifier: Apache-2.0 */
/* A name is read as numbers; then the results of the study are compared with them, in the order told. */
#include "cli/study/named_results.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ASK.N, or the number of a result without an ask: then N is 0. */
typedef struct result_name {
  int64_t number, result_number;
} result_name;

/* Reads a name up to `end`; false: it is none. */
static bool read_name(const char *text, size_t length, result_name *name)
{
  char word[64], rest = 0;
  if (length == 0 || length >= sizeof word || strspn(text, "0123456789.") < length) return false;
  snprintf(word, sizeof word, "%.*s", (int)length, text);
  *name = (result_name){0};
  const int count = sscanf(word, "%" SCNd64 ".%" SCNd64 "%c", &name->number, &name->result_number, &rest);
  if (count == 1) return name->number >= 1 && strchr(word, '.') == NULL;
  return count == 2 && name->number >= 1 && name->result_number >= 1;
}

static bool is_between(const fcps_stored_result *r, result_name first, result_name last)
{
  const bool is_asked = first.result_number > 0;
  const int64_t number = is_asked ? r->ask : r->sequence;
  if ((r->ask != FCPS_NOT_ASKED) != is_asked || (is_asked && r->result_number != first.result_number)) return false;
  return number >= first.number && number <= last.number;
}

static fcps_status add(cli_named_results *found, const fcps_stored_result *r)
{
  if (!fcps_reserve((void **)&found->items, &found->capacity, found->count + 1, sizeof *found->items))
    return FCPS_ERR_MEMORY;
  cli_named_result *item = &found->items[found->count++];
  *item = (cli_named_result){.sequence = r->sequence,
                             .is_used = r->is_used,
                             .was_used = r->was_used,
                             .is_suspect = r->is_suspect,
                             .is_confirmed = r->result.rollout.is_confirmed,
                             .went_wrong =
                                 r->result.rollout.status != FCPS_ROLLOUT_OK || r->result.rollout.outcome == NULL};
  fcps_wire_result_name(r, item->name);
  return FCPS_OK;
}

/* One word of the list. */
static fcps_status find_word(const fcps_study *study, const char *option, const char *word, cli_named_results *found,
                             fcps_error *error)
{
  result_name first, last;
  const char *dash = strchr(word, '-');
  const size_t length = dash != NULL ? (size_t)(dash - word) : strlen(word), before = found->count;
  bool is_name = read_name(word, length, &first);
  last = first;
  if (is_name && dash != NULL) is_name = read_name(dash + 1, strlen(dash + 1), &last);
  if (!is_name)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option,
                          "\"%s\" is not a result; write ASK.N as in 42.2, or its number, or a range as in 30.1-39.1",
                          word);
  if (first.result_number != last.result_number || first.number > last.number)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option,
                          "\"%s\" is not a range of results; write the smaller ask first and the same number behind "
                          "the point, as in 30.1-39.1",
                          word);
  fcps_status status = FCPS_OK;
  for (int i = 0; i < fcps_study_result_count(study) && status == FCPS_OK; i++) {
    fcps_stored_result r;
    fcps_study_result_at(study, i, &r);
    if (is_between(&r, first, last)) status = add(found, &r);
  }
  if (status != FCPS_OK) return fcps_error_memory(error);
  if (found->count > before) return FCPS_OK;
  fcps_stored_result counting;
  if (first.result_number == 0 && dash == NULL && fcps_study_result_of(study, first.number, &counting))
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, option,
                          "there is no result %s; the result of ask %s is called %s.%d", word, word, word,
                          counting.result_number);
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, option, "there is no result %s; `fcps study log` lists them",
                        word);
}

fcps_status cli_named_results_find(const fcps_study *study, const char *option, const char *text,
                                   cli_named_results *found, fcps_error *error)
{
  fcps_status status = *text ? FCPS_OK : find_word(study, option, "", found, error);
  for (const char *rest = text; status == FCPS_OK && *rest;) {
    char word[128];
    const size_t length = strcspn(rest, ",");
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), rest);
    status = find_word(study, option, word, found, error);
    rest += length + (rest[length] == ',');
  }
  return status;
}

void cli_named_results_destroy(cli_named_results *found)
{
  free(found->items);
  *found = (cli_named_results){0};
}
