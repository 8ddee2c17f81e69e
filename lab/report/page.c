/* SPDX-License-Identifier: Apache-2.0 */
/* The page needs no other file: its style and its figures are embedded. Its numbers come only from the result files. */
#include "lab/report/page.h"

#include "base/error.h"
#include "format/file.h"
#include "lab/report/figures.h"
#include "lab/report/saved_experiment.h"
#include "report/html.h"

#include <stdlib.h>
#include <string.h>

/* The paragraph that explains verdicts. */
static const char reading[] =
    "<p class=\"reading\">Verdicts follow only from the numbers. If the paper gives a number, ours is <b>better</b> if "
    "it is more than two standard errors of the difference above it, <b>reproduced</b> if it is within two, and <b>not "
    "reproduced</b> if it is more than two below. The paper\xe2\x80\x99s standard error is its deviation over the root "
    "of its ten runs. If the paper gives an order or a level, the claim is <b>reproduced</b> if it holds by two "
    "standard errors, <b>not reproduced</b> if the opposite does, and otherwise <b>undecided</b>. Claims that the "
    "paper "
    "does not make are marked as ours: our levels are <b>met</b> or <b>not met</b> by the mean, and our orders may be "
    "undecided. Runs with one seed share hills, targets and noise, so differences between learners are computed seed "
    "by "
    "seed. If a claim compares with a baseline that is weaker or stronger than the paper\xe2\x80\x99s, it says so. "
    "Claims, rows and settings are stored when the first run begins. What was changed later is shown with its first "
    "form.</p>\n";

/* -- Writing -- */

/* The number of claims with each verdict, over all experiments: the paper's, or ours. */
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

/* Lists the claims of the paper with this verdict, one per line. Used for claims that did not hold, which come first.
 */
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

/* Writes the caveats, which a reader must know before the verdicts. */
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

/* Writes a figure that several experiments share, before the first of them. */
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
