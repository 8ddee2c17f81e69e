/* SPDX-License-Identifier: Apache-2.0 */
/* A definition contains everything that verdicts depend on, and nothing else: titles and notes may be corrected without
 * counting as a change. Claims are recognized by their text, rows by their label.
 *
 * The first run of an experiment freezes its definition. A commit could not do that: a reader who has only the results
 * must see what was changed. The definition also stores the name that git gives to the contents of the experiment's
 * file (base/checksum.h), which leads to the commit. */
#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "lab/experiment/experiment_impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FILE_LIMIT = 1 << 24, CLAIM_TEXT = 256 };

static const char file_name[] = "definition.json";
static const char added[] = "added after the first run";

/* -- Contents -- */

void fcps_definition_claim_text(const fcps_experiment *experiment, const fcps_claim *claim, size_t size, char *text)
{
  if (claim->text != NULL)
    snprintf(text, size, "%s", claim->text);
  else
    snprintf(text, size, "%s: cumulative reward after %lld episodes", experiment->rows[claim->rows[0]].title,
             (long long)claim->episode);
}

static fcps_json *numbers_json(double mean, double sd)
{
  const double values[] = {mean, sd};
  return fcps_json_from_numbers(isnan(sd) ? 1 : 2, values);
}

static fcps_json *claim_json(const fcps_experiment *experiment, const fcps_claim *claim)
{
  char text[CLAIM_TEXT];
  fcps_json *json = fcps_json_object(), *labels = fcps_json_array();
  fcps_definition_claim_text(experiment, claim, sizeof text, text);
  for (int i = 0; i < claim->row_count; i++)
    fcps_json_add(&labels, fcps_json_from_text(experiment->rows[claim->rows[i]].label));
  fcps_json_put(&json, "claim", fcps_json_from_text(text));
  fcps_json_put(&json, "kind", fcps_json_from_text(fcps_claim_kind_names[claim->kind]));
  fcps_json_put(&json, "rows", labels);
  fcps_json_put(&json, "measure", fcps_json_from_text(fcps_measure_names[claim->measure]));
  fcps_json_put(&json, "at", fcps_json_from_integer(claim->episode));
  if (!isnan(claim->level)) fcps_json_put(&json, "level", fcps_json_from_number(claim->level));
  if (!isnan(claim->most)) fcps_json_put(&json, "most", fcps_json_from_number(claim->most));
  if (!isnan(claim->paper_mean)) fcps_json_put(&json, "paper", numbers_json(claim->paper_mean, claim->paper_sd));
  fcps_json_put(&json, "ours", fcps_json_from_bool(fcps_claim_is_ours(claim)));
  return json;
}

static fcps_json *row_json(const fcps_row *row)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "label", fcps_json_from_text(row->label));
  fcps_json_put(&json, "learner", fcps_json_from_text(row->learner));
  fcps_json_put(&json, "settings", fcps_json_from_settings(row->settings));
  fcps_json_put(&json, "task", fcps_json_from_text(row->task));
  fcps_json_put(&json, "task_settings", fcps_json_from_settings(row->task_settings));
  fcps_json_put(&json, "ours", fcps_json_from_bool(row->is_ours));
  return json;
}

static fcps_json *definition_json(const fcps_experiment *experiment)
{
  char program[32];
  snprintf(program, sizeof program, "%016" PRIx64, experiment->program);
  fcps_json *json = fcps_json_object(), *rows = fcps_json_array(), *claims = fcps_json_array();
  for (int i = 0; i < experiment->row_count; i++)
    fcps_json_add(&rows, row_json(&experiment->rows[i]));
  for (int i = 0; i < experiment->claim_count; i++)
    fcps_json_add(&claims, claim_json(experiment, &experiment->claims[i]));
  fcps_json_put(&json, "file", fcps_json_from_text(experiment->file_id));
  fcps_json_put(&json, "version", fcps_json_from_text(fcps_version()));
  fcps_json_put(&json, "program", fcps_json_from_text(program));
  fcps_json_put(&json, "episodes", fcps_json_from_integer(experiment->episodes));
  fcps_json_put(&json, "evaluate", fcps_json_from_integer(experiment->evaluate_every));
  fcps_json_put(&json, "rows", rows);
  fcps_json_put(&json, "claims", claims);
  return json;
}

/* -- Keeping -- */

fcps_status fcps_definition_keep(const fcps_experiment *experiment, const char *directory, fcps_error *error)
{
  char path[FCPS_EXPERIMENT_PATH];
  fcps_status status = fcps_experiment_path(experiment, directory, file_name, path, error);
  if (status != FCPS_OK || experiment->is_quick || access(path, F_OK) == 0) return status;
  char *text = fcps_json_finish(definition_json(experiment));
  if (text == NULL) return fcps_error_memory(error);
  status = fcps_file_replace(path, text, strlen(text), error);
  fcps_free(text);
  return status;
}

fcps_status fcps_definition_read(fcps_json **kept, const fcps_experiment *experiment, const char *directory,
                                 fcps_error *error)
{
  char path[FCPS_EXPERIMENT_PATH];
  *kept = NULL;
  const fcps_status status = fcps_experiment_path(experiment, directory, file_name, path, error);
  return status == FCPS_OK && access(path, F_OK) == 0 ? fcps_json_read_file(kept, path, FILE_LIMIT, error) : status;
}

/* -- Comparing -- */

/* The entry of a list whose `key` is this text; NULL if there is none. */
static const fcps_json *find_entry(const fcps_json *list, const char *key, const char *text)
{
  for (int i = 0; i < fcps_json_count(list); i++) {
    const char *found = fcps_json_text(fcps_json_get(fcps_json_at(list, i), key));
    if (found != NULL && strcmp(found, text) == 0) return fcps_json_at(list, i);
  }
  return NULL;
}

/* Makes the text "was {...} when the first run began", with `before` in the braces. NULL if there is no memory. */
static char *say_was(const char *before)
{
  const size_t size = strlen(before) + 64;
  char *words = fcps_allocate(size, 1);
  if (words != NULL) snprintf(words, size, "was %s when the first run began", before);
  return words;
}

static char *copy_text(const char *text)
{
  return fcps_copy(text, strlen(text) + 1, 1);
}

/* Describes what an entry was in the kept definition; "" if it is the same as `now`. Destroys `now`. */
static char *describe_change(const fcps_json *kept, const char *list, const char *key, fcps_json *now)
{
  const char *name = fcps_json_text(fcps_json_get(now, key));
  const fcps_json *was = name != NULL ? find_entry(fcps_json_get(kept, list), key, name) : NULL;
  char *before = was != NULL ? fcps_json_write(was) : NULL, *after = fcps_json_finish(now), *words = NULL;
  const bool is_whole = after != NULL && (was == NULL || before != NULL);
  if (is_whole && was != NULL && strcmp(before, after) != 0)
    words = say_was(before);
  else if (is_whole)
    words = copy_text(was == NULL ? added : "");
  fcps_free(before);
  fcps_free(after);
  return words;
}

char *fcps_definition_claim_was(const fcps_json *kept, const fcps_experiment *experiment, int claim)
{
  if (kept == NULL) return copy_text("");
  return describe_change(kept, "claims", "claim", claim_json(experiment, &experiment->claims[claim]));
}

char *fcps_definition_row_was(const fcps_json *kept, const fcps_experiment *experiment, int row)
{
  if (kept == NULL) return copy_text("");
  return describe_change(kept, "rows", "label", row_json(&experiment->rows[row]));
}

fcps_json *fcps_definition_removed_claims(const fcps_json *kept, const fcps_experiment *experiment)
{
  const fcps_json *claims = fcps_json_get(kept, "claims");
  fcps_json *removed = fcps_json_array();
  for (int i = 0; i < fcps_json_count(claims); i++) {
    const char *text = fcps_json_text(fcps_json_get(fcps_json_at(claims, i), "claim"));
    bool is_there = text == NULL;
    for (int j = 0; j < experiment->claim_count && !is_there; j++) {
      char own[CLAIM_TEXT];
      fcps_definition_claim_text(experiment, &experiment->claims[j], sizeof own, own);
      is_there = strcmp(own, text) == 0;
    }
    if (!is_there) fcps_json_add(&removed, fcps_json_from_text(text));
  }
  return removed;
}
