/* SPDX-License-Identifier: Apache-2.0 */
/* A study is opened with the built-in tasks at hand and with its warnings on stderr; of one behind a server, a copy. */
#include "cli/support/open_study.h"

#include "cli/support/log.h"
#include "cli/support/remote.h"

#include <fcps/run.h>

fcps_status cli_open_study(fcps_study **study, const char *path, fcps_error *error)
{
  const fcps_study_options options = {.log = cli_log, .maker = fcps_run_maker()};
  if (cli_remote_is(path)) {
    const fcps_status status = cli_remote_copy(path, &path, error);
    if (status != FCPS_OK) return status;
  }
  return fcps_study_open(study, path, &options, error);
}
