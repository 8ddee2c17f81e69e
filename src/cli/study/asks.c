/* SPDX-License-Identifier: Apache-2.0 */
/* What `fcps study ask` and `choose` have beside their rows: an ask as assignments for a shell. Names are identifiers and
 * values are numbers, so the only danger is an assignment to a variable that already means something. Such a problem is
 * refused before an ask is stored. */
#include "base/error.h"
#include "cli/study/study.h"
#include "cli/support/fail.h"
#include "cli/support/open_study.h"
#include "cli/support/progress.h"

#include <stdio.h>
#include <string.h>

/* The library says each ask that it has made (I_ASKED); the time that is left is shown. */
static cli_waiting waiting_for_asks;
static int made;

static void hear(const char *code)
{
  if (strcmp(code, "I_ASKED") == 0) cli_waiting_at(&waiting_for_asks, ++made);
}

static const cli_argument own[] = {
    {CLI_ARGUMENT_SWITCH, "shell", offsetof(cli_request, for_shell), 'b',
     .help = "Print assignments for a shell: answer=$(fcps study ask ... --shell) && eval \"$answer\""},
    {0}};

/* What a shell or the loader of programs reads or refuses to have written: sh, bash and zsh. Ends with NULL. */
static const char *const shell_names[] = {
    "_",      "CDPATH",     "COLUMNS", "DIRSTACK", "ENV",      "EUID",      "FUNCNAME", "GID",      "GROUPS",
    "HOME",   "IFS",        "LANG",    "LINENO",   "LINES",    "LOGNAME",   "MAIL",     "MAILPATH", "OLDPWD",
    "OPTARG", "OPTERR",     "OPTIND",  "PATH",     "PPID",     "PS1",       "PS2",      "PS3",      "PS4",
    "PWD",    "RANDOM",     "REPLY",   "SECONDS",  "SHELL",    "SHELLOPTS", "SHLVL",    "TERM",     "TMOUT",
    "TMPDIR", "UID",        "USER",    "USERNAME", "argv",     "cdpath",    "fpath",    "manpath",  "options",
    "path",   "pipestatus", "prompt",  "signals",  "repeated", NULL};

/* The same by how they begin. */
static const char *const shell_prefixes[] = {"BASH", "HIST", "LC_", "LD_", "PROMPT", "ZSH", NULL};

static bool is_taken(const char *name)
{
  for (const char *const *taken = shell_names; *taken; taken++)
    if (strcmp(*taken, name) == 0) return true;
  for (const char *const *prefix = shell_prefixes; *prefix; prefix++)
    if (strncmp(*prefix, name, strlen(*prefix)) == 0) return true;
  return false;
}

/* refuses a problem with a dimension that is a variable of the shell already */
static fcps_status check_shell(cli_request *r)
{
  static const char *const spaces[] = {"target", "environment", "parameters"};
  fcps_door_answer problem = {NULL};
  fcps_status status = cli_door_do(r->door, "problem", NULL, &problem, &r->error);
  for (int s = 0; s < 3 && status == FCPS_OK; s++) {
    const fcps_json *list = fcps_json_get(problem.json, spaces[s]);
    for (int i = 0; i < fcps_json_count(list) && status == FCPS_OK; i++) {
      const char *name = fcps_json_text(fcps_json_get(fcps_json_at(list, i), "name"));
      if (name != NULL && is_taken(name))
        status = fcps_error_set(&r->error, FCPS_ERR_ARGUMENT, "--shell",
                                "the name of the dimension %s is also the name of a variable of the shell or of this "
                                "output; use --json, or rename the dimension in a new study",
                                name);
    }
  }
  fcps_door_answer_destroy(&problem);
  return status;
}

static fcps_status check(cli_request *r)
{
  const bool are_several = fcps_json_get(r->json, "count") != NULL || fcps_json_get(r->json, "contexts") != NULL;
  if (r->as_json && r->for_shell)
    return fcps_error_set(&r->error, FCPS_ERR_ARGUMENT, "--shell", "give one of --json and --shell");
  if (are_several && r->for_shell)
    return fcps_error_set(&r->error, FCPS_ERR_ARGUMENT, "--shell", "a shell takes one ask; use --json for several");
  return FCPS_OK;
}

static fcps_status run(cli_request *r, int argc, char **argv)
{
  const fcps_run_patience waiting = {.log = cli_patience.log};
  int64_t count = 0;
  (void)argc, (void)argv;
  fcps_status status = cli_open_door(&r->door, r->path, &waiting, &r->error);
  if (status == FCPS_OK && r->for_shell) status = check_shell(r);
  if (status != FCPS_OK) return status;
  if (!fcps_json_integer(fcps_json_get(r->json, "count"), &count))
    for (const char *c = fcps_json_text(fcps_json_get(r->json, "contexts")); c != NULL && *c != '\0'; c++)
      count += *c == '\n';
  cli_waiting_begin(&waiting_for_asks, "ask", (int)count);
  cli_log_listen(count > 0 ? hear : NULL);
  status = cli_operation_do(r, &waiting);
  cli_waiting_end(&waiting_for_asks);
  return status;
}

const cli_special cli_study_ask = {"ask", own, check, run}, cli_study_choose = {"choose", own, check, run};
