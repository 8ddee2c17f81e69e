/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study`: finds the subcommand and runs it under the name that its help shows. */
#include "cli/study/study.h"

#include "base/error.h"
#include "cli/support/fail.h"
#include "cli/support/open_study.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* -- A row of the table of operations: from typed words to printed lines -- */

fcps_status cli_operation_do(cli_request *r, const fcps_run_patience *patience)
{
  fcps_door_answer answer = {0};
  fcps_status status = r->door == NULL ? cli_open_door(&r->door, r->path, patience, &r->error) : FCPS_OK;
  if (status == FCPS_OK) status = cli_door_do(r->door, r->operation->name, r->json, &answer, &r->error);
  if (status == FCPS_OK && r->operation->kind == FCPS_OPERATION_WRITES)
    cli_told_words_note(r->path, fcps_door_identity(r->door));
  if (status == FCPS_OK) status = cli_operation_print(r, &answer);
  fcps_door_answer_destroy(&answer);
  return status;
}

static int run_row(const fcps_operation *operation, const cli_special *special, int argc, char **argv)
{
  cli_request r = {0};
  fcps_status status = cli_request_parse(&r, operation, special != NULL ? special->own : NULL, argc, argv);
  if (status == FCPS_OK && special != NULL && special->check != NULL) status = special->check(&r);
  if (status == FCPS_OK)
    status = special != NULL && special->run != NULL ? special->run(&r, argc, argv) : cli_operation_do(&r, NULL);
  if (status != FCPS_OK) cli_request_speak(&r, &r.error);
  const int code = status != FCPS_OK ? cli_fail(&r.error) : 0;
  cli_request_destroy(&r);
  return code;
}

/* -- The commands -- */

/* Commands that read a whole study or make one, and the place in the list for those that are rows of the table; a
 * row has its own summary. Rows that are not named here follow. */
static const struct subcommand {
  const char *name;
  cli_command_fn *run;        /* NULL: a row */
  const cli_special *special; /* for a row; may be NULL */
  const char *summary;        /* NULL: the summary of the row */
} subcommands[] = {
    {"new", cli_study_new, NULL, "make a study from a problem file"},
    {"ask", NULL, &cli_study_ask, NULL},
    {"choose", NULL, &cli_study_choose, NULL},
    {"tell", NULL, &cli_study_tell, NULL},
    {"forget", NULL, NULL, NULL},
    {"best", NULL, NULL, NULL},
    {"why", NULL, NULL, NULL},
    {"forecast", NULL, &cli_study_forecast, NULL},
    {"explain", NULL, &cli_study_explain, NULL},
    {"status", cli_study_status, NULL, "the progress, where the policy is good, and whether to continue"},
    {"check-model", cli_study_check_model, NULL, NULL},
    {"report", cli_study_report, NULL, "the study as one page, for people without fcps"},
    {"log", cli_study_log, NULL, "every stored result"},
    {"export", cli_study_export, NULL, "the results as CSV or JSON lines"},
    {"import", NULL, NULL, NULL},
    {"amend", NULL, &cli_study_amend, "change the reward, the bounds, which results count, or the learner"},
    {"backup", cli_study_backup, NULL, "copy a study to another file, also while it is in use"},
    {"restore", cli_study_restore, NULL, "make a study again from a backup"},
    {"copy", cli_study_copy, NULL, "copy a study to a new one, between a file and a database"},
    {"repair", cli_study_repair, NULL, "save what can be read of a damaged study"},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands, COMMANDS_MAX = 64 };

static const struct subcommand *find_subcommand(const char *name)
{
  for (int i = 0; i < SUBCOMMANDS; i++)
    if (strcmp(name, subcommands[i].name) == 0) return subcommands + i;
  return NULL;
}

/* The row of a command; NULL if there is none. */
static const fcps_operation *find_row(const char *name)
{
  const fcps_operation *row = fcps_operation_find(name);
  return row != NULL && (row->flags & FCPS_OPERATION_OF_PROGRAMS) == 0 ? row : NULL;
}

/* Lists all names, those of `subcommands` first. */
static int list_names(const char *names[COMMANDS_MAX])
{
  const fcps_operation *row;
  int count = 0;
  for (int i = 0; i < SUBCOMMANDS; i++)
    names[count++] = subcommands[i].name;
  for (int i = 0; (row = fcps_operation_at(i)) != NULL && count < COMMANDS_MAX; i++)
    if (find_row(row->name) != NULL && find_subcommand(row->name) == NULL) names[count++] = row->name;
  return count;
}

/* Prints the summary of a row, "Parameters worth trying", in small letters, as the list has them. */
static void print_summary(FILE *stream, const char *name)
{
  const struct subcommand *own = find_subcommand(name);
  if (own != NULL && own->summary != NULL) {
    fprintf(stream, "  %-12s %s\n", name, own->summary);
    return;
  }
  const char *summary = find_row(name)->summary;
  fprintf(stream, "  %-12s %c%s\n", name, tolower((unsigned char)*summary), summary + 1);
}

static int print_help(FILE *stream, int code)
{
  const char *names[COMMANDS_MAX];
  const int count = list_names(names);
  fputs("Usage: fcps study COMMAND STUDY [OPTION...]\n"
        "Ask and tell for your own robot: every ask is stored before it is shown, every result before it is\n"
        "acknowledged.\n\n",
        stream);
  for (int i = 0; i < count; i++)
    print_summary(stream, names[i]);
  fputs("\nExample, with examples/simulator/throw.yaml:\n"
        "  fcps study new throw.fcps --problem throw.yaml\n"
        "  fcps study ask throw.fcps --target x=3,y=4 --environment wind=0.2\n"
        "  fcps study tell throw.fcps 1 --outcome land_x=0.64,land_y=-3.05\n"
        "  fcps study best throw.fcps --target x=1,y=2 --environment wind=0\n\n"
        "STUDY may be the address of a study behind `fcps serve`: http://127.0.0.1:8017/throw, or "
        "unix:/PATH/SOCKET/throw.\n"
        "`fcps study COMMAND --help` says more about one.\n",
        stream);
  return code;
}

bool cli_study_has_command(const char *name)
{
  return find_subcommand(name) != NULL || find_row(name) != NULL;
}

const char *cli_study_nearest_command(const char *name)
{
  const char *names[COMMANDS_MAX];
  return fcps_nearest_name(name, list_names(names), names);
}

/* Runs the command under the name that its help shows; -1 if there is no such command. */
static int run_command(const char *name, int argc, char **argv)
{
  static char title[64];
  const struct subcommand *own = find_subcommand(name);
  if (own == NULL && find_row(name) == NULL) return -1;
  snprintf(title, sizeof title, "fcps study %s", name);
  argv[1] = title;
  if (own != NULL && own->run != NULL) return own->run(argc - 1, argv + 1);
  return run_row(find_row(name), own != NULL ? own->special : NULL, argc - 1, argv + 1);
}

int cli_command_study(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : NULL, *names[COMMANDS_MAX];
  if (name == NULL) return print_help(stderr, CLI_EXIT_USAGE);
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) return print_help(stdout, 0);
  const int code = run_command(name, argc, argv);
  if (code >= 0) return code;
  fcps_error error = {0};
  char hint[256], room[300];
  const char *advice = cli_option_habit(name);
  if (advice != NULL)
    fcps_error_set(&error, FCPS_ERR_UNKNOWN_NAME, name, "there is no such option; %s", advice);
  else if (argc > 2 && cli_study_has_command(argv[2]))
    fcps_error_set(&error, FCPS_ERR_UNKNOWN_NAME, "study",
                   "there is no command \"%s\"; the command comes first: fcps study %s %s", name, argv[2],
                   fcps_shell_word(name, sizeof room, room));
  else
    fcps_error_set(&error, FCPS_ERR_UNKNOWN_NAME, "study", "there is no command \"%s\"; %s", name,
                   fcps_name_hint(name, list_names(names), names, sizeof hint, hint));
  return cli_fail(&error);
}
