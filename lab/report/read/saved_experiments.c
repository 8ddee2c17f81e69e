/* SPDX-License-Identifier: Apache-2.0 */
/* A folder counts as a finished experiment when it has claims.csv, which is written after the last run. Experiments are
 * sorted by their order, then by name. */
#include "lab/report/read/saved_experiments.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static fcps_status add_folder(fcps_saved_experiments *all, const char *directory, const char *name, fcps_error *error)
{
  char folder[FCPS_SAVED_EXPERIMENT_PATH], claims[FCPS_SAVED_EXPERIMENT_PATH];
  fcps_status status = fcps_file_join(directory, name, sizeof folder, folder, error);
  if (status == FCPS_OK) status = fcps_file_join(folder, "claims.csv", sizeof claims, claims, error);
  if (status != FCPS_OK) return status;
  if (access(claims, F_OK) != 0) return FCPS_OK; /* another folder, or an experiment that is not finished */
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
  const int64_t one = fcps_saved_experiment_integer(first, "order"),
                other = fcps_saved_experiment_integer(second, "order");
  if (one != other) return one > other ? 1 : -1;
  return strcmp(fcps_saved_experiment_text(first, "name"), fcps_saved_experiment_text(second, "name"));
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
