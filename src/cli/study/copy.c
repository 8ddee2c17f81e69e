/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study copy`: a study as a new one, of whatever kind: from a file into a database, and back, or out of a server. */
#include "base/error.h"
#include "cli/study/subcommands.h"
#include "cli/support/arguments.h"
#include "cli/support/fail.h"
#include "cli/support/remote.h"
#include "cli/support/shown.h"

#include <fcps/study.h>

#include <inttypes.h>
#include <stdio.h>

typedef struct arguments {
  const char *from, *to;
  fcps_error error;
} arguments;

static const cli_argument table[] = {{CLI_ARGUMENT_NEEDED, "FROM", .offset = offsetof(arguments, from)},
                                     {CLI_ARGUMENT_NEEDED, "TO", .offset = offsetof(arguments, to)},
                                     {0}};

static const char doc[] = "Copies a study to a new one, also while others write to it. Each of the two is a file or "
                          "postgresql://HOST/DATABASE#NAME; FROM may also be http://HOST:PORT/NAME of a server. The "
                          "copy has all records, and the same results give the same asks.\v"
                          "Example:\n  fcps study copy throw.fcps 'postgresql://db.lab/robots#throw'\n";

int cli_study_copy(int argc, char **argv)
{
  arguments a = {0};
  int64_t records = 0;
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &a, &a.error);
  const char *from = a.from; /* of one behind a server, its copy */
  if (status == FCPS_OK && cli_remote_is(a.to))
    status = fcps_error_set(&a.error, FCPS_ERR_UNSUPPORTED, "TO",
                            "a server takes no copy: copy to a file or a database, and serve that");
  if (status == FCPS_OK && cli_remote_is(from)) status = cli_remote_copy(a.from, &from, &a.error);
  if (status == FCPS_OK) status = fcps_study_copy(from, a.to, &records, &a.error);
  if (status == FCPS_OK) printf("copied %s to %s: %" PRId64 " records\n", cli_shown(a.from), cli_shown(a.to), records);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}
