/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps run FILE.yaml`: runs the external program of a problem file. Every result is stored before its line is printed, in
 * the study of --store or in the one beside the file. A trial is called by the number of its ask, as everywhere. */
#include "base/error.h"
#include "base/number.h"
#include "cli/run.h"
#include "cli/support/fail.h"
#include "cli/support/interrupt.h"
#include "cli/support/open_study.h"
#include "cli/support/progress.h"
#include "cli/support/shown.h"
#include "cli/support/values.h"
#include "format/file.h"
#include "format/text.h"
#include "wire/remarks.h"

#include <fcps/fcps.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- A study that a renamed file has left behind -- */

/* The study of a run has the name of its problem file. Whoever renames the file would begin again at zero, and the trials
 * would lie unused beside it. A study whose file is still there belongs to that one, and a copy of a file is a wish for a
 * study of its own. */

enum { PATH = 4096, MOST_STUDIES = 20 };

static const char ending[] = ".fcps";

static int is_study_name(const struct dirent *entry)
{
  const size_t length = strlen(entry->d_name), tail = strlen(ending);
  return length > tail && strcmp(entry->d_name + length - tail, ending) == 0;
}

/* Whether a problem file lies beside a study, under its name. */
static bool has_file(const char *study)
{
  static const char *const endings[] = {".yaml", ".yml"};
  char path[PATH];
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (snprintf(path, sizeof path, "%.*s%s", (int)(strlen(study) - strlen(ending)), study, endings[i]) < PATH &&
        access(path, F_OK) == 0)
      return true;
  return false;
}

static bool has_same_program(const fcps_problem_file *a, const fcps_problem_file *b)
{
  if (a->command == NULL || b->command == NULL) return a->command == b->command;
  int i = 0;
  while (a->command[i] != NULL && b->command[i] != NULL && strcmp(a->command[i], b->command[i]) == 0)
    i++;
  return a->command[i] == NULL && b->command[i] == NULL;
}

static bool is_same_problem(const fcps_problem_file *a, const fcps_problem_file *b)
{
  static const char *const keys[] = {"target",      "environment", "parameters", "outcome", "achieved",
                                     "constraints", "limits",      "safe",       "cost"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (!fcps_problem_file_same(keys[i], a, b)) return false;
  return has_same_program(a, b);
}

/* How many results a study of this problem has; 0: none, or it is another's. */
static int count_results(const char *path, const fcps_problem_file *file)
{
  fcps_study *study = NULL;
  int count = 0;
  const fcps_study_options how = {0};
  if (has_file(path) || fcps_study_open(&study, path, &how, NULL) != FCPS_OK) return 0;
  const fcps_problem_file *kept = fcps_study_file(study);
  if (kept != NULL && is_same_problem(file, kept)) count = fcps_study_result_count(study);
  fcps_study_close(study);
  return count;
}

/* Warns (W_OTHER_STUDY), before a new study is made beside the file `path`, if a study of the same problem lies there
 * whose own file is gone. */
static void run_warn_of_left_study(const char *path, const fcps_problem_file *file)
{
  const char *slash = strrchr(path, '/');
  char folder[PATH], study[PATH];
  struct dirent **entries = NULL;
  if (snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path) + 1 : 0, path) >= PATH) return;
  const int count = scandir(*folder != '\0' ? folder : ".", &entries, is_study_name, alphasort);
  int results = 0;
  for (int i = 0; i < count && i < MOST_STUDIES && results == 0; i++) {
    if (snprintf(study, sizeof study, "%s%s", folder, entries[i]->d_name) >= PATH) continue;
    results = count_results(study, file);
  }
  if (results > 0)
    cli_warn("W_OTHER_STUDY",
             "%.300s has %d result%s of the same problem, and no problem file of its name: was the file renamed? This "
             "run begins a new study. To go on with that one: rename it, too, or fcps run %.300s --store %.300s",
             study, results, results == 1 ? "" : "s", cli_shown_word(path), cli_shown_word(study));
  for (int i = 0; i < count; i++)
    free(entries[i]);
  if (count >= 0) free(entries);
}

/* -- The run -- */

/* A run under way. */
typedef struct file_session {
  cli_run_command *command;
  fcps_problem_file *file;
  fcps_study *study;
  cli_progress progress;
  bool has_warned; /* of a missing reward */
  int64_t earlier; /* episodes of earlier runs */
} file_session;

/* How a trial ended: one whose numbers cannot be used did not end well, although it ran. */
static const char *ending_of(const fcps_problem *problem, const fcps_stored_result *stored)
{
  const fcps_rollout *r = &stored->result.rollout;
  const bool is_not_finite = r->status == FCPS_ROLLOUT_OK && stored->is_flagged && r->outcome != NULL;
  return is_not_finite ? "not finite" : fcps_rollout_ending_text(problem, r);
}

/* The study keeps its units, whatever its file says now. */
static fcps_status print_episode(const file_session *session, const fcps_episode *episode)
{
  const fcps_problem *problem = fcps_study_problem(session->study);
  if (session->command->as_json) return cli_run_summary_episode(problem, episode, session->command->error);
  const fcps_rollout *r = &episode->stored.result.rollout;
  char number[FCPS_NUMBER_SIZE];
  cli_progress_clear(&session->progress);
  printf("%4lld  %-10s  reward %-9s  ", (long long)episode->stored.ask, ending_of(problem, &episode->stored),
         isnan(r->reward) ? "-" : fcps_number_show(r->reward, number));
  cli_values_print(stdout, &problem->parameters, r->parameters);
  printf("\n");
  return cli_flush(session->command->error);
}

/* Said once: if one trial comes to nothing, others will. */
static void warn_no_reward(file_session *session, const fcps_rollout *r)
{
  const bool is_missing = r->status == FCPS_ROLLOUT_OK && r->outcome == NULL && isnan(r->reward);
  if (!is_missing || session->has_warned || session->file->problem.reward == NULL) return;
  fcps_wire_warn_no_reward(&cli_log);
  session->has_warned = true;
}

/* Each is said: the numbers of one trial say nothing about those of others. */
static void warn_unusable(const file_session *session, const fcps_episode *episode)
{
  char name[40];
  if (!episode->stored.is_flagged || episode->stored.result.rollout.outcome == NULL) return;
  snprintf(name, sizeof name, "ask %lld", (long long)episode->stored.ask);
  fcps_wire_warn_unusable(&cli_log, name, session->study, &episode->stored);
}

static fcps_status on_episode(void *user, const fcps_episode *episode)
{
  file_session *session = user;
  if (episode->is_earlier) {
    session->earlier = episode->done;
    return FCPS_OK;
  }
  const fcps_status status = print_episode(session, episode);
  const fcps_result *result = &episode->stored.result;
  if (result->rollout.status != FCPS_ROLLOUT_OK || *result->message) {
    cli_progress_clear(&session->progress);
    fprintf(stderr, "fcps: ask %lld: ", (long long)episode->stored.ask);
    fcps_shown_write_lines(stderr, result->message);
    fputc('\n', stderr);
  }
  warn_no_reward(session, &result->rollout);
  warn_unusable(session, episode);
  cli_progress_episode(&session->progress, episode);
  return status;
}

static fcps_status open_or_make(file_session *session)
{
  const cli_run_command *command = session->command;
  const fcps_study_options how = {.log = cli_log};
  bool exists = false;
  fcps_status status = fcps_study_exists(&exists, command->store, command->error);
  if (status != FCPS_OK) return status;
  if (exists) {
    status = fcps_study_open(&session->study, command->store, &how, command->error);
    if (status == FCPS_ERR_DAMAGED && fcps_source_file_is_problem(command->store))
      return fcps_error_set(command->error, FCPS_ERR_ARGUMENT, "--store",
                            "%.300s is a problem file; give the study another name, as in %.300s", command->store,
                            command->beside);
    if (status == FCPS_ERR_DAMAGED && cli_path_is_no_study(command->store))
      return fcps_error_set(command->error, FCPS_ERR_ARGUMENT, "--store",
                            "%.300s is not a study; give the study another name, as in %.300s", command->store,
                            command->beside);
    if (status == FCPS_OK)
      status = cli_run_command_match(command, session->file->settings, session->study, command->store);
    return status;
  }
  if (!command->has_said_store) run_warn_of_left_study(command->what, session->file);
  const fcps_study_setup setup = {.text = session->file->text,
                                  .text_name = session->file->file,
                                  .learner = command->learner,
                                  .settings = command->learner_settings.items,
                                  .seed = command->seed >= 0 ? (uint64_t)command->seed : 1};
  status = fcps_study_create(&session->study, command->store, &setup, &how, command->error);
  if ((status != FCPS_ERR_IO && status != FCPS_ERR_STORE) || command->has_said_store) return status;
  const fcps_error why = *command->error;
  return fcps_error_set(command->error, status, why.field, "%.400s To keep the study elsewhere: --store STUDY",
                        why.message);
}

static fcps_status learn(file_session *session)
{
  const cli_run_command *command = session->command;
  fcps_outlook outlook = {0};
  const fcps_run_options options = {.episodes = command->episodes,
                                    .stop = cli_interrupt_stops,
                                    .on_episode = on_episode,
                                    .user = session,
                                    .until_converged = command->until_converged ? &outlook : NULL,
                                    .parallel = (int)command->parallel,
                                    .budget = command->budget,
                                    .log = cli_log};
  fcps_error run_error = {0};
  cli_interrupt_watch();
  cli_progress_begin(&session->progress, options.episodes, command->is_quiet);
  const fcps_status status = fcps_run_program(session->study, session->file, &options, &run_error);
  cli_progress_end(&session->progress);
  const bool has_summary = status == FCPS_OK && !command->as_json;
  if (session->progress.count > 0) cli_run_summary_count(command, session->study, has_summary);
  cli_run_summary_converged(command, session->study, &outlook);
  if (session->earlier >= options.episodes && !outlook.is_converged && status == FCPS_OK &&
      session->progress.count == 0 && !command->is_quiet)
    fprintf(stderr,
            session->earlier > options.episodes
                ? "nothing to do: %lld episodes are done, and --episodes is %lld; a larger --episodes goes on\n"
                : "nothing to do: %lld of %lld episodes are done; a larger --episodes goes on\n",
            (long long)session->earlier, (long long)options.episodes);
  /* a callback's own words say more than that it ended the run */
  if (status != FCPS_OK && command->error->status == FCPS_OK) *command->error = run_error;
  return status;
}

fcps_status cli_run_file(cli_run_command *command)
{
  file_session session = {.command = command};
  fcps_status status = fcps_problem_file_read(&session.file, command->what, command->error);
  if (status == FCPS_OK) status = cli_run_file_store(command->what, command->beside, command->error);
  if (command->store == NULL) command->store = command->beside;
  command->has_said_store = strcmp(command->store, command->beside) != 0;
  if (status == FCPS_OK) status = open_or_make(&session);
  if (status == FCPS_OK) status = learn(&session);
  if (status == FCPS_OK && !command->as_json && !command->is_quiet)
    status = cli_run_file_summary(command, session.study, command->error);
  if (status == FCPS_ERR_STOPPED && fcps_study_url(session.study) != NULL)
    cli_run_command_stopped(command, "nothing is lost: to continue, give the same command again");
  else if (status == FCPS_ERR_STOPPED)
    cli_run_command_stopped(command, "nothing was kept; to continue a run, keep it in a file: --store FILE.fcps");
  if (status == FCPS_ERR_FAILURE_RATE)
    fputs(fcps_study_url(session.study) != NULL
              ? "all trials are stored: the same command goes on after them\n"
              : "nothing was kept; to continue a run, keep it in a file: --store FILE.fcps\n",
          stderr);
  fcps_study_close(session.study);
  fcps_problem_file_destroy(session.file);
  return status;
}
