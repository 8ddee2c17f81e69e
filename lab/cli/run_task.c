/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps run TASK`: one learner learns one built-in task, with progress, a study, result files and a figure. Standard
 * output contains no times; progress and times go to standard error.
 *
 * Files of an earlier run are changed only under two conditions: this run holds the study, and the study was made by
 * the same command. */
#include "base/error.h"
#include "cli/run.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"
#include "cli/support/progress.h"
#include "cli/support/values.h"
#include "format/file.h"
#include "lab/report/figures.h"
#include "lab/report/paper.h"

#include <fcps/lab/run.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

const fcps_study_maker *cli_lab_maker(void)
{
  return fcps_run_maker();
}

/* A run in progress. */
typedef struct run_session {
  cli_run_command *command;
  char store[CLI_RUN_PATH]; /* the study's URL */
  bool exists;              /* the study existed before this command started */
  fcps_study *study;
  fcps_task *task; /* the task that the study was made with */
  fcps_run_output *output;
  cli_progress progress;
  fcps_error *error; /* where the first error of the run goes */
} run_session;

/* -- The callbacks -- */

static void say_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  const run_session *session = user;
  if (level < FCPS_LOG_WARNING || session->command->is_quiet) return;
  cli_progress_clear(&session->progress);
  cli_warn(code, "%s", message);
}

static fcps_status on_episode(void *user, const fcps_episode *episode)
{
  run_session *session = user;
  const fcps_status status = fcps_run_output_episode(session->output, episode, session->error);
  if (status != FCPS_OK || episode->is_earlier) return status;
  cli_progress_episode(&session->progress, episode);
  if (!session->command->as_json) return FCPS_OK;
  return cli_run_summary_episode(fcps_task_problem(session->task), episode, session->error);
}

static fcps_status on_offline(void *user, const fcps_offline *offline)
{
  run_session *session = user;
  cli_progress_offline(&session->progress, offline);
  return fcps_run_output_offline(session->output, offline, session->error);
}

/* -- The study -- */

static fcps_study_options study_options(run_session *session)
{
  return (fcps_study_options){.is_relaxed = true, .maker = fcps_run_maker(), .log = {say_warning, session}};
}

/* Names the folder of the results after the task, the learner and the seed, if the user named none. */
static fcps_status name_directory(cli_run_command *command, const char *learner, uint64_t seed)
{
  if (command->directory[0]) return FCPS_OK;
  const int length = snprintf(command->directory, CLI_RUN_PATH, "results/%s-%s-seed%llu", command->what, learner,
                              (unsigned long long)seed);
  if (length < CLI_RUN_PATH) return FCPS_OK;
  return fcps_error_set(command->error, FCPS_ERR_ARGUMENT, "--learner",
                        "the name is too long for a folder; name a folder with --out");
}

/* Fills in the options that the user did not give, names the folder, and finds out whether its study exists. */
static fcps_status name_store(run_session *session)
{
  cli_run_command *command = session->command;
  fcps_status status = FCPS_OK;
  if (command->store != NULL) {
    snprintf(session->store, sizeof session->store, "%s", command->store);
    status = fcps_study_exists(&session->exists, session->store, session->error);
    if (status != FCPS_OK || session->exists) return status;
  }
  if (command->learner == NULL) command->learner = "outcome";
  if (command->seed < 0) command->seed = 1;
  status = name_directory(command, command->learner, (uint64_t)command->seed);
  if (status != FCPS_OK || command->store != NULL) return status;
  status = fcps_file_join(command->directory, "run.fcps", sizeof session->store, session->store, session->error);
  return status != FCPS_OK ? status : fcps_study_exists(&session->exists, session->store, session->error);
}

/* Opens a study that exists, if it agrees with the options that were given. */
static fcps_status open_study(run_session *session)
{
  const cli_run_command *command = session->command;
  const fcps_study_options options = study_options(session);
  fcps_status status = fcps_study_open(&session->study, session->store, &options, session->error);
  if (status == FCPS_ERR_DAMAGED && cli_path_is_no_study(session->store))
    return fcps_error_set(session->error, FCPS_ERR_ARGUMENT, "--store", "%.300s is not a study; choose another name",
                          session->store);
  if (status == FCPS_OK) status = cli_run_command_match(command, NULL, session->study, session->store);
  if (status != FCPS_OK) return status;

  const fcps_task *task = fcps_run_task(session->study);
  /* without settings in the command, a study with any settings of the task fits */
  const bool is_open = command->store != NULL && command->task_settings.count == 0;
  char *origin = fcps_run_origin(command->what, command->task_settings.items, fcps_study_seed(session->study));
  const bool is_task = task != NULL && strcmp(fcps_task_name(task), command->what) == 0;
  const bool is_same =
      is_task && (is_open || (origin != NULL && strcmp(origin, fcps_study_origin(session->study)) == 0));
  fcps_free(origin);
  if (is_same) return FCPS_OK;
  if (command->store == NULL) return cli_run_command_differs(command, is_task ? "--task-set" : "TASK", session->store);
  return fcps_error_set(session->error, FCPS_ERR_ARGUMENT, "--store",
                        "%s is a study of another task, or of this task with other settings; choose another file",
                        session->store);
}

static fcps_status create_study(run_session *session)
{
  const cli_run_command *command = session->command;
  const fcps_study_options options = study_options(session);
  char *origin = fcps_run_origin(command->what, command->task_settings.items, (uint64_t)command->seed);
  if (origin == NULL) return fcps_error_memory(session->error);
  const fcps_study_setup setup = {.origin = origin,
                                  .learner = command->learner,
                                  .settings = command->learner_settings.items,
                                  .seed = (uint64_t)command->seed};
  fcps_status status = fcps_study_create(&session->study, session->store, &setup, &options, session->error);
  /* other failures come before the study's file is created, and then no folder is made */
  if (command->store == NULL && (status == FCPS_ERR_IO || status == FCPS_ERR_STORE)) {
    *session->error = (fcps_error){0};
    status = fcps_file_make_directory(command->directory, session->error);
    if (status == FCPS_OK)
      status = fcps_study_create(&session->study, session->store, &setup, &options, session->error);
  }
  fcps_free(origin);
  return status;
}

/* -- The run -- */

static fcps_status open_session(run_session *session)
{
  cli_run_command *command = session->command;
  fcps_status status = name_store(session);
  if (status == FCPS_OK) status = session->exists ? open_study(session) : create_study(session);
  /* holds the study before any file of an earlier run is changed */
  if (status == FCPS_OK) status = fcps_study_hold(session->study, session->error);
  if (status != FCPS_OK) return status;
  session->task = fcps_run_task(session->study);
  status = name_directory(command, fcps_study_learner(session->study), fcps_study_seed(session->study));
  if (status == FCPS_OK)
    status = fcps_run_output_create(&session->output, command->directory, session->study, session->error);
  return status;
}

static fcps_status learn(run_session *session)
{
  const cli_run_command *command = session->command;
  fcps_outlook outlook = {0};
  const fcps_run_options options = {.episodes = command->episodes,
                                    .evaluate_every = command->evaluate_every,
                                    .stop = cli_interrupt_stops,
                                    .on_episode = on_episode,
                                    .on_offline = on_offline,
                                    .user = session,
                                    .until_converged = command->until_converged ? &outlook : NULL,
                                    .parallel = (int)command->parallel,
                                    .budget = command->budget,
                                    .log = {say_warning, session}};
  fcps_error run_error = {0};
  cli_progress_begin(&session->progress, options.episodes, command->is_quiet);
  const fcps_status status = fcps_run(session->study, session->task, &options, &run_error);
  cli_progress_end(&session->progress);
  if (session->progress.count > 0) cli_run_summary_count(command, session->study, false);
  cli_run_summary_converged(command, session->study, &outlook);
  /* the error that a callback met says more than the error that a callback ended the run */
  if (status != FCPS_OK && session->error->status == FCPS_OK) *session->error = run_error;
  return session->error->status;
}

/* -- The table at the end -- */

/* Writes the episodes for which the table has a column: the paper's episodes that this run reached, and the last one.
 * Returns their number. */
static int table_marks(int64_t count, int64_t marks[FCPS_PAPER_MARKS + 1])
{
  int used = 0;
  for (int i = 0; i < FCPS_PAPER_MARKS; i++) {
    if (fcps_paper_marks[i] <= count) marks[used++] = fcps_paper_marks[i];
  }
  if (used == 0 || marks[used - 1] != count) marks[used++] = count;
  return used;
}

/* Prints the paper's numbers for those episodes that this run has reached. */
static void print_paper_row(const char *label, const double *values, int64_t count)
{
  printf("  %-26s", label);
  for (int i = 0; i < FCPS_PAPER_MARKS && fcps_paper_marks[i] <= count; i++)
    printf("%9.0f", values[i]);
  putchar('\n');
}

/* Prints the cumulative reward, and below it the paper's mean of ten runs if the paper has this task. Compares with the
 * same learner if the paper has it, otherwise with the paper's best learner. */
static void print_cumulative(const fcps_study *study, const fcps_run_output *output)
{
  int64_t marks[FCPS_PAPER_MARKS + 1];
  const int64_t count = fcps_run_output_count(output);
  const int used = table_marks(count, marks);

  printf("%-28s", "cumulative reward after");
  for (int i = 0; i < used; i++)
    printf("%9lld", (long long)marks[i]);
  printf(" episodes\n  %-26s", "this run");
  for (int i = 0; i < used; i++)
    printf("%9.1f", fcps_run_output_cumulative(output, marks[i]));
  putchar('\n');

  const char *task = fcps_task_name(fcps_run_task(study));
  const fcps_paper_row *paper = fcps_paper_find(task, fcps_study_learner(study));
  if (paper == NULL) paper = fcps_paper_find(task, "bo-fcps"); /* the paper's best learner */
  if (paper == NULL || count < fcps_paper_marks[0]) return;
  char label[40];
  snprintf(label, sizeof label, "the paper, %s", paper->learner);
  print_paper_row(label, paper->mean, count);
  print_paper_row("  its standard deviation", paper->deviation, count);
}

static void print_summary(const fcps_study *study, const fcps_run_output *output, double optimum)
{
  fcps_task *task = fcps_run_task(study);
  printf("%s on %s, seed %llu\n\n", cli_shown(fcps_study_learner(study)), cli_shown(fcps_task_name(task)),
         (unsigned long long)fcps_study_seed(study));
  if (fcps_run_output_count(output) > 0) print_cumulative(study, output);

  const double mean = fcps_run_output_offline_mean(output);
  if (isnan(mean)) return;
  printf("\noffline mean reward, %d contexts without noise\n", fcps_task_evaluation(task)->count);
  printf("  %-26s%9.3f\n", "learnt policy", mean);
  if (!isnan(optimum)) printf("  %-26s%9.3f\n", "best possible policy", optimum);
}

static fcps_status print_json_summary(const fcps_run_output *output, fcps_error *error)
{
  char *text = fcps_run_output_summary(output);
  if (text == NULL) return fcps_error_memory(error);
  printf("{\"summary\": %s}\n", text);
  fcps_free(text);
  return cli_flush(error);
}

/* -- The end -- */

/* Draws the figure; false if that failed. The run is complete without it. */
static bool draw_figure(const run_session *session)
{
  fcps_error error = {0};
  if (session->command->without_figure) return false;
  if (fcps_report_run_figure_draw(session->command->directory, &error) == FCPS_OK) return true;
  char text[1024];
  cli_warn("W_NO_FIGURE", "%s", fcps_error_format(&error, sizeof text, text));
  return false;
}

static void say_where(const run_session *session, FILE *stream, bool is_drawn)
{
  const char *directory = cli_shown(session->command->directory);
  const char *study = fcps_study_url(session->study);
  fprintf(stream, "\nresults  %s\nstudy    %s\n", directory, study != NULL ? cli_shown(study) : "not kept");
  if (is_drawn) fprintf(stream, "figure   %s/figure.svg, %s/figure.png\n", directory, directory);
}

static fcps_status finish(run_session *session)
{
  const cli_run_command *command = session->command;
  const double optimum = command->evaluate_every >= 0 ? fcps_task_optimum(session->task) : NAN;
  fcps_status status = fcps_run_output_finish(session->output, optimum, session->error);
  if (status != FCPS_OK) return status;

  const bool is_drawn = draw_figure(session);
  if (command->as_json) {
    if (!command->is_quiet) say_where(session, stderr, is_drawn);
    return print_json_summary(session->output, session->error);
  }
  print_summary(session->study, session->output, optimum);
  say_where(session, stdout, is_drawn);
  return cli_flush(session->error);
}

fcps_status cli_run_task(cli_run_command *command)
{
  run_session session = {.command = command, .error = command->error};
  fcps_status status = open_session(&session);
  if (status == FCPS_OK) {
    cli_interrupt_watch();
    status = learn(&session);
  }
  if (status == FCPS_OK) status = finish(&session);
  if (status == FCPS_ERR_STOPPED)
    cli_run_command_stopped(command,
                            fcps_study_url(session.study) != NULL
                                ? "nothing is lost: to continue, give the same command again"
                                : "the study was not kept; to continue a run, keep it in a file: --store FILE.fcps");
  fcps_run_output_destroy(session.output);
  fcps_study_close(session.study);
  return status;
}
