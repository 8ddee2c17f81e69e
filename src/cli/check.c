/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps check`: prints how fcps understands a problem file, lets its program do a few trials, and asks about the
 * usual mistakes. The trials belong to a study in memory, which ends with the command: nothing is stored. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/values.h"
#include "format/file.h"
#include "format/text.h"

#include <fcps/run.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 2, MOST_TRIALS = 20 };

typedef struct check_command {
  const char *path;
  int64_t trials;
  fcps_error error;
} check_command;

/* The state of a check. */
typedef struct check_session {
  check_command *command;
  fcps_problem_file *file;
  fcps_study *study;
  double *outcomes, *parameters; /* one row for each trial with an outcome */
  int rows;
  int shown;     /* trials shown so far */
  int questions; /* questions asked so far */
} check_session;

static fcps_status read_trials(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, 0, MOST_TRIALS, value, error);
}

static const cli_argument table[] = {
    {CLI_ARGUMENT_NEEDED, "FILE.yaml", .offset = offsetof(check_command, path), .value = "file", .file = CLI_FILE_READ,
     .help = "name a problem file; `fcps init` writes one to start from"},
    {CLI_ARGUMENT_READ, "trials", offsetof(check_command, trials), 'n', "N", .read = read_trials,
     .help = "Let the program do N trials (default 2; 0: only read the file, nothing moves)"},
    {0}};

static const char doc[] =
    "Shows what fcps understands of a problem file: dimensions, units, and what the reward "
    "depends on. Then the program of the file does two trials, in contexts from their bounds, "
    "and fcps says what came back and how long it took. Nothing is stored. If the program moves "
    "a robot, the robot moves.\vExample:\n  fcps check throw.yaml\n  fcps check throw.yaml --trials 0\n";

static void question(check_session *session, const char *code, const char *words)
{
  cli_warn(code, "%s", words);
  session->questions++;
}

/* Counts the library's warnings, which are also printed. If there was one, the command does not end with "Nothing looks
 * wrong". */
static void count_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  check_session *session = user;
  session->questions += level == FCPS_LOG_WARNING;
  cli_log.write(cli_log.user, level, code, message);
}

/* -- The contents of the file -- */

/* Prints the words of a choice, as in "tab, pin, fan". If there are many words, only the first ones are printed. */
static void describe_choices(const fcps_choices *choices)
{
  enum { SHOWN = 8 };
  for (int i = 0; i < choices->count && i < SHOWN; i++) {
    printf("%s", i > 0 ? ", " : "");
    printf("%s", cli_shown(choices->words[i]));
  }
  if (choices->count > SHOWN) printf(", ... (%d words)", choices->count);
  if (choices->is_ordered) printf(", in this order");
  if (choices->is_alike) printf(", of one kind");
  for (int i = 0; i < choices->property_count; i++) {
    printf("%s", i == 0 ? ", with known " : ", ");
    printf("%s", cli_shown(choices->properties[i]));
  }
}

static void describe_dimension(const fcps_dimension *dim)
{
  char lower[FCPS_NUMBER_SIZE], upper[FCPS_NUMBER_SIZE], number[FCPS_NUMBER_SIZE];
  const char *unit = dim->unit != NULL ? cli_shown(dim->unit) : "";
  const bool is_bounded = dim->lower < dim->upper;
  if (dim->choices != NULL) {
    describe_choices(dim->choices);
    return;
  }
  if (is_bounded)
    printf("%s to %s%s%s", fcps_number_show(dim->lower, lower), fcps_number_show(dim->upper, upper), *unit ? " " : "",
           unit);
  else
    printf("%s", *unit ? unit : "any number");
  if (dim->scale == FCPS_SCALE_INTEGER) printf(", whole numbers");
  if (dim->scale == FCPS_SCALE_LOG) printf(", on a logarithmic scale");
  if (dim->step > 0) printf(", in steps of %s", fcps_number_show(dim->step, number));
  if (dim->period > 0 && fabs(dim->upper - dim->lower + dim->step - dim->period) <= 1e-9 * dim->period)
    printf(", a full circle");
  else if (dim->period > 0)
    printf(", a part of a circle of %s", fcps_number_show(dim->period, number));
}

static void describe_space(const char *label, const char *meaning, const fcps_space *space)
{
  if (space->count == 0) printf("%-12s none\n", label);
  for (int i = 0; i < space->count; i++) {
    printf("%-12s %-14s ", i == 0 ? label : "", cli_shown(space->dims[i].name));
    describe_dimension(&space->dims[i]);
    if (space->dims[i].when != NULL) printf(", only when %s", cli_shown(space->dims[i].when));
    printf("%s%s\n", i == 0 ? "   # " : "", i == 0 ? meaning : "");
  }
}

static void describe_program(const fcps_problem_file *file)
{
  char number[FCPS_NUMBER_SIZE];
  if (file->command == NULL) return;
  printf("%-12s", "program");
  for (const char *const *word = file->command; *word != NULL; word++)
    printf(" %s", cli_shown(*word));
  printf("; %s s for a trial; %s\n", fcps_number_show(file->timeout_s, number),
         file->process_per_rollout ? "one process a trial" : "one process for all trials");
}

static void describe_limits(const fcps_problem *p)
{
  char chance[FCPS_NUMBER_SIZE];
  for (int i = 0; i < p->limit_count; i++) {
    const fcps_limit *l = &p->limits[i];
    printf("%-12s %s", i == 0 ? "limits" : "", cli_shown(l->name));
    if (l->of != NULL) printf(": %s", cli_shown(l->of));
    if (l->at_most != NULL) printf(" at most %s", cli_shown(l->at_most));
    if (l->at_least != NULL) printf("%s at least %s", l->at_most != NULL ? "," : "", cli_shown(l->at_least));
    printf(", with chance %s\n", fcps_number_show(l->chance, chance));
  }
  if (p->limit_count > 0 && p->safe_count == 0)
    printf("%-12s no trial is known to be safe, so the first trials may break a limit; name parameters under "
           "`safe` that are known to keep all limits\n",
           "safe");
  else if (p->safe_count > 0)
    printf("%-12s %d trial%s, where learning begins\n", "safe", p->safe_count, p->safe_count == 1 ? "" : "s");
}

static void describe(const fcps_problem_file *file)
{
  const fcps_problem *p = &file->problem;
  printf("%-12s %s\n", "name", cli_shown(file->name));
  describe_space("target", "what is wanted", &p->target);
  describe_space("environment", "what is given", &p->environment);
  describe_space("parameters", "what fcps chooses", &p->parameters);
  describe_space("outcome", "what is measured", &p->outcome);
  printf("%-12s %s\n", "reward", file->reward != NULL ? cli_shown(file->reward) : "told with each trial");
  for (int i = 0; i < p->constraint_count; i++)
    printf("%-12s %s%s\n", i == 0 ? "constraints" : "", cli_shown(p->constraints[i]),
           i == 0 ? "   # what every ask keeps" : "");
  describe_limits(p);
  if (p->cost != NULL) printf("%-12s %s   # of a trial\n", "cost", cli_shown(p->cost));
  printf("%-12s %s\n", "learner", cli_shown(file->learner != NULL ? file->learner : "outcome"));
  describe_program(file);
}

/* -- Trials -- */

static fcps_status show_trial(void *user, const fcps_episode *episode)
{
  check_session *session = user;
  const fcps_problem *p = &session->file->problem;
  const fcps_rollout *r = &episode->stored.result.rollout;
  char number[FCPS_NUMBER_SIZE];
  printf("\n%s %-6d target       ", "trial", ++session->shown);
  cli_values_print(stdout, &p->target, r->target);
  printf("\n             environment  ");
  cli_values_print(stdout, &p->environment, r->environment);
  printf("\n             parameters   ");
  cli_parameters_print(stdout, p, r->target, r->environment, r->parameters);
  printf("\n             outcome      ");
  if (r->status == FCPS_ROLLOUT_OK && r->outcome != NULL)
    cli_values_print(stdout, &p->outcome, r->outcome);
  else
    printf("%s", fcps_rollout_ending_text(p, r));
  printf("\n             reward       %s\n", isnan(r->reward) ? "none" : fcps_number_show(r->reward, number));
  printf("             took         %s s\n", fcps_number_show(fmax(episode->run_seconds, 0.001), number));
  if (r->status != FCPS_ROLLOUT_OK) {
    printf("             message      ");
    fcps_shown_write_lines(stdout, episode->stored.result.message);
    putchar('\n');
  }
  if (r->status == FCPS_ROLLOUT_OK && r->outcome != NULL && session->rows < MOST_TRIALS) {
    memcpy(session->outcomes + session->rows * p->outcome.count, r->outcome, (size_t)p->outcome.count * sizeof(double));
    memcpy(session->parameters + session->rows++ * p->parameters.count, r->parameters,
           (size_t)p->parameters.count * sizeof(double));
  }
  return FCPS_OK;
}

/* Lets the program do the trials. The study has no results yet, so each ask is another point of the learner's
 * design. */
static fcps_status try_program(check_session *session)
{
  check_command *command = session->command;
  const fcps_study_setup setup = {.text = session->file->text, .text_name = session->file->file, .seed = 1};
  const fcps_study_options how = {.log = {count_warning, session}};
  const fcps_run_options options = {.episodes = command->trials,
                                    .stop = cli_interrupt_stops,
                                    .on_episode = show_trial,
                                    .user = session,
                                    .goes_on_failing = true,
                                    .log = {count_warning, session}};
  fcps_status status = fcps_study_create(&session->study, NULL, &setup, &how, &command->error);
  if (status != FCPS_OK || command->trials == 0 || session->file->command == NULL) return status;
  cli_interrupt_watch();
  status = fcps_run_program(session->study, session->file, &options, &command->error);
  /* If trials failed, the user has seen it: the problem file is not wrong for that reason. */
  return status == FCPS_ERR_FAILURE_RATE || status == FCPS_ERR_NO_REWARD ? FCPS_OK : status;
}

static void question_outcomes(check_session *session)
{
  const fcps_problem *p = &session->file->problem;
  if (session->shown > 0 && session->rows == 0)
    question(session, "W_NO_TRIAL_ENDED_WELL",
             "no trial had an outcome. fcps needs trials with an outcome to learn from: make sure that some have one.");
  else if (session->rows < session->shown)
    question(session, "W_TRIAL_FAILED",
             "a trial failed, or had no outcome; its message says why. Do you expect that with such parameters?");
  for (int o = 0; o < p->outcome.count && session->rows > 1; o++) {
    bool is_same = true;
    for (int i = 1; i < session->rows; i++)
      is_same &= session->outcomes[i * p->outcome.count + o] == session->outcomes[o];
    char words[300];
    snprintf(
        words, sizeof words,
        "outcome \"%.64s\" was the same in all trials, although their parameters differ. Does the program use them?",
        p->outcome.dims[o].name);
    if (is_same) question(session, "W_OUTCOME_CONSTANT", words);
  }
}

/* Asks about a limit whose level is a number, if every number in the outcome's range keeps it, or if no number does. */
static void question_level(check_session *session, const fcps_limit *limit, const char *text, bool is_most)
{
  const fcps_problem *p = &session->file->problem;
  int o = limit->of == NULL ? p->outcome.count - 1 : -1;
  while (o >= 0 && strcmp(p->outcome.dims[o].name, limit->name) != 0)
    o--;
  char words[300], *end;
  if (text == NULL || o < 0 || !(p->outcome.dims[o].lower < p->outcome.dims[o].upper)) return;
  const fcps_dimension *dim = &p->outcome.dims[o];
  const double level = strtod(text, &end);
  if (end == text || *end != '\0') return;
  const bool is_never = is_most ? level < dim->lower : level > dim->upper;
  if (!is_never && (is_most ? level < dim->upper : level > dim->lower)) return;
  snprintf(words, sizeof words,
           "limit \"%.64s\": %s number in the range of that outcome is at %s %.32s. Is that intended?", limit->name,
           is_never ? "no" : "every", is_most ? "most" : "least", text);
  question(session, "W_LIMIT_LEVEL", words);
}

static void question_limits(check_session *session)
{
  const fcps_problem *p = &session->file->problem;
  for (int i = 0; i < p->limit_count; i++) {
    question_level(session, &p->limits[i], p->limits[i].at_most, true);
    question_level(session, &p->limits[i], p->limits[i].at_least, false);
  }
}

/* -- The reward: questions beside the remarks of the study -- */

static void print_dependence(const char *label, const fcps_space *space, const bool *depends, bool *is_first)
{
  bool has_label = false;
  for (int i = 0; i < space->count; i++) {
    if (!depends[i]) continue;
    if (!has_label)
      printf("%s%s ", *is_first ? "" : "; ", label);
    else
      printf(", ");
    printf("%s", cli_shown(space->dims[i].name));
    has_label = true;
    *is_first = false;
  }
}

static void question_reward(check_session *session, const fcps_reward_judgement *facts)
{
  const fcps_problem *p = &session->file->problem;
  char words[400];
  if (!facts->has_value) {
    question(session, "W_REWARD_NO_VALUE",
             "the reward has no value at any of the tried points. Does it take a root or "
             "a logarithm of a negative number?");
    return;
  }
  for (int i = 0; i < p->target.count; i++) {
    /* If no target matters at all, the study itself warns of it. */
    if (facts->depends[0][i] || facts->has_idle_targets) continue;
    snprintf(words, sizeof words, "the reward does not depend on target \"%.64s\". Is that intended?",
             p->target.dims[i].name);
    question(session, "W_REWARD_NO_TARGET", words);
  }
}

static fcps_status check_reward(check_session *session)
{
  const fcps_problem *p = &session->file->problem;
  static const char *const labels[4] = {"target", "environment", "parameters", "outcome"};
  const fcps_space *const spaces[4] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  if (p->reward == NULL) return FCPS_OK;
  fcps_reward_judgement facts;
  if (!fcps_problem_judge_reward(p, session->rows, session->outcomes, &facts))
    return fcps_error_memory(&session->command->error);
  bool is_first = true;
  printf("\nThe reward depends on ");
  for (int s = 0; s < 4; s++)
    print_dependence(labels[s], spaces[s], facts.depends[s], &is_first);
  printf("%s.\n", is_first ? "nothing" : "");
  question_reward(session, &facts);
  return cli_flush(&session->command->error);
}

/* -- The command -- */

static void say_next(const check_session *session)
{
  const char *path = cli_shown_word(session->command->path);
  if (session->questions > 0)
    printf("\n%d warning%s above (W_...). ", session->questions, session->questions == 1 ? "" : "s");
  else
    printf("\nNothing looks wrong. ");
  printf("Nothing was stored. Next:\n");
  if (session->file->command != NULL)
    printf("  fcps run %s   # learns, and keeps every trial\n", path);
  else
    printf(
        "  fcps study new STUDY.fcps --problem %s   # then ask and tell; with `run:` in the file, fcps run does both\n",
        path);
}

/* Whether the file is a program and not a problem file. A file named .yaml or .yml counts as a problem file. */
static bool is_program(const char *path)
{
  const char *end = strrchr(path, '.');
  const bool is_yaml = end != NULL && (strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0);
  return !is_yaml && fcps_source_file_is_written(path) && !fcps_source_file_is_problem(path);
}

static fcps_status check(check_session *session)
{
  fcps_error *error = &session->command->error;
  fcps_status status = fcps_problem_file_read(&session->file, session->command->path, error);
  if (status == FCPS_ERR_FORMAT && is_program(session->command->path))
    return fcps_error_at(
        error, FCPS_ERR_ARGUMENT, session->command->path, 0, 0, NULL,
        "is not a problem file; give the YAML file that names this program in `run`: fcps check FILE.yaml; "
        "`fcps init` writes one");
  if (status != FCPS_OK) return status;
  const fcps_problem *p = &session->file->problem;
  session->outcomes = fcps_allocate((size_t)MOST_TRIALS * (size_t)p->outcome.count + 1, sizeof(double));
  session->parameters = fcps_allocate((size_t)MOST_TRIALS * (size_t)p->parameters.count, sizeof(double));
  if (session->outcomes == NULL || session->parameters == NULL) return fcps_error_memory(error);
  describe(session->file);
  status = cli_flush(error);
  if (status == FCPS_OK) status = try_program(session);
  if (status == FCPS_OK) status = check_reward(session);
  if (status != FCPS_OK) return status;
  question_limits(session);
  question_outcomes(session);
  say_next(session);
  return cli_flush(error);
}

int cli_command_check(int argc, char **argv)
{
  check_command command = {.trials = TRIALS};
  check_session session = {.command = &command};
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &command, &command.error);
  if (status == FCPS_OK) status = check(&session);
  fcps_study_close(session.study);
  fcps_problem_file_destroy(session.file);
  free(session.outcomes);
  free(session.parameters);
  return status == FCPS_OK ? 0 : cli_fail(&command.error);
}
