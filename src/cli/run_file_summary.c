/* SPDX-License-Identifier: Apache-2.0 */
/* The summary at the end of a run. It is read from the study, as `fcps study status` does, so a continued run sums
 * up all its trials. The commands that it prints can be typed as they are. */
#include "cli/run.h"

#include "base/error.h"
#include "base/number.h"
#include "cli/support/counts.h"
#include "cli/support/fail.h"
#include "cli/support/map.h"
#include "cli/support/shown.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* The mean reward of the first or last `*many` results with a reward; *many becomes the number of results found. */
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
  int some = many / 2 < SOME ? many / 2 : SOME; /* the first and the last trials do not overlap */
  fcps_number_show(mean_reward(study, false, &some), first);
  fcps_number_show(mean_reward(study, true, &some), last);
  if (some >= LEAST)
    printf("  reward         %s in the first %d trials, %s in the last %d, mean of each; best %s\n", first, some, last,
           some, best);
  else if (many > 0)
    printf("  reward         %s on average; best %s\n", mean, best);
}

static fcps_status print_outlook(fcps_study *study, fcps_policy *policy, fcps_error *error)
{
  fcps_outlook o;
  char reward[FCPS_NUMBER_SIZE], deviation[FCPS_NUMBER_SIZE], gain[FCPS_NUMBER_SIZE];
  if (!fcps_policy_predicts_reward(policy)) return FCPS_OK;
  const fcps_status status = fcps_study_outlook(study, policy, &o, NULL, NULL, error);
  if (status != FCPS_OK || o.without_value == o.contexts) return status;
  const int lacking = fcps_policy_lacking_results(policy);
  if (lacking > 0) {
    printf("  learnt policy  too few results to say: %d more %s needed\n", lacking, lacking == 1 ? "is" : "are");
    return FCPS_OK;
  }
  printf("  learnt policy  expected reward %s +- %s, mean over %d contexts\n", fcps_number_show(o.reward, reward),
         fcps_number_show(o.deviation, deviation), o.contexts - o.without_value);
  printf("  going on       more trials gain at most %s per context: %s", fcps_number_show(o.gain, gain),
         o.is_converged ? "enough" : "worth it");
  if (o.unmet != NULL) printf(" (%s)", o.unmet);
  putchar('\n');
  return FCPS_OK;
}

/* -- The next commands -- */

/* Prints --target x=0,y=0 with the middle of every range. */
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

static void print_next(const cli_run_command *command, const fcps_study *study)
{
  const fcps_problem *p = fcps_study_problem(study);
  const char *url = cli_shown_word(fcps_study_url(study));
  printf("next\n  fcps study best %s", url);
  print_option(" --target ", &p->target);
  print_option(" --environment ", &p->environment);
  printf("   # the best parameters for a context\n  fcps study status %s   # where the policy is good, and whether to "
         "go on\n",
         url);
  printf("  fcps run %s", cli_shown_word(command->what));
  if (command->has_said_store) printf(" --store %s", url);
  const long long more = 2 * command->episodes;
  printf(" --episodes %lld   # goes on, to %lld episodes in all\n", more, more);
}

/* The path that names the figure: that of the study, or that of the problem file if the study is in a database. */
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
  print_rewards(study);
  fcps_status status = isnan(best_reward(study)) ? FCPS_OK : fcps_study_policy(study, &policy, error);
  if (status == FCPS_OK && policy != NULL) status = print_outlook(study, policy, error);
  if (status == FCPS_OK && fcps_study_url(study) != NULL) {
    printf("study    %s\n", cli_shown(fcps_study_url(study)));
    draw_figure(command, study, policy);
    print_next(command, study);
  } else if (status == FCPS_OK) {
    puts("nothing is kept: the study was in memory");
  }
  fcps_policy_destroy(policy);
  return status == FCPS_OK ? cli_flush(error) : status;
}
