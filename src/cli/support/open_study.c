/* SPDX-License-Identifier: Apache-2.0 */
/* A study is opened with the built-in tasks at hand and with its warnings on stderr. */
#include "cli/support/open_study.h"

#include "base/error.h"
#include "cli/support/log.h"

#include <fcps/run.h>

#include <stdio.h>
#include <string.h>

/* Whether a file is one of `fcps policy export`. */
static bool is_policy(const char *path)
{
  static const char beginning[] = "{\"fcps_policy";
  char text[sizeof beginning] = "";
  FILE *file = fopen(path, "rb");
  if (file == NULL) return false;
  const size_t length = fread(text, 1, sizeof beginning - 1, file);
  fclose(file);
  return length == sizeof beginning - 1 && strcmp(text, beginning) == 0;
}

fcps_status cli_open_study(fcps_study **study, const char *path, fcps_error *error)
{
  const fcps_study_options options = {.log = cli_log, .maker = fcps_run_maker()};
  const fcps_status status = fcps_study_open(study, path, &options, error);
  if (status != FCPS_ERR_DAMAGED || !is_policy(path)) return status;
  return fcps_error_at(error, FCPS_ERR_ARGUMENT, path, 0, 0, NULL,
                       "is a policy file, not a study; `fcps policy query` reads it");
}
