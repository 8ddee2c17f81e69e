/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps render`: a picture of a task's world, with trials in the contexts of its first episodes. The trials are the
 * best possible ones, or those of a learnt policy. Robots are filmed instead: see film.c. */
#include "base/error.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/values.h"
#include "lab/cli/film.h"
#include "lab/report/figures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SHOTS = 1000 };

typedef struct render_command {
  const char *task_name, *study_path, *output;
  int64_t seed, shots;
  cli_setting_list task_settings;
  cli_film_options film;
  const char *film_option; /* the first given option that only films have; NULL: no such option was given */
  fcps_study *study;
  fcps_task *task;          /* the study's own task; NULL without a study */
  cli_points at;            /* one row per trial */
  const double *parameters; /* one row of parameters per trial; NULL: the best possible ones */
  fcps_error *error;
} render_command;

static fcps_status read_shots(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, 0, MOST_SHOTS, value, error);
}

static const cli_argument table[] = {
    {CLI_ARGUMENT_NEEDED, "TASK", offsetof(render_command, task_name), .value = "task",
     .help = "name a task, as in `fcps render cannon`"},
    {CLI_ARGUMENT_COUNT, "seed", offsetof(render_command, seed), 's', "N", .help = "Seed of the world (default 1)"},
    {CLI_ARGUMENT_SETTINGS, "task-set", offsetof(render_command, task_settings), .value = "NAME=VALUE",
     .help = "A setting of the task; may be repeated"},
    {CLI_ARGUMENT_READ, "shots", offsetof(render_command, shots), .value = "N", .read = read_shots,
     .help = "Number of trials shown (default 12)"},
    {CLI_ARGUMENT_TEXT, "study", offsetof(render_command, study_path), .value = "STUDY", .file = CLI_FILE_READ,
     .help = "Show what this study has learnt, in its own world; fcps run TASK --store makes studies of tasks"},
    {CLI_ARGUMENT_TEXT, "output", offsetof(render_command, output), 'o', "FILE", .file = CLI_FILE_WRITTEN,
     .endings = "png svg mp4 gif webm",
     .help = "The output: .png or .svg (default TASK.png); for robots .png, .mp4, .gif or .webm"},
    {CLI_ARGUMENT_TABLE, "film", offsetof(render_command, film), .rows = cli_film_arguments,
     .note = offsetof(render_command, film_option), .group = 1},
    {0}};

static const char doc[] =
    "Draws the world of a task with some trials: those of --study, or the best possible ones. A robot first learns; "
    "then it is filmed in one context.\v"
    "Example:\n"
    "  fcps render cannon --seed 1 -o cannon.svg\n"
    "  fcps render fetch-push --episodes 160 --target x=1.42,y=0.86 -o push.mp4\n"
    "  fcps render fetch-push --stages 0,20,60,160 --moments 5 --size 320x240 -o strip.png\n";

/* Takes the contexts of the first episodes as the contexts of the picture. */
static fcps_status draw_contexts(render_command *command)
{
  const fcps_problem *problem = fcps_task_problem(command->task);
  const fcps_status status = cli_points_create(&command->at, problem, (int)command->shots, command->error);
  for (int i = 0; i < command->shots && status == FCPS_OK; i++) {
    fcps_task_context(command->task, i, command->at.target + i * problem->target.count,
                      command->at.environment + i * problem->environment.count);
  }
  return status;
}

/* Opens the study, and uses its task: that task has the world in which the study learnt. */
static fcps_status open_study(render_command *command)
{
  const fcps_study_options how = {.is_relaxed = true, .maker = fcps_run_maker()};
  const fcps_status status = fcps_study_open(&command->study, command->study_path, &how, command->error);
  if (status != FCPS_OK) return status;
  command->task = fcps_run_task(command->study);
  if (command->task != NULL && strcmp(fcps_task_name(command->task), command->task_name) == 0) return FCPS_OK;
  return fcps_error_set(command->error, FCPS_ERR_ARGUMENT, "--study",
                        "%s is not a study of %s; give one that `fcps run` made of this task", command->study_path,
                        command->task_name);
}

static fcps_status query_study(render_command *command)
{
  fcps_policy *policy = NULL;
  fcps_status status = fcps_study_policy(command->study, &policy, command->error);
  if (status != FCPS_OK) return status;
  status = fcps_policy_query_batch(policy, (int)command->shots, command->at.target, command->at.environment,
                                   command->at.parameters, NULL, NULL);
  if (status != FCPS_OK) *command->error = *fcps_policy_error(policy);
  command->parameters = command->at.parameters;
  fcps_policy_destroy(policy);
  return status;
}

/* Writes the data of a sketch to a temporary folder, and draws the picture from them. */
static fcps_status draw_sketch(render_command *command, const char *directory, const char *output)
{
  fcps_status status = fcps_task_sketch(command->task, (int)command->shots, command->at.target, command->at.environment,
                                        command->parameters, directory);
  if (status != FCPS_OK) {
    *command->error = *fcps_task_error(command->task);
    return status;
  }
  return fcps_sketch_figure_draw(directory, output, command->error);
}

static void remove_sketch(const char *directory)
{
  static const char *const names[] = {"surface.csv", "marks.csv", "paths.csv"};
  for (int i = 0; i < 3; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, names[i]);
    unlink(path);
  }
  rmdir(directory);
}

static fcps_status draw(render_command *command, const char *output)
{
  const char *temporary = getenv("TMPDIR");
  char directory[256];
  snprintf(directory, sizeof directory, "%.200s/fcps-render-XXXXXX",
           temporary != NULL && *temporary ? temporary : "/tmp");
  if (mkdtemp(directory) == NULL) {
    return fcps_error_at(command->error, FCPS_ERR_IO, directory, 0, 0, NULL,
                         "this temporary folder cannot be created: %s; set TMPDIR to a folder with room",
                         strerror(errno));
  }
  const fcps_status status = draw_sketch(command, directory, output);
  remove_sketch(directory);
  return status;
}

static fcps_status render(render_command *command, char *output, size_t size)
{
  if (command->output != NULL)
    snprintf(output, size, "%s", command->output);
  else
    snprintf(output, size, "%s.png", command->task_name);

  fcps_status status = command->study_path != NULL
                           ? open_study(command)
                           : fcps_task_create(&command->task, command->task_name, command->task_settings.items,
                                              (uint64_t)command->seed, command->error);
  if (status == FCPS_OK && fcps_task_has_film(command->task)) {
    command->film.seed = (uint64_t)command->seed;
    return cli_render_film(command->task, &command->film, output, command->error);
  }
  if (status == FCPS_OK && command->film_option != NULL)
    status = fcps_error_set(command->error, FCPS_ERR_ARGUMENT, "",
                            "%s is not a robot and cannot be filmed; it is drawn as a picture, so leave out --%s",
                            command->task_name, command->film_option);
  if (status == FCPS_OK) status = draw_contexts(command);
  if (status == FCPS_OK && command->study != NULL) status = query_study(command);
  return status == FCPS_OK ? draw(command, output) : status;
}

int cli_command_render(int argc, char **argv)
{
  char output[4096];
  fcps_error error = {0};
  render_command command = {.seed = 1, .shots = 12, .film = cli_film_options_default(), .error = &error};
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &command, &error);
  if (status == FCPS_OK) status = render(&command, output, sizeof output);
  if (status == FCPS_OK) printf("%s\n", cli_shown(output));

  cli_points_destroy(&command.at);
  if (command.study == NULL) fcps_task_destroy(command.task);
  fcps_study_close(command.study);
  cli_setting_list_destroy(&command.task_settings);
  cli_film_options_destroy(&command.film);
  return status == FCPS_OK ? 0 : cli_fail(&error);
}
