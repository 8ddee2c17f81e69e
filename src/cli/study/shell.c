/* SPDX-License-Identifier: Apache-2.0 */
/* An ask as assignments for a shell. Names are identifiers and values are numbers, so the only danger is an assignment
 * to a variable that already means something. Such a problem is refused before an ask is stored. */
#include "cli/study/shell.h"

#include "base/error.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

/* What a shell or the loader of programs reads or refuses to have written: sh, bash and zsh. Ends with NULL. */
static const char *const shell_names[] = {
    "_",       "CDPATH", "COLUMNS",   "DIRSTACK", "ENV",     "EUID",  "FUNCNAME",   "GID",    "GROUPS",  "HOME",
    "IFS",     "LANG",   "LINENO",    "LINES",    "LOGNAME", "MAIL",  "MAILPATH",   "OLDPWD", "OPTARG",  "OPTERR",
    "OPTIND",  "PATH",   "PPID",      "PS1",      "PS2",     "PS3",   "PS4",        "PWD",    "RANDOM",  "REPLY",
    "SECONDS", "SHELL",  "SHELLOPTS", "SHLVL",    "TERM",    "TMOUT", "TMPDIR",     "UID",    "USER",    "USERNAME",
    "argv",    "cdpath", "fpath",     "manpath",  "options", "path",  "pipestatus", "prompt", "signals", NULL};

/* The same by how they begin. */
static const char *const shell_prefixes[] = {"BASH", "HIST", "LC_", "LD_", "PROMPT", "ZSH", NULL};

/* Says whether the ask was unfinished and is given again. */
static const char repeated_name[] = "repeated";

static bool is_taken(const char *name)
{
  if (strcmp(name, repeated_name) == 0) return true;
  for (const char *const *taken = shell_names; *taken; taken++)
    if (strcmp(*taken, name) == 0) return true;
  for (const char *const *prefix = shell_prefixes; *prefix; prefix++)
    if (strncmp(*prefix, name, strlen(*prefix)) == 0) return true;
  return false;
}

fcps_status cli_shell_check(const fcps_problem *p, fcps_error *error)
{
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters};
  for (int s = 0; s < 3; s++)
    for (int i = 0; i < spaces[s]->count; i++)
      if (is_taken(spaces[s]->dims[i].name))
        return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--shell",
                              "the name of the dimension %s is also the name of a variable of the shell or of this "
                              "output; use --json, or rename the dimension in a new study",
                              spaces[s]->dims[i].name);
  return FCPS_OK;
}

void cli_shell_print(const fcps_problem *p, const fcps_ask *ask)
{
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters};
  const double *const values[] = {ask->target, ask->environment, ask->parameters};
  char number[FCPS_NUMBER_SIZE];
  printf("ask=%lld\n%s=%d\n", (long long)ask->id, repeated_name, ask->is_repeated);
  for (int s = 0; s < 3; s++)
    for (int i = 0; i < spaces[s]->count; i++)
      printf("%s=%s\n", spaces[s]->dims[i].name, fcps_number_write(values[s][i], number));
}
