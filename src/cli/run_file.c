/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps run FILE.yaml`: runs the external program of a problem file. Every result is stored before its line is printed,
 * in the study of --store or in the one beside the file. A trial is printed with the number of its ask. */
#include "base/error.h"
#include "base/number.h"
#include "cli/run.h"
#include "cli/support/exit.h"
#include "cli/support/map.h"
#include "cli/support/open_study.h"
#include "cli/support/progress.h"
#include "cli/support/values.h"
#include "format/file.h"
#include "format/text.h"
#include "wire/wire.h"

#include <fcps/fcps.h>

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- A study left behind by a renamed problem file -- */

/* The study of a run has the name of its problem file. So after the user has renamed the file, a run would begin a new
 * study, and the old study would lie unused beside the file. If the old file still exists, the study belongs to that
 * file: a user who copies a file wants a new study. */

enum { PATH = 4096, MOST_STUDIES = 20 };

static const char study_ending[] = ".fcps";

static int is_study_name(const struct dirent *entry)
{
  const size_t length = strlen(entry->d_name), tail = strlen(study_ending);
  return length > tail && strcmp(entry->d_name + length - tail, study_ending) == 0;
}

/* Whether a problem file with the name of the study lies beside it. */
static bool has_file(const char *study)
{
  static const char *const endings[] = {".yaml", ".yml"};
  char path[PATH];
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (snprintf(path, sizeof path, "%.*s%s", (int)(strlen(study) - strlen(study_ending)), study, endings[i]) < PATH &&
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

/* Counts the results of a study; 0 if it belongs to another problem. */
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

/* Warns (W_OTHER_STUDY) before a new study is made beside the file `path`, if another study of the same problem lies in
 * that folder and its own problem file is gone. */
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
             "%.300s has %d result%s of the same problem, but no problem file has its name: was the file renamed? This "
             "run begins a new study. To go on with the old one, rename it, too, or use fcps run %.300s --store %.300s",
             study, results, results == 1 ? "" : "s", cli_shown_word(path), cli_shown_word(study));
  for (int i = 0; i < count; i++)
    free(entries[i]);
  if (count >= 0) free(entries);
}

/* -- The run -- */

/* The state of a run. */
typedef struct file_session {
  cli_run_command *command;
  fcps_problem_file *file;
  fcps_study *study;
  cli_progress progress;
  bool has_warned; /* whether the user was already warned of a missing reward */
  int64_t earlier; /* the number of episodes of earlier runs */
} file_session;

/* How a trial ended, in words. "not finite" means that the trial ran, but its numbers cannot be used. */
static const char *ending_of(const fcps_problem *problem, const fcps_stored_result *stored)
{
  const fcps_rollout *r = &stored->result.rollout;
  const bool is_not_finite = r->status == FCPS_ROLLOUT_OK && stored->is_flagged && r->outcome != NULL;
  return is_not_finite ? "not finite" : fcps_rollout_ending_text(problem, r);
}

/* Prints an episode with the units of the study, even if the problem file has other units now. */
static fcps_status print_episode(const file_session *session, const fcps_episode *episode)
{
  const fcps_problem *problem = fcps_study_problem(session->study);
  if (session->command->as_json) return cli_run_summary_episode(problem, episode, session->command->error);
  const fcps_rollout *r = &episode->stored.result.rollout;
  char number[FCPS_NUMBER_SIZE];
  cli_progress_clear(&session->progress);
  printf("%4lld  %-10s  reward %-9s  ", (long long)episode->stored.ask, ending_of(problem, &episode->stored),
         isnan(r->reward) ? "-" : fcps_number_show(r->reward, number));
  cli_parameters_print(stdout, problem, r->target, r->environment, r->parameters);
  printf("\n");
  return cli_flush(session->command->error);
}

/* Warns once of a trial without a reward. If one trial has no outcome, later trials will have none either. */
static void warn_no_reward(file_session *session, const fcps_rollout *r)
{
  const bool is_missing = r->status == FCPS_ROLLOUT_OK && r->outcome == NULL && isnan(r->reward);
  if (!is_missing || session->has_warned || session->file->problem.reward == NULL) return;
  fcps_wire_warn_no_reward(&cli_log);
  session->has_warned = true;
}

/* Warns of every trial whose numbers cannot be used: each may have its own reason. */
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
                ? "nothing to do: %lld episodes are done, and --episodes is %lld; to go on, give a larger --episodes\n"
                : "nothing to do: %lld of %lld episodes are done; to go on, give a larger --episodes\n",
            (long long)session->earlier, (long long)options.episodes);
  /* The callback's own error says more than the general error that a callback ended the run. */
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

/* -- The summary at the end of a run --
 *
 * The summary is read from the whole study, as that of `fcps study status` is. So after a continued run it covers the
 * trials of all runs. The commands that it prints can be typed as they are. */

enum { SOME = 10, LEAST = 5 };

/* -- Names -- */

/* Replaces the last ending of `path` by `ending`. */
static fcps_status change_ending(const char *path, const char *ending, char result[CLI_RUN_PATH], fcps_error *error)
{
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
  const int length = dot != NULL && dot > name ? (int)(dot - path) : (int)strlen(path);
  if (snprintf(result, CLI_RUN_PATH, "%.*s%s", length, path, ending) < CLI_RUN_PATH) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--store", "the path is too long");
}

fcps_status cli_run_file_store(const char *path, char store[CLI_RUN_PATH], fcps_error *error)
{
  return change_ending(path, ".fcps", store, error);
}

/* -- Results -- */

/* The mean reward of the first or last `*many` results that have a reward. If there are fewer, *many becomes their
 * number. */
static double mean_reward(const fcps_study *study, bool is_last, int *many)
{
  const int count = fcps_study_result_count(study);
  double sum = 0;
  int used = 0;
  for (int i = 0; i < count && used < *many; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, is_last ? count - 1 - i : i, &stored);
    if (!stored.is_used || !isfinite(stored.result.rollout.reward)) continue;
    sum += stored.result.rollout.reward;
    used++;
  }
  *many = used;
  return used > 0 ? sum / used : NAN;
}

static double best_reward(const fcps_study *study)
{
  double best = NAN;
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    if (stored.is_used && !stored.is_flagged) best = fmax(best, stored.result.rollout.reward);
  }
  return best;
}

static void print_rewards(const fcps_study *study)
{
  int many = INT_MAX;
  char counts[120], mean[FCPS_NUMBER_SIZE], first[FCPS_NUMBER_SIZE], last[FCPS_NUMBER_SIZE], best[FCPS_NUMBER_SIZE];
  printf("\n%s, learner %s, seed %llu: %s\n", cli_shown(fcps_study_file(study)->name),
         cli_shown(fcps_study_learner(study)), (unsigned long long)fcps_study_seed(study),
         cli_counts_text(study, sizeof counts, counts));
  fcps_number_show(mean_reward(study, false, &many), mean);
  fcps_number_show(best_reward(study), best);
  /* At most half of the trials, so that the first trials and the last trials do not overlap. */
  int some = many / 2 < SOME ? many / 2 : SOME;
  fcps_number_show(mean_reward(study, false, &some), first);
  fcps_number_show(mean_reward(study, true, &some), last);
  if (some >= LEAST)
    printf("  reward         %s in the first %d trials, %s in the last %d, mean of each; best %s\n", first, some, last,
           some, best);
  else if (many > 0)
    printf("  reward         %s on average; best %s\n", mean, best);
}

/* `is_enough`: whether more trials gain little. */
static fcps_status print_outlook(fcps_study *study, fcps_policy *policy, bool *is_enough, fcps_error *error)
{
  fcps_outlook o;
  char reward[FCPS_NUMBER_SIZE], deviation[FCPS_NUMBER_SIZE], going_on[FCPS_WIRE_GOING_ON_SIZE];
  if (!fcps_policy_predicts_reward(policy)) return FCPS_OK;
  const fcps_status status = fcps_study_outlook(study, policy, &o, NULL, NULL, error);
  if (status != FCPS_OK || o.without_value == o.contexts) return status;
  const int lacking = fcps_policy_lacking_results(policy);
  if (lacking > 0) {
    printf("  learnt policy  too few results to predict it: %d more %s needed\n", lacking, lacking == 1 ? "is" : "are");
    return FCPS_OK;
  }
  printf("  learnt policy  predicted reward %s +- %s, mean over %d contexts\n", fcps_number_show(o.reward, reward),
         fcps_number_show(o.deviation, deviation), o.contexts - o.without_value);
  printf("  going on       %s\n", fcps_wire_going_on_text(study, &o, going_on));
  *is_enough = o.is_converged;
  return FCPS_OK;
}

/* -- The next commands -- */

/* Prints an option such as --target x=0,y=0, with the middle of every range. */
static void print_option(const char *option, const fcps_space *space)
{
  char number[FCPS_NUMBER_SIZE];
  for (int i = 0; i < space->count; i++) {
    const fcps_dimension *dim = &space->dims[i];
    const char *word = fcps_dimension_word(dim, fcps_dimension_at(dim, 0.5));
    printf("%s%s=%s", i == 0 ? option : ",", dim->name,
           word != NULL ? cli_shown_word(word) : fcps_number_show(fcps_dimension_at(dim, 0.5), number));
  }
}

/* Prints the command that goes on with the run: with a larger budget if the budget ended it, and otherwise with more
 * episodes. */
static void print_going_on(const cli_run_command *command, const fcps_study *study)
{
  const bool is_spent = command->budget > 0.0 && cli_run_count_episodes(study) < command->episodes;
  const long long episodes = is_spent ? command->episodes : 2 * command->episodes;
  const double budget = is_spent ? 2.0 * command->budget : command->budget;
  char cost[FCPS_NUMBER_SIZE];
  printf("  fcps run %s", cli_shown_word(command->what));
  if (command->has_said_store) printf(" --store %s", cli_shown_word(fcps_study_url(study)));
  printf(" --episodes %lld", episodes);
  fcps_number_show(budget, cost);
  if (budget > 0.0) printf(" --budget %s", cost);
  if (command->until_converged) printf(" --until-converged");
  if (command->parallel > 0) printf(" --parallel %lld", (long long)command->parallel);
  if (is_spent)
    printf("   # goes on, until all trials have cost %s\n", cost);
  else
    printf("   # goes on, to %lld episodes in all\n", episodes);
}

static void print_next(const cli_run_command *command, const fcps_study *study, bool is_enough)
{
  const fcps_problem *p = fcps_study_problem(study);
  const char *url = cli_shown_word(fcps_study_url(study));
  printf("next\n  fcps study best %s", url);
  print_option(" --target ", &p->target);
  print_option(" --environment ", &p->environment);
  printf("   # the best parameters for a context\n  fcps study status %s   # where the policy is good, and whether to "
         "go on\n",
         url);
  if (!is_enough) print_going_on(command, study);
}

/* The path from which the figure gets its name: that of the study, or that of the problem file if the study is in a
 * database. */
static const char *figure_base(const cli_run_command *command, const fcps_study *study)
{
  const char *url = fcps_study_url(study);
  return strstr(url, "://") != NULL ? command->what : url;
}

/* Draws the figure. If that fails, the run still succeeds. */
static void draw_figure(const cli_run_command *command, fcps_study *study, fcps_policy *policy)
{
  char svg[CLI_RUN_PATH], png[CLI_RUN_PATH], text[1024];
  const char *const paths[] = {svg, png};
  fcps_error error = {0};
  if (command->without_figure) return;
  fcps_status status = change_ending(figure_base(command, study), "-figure.svg", svg, &error);
  if (status == FCPS_OK) status = change_ending(figure_base(command, study), "-figure.png", png, &error);
  if (status == FCPS_OK) status = cli_study_figure_draw(study, policy, 2, paths, &error);
  if (status == FCPS_OK)
    printf("figure   %s, %s\n", cli_shown(svg), cli_shown(png));
  else
    cli_warn("W_NO_FIGURE", "%s", fcps_error_format(&error, sizeof text, text));
}

fcps_status cli_run_file_summary(const cli_run_command *command, fcps_study *study, fcps_error *error)
{
  fcps_policy *policy = NULL;
  bool is_enough = false;
  print_rewards(study);
  fcps_status status = isnan(best_reward(study)) ? FCPS_OK : fcps_study_policy(study, &policy, error);
  if (status == FCPS_OK && policy != NULL) status = print_outlook(study, policy, &is_enough, error);
  if (status == FCPS_OK && fcps_study_url(study) != NULL) {
    printf("study    %s\n", cli_shown(fcps_study_url(study)));
    draw_figure(command, study, policy);
    print_next(command, study, is_enough);
  } else if (status == FCPS_OK) {
    puts("nothing is kept: the study was in memory");
  }
  fcps_policy_destroy(policy);
  return status == FCPS_OK ? cli_flush(error) : status;
}
