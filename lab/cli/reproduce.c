/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps reproduce` does the runs of experiments in parallel, judges the claims, draws figures and writes a report.
 * Every run is a process of this program (--run-one), which ends when its standard input ends. Each finished run is a
 * file, so an interrupted command loses only the runs that were not finished. If a figure cannot be drawn, the command
 * warns and goes on. */
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/progress.h"
#include "cli/support/values.h"
#include "format/file.h"
#include "lab/cli/catalogue.h"
#include "lab/cli/png.h"
#include "lab/report/figures.h"
#include "lab/report/page.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct cli_reproduce_command {
  cli_argument_list names; /* names of experiments; with --run-one: the label of the learner, and the seed */
  const char *seeds;       /* NULL: the seeds in the experiment's file */
  const char *engine;      /* where runs are done ("local", "slurm"); NULL: local */
  const char *directory;
  const char *sweep;   /* the file of a sweep, instead of names of experiments; NULL: no sweep */
  const char *run_one; /* the file of the experiment, to do one of its runs; NULL: do all runs */
  int64_t jobs;
  bool is_quick, as_json, is_quiet, no_cache; /* no_cache: do not keep rollouts between runs */
} cli_reproduce_command;

/* -- Options -- */

/* The table of options, their defaults, and the checks that argp cannot make. */

enum { MOST_JOBS = 1024 };

static fcps_status read_jobs(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, 1, MOST_JOBS, value, error);
}

static const cli_argument table[] = {
    {CLI_ARGUMENT_LIST, "NAME", offsetof(cli_reproduce_command, names), .file = CLI_FILE_READ, .value = "experiment",
     .help = "name an experiment, as in `fcps reproduce table1`, or `all`; `fcps experiments` lists them"},
    {CLI_ARGUMENT_TEXT, "seeds", offsetof(cli_reproduce_command, seeds), 's', "LIST",
     .help = "Seeds, as in 1-10 or 1-3,7 (default: those of the experiment)"},
    {CLI_ARGUMENT_READ, "jobs", offsetof(cli_reproduce_command, jobs), 'J', "N", .read = read_jobs,
     .help = "Number of runs at a time (default: one per core)"},
    {CLI_ARGUMENT_TEXT, "engine", offsetof(cli_reproduce_command, engine), .value = "NAME",
     .help = "Where runs are done: local (default), this machine; or slurm, a job array, which needs DIR on a shared "
             "file system"},
    {CLI_ARGUMENT_TEXT, "out", offsetof(cli_reproduce_command, directory), 'o', "DIR", .file = CLI_FILE_FOLDER,
     .help = "Folder of the results (default results/reproduce)"},
    {CLI_ARGUMENT_SWITCH, "quick", offsetof(cli_reproduce_command, is_quick),
     .help = "A quick look: two seeds and at most fifty episodes"},
    {CLI_ARGUMENT_SWITCH, "no-cache", offsetof(cli_reproduce_command, no_cache),
     .help = "Simulate every rollout of a robot again, instead of taking it from the cache"},
    {CLI_ARGUMENT_SWITCH, "json", offsetof(cli_reproduce_command, as_json), 'j',
     .help = "Print one JSON object per claim"},
    {CLI_ARGUMENT_SWITCH, "quiet", offsetof(cli_reproduce_command, is_quiet), 'q', .help = "Do not show progress"},
    {CLI_ARGUMENT_TEXT, "sweep", offsetof(cli_reproduce_command, sweep), .value = "FILE", .is_hidden = true,
     .help = "Run the file that fcps sweep wrote to DIR, instead of NAME"},
    {CLI_ARGUMENT_TEXT, "run-one", offsetof(cli_reproduce_command, run_one), .value = "FILE", .is_hidden = true,
     .help = "Do the run of learner LABEL with SEED; give up when standard input ends"},
    {0}};

static const char doc[] =
    "Runs the paper's experiments again and says, claim by claim, whether the paper's claims hold.\vNAME is an "
    "experiment (`fcps experiments` lists them), the path of a YAML file, or `all`. DIR/NAME receives results.csv, "
    "curves.csv, claims.csv and the figures; DIR/report.html shows everything. Finished runs are kept, so the same "
    "command continues where it was interrupted. Rollouts of robots are kept in DIR/cache, or in $FCPS_CACHE_DIR, so "
    "no rollout is simulated twice.\n\nExamples:\n  fcps reproduce table1\n  fcps reproduce all --jobs 2 --out "
    "results/paper\n";

static int64_t core_count(void)
{
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : count > MOST_JOBS ? MOST_JOBS : count;
}

static fcps_status reproduce_command_parse(cli_reproduce_command *command, int argc, char **argv, fcps_error *error)
{
  *command = (cli_reproduce_command){.directory = "results/reproduce"};
  const fcps_status status = cli_arguments_parse(table, doc, argc, argv, command, error);
  if (status != FCPS_OK) return status;
  /* on a cluster, Slurm itself decides how many runs are done at a time */
  if (command->jobs == 0 && (command->engine == NULL || strcmp(command->engine, "slurm") != 0))
    command->jobs = core_count();
  if (command->directory[0] == '\0')
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--out", "the path is empty; name a folder");
  return FCPS_OK;
}

/* -- The command -- */

/* An experiment that is being run. */
typedef struct reproduction {
  const cli_reproduce_command *command;
  fcps_experiment_info info;
  bool is_terminal;
  double last_line; /* the time at which progress was last printed */
} reproduction;

/* -- Single run -- */

/* Whether this run should end. The process that started it holds its standard input open. If that input has ended, the
 * starter is gone or no longer wants the run. */
static bool is_unwanted(void *user)
{
  (void)user;
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  char byte;
  return poll(&input, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) == 0;
}

static fcps_status prepare(fcps_experiment *experiment, const cli_reproduce_command *command, const char *program,
                           fcps_error *error)
{
  if (command->seeds != NULL) {
    const fcps_status status = fcps_experiment_set_seeds(experiment, command->seeds, error);
    if (status != FCPS_OK) return status;
  }
  if (command->is_quick) fcps_experiment_set_quick(experiment);
  return fcps_experiment_set_program(experiment, program, error);
}

static fcps_status run_one(const cli_reproduce_command *command, const char *program, fcps_error *error)
{
  /* Ctrl-C also reaches the process that started this one; that process then closes our standard input */
  signal(SIGINT, SIG_IGN);
  int64_t seed = 0;
  if (command->names.count != 2) return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--run-one", "needs LABEL and SEED");
  fcps_status status = cli_option_integer("SEED", command->names.items[1], 0, INT64_MAX, &seed, error);
  cli_catalogue catalogue = {0};
  if (status == FCPS_OK) status = cli_catalogue_open(&catalogue, command->run_one, error);
  if (status == FCPS_OK) status = prepare(catalogue.items[0], command, program, error);
  if (status == FCPS_OK) {
    status = fcps_experiment_run_one(catalogue.items[0], command->directory, command->names.items[0], (uint64_t)seed,
                                     is_unwanted, NULL, error);
  }
  cli_catalogue_destroy(&catalogue);
  return status;
}

/* -- An experiment -- */

/* Shows progress: on a terminal, one line that changes; otherwise a new line now and then. */
static void show_progress(void *user, const fcps_experiment_progress *progress)
{
  reproduction *self = user;
  const double now = fcps_clock_seconds(), pause = self->is_terminal ? 0.2 : 10.0;
  if (self->command->is_quiet || progress->done == progress->total || now - self->last_line < pause) return;
  self->last_line = now;
  char left[48] = "";
  if (!isnan(progress->seconds_left)) cli_progress_duration(progress->seconds_left, sizeof left, left);
  fprintf(stderr, "%s%s   %d/%d runs%s%s%s%s", self->is_terminal ? "\r" : "", cli_shown(self->info.name),
          progress->done, progress->total, left[0] ? "   " : "", left, left[0] ? " left" : "",
          self->is_terminal ? "\033[K" : "\n");
  fflush(stderr);
}

static fcps_status run_experiment(const fcps_experiment *experiment, const cli_reproduce_command *command,
                                  char *program, fcps_error *error)
{
  reproduction self = {.command = command,
                       .info = fcps_experiment_describe(experiment),
                       .is_terminal = isatty(STDERR_FILENO) == 1,
                       .last_line = fcps_clock_seconds()};
  char reproduce[] = "reproduce", out[] = "--out", quick[] = "--quick", one[] = "--run-one";
  char *const line[] = {program,
                        reproduce,
                        one,
                        (char *)self.info.file, /* exec takes its arguments as char *, but does not change them */
                        out,
                        (char *)command->directory,
                        command->is_quick ? quick : NULL,
                        NULL};
  const fcps_experiment_options options = {.directory = command->directory,
                                           .jobs = (int)command->jobs,
                                           .command = line,
                                           .stop = cli_interrupt_stops,
                                           .progress = show_progress,
                                           .user = &self,
                                           .engine = command->engine};
  const fcps_status status = fcps_experiment_run(experiment, &options, error);
  if (self.is_terminal && !command->is_quiet) fputs("\r\033[K", stderr);
  return status;
}

/* Warns that a figure could not be drawn. All other results have been written. */
static void warn(const fcps_error *error)
{
  char text[1024];
  cli_warn("W_NO_FIGURE", "%s", fcps_error_format(error, sizeof text, text));
}

/* Takes a picture of the task's world, for a figure that several experiments share. */
static fcps_status take_picture(const fcps_experiment *experiment, const char *folder, fcps_error *error)
{
  enum { WIDTH = 640, HEIGHT = 480 };
  char path[CLI_CATALOGUE_PATH];
  fcps_status status = fcps_file_join(folder, FCPS_PANEL_PICTURE, sizeof path, path, error);
  if (status != FCPS_OK || !fcps_experiment_has_picture(experiment)) return status;
  unsigned char *rgb = fcps_allocate(WIDTH * HEIGHT, 3);
  if (rgb == NULL) return fcps_error_memory(error);
  status = fcps_experiment_picture(experiment, WIDTH, HEIGHT, rgb, error);
  if (status == FCPS_OK) status = cli_png_write(path, WIDTH, HEIGHT, rgb, error);
  free(rgb);
  return status;
}

static void draw(const fcps_experiment *experiment, const char *folder)
{
  fcps_error error = {0};
  if (fcps_report_figures_draw(folder, &error) != FCPS_OK) warn(&error);
  if (take_picture(experiment, folder, &error) != FCPS_OK) warn(&error);
}

static fcps_status reproduce(fcps_experiment *experiment, const cli_reproduce_command *command, char *program,
                             fcps_error *error)
{
  const fcps_experiment_info info = fcps_experiment_describe(experiment);
  char folder[CLI_CATALOGUE_PATH];
  fcps_status status = fcps_file_join(command->directory, info.name, sizeof folder, folder, error);
  if (status == FCPS_OK) status = run_experiment(experiment, command, program, error);
  if (status == FCPS_OK) status = fcps_experiment_judge(experiment, command->directory, error);
  if (status != FCPS_OK) return status;
  draw(experiment, folder);
  status = (command->as_json ? fcps_report_table_json : fcps_report_table_print)(stdout, command->directory, info.name,
                                                                                 error);
  if (status == FCPS_OK) status = cli_flush(error);
  if (status != FCPS_OK || command->is_quiet) return status;
  return fcps_report_times_print(stderr, folder, error);
}

/* -- The command -- */

static fcps_status open_experiments(cli_catalogue *catalogue, const cli_reproduce_command *command, const char *program,
                                    fcps_error *error)
{
  fcps_status status = command->sweep != NULL ? cli_catalogue_open(catalogue, command->sweep, error) : FCPS_OK;
  for (int i = 0; i < command->names.count && command->sweep == NULL && status == FCPS_OK; i++) {
    status = strcmp(command->names.items[i], "all") == 0
                 ? cli_catalogue_open_all(catalogue, error)
                 : cli_catalogue_open(catalogue, command->names.items[i], error);
  }
  for (size_t i = 0; i < catalogue->count && status == FCPS_OK; i++)
    status = prepare(catalogue->items[i], command, program, error);
  return status;
}

/* Chooses the folder in which rollouts of robots are kept for later runs: DIR/cache, unless FCPS_CACHE_DIR names
 * another folder. The processes that do the runs use the same folder. */
static fcps_status choose_cache(const cli_reproduce_command *command, fcps_error *error)
{
  const char *chosen = getenv("FCPS_CACHE_DIR");
  char folder[CLI_CATALOGUE_PATH];
  if (command->no_cache) {
    unsetenv("FCPS_CACHE_DIR");
    return FCPS_OK;
  }
  if (chosen != NULL && *chosen) return FCPS_OK;
  const fcps_status status = fcps_file_join(command->directory, "cache", sizeof folder, folder, error);
  if (status != FCPS_OK) return status;
  return setenv("FCPS_CACHE_DIR", folder, 1) == 0 ? FCPS_OK : fcps_error_memory(error);
}

static fcps_status reproduce_all(const cli_reproduce_command *command, char *program, fcps_error *error)
{
  cli_catalogue catalogue = {0};
  fcps_status status = choose_cache(command, error);
  if (status == FCPS_OK) status = open_experiments(&catalogue, command, program, error);
  cli_interrupt_watch();
  for (size_t i = 0; i < catalogue.count && status == FCPS_OK; i++)
    status = reproduce(catalogue.items[i], command, program, error);
  cli_catalogue_destroy(&catalogue);
  if (status != FCPS_OK) return status;

  fcps_error drawing = {0};
  if (fcps_panels_figures_draw(command->directory, &drawing) != FCPS_OK) warn(&drawing);
  status = fcps_report_page_write(command->directory, error);
  if (status == FCPS_OK && !command->is_quiet)
    fprintf(stderr, "report   %s/report.html\n", cli_shown(command->directory));
  return status;
}

int cli_command_reproduce(int argc, char **argv)
{
  fcps_error error = {0};
  cli_reproduce_command command;
  char program[CLI_CATALOGUE_PATH];
  fcps_status status = reproduce_command_parse(&command, argc, argv, &error);
  if (status == FCPS_OK) status = cli_catalogue_program(program, &error);
  if (status == FCPS_OK) {
    status = command.run_one != NULL ? run_one(&command, program, &error) : reproduce_all(&command, program, &error);
  }
  if (status == FCPS_OK) return 0;
  if (status != FCPS_ERR_STOPPED) return cli_fail(&error);
  fprintf(stderr, "fcps: %s; finished runs are kept: to continue, give the same command again\n",
          cli_shown(error.message));
  return CLI_EXIT_INTERRUPT;
}
