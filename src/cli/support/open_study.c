/* SPDX-License-Identifier: Apache-2.0 */
/* A study is opened with the built-in tasks at hand and with its warnings on stderr. */
#include "cli/support/open_study.h"

#include "cli/support/log.h"

#include <fcps/run.h>

fcps_status cli_open_study(fcps_study **study, const char *path, fcps_error *error)
{
  const fcps_study_options options = {.log = cli_log, .maker = fcps_run_maker()};
  return fcps_study_open(study, path, &options, error);
}
