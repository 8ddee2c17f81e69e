/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps sweep`: one task, several learners, all combinations of settings, several seeds. A sweep is an experiment
 * without claims: the command writes the experiment's file DIR/sweep.yaml and calls `fcps reproduce`. So a sweep has
 * the same engines, tables and resuming as an experiment. The experiment is checked before anything is written, and
 * only files that an earlier sweep wrote are replaced. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "format/file.h"

#include <fcps/lab/experiment.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ROWS = 64, MOST_VALUES = 16, PATH_SIZE = 4096, LABEL_SIZE = 120 };

typedef struct arguments {
  const char *task, *learners, *seeds, *directory, *engine;
  int64_t episodes, jobs;
  cli_setting_list settings, task_settings;
  bool is_quiet;
  bool is_new; /* the folder contained no sweep when the command started */
  fcps_error error;
} arguments;

static const cli_argument table[] = {
    {CLI_ARGUMENT_NEEDED, "TASK", .offset = offsetof(arguments, task)},
    {CLI_ARGUMENT_TEXT, "learners", offsetof(arguments, learners), 'l', .value = "LIST",
     .help = "The learners, as in outcome,bo-cps (default outcome)"},
    {CLI_ARGUMENT_SETTINGS, "set", offsetof(arguments, settings), 'S', .value = "NAME=V1,V2,...",
     .help = "The values of a setting of the learners; may be repeated. All combinations are run"},
    {CLI_ARGUMENT_SETTINGS, "task-set", offsetof(arguments, task_settings), .value = "NAME=VALUE",
     .help = "A setting of the task; may be repeated"},
    {CLI_ARGUMENT_TEXT, "seeds", offsetof(arguments, seeds), 's', .value = "LIST",
     .help = "Seeds, as in 1-10 or 1-3,7 (default 1-10)"},
    {CLI_ARGUMENT_COUNT, "episodes", offsetof(arguments, episodes), 'n', .value = "N",
     .help = "Episodes of each run (default 100)"},
    {CLI_ARGUMENT_TEXT, "engine", offsetof(arguments, engine), .value = "NAME",
     .help = "Where runs are done: local (default), this machine; or slurm, a job array, which needs DIR on a shared "
             "file system"},
    {CLI_ARGUMENT_COUNT, "jobs", offsetof(arguments, jobs), 'J', .value = "N",
     .help = "Number of runs at a time (default: one per core; with slurm, as many as the cluster allows)"},
    {CLI_ARGUMENT_TEXT, "out", offsetof(arguments, directory), 'o', .value = "DIR", .file = CLI_FILE_FOLDER,
     .help = "Folder of the results (default results/sweep)"},
    {CLI_ARGUMENT_SWITCH, "quiet", offsetof(arguments, is_quiet), 'q', .help = "Do not show progress"},
    {0}};

static const char doc[] =
    "Runs learners with all combinations of settings on many seeds of a built-in task, and "
    "compares them. Finished runs are kept: the same command continues where it was interrupted.\v"
    "Example, 2 learners x 3 settings x 20 seeds as a job array:\n"
    "  fcps sweep cannon --learners outcome,bo-cps --set kappa=0.5,1,2 --seeds 1-20 --engine "
    "slurm --out results/kappa\n";

/* -- The file -- */

/* Copies the next part of a list whose parts are separated by commas. Returns false at the end of the list. */
static bool next_part(const char **list, size_t size, char *part)
{
  if (*list == NULL || **list == '\0') return false;
  const size_t length = strcspn(*list, ",");
  snprintf(part, size, "%.*s", (int)length, *list);
  *list += length + ((*list)[length] == ',');
  return true;
}

static int count_values(const char *list)
{
  int count = 1;
  for (const char *c = list; *c != '\0'; c++)
    count += *c == ',';
  return count;
}

static void value_at(const char *list, int index, char value[LABEL_SIZE])
{
  value[0] = '\0';
  for (int i = 0; i <= index && next_part(&list, LABEL_SIZE, value); i++) {
  }
}

static int count_combinations(const arguments *a)
{
  int count = 1;
  for (size_t i = 0; i < a->settings.count && count <= MOST_ROWS; i++)
    count *= count_values(a->settings.items[i].value);
  return count;
}

/* The number of the value that setting `index` has in a combination. The last setting changes fastest. */
static int digit_of(const arguments *a, int combination, int index)
{
  for (int i = (int)a->settings.count - 1; i > index; i--)
    combination /= count_values(a->settings.items[i].value);
  return combination % count_values(a->settings.items[index].value);
}

/* Writes one row of the experiment. The title of the row names the learner and the settings that the sweep varies. */
static void write_row(FILE *stream, const arguments *a, const char *learner, int combination)
{
  char title[4 * LABEL_SIZE], value[LABEL_SIZE];
  snprintf(title, sizeof title, "%s", learner);
  for (int i = 0; i < (int)a->settings.count; i++) {
    value_at(a->settings.items[i].value, digit_of(a, combination, i), value);
    const size_t used = strlen(title);
    if (count_values(a->settings.items[i].value) > 1)
      snprintf(title + used, sizeof title - used, " %s=%s", a->settings.items[i].name, value);
  }
  fprintf(stream, "  - label: %s", learner);
  if (count_combinations(a) > 1) fprintf(stream, "-%d", combination + 1);
  fprintf(stream, "\n    title: \"%s\"\n    learner: %s\n    settings: {", title, learner);
  for (int i = 0; i < (int)a->settings.count; i++) {
    value_at(a->settings.items[i].value, digit_of(a, combination, i), value);
    fprintf(stream, "%s%s: \"%s\"", i > 0 ? ", " : "", a->settings.items[i].name, value);
  }
  fprintf(stream, "}\n");
}

static const char about[] = "about: Written by fcps sweep.";

static void write_file(FILE *stream, const arguments *a)
{
  const int64_t episodes = a->episodes > 0 ? a->episodes : 100;
  fprintf(stream, "name: sweep\ntitle: A sweep of %s\n%s\ntask: {name: %s, settings: {", a->task, about, a->task);
  for (size_t i = 0; i < a->task_settings.count; i++)
    fprintf(stream, "%s%s: \"%s\"", i > 0 ? ", " : "", a->task_settings.items[i].name, a->task_settings.items[i].value);
  fprintf(stream, "}}\nepisodes: %lld\nevaluate: %lld\nseeds: %s\nlearners:\n", (long long)episodes,
          (long long)episodes, a->seeds != NULL ? a->seeds : "1-10");
  const char *list = a->learners != NULL ? a->learners : "outcome";
  char learner[LABEL_SIZE];
  while (next_part(&list, sizeof learner, learner))
    for (int combination = 0; combination < count_combinations(a); combination++)
      write_row(stream, a, learner, combination);
}

/* Refuses characters that mean something in YAML, because names and values are written to the file unquoted. */
static fcps_status check_text(arguments *a, const char *option, const char *text)
{
  if (strpbrk(text, "\"\\\n{}[]:#&*!|>'%@`") == NULL) return FCPS_OK;
  return fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, option,
                        "\"%.60s\" has a character that has a meaning in YAML; leave it out", text);
}

static fcps_status check(arguments *a)
{
  const int rows = count_values(a->learners != NULL ? a->learners : "outcome") * count_combinations(a);
  if (rows > MOST_ROWS)
    return fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "--set",
                          "these are more than %d combinations of learners and settings; give fewer values", MOST_ROWS);
  fcps_status status = check_text(a, "TASK", a->task);
  if (status == FCPS_OK && a->learners != NULL) status = check_text(a, "--learners", a->learners);
  if (status == FCPS_OK && a->seeds != NULL) status = check_text(a, "--seeds", a->seeds);
  for (size_t i = 0; status == FCPS_OK && i < a->settings.count; i++)
    status = check_text(a, "--set", a->settings.items[i].value);
  for (size_t i = 0; status == FCPS_OK && i < a->task_settings.count; i++)
    status = check_text(a, "--task-set", a->task_settings.items[i].value);
  return status;
}

/* Reads the experiment as `fcps reproduce` will, but from an unnamed file, so that an error names the command line. */
static fcps_status check_experiment(arguments *a, const char *text, size_t length)
{
  char path[48];
  fcps_experiment *experiment = NULL;
  FILE *file = tmpfile();
  if (file == NULL || fwrite(text, 1, length, file) != length || fflush(file) != 0) {
    if (file != NULL) fclose(file);
    return fcps_error_set(&a->error, FCPS_ERR_IO, "",
                          "a temporary file cannot be written; make room on the disk, or set TMPDIR to another folder");
  }
  snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
  const fcps_status status = fcps_experiment_open(&experiment, path, &a->error);
  if (status != FCPS_OK) {
    a->error.file[0] = '\0';
    a->error.line = a->error.column = 0;
  }
  fcps_experiment_destroy(experiment);
  fclose(file);
  return status;
}

/* Refuses to replace a file that has this name but was not written by a sweep. */
static fcps_status check_place(arguments *a, const char *path)
{
  enum { MOST_BYTES = 1 << 20 };
  struct stat there;
  char *text = NULL;
  size_t length = 0;
  a->is_new = lstat(path, &there) != 0;
  if (a->is_new) return FCPS_OK;
  const bool is_ours = S_ISREG(there.st_mode) && fcps_file_read(path, MOST_BYTES, &text, &length, NULL) == FCPS_OK &&
                       strstr(text, about) != NULL;
  free(text);
  return is_ours
             ? FCPS_OK
             : fcps_error_at(&a->error, FCPS_ERR_ARGUMENT, path, 0, 0, "--out",
                             "exists and was not written by fcps sweep, so it is not replaced; choose another folder");
}

static fcps_status place_sweep(arguments *a, const char *text, size_t length, char path[PATH_SIZE])
{
  fcps_status status = check_experiment(a, text, length);
  if (status == FCPS_OK && *a->directory == '\0')
    status = fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "--out", "the path is empty; name a folder");
  if (status == FCPS_OK) status = fcps_file_join(a->directory, "sweep.yaml", PATH_SIZE, path, &a->error);
  if (status == FCPS_OK) status = check_place(a, path);
  if (status == FCPS_OK) status = fcps_file_make_directory(a->directory, &a->error);
  return status == FCPS_OK ? fcps_file_replace(path, text, length, &a->error) : status;
}

static fcps_status write_sweep(arguments *a, char path[PATH_SIZE])
{
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (stream == NULL) return fcps_error_memory(&a->error);
  write_file(stream, a);
  const fcps_status status = fclose(stream) == 0 ? place_sweep(a, text, length, path) : fcps_error_memory(&a->error);
  free(text);
  return status;
}

/* -- The command -- */

static int reproduce(const arguments *a, char path[PATH_SIZE])
{
  char name[] = "fcps reproduce", out[] = "--out", engine[] = "--engine", jobs[] = "--jobs", quiet[] = "--quiet",
       all[] = "all", sweep[] = "--sweep", number[24];
  /* argp does not change its arguments */
  char *line[12] = {name, all, sweep, path, out, (char *)(uintptr_t)a->directory};
  int count = 6;
  if (a->engine != NULL) line[count++] = engine;
  if (a->engine != NULL) line[count++] = (char *)(uintptr_t)a->engine;
  snprintf(number, sizeof number, "%lld", (long long)a->jobs);
  if (a->jobs > 0) line[count++] = jobs;
  if (a->jobs > 0) line[count++] = number;
  if (a->is_quiet) line[count++] = quiet;
  return cli_command_reproduce(count, line);
}

/* Removes the sweep's file and its folder if the sweep is refused before its first run. */
static void clear_up(const arguments *a, const char *path)
{
  char runs[PATH_SIZE];
  struct stat there;
  if (!a->is_new || fcps_file_join(a->directory, "sweep", sizeof runs, runs, NULL) != FCPS_OK) return;
  if (stat(runs, &there) == 0) return;
  unlink(path);
  rmdir(a->directory); /* has no effect if the folder is not empty */
}

int cli_command_sweep(int argc, char **argv)
{
  arguments a = {.directory = "results/sweep"};
  char path[PATH_SIZE];
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = check(&a);
  if (status == FCPS_OK) status = write_sweep(&a, path);
  const int code = status == FCPS_OK ? reproduce(&a, path) : cli_fail(&a.error);
  if (status == FCPS_OK && code != 0) clear_up(&a, path);
  cli_setting_list_destroy(&a.settings);
  cli_setting_list_destroy(&a.task_settings);
  return code;
}
