/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study`: finds the subcommand and runs it under the name that its help shows. */
#include "base/error.h"
#include "base/shell_word.h"
#include "cli/study/subcommands.h"
#include "cli/support/arguments.h"
#include "cli/support/fail.h"
#include "cli/support/remote.h"

#include <stdio.h>
#include <string.h>

static const struct subcommand {
  const char *name;
  cli_command_fn *run;
  const char *summary;
} subcommands[] = {
    {"new", cli_study_new, "make a study from a problem file"},
    {"ask", cli_study_ask, "parameters worth trying in a context"},
    {"choose", cli_study_choose, "the same, with a context that the learner chooses"},
    {"tell", cli_study_tell, "store the result of a trial"},
    {"forget", cli_study_forget, "give up an ask"},
    {"best", cli_study_best, "the best parameters known for a context"},
    {"status", cli_study_status, "the progress, where the policy is good, and whether to continue"},
    {"check-model", cli_study_check_model, "how far the model can be believed: each result predicted from all others"},
    {"report", cli_study_report, "the study as one page, for people without fcps"},
    {"log", cli_study_log, "every stored result"},
    {"export", cli_study_export, "the results as CSV or JSON lines"},
    {"import", cli_study_import, "old results from a CSV"},
    {"amend", cli_study_amend, "change the reward, the bounds, which results count, or the learner"},
    {"backup", cli_study_backup, "copy a study to another file, also while it is in use"},
    {"restore", cli_study_restore, "make a study again from a backup"},
    {"copy", cli_study_copy, "copy a study to a new one, between a file and a database"},
    {"repair", cli_study_repair, "save what can be read of a damaged study"},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static int print_help(FILE *stream, int code)
{
  fputs("Usage: fcps study COMMAND STUDY [OPTION...]\n"
        "Ask and tell for your own robot: every ask is stored before it is shown, every result before it is\n"
        "acknowledged.\n\n",
        stream);
  for (int i = 0; i < SUBCOMMANDS; i++)
    fprintf(stream, "  %-12s %s\n", subcommands[i].name, subcommands[i].summary);
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
  for (int i = 0; i < SUBCOMMANDS; i++)
    if (strcmp(name, subcommands[i].name) == 0) return true;
  return false;
}

const char *cli_study_nearest_command(const char *name)
{
  const char *names[SUBCOMMANDS];
  for (int i = 0; i < SUBCOMMANDS; i++)
    names[i] = subcommands[i].name;
  return fcps_nearest_name(name, SUBCOMMANDS, names);
}

/* Some commands work on files alone: through a server they would change a copy, and nothing there. */
static fcps_status check_place(const char *name, int argc, char **argv, fcps_error *error)
{
  static const char *const of_files[] = {"restore", "repair"};
  bool is_of_files = false;
  for (size_t i = 0; i < sizeof of_files / sizeof *of_files; i++)
    is_of_files |= strcmp(name, of_files[i]) == 0;
  for (int i = 2; i < argc && is_of_files; i++)
    if (cli_remote_is(argv[i]))
      return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "STUDY",
                            "%s works on a file, not through a server; give the file", name);
  return FCPS_OK;
}

int cli_command_study(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : NULL;
  if (name == NULL) return print_help(stderr, CLI_EXIT_USAGE);
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) return print_help(stdout, 0);
  const char *names[SUBCOMMANDS];
  for (int i = 0; i < SUBCOMMANDS; i++) {
    names[i] = subcommands[i].name;
    if (strcmp(name, names[i]) != 0) continue;
    fcps_error misplaced = {0};
    if (check_place(name, argc, argv, &misplaced) != FCPS_OK) return cli_fail(&misplaced);
    char title[64];
    snprintf(title, sizeof title, "fcps study %s", name);
    argv[1] = title;
    return subcommands[i].run(argc - 1, argv + 1);
  }
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
                   fcps_name_hint(name, SUBCOMMANDS, names, sizeof hint, hint));
  return cli_fail(&error);
}
