/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study amend`, `import` and `repair`: changes to a study as a whole. Nothing that was stored is ever removed: a
 * change is a record of its own, and a repair writes a new file. */
#include "base/error.h"
#include "cli/study/amend_learner.h"
#include "cli/study/named_results.h"
#include "cli/study/subcommands.h"
#include "cli/support/arguments.h"
#include "cli/support/fail.h"
#include "cli/support/log.h"
#include "cli/support/open_study.h"
#include "cli/support/remote.h"
#include "cli/support/shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct arguments {
  const char *path, *reward, *bounds, *use, *drop, *confirm, *file, *to;
  bool is_forced, again;
  const char *learner;
  cli_setting_list settings;
  fcps_error error;
} arguments;

static const cli_argument amend_table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path)},
    {CLI_ARGUMENT_TEXT, "reward", offsetof(arguments, reward), 'r', "FORMULA",
     .help = "A new reward; every stored rollout is scored again"},
    {CLI_ARGUMENT_TEXT, "bounds", offsetof(arguments, bounds), 'b', "NAME=LOWER,UPPER",
     .help = "New bounds of a dimension"},
    {CLI_ARGUMENT_TEXT, "use", offsetof(arguments, use), 'u', "RESULT,...",
     .help = "Use this one of several results: ASK.N, or its number in the log if it has no ask; also a range, "
             "30.1-39.1"},
    {CLI_ARGUMENT_TEXT, "drop", offsetof(arguments, drop), 'd', "RESULT,...",
     .help = "Stop using these results, also ranges (30.1-39.1), or all that are `failed`, have `no-outcome` or are "
             "`not-finite`; they stay stored, and --use takes them back"},
    {CLI_ARGUMENT_SWITCH, "force", offsetof(arguments, is_forced),
     .help = "Take a reward under which no stored result with an outcome has a finite one"},
    {CLI_ARGUMENT_TEXT, "learner", offsetof(arguments, learner), 'l', "NAME",
     .help = "Another learner, which is told everything again; it begins with its own defaults"},
    {CLI_ARGUMENT_SETTINGS, "set", offsetof(arguments, settings), 'S', "NAME=VALUE",
     .help = "A setting of the learner; may be repeated, and given with --learner"},
    {CLI_ARGUMENT_TEXT, "confirm", offsetof(arguments, confirm), .value = "RESULT,...",
     .help = "These results, also ranges (30.1-39.1), surprise the model (W_SURPRISE, W_UNIT) and are right all the "
             "same: count them as any other"},
    {0}};
static const cli_argument import_table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path)},
    {CLI_ARGUMENT_NEEDED, "RESULTS.csv", .offset = offsetof(arguments, file), .file = CLI_FILE_READ},
    {CLI_ARGUMENT_SWITCH, "again", offsetof(arguments, again),
     .help = "Also rows that equal stored results, or each other: the trials were done again, and gave the very same "
             "numbers"},
    {0}};
static const cli_argument repair_table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path)},
    {CLI_ARGUMENT_TEXT, "to", offsetof(arguments, to), 'o', "NEW", .help = "The new file"},
    {0}};

static const char amend_doc[] =
    "Changes the reward or the bounds of a study, which results count, or who learns. What was there before stays in "
    "the history.\v"
    "Examples:\n  fcps study amend throw.fcps --reward '-distance'\n"
    "  fcps study amend throw.fcps --bounds speed=0.1,6\n  fcps study amend throw.fcps --use 42.2\n"
    "  fcps study amend throw.fcps --drop 17\n  fcps study amend throw.fcps --drop 30.1-39.1\n"
    "  fcps study amend throw.fcps --drop failed\n"
    "  fcps study amend throw.fcps --set kappa=1 --set separate=on\n"
    "  fcps study amend throw.fcps --learner bo-fcps\n"
    "  fcps study amend throw.fcps --confirm 61.1\n";
static const char import_doc[] =
    "Adds old results from a CSV with a column for each dimension, in any order, and optionally reward, "
    "hindsight_reward, status and message. An outcome whose cells are all empty is absent. Rows that equal a stored "
    "result to the last digit are skipped.\v"
    "Example:\n  fcps study import throw.fcps last-month.csv\n";
static const char repair_doc[] = "Copies what is unharmed of a damaged study into a new file, and says which records "
                                 "are lost and whether the new file can be opened. The damaged file is not "
                                 "changed.\v"
                                 "Example:\n"
                                 "  fcps study repair throw.fcps --to throw-repaired.fcps\n";

/* What is changed in the copy of a study behind a server is changed there as well. */
static fcps_status change_problem(fcps_study *study, arguments *a, const char *what, const char *value)
{
  const fcps_status status = fcps_study_amend(study, what, value, &a->error);
  return status == FCPS_OK && cli_remote_is(a->path) ? cli_remote_amend(a->path, what, value, &a->error) : status;
}

static fcps_status set_used(fcps_study *study, arguments *a, int64_t sequence, bool is_used)
{
  const fcps_status status = fcps_study_use_result(study, sequence, is_used, &a->error);
  return status == FCPS_OK && cli_remote_is(a->path) ? cli_remote_use_result(a->path, sequence, is_used, &a->error)
                                                     : status;
}

static fcps_status set_confirmed(fcps_study *study, arguments *a, int64_t sequence)
{
  const fcps_status status = fcps_study_confirm(study, sequence, &a->error);
  return status == FCPS_OK && cli_remote_is(a->path) ? cli_remote_confirm(a->path, sequence, &a->error) : status;
}

static fcps_status amend_bounds(fcps_study *study, arguments *a)
{
  char what[128];
  const char *equals = strchr(a->bounds, '=');
  if (equals == NULL || equals == a->bounds || equals - a->bounds > 100)
    return fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "--bounds", "\"%s\" is not NAME=LOWER,UPPER", a->bounds);
  snprintf(what, sizeof what, "bounds.%.*s", (int)(equals - a->bounds), a->bounds);
  return change_problem(study, a, what, equals + 1);
}

static fcps_status amend_use(fcps_study *study, arguments *a)
{
  cli_named_results named = {0};
  fcps_status status = cli_named_results_find(study, "--use", a->use, &named, &a->error);
  for (size_t i = 0; i < named.count && status == FCPS_OK; i++) {
    status = set_used(study, a, named.items[i].sequence, true);
    if (status == FCPS_OK && named.items[i].is_used) printf("result %s counts already; ", named.items[i].name);
  }
  cli_named_results_destroy(&named);
  return status;
}

/* Whether a result is of the kind that a word of --drop names. */
static bool is_of_kind(const fcps_problem *problem, const fcps_stored_result *r, const char *kind)
{
  const fcps_rollout *rollout = &r->result.rollout;
  const bool has_failed = rollout->status != FCPS_ROLLOUT_OK;
  const bool is_absent = !has_failed && rollout->outcome == NULL && problem->outcome.count > 0;
  if (strcmp(kind, "failed") == 0) return has_failed;
  if (strcmp(kind, "no-outcome") == 0) return is_absent;
  return !has_failed && !is_absent && r->is_flagged;
}

/* Drops every result of a kind that still counts. The sequences stay the same while results are dropped. */
static fcps_status drop_kind(fcps_study *study, arguments *a, int *dropped)
{
  fcps_status status = FCPS_OK;
  bool was_dropped = false; /* to drop twice is as good as once */
  for (int i = 0; status == FCPS_OK && i < fcps_study_result_count(study); i++) {
    fcps_stored_result r;
    fcps_study_result_at(study, i, &r);
    if (!is_of_kind(fcps_study_problem(study), &r, a->drop)) continue;
    was_dropped |= !r.is_used;
    if (!r.is_used) continue;
    status = set_used(study, a, r.sequence, false);
    ++*dropped;
  }
  if (status != FCPS_OK || *dropped > 0 || was_dropped) return status;
  return fcps_error_set(&a->error, FCPS_ERR_UNKNOWN_ASK, "--drop", "no result that counts is %s", a->drop);
}

/* Drops the results of a list, and counts those that counted. */
static fcps_status drop_named(fcps_study *study, arguments *a, int *dropped)
{
  cli_named_results named = {0};
  fcps_status status = cli_named_results_find(study, "--drop", a->drop, &named, &a->error);
  for (size_t i = 0; i < named.count && status == FCPS_OK; i++) {
    status = set_used(study, a, named.items[i].sequence, false);
    *dropped += named.items[i].is_used;
    if (status == FCPS_OK && !named.items[i].is_used) printf("result %s did not count before; ", named.items[i].name);
  }
  cli_named_results_destroy(&named);
  return status;
}

static fcps_status amend_drop(fcps_study *study, arguments *a)
{
  static const char *const kinds[] = {"failed", "no-outcome", "not-finite"};
  fcps_status status = FCPS_OK;
  int dropped = 0;
  bool is_kind = false;
  for (int i = 0; i < 3; i++)
    is_kind |= strcmp(a->drop, kinds[i]) == 0;
  status = is_kind ? drop_kind(study, a, &dropped) : drop_named(study, a, &dropped);
  if (status == FCPS_OK) printf("dropped %d result%s; ", dropped, dropped == 1 ? "" : "s");
  return status;
}

/* The results that show whether a reward has a value: those with an outcome, or, where there is none, all that did not
 * fail. A number for trials without an outcome says nothing about the rest of a formula. */
typedef struct scored {
  int count, finite;
  const char *which;
} scored;

static scored count_scored(const fcps_study_counts *c)
{
  const int ran = c->results - c->failed;
  return c->with_outcome > 0 ? (scored){c->with_outcome, c->with_reward, "with an outcome"}
                             : (scored){ran, ran - c->rewards_not_finite, "that did not fail"};
}

/* A reward under which none of them has a finite one is a mistake, unless the user insists. */
static fcps_status amend_reward(fcps_study *study, arguments *a, fcps_study_counts *counts)
{
  char why[256];
  const fcps_setting change = {"reward", a->reward};
  const fcps_status status = fcps_study_preview(study, &change, counts, why, &a->error);
  if (status != FCPS_OK) return status;
  const scored s = count_scored(counts);
  if (s.count > 0 && s.finite == 0 && !a->is_forced)
    return fcps_error_set(&a->error, FCPS_ERR_UNSUPPORTED, "--reward",
                          "none of the %d stored results %s would have a finite reward: %s. Nothing is changed; to "
                          "change it all the same, add --force",
                          s.count, s.which, why);
  return change_problem(study, a, "reward", a->reward);
}

static void print_confirmed(const cli_named_result *named)
{
  if (named->is_confirmed)
    printf("result %s was confirmed before; ", named->name);
  else if (!named->is_used)
    printf("result %s does not count: it was %s. It is confirmed, but counts only after --use %s; ", named->name,
           named->was_used ? "dropped or replaced" : "never accepted", named->name);
  else if (named->went_wrong)
    printf("result %s is held against its parameters, and never taken for part of an outage; ", named->name);
  else if (named->is_suspect)
    printf("result %s counts as any other now; ", named->name);
  else
    printf("result %s is no suspect: it counts as any other already, and will never be one; ", named->name);
}

static fcps_status amend_confirmation(fcps_study *study, arguments *a)
{
  cli_named_results named = {0};
  (void)fcps_study_find_suspects(study, NULL, NULL); /* a confirmation needs no model that works */
  fcps_status status = cli_named_results_find(study, "--confirm", a->confirm, &named, &a->error);
  for (size_t i = 0; i < named.count && status == FCPS_OK; i++) {
    status = set_confirmed(study, a, named.items[i].sequence);
    if (status == FCPS_OK) print_confirmed(&named.items[i]);
  }
  cli_named_results_destroy(&named);
  return status;
}

static fcps_status amend_learner(fcps_study *study, arguments *a)
{
  const fcps_status status = cli_amend_learner(study, a->learner, a->settings.items, &a->error);
  if (status != FCPS_OK || !cli_remote_is(a->path)) return status;
  return cli_remote_amend_learner(a->path, a->learner, a->settings.items, &a->error);
}

/* Results that have no reward by the new rule: told rewards, where none was told, or a formula without a value. */
static void warn_flagged(const fcps_study *study)
{
  const int count = fcps_study_result_count(study);
  int flagged = 0;
  for (int i = 0; i < count; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    flagged += stored.is_used && stored.is_flagged;
  }
  if (flagged == 0) return;
  char why[300];
  fcps_study_explain(study, NULL, sizeof why, why);
  cli_warn(
      "W_NO_REWARD",
      "%d of the %d stored results have no reward under the new rule and are flagged: the model does not use their "
      "reward. The cause: %s. With `told`, only results that were told a reward have one.",
      flagged, count, why);
}

static void print_scored(const fcps_study_counts *c)
{
  const int ran = c->results - c->failed;
  const scored s = count_scored(c);
  printf("%d of the %d stored results that did not fail have a finite reward", ran - c->rewards_not_finite, ran);
  if (s.finite == 0 && ran > c->rewards_not_finite) printf(", but none of the %d %s", s.count, s.which);
  printf("\n");
}

int cli_study_amend(int argc, char **argv)
{
  arguments a = {0};
  fcps_study_counts counts = {0};
  fcps_study *study = NULL;
  fcps_status status = cli_arguments_parse(amend_table, amend_doc, argc, argv, &a, &a.error);
  const bool is_learner = a.learner != NULL || a.settings.count > 0;
  const int changes =
      (a.reward != NULL) + (a.bounds != NULL) + (a.use != NULL) + (a.drop != NULL) + (a.confirm != NULL) + is_learner;
  if (status == FCPS_OK && changes != 1)
    status = fcps_error_set(&a.error, FCPS_ERR_ARGUMENT, "",
                            "give one of --reward, --bounds, --use, --drop, --confirm, and --learner with or without "
                            "--set");
  if (status == FCPS_OK) status = cli_open_study(&study, a.path, &a.error);
  if (status == FCPS_OK && a.reward != NULL)
    status = amend_reward(study, &a, &counts);
  else if (status == FCPS_OK && is_learner)
    status = amend_learner(study, &a);
  else if (status == FCPS_OK && a.bounds != NULL)
    status = amend_bounds(study, &a);
  else if (status == FCPS_OK && a.confirm != NULL)
    status = amend_confirmation(study, &a);
  else if (status == FCPS_OK)
    status = a.use != NULL ? amend_use(study, &a) : amend_drop(study, &a);
  if (status == FCPS_OK) printf("amended %s; %d stored results\n", cli_shown(a.path), fcps_study_result_count(study));
  if (status == FCPS_OK && a.reward != NULL && counts.results > counts.failed) print_scored(&counts);
  if (status == FCPS_OK && a.reward != NULL) warn_flagged(study);
  fcps_study_close(study);
  cli_setting_list_destroy(&a.settings);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}

static void print_imported(const arguments *a, int added, int skipped)
{
  printf("imported %d result%s, skipped %d%s\n", added, added == 1 ? "" : "s", skipped,
         skipped == 0 ? ""
         : a->again   ? " that do not count"
                      : " that are stored already, come twice in the file or do not count");
  if (skipped > 0 && !a->again) /* what was just stored must not be stored again */
    printf("if trials were done again, and gave the very same numbers: fcps study import %s %s --again\n",
           cli_shown_word(a->path), added == 0 ? cli_shown_word(a->file) : "A-FILE-WITH-THESE-ROWS-ALONE.csv");
}

int cli_study_import(int argc, char **argv)
{
  arguments a = {0};
  fcps_study *study = NULL;
  int added = 0, skipped = 0;
  fcps_status status = cli_arguments_parse(import_table, import_doc, argc, argv, &a, &a.error);
  const bool is_remote = status == FCPS_OK && cli_remote_is(a.path);
  if (is_remote) status = cli_remote_import(a.path, a.file, a.again, &added, &skipped, &a.error);
  if (status == FCPS_OK && !is_remote) status = cli_open_study(&study, a.path, &a.error);
  if (status == FCPS_OK && !is_remote)
    status = (a.again ? fcps_study_import_again : fcps_study_import)(study, a.file, &added, &skipped, &a.error);
  if (status == FCPS_OK) print_imported(&a, added, skipped);
  fcps_study_close(study);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}

/* What the history of a repaired study says is lost; NULL: nothing. */
static const char *find_lost(const fcps_study *study)
{
  const fcps_study_event *event;
  const char *lost = NULL;
  for (int i = 0; study != NULL && (event = fcps_study_event_at(study, i)) != NULL; i++)
    if (strcmp(event->code, "W_RECORDS_LOST") == 0) lost = event->text;
  return lost;
}

/* Records alone are not a study: the problem, the learner and the seed must also have survived. */
static fcps_status report_repaired(arguments *a, int64_t records)
{
  fcps_study *study = NULL;
  fcps_error why = {0};
  const fcps_status status = cli_open_study(&study, a->to, &why);
  const char *lost = find_lost(study);
  /* what only its own program, or a machine with the robots, can open is not for us to judge */
  const bool is_study = status == FCPS_OK || status == FCPS_ERR_UNSUPPORTED || status == FCPS_ERR_UNAVAILABLE;
  const bool is_empty = is_study && records == 0 && lost != NULL;
  if (is_study)
    printf("saved %" PRId64 " records of %s in %s%s%s\n", records, cli_shown(a->path), cli_shown(a->to),
           lost != NULL ? "; lost " : "", lost != NULL ? cli_shown(lost) : "");
  fcps_study_close(study);
  if (is_empty)
    return fcps_error_set(&a->error, FCPS_ERR_DAMAGED, "",
                          "none of the records of %s could be read. Keep the damaged file: other tools may save more",
                          a->path);
  if (is_study) return FCPS_OK;
  char *advice = strstr(why.message, " Save "); /* to repair, which was done */
  if (advice != NULL) *advice = '\0';
  return fcps_error_set(
      &a->error, FCPS_ERR_DAMAGED, "",
      "%" PRId64 " records of %s were saved in the table \"journal\" of %s. But that file cannot be "
      "opened as a study: %.200s The missing parts are lost. To use the results, write them to a CSV and import it "
      "into a new study: fcps study import --help",
      records, a->path, a->to, why.message);
}

int cli_study_repair(int argc, char **argv)
{
  arguments a = {0};
  int64_t records = 0;
  fcps_status status = cli_arguments_parse(repair_table, repair_doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK && a.to == NULL)
    status = fcps_error_set(&a.error, FCPS_ERR_ARGUMENT, "--to", "which new file? Give --to NEW");
  if (status == FCPS_OK) status = fcps_study_repair(a.path, a.to, &records, &a.error);
  if (status == FCPS_OK) status = report_repaired(&a, records);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}
