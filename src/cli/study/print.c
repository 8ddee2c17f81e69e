/* SPDX-License-Identifier: Apache-2.0 */
/* Prints answers for people. If an operation has no printer of its own, its answer is printed value by value. */
#include "base/error.h"
#include "base/number.h"
#include "cli/study/study.h"
#include "cli/support/values.h"
#include "format/text.h"
#include "wire/wire.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Asks -- */

/* Prints the prediction of an ask, if the ask has one. */
static void print_expectation(const fcps_json *expected)
{
  const fcps_json *outcome = fcps_json_get(expected, "outcome"), *sd = fcps_json_get(expected, "outcome_sd");
  const bool has_reward = fcps_json_get(expected, "reward") != NULL;
  const double success = fcps_json_get_number(expected, "chance_of_success", 1.0),
               measured = fcps_json_get_number(expected, "chance_of_outcome", 1.0);
  char mean[FCPS_NUMBER_SIZE], deviation[FCPS_NUMBER_SIZE];
  if (outcome == NULL && !has_reward) return;
  printf("  expected    ");
  for (int i = 0; i < fcps_json_count(outcome); i++) {
    const char *name = fcps_json_key(outcome, i);
    printf(" %s=%s +- %s", cli_shown(name), fcps_number_show(fcps_json_get_number(outcome, name, NAN), mean),
           fcps_number_show(fcps_json_get_number(sd, name, NAN), deviation));
  }
  if (has_reward)
    printf("%s reward %s +- %s", outcome != NULL ? "," : "",
           fcps_number_show(fcps_json_get_number(expected, "reward", NAN), mean),
           fcps_number_show(fcps_json_get_number(expected, "reward_sd", NAN), deviation));
  if (success < 1.0) printf("; does not fail with chance %.2f", success);
  if (measured < 1.0) printf("; has an outcome with chance %.2f", measured);
  if (fcps_json_get(expected, "chance_of_limits") != NULL)
    printf("; keeps all limits with chance %.3f", fcps_json_get_number(expected, "chance_of_limits", NAN));
  printf("\n");
}

static void print_ask(const fcps_json *ask)
{
  static const char *const parts[] = {"target", "environment", "parameters"};
  printf("ask %lld%s", (long long)fcps_json_get_integer(ask, "ask", 0),
         fcps_json_is_true(ask, "repeated") ? " (unfinished, again)" : "");
  for (int i = 0; i < 3; i++) {
    if (fcps_json_count(fcps_json_get(ask, parts[i])) == 0) continue;
    printf("\n  %-12s ", parts[i]);
    cli_numbers_print(stdout, fcps_json_get(ask, parts[i]), ask);
  }
  printf("\n");
  const double cost = fcps_json_get_number(ask, "cost", NAN);
  char number[FCPS_NUMBER_SIZE];
  if (!isnan(cost)) printf("  %-12s %s\n", "cost", fcps_number_show(cost, number));
  print_expectation(fcps_json_get(ask, "expected"));
}

static void print_asks(const cli_request *r, const fcps_json *answer)
{
  (void)r;
  const fcps_json *list = fcps_json_get(answer, "asks");
  for (int i = 0; i < fcps_json_count(list); i++)
    print_ask(fcps_json_at(list, i));
  if (list == NULL) print_ask(answer);
}

/* Prints all asks of the study, each with its client and whether its result was told. */
static void print_list(const cli_request *r, const fcps_json *answer)
{
  const fcps_json *list = fcps_json_get(answer, "asks");
  (void)r;
  for (int i = 0; i < fcps_json_count(list); i++) {
    const fcps_json *ask = fcps_json_at(list, i);
    const char *client = fcps_json_text(fcps_json_get(ask, "client")),
               *state = fcps_json_text(fcps_json_get(ask, "state"));
    print_ask(ask);
    printf("  %-12s %s%s%s\n", "state", state != NULL ? cli_shown(state) : "-",
           client != NULL && *client != '\0' ? ", of " : "", client != NULL ? cli_shown(client) : "");
  }
  if (fcps_json_count(list) == 0) printf("no asks\n");
}

static void print_forgotten(const cli_request *r, const fcps_json *answer)
{
  (void)r;
  printf("forgot ask %lld\n", (long long)fcps_json_get_integer(answer, "ask", 0));
}

static void print_noted(const cli_request *r, const fcps_json *answer)
{
  (void)r;
  printf("%s\n", fcps_json_is_true(answer, "repeated") ? "noted before." : "noted.");
}

/* -- Results -- */

static void print_receipt(const cli_request *r, const fcps_json *answer)
{
  char number[FCPS_NUMBER_SIZE];
  double reward = 0;
  const bool has_reward = fcps_json_number(fcps_json_get(answer, "reward"), &reward);
  (void)r;
  if (fcps_json_get_integer(answer, "ask", 0) != 0)
    printf("stored result of ask %lld", (long long)fcps_json_get_integer(answer, "ask", 0));
  else
    printf("stored a result without an ask");
  printf("%s, %s%s\n", fcps_json_is_true(answer, "repeated") ? " (was there already)" : "",
         has_reward ? "reward " : "no reward", has_reward ? fcps_number_show(reward, number) : "");
}

static void print_imported(const cli_request *r, const fcps_json *answer)
{
  const long long added = fcps_json_get_integer(answer, "added", 0),
                  skipped = fcps_json_get_integer(answer, "skipped", 0);
  const bool is_again = fcps_json_is_true(r->json, "again");
  printf("imported %lld result%s, skipped %lld%s\n", added, added == 1 ? "" : "s", skipped,
         skipped == 0 ? ""
         : is_again   ? " that do not count"
                      : " that are stored already, are repeated in the file or do not count");
  if (skipped > 0 && !is_again) /* --again imports the skipped rows, not the rows that were just stored. */
    printf("if these trials were done again: fcps study import %s %s --again\n", cli_shown_word(r->path),
           added == 0 ? cli_shown_word(cli_request_text(r, "csv")) : "A-FILE-WITH-THESE-ROWS-ALONE.csv");
}

static void print_suspects(const cli_request *r, const fcps_json *answer)
{
  const fcps_json *list = fcps_json_get(answer, "suspects");
  (void)r;
  for (int i = 0; i < fcps_json_count(list); i++) {
    const char *name = fcps_json_text(fcps_json_get(fcps_json_at(list, i), "name")),
               *why = fcps_json_text(fcps_json_get(fcps_json_at(list, i), "surprise"));
    printf("suspect            %s: ", name != NULL ? cli_shown(name) : "-");
    printf("%s\n", why != NULL ? cli_shown(why) : "-");
  }
  if (fcps_json_count(list) == 0) printf("no suspects\n");
}

/* -- Policies -- */

static void print_best(const cli_request *r, const fcps_json *answer)
{
  const fcps_json *list = fcps_json_get(answer, "answers");
  (void)r;
  for (int i = 0; i < fcps_json_count(list); i++) {
    if (i > 0) printf("\n");
    cli_query_print(fcps_json_at(list, i));
  }
  if (list == NULL) cli_query_print(answer);
}

/* -- Changes -- */

void cli_settings_print(const fcps_json *settings)
{
  for (int i = 0; i < fcps_json_count(settings); i++) {
    const char *name = fcps_json_key(settings, i), *value = fcps_json_text(fcps_json_get(settings, name));
    printf("%s%s=%s", i > 0 ? " " : "", cli_shown(name), cli_shown(value != NULL ? value : ""));
  }
  if (fcps_json_count(settings) == 0) printf("the defaults");
}

/* Prints the keys of an object, or the texts of a list, if there are any. */
static void print_names_of(const char *label, const fcps_json *names)
{
  for (int i = 0; i < fcps_json_count(names); i++) {
    const char *name = fcps_json_is_object(names) ? fcps_json_key(names, i) : fcps_json_text(fcps_json_at(names, i));
    printf("%s%s", i == 0 ? label : ", ", cli_shown(name));
  }
  if (fcps_json_count(names) > 0) printf("\n");
}

static void print_amended(const cli_request *r, const fcps_json *answer)
{
  const char *learner = fcps_json_text(fcps_json_get(answer, "learner")),
             *scored = fcps_json_text(fcps_json_get(answer, "scored"));
  const fcps_json *gone = fcps_json_get(answer, "gone");
  if (learner != NULL) {
    printf("learner %s, ", cli_shown(learner));
    cli_settings_print(fcps_json_get(answer, "settings"));
    printf("\n");
  }
  if (gone != NULL) {
    printf("settings of the old learner that no longer count: ");
    cli_settings_print(gone);
    printf(" (%s begins with its defaults; --set changes them)\n", cli_shown(learner));
  }
  const bool is_repeated = fcps_json_get(answer, "repeated") != NULL;
  printf("%s %s; %lld stored results\n", is_repeated ? "the word was there already in" : "amended", cli_shown(r->path),
         (long long)fcps_json_get_integer(answer, "results", 0));
  print_names_of("no longer limited: ", fcps_json_get(answer, "no_longer_limited"));
  print_names_of("limited now: ", fcps_json_get(answer, "limits"));
  if (scored != NULL) printf("%s\n", cli_shown(scored));
}

/* -- Other answers -- */

enum { DEEPEST = 8 };
static void print_value(const fcps_json *value, const fcps_json *beside, int depth);

/* The value to print under a key; NULL if nothing is to be printed. A result is printed by its name. Warnings were
 * printed already, and units and steps are printed with their numbers. The odds of a model are left out, because they
 * are not frequencies. */
static const fcps_json *find_shown(const fcps_json *object, const char *key)
{
  static const char *const unsaid[] = {"warnings", "units", "steps", "log_odds"};
  for (size_t i = 0; i < sizeof unsaid / sizeof *unsaid; i++)
    if (strcmp(key, unsaid[i]) == 0) return NULL;
  const bool has_both = fcps_json_get(object, "result") != NULL && fcps_json_get(object, "name") != NULL;
  if (has_both && strcmp(key, "name") == 0) return NULL;
  return fcps_json_get(object, has_both && strcmp(key, "result") == 0 ? "name" : key);
}

/* Prints the values of an object with their keys, as in "result=7.1  target=(x=3  y=4)". */
static void print_members(const fcps_json *object, int depth)
{
  for (int i = 0; i < fcps_json_count(object); i++) {
    const fcps_json *value = find_shown(object, fcps_json_key(object, i));
    const bool has_parts = fcps_json_is_object(value) || fcps_json_is_array(value);
    if (value == NULL) continue;
    printf("%s%s=%s", i > 0 ? "  " : "", cli_shown(fcps_json_key(object, i)), has_parts ? "(" : "");
    print_value(value, object, depth + 1);
    if (has_parts) printf(")");
  }
  if (fcps_json_count(object) == 0) printf("-");
}

/* Whether an object has numbers, to be printed with the units that its neighbour "units" gives. */
static bool are_numbers(const fcps_json *object)
{
  double number = 0;
  bool are = fcps_json_is_object(object) && fcps_json_count(object) > 0;
  for (int i = 0; i < fcps_json_count(object) && are; i++)
    are = fcps_json_number(fcps_json_get(object, fcps_json_key(object, i)), &number);
  return are;
}

static void print_value(const fcps_json *value, const fcps_json *beside, int depth)
{
  char number[FCPS_NUMBER_SIZE];
  const char *text = fcps_json_text(value);
  int64_t integer = 0;
  double real = 0;
  bool truth = false;
  if (text != NULL)
    fcps_shown_write_lines(stdout, text);
  else if (fcps_json_integer(value, &integer))
    printf("%lld", (long long)integer);
  else if (fcps_json_number(value, &real))
    fputs(fcps_number_show(real, number), stdout);
  else if (fcps_json_bool(value, &truth))
    fputs(truth ? "yes" : "no", stdout);
  else if (depth > DEEPEST || fcps_json_is_null(value))
    fputs("-", stdout);
  else if (are_numbers(value))
    cli_numbers_print(stdout, value, beside);
  else if (fcps_json_is_object(value))
    print_members(value, depth);
  for (int i = 0; fcps_json_is_array(value) && i < fcps_json_count(value) && depth <= DEEPEST; i++) {
    if (i > 0) printf("  ");
    print_value(fcps_json_at(value, i), beside, depth + 1);
  }
}

static bool is_list_of_objects(const fcps_json *value)
{
  return fcps_json_is_array(value) && fcps_json_is_object(fcps_json_at(value, 0));
}

/* Prints a line for each value of the answer, and a line for each object of a list. */
static void print_anything(const fcps_json *answer)
{
  for (int i = 0; i < fcps_json_count(answer); i++) {
    const char *key = fcps_json_key(answer, i);
    const fcps_json *value = find_shown(answer, key);
    if (value == NULL) continue;
    printf("%-18s ", cli_shown(key));
    if (!is_list_of_objects(value)) print_value(value, answer, 0);
    if (fcps_json_is_array(value) && fcps_json_count(value) == 0) printf("none");
    for (int k = 0; is_list_of_objects(value) && k < fcps_json_count(value); k++) {
      printf(k > 0 ? "\n%-18s " : "", "");
      print_members(fcps_json_at(value, k), 0);
    }
    printf("\n");
  }
}

/* -- The table -- */

static const struct printer {
  const char *name; /* the operation's name */
  void (*print)(const cli_request *request, const fcps_json *answer);
} printers[] = {
    {"ask", print_asks},          {"choose", print_asks},           {"asks", print_list},
    {"suspects", print_suspects}, {"forget", print_forgotten},      {"tell", print_receipt},
    {"best", print_best},         {"import", print_imported},       {"amend", print_amended},
    {"why", cli_why_print},       {"forecast", cli_forecast_print}, {"explain", cli_explain_print},
    {"note", print_noted},
};

fcps_status cli_operation_print(cli_request *r, fcps_door_answer *answer)
{
  fcps_json *json = answer->json;
  if (json == NULL) {
    cli_shown_print(answer->text, answer->length, true);
    return FCPS_OK;
  }
  if (r->as_json) {
    answer->json = NULL;
    return cli_print_json(stdout, json, &r->error);
  }
  if (r->for_shell) return cli_assignments_print(r, json);
  for (size_t i = 0; i < sizeof printers / sizeof *printers; i++)
    if (strcmp(printers[i].name, r->operation->name) == 0) {
      printers[i].print(r, json);
      return FCPS_OK;
    }
  print_anything(json);
  return FCPS_OK;
}

/* -- Health: each Gaussian process of a policy with its data, its noise, its lengths, and problems of its fit -- */

/* One Gaussian process of the policy, with room for its lengths. */
typedef struct checkup {
  const fcps_space *spaces[3];
  double *lengths[3];
  cli_points room; /* room for the lengths */
  fcps_health health;
} checkup;

static fcps_status prepare(checkup *c, const fcps_problem *p, fcps_error *error)
{
  *c = (checkup){.spaces = {&p->environment, &p->target, &p->parameters}};
  const fcps_status status = cli_points_create(&c->room, p, 1, error);
  c->health.environment_lengths = c->lengths[0] = c->room.environment;
  c->health.target_lengths = c->lengths[1] = c->room.target;
  c->health.parameter_lengths = c->lengths[2] = c->room.parameters;
  return status;
}

/* Prints the length of each dimension. If it is several times the range, the dimension hardly matters. */
static void print_lengths(const checkup *c)
{
  static const double long_length = 10.0;
  const char *before = "; lengths: ";
  for (int s = 0; s < 3; s++)
    for (int i = 0; i < c->spaces[s]->count; i++) {
      if (!isfinite(c->lengths[s][i])) continue;
      const char *name = cli_shown(c->spaces[s]->dims[i].name);
      if (c->lengths[s][i] < long_length)
        printf("%s%s %.2g", before, name, c->lengths[s][i]);
      else
        printf("%s%s over %g", before, name, long_length);
      before = ", ";
    }
  printf(" times the range\n");
}

static void print_beliefs(const fcps_health *h)
{
  for (int i = 0; i < h->finding_count; i++)
    printf("  %-16s %s%s\n", h->findings[i].name, cli_shown(h->findings[i].words),
           /* The odds are not printed, because the odds of a model are not frequencies. */
           h->findings[i].is_claimed ? "" : ": not certain yet");
}

/* Whether this is the last process of its side of a split model. The processes of one side have the same findings, so
 * these are printed only once. */
static bool is_last_of_side(const fcps_policy *policy, int index, const fcps_health *h)
{
  fcps_health next = {0};
  return !fcps_policy_health(policy, index + 1, &next) || next.is_upper_side != h->is_upper_side;
}

static void print_noise(const fcps_health *h)
{
  if (h->most_noise > h->least_noise)
    printf("  noise            %.2g to %.2g%s, depending on the place\n", h->least_noise, h->most_noise,
           h->is_noise_share ? " of the spread" : "");
}

static void print_steps(const fcps_health *h)
{
  if (h->jitter > 0)
    printf("  W_GP_JITTER      rollouts are too similar: %.2g was added to the kernel matrix\n", h->jitter);
  if (h->fallback != NULL && strcmp(h->fallback, "W_GP_DEFAULTS") == 0)
    printf("  W_GP_DEFAULTS    the fit failed: noise and lengths are the prior's\n");
  else if (h->fallback != NULL)
    printf("  %-16s the fit failed: noise and lengths are those of an earlier one\n", cli_shown(h->fallback));
}

fcps_status cli_health_print(const fcps_problem *p, const fcps_policy *policy, fcps_error *error)
{
  checkup c;
  const fcps_health *h = &c.health;
  const fcps_status status = prepare(&c, p, error);
  if (status != FCPS_OK) return status;
  for (int i = 0; fcps_policy_health(policy, i, &c.health); i++) {
    if (i == 0 && h->others)
      printf("model              %s; %d more rollout%s only about failures and absent outcomes\n", cli_shown(h->model),
             h->others, h->others == 1 ? " tells" : "s tell");
    else if (i == 0)
      printf("model              %s\n", cli_shown(h->model));
    printf("  %-16s ", cli_shown(h->output));
    if (h->split_by != NULL)
      printf("on the %s side of %s ", h->is_upper_side ? "upper" : "lower", cli_shown(h->split_by));
    printf("from %d rollout%s; noise %.2g%s", h->rollouts, h->rollouts == 1 ? "" : "s", h->noise,
           h->is_noise_share ? " of the spread" : "");
    print_lengths(&c);
    if (is_last_of_side(policy, i, h)) print_beliefs(h);
    print_noise(h);
    print_steps(h);
  }
  cli_points_destroy(&c.room);
  return FCPS_OK;
}

/* -- Workers --
 *
 * A cluster may have thousands of workers, so not all are listed: first those at work, then those of the others whose
 * trials failed most often. The rest is summed up. */

/* At most this many workers without unfinished trials are listed by name. */
enum { MOST_FAILING = 8 };

static void print_worker(const fcps_wire_worker *w)
{
  printf("  %-16s %d result%s, %d failed", cli_shown(w->name), w->results, w->results == 1 ? "" : "s", w->failed);
  char rate[FCPS_WIRE_RATE_SIZE];
  if (fcps_wire_worker_rate(w) > 0) printf(", %s", fcps_wire_rate_text(fcps_wire_worker_rate(w), rate));
  if (w->leases > 0) printf("; %d under way", w->leases - w->ended_leases);
  if (w->ended_leases > 0) printf(", %d silent for too long: another worker gets them", w->ended_leases);
  printf("\n");
}

/* Finds, among the workers without unfinished trials, the next one in the order of failures: the one with most failures
 * below `most`, or with exactly `most` and a larger index than `after`. Returns -1 if there is none. */
static int find_failing(const fcps_wire_worker *workers, int count, int most, int after)
{
  int found = -1;
  for (int i = 0; i < count; i++) {
    const fcps_wire_worker *w = &workers[i];
    const bool is_next = w->failed < most || (w->failed == most && i > after);
    if (w->leases == 0 && w->failed > 0 && is_next && (found < 0 || w->failed > workers[found].failed)) found = i;
  }
  return found;
}

static void print_failing(const fcps_wire_worker *workers, int count)
{
  int most = INT_MAX, after = -1;
  for (int shown = 0; shown < MOST_FAILING; shown++) {
    after = find_failing(workers, count, most, after);
    if (after < 0) return;
    most = workers[after].failed;
    print_worker(&workers[after]);
  }
}

void cli_workers_print(const fcps_study *study)
{
  int count = 0, busy = 0, results = 0, failed = 0;
  fcps_wire_worker *workers = fcps_wire_workers_list(study, &count);
  for (int i = 0; i < count; i++) {
    busy += workers[i].leases > 0;
    if (workers[i].leases > 0) continue;
    results += workers[i].results;
    failed += workers[i].failed;
  }
  if (count > 0)
    printf("workers            %d with unfinished trials; %d others told %d results, %d failed\n", busy, count - busy,
           results, failed);
  for (int i = 0; i < count; i++)
    if (workers[i].leases > 0) print_worker(&workers[i]);
  print_failing(workers, count);
  fcps_free(workers);
}
