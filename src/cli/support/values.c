/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a problem. What is refused names the option and lists the names that exist. */
#include "cli/support/values.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/support/shown.h"
#include "wire/wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Room -- */

static double *rows_of(const fcps_space *space, int rows)
{
  return fcps_allocate((size_t)rows * (size_t)space->count, sizeof(double));
}

fcps_status cli_points_create(cli_points *points, const fcps_problem *problem, int rows, fcps_error *error)
{
  *points = (cli_points){.target = rows_of(&problem->target, rows),
                         .environment = rows_of(&problem->environment, rows),
                         .parameters = rows_of(&problem->parameters, rows),
                         .outcome = rows_of(&problem->outcome, rows)};
  if (points->target != NULL && points->environment != NULL && points->parameters != NULL && points->outcome != NULL)
    return FCPS_OK;
  cli_points_destroy(points);
  return fcps_error_memory(error);
}

void cli_points_destroy(cli_points *points)
{
  free(points->target);
  free(points->environment);
  free(points->parameters);
  free(points->outcome);
  *points = (cli_points){0};
}

/* -- By name -- */

static int find_dimension(const fcps_space *space, const char *name)
{
  for (int i = 0; i < space->count; i++)
    if (strcmp(space->dims[i].name, name) == 0) return i;
  return -1;
}

/* what a name of another space is called; NULL: no space has it */
static const char *find_elsewhere(const fcps_problem *p, const char *name)
{
  if (find_dimension(&p->target, name) >= 0) return "a target: give it with --target";
  if (find_dimension(&p->environment, name) >= 0) return "an environment: give it with --environment";
  if (find_dimension(&p->parameters, name) >= 0) return "a parameter";
  return find_dimension(&p->outcome, name) >= 0 ? "an outcome, which is told with --outcome" : NULL;
}

static fcps_status unknown_name(const fcps_problem *problem, const fcps_space *space, const char *option,
                                const char *name, fcps_error *error)
{
  const char *names[FCPS_SPACE_MAX], *elsewhere = find_elsewhere(problem, name);
  char hint[300];
  if (elsewhere != NULL) return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, option, "\"%s\" is %s", name, elsewhere);
  if (space->count == 0)
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, option, "this problem does not have any; leave out %s", option);
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

/* one "name=value" of length `length` */
static fcps_status read_pair(const fcps_problem *problem, const fcps_space *space, const char *option, const char *text,
                             size_t length, double *values, bool *given, fcps_error *error)
{
  char pair[128];
  if (length >= sizeof pair) return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "a value is too long");
  memcpy(pair, text, length);
  pair[length] = '\0';
  char *equals = strchr(pair, '=');
  if (equals == NULL && pair[0] >= '0' && pair[0] <= '9' && pair[strspn(pair, "0123456789eE+-")] == '\0')
    return fcps_error_set(
        error, FCPS_ERR_ARGUMENT, option,
        "\"%s\" is not NAME=NUMBER; a comma stands between two of them: for a decimal write a point, as "
        "in 3.5",
        pair);
  if (equals == NULL) return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is not NAME=NUMBER", pair);
  *equals = '\0';
  const int index = find_dimension(space, pair);
  if (index < 0) return unknown_name(problem, space, option, pair, error);
  if (given[index]) return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is given twice", pair);
  given[index] = true;
  return fcps_wire_number_read(&space->dims[index], equals + 1, option, &values[index], error);
}

fcps_status cli_values_read(const fcps_problem *problem, const fcps_space *space, const char *option, const char *text,
                            bool is_complete, double *values, bool *given, fcps_error *error)
{
  bool seen[FCPS_SPACE_MAX] = {false};
  for (const char *rest = text; rest != NULL && *rest;) {
    while (*rest == ' ')
      rest++;
    const size_t length = strcspn(rest, ",");
    const fcps_status status = read_pair(problem, space, option, rest, length, values, seen, error);
    if (status != FCPS_OK) return status;
    rest += length + (rest[length] == ',');
  }
  for (int i = 0; i < space->count; i++) {
    if (is_complete && !seen[i]) return missing_name(space, option, i, error);
    if (given != NULL) given[i] = seen[i];
  }
  return FCPS_OK;
}

/* Four digits say enough to a person, but a setting with steps is set exactly. */
static void print_value(FILE *stream, const char *name, double value, bool is_exact, const char *unit)
{
  char number[FCPS_NUMBER_SIZE];
  fprintf(stream, "%s=%s%s%s", cli_shown(name),
          is_exact ? fcps_number_write(cli_values_plain(value), number) : fcps_number_show(value, number),
          unit != NULL ? " " : "", unit != NULL ? cli_shown(unit) : "");
}

void cli_values_print(FILE *stream, const fcps_space *space, const double *values)
{
  if (!space->count || values == NULL) fputc('-', stream);
  for (int i = 0; values != NULL && i < space->count; i++) {
    const fcps_dimension *dim = &space->dims[i];
    if (i > 0) fputs("  ", stream);
    print_value(stream, dim->name, values[i], dim->step > 0 || dim->scale == FCPS_SCALE_INTEGER, dim->unit);
  }
}

void cli_numbers_print(FILE *stream, const fcps_json *numbers, const fcps_json *beside)
{
  const fcps_json *units = fcps_json_get(beside, "units"), *steps = fcps_json_get(beside, "steps");
  if (fcps_json_count(numbers) == 0) fputc('-', stream);
  for (int i = 0; i < fcps_json_count(numbers); i++) {
    const char *name = fcps_json_key(numbers, i);
    double value = NAN;
    (void)fcps_json_number(fcps_json_get(numbers, name), &value);
    if (i > 0) fputs("  ", stream);
    print_value(stream, name, value, fcps_json_get(steps, name) != NULL, fcps_json_text(fcps_json_get(units, name)));
  }
}

int cli_values_level(double value, double least, double most, int count)
{
  /* half of each: the difference of the largest numbers is not a number. The smallest ones are compared as they are */
  const double scale = isinf(most - least) ? 0.5 : 1.0;
  const double range = scale * most - scale * least, share = (scale * value - scale * least) / range;
  if (!(range > 0) || !(share > 0)) return 0;
  return share < 1 ? (int)(share * (count - 0.001)) : count - 1;
}
