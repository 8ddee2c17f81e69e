/* SPDX-License-Identifier: Apache-2.0 */
/* Points on the command line. */
#include "cli/point_option.h"

#include "base/error.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

static int find_dimension(const fcps_space *space, const char *name)
{
  for (int i = 0; i < space->count; i++)
    if (strcmp(space->dims[i].name, name) == 0) return i;
  return -1;
}

static fcps_status refuse_name(const fcps_space *space, const char *option, const char *name, fcps_error *error)
{
  const char *names[FCPS_SPACE_MAX];
  char hint[256];
  for (int i = 0; i < space->count; i++)
    names[i] = space->dims[i].name;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, option, "there is no \"%s\"; %s", name,
                        fcps_name_hint(name, space->count, names, sizeof hint, hint));
}

/* One "name=value". */
static fcps_status read_value(const fcps_space *space, const char *option, char *part, bool *is_given, double *values,
                              fcps_error *error)
{
  char *equals = strchr(part, '=');
  if (!equals) return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is not NAME=NUMBER", part);
  *equals = 0;
  const int index = find_dimension(space, part);
  if (index < 0) return refuse_name(space, option, part, error);
  if (is_given[index]) return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "%s is given twice", part);
  if (!fcps_number_read(equals + 1, &values[index]))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "%s=\"%s\" is no number", part, equals + 1);
  is_given[index] = true;
  return FCPS_OK;
}

fcps_status fcps_point_read(const fcps_space *space, const char *option, const char *text, bool is_complete,
                            double *values, fcps_error *error)
{
  char copy[4096];
  bool is_given[FCPS_SPACE_MAX] = {false};
  if (!text) return FCPS_OK;
  if (strlen(text) >= sizeof copy) return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "is too long");
  strcpy(copy, text);

  char *rest = copy;
  for (char *part; (part = strtok_r(rest, ",", &rest));) {
    const fcps_status status = read_value(space, option, part, is_given, values, error);
    if (status != FCPS_OK) return status;
  }
  for (int i = 0; is_complete && i < space->count; i++)
    if (!is_given[i]) return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "%s is missing", space->dims[i].name);
  return FCPS_OK;
}
