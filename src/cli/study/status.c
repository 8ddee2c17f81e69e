/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study status`: prints the progress of a study, where its policy is good, and whether to continue. It changes
 * nothing in the study. */
#include "base/error.h"
#include "base/number.h"
#include "cli/study/study.h"
#include "cli/support/arguments.h"
#include "cli/support/exit.h"
#include "cli/support/map.h"
#include "cli/support/open_study.h"
#include "cli/support/values.h"
#include "format/text.h"
#include "report/gnuplot.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>

typedef struct arguments {
  const char *path, *map, *figure;
  bool as_json;
  fcps_error error;
} arguments;

static const cli_argument table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path), .file = CLI_FILE_READ},
    {CLI_ARGUMENT_SWITCH, "json", offsetof(arguments, as_json), 'j', .help = "Print one JSON object"},
    {CLI_ARGUMENT_TEXT, "map", offsetof(arguments, map), 'm', "FILE.csv", .file = CLI_FILE_WRITTEN,
     .endings = "csv tsv txt",
     .help = "Write the predicted reward and its deviation over a grid of targets (or environments)"},
    {CLI_ARGUMENT_TEXT, "figure", offsetof(arguments, figure), 'f', "FILE", .file = CLI_FILE_WRITTEN,
     .endings = "svg png", .help = "Draw the policy, the trials and the learning curve, as .svg or .png"},
    {0}};

static const char doc[] =
    "Shows rollouts, unfinished asks, the learning curve, where the policy is good or bad, what more trials would "
    "gain, and whether the model has problems.\vExample:\n  fcps study status throw.fcps --figure throw.svg\n";

enum { CURVE = 40 };

/* Divides the history into equal parts, and prints the mean reward of each part as a bar. */
static void print_curve(const fcps_wire_tally *t)
{
  static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const int pieces = t->reward_count < CURVE ? t->reward_count : CURVE;
  double means[CURVE] = {0}, least = INFINITY, most = -INFINITY;
  for (int b = 0; b < pieces; b++) {
    const int first = b * t->reward_count / pieces, last = (b + 1) * t->reward_count / pieces;
    for (int i = first; i < last; i++)
      means[b] += t->rewards[i] / (last - first);
    least = fmin(least, means[b]);
    most = fmax(most, means[b]);
  }
  printf("learning curve     ");
  for (int b = 0; b < pieces; b++)
    fputs(bars[cli_values_level(means[b], least, most, 8)], stdout);
  printf("  from %.4g to %.4g\n", means[0], means[pieces - 1]);
}

/* Prints "target x=3, environment wind=0.2"; an empty space is left out. */
static void print_context(const fcps_problem *p, const double *target, const double *environment)
{
  if (p->target.count > 0) printf("target ");
  if (p->target.count > 0) cli_values_print(stdout, &p->target, target);
  if (p->environment.count > 0) printf("%senvironment ", p->target.count > 0 ? ", " : "");
  if (p->environment.count > 0) cli_values_print(stdout, &p->environment, environment);
}

/* Prints all that the trial of an unfinished ask needs, in case the user has lost it. */
static void print_unfinished(const fcps_problem *p, const fcps_ask *ask)
{
  printf("  unfinished       ask %lld%s%s: ", (long long)ask->id, *ask->client ? " of " : "", cli_shown(ask->client));
  print_context(p, ask->target, ask->environment);
  printf("%sparameters ", p->target.count + p->environment.count > 0 ? ", " : "");
  cli_parameters_print(stdout, p, ask->target, ask->environment, ask->parameters);
  printf("\n");
}

/* Whether a trial ran without an outcome, and the reward does not cover this case. */
static bool is_without_reward(const fcps_study *study, const fcps_stored_result *stored)
{
  const fcps_rollout *r = &stored->result.rollout;
  return stored->is_used && stored->is_flagged && !stored->is_misplaced && r->status == FCPS_ROLLOUT_OK &&
         r->outcome == NULL && fcps_study_problem(study)->outcome.count > 0;
}

/* Whether the model cannot use a result because one of its numbers is not finite. */
static bool is_not_finite(const fcps_study *study, const fcps_stored_result *stored)
{
  return stored->is_used && stored->is_flagged && stored->result.rollout.status == FCPS_ROLLOUT_OK &&
         !is_without_reward(study, stored);
}

/* Prints the results that no model can use because a number is not finite, each with its reason. */
static void print_not_finite(const fcps_study *study, int outcomes, int rewards)
{
  enum { SHOWN = 4 };
  char why[512], name[FCPS_WIRE_RESULT_NAME_SIZE];
  int shown = 0;
  printf("  not finite       %d outcome%s and %d reward%s, whose numbers no model uses:", outcomes,
         outcomes == 1 ? "" : "s", rewards, rewards == 1 ? "" : "s");
  for (int i = 0; i < fcps_study_result_count(study) && shown < SHOWN; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    if (!is_not_finite(study, &stored)) continue;
    fcps_study_explain(study, &stored, sizeof why, why);
    printf("%s %s (", shown++ > 0 ? "," : "", fcps_wire_result_name(&stored, name));
    fcps_shown_write_lines(stdout, why);
    printf(")");
  }
  if (outcomes + rewards > shown) printf(" and %d more", outcomes + rewards - shown);
  printf("\n");
}

/* Prints results with numbers that are not finite, trials without a reward, and a warning if no trial ended well. */
static void print_unusable(const fcps_study *study, const fcps_wire_tally *t)
{
  char text[512];
  int flagged = 0, absent = 0;
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    flagged += is_not_finite(study, &stored);
    absent += is_without_reward(study, &stored);
  }
  const int outcomes = t->counts.outcomes_not_finite;
  if (flagged > 0) print_not_finite(study, outcomes, flagged - outcomes);
  if (absent > 0)
    printf("  no reward        %d result%s without an outcome: the model learns from %s which trials have none\n",
           absent, absent == 1 ? "" : "s", absent == 1 ? "it" : "them");
  if (!fcps_study_complain(study, sizeof text, text)) return;
  printf("  ended badly      ");
  fcps_shown_write_lines(stdout, text);
  printf("\n");
}

static void print_kept(const char *path, int count, const char *where)
{
  if (count > 0)
    printf("  not stored       %d result%s %s; to store %s: fcps study tell %s --kept\n", count,
           count == 1 ? " is kept" : "s are kept", where, count == 1 ? "it" : "them", cli_shown_word(path));
}

static void print_names(const char *option, const fcps_space *space)
{
  for (int i = 0; i < space->count; i++)
    printf("%s%s=NUMBER", i == 0 ? option : ",", cli_shown(space->dims[i].name));
}

/* Prints the first command that an empty study needs. */
static void print_first(const fcps_study *study, const char *path)
{
  printf("next               fcps study ask %s", cli_shown_word(path));
  print_names(" --target ", &fcps_study_problem(study)->target);
  print_names(" --environment ", &fcps_study_problem(study)->environment);
  printf("   # old results: fcps study import\n");
}

/* Prints "limit              apex was beyond its limit in 2 of 40 trials; of 35 whose outcome was predicted, in 1: about
 * 1.4 were expected". */
static void print_limits(const fcps_study *study)
{
  fcps_json *object = fcps_json_object();
  fcps_wire_limits_put(&object, study);
  const fcps_json *limits = fcps_json_get(object, "limits");
  for (int i = 0; i < fcps_json_count(limits); i++) {
    const fcps_json *one = fcps_json_get(limits, fcps_json_key(limits, i));
    int64_t results = 0, broken = 0, unmeasured = 0, foretold = 0, surprises = 0;
    double expected = 0.0;
    (void)fcps_json_integer(fcps_json_get(one, "results"), &results);
    (void)fcps_json_integer(fcps_json_get(one, "broken"), &broken);
    (void)fcps_json_integer(fcps_json_get(one, "unmeasured"), &unmeasured);
    (void)fcps_json_integer(fcps_json_get(one, "foretold"), &foretold);
    (void)fcps_json_integer(fcps_json_get(one, "foretold_broken"), &surprises);
    (void)fcps_json_number(fcps_json_get(one, "expected"), &expected);
    printf("limit              %s was beyond its limit in %lld of %lld trials", cli_shown(fcps_json_key(limits, i)),
           (long long)broken, (long long)results);
    if (unmeasured > 0) printf("; %lld more did not measure it", (long long)unmeasured);
    if (foretold > 0)
      printf("; of %lld whose outcome was predicted, in %lld: about %.2g were expected", (long long)foretold,
             (long long)surprises, expected);
    printf("\n");
  }
  fcps_json_destroy(object);
}

/* Prints the words without a result, and why they have none. */
static void print_untried(const fcps_study *study, const char *path)
{
  fcps_json *object = fcps_json_object();
  fcps_wire_untried_put(&object, study);
  const char *words = fcps_json_get_text(object, "untried", NULL),
             *unsafe = fcps_json_get_text(object, "untried_unsafe", NULL);
  const bool are_many = unsafe != NULL && strchr(unsafe, ',') != NULL;
  if (words != NULL)
    printf("never tried        %s: %s\n", cli_shown(words),
           fcps_study_problem(study)->limit_count > 0 && fcps_study_problem(study)->safe_count > 0
               ? "every other ask takes such a safe trial, in a context for which it counts"
               : "asks will try each of them, if its parameter applies");
  if (unsafe != NULL)
    printf("never tried        %s: no safe trial has %s, so asks may never try %s. To change that, give all safe "
           "trials again,\n                   with one for each word: fcps study amend %s --safe '[{...}, {...}]'\n",
           cli_shown(unsafe), are_many ? "these words" : "this word", are_many ? "them" : "it", cli_shown_word(path));
  fcps_json_destroy(object);
}

static void print_counts(const fcps_study *study, const fcps_wire_tally *t, const fcps_door_kept *kept,
                         const char *path)
{
  printf("study              %s: %s, learner %s, seed %llu\n", cli_shown(path), cli_shown(fcps_study_name(study)),
         cli_shown(fcps_study_learner(study)), (unsigned long long)fcps_study_seed(study));
  fcps_json *settings = fcps_wire_settings_write(study);
  if (fcps_json_count(settings) > 0) {
    printf("settings           ");
    cli_settings_print(settings);
    printf("\n");
  }
  fcps_json_destroy(settings);
  const fcps_problem_file *file = fcps_study_file(study);
  printf("reward             %s\n", file == NULL           ? "that of the task"
                                    : file->reward != NULL ? cli_shown(file->reward)
                                                           : "told");
  char counted[120];
  printf("rollouts           %s; %d more not used; %d ask%s unfinished\n",
         cli_counts_text(study, sizeof counted, counted), t->counts.unused, t->pending, t->pending == 1 ? "" : "s");
  if (t->costs.trials > 0)
    printf("cost               %.6g so far, mean %.3g a trial\n", t->costs.spent, t->costs.spent / t->costs.trials);
  print_unusable(study, t);
  print_limits(study);
  print_untried(study, path);
  for (int i = 0; i < fcps_study_ask_count(study); i++) {
    fcps_ask ask;
    fcps_study_ask_at(study, i, &ask);
    if (ask.state == FCPS_ASK_PENDING) print_unfinished(fcps_study_problem(study), &ask);
  }
  cli_workers_print(study);
  cli_suspects_print(stdout, "  suspect          ", study, path);
  print_kept(path, kept->count, kept->where);
  print_kept(path, kept->apart, "on this machine, by workers that reached the study through a server");
  if (fcps_study_ask_count(study) == 0 && fcps_study_result_count(study) == 0) print_first(study, path);
  if (!t->reward_count) return;
  char earned[FCPS_WIRE_EARNED_SIZE];
  printf("rewards            %s\n", fcps_wire_earned_text(t, earned));
  print_curve(t);
}

/* Prints the mean prediction, with the deviation of a trial and its part that more trials reduce. */
static void print_prediction(const fcps_outlook *o)
{
  char reward[FCPS_NUMBER_SIZE], deviation[FCPS_NUMBER_SIZE];
  printf("policy             predicted reward %s +- %s, mean over %d contexts\n", fcps_number_show(o->reward, reward),
         fcps_number_show(o->deviation, deviation), o->contexts - o->without_value);
  printf("  uncertainty      %.3g of reward: the part of +- that more trials reduce\n", o->reducible_deviation);
}

/* Prints the reward that may be gained beyond the region that is known to work. */
static void print_edges(const fcps_outlook *o)
{
  if (!(o->edge_gain > 0.005 * o->spread)) return;
  printf("  edges            %.3g of reward per context may be gained beyond the region that is known to work: trials "
         "there\n                   would show it\n",
         o->edge_gain);
}

/* Prints how much reward caution costs, and how to reduce caution. */
static void print_caution(const fcps_outlook *o, const char *path)
{
  if (!(o->caution_cost > 0.005 * o->spread)) return;
  printf("  caution          gives up %.3g of expected reward per context to keep away from likely failures; to take "
         "that risk:\n                   fcps study amend %s --set caution=0 (or a smaller value than now)\n",
         o->caution_cost, cli_shown_word(path));
}

/* Prints the failures that the model blames on the machine (an outage) and not on their parameters, and what the user
 * can do about them. */
static void print_outage(const fcps_study *study, const fcps_outlook *o, const char *path)
{
  if (o->excused == 0) return;
  printf("outage             %d trials in a row went wrong, probably because of the machine and not of their "
         "parameters:\n                   ",
         o->excused);
  cli_names_print(stdout, study, fcps_wire_is_excused);
  printf(". They do not count against their parameters. If the parameters are to blame:\n                   fcps study "
         "amend %s --confirm ",
         cli_shown_word(path));
  cli_names_print(stdout, study, fcps_wire_is_excused);
  printf(";\n                   to take them out for good, --drop instead\n");
}

/* Prints the results that count less, with the commands for a user who knows better. */
static void print_doubted(const fcps_study *study, const fcps_outlook *o, const char *path)
{
  if (o->doubted == 0) return;
  printf("counts less        result%s ", o->doubted == 1 ? "" : "s");
  cli_names_print(stdout, study, fcps_wire_is_doubted);
  printf(": far from what the other results suggest. If you do not know why, do nothing. If right: fcps study amend\n"
         "                   %s --confirm ",
         cli_shown_word(path));
  cli_names_print(stdout, study, fcps_wire_is_doubted);
  printf("; if wrong, --drop instead\n");
}

/* Prints the outlook. `lacking` is how many more results are needed before the outlook means anything. */
static void print_outlook(const fcps_study *study, const fcps_outlook *o, const cli_points *worst, int lacking,
                          const char *path)
{
  const fcps_problem *p = fcps_study_problem(study);
  if (o->without_value > 0)
    printf("policy             in %d of %d contexts the reward has no value for the expected outcome\n",
           o->without_value, o->contexts);
  if (o->without_value == o->contexts) return;
  if (lacking > 0) {
    printf("policy             too few results to predict its reward: %d more %s needed\n", lacking,
           lacking == 1 ? "is" : "are");
    return;
  }
  print_prediction(o);
  if (p->target.count + p->environment.count > 0) {
    printf("  worst            %.4g at ", o->worst_reward);
    print_context(p, worst->target, worst->environment);
    printf("\n");
  }
  if (o->low_chance > 0)
    printf("  low chance       in %d of %d contexts the chance to end well with an outcome is below %g\n",
           o->low_chance, o->contexts, FCPS_LOW_CHANCE);
  print_caution(o, path);
  print_edges(o);
  char going_on[FCPS_WIRE_GOING_ON_SIZE];
  printf("going on           %s\n", fcps_wire_going_on_text(study, o, going_on));
}

static fcps_status print_json(fcps_door *door, fcps_error *error)
{
  fcps_door_answer answer = {0};
  fcps_door_kept kept = {0};
  fcps_status status = cli_door_do(door, "status", NULL, &answer, error);
  if (status == FCPS_OK) status = fcps_door_count_kept(door, &kept, error);
  if (status == FCPS_OK && kept.count + kept.apart > 0)
    fcps_json_put(&answer.json, "kept_results", fcps_json_from_integer(kept.count + kept.apart));
  if (status == FCPS_OK) status = cli_print_json(stdout, answer.json, error);
  if (status == FCPS_OK || status == FCPS_ERR_MEMORY) answer.json = NULL;
  fcps_door_answer_destroy(&answer);
  return status;
}

/* Refuses a map that cannot be drawn, before anything is printed. */
static fcps_status check_map(const fcps_study *study, const fcps_policy *policy, arguments *a)
{
  const char *option = a->map != NULL ? "--map" : "--figure";
  if (a->map == NULL && a->figure == NULL) return FCPS_OK;
  if (!cli_policy_map_axes(fcps_study_problem(study))->count)
    return fcps_error_set(&a->error, FCPS_ERR_UNSUPPORTED, option,
                          "this problem has neither target nor environment: there is nothing to map over");
  if (policy == NULL)
    return fcps_error_set(&a->error, FCPS_ERR_UNSUPPORTED, option, "there is no result with a reward yet");
  if (fcps_wire_policy_lacks(policy) != NULL)
    return fcps_error_set(&a->error, FCPS_ERR_UNSUPPORTED, option, "%s", fcps_wire_policy_lacks(policy));
  if (a->figure != NULL && !fcps_policy_predicts_reward(policy))
    return fcps_error_set(&a->error, FCPS_ERR_UNSUPPORTED, "--figure",
                          "learner %s predicts no reward: there is nothing to draw; --map gives its parameters",
                          fcps_study_learner(study));
  return FCPS_OK;
}

/* Prints how good the policy is predicted to be. */
static fcps_status show_outlook(fcps_study *study, fcps_policy *policy, arguments *a)
{
  const fcps_problem *p = fcps_study_problem(study);
  cli_points worst = {0};
  fcps_outlook outlook = {0};
  fcps_status status = cli_points_create(&worst, p, 1, &a->error);
  if (status == FCPS_OK)
    status = fcps_study_outlook(study, policy, &outlook, worst.target, worst.environment, &a->error);
  if (status == FCPS_OK && fcps_wire_policy_lacks(policy) != NULL) {
    printf("policy             %s\n", fcps_wire_policy_lacks(policy));
  } else if (status == FCPS_OK && fcps_policy_predicts_reward(policy)) {
    print_outage(study, &outlook, a->path);
    print_doubted(study, &outlook, a->path);
    print_outlook(study, &outlook, &worst, fcps_policy_lacking_results(policy), a->path);
    status = cli_health_print(p, policy, &a->error);
  } else if (status == FCPS_OK) {
    printf(
        "policy             learner %s predicts no reward: only trials show where it is good, and whether to go on\n",
        cli_shown(fcps_study_learner(study)));
  }
  cli_points_destroy(&worst);
  return status;
}

/* Prints as characters where the policy is good, and writes the file that --map names. */
static fcps_status show_map(const fcps_problem *p, fcps_policy *policy, arguments *a)
{
  const bool is_shown = !a->as_json && fcps_policy_predicts_reward(policy) && fcps_wire_policy_lacks(policy) == NULL &&
                        fcps_policy_lacking_results(policy) == 0;
  if (!cli_policy_map_axes(p)->count || !(is_shown || a->map != NULL)) return FCPS_OK;
  cli_policy_map map = {0};
  fcps_status status = cli_policy_map_create(&map, CLI_MAP_CHARACTERS, p, policy, &a->error);
  if (status == FCPS_OK && a->map != NULL) status = cli_policy_map_write(&map, a->map, &a->error);
  if (status == FCPS_OK && is_shown) cli_policy_map_print(&map);
  cli_policy_map_destroy(&map);
  return status;
}

/* Prints commands that answer the user's next questions. `is_known` says whether there are enough results for all of
 * these commands. */
static void print_questions(const fcps_study *study, bool is_known, const char *path)
{
  const int asks = fcps_study_ask_count(study);
  const char *word = cli_shown_word(path);
  fcps_ask ask;
  if (is_known) {
    printf("more trials?       fcps study forecast %s   # what they bring, or how many a reward takes\n", word);
    printf("what matters?      fcps study explain %s\n", word);
  }
  if (asks == 0) return;
  fcps_study_ask_at(study, asks - 1, &ask);
  printf("why this trial?    fcps study why %s %lld\n", word, (long long)ask.id);
}

/* Makes the policy. A model of thousands of results takes minutes but says hardly more than a model of some of them, so
 * a large study is represented by some of its results. */
static fcps_status make_policy(fcps_study *study, const arguments *a, const fcps_wire_tally *t, fcps_policy **policy,
                               fcps_error *error)
{
  enum { MANY_RESULTS = 2000, SKETCHED = 1000 };
  if (t->counts.usable <= MANY_RESULTS) return fcps_study_policy(study, policy, error);
  const fcps_status status = fcps_study_sketch(study, SKETCHED, policy, error);
  if (status == FCPS_OK && fcps_policy_predicts_reward(*policy))
    cli_warn("W_SKETCH",
             "the policy shown here learnt from %d of %d results, spread evenly; fcps study best %s learns from all of "
             "them, and takes longer",
             SKETCHED, t->counts.usable, cli_shown_word(a->path));
  return status;
}

static fcps_status show(fcps_door *door, fcps_study *study, arguments *a, const fcps_wire_tally *t)
{
  fcps_policy *policy = NULL; /* A policy is made only if there is a result to learn from. */
  fcps_door_kept kept = {0};
  fcps_status status = t->reward_count ? make_policy(study, a, t, &policy, &a->error) : FCPS_OK;
  if (status == FCPS_OK) status = check_map(study, policy, a);
  if (status == FCPS_OK) status = fcps_door_count_kept(door, &kept, &a->error);
  if (status == FCPS_OK && !a->as_json) print_counts(study, t, &kept, a->path);
  if (status == FCPS_OK && !a->as_json && policy != NULL) status = show_outlook(study, policy, a);
  if (status == FCPS_OK && a->figure != NULL) status = cli_study_figure_draw(study, policy, 1, &a->figure, &a->error);
  if (status == FCPS_OK && policy != NULL) status = show_map(fcps_study_problem(study), policy, a);
  if (status == FCPS_OK && policy != NULL && !a->as_json && fcps_policy_predicts_reward(policy))
    print_questions(study, fcps_policy_lacking_results(policy) == 0, a->path);
  fcps_policy_destroy(policy);
  return status;
}

/* Prints a study for people, and writes its files. */
static fcps_status show_study(fcps_door *door, arguments *a)
{
  fcps_wire_tally tally = {.rewards = NULL};
  fcps_study *study = NULL;
  int leases = 0;
  fcps_status status = cli_door_study(door, &study, &a->error);
  if (status == FCPS_OK) status = fcps_study_read_leases(study, &leases, NULL, &a->error);
  /* The error is ignored: problems of the model are printed below. */
  if (status == FCPS_OK) (void)fcps_study_find_suspects(study, NULL, NULL);
  if (status == FCPS_OK) status = fcps_wire_tally_create(&tally, study, &a->error);
  if (status == FCPS_OK) status = show(door, study, a, &tally);
  fcps_wire_tally_destroy(&tally);
  return status;
}

int cli_study_status(int argc, char **argv)
{
  arguments a = {0};
  fcps_door *door = NULL;
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &a, &a.error);
  const bool has_files = a.map != NULL || a.figure != NULL;
  if (status == FCPS_OK && a.figure != NULL) status = fcps_gnuplot_check_path(a.figure, &a.error);
  if (status == FCPS_OK) status = cli_open_door(&door, a.path, NULL, &a.error);
  if (status == FCPS_OK && (!a.as_json || has_files)) status = show_study(door, &a);
  if (status == FCPS_OK && a.as_json) status = print_json(door, &a.error);
  fcps_door_close(door);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}
