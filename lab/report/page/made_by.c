/* SPDX-License-Identifier: Apache-2.0 */
/* The command follows from the results, and the day from their files: a page that is written again says the same. */
#include "lab/report/page/made_by.h"

#include "report/html.h"

#include <sys/stat.h>
#include <time.h>

void fcps_made_by_command(FILE *page, const fcps_json *summary)
{
  bool is_quick = false;
  fcps_json_bool(fcps_json_get(summary, "quick"), &is_quick);
  fputs("<p class=\"protocol\">Made by <code>fcps reproduce ", page);
  fcps_html_text(page, fcps_saved_experiment_text(summary, "name"));
  if (is_quick) {
    fputs(" --quick", page);
  } else {
    fputs(" --seeds ", page);
    fcps_html_text(page, fcps_saved_experiment_text(summary, "seeds"));
  }
  fputs("</code>.</p>\n", page);
}

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
