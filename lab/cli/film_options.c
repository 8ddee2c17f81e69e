/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a film as rows of a table, and how the more complex ones are read. */
#include "lab/cli/film_options.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROLLOUTS = 1000000, MOST_MOMENTS = 20, LEAST_SIZE = 16, MOST_SIZE = 4096, SLOWEST = 100 };

cli_film_options cli_film_options_default(void)
{
  return (cli_film_options){.learner = "outcome", .stages = {1, {160}}, .frame = {640, 480}, .moments = 1};
}

void cli_film_options_destroy(cli_film_options *options)
{
  cli_setting_list_destroy(&options->learner_settings);
}

/* One stage. */
static fcps_status read_episodes(const char *option, const char *text, void *value, fcps_error *error)
{
  cli_film_stages *stages = value;
  stages->count = 1;
  return cli_option_integer(option, text, 0, MOST_ROLLOUTS, &stages->rollouts[0], error);
}

/* "0,20,60,160" */
static fcps_status read_stages(const char *option, const char *text, void *value, fcps_error *error)
{
  cli_film_stages *stages = value;
  char copy[256];
  if (strlen(text) >= sizeof copy) return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "is too long");
  strcpy(copy, text);
  stages->count = 0;
  char *rest = copy;
  for (char *part; (part = strtok_r(rest, ",", &rest)) != NULL;) {
    if (stages->count == CLI_FILM_STAGES)
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "has more than %d numbers", CLI_FILM_STAGES);
    int64_t *stage = &stages->rollouts[stages->count];
    const fcps_status status = cli_option_integer(option, part, 0, MOST_ROLLOUTS, stage, error);
    if (status != FCPS_OK) return status;
    if (stages->count++ > 0 && stage[0] <= stage[-1])
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "must ascend, but %s follows %lld", part,
                            (long long)stage[-1]);
  }
  if (stages->count > 0) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "needs numbers of rollouts, as in 0,20,60,160");
}

/* One side of a frame; encoders of films need even numbers. */
static bool is_size(int length)
{
  return length >= LEAST_SIZE && length <= MOST_SIZE && length % 2 == 0;
}

/* "640x480" */
static fcps_status read_size(const char *option, const char *text, void *value, fcps_error *error)
{
  cli_film_frame *frame = value;
  int end = 0;
  const bool is_read = sscanf(text, "%4dx%4d%n", &frame->width, &frame->height, &end) == 2 && text[end] == 0;
  if (is_read && is_size(frame->width) && is_size(frame->height)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, option,
                        "\"%s\" is not a size such as 640x480: even numbers, %d to %d", text, LEAST_SIZE, MOST_SIZE);
}

static fcps_status read_moments(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, 1, MOST_MOMENTS, value, error);
}

static fcps_status read_slow(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, 1, SLOWEST, value, error);
}

const cli_argument cli_film_arguments[] = {
    {CLI_ARGUMENT_TEXT, "learner", offsetof(cli_film_options, learner), .value = "NAME",
     .help = "For robots: the learner that learns before the film (default outcome)"},
    {CLI_ARGUMENT_SETTINGS, "set", offsetof(cli_film_options, learner_settings), .value = "NAME=VALUE",
     .help = "A setting of the learner; may be repeated"},
    {CLI_ARGUMENT_READ, "episodes", offsetof(cli_film_options, stages), .value = "N", .read = read_episodes,
     .help = "Number of rollouts before the film (default 160)"},
    {CLI_ARGUMENT_READ, "stages", offsetof(cli_film_options, stages), .value = "N,N,...", .read = read_stages,
     .help = "Show the same context after each of these numbers of rollouts"},
    {CLI_ARGUMENT_TEXT, "target", offsetof(cli_film_options, target), .value = "NAME=VALUE,...",
     .help = "The target (default: that of the first evaluation context)"},
    {CLI_ARGUMENT_TEXT, "environment", offsetof(cli_film_options, environment), .value = "NAME=VALUE,...",
     .help = "The environment (default: that of the first evaluation context)"},
    {CLI_ARGUMENT_TEXT, "parameters", offsetof(cli_film_options, parameters), .value = "NAME=VALUE,...",
     .help = "Show a rollout with these parameters, without learning"},
    {CLI_ARGUMENT_READ, "size", offsetof(cli_film_options, frame), .value = "WIDTHxHEIGHT", .read = read_size,
     .help = "Size of a frame (default 640x480)"},
    {CLI_ARGUMENT_READ, "moments", offsetof(cli_film_options, moments), .value = "N", .read = read_moments,
     .help = "Number of frames of a rollout side by side in a .png (default 1: the end)"},
    {CLI_ARGUMENT_READ, "slow", offsetof(cli_film_options, slow), .value = "N", .read = read_slow,
     .help = "Show a film N times slower than it is (default: rollouts of less than two seconds are slowed to three)"},
    {0}};
