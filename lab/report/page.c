/* SPDX-License-Identifier: Apache-2.0 */
/* The report page embeds its style and its figures, so it needs no other file. Its numbers come only from the result
 * files. */
#include "lab/report/page.h"

#include "base/error.h"
#include "base/number.h"
#include "format/file.h"
#include "lab/report/figures.h"
#include "lab/report/saved.h"
#include "report/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* The paragraph that explains verdicts. */
static const char reading[] =
    "<p class=\"reading\">Verdicts follow only from the numbers. If the paper gives a number, the difference of ours "
    "from it counts in standard errors of this difference: more than two above is <b>better</b>, within two is "
    "<b>reproduced</b>, more than two below is <b>not reproduced</b>. The paper\xe2\x80\x99s standard error is its "
    "deviation over the root of its ten runs. If the paper gives an order or a level, the claim is <b>reproduced</b> "
    "if it holds by two standard errors, <b>not reproduced</b> if the opposite does, and otherwise <b>undecided</b>. "
    "Claims that the paper does not make are marked as ours: our levels are <b>met</b> or <b>not met</b> by the mean, "
    "and our orders may be undecided. Runs with the same seed share hills, targets and noise, so differences between "
    "learners are computed seed by seed. If a claim compares with a baseline that is weaker or stronger than the "
    "paper\xe2\x80\x99s, the claim says so. Claims, rows and settings are stored when the first run begins. If one was "
    "changed later, the page also shows its first form.</p>\n";

/* -- Writing -- */

/* Writes how many claims have each verdict, over all experiments: claims of the paper, or claims of ours. */
static void write_tally(FILE *page, const fcps_saved_experiments *all, bool are_ours)
{
  static const char *const verdicts[] = {"better",         "reproduced", "met",       "undecided",
                                         "not reproduced", "not met",    "not judged"};
  fprintf(page, "<p class=\"tally\">%s: ", are_ours ? "Claims of ours" : "Claims of the paper");
  for (size_t v = 0; v < sizeof verdicts / sizeof *verdicts; v++) {
    int count = 0;
    for (size_t i = 0; i < all->count; i++)
      count += fcps_saved_experiment_count(&all->items[i], verdicts[v], are_ours);
    if (count > 0) fcps_section_verdict(page, verdicts[v], count);
  }
  fputs("</p>\n", page);
}

/* Lists the paper's claims with this verdict, one per line. The page uses it for the claims that did not hold, which
 * come first. */
static void write_named(FILE *page, const fcps_saved_experiments *all, const char *verdict)
{
  for (size_t i = 0; i < all->count; i++) {
    const fcps_saved_experiment *saved = &all->items[i];
    for (int c = 0; c < saved->claims.rows; c++) {
      if (fcps_saved_experiment_claim_is_ours(saved, c) ||
          strcmp(fcps_saved_experiment_claim(saved, c, "verdict"), verdict) != 0)
        continue;
      fputs("<li>", page);
      fcps_section_verdict(page, verdict, 0);
      fcps_html_text(page, fcps_json_get_text(saved->summary, "name", ""));
      fputs(": ", page);
      fcps_html_text(page, fcps_saved_experiment_claim(saved, c, "claim"));
      fputs("</li>\n", page);
    }
  }
}

/* Writes the caveats of the experiments. They come before the verdicts, because a reader must know them. */
static void write_caveats(FILE *page, const fcps_saved_experiments *all)
{
  for (size_t i = 0; i < all->count; i++) {
    const char *caveat = fcps_json_get_text(all->items[i].summary, "caveat", "");
    if (caveat[0] == '\0') continue;
    fputs("<li class=\"caveat\"><b>", page);
    fcps_html_text(page, fcps_json_get_text(all->items[i].summary, "name", ""));
    fputs("</b>: ", page);
    fcps_html_text(page, caveat);
    fputs("</li>\n", page);
  }
}

static void write_contents(FILE *page, const fcps_saved_experiments *all)
{
  fputs("<nav><ol>\n", page);
  for (size_t i = 0; i < all->count; i++) {
    fputs("<li><a href=\"#", page);
    fcps_html_text(page, fcps_json_get_text(all->items[i].summary, "name", ""));
    fputs("\">", page);
    fcps_html_text(page, fcps_json_get_text(all->items[i].summary, "title", ""));
    fputs("</a></li>\n", page);
  }
  fputs("</ol></nav>\n", page);
}

/* Writes the figure that several experiments share, if this experiment is the first of them. */
static void write_shared_figure(FILE *page, const char *directory, const fcps_saved_experiments *all, size_t index)
{
  const char *name = fcps_panels_figure_of(&all->items[index]);
  char file[128], path[FCPS_SAVED_EXPERIMENT_PATH];
  if (name == NULL || !fcps_panels_figure_begins(all, index)) return;
  snprintf(file, sizeof file, "%s.svg", name);
  if (fcps_file_join(directory, file, sizeof path, path, NULL) != FCPS_OK) return;
  fputs("<figure>", page);
  fcps_html_picture(page, path, name);
  fputs("</figure>\n", page);
}

static void write_page(FILE *page, const char *directory, const fcps_saved_experiments *all)
{
  fprintf(page,
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>fcps: the paper, reproduced</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n"
          "<h1>The paper, reproduced</h1>\n"
          "<p class=\"lead\"><i>Factored Contextual Policy Search with Bayesian Optimization</i>, Pinsler, Karkus, "
          "Kupcsik, Hsu and Lee, ICRA 2019</p>\n",
          fcps_page_style);
  fputs("<ul class=\"named\">\n", page);
  write_caveats(page, all);
  write_named(page, all, "not reproduced");
  write_named(page, all, "undecided");
  fputs("</ul>\n", page);
  write_tally(page, all, false);
  write_tally(page, all, true);
  fputs("</header>\n<main>\n", page);
  if (all->count > 1) write_contents(page, all);
  fputs(reading, page);
  for (size_t i = 0; i < all->count; i++) {
    write_shared_figure(page, directory, all, i);
    fcps_section_write(page, all, &all->items[i]);
  }
  fprintf(page, "</main>\n<footer>fcps %s", fcps_version());
  fcps_made_by_day(page, all);
  if (all->count > 0) {
    fputs(", BLAS kernels ", page);
    fcps_html_text(page, fcps_json_get_text(all->items[0].summary, "blas", ""));
  }
  fputs("</footer>\n</body>\n</html>\n", page);
}

static fcps_status write_file(const char *directory, const fcps_saved_experiments *all, fcps_error *error)
{
  char path[FCPS_SAVED_EXPERIMENT_PATH], *text = NULL;
  size_t length = 0;
  const fcps_status joined = fcps_file_join(directory, "report.html", sizeof path, path, error);
  if (joined != FCPS_OK) return joined;
  FILE *page = open_memstream(&text, &length);
  if (page == NULL) return fcps_error_memory(error);
  write_page(page, directory, all);
  const bool is_whole = !ferror(page);
  const fcps_status status =
      fclose(page) == 0 && is_whole ? fcps_file_replace(path, text, length, error) : fcps_error_memory(error);
  free(text);
  return status;
}

fcps_status fcps_report_page_write(const char *directory, fcps_error *error)
{
  fcps_saved_experiments all;
  fcps_status status = fcps_saved_experiments_read(&all, directory, error);
  if (status != FCPS_OK) return status;
  status = write_file(directory, &all, error);
  fcps_saved_experiments_destroy(&all);
  return status;
}

/* -- The parts of a section, in order: title, protocol, table, figures, claims -- */

static void write_cell(FILE *page, const char *text)
{
  fputs("<td>", page);
  fcps_html_text(page, text);
  fputs("</td>", page);
}

/* Shows how a row or claim read when the first run began, so that later changes stay visible. */
static void write_change(FILE *page, const char *was)
{
  if (*was == '\0') return;
  fputs("<br><small class=\"changed\">", page);
  fcps_html_text(page, was);
  fputs("</small>", page);
}

/* -- The table -- */

static void write_head(FILE *page, const fcps_json *first)
{
  const int marks = fcps_saved_experiment_mark_count(first);
  fprintf(page,
          "<table class=\"numbers\">\n<thead><tr><th rowspan=\"2\">learner</th><th rowspan=\"2\"></th>"
          "<th colspan=\"%d\">cumulative reward after</th><th rowspan=\"2\">offline<br>at the end</th></tr>\n<tr>",
          marks);
  for (int i = 0; i < marks; i++)
    fprintf(page, "<th>%.0f</th>", fcps_saved_experiment_mark_at(first, i).episode);
  fputs("</tr></thead>\n<tbody>\n", page);
}

/* Writes name, settings and note of a row. */
static void write_row_title(FILE *page, const fcps_json *row, int lines)
{
  const bool is_ours = fcps_json_is_true(row, "ours");
  const char *settings = fcps_json_get_text(row, "settings", ""), *task = fcps_json_get_text(row, "task_settings", "");
  fprintf(page, "<th rowspan=\"%d\"><b>", lines);
  fcps_html_text(page, fcps_json_get_text(row, "title", ""));
  fprintf(page, "</b>%s<br><small><code>", is_ours ? " <span class=\"ours\">ours</span>" : "");
  fcps_html_text(page, fcps_json_get_text(row, "learner", ""));
  fputs("</code>", page);
  if (*settings) fputs(": ", page);
  fcps_html_text(page, settings);
  if (*task) fputs("; task: ", page);
  fcps_html_text(page, task);
  fputs("</small>", page);
  if (*fcps_json_get_text(row, "note", "")) {
    fputs("<br><small>", page);
    fcps_html_text(page, fcps_json_get_text(row, "note", ""));
    fputs("</small>", page);
  }
  write_change(page, fcps_json_get_text(row, "was", ""));
  fputs("</th>", page);
}

/* Writes one line of numbers for a row: the paper's numbers, or ours with the offline mean. */
static void write_row_numbers(FILE *page, const fcps_json *row, bool is_paper)
{
  char text[64];
  fprintf(page, "<td class=\"source\">%s</td>", is_paper ? "paper" : "fcps");
  for (int i = 0; i < fcps_saved_experiment_mark_count(row); i++) {
    const fcps_saved_experiment_mark mark = fcps_saved_experiment_mark_at(row, i);
    const double mean = is_paper ? mark.paper_mean : mark.mean, sd = is_paper ? mark.paper_sd : mark.sd;
    write_cell(page, fcps_saved_experiment_number(mean, sd, sizeof text, text));
  }
  double offline[2] = {NAN, NAN};
  if (!is_paper) fcps_json_numbers(fcps_json_get(row, "offline"), 2, offline);
  write_cell(page, fcps_saved_experiment_number(offline[0], offline[1], sizeof text, text));
}

static void write_row(FILE *page, const fcps_json *row)
{
  const bool has_paper = fcps_saved_experiment_has_paper(row);
  fprintf(page, "<tr class=\"first%s\">", has_paper ? " paper" : "");
  write_row_title(page, row, has_paper ? 2 : 1);
  if (has_paper) {
    write_row_numbers(page, row, true);
    fputs("</tr>\n<tr>", page);
  }
  write_row_numbers(page, row, false);
  fputs("</tr>\n", page);
}

/* Writes a level to compare with, and the command that prints its value. */
static void write_line(FILE *page, const fcps_json *line, double value, int marks)
{
  char text[64];
  fputs("<tr class=\"first\"><th>", page);
  fcps_html_text(page, fcps_json_get_text(line, "title", ""));
  fputs("<br><small><code>", page);
  fcps_html_text(page, fcps_json_get_text(line, "made_by", ""));
  fprintf(page, "</code></small></th><td class=\"source\">fcps</td><td colspan=\"%d\"></td>", marks);
  write_cell(page, fcps_saved_experiment_number(value, NAN, sizeof text, text));
  fputs("</tr>\n", page);
}

static void write_table(FILE *page, const fcps_saved_experiment *saved)
{
  const fcps_json *row, *line;
  double value;
  write_head(page, fcps_saved_experiment_row(saved, 0));
  for (int i = 0; (row = fcps_saved_experiment_row(saved, i)) != NULL; i++)
    write_row(page, row);
  for (int i = 0; (line = fcps_saved_experiment_line(saved, i, &value)) != NULL; i++)
    write_line(page, line, value, fcps_saved_experiment_mark_count(fcps_saved_experiment_row(saved, 0)));
  fputs("</tbody></table>\n", page);
}

/* -- The claims -- */

void fcps_section_verdict(FILE *page, const char *verdict, int count)
{
  static const char *const classes[][2] = {{"better", "better"}, {"reproduced", "same"},
                                           {"met", "same"},      {"not reproduced", "worse"},
                                           {"not met", "worse"}, {"undecided", "unsure"}};
  const char *class = "open";
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (strcmp(verdict, classes[i][0]) == 0) class = classes[i][1];
  fprintf(page, "<span class=\"verdict %s\">", class);
  if (count > 0) fprintf(page, "<b>%d</b> ", count);
  fcps_html_text(page, verdict);
  fputs("</span> ", page);
}

/* Writes where a claim stands in the paper, or that it is ours. */
static void write_source(FILE *page, const char *source)
{
  if (strcmp(source, "ours") == 0) {
    fputs(" <span class=\"ours\">ours</span>", page);
    return;
  }
  fputs("<br><small>", page);
  fcps_html_text(page, source);
  fputs("</small>", page);
}

static void write_claim(FILE *page, const fcps_saved_experiments *all, const fcps_saved_experiment *saved, int claim)
{
  char text[64], baseline[1024];
  double ours = NAN, se = NAN;
  fcps_number_read(fcps_saved_experiment_claim(saved, claim, "ours"), &ours);
  fcps_number_read(fcps_saved_experiment_claim(saved, claim, "standard_error"), &se);

  fputs("<tr><td class=\"claim\">", page);
  fcps_html_text(page, fcps_saved_experiment_claim(saved, claim, "claim"));
  write_source(page, fcps_saved_experiment_claim(saved, claim, "source"));
  const char *note = fcps_saved_experiment_claim(saved, claim, "note");
  if (*note) {
    fputs("<br><small>", page);
    fcps_html_text(page, note);
    fputs("</small>", page);
  }
  write_change(page, fcps_saved_experiment_claim(saved, claim, "was"));
  fputs("</td>", page);
  write_cell(page, fcps_saved_experiment_claim(saved, claim, "paper"));
  write_cell(page, fcps_saved_experiment_number(ours, se, sizeof text, text));
  fputs("<td>", page);
  fcps_section_verdict(page, fcps_saved_experiment_claim(saved, claim, "verdict"), 0);
  fputs("</td><td class=\"detail\"><small>", page);
  fcps_html_text(page, fcps_saved_experiment_claim(saved, claim, "detail"));
  if (*fcps_baselines_say(all, saved, claim, sizeof baseline, baseline)) {
    fputs("<br><b>", page);
    fcps_html_text(page, baseline);
    fputs("</b>", page);
  }
  fputs("</small></td></tr>\n", page);
}

/* Lists the claims that the file had at the first run and no longer has. */
static void write_removed(FILE *page, const fcps_json *removed)
{
  for (int i = 0; i < fcps_json_count(removed); i++) {
    fputs("<p class=\"missing\">Removed after the first run: ", page);
    fcps_html_text(page, fcps_json_text(fcps_json_at(removed, i)));
    fputs("</p>\n", page);
  }
}

static void write_claims(FILE *page, const fcps_saved_experiments *all, const fcps_saved_experiment *saved)
{
  write_removed(page, fcps_json_get(saved->summary, "removed_claims"));
  if (saved->claims.rows == 0) return;
  fputs("<h3>Claims</h3>\n<table class=\"claims\">\n<thead><tr><th>claim</th><th>the paper</th><th>fcps \xc2\xb1 "
        "standard "
        "error</th><th>verdict</th><th></th></tr></thead>\n<tbody>\n",
        page);
  for (int i = 0; i < saved->claims.rows; i++)
    write_claim(page, all, saved, i);
  fputs("</tbody></table>\n", page);
}

/* -- The section -- */

static void write_figures(FILE *page, const fcps_saved_experiment *saved)
{
  const fcps_json *figure;
  for (int i = 0; (figure = fcps_saved_experiment_figure(saved, i)) != NULL; i++) {
    char name[128], path[FCPS_SAVED_EXPERIMENT_PATH];
    snprintf(name, sizeof name, "%s.svg", fcps_json_get_text(figure, "name", ""));
    if (fcps_saved_experiment_path(saved, name, path, NULL) != FCPS_OK) continue;
    fputs("<figure>", page);
    fcps_html_picture(page, path, fcps_json_get_text(figure, "title", ""));
    fputs("</figure>\n", page);
  }
}

/* Writes the names that git gives to the contents of the experiment's file: the present one, and the one at the first
 * run if it differs. */
static void write_file_name(FILE *page, const fcps_json *summary)
{
  const char *now = fcps_json_get_text(summary, "file", ""), *first = fcps_json_get_text(summary, "first_file", "");
  fputs("Its file is <code>", page);
  fcps_html_text(page, now);
  fputs("</code>", page);
  if (*first && strcmp(first, now) != 0) {
    fputs(", and was <code>", page);
    fcps_html_text(page, first);
    fputs("</code> when the first run began", page);
  }
  fputs(" (<code>git log --find-object</code> names the commit); the program is ", page);
  fcps_html_text(page, fcps_json_get_text(summary, "version", ""));
  fputs(", <code>", page);
  fcps_html_text(page, fcps_json_get_text(summary, "program", ""));
  fputs("</code>.", page);
}

static void write_protocol(FILE *page, const fcps_json *summary)
{
  const bool is_quick = fcps_json_is_true(summary, "quick");
  const char *settings = fcps_json_get_text(summary, "task_settings", "");
  fputs("<p class=\"protocol\">Task <code>", page);
  fcps_html_text(page, fcps_json_get_text(summary, "task", ""));
  fputs("</code>", page);
  if (*settings) fputs(" (", page);
  fcps_html_text(page, settings);
  fprintf(page, "%s, %lld episodes, seeds ", *settings ? ")" : "",
          (long long)fcps_json_get_integer(summary, "episodes", 0));
  fcps_html_text(page, fcps_json_get_text(summary, "seeds", ""));
  fputs("; mean \xc2\xb1 standard deviation over the seeds. ", page);
  write_file_name(page, summary);
  fputs("</p>\n", page);
  if (is_quick) fputs("<p class=\"missing\">A quick look: nothing is judged.</p>\n", page);
}

/* The command that makes these results. */
static void write_command(FILE *page, const fcps_json *summary)
{
  const bool is_quick = fcps_json_is_true(summary, "quick");
  fputs("<p class=\"protocol\">Made by <code>fcps reproduce ", page);
  fcps_html_text(page, fcps_json_get_text(summary, "name", ""));
  if (is_quick) {
    fputs(" --quick", page);
  } else {
    fputs(" --seeds ", page);
    fcps_html_text(page, fcps_json_get_text(summary, "seeds", ""));
  }
  fputs("</code>.</p>\n", page);
}

void fcps_section_write(FILE *page, const fcps_saved_experiments *all, const fcps_saved_experiment *saved)
{
  const fcps_json *summary = saved->summary;
  fputs("<section id=\"", page);
  fcps_html_text(page, fcps_json_get_text(summary, "name", ""));
  fputs("\">\n<h2>", page);
  fcps_html_text(page, fcps_json_get_text(summary, "title", ""));
  fprintf(page, " (%lld seeds)</h2>\n<p>", (long long)fcps_json_get_integer(summary, "seed_count", 0));
  fcps_html_text(page, fcps_json_get_text(summary, "about", ""));
  fputs("</p>\n", page);
  write_protocol(page, summary);
  write_command(page, summary);
  write_table(page, saved);
  write_figures(page, saved);
  write_claims(page, all, saved);
  fputs("</section>\n", page);
}

/* The day is that of the files, not of today, so a page that is written again is the same. */
void fcps_made_by_day(FILE *page, const fcps_saved_experiments *all)
{
  time_t newest = 0;
  for (size_t i = 0; i < all->count; i++) {
    char path[FCPS_SAVED_EXPERIMENT_PATH];
    struct stat file;
    if (fcps_saved_experiment_path(&all->items[i], "summary.json", path, NULL) == FCPS_OK && stat(path, &file) == 0 &&
        file.st_mtime > newest)
      newest = file.st_mtime;
  }
  char text[64];
  struct tm day;
  if (newest == 0 || gmtime_r(&newest, &day) == NULL || strftime(text, sizeof text, "%e %B %Y", &day) == 0) return;
  fprintf(page, ", %s", text + (text[0] == ' '));
}
