/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps reproduce`: experiments, run in parallel, judged, drawn and reported. Every run is a process of this program
 * (--run-one), which ends when its standard input does. Finished runs are files, so an interrupted command loses only
 * the runs that were not finished. A figure that cannot be drawn is a warning. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/support/commands.h"
#include "cli/support/fail.h"
#include "cli/support/interrupt.h"
#include "cli/support/log.h"
#include "cli/support/progress.h"
#include "cli/support/shown.h"
#include "format/file.h"
#include "lab/cli/catalogue.h"
#include "lab/cli/png.h"
#include "lab/cli/reproduce_options.h"
#include "lab/report/figures/experiment_figures.h"
#include "lab/report/figures/panels.h"
#include "lab/report/page/page.h"
#include "lab/report/page/table.h"
#include "lab/report/page/times.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An experiment under way. */
typedef struct reproduction {
  const cli_reproduce_command *command;
  fcps_experiment_info info;
  bool is_terminal;
  double last_line; /* when progress was last said */
} reproduction;

/* -- Single run -- */

/* The lifeline: standard input ends when nobody wants the run any more. */
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
  signal(SIGINT, SIG_IGN); /* Ctrl-C is for the process that asked for the run; it lets go of the lifeline */
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

/* One live line on a terminal, a plain line now and then elsewhere. */
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
                        (char *)self.info.file, /* exec takes its arguments as char *, and changes none */
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

/* Figures are an extra: what cannot be drawn is said, and everything else is still there. */
static void warn(const fcps_error *error)
{
  char text[1024];
  cli_warn("W_NO_FIGURE", "%s", fcps_error_format(error, sizeof text, text));
}

/* The picture of the task, for a figure that experiments share. */
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

/* Rollouts of robots are kept with the results, for this process and those that do the runs, unless a folder is
 * named. */
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
  fcps_status status = cli_reproduce_command_parse(&command, argc, argv, &error);
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
