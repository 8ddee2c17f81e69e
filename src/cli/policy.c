/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps policy export` and `query`: saves a policy, and asks a saved policy without its study. A policy file holds
 * its problem, so that a query needs no other file. With -o the file is written whole or not at all. */
#include "base/error.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"
#include "cli/support/values.h"
#include "format/file.h"
#include "wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t policy_limit = (size_t)64 << 20;

typedef struct export_arguments {
  const char *path, *output;
  fcps_error error;
} export_arguments;

static const cli_argument export_table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(export_arguments, path), .file = CLI_FILE_READ},
    {CLI_ARGUMENT_TEXT, "output", offsetof(export_arguments, output), 'o', "FILE", .file = CLI_FILE_WRITTEN,
     .endings = "policy json yaml yml txt", .help = "The file of the policy (default: standard output)"},
    {0}};

typedef struct query_arguments {
  const char *path, *target, *environment;
  bool as_json, is_strict;
  fcps_error error;
} query_arguments;

static const cli_argument query_table[] = {
    {CLI_ARGUMENT_NEEDED, "POLICY", .offset = offsetof(query_arguments, path), .file = CLI_FILE_READ},
    {CLI_ARGUMENT_TEXT, "target", offsetof(query_arguments, target), 't', "NAME=VALUE,...",
     .help = "The target: what you want to happen"},
    {CLI_ARGUMENT_TEXT, "environment", offsetof(query_arguments, environment), 'e', "NAME=VALUE,...",
     .help = "The environment: the situation that is given"},
    {CLI_ARGUMENT_SWITCH, "json", offsetof(query_arguments, as_json), 'j', .help = "Print one JSON object"},
    {CLI_ARGUMENT_SWITCH, "strict", offsetof(query_arguments, is_strict),
     .help = "Refuse a context outside its bounds; otherwise it gets an answer and a warning"},
    {0}};

static const char export_doc[] = "Writes the learnt policy of a study as one small file.\v"
                                 "Example:\n  fcps policy export throw.fcps -o throw.policy\n";
static const char query_doc[] = "Shows the parameters of a saved policy for a context.\v"
                                "Example, with examples/simulator/throw.yaml:\n"
                                "  fcps policy query throw.policy --target x=1,y=2 --environment wind=0\n";

/* Warns if the policy has too few results. Making the policy again may take long, so it is done only if no result has
 * an outcome. */
static void warn_if_empty(fcps_study *study)
{
  fcps_study_counts counts;
  fcps_policy *policy = NULL;
  fcps_study_count(study, &counts);
  if (counts.with_outcome == 0) (void)fcps_study_policy(study, &policy, NULL);
  fcps_wire_warn_if_empty(&cli_log, study, policy);
  fcps_policy_destroy(policy);
}

static int export_command(int argc, char **argv)
{
  export_arguments a = {0};
  fcps_door *door = NULL;
  fcps_study *study = NULL;
  char *text = NULL;
  fcps_status status = cli_arguments_parse(export_table, export_doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = cli_open_study(&door, &study, a.path, &a.error);
  if (status == FCPS_OK && fcps_study_file(study) == NULL)
    status = fcps_error_set(&a.error, FCPS_ERR_UNSUPPORTED, "STUDY",
                            "the reward of a built-in task is not a formula, so a policy file cannot hold it; use "
                            "`fcps study best` or `fcps retarget`");
  if (status == FCPS_OK) status = fcps_study_export_policy(study, &text, &a.error);
  if (status == FCPS_OK) warn_if_empty(study);
  if (status == FCPS_OK && a.output != NULL)
    status = fcps_file_replace(a.output, text, strlen(text), &a.error);
  else if (status == FCPS_OK)
    puts(text);
  if (status == FCPS_OK && a.output != NULL) fprintf(stderr, "wrote %s\n", cli_shown(a.output));
  free(text);
  fcps_door_close(door);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}

/* Asks the policy for one context, and prints its answer. */
static fcps_status query(query_arguments *a, fcps_policy *policy, const fcps_problem *p)
{
  cli_points at = {0}, deviations = {0};
  fcps_status status = cli_points_create(&at, p, 1, &a->error);
  if (status == FCPS_OK) status = cli_points_create(&deviations, p, 1, &a->error);
  fcps_prediction prediction = {.outcome = at.outcome, .outcome_deviation = deviations.outcome};
  if (status == FCPS_OK) status = cli_values_read(p, &p->target, "--target", a->target, true, at.target, &a->error);
  if (status == FCPS_OK)
    status = cli_values_read(p, &p->environment, "--environment", a->environment, true, at.environment, &a->error);
  fcps_json *answer = NULL;
  if (status == FCPS_OK) {
    fcps_policy_set_strict(policy, a->is_strict);
    fcps_policy_set_log(policy, cli_log);
    status = fcps_policy_query(policy, at.target, at.environment, at.parameters, &prediction);
    if (status != FCPS_OK)
      a->error = *fcps_policy_error(policy);
    else
      answer = fcps_wire_answer_write(p, policy, at.target, at.environment, at.parameters, &prediction);
  }
  if (status == FCPS_OK && !a->as_json) cli_query_print(answer);
  if (status == FCPS_OK && a->as_json)
    status = cli_print_json(stdout, answer, &a->error);
  else
    fcps_json_destroy(answer);
  cli_points_destroy(&at);
  cli_points_destroy(&deviations);
  return status;
}

static int query_command(int argc, char **argv)
{
  query_arguments a = {0};
  fcps_problem_file *problem = NULL;
  fcps_policy *policy = NULL;
  char *text = NULL;
  size_t length = 0;
  fcps_status status = cli_arguments_parse(query_table, query_doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = fcps_file_read(a.path, policy_limit, &text, &length, &a.error);
  if (status == FCPS_OK && strncmp(text, "SQLite format 3", 15) == 0)
    status = fcps_error_at(&a.error, FCPS_ERR_ARGUMENT, a.path, 0, 0, NULL,
                           "is a study; use `fcps study best`, or first write its policy with `fcps policy export`");
  if (status == FCPS_OK) status = fcps_study_load_policy(&policy, &problem, text, a.path, &a.error);
  if (status == FCPS_OK && fcps_wire_policy_lacks(policy) != NULL)
    cli_warn("W_NO_RESULTS", "%s: %s; this answer is a guess.", a.path, fcps_wire_policy_lacks(policy));
  if (status == FCPS_OK) status = query(&a, policy, &problem->problem);
  fcps_policy_destroy(policy);
  fcps_problem_file_destroy(problem);
  free(text);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}

static int print_help(FILE *stream, int code)
{
  fputs("Usage: fcps policy export STUDY -o FILE\n"
        "       fcps policy query FILE --target NAME=VALUE,... [--environment NAME=VALUE,...] [--strict] [--json]\n"
        "The learnt policy as a small file that needs no study.\n\n"
        "Example, with examples/simulator/throw.yaml:\n"
        "  fcps policy export throw.fcps -o throw.policy\n"
        "  fcps policy query throw.policy --target x=1,y=2 --environment wind=0\n",
        stream);
  return code;
}

static int refuse_command(const char *name)
{
  static const char *const names[] = {"export", "query"};
  fcps_error error = {0};
  char hint[128];
  fcps_error_set(&error, FCPS_ERR_UNKNOWN_NAME, "policy", "there is no command \"%s\"; %s", name,
                 fcps_name_hint(name, 2, names, sizeof hint, hint));
  return cli_fail(&error);
}

int cli_command_policy(int argc, char **argv)
{
  static char export_title[] = "fcps policy export", query_title[] = "fcps policy query";
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) return print_help(stdout, 0);
  if (!*name) return print_help(stderr, CLI_EXIT_USAGE);
  const bool is_export = strcmp(name, "export") == 0;
  if (!is_export && strcmp(name, "query") != 0) return refuse_command(name);
  argv[1] = is_export ? export_title : query_title;
  return is_export ? export_command(argc - 1, argv + 1) : query_command(argc - 1, argv + 1);
}
