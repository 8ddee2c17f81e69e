/* SPDX-License-Identifier: Apache-2.0 */
/* What `fcps render` is told about a film. */
#include "base/error.h"
#include "cli/render/film.h"

#include <stdio.h>
#include <string.h>

fcps_film_options fcps_film_options_default(void)
{
  return (fcps_film_options){
      .learner = "bo-fcps", .stage_count = 1, .stages = {160}, .width = 640, .height = 480, .moments = 1};
}

void fcps_film_options_destroy(fcps_film_options *wish)
{
  fcps_setting_list_destroy(&wish->learner_settings);
}

/* "0,20,60,160" */
static fcps_status read_stages(fcps_film_options *wish, const char *text, fcps_error *error)
{
  char copy[256];
  if (strlen(text) >= sizeof copy) return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--stages", "is too long");
  strcpy(copy, text);
  wish->stage_count = 0;
  char *rest = copy;
  for (char *part; (part = strtok_r(rest, ",", &rest)) != NULL;) {
    if (wish->stage_count == FCPS_FILM_STAGES)
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--stages", "has more than %d numbers", FCPS_FILM_STAGES);
    int64_t *stage = &wish->stages[wish->stage_count];
    const fcps_status status = fcps_option_integer("--stages", part, 0, 1000000, stage, error);
    if (status != FCPS_OK) return status;
    if (wish->stage_count++ > 0 && stage[0] <= stage[-1])
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--stages", "must ascend, but %s follows %lld", part,
                            (long long)stage[-1]);
  }
  if (wish->stage_count > 0) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--stages", "needs numbers of rollouts, as in 0,20,60,160");
}

/* "640x480" */
static fcps_status read_size(fcps_film_options *wish, const char *text, fcps_error *error)
{
  int end = 0;
  const bool is_read = sscanf(text, "%4dx%4d%n", &wish->width, &wish->height, &end) == 2 && text[end] == 0;
  if (is_read && wish->width >= 16 && wish->height >= 16 && wish->width <= 4096 && wish->height <= 4096 &&
      wish->width % 2 == 0 && wish->height % 2 == 0)
    return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--size",
                        "\"%s\" is not a size such as 640x480: even numbers, 16 to 4096", text);
}

static fcps_status read_number(const char *option, const char *text, int64_t lower, int64_t upper, int *value,
                               fcps_error *error)
{
  int64_t number;
  const fcps_status status = fcps_option_integer(option, text, lower, upper, &number, error);
  if (status == FCPS_OK) *value = (int)number;
  return status;
}

bool fcps_film_options_take(fcps_film_options *wish, int key, const char *text, fcps_status *status, fcps_error *error)
{
  *status = FCPS_OK;
  switch (key) {
  case FCPS_FILM_KEY_LEARNER:
    wish->learner = text;
    return true;
  case FCPS_FILM_KEY_SET:
    *status = fcps_setting_list_add(&wish->learner_settings, "--set", text, error);
    return true;
  case FCPS_FILM_KEY_EPISODES:
    wish->stage_count = 1;
    *status = fcps_option_integer("--episodes", text, 0, 1000000, &wish->stages[0], error);
    return true;
  case FCPS_FILM_KEY_STAGES:
    *status = read_stages(wish, text, error);
    return true;
  case FCPS_FILM_KEY_TARGET:
    wish->target = text;
    return true;
  case FCPS_FILM_KEY_ENVIRONMENT:
    wish->environment = text;
    return true;
  case FCPS_FILM_KEY_PARAMETERS:
    wish->parameters = text;
    return true;
  case FCPS_FILM_KEY_SIZE:
    *status = read_size(wish, text, error);
    return true;
  case FCPS_FILM_KEY_MOMENTS:
    *status = read_number("--moments", text, 1, 20, &wish->moments, error);
    return true;
  default:
    return false;
  }
}
