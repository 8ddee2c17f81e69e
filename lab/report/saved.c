/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files of a finished experiment or run. Reading fails if a file is missing or malformed. If a field is
 * missing in a well-formed file, its value is "", 0, NaN or NULL.
 *
 * Baselines are also looked up here, because all experiments are read here. The row with the paper's numbers is often
 * in another experiment than the claim that needs it. */
#include "lab/report/saved.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUMMARY_LIMIT = 1 << 24 };

/* -- Reading -- */

fcps_status fcps_saved_experiment_path(const fcps_saved_experiment *saved, const char *name,
                                       char path[FCPS_SAVED_EXPERIMENT_PATH], fcps_error *error)
{
  return fcps_file_join(saved->folder, name, FCPS_SAVED_EXPERIMENT_PATH, path, error);
}

static fcps_status read_summary(fcps_json **summary, const char *folder, fcps_error *error)
{
  char path[FCPS_SAVED_EXPERIMENT_PATH];
  const fcps_status status = fcps_file_join(folder, "summary.json", sizeof path, path, error);
  return status == FCPS_OK ? fcps_json_read_file(summary, path, SUMMARY_LIMIT, error) : status;
}

static fcps_status read_table(fcps_csv *table, const char *folder, const char *name, bool is_optional,
                              fcps_error *error)
{
  char path[FCPS_SAVED_EXPERIMENT_PATH];
  const fcps_status status = fcps_file_join(folder, name, sizeof path, path, error);
  if (status != FCPS_OK) return status;
  if (is_optional && access(path, F_OK) != 0) return FCPS_OK;
  return fcps_csv_read_file(table, path, error);
}

fcps_status fcps_saved_experiment_read(fcps_saved_experiment *saved, const char *folder, fcps_error *error)
{
  *saved = (fcps_saved_experiment){0};
  if (snprintf(saved->folder, FCPS_SAVED_EXPERIMENT_PATH, "%s", folder) >= FCPS_SAVED_EXPERIMENT_PATH) {
    return fcps_error_set(error, FCPS_ERR_IO, "directory", "the path of the folder is too long");
  }
  fcps_status status = read_summary(&saved->summary, folder, error);
  if (status == FCPS_OK) status = read_table(&saved->curves, folder, "curves.csv", false, error);
  if (status == FCPS_OK) status = read_table(&saved->claims, folder, "claims.csv", false, error);
  if (status == FCPS_OK) status = read_table(&saved->map, folder, "map.csv", true, error);
  if (status != FCPS_OK) fcps_saved_experiment_destroy(saved);
  return status;
}

void fcps_saved_experiment_destroy(fcps_saved_experiment *saved)
{
  fcps_json_destroy(saved->summary);
  fcps_csv_destroy(&saved->curves);
  fcps_csv_destroy(&saved->claims);
  fcps_csv_destroy(&saved->map);
  *saved = (fcps_saved_experiment){0};
}

/* -- Looking inside -- */

const fcps_json *fcps_saved_experiment_row(const fcps_saved_experiment *saved, int index)
{
  return fcps_json_at(fcps_json_get(saved->summary, "rows"), index);
}

const fcps_json *fcps_saved_experiment_row_labelled(const fcps_saved_experiment *saved, const char *label)
{
  const fcps_json *row;
  for (int i = 0; (row = fcps_saved_experiment_row(saved, i)) != NULL; i++) {
    if (strcmp(fcps_json_get_text(row, "label", ""), label) == 0) return row;
  }
  return NULL;
}

const fcps_json *fcps_saved_experiment_figure(const fcps_saved_experiment *saved, int index)
{
  return fcps_json_at(fcps_json_get(saved->summary, "figures"), index);
}

const fcps_json *fcps_saved_experiment_line(const fcps_saved_experiment *saved, int index, double *value)
{
  const fcps_json *line = fcps_json_at(fcps_json_get(saved->summary, "lines"), index);
  *value = fcps_json_get_number(line, "value", NAN);
  return line;
}

int fcps_saved_experiment_mark_count(const fcps_json *row)
{
  return fcps_json_count(fcps_json_get(row, "cumulative"));
}

fcps_saved_experiment_mark fcps_saved_experiment_mark_at(const fcps_json *row, int index)
{
  double values[5] = {NAN, NAN, NAN, NAN, NAN};
  fcps_json_numbers(fcps_json_at(fcps_json_get(row, "cumulative"), index), 5, values);
  return (fcps_saved_experiment_mark){values[0], values[1], values[2], values[3], values[4]};
}

bool fcps_saved_experiment_has_paper(const fcps_json *row)
{
  for (int i = 0; i < fcps_saved_experiment_mark_count(row); i++) {
    if (!isnan(fcps_saved_experiment_mark_at(row, i).paper_mean)) return true;
  }
  return false;
}

const char *fcps_saved_experiment_claim(const fcps_saved_experiment *saved, int claim, const char *column)
{
  const int index = fcps_csv_column(&saved->claims, column);
  return index >= 0 ? fcps_csv_cell(&saved->claims, claim, index) : "";
}

bool fcps_saved_experiment_claim_is_ours(const fcps_saved_experiment *saved, int claim)
{
  return strcmp(fcps_saved_experiment_claim(saved, claim, "source"), "ours") == 0;
}

int fcps_saved_experiment_count(const fcps_saved_experiment *saved, const char *verdict, bool are_ours)
{
  int count = 0;
  for (int i = 0; i < saved->claims.rows; i++)
    count += fcps_saved_experiment_claim_is_ours(saved, i) == are_ours &&
             strcmp(fcps_saved_experiment_claim(saved, i, "verdict"), verdict) == 0;
  return count;
}

char *fcps_saved_experiment_number(double mean, double sd, size_t size, char *text)
{
  const int decimals = fabs(mean) >= 100.0 ? 0 : fabs(mean) >= 1.0 ? 2 : 3;
  if (isnan(mean))
    text[0] = '\0';
  else if (isnan(sd))
    snprintf(text, size, "%.*f", decimals, mean);
  else
    snprintf(text, size, "%.*f ± %.*f", decimals, mean, decimals, sd);
  return text;
}

/* -- All experiments -- */

/* A folder counts as a finished experiment if it has claims.csv, which is written after the last run. Experiments are
 * sorted by their order, then by name. */

static fcps_status add_folder(fcps_saved_experiments *all, const char *directory, const char *name, fcps_error *error)
{
  char folder[FCPS_SAVED_EXPERIMENT_PATH], claims[FCPS_SAVED_EXPERIMENT_PATH];
  fcps_status status = fcps_file_join(directory, name, sizeof folder, folder, error);
  if (status == FCPS_OK) status = fcps_file_join(folder, "claims.csv", sizeof claims, claims, error);
  if (status != FCPS_OK) return status;
  /* this is another kind of folder, or an experiment that is not finished */
  if (access(claims, F_OK) != 0) return FCPS_OK;
  if (!fcps_reserve((void **)&all->items, &all->capacity, all->count + 1, sizeof *all->items)) {
    return fcps_error_memory(error);
  }
  status = fcps_saved_experiment_read(&all->items[all->count], folder, error);
  if (status == FCPS_OK) all->count++;
  return status;
}

static int compare(const void *a, const void *b)
{
  const fcps_json *first = ((const fcps_saved_experiment *)a)->summary,
                  *second = ((const fcps_saved_experiment *)b)->summary;
  const int64_t one = fcps_json_get_integer(first, "order", 0), other = fcps_json_get_integer(second, "order", 0);
  if (one != other) return one > other ? 1 : -1;
  return strcmp(fcps_json_get_text(first, "name", ""), fcps_json_get_text(second, "name", ""));
}

fcps_status fcps_saved_experiments_read(fcps_saved_experiments *all, const char *directory, fcps_error *error)
{
  *all = (fcps_saved_experiments){0};
  DIR *folder = opendir(directory);
  if (folder == NULL) return fcps_error_set(error, FCPS_ERR_IO, directory, "cannot be read");
  fcps_status status = FCPS_OK;
  for (struct dirent *entry; status == FCPS_OK && (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] != '.') status = add_folder(all, directory, entry->d_name, error);
  }
  closedir(folder);
  if (status != FCPS_OK) fcps_saved_experiments_destroy(all);
  if (all->count > 0) qsort(all->items, all->count, sizeof *all->items, compare);
  return status;
}

void fcps_saved_experiments_destroy(fcps_saved_experiments *all)
{
  for (size_t i = 0; i < all->count; i++)
    fcps_saved_experiment_destroy(&all->items[i]);
  free(all->items);
  *all = (fcps_saved_experiments){0};
}

/* -- Baselines -- */

/* The standard error of the difference between our mean and the paper's. Our mean of n seeds has the standard error
 * s/sqrt(n), the paper's mean that of its ten runs. The squares of the two add up. */

enum { PAPER_RUNS = 10 };

static void add_words(size_t size, char *text, const char *words)
{
  const size_t length = strlen(text);
  if (length < size) snprintf(text + length, size - length, "%s%s", length > 0 ? "; " : "", words);
}

/* Whether two rows have the same learner with the same settings on the same task. */
static bool are_same(const fcps_saved_experiment *a, const fcps_json *row_a, const fcps_saved_experiment *b,
                     const fcps_json *row_b)
{
  static const char *const keys[] = {"learner", "settings", "task", "task_settings"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(fcps_json_get_text(row_a, keys[i], ""), fcps_json_get_text(row_b, keys[i], "")) != 0) return false;
  return strcmp(fcps_json_get_text(a->summary, "task", ""), fcps_json_get_text(b->summary, "task", "")) == 0;
}

/* Adds to `text` how our numbers of a row differ from the paper's. */
static void say_row(const fcps_saved_experiment *saved, const fcps_json *row, size_t size, char *text)
{
  const double seeds = (double)fcps_json_get_integer(saved->summary, "seed_count", 0);
  for (int i = 0; i < fcps_saved_experiment_mark_count(row); i++) {
    const fcps_saved_experiment_mark mark = fcps_saved_experiment_mark_at(row, i);
    const double se = mark.sd / sqrt(seeds), paper_se = mark.paper_sd / sqrt(PAPER_RUNS);
    const double difference = mark.mean - mark.paper_mean;
    char words[256], ours[64], paper[64];
    /* not true for NaN, which means that the paper has no number */
    if (!(fabs(difference) > 2.0 * hypot(se, paper_se))) continue;
    snprintf(words, sizeof words, "%s is %s than the paper's: %s after %.0f episodes, the paper %s",
             fcps_json_get_text(row, "title", ""), difference > 0 ? "stronger" : "weaker",
             fcps_saved_experiment_number(mark.mean, se, sizeof ours, ours), mark.episode,
             fcps_saved_experiment_number(mark.paper_mean, paper_se, sizeof paper, paper));
    add_words(size, text, words);
  }
}

/* Adds to `text` how our numbers differ from the paper's in the first row, in any experiment, that is the same and has
 * numbers of the paper. */
static void say_same(const fcps_saved_experiments *all, const fcps_saved_experiment *saved, const fcps_json *row,
                     size_t size, char *text)
{
  for (size_t i = 0; i < all->count; i++) {
    const fcps_saved_experiment *other = &all->items[i];
    const fcps_json *found;
    for (int j = 0; (found = fcps_saved_experiment_row(other, j)) != NULL; j++) {
      if (!fcps_saved_experiment_has_paper(found) || !are_same(saved, row, other, found)) continue;
      say_row(other, found, size, text);
      return;
    }
  }
}

char *fcps_baselines_say(const fcps_saved_experiments *all, const fcps_saved_experiment *saved, int claim, size_t size,
                         char *text)
{
  const char *labels = strchr(fcps_saved_experiment_claim(saved, claim, "rows"), ' ');
  text[0] = '\0';
  while (labels != NULL) { /* `labels` is like " bo-cps c-reps" here: all labels but the first */
    char label[128];
    const char *end = strchr(++labels, ' ');
    snprintf(label, sizeof label, "%.*s", (int)(end != NULL ? (size_t)(end - labels) : strlen(labels)), labels);
    const fcps_json *row = fcps_saved_experiment_row_labelled(saved, label);
    if (row != NULL) say_same(all, saved, row, size, text);
    labels = end;
  }
  return text;
}

/* -- A run --
 *
 * Every run has summary.json, episodes.csv and offline.csv. If map.csv is missing, the map is an empty table. */

fcps_status fcps_saved_run_read(fcps_saved_run *results, const char *directory, fcps_error *error)
{
  *results = (fcps_saved_run){0};
  fcps_status status = read_summary(&results->summary, directory, error);
  if (status == FCPS_OK) status = read_table(&results->episodes, directory, "episodes.csv", false, error);
  if (status == FCPS_OK) status = read_table(&results->offline, directory, "offline.csv", false, error);
  if (status == FCPS_OK) status = read_table(&results->map, directory, "map.csv", true, error);
  if (status != FCPS_OK) fcps_saved_run_destroy(results);
  return status;
}

void fcps_saved_run_destroy(fcps_saved_run *results)
{
  fcps_csv_destroy(&results->episodes);
  fcps_csv_destroy(&results->offline);
  fcps_csv_destroy(&results->map);
  fcps_json_destroy(results->summary);
  *results = (fcps_saved_run){0};
}

fcps_status fcps_saved_run_number(const fcps_csv *table, int row, int column, double *value, fcps_error *error)
{
  *value = NAN;
  if (*fcps_csv_cell(table, row, column) == '\0') return FCPS_OK;
  return fcps_csv_number(table, row, column, value, error);
}

const char *fcps_saved_run_source(const fcps_saved_run *results, const char *key)
{
  return fcps_json_get_text(fcps_json_get(results->summary, "source"), key, "");
}

static const fcps_json *target_space(const fcps_saved_run *results)
{
  return fcps_json_get(fcps_json_get(results->summary, "spaces"), "target");
}

int fcps_saved_run_target_count(const fcps_saved_run *results)
{
  return fcps_json_count(target_space(results));
}

char *fcps_saved_run_target_label(const fcps_saved_run *results, int index, size_t size, char *label)
{
  /* in the summary a dimension is [name, lower, upper, period, scale, unit] */
  const fcps_json *dimension = fcps_json_at(target_space(results), index);
  const char *name = fcps_json_text(fcps_json_at(dimension, 0)), *unit = fcps_json_text(fcps_json_at(dimension, 5));
  if (unit != NULL && *unit)
    snprintf(label, size, "%s (%s)", name != NULL ? name : "", unit);
  else
    snprintf(label, size, "%s", name != NULL ? name : "");
  return label;
}
