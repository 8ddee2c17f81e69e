/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps mcp`: studies for an assistant program, which starts it and speaks with it over standard input and output. */
#include "mcp/mcp.h"

#include "base/error.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TRIALS_USUAL = 100 };

typedef struct arguments {
  cli_argument_list studies;
  const char *may;
  int64_t trials;
  double budget;
  fcps_error error;
} arguments;

static const cli_argument table[] = {
    {CLI_ARGUMENT_TEXT, "may", offsetof(arguments, may), .value = "RIGHT",
     .help = "What the assistant may do. read (default): look at stored results and best parameters; ask: also take "
             "parameters for new trials; tell: also tell results"},
    {CLI_ARGUMENT_COUNT, "trials", offsetof(arguments, trials), .value = "N",
     .help = "The most new asks until the command is started again (default: 100)"},
    {CLI_ARGUMENT_READ, "budget", offsetof(arguments, budget), .value = "COST", .read = cli_option_budget,
     .help = "Give no new ask if all trials of a study would then cost more"},
    {CLI_ARGUMENT_LIST, "STUDY", .offset = offsetof(arguments, studies),
     .help = "name at least one STUDY; --help says how"},
    {0}};

static const char doc[] =
    "Lets an assistant program use studies, over the Model Context Protocol. The assistant program starts this command "
    "and sends requests to its standard input, a line each. By default it may only read. It can never change a study's "
    "problem or learner, name a file or run a program. The command ends when its input ends, or on SIGTERM. "
    "docs/mcp.md has a recipe.\v"
    "Examples:\n"
    "  fcps mcp throw.fcps\n"
    "  fcps mcp throw.fcps push.fcps --may tell --trials 20\n"
    "  fcps mcp http://127.0.0.1:8017/throw --may ask\n";

static fcps_status read_right(const char *text, fcps_operation_right *right, fcps_error *error)
{
  static const char *const names[] = {"read", "ask", "tell"};
  for (int i = 0; i < 3; i++)
    if (strcmp(text, names[i]) == 0) {
      *right = (fcps_operation_right)i;
      return FCPS_OK;
    }
  char hint[100];
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, "--may", "\"%.40s\" is not a right; %s", text,
                        fcps_name_hint(text, 3, names, sizeof hint, hint));
}

static fcps_status serve(arguments *a)
{
  const char *tokens[CLI_ARGUMENT_LIST_MAX];
  fcps_mcp *mcp = NULL;
  fcps_mcp_options options = {.study_count = a->studies.count,
                              .studies = a->studies.items,
                              .tokens = tokens,
                              .trials = a->trials,
                              .budget = a->budget,
                              .log = cli_log,
                              .stop = cli_interrupt_stops};
  for (int i = 0; i < a->studies.count; i++)
    tokens[i] = cli_token(a->studies.items[i]);
  fcps_status status = read_right(a->may, &options.may, &a->error);
  if (status == FCPS_OK) status = fcps_mcp_create(&mcp, &options, &a->error);
  if (status == FCPS_OK && isatty(STDIN_FILENO))
    fputs(
        "fcps: this command waits for requests of an assistant program, a line of JSON each (docs/mcp.md); Ctrl-D ends "
        "it\n",
        stderr);
  if (status == FCPS_OK) status = fcps_mcp_run(mcp, STDIN_FILENO, STDOUT_FILENO, &a->error);
  fcps_mcp_destroy(mcp);
  return status;
}

int cli_command_mcp(int argc, char **argv)
{
  arguments a = {.may = "read", .trials = TRIALS_USUAL};
  cli_interrupt_watch();
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = serve(&a);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}
