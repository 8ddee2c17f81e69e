/* SPDX-License-Identifier: Apache-2.0 */
/* The page stands alone: its style and its figures are in it. What is said is what the result files say. */
#include "report/experiment_page.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "report/experiment_section.h"
#include "report/html.h"
#include "report/page_style.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct page_findings {
  fcps_findings *items;
  size_t count, capacity;
} page_findings;

/* ------------------------------------------------------------------------------------------------- gathering */

static fcps_status add_folder(page_findings *all, const char *directory, const char *name, fcps_error *error)
{
  char folder[FCPS_FINDINGS_PATH], claims[FCPS_FINDINGS_PATH];
  fcps_status status = fcps_file_join(directory, name, sizeof folder, folder, error);
  if (status == FCPS_OK) status = fcps_file_join(folder, "claims.csv", sizeof claims, claims, error);
  if (status != FCPS_OK) return status;
  if (access(claims, F_OK) != 0) return FCPS_OK; // another folder, or an experiment that is not finished
  if (!fcps_reserve((void **)&all->items, &all->capacity, all->count + 1, sizeof *all->items)) {
    return fcps_error_memory(error);
  }
  status = fcps_findings_read(&all->items[all->count], folder, error);
  if (status == FCPS_OK) all->count++;
  return status;
}

static int compare(const void *a, const void *b)
{
  const fcps_json *first = ((const fcps_findings *)a)->summary, *second = ((const fcps_findings *)b)->summary;
  const int64_t difference = fcps_findings_integer(first, "order") - fcps_findings_integer(second, "order");
  if (difference != 0) return difference > 0 ? 1 : -1;
  return strcmp(fcps_findings_text(first, "name"), fcps_findings_text(second, "name"));
}

static fcps_status gather(page_findings *all, const char *directory, fcps_error *error)
{
  DIR *folder = opendir(directory);
  if (!folder) return fcps_error_set(error, FCPS_ERR_IO, directory, "cannot be read");
  fcps_status status = FCPS_OK;
  for (struct dirent *entry; status == FCPS_OK && (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] != '.') status = add_folder(all, directory, entry->d_name, error);
  }
  closedir(folder);
  if (all->count > 0) qsort(all->items, all->count, sizeof *all->items, compare);
  return status;
}

/* ---------------------------------------------------------------------------------------------------- writing */

/* How many claims got each verdict, over all experiments. */
static void write_tally(FILE *page, const page_findings *all)
{
  static const char *const verdicts[] = {"better than the paper", "reproduced", "not reproduced", "not judged"};
  fputs("<p class=\"tally\">", page);
  for (int v = 0; v < 4; v++) {
    int count = 0;
    for (size_t i = 0; i < all->count; i++)
      count += fcps_findings_count(&all->items[i], verdicts[v]);
    if (count == 0) continue;
    fcps_section_verdict(page, verdicts[v], count);
  }
  fputs("</p>\n", page);
}

static void write_contents(FILE *page, const page_findings *all)
{
  fputs("<nav><ol>\n", page);
  for (size_t i = 0; i < all->count; i++) {
    fprintf(page, "<li><a href=\"#%s\">", fcps_findings_text(all->items[i].summary, "name"));
    fcps_html_text(page, fcps_findings_text(all->items[i].summary, "title"));
    fputs("</a></li>\n", page);
  }
  fputs("</ol></nav>\n", page);
}

static void write_page(FILE *page, const page_findings *all)
{
  fprintf(page,
          "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>fcps: the paper, reproduced</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n"
          "<h1>The paper, reproduced</h1>\n"
          "<p class=\"lead\"><i>Factored Contextual Policy Search with Bayesian Optimization</i>, Pinsler, Karkus, "
          "Kupcsik, Hsu and Lee, ICRA 2019</p>\n",
          fcps_page_style);
  write_tally(page, all);
  fputs("</header>\n<main>\n", page);
  if (all->count > 1) write_contents(page, all);
  fputs(fcps_page_reading, page);
  for (size_t i = 0; i < all->count; i++)
    fcps_section_write(page, &all->items[i]);
  fprintf(page, "</main>\n<footer>fcps %s", fcps_version());
  if (all->count > 0) fprintf(page, ", BLAS kernels %s", fcps_findings_text(all->items[0].summary, "blas"));
  fputs("</footer>\n</body>\n</html>\n", page);
}

static fcps_status write_file(const char *directory, const page_findings *all, fcps_error *error)
{
  char path[FCPS_FINDINGS_PATH], *text = NULL;
  size_t length = 0;
  const fcps_status joined = fcps_file_join(directory, "report.html", sizeof path, path, error);
  if (joined != FCPS_OK) return joined;
  FILE *page = open_memstream(&text, &length);
  if (!page) return fcps_error_memory(error);
  write_page(page, all);
  const bool is_whole = !ferror(page);
  const fcps_status status =
      fclose(page) == 0 && is_whole ? fcps_file_replace(path, text, length, error) : fcps_error_memory(error);
  free(text);
  return status;
}

fcps_status fcps_experiment_page_write(const char *directory, fcps_error *error)
{
  page_findings all = {0};
  fcps_status status = gather(&all, directory, error);
  if (status == FCPS_OK) status = write_file(directory, &all, error);
  for (size_t i = 0; i < all.count; i++)
    fcps_findings_destroy(&all.items[i]);
  free(all.items);
  return status;
}
