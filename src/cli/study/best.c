/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study best`: the best parameters known for one context. */
#include "cli/study/subcommands.h"
#include "cli/support/fail.h"
#include "cli/support/log.h"
#include "cli/support/open_study.h"
#include "cli/support/query.h"

typedef struct arguments {
  const char *path;
  cli_query query;
  fcps_error error;
} arguments;

static const cli_argument table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path)},
    {CLI_ARGUMENT_TABLE, "query", .offset = offsetof(arguments, query), .rows = cli_query_arguments},
    {0}};

static const char doc[] = "Shows the best parameters known for a context, and what they are expected to earn.\v"
                          "Example, with examples/simulator/throw.yaml:\n"
                          "  fcps study best throw.fcps --target x=1,y=2 --environment wind=0\n";

int cli_study_best(int argc, char **argv)
{
  arguments a = {0};
  fcps_study *study = NULL;
  fcps_policy *policy = NULL;
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = cli_open_study(&study, a.path, &a.error);
  if (status == FCPS_OK) status = fcps_study_policy(study, &policy, &a.error);
  if (status == FCPS_OK) status = cli_query_print(&a.query, policy, fcps_study_problem(study), &a.error);
  if (status == FCPS_OK) cli_warn_if_empty(study, policy);
  fcps_policy_destroy(policy);
  fcps_study_close(study);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}
