/* SPDX-License-Identifier: Apache-2.0 */
/* Prints an experiment's results for a terminal, as a table of fixed columns. Widths count characters of UTF-8, not
 * bytes. */
#include "base/error.h"
#include "base/number.h"
#include "format/text.h"
#include "lab/report/page.h"
#include "lab/report/saved.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { CELL = 16, SOURCE = 11, REMARK = 18 };

/* The number of characters in a UTF-8 text. Bytes that continue a character are not counted. */
static int width_of(const char *text)
{
  int width = 0;
  for (; *text; text++)
    width += ((unsigned char)*text & 0xC0) != 0x80;
  return width;
}

static void print_left(FILE *stream, const char *text, int width)
{
  const int gap = width - width_of(text);
  fcps_shown_write(stream, text);
  fprintf(stream, "%*s", gap > 0 ? gap : 0, "");
}

static void print_right(FILE *stream, const char *text, int width)
{
  const int gap = width - width_of(text);
  fprintf(stream, "%*s", gap > 0 ? gap : 0, "");
  fcps_shown_write(stream, text);
}

/* -- The table -- */

static int title_width(const fcps_saved_experiment *saved)
{
  int width = 0;
  const fcps_json *row;
  for (int i = 0; (row = fcps_saved_experiment_row(saved, i)) != NULL; i++) {
    const int own = width_of(fcps_json_get_text(row, "title", ""));
    if (own > width) width = own;
  }
  return width + 2;
}

static void print_header(FILE *stream, const fcps_saved_experiment *saved, int titles)
{
  const fcps_json *first = fcps_saved_experiment_row(saved, 0);
  char text[64];
  fprintf(stream, "%*scumulative reward after\n%*s", titles + SOURCE + 2, "", titles + SOURCE, "");
  for (int i = 0; i < fcps_saved_experiment_mark_count(first); i++) {
    snprintf(text, sizeof text, "%.0f", fcps_saved_experiment_mark_at(first, i).episode);
    print_right(stream, text, CELL);
  }
  print_right(stream, "offline", CELL);
  fputc('\n', stream);
}

static void print_row(FILE *stream, const fcps_json *row, int titles)
{
  char text[64];
  print_left(stream, fcps_json_get_text(row, "title", ""), titles);
  if (fcps_saved_experiment_has_paper(row)) {
    print_left(stream, "the paper", SOURCE);
    for (int i = 0; i < fcps_saved_experiment_mark_count(row); i++) {
      const fcps_saved_experiment_mark mark = fcps_saved_experiment_mark_at(row, i);
      print_right(stream, fcps_saved_experiment_number(mark.paper_mean, mark.paper_sd, sizeof text, text), CELL);
    }
    fprintf(stream, "\n%*s", titles, "");
  }
  print_left(stream, "fcps", SOURCE);
  for (int i = 0; i < fcps_saved_experiment_mark_count(row); i++) {
    const fcps_saved_experiment_mark mark = fcps_saved_experiment_mark_at(row, i);
    print_right(stream, fcps_saved_experiment_number(mark.mean, mark.sd, sizeof text, text), CELL);
  }
  double offline[2] = {NAN, NAN};
  fcps_json_numbers(fcps_json_get(row, "offline"), 2, offline);
  print_right(stream, fcps_saved_experiment_number(offline[0], offline[1], sizeof text, text), CELL);
  fputc('\n', stream);
}

/* Prints the levels to compare with, below the learners. Their values stand in the last column. */
static void print_lines(FILE *stream, const fcps_saved_experiment *saved, int titles)
{
  const int marks = fcps_saved_experiment_mark_count(fcps_saved_experiment_row(saved, 0));
  const fcps_json *line;
  double value;
  char text[64];
  for (int i = 0; (line = fcps_saved_experiment_line(saved, i, &value)) != NULL; i++) {
    print_left(stream, fcps_json_get_text(line, "title", ""), titles + SOURCE + marks * CELL);
    print_right(stream, fcps_saved_experiment_number(value, NAN, sizeof text, text), CELL);
    fputc('\n', stream);
  }
}

/* -- The claims -- */

/* Writes a claim's number with its standard error, as in "-281 ± 11". Returns `text`. */
static char *our_number(const fcps_saved_experiment *saved, int claim, size_t size, char *text)
{
  double mean = NAN, se = NAN;
  fcps_number_read(fcps_saved_experiment_claim(saved, claim, "ours"), &mean);
  fcps_number_read(fcps_saved_experiment_claim(saved, claim, "standard_error"), &se);
  return fcps_saved_experiment_number(mean, se, size, text);
}

/* Prints a remark about a claim, on a line of its own. */
static void print_remark(FILE *stream, const char *words)
{
  if (*words == '\0') return;
  fprintf(stream, "%*s", REMARK, "");
  fcps_shown_write(stream, words);
  fputc('\n', stream);
}

static void print_claims(FILE *stream, const fcps_saved_experiments *all, const fcps_saved_experiment *saved)
{
  fputs("\nverdict           ours (± standard error), the paper, claim\n", stream);
  for (int i = 0; i < saved->claims.rows; i++) {
    char text[64], baseline[1024];
    print_left(stream, fcps_saved_experiment_claim(saved, i, "verdict"), REMARK);
    print_left(stream, our_number(saved, i, sizeof text, text), 16);
    print_left(stream, fcps_saved_experiment_claim(saved, i, "paper"), 16);
    fputs(fcps_saved_experiment_claim_is_ours(saved, i) ? "  (ours) " : "  ", stream);
    fcps_shown_write(stream, fcps_saved_experiment_claim(saved, i, "claim"));
    fputc('\n', stream);
    print_remark(stream, fcps_baselines_say(all, saved, i, sizeof baseline, baseline));
    print_remark(stream, fcps_saved_experiment_claim(saved, i, "was"));
  }
}

static void print_experiment(FILE *stream, const fcps_saved_experiments *all, const fcps_saved_experiment *saved)
{
  const fcps_json *summary = saved->summary, *row;
  const int titles = title_width(saved);
  fcps_shown_write(stream, fcps_json_get_text(summary, "name", ""));
  fputs(": ", stream);
  fcps_shown_write(stream, fcps_json_get_text(summary, "title", ""));
  fprintf(stream, "\n%lld episodes, seeds ", (long long)fcps_json_get_integer(summary, "episodes", 0));
  fcps_shown_write(stream, fcps_json_get_text(summary, "seeds", ""));
  fputs("; mean ± standard deviation\n\n", stream);
  print_header(stream, saved, titles);
  for (int i = 0; (row = fcps_saved_experiment_row(saved, i)) != NULL; i++)
    print_row(stream, row, titles);
  print_lines(stream, saved, titles);
  if (saved->claims.rows > 0) print_claims(stream, all, saved);
  fputc('\n', stream);
}

static fcps_json *claim_json(const fcps_saved_experiments *all, const fcps_saved_experiment *saved, int claim)
{
  static const char *const texts[] = {"claim", "paper", "verdict", "detail", "source", "was"};
  static const char *const numbers[] = {"ours", "standard_error"};
  char baseline[1024];
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "experiment", fcps_json_from_text(fcps_json_get_text(saved->summary, "name", "")));
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    fcps_json_put(&json, texts[i], fcps_json_from_text(fcps_saved_experiment_claim(saved, claim, texts[i])));
  fcps_json_put(&json, "baseline",
                fcps_json_from_text(fcps_baselines_say(all, saved, claim, sizeof baseline, baseline)));
  for (int i = 0; i < 2; i++) {
    double value;
    const bool is_known = fcps_number_read(fcps_saved_experiment_claim(saved, claim, numbers[i]), &value);
    fcps_json_put(&json, numbers[i], is_known ? fcps_json_from_number(value) : fcps_json_null());
  }
  return json;
}

/* -- The two forms -- */

/* The saved experiment with this name; NULL if there is none. */
static const fcps_saved_experiment *find_experiment(const fcps_saved_experiments *all, const char *name)
{
  for (size_t i = 0; i < all->count; i++)
    if (strcmp(fcps_json_get_text(all->items[i].summary, "name", ""), name) == 0) return &all->items[i];
  return NULL;
}

static fcps_status read_all(fcps_saved_experiments *all, const char *directory, const char *name,
                            const fcps_saved_experiment **saved, fcps_error *error)
{
  const fcps_status status = fcps_saved_experiments_read(all, directory, error);
  if (status != FCPS_OK) return status;
  *saved = find_experiment(all, name);
  if (*saved != NULL) return FCPS_OK;
  fcps_saved_experiments_destroy(all);
  return fcps_error_set(error, FCPS_ERR_IO, name, "has no results in %s", directory);
}

fcps_status fcps_report_table_print(FILE *stream, const char *directory, const char *name, fcps_error *error)
{
  fcps_saved_experiments all;
  const fcps_saved_experiment *saved;
  const fcps_status status = read_all(&all, directory, name, &saved, error);
  if (status != FCPS_OK) return status;
  print_experiment(stream, &all, saved);
  fcps_saved_experiments_destroy(&all);
  return FCPS_OK;
}

fcps_status fcps_report_table_json(FILE *stream, const char *directory, const char *name, fcps_error *error)
{
  fcps_saved_experiments all;
  const fcps_saved_experiment *saved;
  fcps_status status = read_all(&all, directory, name, &saved, error);
  if (status != FCPS_OK) return status;
  for (int i = 0; status == FCPS_OK && i < saved->claims.rows; i++) {
    char *text = fcps_json_finish(claim_json(&all, saved, i));
    if (text != NULL)
      fprintf(stream, "%s\n", text);
    else
      status = fcps_error_memory(error);
    fcps_free(text);
  }
  fcps_saved_experiments_destroy(&all);
  return status;
}

/* -- Times -- */

/* One line per row of times.csv, with the title of its learner. */

static void print_time(FILE *stream, const fcps_saved_experiment *saved, const fcps_csv *times, const int columns[3],
                       int row)
{
  double seconds, milliseconds;
  const fcps_json *learner = fcps_saved_experiment_row_labelled(saved, fcps_csv_cell(times, row, columns[0]));
  if (learner == NULL || !fcps_number_read(fcps_csv_cell(times, row, columns[1]), &seconds) ||
      !fcps_number_read(fcps_csv_cell(times, row, columns[2]), &milliseconds))
    return;
  fprintf(stream, "%10.2f %10.2f   ", seconds, milliseconds);
  fcps_shown_write(stream, fcps_json_get_text(learner, "title", ""));
  fputc('\n', stream);
}

static fcps_status print_times(FILE *stream, const fcps_saved_experiment *saved, const char *path, fcps_error *error)
{
  fcps_csv times = {0};
  int columns[3];
  fcps_status status = fcps_csv_read_file(&times, path, error);
  if (status != FCPS_OK) return status;
  status = fcps_csv_require(&times, "learner", &columns[0], error);
  if (status == FCPS_OK) status = fcps_csv_require(&times, "seconds", &columns[1], error);
  if (status == FCPS_OK) status = fcps_csv_require(&times, "milliseconds_an_episode", &columns[2], error);
  if (status == FCPS_OK) fputs(" s per run, ms per episode (processor time, without evaluations)\n", stream);
  for (int row = 0; row < times.rows && status == FCPS_OK; row++)
    print_time(stream, saved, &times, columns, row);
  fcps_csv_destroy(&times);
  return status;
}

fcps_status fcps_report_times_print(FILE *stream, const char *folder, fcps_error *error)
{
  fcps_saved_experiment saved;
  char path[FCPS_SAVED_EXPERIMENT_PATH];
  fcps_status status = fcps_saved_experiment_read(&saved, folder, error);
  if (status != FCPS_OK) return status;
  status = fcps_saved_experiment_path(&saved, "times.csv", path, error);
  if (status == FCPS_OK && access(path, F_OK) == 0) status = print_times(stream, &saved, path, error);
  fcps_saved_experiment_destroy(&saved);
  return status;
}
