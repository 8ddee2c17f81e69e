/* SPDX-License-Identifier: Apache-2.0 */
/* The study of a run has the name of its problem file. Whoever renames the file would begin again at zero, and the trials
 * would lie unused beside it. A study whose file is still there belongs to that one, and a copy of a file is a wish for a
 * study of its own. */
#include "cli/run/left_study.h"

#include "cli/support/log.h"
#include "cli/support/shown.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 4096, MOST_STUDIES = 20 };

static const char ending[] = ".fcps";

static int is_study_name(const struct dirent *entry)
{
  const size_t length = strlen(entry->d_name), tail = strlen(ending);
  return length > tail && strcmp(entry->d_name + length - tail, ending) == 0;
}

/* Whether a problem file lies beside a study, under its name. */
static bool has_file(const char *study)
{
  static const char *const endings[] = {".yaml", ".yml"};
  char path[PATH];
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (snprintf(path, sizeof path, "%.*s%s", (int)(strlen(study) - strlen(ending)), study, endings[i]) < PATH &&
        access(path, F_OK) == 0)
      return true;
  return false;
}

static bool has_same_program(const fcps_problem_file *a, const fcps_problem_file *b)
{
  if (a->command == NULL || b->command == NULL) return a->command == b->command;
  int i = 0;
  while (a->command[i] != NULL && b->command[i] != NULL && strcmp(a->command[i], b->command[i]) == 0)
    i++;
  return a->command[i] == NULL && b->command[i] == NULL;
}

static bool is_same_problem(const fcps_problem_file *a, const fcps_problem_file *b)
{
  static const char *const keys[] = {"target", "environment", "parameters", "outcome", "achieved"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (!fcps_problem_file_same(keys[i], a, b)) return false;
  return has_same_program(a, b);
}

/* How many results a study of this problem has; 0: none, or it is another's. */
static int count_results(const char *path, const fcps_problem_file *file)
{
  fcps_study *study = NULL;
  int count = 0;
  const fcps_study_options how = {0};
  if (has_file(path) || fcps_study_open(&study, path, &how, NULL) != FCPS_OK) return 0;
  const fcps_problem_file *kept = fcps_study_file(study);
  if (kept != NULL && is_same_problem(file, kept)) count = fcps_study_result_count(study);
  fcps_study_close(study);
  return count;
}

void cli_run_warn_of_left_study(const char *path, const fcps_problem_file *file)
{
  const char *slash = strrchr(path, '/');
  char folder[PATH], study[PATH];
  struct dirent **entries = NULL;
  if (snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path) + 1 : 0, path) >= PATH) return;
  const int count = scandir(*folder != '\0' ? folder : ".", &entries, is_study_name, alphasort);
  int results = 0;
  for (int i = 0; i < count && i < MOST_STUDIES && results == 0; i++) {
    if (snprintf(study, sizeof study, "%s%s", folder, entries[i]->d_name) >= PATH) continue;
    results = count_results(study, file);
  }
  if (results > 0)
    cli_warn("W_OTHER_STUDY",
             "%.300s has %d result%s of the same problem, and no problem file of its name: was the file renamed? This "
             "run begins a new study. To go on with that one: rename it, too, or fcps run %.300s --store %.300s",
             study, results, results == 1 ? "" : "s", cli_shown_word(path), cli_shown_word(study));
  for (int i = 0; i < count; i++)
    free(entries[i]);
  if (count >= 0) free(entries);
}
