/* SPDX-License-Identifier: Apache-2.0 */
/* An installed program finds its experiments relative to itself (bin/../share), so that the installed tree can be
 * moved. A program that was only built uses the experiments of its source tree. */
#include "lab/cli/catalogue.h"

#include "base/error.h"
#include "base/memory.h"
#include "cli/listing.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/values.h"

#include <fcps/lab/lab.h>

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

/* Opens the experiment file FOLDER/NAME.yaml and adds it to the catalogue. */
static fcps_status open_named(cli_catalogue *catalogue, const char *folder, const char *name, fcps_error *error)
{
  char path[CLI_CATALOGUE_PATH];
  if (snprintf(path, sizeof path, "%s/%s.yaml", folder, name) >= (int)sizeof path) {
    return fcps_error_set(error, FCPS_ERR_IO, "experiments",
                          "the path of the folder is too long; choose a shorter one");
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

/* -- Tasks --
 *
 * `fcps tasks` lists the built-in tasks. A task that is not installed is listed with the reason. */

enum { MOST_TASKS = 64 };

static const char tasks_doc[] = "Lists the built-in tasks, with their spaces and settings.\v"
                                "Example:\n"
                                "  fcps tasks cannon\n"
                                "  fcps tasks --json\n";

static void print_task(const fcps_task_info *info, const fcps_task *task)
{
  printf("%s: %s\n", info->name, info->summary);
  if (task == NULL) {
    printf("  not available: %s\n\n", info->unavailable);
    return;
  }
  const fcps_problem *problem = fcps_task_problem(task);
  const fcps_evaluation *evaluation = fcps_task_evaluation(task);
  cli_describe_space("target", &problem->target);
  cli_describe_space("environment", &problem->environment);
  cli_describe_space("parameters", &problem->parameters);
  cli_describe_space("outcome", &problem->outcome);
  printf("  %-12s %d contexts, without noise\n", "evaluation", evaluation->count);
  cli_describe_settings("--task-set", info->settings, info->defaults);
  putchar('\n');
}

static fcps_json *task_json(const fcps_task_info *info, const fcps_task *task)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "name", fcps_json_from_text(info->name));
  fcps_json_put(&json, "summary", fcps_json_from_text(info->summary));
  fcps_json_put(&json, "unavailable",
                info->unavailable != NULL ? fcps_json_from_text(info->unavailable) : fcps_json_null());
  if (task != NULL) {
    const fcps_problem *problem = fcps_task_problem(task);
    fcps_json_put(&json, "target", cli_describe_space_json(&problem->target));
    fcps_json_put(&json, "environment", cli_describe_space_json(&problem->environment));
    fcps_json_put(&json, "parameters", cli_describe_space_json(&problem->parameters));
    fcps_json_put(&json, "outcome", cli_describe_space_json(&problem->outcome));
    fcps_json_put(&json, "evaluation", fcps_json_from_integer(fcps_task_evaluation(task)->count));
  }
  fcps_json_put(&json, "settings", cli_describe_settings_json(info->settings, info->defaults));
  return json;
}

static fcps_status check_name(const cli_listing *listing, fcps_error *error)
{
  const char *names[MOST_TASKS];
  int count = 0;
  while (count < MOST_TASKS && fcps_task_info_at(count) != NULL) {
    names[count] = fcps_task_info_at(count)->name;
    count++;
  }
  return cli_listing_check(listing, "task", count, names, error);
}

int cli_command_tasks(int argc, char **argv)
{
  cli_listing listing = {0};
  fcps_error error = {0};
  fcps_status status = cli_listing_parse(&listing, tasks_doc, argc, argv, &error);
  if (status == FCPS_OK) status = check_name(&listing, &error);
  for (int i = 0; status == FCPS_OK && fcps_task_info_at(i) != NULL; i++) {
    if (!cli_listing_includes(&listing, fcps_task_info_at(i)->name)) continue;
    fcps_task_info info = *fcps_task_info_at(i);
    fcps_task *task = NULL;
    if (info.unavailable == NULL) status = fcps_task_create(&task, info.name, NULL, 0, &error);
    if (status == FCPS_ERR_UNAVAILABLE) { /* the robot files exist, but they could not be loaded */
      info.unavailable = error.message;
      status = FCPS_OK;
    }
    if (status == FCPS_OK && listing.as_json)
      status = cli_print_json(stdout, task_json(&info, task), &error);
    else if (status == FCPS_OK)
      print_task(&info, task);
    fcps_task_destroy(task);
  }
  return status == FCPS_OK ? 0 : cli_fail(&error);
}

/* -- Experiments -- */

/* `fcps experiments` lists the experiments that `fcps reproduce` can run. If the task of an experiment is not
 * installed, a warning says so instead. */

static const char experiments_doc[] = "Lists the experiments that `fcps reproduce` runs.\v"
                                      "Example:\n  fcps experiments --json\n";

static void print_experiment(const fcps_experiment_info *info)
{
  printf("%s: %s\n  %d learners on %s, %d seeds, %lld episodes each; %d claims\n  %s\n\n", cli_shown(info->name),
         cli_shown(info->title), info->learner_count, cli_shown(info->task), info->seed_count,
         (long long)info->episodes, info->claim_count, cli_shown(info->file));
}

static fcps_json *experiment_json(const fcps_experiment_info *info)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "name", fcps_json_from_text(info->name));
  fcps_json_put(&json, "title", fcps_json_from_text(info->title));
  fcps_json_put(&json, "file", fcps_json_from_text(info->file));
  fcps_json_put(&json, "task", fcps_json_from_text(info->task));
  fcps_json_put(&json, "learners", fcps_json_from_integer(info->learner_count));
  fcps_json_put(&json, "seeds", fcps_json_from_integer(info->seed_count));
  fcps_json_put(&json, "episodes", fcps_json_from_integer(info->episodes));
  fcps_json_put(&json, "claims", fcps_json_from_integer(info->claim_count));
  return json;
}

int cli_command_experiments(int argc, char **argv)
{
  cli_listing listing = {0};
  fcps_error error = {0};
  cli_catalogue catalogue = {0};
  fcps_status status = cli_listing_parse(&listing, experiments_doc, argc, argv, &error);
  if (status == FCPS_OK)
    status = listing.name != NULL ? cli_catalogue_open(&catalogue, listing.name, &error)
                                  : cli_catalogue_open_all(&catalogue, &error);
  for (size_t i = 0; i < catalogue.count && status == FCPS_OK; i++) {
    const fcps_experiment_info info = fcps_experiment_describe(catalogue.items[i]);
    if (listing.as_json)
      status = cli_print_json(stdout, experiment_json(&info), &error);
    else
      print_experiment(&info);
  }
  cli_catalogue_destroy(&catalogue);
  return status == FCPS_OK ? 0 : cli_fail(&error);
}
