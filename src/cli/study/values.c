/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers by name, in and out. */
#include "base/error.h"
#include "base/number.h"
#include "cli/study/study_cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static fcps_status unknown_name(const fcps_space *space, const char *option, const char *name, fcps_error *error)
{
  const char *names[FCPS_SPACE_MAX];
  char hint[300];
  if (space->count == 0)
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, option, "this problem has none; leave %s out", option);
  for (int i = 0; i < space->count; i++)
    names[i] = space->dims[i].name;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, option, "there is no \"%s\"; %s", name,
                        fcps_name_hint(name, space->count, names, sizeof hint, hint));
}

/* shows how all of them are given */
static fcps_status missing_name(const fcps_space *space, const char *option, int index, fcps_error *error)
{
  char all[300] = "";
  for (int i = 0; i < space->count; i++) {
    const size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s=NUMBER", i ? "," : "", space->dims[i].name);
  }
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "%s is missing; give %s %s", space->dims[index].name, option,
                        all);
}

static int find_dimension(const fcps_space *space, const char *name)
{
  for (int i = 0; i < space->count; i++)
    if (strcmp(space->dims[i].name, name) == 0) return i;
  return -1;
}

/* one "name=value" of length `length` */
static fcps_status read_pair(const fcps_space *space, const char *option, const char *text, size_t length,
                             double *values, bool *given, fcps_error *error)
{
  char pair[128];
  if (length >= sizeof pair) return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "a value is too long");
  memcpy(pair, text, length);
  pair[length] = '\0';
  char *equals = strchr(pair, '=');
  if (equals == NULL) return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is not NAME=NUMBER", pair);
  *equals = '\0';
  const int index = find_dimension(space, pair);
  if (index < 0) return unknown_name(space, option, pair, error);
  if (given[index]) return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is given twice", pair);
  if (!fcps_number_read(equals + 1, &values[index]))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" of %s is not a number", equals + 1, pair);
  given[index] = true;
  return FCPS_OK;
}

fcps_status fcps_values_read(const fcps_space *space, const char *option, const char *text, bool is_complete,
                             double *values, bool *given, fcps_error *error)
{
  bool seen[FCPS_SPACE_MAX] = {false};
  for (const char *rest = text; rest != NULL && *rest;) {
    while (*rest == ' ')
      rest++;
    const size_t length = strcspn(rest, ",");
    const fcps_status status = read_pair(space, option, rest, length, values, seen, error);
    if (status != FCPS_OK) return status;
    rest += length + (rest[length] == ',');
  }
  for (int i = 0; i < space->count; i++) {
    if (is_complete && !seen[i]) return missing_name(space, option, i, error);
    if (given != NULL) given[i] = seen[i];
  }
  return FCPS_OK;
}

void fcps_values_print(FILE *stream, const fcps_space *space, const double *values)
{
  char number[FCPS_NUMBER_SIZE];
  if (!space->count || values == NULL) fputc('-', stream);
  for (int i = 0; values != NULL && i < space->count; i++) {
    const char *unit = space->dims[i].unit;
    fprintf(stream, "%s%s=%s%s%s", i ? "  " : "", space->dims[i].name, fcps_number_write(values[i], number),
            unit != NULL ? " " : "", unit != NULL ? unit : "");
  }
}

double *fcps_cli_numbers(int count)
{
  double *numbers = calloc((size_t)count + 1, sizeof *numbers);
  if (numbers != NULL) return numbers;
  fputs("fcps: E_MEMORY: out of memory\n", stderr);
  exit(FCPS_EXIT_INTERNAL);
}

static void say_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)user;
  if (level == FCPS_LOG_WARNING) fprintf(stderr, "fcps: %s: %s\n", code, message);
}

const fcps_log fcps_cli_log = {.write = say_warning};

void fcps_cli_warn_no_reward(void)
{
  say_warning(NULL, FCPS_LOG_WARNING, "W_NO_REWARD",
              "the reward has no value without an outcome. The result is stored; the model does without it. A reward "
              "like `present ? -distance : -10` would use it.");
}

void fcps_cli_warn_if_empty(const fcps_study *study)
{
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    if (stored.is_used && !stored.is_flagged && isfinite(stored.result.rollout.reward)) return;
  }
  fputs("fcps: W_NO_RESULTS: the study has no result that can be learnt from yet; this answer is a guess.\n", stderr);
}

fcps_status fcps_cli_open_study(fcps_study **study, const char *path, fcps_error *error)
{
  const fcps_study_options options = {.log = fcps_cli_log, .maker = fcps_run_maker()};
  return fcps_study_open(study, path, &options, error);
}
