/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps render`: a picture of a task's world, with trials in the contexts of its first episodes: the best possible
 * ones, or those of a policy that was learnt. Tasks of robots are filmed instead: see render_film.c. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/render/film.h"
#include "cli/support/cli.h"
#include "report/figures/sketch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_TASK_SET = 256, KEY_STUDY, KEY_SHOTS };

static const struct argp_option options[] = {
    {"seed", 's', "N", 0, "Which world (default 1)", 0},
    {"task-set", KEY_TASK_SET, "NAME=VALUE", 0, "A setting of the task; may be repeated", 0},
    {"shots", KEY_SHOTS, "N", 0, "Number of trials shown (default 12)", 0},
    {"study", KEY_STUDY, "STUDY", 0, "Show what was learnt in this study (fcps run --store), in its own world", 0},
    {"output", 'o', "FILE", 0, "The picture, .png or .svg (default TASK.png); of robots .png, .mp4, .gif", 0},
    FCPS_FILM_OPTIONS,
    {0},
};

static const char doc[] =
    "Draws the world of a task with trials in it; without --study the best possible ones. Robots learn first, and are "
    "then "
    "filmed in one context.\v"
    "Example:\n  fcps render cannon --seed 1 -o cannon.svg\n"
    "  fcps render fetch-push --learner bo-fcps --episodes 160 --target x=1.42,y=0.86 -o push.mp4\n"
    "  fcps render fetch-push --stages 0,20,60,160 --moments 5 --size 320x240 -o strip.png\n";

typedef struct render_command {
  const char *task_name, *study_path, *output;
  int64_t seed, shots;
  fcps_setting_list task_settings;
  fcps_film_options film;
  const char *film_option; /* the first that was given of those that are for films alone */
  fcps_study *study;
  fcps_task *task;                             /* of the study where there is one */
  double *targets, *environments, *parameters; /* rows; parameters NULL: the best ones */
  fcps_error *error;
} render_command;

static const char *option_name(int key)
{
  const struct argp_option *option = options;
  while (option->name != NULL && option->key != key)
    option++;
  return option->name;
}

static fcps_status take(render_command *command, int key, const char *text)
{
  fcps_error *error = command->error;
  fcps_status status;
  if (fcps_film_options_take(&command->film, key, text, &status, error)) {
    if (command->film_option == NULL) command->film_option = option_name(key);
    return status;
  }
  switch (key) {
  case 's':
    return fcps_option_integer("--seed", text, 0, INT64_MAX, &command->seed, error);
  case KEY_SHOTS:
    return fcps_option_integer("--shots", text, 0, 1000, &command->shots, error);
  case KEY_TASK_SET:
    return fcps_setting_list_add(&command->task_settings, "--task-set", text, error);
  case KEY_STUDY:
    command->study_path = text;
    return FCPS_OK;
  case 'o':
    command->output = text;
    return FCPS_OK;
  default:
    if (command->task_name != NULL) {
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, "task", "\"%s\" is one task too many after \"%s\"", text,
                            command->task_name);
    }
    command->task_name = text;
    return FCPS_OK;
  }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  if (text == NULL) return ARGP_ERR_UNKNOWN; /* the keys of argp itself */
  return take(state->input, key, text) == FCPS_OK ? 0 : EINVAL;
}

/* The contexts of the first episodes. */
static fcps_status draw_contexts(render_command *command)
{
  const fcps_problem *problem = fcps_task_problem(command->task);
  const size_t shots = (size_t)command->shots, width = (size_t)problem->target.count;
  const size_t environment_width = (size_t)problem->environment.count;
  command->targets = fcps_allocate(shots * width, sizeof *command->targets);
  command->environments = fcps_allocate(shots * environment_width, sizeof *command->environments);
  if (command->targets == NULL || command->environments == NULL) return fcps_error_memory(command->error);
  for (size_t i = 0; i < shots; i++) {
    fcps_task_context(command->task, (int64_t)i, command->targets + i * width,
                      command->environments + i * environment_width);
  }
  return FCPS_OK;
}

/* The world in which the study was learnt. */
static fcps_status open_study(render_command *command)
{
  const fcps_study_options how = {.is_relaxed = true, .maker = fcps_run_maker()};
  const fcps_status status = fcps_study_open(&command->study, command->study_path, &how, command->error);
  if (status != FCPS_OK) return status;
  command->task = fcps_run_task(command->study);
  if (command->task != NULL && strcmp(fcps_task_name(command->task), command->task_name) == 0) return FCPS_OK;
  return fcps_error_set(command->error, FCPS_ERR_ARGUMENT, "--study", "%s is no study of %s", command->study_path,
                        command->task_name);
}

static fcps_status query_study(render_command *command)
{
  const size_t width = (size_t)fcps_task_problem(command->task)->parameters.count;
  command->parameters = fcps_allocate((size_t)command->shots * width, sizeof *command->parameters);
  if (command->parameters == NULL) return fcps_error_memory(command->error);

  fcps_policy *policy = NULL;
  fcps_status status = fcps_study_policy(command->study, &policy, command->error);
  if (status != FCPS_OK) return status;
  status = fcps_policy_query_batch(policy, (int)command->shots, command->targets, command->environments,
                                   command->parameters, NULL, NULL);
  if (status != FCPS_OK) *command->error = *fcps_policy_error(policy);
  fcps_policy_destroy(policy);
  return status;
}

/* The sketch's files are only a step on the way: they live in a temporary folder. */
static fcps_status draw_sketch(render_command *command, const char *directory, const char *output)
{
  fcps_status status = fcps_task_sketch(command->task, (int)command->shots, command->targets, command->environments,
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
    return fcps_error_at(command->error, FCPS_ERR_IO, directory, 0, 0, NULL, "no temporary folder: %s",
                         strerror(errno));
  }
  const fcps_status status = draw_sketch(command, directory, output);
  remove_sketch(directory);
  return status;
}

static fcps_status render(render_command *command, char *output, size_t size)
{
  if (command->task_name == NULL) {
    return fcps_error_set(command->error, FCPS_ERR_ARGUMENT, "task", "name a task, as in `fcps render cannon`");
  }
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
    return fcps_render_film(command->task, &command->film, output, command->error);
  }
  if (status == FCPS_OK && command->film_option != NULL)
    status = fcps_error_set(command->error, FCPS_ERR_ARGUMENT, "",
                            "%s is no robot that could be filmed; it is drawn as a picture: leave --%s out",
                            command->task_name, command->film_option);
  if (status == FCPS_OK) status = draw_contexts(command);
  if (status == FCPS_OK && command->study != NULL) status = query_study(command);
  return status == FCPS_OK ? draw(command, output) : status;
}

int fcps_command_render(int argc, char **argv)
{
  static const struct argp argp = {.options = options, .parser = parse, .args_doc = "TASK", .doc = doc};
  char output[4096];
  fcps_error error = {0};
  render_command command = {.seed = 1, .shots = 12, .film = fcps_film_options_default(), .error = &error};
  fcps_status status = fcps_options_parse(&argp, argc, argv, &command, &error);
  if (status == FCPS_OK) status = render(&command, output, sizeof output);
  if (status == FCPS_OK) printf("%s\n", output);

  free(command.targets);
  free(command.environments);
  free(command.parameters);
  if (command.study == NULL) fcps_task_destroy(command.task);
  fcps_study_close(command.study);
  fcps_setting_list_destroy(&command.task_settings);
  fcps_film_options_destroy(&command.film);
  return status == FCPS_OK ? 0 : fcps_cli_fail(&error);
}
