/* SPDX-License-Identifier: Apache-2.0 */
/* From finished runs to verdicts: writes the tables, the claims, the summary that the report reads, and the times. */
#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "format/json.h"
#include "lab/experiment/experiment_impl.h"
#include "lab/experiment/judge.h"
#include "lab/experiment/oracle.h"
#include "lab/experiment/results.h"
#include "lab/experiment/tables.h"
#include "linalg/dense.h"
#include "problem/contexts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- The summary -- */

/* Writes summary.json. A number that does not exist is NaN, so that every row has the same fields. */

/* Cumulative rewards are shown after each multiple of this number of episodes, unless the paper gives other
 * episodes. */
enum { MARK_EVERY = 50 };

/* Settings as a text: "kappa 0.5, kernel matern32". */
static fcps_json *settings_text(const fcps_setting *settings)
{
  char text[1024] = "";
  for (size_t length = 0; settings->name != NULL && length < sizeof text; settings++) {
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %s", length ? ", " : "", settings->name,
                               settings->value);
  }
  return fcps_json_from_text(text);
}

/* -- The rows -- */

/* One cumulative reward: [episode, paper's mean, paper's sd, our mean, our sd]; NaN if the paper has no number. */
static fcps_json *mark_json(const fcps_experiment_results *results, int row, int64_t episode)
{
  const fcps_experiment *experiment = results->experiment;
  double values[5] = {(double)episode, NAN, NAN};
  for (int i = 0; i < experiment->rows[row].paper_count; i++) {
    const fcps_paper_value *paper = &experiment->rows[row].paper[i];
    if (paper->episode == episode) values[1] = paper->mean, values[2] = paper->sd;
  }
  fcps_experiment_results_measure(results, row, FCPS_MEASURE_CUMULATIVE, episode, results->scratch);
  const fcps_statistics ours = fcps_statistics_of(experiment->seed_count, results->scratch);
  values[3] = ours.mean;
  values[4] = ours.sd;
  return fcps_json_from_numbers(5, values);
}

static fcps_json *marks_json(const fcps_experiment_results *results, int row)
{
  const int64_t episodes = fcps_experiment_episodes(results->experiment);
  fcps_json *json = fcps_json_array();
  for (int64_t i = MARK_EVERY; i < episodes + MARK_EVERY; i += MARK_EVERY) {
    fcps_json_add(&json, mark_json(results, row, i < episodes ? i : episodes));
  }
  return json;
}

/* [mean, sd] of the offline reward of the last policies. */
static fcps_json *offline_json(const fcps_experiment_results *results, int row)
{
  const fcps_experiment *experiment = results->experiment;
  fcps_experiment_results_measure(results, row, FCPS_MEASURE_OFFLINE, fcps_experiment_episodes(experiment),
                                  results->scratch);
  const fcps_statistics ours = fcps_statistics_of(experiment->seed_count, results->scratch);
  const double values[2] = {ours.mean, ours.sd};
  return fcps_json_from_numbers(2, values);
}

/* The offline reward of the best possible policies, as a mean over the worlds of all seeds. */
static double mean_optimum(const fcps_experiment_results *results, int row)
{
  const int count = results->experiment->seed_count, first = fcps_experiment_first_in_world(results->experiment, row);
  for (int i = 0; i < count; i++)
    results->scratch[i] = fcps_experiment_results_run(results, first, i)->optimum;
  return fcps_statistics_of(count, results->scratch).mean;
}

/* Describes what a row was when the first run began; "" if the row has not changed. */
static fcps_json *row_was(const fcps_experiment_results *results, int row)
{
  char *words = fcps_definition_row_was(results->kept, results->experiment, row);
  fcps_json *json = words != NULL ? fcps_json_from_text(words) : NULL;
  fcps_free(words);
  return json;
}

static fcps_json *row_json(const fcps_experiment_results *results, int row)
{
  const fcps_row *learner = &results->experiment->rows[row];
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "label", fcps_json_from_text(learner->label));
  fcps_json_put(&json, "title", fcps_json_from_text(learner->title));
  fcps_json_put(&json, "learner", fcps_json_from_text(learner->learner));
  fcps_json_put(&json, "settings", settings_text(learner->settings));
  if (strcmp(learner->task, results->experiment->task) != 0)
    fcps_json_put(&json, "task", fcps_json_from_text(learner->task));
  fcps_json_put(&json, "task_settings", settings_text(learner->changes));
  fcps_json_put(&json, "note", fcps_json_from_text(learner->note != NULL ? learner->note : ""));
  fcps_json_put(&json, "ours", fcps_json_from_bool(learner->is_ours));
  fcps_json_put(&json, "was", row_was(results, row));
  fcps_json_put(&json, "cumulative", marks_json(results, row));
  fcps_json_put(&json, "offline", offline_json(results, row));
  fcps_json_put(&json, "optimum", fcps_json_from_number(mean_optimum(results, row)));
  return json;
}

/* -- The figures -- */

static fcps_json *labels_json(const fcps_experiment *experiment, int count, const int *rows)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < count; i++)
    fcps_json_add(&json, fcps_json_from_text(experiment->rows[rows[i]].label));
  return json;
}

/* One point of a sweep: [x, mean, standard error] at one value of the swept setting. The mean is that of a row, or of
 * its difference from another row, seed by seed. */
static fcps_json *point_json(const fcps_experiment_results *results, const fcps_figure *figure, int row, int other)
{
  const fcps_experiment *experiment = results->experiment;
  const int count = experiment->seed_count;
  const int64_t last = fcps_experiment_episodes(experiment);
  double *values = results->scratch, *others = results->scratch + count;
  fcps_experiment_results_measure(results, row, figure->measure, last, values);
  if (other >= 0) fcps_experiment_results_measure(results, other, figure->measure, last, others);
  const fcps_statistics ours =
      other >= 0 ? fcps_statistics_of_differences(count, values, others) : fcps_statistics_of(count, values);
  return fcps_json_from_numbers(3, (const double[]){experiment->rows[row].x, ours.mean, ours.se});
}

/* The lines of a sweep: {place, title, points}; place is the index among the series. */
static fcps_json *series_json(const fcps_experiment_results *results, const fcps_figure *figure)
{
  const fcps_experiment *experiment = results->experiment;
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < figure->row_count; i++) {
    fcps_json *line = fcps_json_object(), *points = fcps_json_array();
    fcps_json_put(&line, "place", fcps_json_from_integer(figure->rows[i] / experiment->sweep.count));
    fcps_json_put(&line, "title", fcps_json_from_text(experiment->rows[figure->rows[i]].series_title));
    for (int p = 0; p < experiment->sweep.count; p++) {
      const int other = figure->against >= 0 ? figure->against + p : -1;
      fcps_json_add(&points, point_json(results, figure, figure->rows[i] + p, other));
    }
    fcps_json_put(&line, "points", points);
    fcps_json_add(&json, line);
  }
  return json;
}

/* A title with the number of seeds: "Learning curves (30 seeds)". */
static fcps_json *title_with_seeds(const fcps_experiment *experiment, const char *title)
{
  char text[512];
  snprintf(text, sizeof text, "%s (%d %s)", title, experiment->seed_count,
           experiment->seed_count == 1 ? "seed" : "seeds");
  return fcps_json_from_text(text);
}

static fcps_json *figure_json(const fcps_experiment_results *results, const fcps_figure *figure)
{
  const fcps_experiment *experiment = results->experiment;
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "name", fcps_json_from_text(figure->name));
  fcps_json_put(&json, "title", title_with_seeds(experiment, figure->title));
  fcps_json_put(&json, "kind", fcps_json_from_text(fcps_figure_kind_names[figure->kind]));
  fcps_json_put(&json, "measure", fcps_json_from_text(fcps_measure_names[figure->measure]));
  fcps_json_put(&json, "rows", labels_json(experiment, figure->row_count, figure->rows));
  if (figure->kind != FCPS_FIGURE_SWEEP) return json;
  const char *other = figure->against >= 0 ? experiment->rows[figure->against].series_title : "";
  fcps_json_put(&json, "axis", fcps_json_from_text(experiment->sweep.title));
  fcps_json_put(&json, "against", fcps_json_from_text(other));
  fcps_json_put(&json, "lines", series_json(results, figure));
  return json;
}

static void add_line(fcps_json **lines, const char *title, double value, const char *made_by)
{
  fcps_json *item = fcps_json_object();
  fcps_json_put(&item, "title", fcps_json_from_text(title));
  fcps_json_put(&item, "value", fcps_json_from_number(value));
  fcps_json_put(&item, "made_by", fcps_json_from_text(made_by));
  fcps_json_add(lines, item);
}

/* The levels that the file states, and those that were computed. */
static fcps_json *lines_json(const fcps_experiment_results *results)
{
  const fcps_experiment *experiment = results->experiment;
  const fcps_oracle_levels *levels = &results->levels;
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < experiment->line_count; i++)
    add_line(&json, experiment->lines[i].title, experiment->lines[i].value, experiment->lines[i].made_by);
  if (experiment->oracle_rollouts == 0) return json;
  char command[1024];
  fcps_oracle_levels_command(experiment, sizeof command, command);
  if (!isnan(levels->idle)) add_line(&json, "doing nothing", levels->idle, command);
  if (!isnan(levels->random)) add_line(&json, "random parameters", levels->random, command);
  if (!isnan(levels->best)) add_line(&json, "best found by brute force", levels->best, command);
  return json;
}

static fcps_json *panel_json(const fcps_experiment *experiment)
{
  const fcps_panel *panel = &experiment->panel;
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "figure", fcps_json_from_text(panel->figure));
  fcps_json_put(&json, "title", title_with_seeds(experiment, panel->title));
  return json;
}

/* The training boxes in the first two target dimensions, for maps: [x lower, x upper, y lower, y upper]. */
static fcps_json *boxes_json(const fcps_experiment *experiment)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < experiment->box_count && fcps_experiment_problem(experiment)->target.count >= 2; i++) {
    const double *box = experiment->boxes + 2 * i * fcps_context_width(fcps_experiment_problem(experiment));
    fcps_json_add(&json, fcps_json_from_numbers(4, box));
  }
  return json;
}

/* -- The whole summary -- */

/* Seeds as text, with ranges: "1-30, 41". */
static fcps_json *seeds_text(const fcps_experiment *experiment)
{
  char text[1024] = "";
  size_t length = 0;
  for (int i = 0, next; i < experiment->seed_count && length < sizeof text; i = next) {
    const uint64_t first = experiment->seeds[i];
    next = i + 1;
    while (next < experiment->seed_count && experiment->seeds[next] == first + (uint64_t)(next - i))
      next++;
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%" PRIu64, i > 0 ? ", " : "", first);
    if (next > i + 1 && length < sizeof text)
      length += (size_t)snprintf(text + length, sizeof text - length, "-%" PRIu64, experiment->seeds[next - 1]);
  }
  return fcps_json_from_text(text);
}

static fcps_json *rows_json(const fcps_experiment_results *results)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < results->experiment->row_count; i++)
    fcps_json_add(&json, row_json(results, i));
  return json;
}

static fcps_json *figures_json(const fcps_experiment_results *results)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < results->experiment->figure_count; i++)
    fcps_json_add(&json, figure_json(results, &results->experiment->figures[i]));
  return json;
}

/* The name that git gives to the contents that the experiment's file had when the first run began. */
static const char *first_file(const fcps_experiment_results *results)
{
  const char *kept = fcps_json_text(fcps_json_get(results->kept, "file"));
  return kept != NULL ? kept : "";
}

static fcps_json *summary_json(const fcps_experiment_results *results)
{
  const fcps_experiment *experiment = results->experiment;
  char program[32];
  snprintf(program, sizeof program, "%016" PRIx64, experiment->program);
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "name", fcps_json_from_text(experiment->name));
  fcps_json_put(&json, "order", fcps_json_from_integer(experiment->order));
  fcps_json_put(&json, "title", fcps_json_from_text(experiment->title));
  fcps_json_put(&json, "about", fcps_json_from_text(experiment->about));
  fcps_json_put(&json, "caveat", fcps_json_from_text(experiment->caveat));
  fcps_json_put(&json, "task", fcps_json_from_text(experiment->task));
  fcps_json_put(&json, "task_settings", settings_text(experiment->task_settings));
  fcps_json_put(&json, "quick", fcps_json_from_bool(experiment->is_quick));
  fcps_json_put(&json, "episodes", fcps_json_from_integer(fcps_experiment_episodes(experiment)));
  fcps_json_put(&json, "seeds", seeds_text(experiment));
  fcps_json_put(&json, "seed_count", fcps_json_from_integer(experiment->seed_count));
  fcps_json_put(&json, "version", fcps_json_from_text(fcps_version()));
  fcps_json_put(&json, "program", fcps_json_from_text(program));
  fcps_json_put(&json, "file", fcps_json_from_text(experiment->file_id));
  fcps_json_put(&json, "first_file", fcps_json_from_text(first_file(results)));
  fcps_json_put(&json, "removed_claims", fcps_definition_removed_claims(results->kept, experiment));
  fcps_json_put(&json, "blas", fcps_json_from_text(fcps_blas_core()));
  fcps_json_put(&json, "boxes", boxes_json(experiment));
  fcps_json_put(&json, "rows", rows_json(results));
  fcps_json_put(&json, "figures", figures_json(results));
  fcps_json_put(&json, "lines", lines_json(results));
  if (experiment->panel.figure != NULL) fcps_json_put(&json, "panel", panel_json(experiment));
  return json;
}

static fcps_status experiment_summary_write(const fcps_experiment_results *results, const char *directory,
                                            fcps_error *error)
{
  char path[FCPS_EXPERIMENT_PATH];
  fcps_status status = fcps_experiment_path(results->experiment, directory, "summary.json", path, error);
  if (status != FCPS_OK) return status;
  fcps_json *json = summary_json(results);
  char *text = fcps_json_write(json);
  status = text != NULL ? fcps_file_replace(path, text, strlen(text), error) : fcps_error_memory(error);
  fcps_free(text);
  fcps_json_destroy(json);
  return status;
}

/* -- Verdicts -- */

/* Writes the source of a claim: "the paper, Table I" or "ours". */
static void write_source(fcps_csv_writer *csv, const fcps_claim *claim)
{
  char text[256];
  if (fcps_claim_is_ours(claim)) {
    fcps_csv_write_text(csv, "ours");
    return;
  }
  snprintf(text, sizeof text, "the paper%s%s", claim->where != NULL ? ", " : "",
           claim->where != NULL ? claim->where : "");
  fcps_csv_write_text(csv, text);
}

/* Writes the labels of the claim's rows, separated by spaces. */
static void write_labels(fcps_csv_writer *csv, const fcps_experiment *experiment, const fcps_claim *claim)
{
  char text[FCPS_EXPERIMENT_MAX_ROWS * 128] = "";
  size_t length = 0;
  for (int i = 0; i < claim->row_count; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i > 0 ? " " : "",
                               experiment->rows[claim->rows[i]].label);
  fcps_csv_write_text(csv, text);
}

static fcps_status write_judgement(fcps_csv_writer *csv, const fcps_experiment_results *results, int index,
                                   const fcps_judgement *judgement)
{
  const fcps_claim *claim = &results->experiment->claims[index];
  char *was = fcps_definition_claim_was(results->kept, results->experiment, index);
  if (was == NULL) return FCPS_ERR_MEMORY;
  fcps_csv_write_text(csv, judgement->claim);
  fcps_csv_write_text(csv, judgement->paper);
  fcps_csv_write_number(csv, judgement->ours);
  fcps_csv_write_number(csv, judgement->se);
  fcps_csv_write_text(csv, fcps_verdict_text(judgement->verdict));
  fcps_csv_write_text(csv, judgement->detail);
  fcps_csv_write_text(csv, claim->note != NULL ? claim->note : "");
  write_source(csv, claim);
  write_labels(csv, results->experiment, claim);
  fcps_csv_write_text(csv, was);
  fcps_csv_end_row(csv);
  fcps_free(was);
  return FCPS_OK;
}

/* Judges every claim and writes claims.csv. */
static fcps_status write_claims(const fcps_experiment_results *results, const char *directory, double *a, double *b,
                                fcps_error *error)
{
  static const char *const names[] = {"claim", "paper", "ours", "standard_error", "verdict", "detail", "note", "source",
                                      "rows",  "was",   NULL};
  const fcps_experiment *experiment = results->experiment;
  fcps_table_file file;
  fcps_status status = fcps_table_file_begin(&file, names, error), written = FCPS_OK;
  if (status != FCPS_OK) return status;

  for (int i = 0; i < experiment->claim_count && written == FCPS_OK; i++) {
    fcps_judgement judgement;
    fcps_judge(results, &experiment->claims[i], a, b, &judgement);
    written = write_judgement(&file.csv, results, i, &judgement);
  }
  status = fcps_table_file_end(&file, experiment, directory, "claims.csv", error);
  return written == FCPS_OK ? status : fcps_error_memory(error);
}

fcps_status fcps_experiment_judge(const fcps_experiment *experiment, const char *directory, fcps_error *error)
{
  if (experiment == NULL) return fcps_error_null(error, "experiment");
  if (directory == NULL) return fcps_error_null(error, "directory");
  fcps_experiment_results results;
  fcps_status status = fcps_experiment_results_read(&results, experiment, directory, error);
  if (status != FCPS_OK) return status;

  double *scratch = fcps_allocate(2 * (size_t)experiment->seed_count, sizeof *scratch);
  status = scratch != NULL ? fcps_experiment_results_write(&results, directory, error) : fcps_error_memory(error);
  if (status == FCPS_OK) {
    status = write_claims(&results, directory, scratch, scratch + experiment->seed_count, error);
  }
  if (status == FCPS_OK) status = experiment_summary_write(&results, directory, error);
  if (status == FCPS_OK) status = fcps_times_write(experiment, directory, error);
  free(scratch);
  fcps_experiment_results_destroy(&results);
  return status;
}
