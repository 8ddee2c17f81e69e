/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of an experiment's results: results.csv (per seed and episode), curves.csv (means over the seeds) and
 * map.csv (means per evaluation context). fcps/lab/experiment.h describes them. */
#include "lab/experiment/tables.h"

#include "base/error.h"
#include "base/number.h"
#include "format/file.h"
#include "lab/experiment/results.h"
#include "lab/experiment/single_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- results.csv -- */

static const char *const result_names[] = {"learner", "seed", "episode", "reward", "cumulative", "offline", NULL};

static void write_results(fcps_csv_writer *csv, const fcps_experiment_results *results)
{
  const fcps_experiment *experiment = results->experiment;
  for (int row = 0; row < experiment->row_count; row++) {
    for (int seed = 0; seed < experiment->seed_count; seed++) {
      const fcps_experiment_run_result *run = fcps_experiment_results_run(results, row, seed);
      for (int64_t i = 0; i < run->episodes; i++) {
        fcps_csv_write_text(csv, experiment->rows[row].label);
        fcps_csv_write_integer(csv, (int64_t)experiment->seeds[seed]);
        fcps_csv_write_integer(csv, i + 1);
        fcps_csv_write_number(csv, run->rewards[i]);
        fcps_csv_write_number(csv, run->cumulative[i]);
        fcps_csv_write_number(csv, run->offline[i]);
        fcps_csv_end_row(csv);
      }
    }
  }
}

/* -- curves.csv -- */

static void write_statistics(fcps_csv_writer *csv, const fcps_experiment_results *results, int row,
                             fcps_measure measure, int64_t episode)
{
  fcps_experiment_results_measure(results, row, measure, episode, results->scratch);
  const fcps_statistics values = fcps_statistics_of(results->experiment->seed_count, results->scratch);
  fcps_csv_write_number(csv, values.mean);
  fcps_csv_write_number(csv, values.sd);
}

static const char *const curve_names[] = {"learner",    "episode", "cumulative_mean", "cumulative_sd", "offline_mean",
                                          "offline_sd", NULL};

static void write_curves(fcps_csv_writer *csv, const fcps_experiment_results *results)
{
  const fcps_experiment *experiment = results->experiment;
  for (int row = 0; row < experiment->row_count; row++) {
    for (int64_t episode = 1; episode <= fcps_experiment_episodes(experiment); episode++) {
      fcps_csv_write_text(csv, experiment->rows[row].label);
      fcps_csv_write_integer(csv, episode);
      write_statistics(csv, results, row, FCPS_MEASURE_CUMULATIVE, episode);
      write_statistics(csv, results, row, FCPS_MEASURE_OFFLINE, episode);
      fcps_csv_end_row(csv);
    }
  }
}

/* -- map.csv -- */

static bool have_same_contexts(const fcps_experiment_run_result *a, const fcps_experiment_run_result *b)
{
  const size_t targets = (size_t)a->context_count * (size_t)a->target_count * sizeof(double);
  const size_t environments = (size_t)a->context_count * (size_t)a->environment_count * sizeof(double);
  return a->context_count == b->context_count && a->target_count == b->target_count &&
         a->environment_count == b->environment_count && memcmp(a->targets, b->targets, targets) == 0 &&
         memcmp(a->environments, b->environments, environments) == 0;
}

static bool is_map_possible(const fcps_experiment_results *results)
{
  bool is_possible = true;
  for (int i = 1; i < fcps_experiment_run_count(results->experiment); i++)
    is_possible = is_possible && have_same_contexts(&results->runs[0], &results->runs[i]);
  return is_possible;
}

static double mean_reward(const fcps_experiment_results *results, int row, int context)
{
  double sum = 0.0;
  for (int seed = 0; seed < results->experiment->seed_count; seed++)
    sum += fcps_experiment_results_run(results, row, seed)->map[context];
  return sum / results->experiment->seed_count;
}

static void write_dimension_names(fcps_csv_writer *csv, const char *label, const fcps_space *space)
{
  for (int i = 0; i < space->count; i++) {
    char name[256];
    snprintf(name, sizeof name, "%s.%s", label, space->dims[i].name);
    fcps_csv_write_text(csv, name);
  }
}

/* Writes the evaluation contexts, which are the same for all seeds, with the mean reward of the last policies in
 * each. */
static void write_map(fcps_csv_writer *csv, const fcps_experiment_results *results)
{
  const fcps_experiment *experiment = results->experiment;
  const fcps_experiment_run_result *first = &results->runs[0];
  fcps_csv_write_text(csv, "learner");
  write_dimension_names(csv, "target", &fcps_experiment_problem(experiment)->target);
  write_dimension_names(csv, "environment", &fcps_experiment_problem(experiment)->environment);
  fcps_csv_write_text(csv, "reward");
  fcps_csv_end_row(csv);

  for (int row = 0; row < experiment->row_count; row++) {
    for (int i = 0; i < first->context_count; i++) {
      fcps_csv_write_text(csv, experiment->rows[row].label);
      for (int j = 0; j < first->target_count; j++)
        fcps_csv_write_number(csv, first->targets[i * first->target_count + j]);
      for (int j = 0; j < first->environment_count; j++)
        fcps_csv_write_number(csv, first->environments[i * first->environment_count + j]);
      fcps_csv_write_number(csv, mean_reward(results, row, i));
      fcps_csv_end_row(csv);
    }
  }
}

/* -- All -- */

typedef void table_fn(fcps_csv_writer *csv, const fcps_experiment_results *results);

static fcps_status write_table(const fcps_experiment_results *results, const char *directory, const char *name,
                               const char *const *column_names, table_fn *write, fcps_error *error)
{
  fcps_table_file file;
  fcps_status status = fcps_table_file_begin(&file, column_names, error);
  if (status != FCPS_OK) return status;
  write(&file.csv, results);
  return fcps_table_file_end(&file, results->experiment, directory, name, error);
}

fcps_status fcps_experiment_results_write(const fcps_experiment_results *results, const char *directory,
                                          fcps_error *error)
{
  fcps_status status = write_table(results, directory, "results.csv", result_names, write_results, error);
  if (status == FCPS_OK) status = write_table(results, directory, "curves.csv", curve_names, write_curves, error);
  if (status == FCPS_OK && is_map_possible(results)) {
    status = write_table(results, directory, "map.csv", NULL, write_map, error);
  }
  return status;
}

/* -- A table as a file -- */

/* Tables are written to memory streams; fcps_file_replace then makes the text a file. */

fcps_status fcps_table_file_begin(fcps_table_file *file, const char *const *names, fcps_error *error)
{
  *file = (fcps_table_file){0};
  file->csv.stream = open_memstream(&file->text, &file->length);
  if (file->csv.stream == NULL) return fcps_error_memory(error);
  if (names != NULL) fcps_csv_write_names(&file->csv, names);
  return FCPS_OK;
}

fcps_status fcps_table_file_end(fcps_table_file *file, const fcps_experiment *experiment, const char *directory,
                                const char *name, fcps_error *error)
{
  char path[FCPS_EXPERIMENT_PATH];
  const bool is_whole = !ferror(file->csv.stream);
  fcps_status status = fclose(file->csv.stream) == 0 && is_whole ? FCPS_OK : fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_experiment_path(experiment, directory, name, path, error);
  if (status == FCPS_OK) status = fcps_file_replace(path, file->text, file->length, error);
  free(file->text);
  return status;
}

/* -- Times -- */

/* Each run has a small file with its seconds as text; times.csv has the means per learner. A run whose file is missing
 * or unreadable is left out of the mean. */

enum { FILE_LIMIT = 64 };

fcps_status fcps_times_keep(const fcps_experiment *experiment, const char *directory, int row, uint64_t seed,
                            double seconds, fcps_error *error)
{
  char path[FCPS_EXPERIMENT_PATH], text[FCPS_NUMBER_SIZE];
  const fcps_status status = fcps_experiment_run_result_path(experiment, directory, row, seed, "seconds", path, error);
  if (status != FCPS_OK) return status;
  fcps_number_write(seconds, text);
  return fcps_file_replace(path, text, strlen(text), error);
}

/* The processor time of a run in seconds; NaN if it is unknown. */
static double seconds_of(const fcps_experiment *experiment, const char *directory, int row, uint64_t seed)
{
  char path[FCPS_EXPERIMENT_PATH], *text = NULL;
  size_t length = 0;
  double seconds = NAN;
  if (fcps_experiment_run_result_path(experiment, directory, row, seed, "seconds", path, NULL) != FCPS_OK) return NAN;
  if (fcps_file_read(path, FILE_LIMIT, &text, &length, NULL) != FCPS_OK) return NAN;
  if (!fcps_number_read(text, &seconds)) seconds = NAN;
  fcps_free(text);
  return seconds;
}

fcps_status fcps_times_write(const fcps_experiment *experiment, const char *directory, fcps_error *error)
{
  static const char *const names[] = {"learner", "runs", "seconds", "milliseconds_an_episode", NULL};
  fcps_table_file file;
  const fcps_status status = fcps_table_file_begin(&file, names, error);
  if (status != FCPS_OK) return status;
  for (int row = 0; row < experiment->row_count; row++) {
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < experiment->seed_count; i++) {
      const double seconds = seconds_of(experiment, directory, row, experiment->seeds[i]);
      if (!isnan(seconds)) sum += seconds, count++;
    }
    const double mean = count > 0 ? sum / count : NAN;
    fcps_csv_write_text(&file.csv, experiment->rows[row].label);
    fcps_csv_write_integer(&file.csv, count);
    fcps_csv_write_number(&file.csv, mean);
    fcps_csv_write_number(&file.csv, 1e3 * mean / (double)fcps_experiment_episodes(experiment));
    fcps_csv_end_row(&file.csv);
  }
  return fcps_table_file_end(&file, experiment, directory, "times.csv", error);
}
