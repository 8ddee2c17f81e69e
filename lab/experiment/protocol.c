/* SPDX-License-Identifier: Apache-2.0 */
/* The protocol of an experiment: its seeds, its number of episodes, the program that does its runs, and its folder. */
#include "base/checksum.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "lab/experiment/experiment_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The size of a quick run: enough to see that everything works, but not enough to judge a claim. */
enum { QUICK_SEEDS = 2, QUICK_EPISODES = 50, MOST_SEEDS = 10000 };

/* -- Seeds -- */

/* Reads "7" or "1-10" at `*text` and moves `*text` past it. */
static bool read_range(const char **text, unsigned long long *first, unsigned long long *last)
{
  char *end;
  if (!isdigit((unsigned char)**text)) return false;
  *first = *last = strtoull(*text, &end, 10);
  if (*end == '-' && isdigit((unsigned char)end[1])) *last = strtoull(end + 1, &end, 10);
  *text = end;
  return *first <= *last && *last - *first < MOST_SEEDS && *last < UINT64_MAX;
}

fcps_status fcps_seeds_read(const char *text, uint64_t **seeds, int *count, fcps_error *error)
{
  uint64_t *read = NULL;
  size_t used = 0, capacity = 0;
  bool is_good = true;
  const char *next = text;
  for (bool more = true; more && is_good;) {
    unsigned long long first = 0, last = 0;
    is_good = read_range(&next, &first, &last) && (*next == ',' || *next == '\0') && used + (last - first) < MOST_SEEDS;
    more = is_good && *next++ == ',';
    for (unsigned long long seed = first; is_good && seed <= last; seed++) {
      if (!fcps_reserve((void **)&read, &capacity, used + 1, sizeof *read)) {
        free(read);
        return fcps_error_memory(error);
      }
      for (size_t i = 0; i < used; i++)
        is_good = is_good && read[i] != seed;
      read[used++] = seed;
    }
  }
  if (!is_good) {
    free(read);
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "seeds",
                          "\"%.64s\" is not a list of different seeds; write 1-10, or 1-3,7 (at most %d)", text,
                          MOST_SEEDS);
  }
  *seeds = read;
  *count = (int)used;
  return FCPS_OK;
}

/* Checks that an experiment may be changed. Fails inside a callback of its run. */
static fcps_status begin_change(const fcps_experiment *experiment, fcps_error *error)
{
  if (experiment == NULL) return fcps_error_null(error, "experiment");
  if (!*experiment->is_held) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_BUSY, "experiment",
                        "the experiment is being run: a callback of the run must not change it");
}

fcps_status fcps_experiment_set_seeds(fcps_experiment *experiment, const char *seeds, fcps_error *error)
{
  fcps_status status = begin_change(experiment, error);
  if (status != FCPS_OK) return status;
  if (seeds == NULL) return fcps_error_null(error, "seeds");
  uint64_t *read;
  int count;
  status = fcps_seeds_read(seeds, &read, &count, error);
  if (status != FCPS_OK) return status;
  free(experiment->seeds);
  experiment->seeds = read;
  experiment->seed_count = count;
  return FCPS_OK;
}

void fcps_experiment_set_quick(fcps_experiment *experiment)
{
  if (begin_change(experiment, NULL) != FCPS_OK) return;
  experiment->is_quick = true;
  if (experiment->seed_count > QUICK_SEEDS) experiment->seed_count = QUICK_SEEDS;
}

int64_t fcps_experiment_episodes(const fcps_experiment *experiment)
{
  return experiment->is_quick && experiment->episodes > QUICK_EPISODES ? QUICK_EPISODES : experiment->episodes;
}

/* -- Program -- */

/* Notes a checksum of the program's file. It shows that the program has changed; it does not protect against deliberate
 * forgery. */
fcps_status fcps_experiment_set_program(fcps_experiment *experiment, const char *path, fcps_error *error)
{
  fcps_status status = begin_change(experiment, error);
  if (status != FCPS_OK) return status;
  if (path == NULL) return fcps_error_null(error, "path");
  char *bytes = NULL;
  size_t length = 0;
  status = fcps_file_read(path, (size_t)1 << 30, &bytes, &length, error);
  if (status != FCPS_OK) return status;
  experiment->program = fcps_checksum_add(FCPS_CHECKSUM_START, bytes, length);
  fcps_free(bytes);
  return FCPS_OK;
}

/* -- Describing -- */

fcps_experiment_info fcps_experiment_describe(const fcps_experiment *experiment)
{
  if (experiment == NULL) return (fcps_experiment_info){0};
  return (fcps_experiment_info){.name = experiment->name,
                                .title = experiment->title,
                                .file = fcps_yaml_file(experiment->yaml),
                                .task = experiment->task,
                                .order = experiment->order,
                                .learner_count = experiment->row_count,
                                .seed_count = experiment->seed_count,
                                .claim_count = experiment->claim_count,
                                .episodes = fcps_experiment_episodes(experiment)};
}

const fcps_problem *fcps_experiment_problem(const fcps_experiment *experiment)
{
  return fcps_task_problem(experiment->world);
}

int fcps_experiment_run_count(const fcps_experiment *experiment)
{
  return experiment != NULL ? experiment->row_count * experiment->seed_count : 0;
}

fcps_status fcps_experiment_path(const fcps_experiment *experiment, const char *directory, const char *file,
                                 char path[FCPS_EXPERIMENT_PATH], fcps_error *error)
{
  char folder[FCPS_EXPERIMENT_PATH];
  const fcps_status status = fcps_file_join(directory, experiment->name, sizeof folder, folder, error);
  return status == FCPS_OK ? fcps_file_join(folder, file, FCPS_EXPERIMENT_PATH, path, error) : status;
}
