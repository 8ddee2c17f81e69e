/* SPDX-License-Identifier: Apache-2.0 */
/* The program: finds the command, and sets up the whole process: streams, signals, BLAS threads. A command returns an
 * exit code and never ends the program itself. The exception is argp, which ends the program after it has printed help.
 * If a command succeeded but its results did not reach standard output, the program fails. */
#include "base/error.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct command_entry {
  const char *name;
  cli_command_fn *run;
  const char *summary;
} command_entry;

/* Commands for engineers come first, in the order in which they are needed. */
static const command_entry commands[] = {
    {"init", cli_command_init, "a problem file and a program to start from"},
    {"check", cli_command_check, "what fcps understands of a problem file, and two trials that are not stored"},
    {"run", cli_command_run, "learn a problem file or a task: ask, run, tell, with progress, results and a figure"},
    {"study", cli_command_study, "ask and tell for your own robot; nothing is ever lost"},
    {"work", cli_command_work, "do trials of a study, as one of many workers on one machine or many"},
    {"serve", cli_command_serve, "studies over HTTP: ask and tell from anywhere, and a live page"},
    {"mcp", cli_command_mcp, "studies for an assistant program (Model Context Protocol)"},
    {"retarget", cli_command_retarget, "parameters for new contexts from old rollouts alone"},
    {"policy", cli_command_policy, "the learnt policy, as a small file"},
    {"learners", cli_command_learners, "the learners, with their settings"},
    /* commands of the laboratory */
    {"tasks", cli_command_tasks, "the built-in tasks, with their spaces and settings"},
    {"experiments", cli_command_experiments, "the experiments that can be reproduced"},
    {"reproduce", cli_command_reproduce, "make the paper's tables and figures again, and check its claims"},
    {"sweep", cli_command_sweep, "learners, settings and seeds of a task, here or as a job array of a cluster"},
    {"render", cli_command_render, "a picture of a task, or a film of a robot"},
    {"oracle", cli_command_oracle, "the best reward on a task, by many rollouts"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0], OF_LAB = 6, OF_ENGINEERS = COMMANDS - OF_LAB };

static void print_commands(FILE *stream, int from, int to)
{
  for (int i = from; i < to; i++)
    fprintf(stream, "  %-12s %s\n", commands[i].name, commands[i].summary);
}

static void print_help(FILE *stream)
{
  const bool has_lab = cli_lab_maker() != NULL;
  fputs("Usage: fcps COMMAND [OPTION...]\n"
        "Learns which parameters to use in which situation, from very few trials.\n\n",
        stream);
  print_commands(stream, 0, OF_ENGINEERS);
  fputs("  help         this text; `fcps help COMMAND` explains a command\n"
        "  version      the version; also --version, -V and -v\n\n",
        stream);
  if (has_lab) {
    fputs("The laboratory, with built-in tasks and experiments on them:\n", stream);
    print_commands(stream, OF_ENGINEERS, COMMANDS);
    fputc('\n', stream);
  }
  fputs("Example:\n"
        "  fcps init puck && fcps run puck.yaml --episodes 40\n",
        stream);
  if (has_lab) fputs("  fcps run cannon --learner outcome --episodes 150 --seed 1\n", stream);
  fputs("\nResults go to standard output, progress and messages to standard error. Exit codes:\n"
        "0 done, 2 usage, problem file or conflicting result, 3 study damaged, 4 a file is missing, in the way\n"
        "or could not be written (nothing was acknowledged), 5 locked, 6 simulator or other program,\n"
        "7 too many failures or no usable reward, 70 internal, 130 interrupted.\n",
        stream);
}

static const command_entry *find_command(const char *name)
{
  for (int i = 0; i < COMMANDS; i++) {
    if (strcmp(commands[i].name, name) == 0) return &commands[i];
  }
  return NULL;
}

static int refuse_command(const char *name)
{
  enum { OWN = 2 };
  const char *names[COMMANDS + OWN] = {"help", "version"};
  char hint[256];
  fcps_error error = {0};
  for (int i = 0; i < COMMANDS; i++)
    names[i + OWN] = commands[i].name;
  if (name[0] == '-') {
    const char *advice = cli_option_habit(name);
    fcps_error_set(&error, FCPS_ERR_UNKNOWN_NAME, name, "there is no such option; %s",
                   advice != NULL ? advice : "a command comes first, and `fcps COMMAND --help` lists its options");
    return cli_fail(&error);
  }
  if (cli_study_has_command(name)) {
    fcps_error_set(&error, FCPS_ERR_UNKNOWN_NAME, "command", "\"%s\" is a command for studies: fcps study %s", name,
                   name);
    return cli_fail(&error);
  }
  const char *of_studies = cli_study_nearest_command(name);
  if (of_studies != NULL && fcps_nearest_name(name, COMMANDS + OWN, names) == NULL) {
    fcps_error_set(&error, FCPS_ERR_UNKNOWN_NAME, "command", "there is no command \"%s\"; did you mean fcps study %s?",
                   name, of_studies);
    return cli_fail(&error);
  }
  fcps_error_set(&error, FCPS_ERR_UNKNOWN_NAME, "command", "there is no command \"%s\"; %s", name,
                 fcps_name_hint(name, COMMANDS + OWN, names, sizeof hint, hint));
  return cli_fail(&error);
}

/* Runs a command, with the name that its help shows as argv[0]. */
static int run_command(const command_entry *command, int argc, char **argv)
{
  char name[64];
  snprintf(name, sizeof name, "fcps %s", command->name);
  argv[0] = name;
  return command->run(argc, argv);
}

/* Whether a word is one of a list that ends with NULL. */
static bool is_one_of(const char *word, const char *const *list)
{
  while (*list != NULL && strcmp(word, *list) != 0)
    list++;
  return *list != NULL;
}

static int dispatch(int argc, char **argv)
{
  static const char *const version[] = {"version", "--version", "-V", "-v", NULL},
                           *const help[] = {"help", "--help", "-h", NULL}, *const alone[] = {"help", "version", NULL};
  const char *name = argc > 1 ? argv[1] : "--help";
  if (is_one_of(name, version)) return printf("fcps %s\n", fcps_version()) < 0;

  const bool is_help = is_one_of(name, help);
  if (is_help && (argc <= 2 || is_one_of(argv[2], alone))) {
    print_help(argc > 1 ? stdout : stderr);
    return argc > 1 ? 0 : CLI_EXIT_USAGE;
  }
  const command_entry *command = find_command(is_help ? argv[2] : name);
  if (command == NULL) return refuse_command(is_help ? argv[2] : name);
  if (!is_help) return run_command(command, argc - 1, argv + 1);

  /* "fcps help study tell" becomes "fcps study tell --help": the words move one place to the front. */
  char last[] = "--help";
  memmove(argv + 1, argv + 2, (size_t)(argc - 2) * sizeof *argv);
  argv[argc - 1] = last;
  return run_command(command, argc - 1, argv + 1);
}

/* Replaces a function of OpenBLAS, which calls it when it is loaded, before main begins, and then starts a helper
 * thread for each further processor. The program computes with one thread. If memory is limited (ulimit -v), a
 * helper would wait for its memory for ever, and the program would wait for the helper at its end. So this function
 * answers as OPENBLAS_NUM_THREADS=1 would. */
int openblas_num_threads_env(void);
int openblas_num_threads_env(void)
{
  return 1;
}

/* Opens a replacement for each closed standard stream. Otherwise a file that is opened later would get the number of
 * that stream, and output would go into the file. Writing to the replacement fails, so lost output is noticed. */
static void guard_standard_streams(void)
{
  for (int descriptor = 0; descriptor <= 2; descriptor++) {
    if (fcntl(descriptor, F_GETFD) < 0) (void)!open("/dev/null", descriptor == 1 ? O_RDONLY : O_RDWR);
  }
}

int main(int argc, char **argv)
{
  guard_standard_streams();
  signal(SIGPIPE, SIG_IGN); /* If the reader goes away, cli_flush notices it on writing. */

  cli_hide_tokens(argc, argv);
  fcps_error error = {0};
  if (cli_named_files_check_streams(&error) != FCPS_OK) return cli_fail(&error);
  const int code = dispatch(argc, argv);
  if (cli_flush(&error) != FCPS_OK && code == 0) return cli_fail(&error);
  return code;
}
