/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study ask` and `choose` in addition to what their rows of the table of operations do: prints an ask as
 * assignments that a shell evaluates. What a shell evaluates must be harmless. So the whole output is checked here,
 * even if a server has sent it: names must be identifiers and dimensions of the problem, and not variables that mean
 * something already; values must be numbers. A problem with another name is refused before an ask is stored. */
#include "base/error.h"
#include "base/number.h"
#include "cli/study/study.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"
#include "cli/support/progress.h"
#include "cli/support/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library logs each ask that it has made (I_ASKED). From this the command computes the remaining time, and shows
 * it. */
static cli_waiting waiting_for_asks;
static int made;

static void hear(const char *code)
{
  if (strcmp(code, "I_ASKED") == 0) cli_waiting_at(&waiting_for_asks, ++made);
}

static const cli_argument own[] = {
    {CLI_ARGUMENT_SWITCH, "shell", offsetof(cli_request, for_shell), 'b',
     .help =
         "Print assignments for a shell: answer=$(fcps study ask ... --shell) && eval \"$answer\"; a parameter that "
         "does not apply is empty"},
    {0}};

/* Variables that sh, bash, zsh or the loader of programs read or do not let anybody set. The list ends with NULL. */
static const char *const shell_names[] = {
    "ask",     "_",      "CDPATH",     "COLUMNS", "DIRSTACK", "ENV",      "EUID",      "FUNCNAME", "GID",
    "GROUPS",  "HOME",   "IFS",        "LANG",    "LINENO",   "LINES",    "LOGNAME",   "MAIL",     "MAILPATH",
    "OLDPWD",  "OPTARG", "OPTERR",     "OPTIND",  "PATH",     "PPID",     "PS1",       "PS2",      "PS3",
    "PS4",     "PWD",    "RANDOM",     "REPLY",   "SECONDS",  "SHELL",    "SHELLOPTS", "SHLVL",    "TERM",
    "TMOUT",   "TMPDIR", "UID",        "USER",    "USERNAME", "argv",     "cdpath",    "fpath",    "manpath",
    "options", "path",   "pipestatus", "prompt",  "signals",  "repeated", NULL};

/* Names that begin like this belong to such variables, too. */
static const char *const shell_prefixes[] = {"BASH", "HIST", "LC_", "LD_", "PROMPT", "ZSH", NULL};

static bool is_taken(const char *name)
{
  for (const char *const *taken = shell_names; *taken; taken++)
    if (strcmp(*taken, name) == 0) return true;
  for (const char *const *prefix = shell_prefixes; *prefix; prefix++)
    if (strncmp(*prefix, name, strlen(*prefix)) == 0) return true;
  return false;
}

static bool is_identifier(const char *name)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return *name != '\0' && strchr("0123456789", *name) == NULL && name[strspn(name, letters)] == '\0';
}

static fcps_status check_name(const char *name, fcps_error *error)
{
  if (is_identifier(name) && !is_taken(name)) return FCPS_OK;
  return fcps_error_set(
      error, FCPS_ERR_ARGUMENT, "--shell",
      "the name of the dimension %.60s is %s; use --json, or rename the dimension in a new study", name,
      is_identifier(name) ? "also the name of a variable of the shell or of this output" : "not a name for a variable");
}

static const char *const spaces[] = {"target", "environment", "parameters"};
enum { SPACES = sizeof spaces / sizeof *spaces };

/* The name of dimension `index` of a space, from the study's answer; "" if it is missing. */
static const char *name_at(const fcps_json *space, int index)
{
  const char *name = fcps_json_text(fcps_json_get(fcps_json_at(space, index), "name"));
  return name != NULL ? name : "";
}

/* Refuses a problem with a dimension whose name is a variable of the shell. */
static fcps_status check_shell(cli_request *r)
{
  fcps_door_answer problem = {0};
  fcps_status status = cli_door_do(r->door, "problem", NULL, &problem, &r->error);
  r->problem = problem.json;
  for (int s = 0; s < SPACES && status == FCPS_OK; s++) {
    const fcps_json *space = fcps_json_get(r->problem, spaces[s]);
    for (int i = 0; i < fcps_json_count(space) && status == FCPS_OK; i++)
      status = check_name(name_at(space, i), &r->error);
  }
  return status;
}

/* The ask is already stored, so the message names the command that gives it up. */
static fcps_status refuse_assignment(cli_request *r, const fcps_json *ask, const char *what, const char *name)
{
  return fcps_error_set(
      &r->error, FCPS_ERR_FORMAT, "--shell",
      "nothing is printed for the shell: the ask has %s \"%.60s\". To give it up: fcps study forget %s "
      "%lld",
      what, name, cli_shown_word(r->path), (long long)fcps_json_get_integer(ask, "ask", 0));
}

/* The given word, if it is one of the dimension's words; else NULL. */
static const char *word_of(const fcps_json *dimension, const fcps_json *given)
{
  const fcps_json *words = fcps_json_get(dimension, "choices");
  const char *text = fcps_json_text(given);
  for (int i = 0; text != NULL && i < fcps_json_count(words); i++) {
    const char *word = fcps_json_text(fcps_json_at(words, i));
    if (word != NULL && strcmp(word, text) == 0) return text;
  }
  return NULL;
}

/* Writes assignments. Every name must be a dimension of the checked problem, and every value a number or a word of
 * its dimension, because both come from the answer. A parameter that does not apply is missing there: its variable is
 * empty, so that no earlier value stays in the shell. */
static fcps_status write_space(cli_request *r, const char *name, const fcps_json *ask, FILE *stream)
{
  const fcps_json *space = fcps_json_get(r->problem, name), *numbers = fcps_json_get(ask, name);
  char text[FCPS_NUMBER_SIZE];
  double value = 0;
  int absent = 0;
  for (int i = 0; i < fcps_json_count(space); i++) {
    const fcps_json *given = fcps_json_get(numbers, name_at(space, i));
    const char *word = word_of(fcps_json_at(space, i), given);
    const bool is_absent = given == NULL && fcps_json_get(fcps_json_at(space, i), "when") != NULL;
    absent += is_absent;
    if (!is_absent && word == NULL && !fcps_json_number(given, &value))
      return refuse_assignment(r, ask, "no number", name_at(space, i));
    fprintf(stream, "%s=%s\n", name_at(space, i),
            is_absent      ? "''"
            : word != NULL ? cli_shown_word(word)
                           : fcps_number_write(value, text));
  }
  return fcps_json_count(numbers) == fcps_json_count(space) - absent
             ? FCPS_OK
             : refuse_assignment(r, ask, "another dimension in", name);
}

fcps_status cli_assignments_print(cli_request *r, const fcps_json *ask)
{
  char *text = NULL;
  size_t length = 0;
  int64_t id = 0;
  bool is_repeated = false;
  FILE *stream = open_memstream(&text, &length);
  if (stream == NULL) return fcps_error_memory(&r->error);
  (void)fcps_json_whole(fcps_json_get(ask, "ask"), &id);
  (void)fcps_json_bool(fcps_json_get(ask, "repeated"), &is_repeated);
  fprintf(stream, "ask=%lld\nrepeated=%d\n", (long long)id, is_repeated);
  fcps_status status = FCPS_OK;
  for (int s = 0; s < SPACES && status == FCPS_OK; s++)
    status = write_space(r, spaces[s], ask, stream);
  if (fclose(stream) != 0 && status == FCPS_OK) status = fcps_error_memory(&r->error);
  if (status == FCPS_OK) fputs(text, stdout);
  free(text);
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
