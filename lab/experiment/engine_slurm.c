/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of an experiment as a job array of Slurm: one task for each run that is not done.
 *
 * DIR/NAME/slurm has the list of the runs (tasks), the script of the array (task.sh) and the output of each task
 * (N.log). A run is done if its result file exists, whatever Slurm says about its task. A result file is complete or
 * does not exist, and always has the same bytes. So a task does no harm if it is preempted, killed, or run twice by
 * mistake. When the array has left the queue, the runs that are still missing are submitted again, as long as each
 * round finishes some runs.
 *
 * Slurm's own variables (SBATCH_PARTITION, SBATCH_TIMELIMIT, SBATCH_ACCOUNT, ...) choose the nodes and the time limit.
 * The nodes must share the folder. Slurm is used only through its commands sbatch, squeue and scancel, so no library of
 * Slurm is linked. */
#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "lab/experiment/experiment_impl.h"
#include "lab/experiment/single_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* The most tasks of an array (Slurm's usual limit is 1001), the time between two queries of the queue, and the most
 * rounds without a finished run. */
enum { MOST_TASKS = 1000, LOOK_MS = 1000, IDLE_ROUNDS = 2 };

typedef struct slurm_array {
  const fcps_experiment *experiment;
  const fcps_experiment_options *options;
  fcps_error *error;
  char folder[FCPS_EXPERIMENT_PATH];
  char job[32];
  int total, done;
} slurm_array;

/* -- Text -- */

/* A text that grows. */
typedef struct growing {
  char *text;
  size_t length, capacity;
  bool has_memory;
} growing;

static void add(growing *g, const char *text)
{
  const size_t length = strlen(text);
  g->has_memory = g->has_memory && fcps_reserve((void **)&g->text, &g->capacity, g->length + length + 1, 1);
  if (!g->has_memory) return;
  memcpy(g->text + g->length, text, length + 1);
  g->length += length;
}

/* Adds a text, quoted for a shell. */
static void add_quoted(growing *g, const char *text)
{
  add(g, "'");
  for (; *text != '\0'; text++) {
    const char letter[] = {*text, '\0'};
    add(g, *text == '\'' ? "'\\''" : letter);
  }
  add(g, "' ");
}

static fcps_status write_text(slurm_array *a, const char *name, growing *g)
{
  char path[FCPS_EXPERIMENT_PATH];
  fcps_status status = g->has_memory ? FCPS_OK : fcps_error_memory(a->error);
  if (status == FCPS_OK) status = fcps_file_join(a->folder, name, sizeof path, path, a->error);
  if (status == FCPS_OK) status = fcps_file_replace(path, g->text, g->length, a->error);
  free(g->text);
  return status;
}

/* -- The commands of Slurm -- */

/* Runs a command and writes its first line to `said`. Returns its exit status, -1 if it could not be run. */
static int run_command(const char *command, size_t size, char *said)
{
  said[0] = '\0';
  FILE *stream = popen(command, "r");
  if (stream == NULL) return -1;
  if (fgets(said, (int)size, stream) == NULL) said[0] = '\0';
  said[strcspn(said, "\n")] = '\0';
  char rest[256];
  while (fgets(rest, sizeof rest, stream) != NULL) {
  }
  const int outcome = pclose(stream);
  return outcome != -1 && WIFEXITED(outcome) ? WEXITSTATUS(outcome) : -1;
}

static fcps_status submit(slurm_array *a, int count)
{
  growing g = {.has_memory = true};
  char text[120], said[300];
  snprintf(text, sizeof text, "sbatch --parsable --requeue --open-mode=append --job-name=fcps --array=1-%d", count);
  add(&g, text);
  if (a->options->jobs > 0) {
    snprintf(text, sizeof text, "%%%d", a->options->jobs);
    add(&g, text);
  }
  add(&g, " --output=");
  add_quoted(&g, a->folder);
  if (g.has_memory) g.text[--g.length] = '\0';
  add(&g, "/%a.log ");
  add_quoted(&g, a->folder);
  if (g.has_memory) g.text[--g.length] = '\0';
  add(&g, "/task.sh 2>&1");
  const int code = g.has_memory ? run_command(g.text, sizeof said, said) : 0;
  free(g.text);
  if (!g.has_memory) return fcps_error_memory(a->error);
  const size_t digits = strspn(said, "0123456789");
  if (code == 0 && digits > 0 && digits < sizeof a->job) {
    snprintf(a->job, sizeof a->job, "%.*s", (int)digits, said);
    return FCPS_OK;
  }
  return fcps_error_set(a->error, FCPS_ERR_PROGRAM, "engine",
                        code == 127
                            ? "sbatch was not found: %s. Is Slurm installed here? --engine local does not need it."
                            : "sbatch refused the array: %s",
                        said);
}

/* Whether the array may still be in the queue. If the controller does not answer, the job counts as queued. */
static bool is_in_queue(const slurm_array *a)
{
  char command[80], said[200];
  snprintf(command, sizeof command, "squeue -h -j %s -o %%i 2>&1", a->job);
  const int code = run_command(command, sizeof said, said);
  if (code != 0) return strstr(said, "Invalid job id") == NULL;
  return said[0] != '\0';
}

static void cancel(const slurm_array *a)
{
  char command[80], said[100];
  snprintf(command, sizeof command, "scancel %s 2>&1", a->job);
  run_command(command, sizeof said, said);
}

/* -- The runs -- */

static bool is_done(const slurm_array *a, int run)
{
  const int rows = a->experiment->row_count;
  return fcps_experiment_run_result_is_done(a->experiment, a->options->directory, run % rows,
                                            a->experiment->seeds[run / rows]);
}

/* Writes the list of missing runs to the file `tasks`. All rows of the first seed come first. */
static fcps_status write_tasks(slurm_array *a, int *count)
{
  growing g = {.has_memory = true};
  *count = a->done = 0;
  for (int run = 0; run < a->total; run++) {
    const int row = run % a->experiment->row_count;
    char seed[32];
    const bool was_done = is_done(a, run);
    a->done += was_done;
    if (was_done || *count == MOST_TASKS) continue;
    snprintf(seed, sizeof seed, "%" PRIu64 "\t", a->experiment->seeds[run / a->experiment->row_count]);
    add(&g, seed);
    add(&g, a->experiment->rows[row].label);
    add(&g, "\n");
    ++*count;
  }
  add(&g, "");
  return write_text(a, "tasks", &g);
}

/* Writes the script of the array. The standard input of its runs never ends, so only Slurm ends a run early. */
static fcps_status write_script(slurm_array *a)
{
  growing g = {.has_memory = true};
  add(&g, "#!/bin/sh\n# one run: line SLURM_ARRAY_TASK_ID of the list\nline=$(sed -n \"${SLURM_ARRAY_TASK_ID}p\" ");
  add_quoted(&g, a->folder);
  if (g.has_memory) g.text[--g.length] = '\0';
  add(&g, "/tasks)\nexec ");
  for (char *const *word = a->options->command; *word != NULL; word++)
    add_quoted(&g, *word);
  add(&g, "\"${line#*\t}\" \"${line%%\t*}\" </dev/zero\n");
  return write_text(a, "task.sh", &g);
}

static int count_done(const slurm_array *a)
{
  int count = 0;
  for (int run = 0; run < a->total; run++)
    count += is_done(a, run);
  return count;
}

static bool is_stopped(const slurm_array *a)
{
  return a->options->stop != NULL && a->options->stop(a->options->user);
}

/* Waits until the array has left the queue. Returns false if the caller wants to stop. */
static bool await(slurm_array *a)
{
  do {
    for (int ms = 0; ms < LOOK_MS; ms += 20) {
      if (is_stopped(a)) {
        cancel(a);
        return false;
      }
      nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    const fcps_experiment_progress progress = {count_done(a), a->total, NAN};
    if (a->options->progress != NULL) a->options->progress(a->options->user, &progress);
  } while (is_in_queue(a));
  return true;
}

/* Makes an error that names the first run that is missing, and quotes its task's message. */
static fcps_status explain(slurm_array *a)
{
  char path[FCPS_EXPERIMENT_PATH + 16], words[300] = "";
  snprintf(path, sizeof path, "%s/1.log", a->folder);
  FILE *log = fopen(path, "r");
  if (log != NULL && fgets(words, sizeof words, log) == NULL) words[0] = '\0';
  if (log != NULL) fclose(log);
  words[strcspn(words, "\n")] = '\0';
  return fcps_error_set(a->error, FCPS_ERR_PROGRAM, "engine",
                        "%d of %d runs are not done, and submitting them again finished none: %.200s (%.200s)",
                        a->total - a->done, a->total, words[0] != '\0' ? words : "they gave no message", path);
}

static fcps_status run_rounds(slurm_array *a)
{
  int missing = 0, idle = 0, before = -1;
  fcps_status status = write_tasks(a, &missing);
  while (status == FCPS_OK && missing > 0) {
    idle = a->done > before ? 0 : idle + 1;
    before = a->done;
    if (idle == IDLE_ROUNDS) return explain(a);
    status = submit(a, missing);
    if (status == FCPS_OK && !await(a))
      status = fcps_error_set(a->error, FCPS_ERR_STOPPED, "",
                              "stopped with %d of %d runs done; the array was cancelled", count_done(a), a->total);
    if (status == FCPS_OK) status = write_tasks(a, &missing);
  }
  return status;
}

fcps_status fcps_engine_slurm(const fcps_experiment *experiment, const fcps_experiment_options *options,
                              fcps_error *error)
{
  slurm_array a = {
      .experiment = experiment, .options = options, .error = error, .total = fcps_experiment_run_count(experiment)};
  fcps_status status = fcps_experiment_path(experiment, options->directory, "slurm", a.folder, error);
  if (status == FCPS_OK) status = fcps_file_make_directory(a.folder, error);
  if (status == FCPS_OK) status = write_script(&a);
  return status == FCPS_OK ? run_rounds(&a) : status;
}
