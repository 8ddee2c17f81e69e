/* SPDX-License-Identifier: Apache-2.0 */
/* An installed program finds its experiments relative to itself (bin/../share), so that the installed tree can be
 * moved. A program that was only built uses the experiments of its source tree. */
#include "lab/cli/catalogue.h"

#include "base/error.h"
#include "base/memory.h"
#include "cli/support/fail.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAMES = 256 };

fcps_status cli_catalogue_program(char path[CLI_CATALOGUE_PATH], fcps_error *error)
{
  const ssize_t length = readlink("/proc/self/exe", path, CLI_CATALOGUE_PATH - 1);
  if (length < 0) {
    return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, "program", "cannot find the file of the program itself: %s",
                          strerror(errno));
  }
  path[length] = '\0';
  return FCPS_OK;
}

static bool is_folder(const char *path)
{
  struct stat there;
  return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

static fcps_status find_folder(char folder[CLI_CATALOGUE_PATH], fcps_error *error)
{
  char program[CLI_CATALOGUE_PATH];
  const fcps_status status = cli_catalogue_program(program, error);
  if (status != FCPS_OK) return status;
  *strrchr(program, '/') = '\0';
  const int length = snprintf(folder, CLI_CATALOGUE_PATH, "%s/../share/fcps/experiments", program);
  if (length < CLI_CATALOGUE_PATH && is_folder(folder)) return FCPS_OK;

  snprintf(folder, CLI_CATALOGUE_PATH, "%s", FCPS_EXPERIMENTS);
  if (is_folder(folder)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, "experiments",
                        "the folder of the experiments is neither beside the program nor in %s; give the path of a "
                        "YAML file",
                        FCPS_EXPERIMENTS);
}

/* -- Opening -- */

static fcps_status open_file(cli_catalogue *catalogue, const char *path, fcps_error *error)
{
  if (!fcps_reserve((void **)&catalogue->items, &catalogue->capacity, catalogue->count + 1, sizeof *catalogue->items)) {
    return fcps_error_memory(error);
  }
  const fcps_status status = fcps_experiment_open(&catalogue->items[catalogue->count], path, error);
  if (status == FCPS_OK) catalogue->count++;
  return status;
}

static int is_experiment(const struct dirent *entry)
{
  const char *end = strrchr(entry->d_name, '.');
  return end != NULL && end != entry->d_name && strcmp(end, ".yaml") == 0;
}

/* Lists the names (without ".yaml") of the files in the folder, as new texts. */
static int list_names(const char *folder, char *names[MOST_NAMES])
{
  struct dirent **entries = NULL;
  const int found = scandir(folder, &entries, is_experiment, alphasort);
  int count = 0;
  for (int i = 0; i < found; i++) {
    *strrchr(entries[i]->d_name, '.') = '\0';
    if (count < MOST_NAMES) names[count] = fcps_copy_text(entries[i]->d_name);
    if (count < MOST_NAMES && names[count] != NULL) count++;
    free(entries[i]);
  }
  free(entries);
  return count;
}

static void free_names(int count, char *const *names)
{
  for (int i = 0; i < count; i++)
    free(names[i]);
}

static int compare_order(const void *a, const void *b)
{
  const fcps_experiment_info first = fcps_experiment_describe(*(fcps_experiment *const *)a);
  const fcps_experiment_info second = fcps_experiment_describe(*(fcps_experiment *const *)b);
  return first.order != second.order ? (first.order > second.order) - (first.order < second.order)
                                     : strcmp(first.name, second.name);
}

/* FOLDER/NAME.yaml */
static fcps_status open_named(cli_catalogue *catalogue, const char *folder, const char *name, fcps_error *error)
{
  char path[CLI_CATALOGUE_PATH];
  if (snprintf(path, sizeof path, "%s/%s.yaml", folder, name) >= (int)sizeof path) {
    return fcps_error_set(error, FCPS_ERR_IO, "experiments", "the path of the folder is too long");
  }
  return open_file(catalogue, path, error);
}

fcps_status cli_catalogue_open_all(cli_catalogue *catalogue, fcps_error *error)
{
  char folder[CLI_CATALOGUE_PATH], *names[MOST_NAMES];
  fcps_status status = find_folder(folder, error);
  if (status != FCPS_OK) return status;
  const int count = list_names(folder, names);
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    status = open_named(catalogue, folder, names[i], error);
    if (status == FCPS_ERR_UNAVAILABLE) {
      cli_warn("W_LEFT_OUT", "%s: %s", names[i], error->message);
      *error = (fcps_error){0};
      status = FCPS_OK;
    }
  }
  free_names(count, names);
  if (catalogue->count > 0) qsort(catalogue->items, catalogue->count, sizeof *catalogue->items, compare_order);
  return status;
}

static fcps_status refuse_name(const char *name, int count, char *const *names, fcps_error *error)
{
  const char *choices[MOST_NAMES + 1];
  char hint[384];
  for (int i = 0; i < count; i++)
    choices[i] = names[i];
  choices[count] = "all";
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, "experiment", "there is no experiment \"%s\"; %s", name,
                        fcps_name_hint(name, count + 1, choices, sizeof hint, hint));
}

fcps_status cli_catalogue_open(cli_catalogue *catalogue, const char *name, fcps_error *error)
{
  const char *end = strrchr(name, '.');
  if (strchr(name, '/') != NULL || (end != NULL && strcmp(end, ".yaml") == 0)) return open_file(catalogue, name, error);

  char folder[CLI_CATALOGUE_PATH], *names[MOST_NAMES];
  fcps_status status = find_folder(folder, error);
  if (status != FCPS_OK) return status;
  const int count = list_names(folder, names);
  bool is_known = false;
  for (int i = 0; i < count; i++)
    is_known = is_known || strcmp(names[i], name) == 0;
  status = is_known ? open_named(catalogue, folder, name, error) : refuse_name(name, count, names, error);
  free_names(count, names);
  return status;
}

void cli_catalogue_destroy(cli_catalogue *catalogue)
{
  for (size_t i = 0; i < catalogue->count; i++)
    fcps_experiment_destroy(catalogue->items[i]);
  free(catalogue->items);
  *catalogue = (cli_catalogue){0};
}
