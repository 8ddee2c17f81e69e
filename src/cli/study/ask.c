/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study ask`, `choose` and `forget`. An ask is stored before it is printed, so that a number that anybody has
 * seen is in the study. */
#include "base/error.h"
#include "cli/study/ask_many.h"
#include "cli/study/print_ask.h"
#include "cli/study/shell.h"
#include "cli/study/subcommands.h"
#include "cli/study/told_words.h"
#include "cli/support/arguments.h"
#include "cli/support/fail.h"
#include "cli/support/kept.h"
#include "cli/support/log.h"
#include "cli/support/open_study.h"
#include "cli/support/print_json.h"
#include "cli/support/remote.h"
#include "cli/support/shown.h"
#include "cli/support/values.h"
#include "cli/support/warnings.h"
#include "wire/other_context.h"

#include <stdio.h>
#include <string.h>

typedef struct arguments {
  const char *path, *client, *ask;
  cli_asks_wanted wanted; /* one ask, or several */
  bool for_shell;
  fcps_error error;
} arguments;

static const cli_argument choose_table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path)},
    {CLI_ARGUMENT_TEXT, "target", offsetof(arguments, wanted.target), 't', "NAME=NUMBER,...",
     .help = "The target: what you want to happen"},
    {CLI_ARGUMENT_TEXT, "environment", offsetof(arguments, wanted.environment), 'e', "NAME=NUMBER,...",
     .help = "The environment: the situation that is given"},
    {CLI_ARGUMENT_TEXT, "client", offsetof(arguments, client), 'c', "NAME",
     .help = "Name of the client; it gets its unfinished ask again"},
    {CLI_ARGUMENT_SWITCH, "json", offsetof(arguments, wanted.as_json), 'j', .help = "Print one JSON object"},
    {CLI_ARGUMENT_SWITCH, "shell", offsetof(arguments, for_shell), 'b',
     .help = "Print assignments for a shell: answer=$(fcps study ask ... --shell) && eval \"$answer\""},
    {0}};

static const cli_argument ask_table[] = {
    {CLI_ARGUMENT_TABLE, "context", .offset = 0, .rows = choose_table},
    {CLI_ARGUMENT_READ, "count", offsetof(arguments, wanted.count), 'n', "N", .read = cli_asks_read_count,
     .help = "N asks at once for the given context, stored together"},
    {CLI_ARGUMENT_TEXT, "contexts", offsetof(arguments, wanted.contexts), 'C', "FILE.csv",
     .help = "One ask for each row: a column per target and environment dimension", .file = CLI_FILE_READ},
    {0}};

static const cli_argument forget_table[] = {{CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path)},
                                            {CLI_ARGUMENT_NEEDED, "ASK", .offset = offsetof(arguments, ask)},
                                            {0}};

static const char ask_doc[] =
    "Gives parameters that are worth trying in a context. The ask is stored before it is "
    "shown; tell its result with its number. Several asks may be unfinished at once; for trials "
    "side by side ask for all of them with --count or --contexts: each knows the others, "
    "and all are stored, or none.\v"
    "Examples, with examples/simulator/throw.yaml:\n"
    "  fcps study ask throw.fcps --target x=3,y=4 --environment wind=0.2 --json\n"
    "  fcps study ask throw.fcps --target x=3,y=4 --environment wind=0.2 --count 4\n";
static const char choose_doc[] =
    "An active learner chooses the context and the parameters. Values given by --target and --environment stay fixed.\v"
    "Example, with examples/simulator/throw.yaml and --learner outcome-active:\n"
    "  fcps study choose throw.fcps --environment wind=0.2\n";
static const char forget_doc[] =
    "Gives up an ask, so that the learner no longer waits for it. Its result is still accepted if it comes.\v"
    "Example:\n  fcps study forget throw.fcps 7\n";

/* a client gets its pending ask again, even for another context; a script must not take that for its answer */
static void warn_of_another_context(const arguments *a, const fcps_problem *p, const fcps_free_dimensions *free_dims,
                                    const cli_points *given, const fcps_ask *ask)
{
  if (!fcps_wire_is_other_context(p, free_dims, given->target, given->environment, ask)) return;
  cli_warn("W_OTHER_CONTEXT",
           "this is the unfinished ask %lld of %s, with its own context, not the one that was given now. Tell its "
           "result first, or give it up: fcps study forget %s %lld",
           (long long)ask->id, a->client, cli_shown_word(a->path), (long long)ask->id);
}

/* asks, or lets the learner choose; at the server where the study is there */
static fcps_status ask_or_choose(fcps_study *study, arguments *a, const fcps_free_dimensions *free_dims,
                                 const cli_points *given, fcps_ask *ask)
{
  const fcps_problem *p = fcps_study_problem(study);
  if (cli_remote_is(a->path))
    return free_dims != NULL
               ? cli_remote_choose(a->path, p, a->client, free_dims, given->target, given->environment, ask, &a->error)
               : cli_remote_ask(a->path, p, a->client, given->target, given->environment, ask, &a->error);
  return free_dims != NULL
             ? fcps_study_choose(study, a->client, free_dims, given->target, given->environment, ask, &a->error)
             : fcps_study_ask(study, a->client, given->target, given->environment, ask, &a->error);
}

/* `given` is room for the context */
static fcps_status ask_study(fcps_study *study, arguments *a, bool is_choosing, cli_points *given)
{
  const fcps_problem *p = fcps_study_problem(study);
  bool free_target[FCPS_SPACE_MAX] = {false}, free_environment[FCPS_SPACE_MAX] = {false};
  fcps_ask ask;
  fcps_status status =
      cli_values_read(p, &p->target, "--target", a->wanted.target, !is_choosing, given->target, free_target, &a->error);
  if (status == FCPS_OK)
    status = cli_values_read(p, &p->environment, "--environment", a->wanted.environment, !is_choosing,
                             given->environment, free_environment, &a->error);
  for (int i = 0; i < p->target.count; i++)
    free_target[i] = !free_target[i];
  for (int i = 0; i < p->environment.count; i++)
    free_environment[i] = !free_environment[i];
  const fcps_free_dimensions free_dims = {free_target, free_environment};
  if (status == FCPS_OK) status = ask_or_choose(study, a, is_choosing ? &free_dims : NULL, given, &ask);
  p = fcps_study_problem(study);
  if (status == FCPS_OK) warn_of_another_context(a, p, &free_dims, given, &ask);
  if (status == FCPS_OK && a->wanted.as_json) {
    fcps_json *object = cli_ask_json(p, &ask);
    cli_warnings_put(&object);
    status = cli_print_json(stdout, object, &a->error);
  } else if (status == FCPS_OK && a->for_shell)
    cli_shell_print(p, &ask);
  else if (status == FCPS_OK)
    cli_ask_print(p, &ask);
  return status;
}

static fcps_status check(arguments *a)
{
  if (a->wanted.as_json && a->for_shell)
    return fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "--shell", "give one of --json and --shell");
  const bool are_several = cli_asks_are_wanted(&a->wanted);
  if (are_several && a->for_shell)
    return fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "--shell", "a shell takes one ask; use --json for several");
  if (are_several && a->client != NULL)
    return fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "--client",
                          "a client has one unfinished ask; leave it out where you ask for several at once");
  if (are_several) return cli_asks_check(&a->wanted, &a->error);
  /* `fcps run` knows its own asks by their client, and would take this one for its own */
  if (!fcps_run_owns_client(a->client)) return FCPS_OK;
  return fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "--client",
                        "\"%.40s\" is a client of `fcps run`; choose another name", a->client);
}

static int ask_command(int argc, char **argv, bool is_choosing)
{
  arguments a = {.wanted.count = -1};
  cli_points given = {0};
  fcps_study *study = NULL;
  fcps_status status = cli_arguments_parse(is_choosing ? choose_table : ask_table, is_choosing ? choose_doc : ask_doc,
                                           argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = check(&a);
  if (status == FCPS_OK) status = cli_open_study(&study, a.path, &a.error);
  /* before an ask is stored that nobody gets to see */
  if (status == FCPS_OK && a.for_shell) status = cli_shell_check(fcps_study_problem(study), &a.error);
  /* a trial whose result waits beside the study is not to be done again */
  const fcps_run_patience waiting = {.log = cli_log};
  if (status == FCPS_OK) status = cli_kept_tell(study, a.path, &waiting, NULL, &a.error);
  if (status == FCPS_OK) status = cli_points_create(&given, fcps_study_problem(study), 1, &a.error);
  if (status == FCPS_OK)
    status = cli_asks_are_wanted(&a.wanted) ? cli_asks_make(study, a.path, &a.wanted, &a.error)
                                            : ask_study(study, &a, is_choosing, &given);
  if (status == FCPS_OK) cli_told_words_note(a.path, study);
  cli_points_destroy(&given);
  fcps_study_close(study);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}

int cli_study_ask(int argc, char **argv)
{
  return ask_command(argc, argv, false);
}

int cli_study_choose(int argc, char **argv)
{
  return ask_command(argc, argv, true);
}

int cli_study_forget(int argc, char **argv)
{
  arguments a = {0};
  fcps_study *study = NULL;
  int64_t id = 0;
  fcps_status status = cli_arguments_parse(forget_table, forget_doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = cli_option_integer("ASK", a.ask, 1, INT64_MAX, &id, &a.error);
  if (status == FCPS_OK) status = cli_open_study(&study, a.path, &a.error);
  if (status == FCPS_OK)
    status = cli_remote_is(a.path) ? cli_remote_forget(a.path, id, &a.error) : fcps_study_forget(study, id, &a.error);
  if (status == FCPS_OK) printf("forgot ask %lld\n", (long long)id);
  fcps_study_close(study);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}
