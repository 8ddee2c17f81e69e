/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps run`: one learner on one task, shown while it learns, recorded, drawn, and continued where it stopped. */
#include "base/error.h"
#include "cli/progress.h"
#include "cli/run_options.h"
#include "cli/run_summary.h"
#include "format/file.h"
#include "report/run_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SAVE_EVERY = 10, STATE_LIMIT = 1 << 30 };

/* A run under way. */
typedef struct run_session {
  fcps_run_command command;
  fcps_task *task;
  fcps_learner *learner;
  fcps_record *record;
  fcps_progress progress;
  fcps_error *error; /* what went wrong first */
} run_session;

/* --------------------------------------------------------------------------------------------- learner's state */

static fcps_status save_state(run_session *session)
{
  char *text = NULL;
  fcps_status status = fcps_learner_save(session->learner, &text, session->error);
  if (status == FCPS_OK) {
    status = fcps_file_replace(session->command.state, text, strlen(text), session->error);
  }
  fcps_free(text);
  return status;
}

static fcps_status load_state(run_session *session)
{
  char *text = NULL;
  size_t length = 0;
  fcps_status status = fcps_file_read(session->command.state, STATE_LIMIT, &text, &length, session->error);
  if (status == FCPS_OK) {
    status = fcps_learner_load(&session->learner, fcps_task_problem(session->task), text, session->error);
  }
  fcps_free(text);
  return status;
}

/* ------------------------------------------------------------------------------------------------- the callbacks */

static void say_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  const run_session *session = user;
  if (level < FCPS_LOG_WARNING || session->command.is_quiet) return;
  fcps_progress_clear(&session->progress);
  fprintf(stderr, "fcps: %s: %s\n", code, message);
}

/* Between two episodes everything of those before is on disk, so here the state may be saved. */
static bool is_stop_wanted(void *user)
{
  run_session *session = user;
  const int told = fcps_learner_rollout_count(session->learner);
  if (session->command.state[0] && told > 0 && told % SAVE_EVERY == 0 && save_state(session) != FCPS_OK) return true;
  return fcps_interrupt_seen();
}

static fcps_status on_episode(void *user, const fcps_episode *episode)
{
  run_session *session = user;
  const fcps_status status = fcps_record_episode(session->record, episode, session->error);
  if (status != FCPS_OK) return status;
  fcps_progress_episode(&session->progress, episode);
  if (!session->command.as_json) return FCPS_OK;
  return fcps_run_summary_episode(fcps_task_problem(session->task), episode, session->error);
}

static fcps_status on_offline(void *user, const fcps_offline *offline)
{
  run_session *session = user;
  fcps_progress_offline(&session->progress, offline);
  return fcps_record_offline(session->record, offline, session->error);
}

/* ------------------------------------------------------------------------------------------------------ the run */

static fcps_status open_session(run_session *session)
{
  const fcps_run_command *command = &session->command;
  const uint64_t seed = (uint64_t)command->seed;
  fcps_error *error = session->error;
  fcps_status status = fcps_task_create(&session->task, command->task, command->task_settings.items, seed, error);
  if (status != FCPS_OK) return status;

  const bool is_continued = command->state[0] && access(command->state, F_OK) == 0;
  status = is_continued ? load_state(session)
                        : fcps_learner_create(&session->learner, fcps_task_problem(session->task), command->learner,
                                              command->learner_settings.items, seed, error);
  if (status != FCPS_OK) return status;
  fcps_learner_set_log(session->learner, (fcps_log){say_warning, session});

  const fcps_record_source source = {command->learner, command->task_settings.items, command->learner_settings.items,
                                     seed};
  return fcps_record_create(&session->record, command->directory, session->task, &source,
                            fcps_learner_rollout_count(session->learner), error);
}

static void close_session(run_session *session)
{
  fcps_record_destroy(session->record);
  fcps_learner_destroy(session->learner);
  fcps_task_destroy(session->task);
  fcps_run_command_destroy(&session->command);
}

static fcps_status learn(run_session *session)
{
  const fcps_run_options options = {.episodes = session->command.episodes,
                                    .evaluate_every = session->command.evaluate_every,
                                    .stop = is_stop_wanted,
                                    .on_episode = on_episode,
                                    .on_offline = on_offline,
                                    .user = session};
  fcps_error run_error = {0};
  fcps_progress_begin(&session->progress, options.episodes, session->command.is_quiet);
  const fcps_status status = fcps_run(session->task, session->learner, &options, &run_error);
  fcps_progress_end(&session->progress);
  // a callback's own words say more than that it ended the run
  if (status != FCPS_OK && session->error->status == FCPS_OK) *session->error = run_error;
  return session->error->status;
}

/* A run that was interrupted can go on, whether or not a state file was named. Returns the exit code. */
static int keep_for_later(run_session *session)
{
  fcps_run_command *command = &session->command;
  fprintf(stderr, "fcps: %s\n", session->error->message);
  if (!command->state[0]) {
    const int length = snprintf(command->state, FCPS_RUN_PATH, "%s/learner.json", command->directory);
    if (length >= FCPS_RUN_PATH) return FCPS_EXIT_INTERRUPT;
  }
  if (save_state(session) != FCPS_OK) return fcps_cli_fail(session->error);
  fprintf(stderr, "fcps: to continue, give the same command with --state %s\n", command->state);
  return FCPS_EXIT_INTERRUPT;
}

/* The figure is an extra: without it the run is still done. */
static bool draw_figure(const run_session *session)
{
  fcps_error error = {0};
  if (!session->command.with_figure) return false;
  if (fcps_run_figure_draw(session->command.directory, &error) == FCPS_OK) return true;
  char text[1024];
  fprintf(stderr, "fcps: W_NO_FIGURE: %s\n", fcps_error_format(&error, sizeof text, text));
  return false;
}

static void say_where(const run_session *session, FILE *stream, bool is_drawn)
{
  const char *directory = session->command.directory;
  fprintf(stream, "\nresults  %s\n", directory);
  if (is_drawn) fprintf(stream, "figure   %s/figure.svg, %s/figure.png\n", directory, directory);
}

static fcps_status finish(run_session *session)
{
  const fcps_run_command *command = &session->command;
  const double optimum = command->evaluate_every >= 0 ? fcps_task_optimum(session->task) : NAN;
  fcps_status status = fcps_record_finish(session->record, optimum, session->error);
  if (status == FCPS_OK && command->state[0]) status = save_state(session);
  if (status != FCPS_OK) return status;

  const bool is_drawn = draw_figure(session);
  if (command->as_json) {
    if (!command->is_quiet) say_where(session, stderr, is_drawn);
    return fcps_run_summary_json(session->record, session->error);
  }
  fcps_run_summary_print(command, session->record, fcps_task_evaluation(session->task), optimum);
  say_where(session, stdout, is_drawn);
  return fcps_cli_flush(session->error);
}

/* Whether the arguments name a problem file, which is run by a command of its own. */
static bool names_problem_file(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    const size_t length = strlen(argv[i]);
    if (argv[i][0] == '-' || length < 5) continue;
    if (strcmp(argv[i] + length - 5, ".yaml") == 0 || strcmp(argv[i] + length - 4, ".yml") == 0) return true;
  }
  return false;
}

int fcps_command_run(int argc, char **argv)
{
  if (names_problem_file(argc, argv)) return fcps_command_run_file(argc, argv);
  fcps_error error = {0};
  run_session session = {.error = &error};
  fcps_status status = fcps_run_command_parse(&session.command, argc, argv, &error);
  if (status == FCPS_OK) status = open_session(&session);
  if (status == FCPS_OK) {
    fcps_interrupt_watch();
    status = learn(&session);
  }
  if (status == FCPS_OK) status = finish(&session);

  int code = 0;
  if (status == FCPS_ERR_STOPPED)
    code = keep_for_later(&session);
  else if (status != FCPS_OK)
    code = fcps_cli_fail(&error);
  close_session(&session);
  return code;
}
