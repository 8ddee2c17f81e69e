/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps retarget`: parameters for new contexts from old rollouts alone. All rows are checked before the policy is
 * queried, and answers are printed only if every row has one. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"
#include "cli/support/progress.h"
#include "cli/support/values.h"
#include "format/file.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct arguments {
  const char *path, *contexts, *output;
  bool is_strict;
  fcps_error error;
} arguments;

static const cli_argument arguments_table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path), .file = CLI_FILE_READ},
    {CLI_ARGUMENT_NEEDED, "CONTEXTS.csv", .offset = offsetof(arguments, contexts), .file = CLI_FILE_READ},
    {CLI_ARGUMENT_TEXT, "output", offsetof(arguments, output), 'o', "FILE", .file = CLI_FILE_WRITTEN,
     .endings = "csv tsv txt", .help = "Write the answer to this file (default: standard output)"},
    {CLI_ARGUMENT_SWITCH, "strict", offsetof(arguments, is_strict),
     .help = "Refuse rows outside the bounds of the contexts; otherwise these rows get an answer and a warning"},
    {0}};

static const char doc[] =
    "Finds parameters for any number of new contexts from the stored rollouts alone; no trial is made. The CSV has a "
    "column for each target and environment dimension, in any order. The answer has the same columns, separator and "
    "decimal mark, and behind them: the parameters; the reward that they are expected to earn, and its deviation "
    "(predicted_reward, predicted_reward_sd); the chances that the trial does not fail (chance_of_success) and then "
    "has an outcome (chance_of_outcome); and the reward of a trial that ends well (success_reward, "
    "success_reward_sd). They are empty if the learner predicts no reward; rewards are empty while no trial has had "
    "an outcome. Columns of these names are replaced, so an earlier answer can be given again; a warning says if "
    "they are not those of an answer.\v"
    "Example:\n"
    "  fcps retarget throw.fcps contexts.csv -o parameters.csv\n";

/* All contexts and answers, as rows. */
typedef struct table {
  fcps_csv csv;
  cli_points at;
  double *answers; /* what is predicted, as blocks of one number per row (wire/wire.h) */
} table;

static fcps_status read_table(table *t, const char *path, const fcps_problem *p, fcps_error *error)
{
  fcps_status status = fcps_csv_read_file(&t->csv, path, error);
  if (status != FCPS_OK) return status;
  const size_t rows = (size_t)t->csv.rows;
  status = cli_points_create(&t->at, p, t->csv.rows, error);
  if (status != FCPS_OK) return status;
  t->answers = fcps_allocate(FCPS_WIRE_PREDICTED * rows, sizeof *t->answers);
  if (t->answers == NULL) return fcps_error_memory(error);
  return fcps_wire_contexts_read(&t->csv, p, t->at.target, t->at.environment, error);
}

static void destroy_table(table *t)
{
  fcps_csv_destroy(&t->csv);
  cli_points_destroy(&t->at);
  free(t->answers);
}

/* Whether a column of the contexts is copied into the answer. A column that the answer computes itself is not
 * copied. */
static bool is_carried(const char *name, const fcps_problem *p)
{
  for (int d = 0; d < p->parameters.count; d++)
    if (strcmp(name, p->parameters.dims[d].name) == 0) return false;
  const char *answer;
  for (int i = 0; (answer = fcps_wire_predicted_name(p, i)) != NULL; i++)
    if (strcmp(name, answer) == 0) return false;
  return true;
}

static bool has_column(const table *t, const char *name)
{
  for (int c = 0; c < t->csv.columns; c++)
    if (strcmp(t->csv.header[c], name) == 0) return true;
  return false;
}

/* Whether the contexts are the answer of an earlier call. Its answer columns are then replaced. */
static bool is_answer(const table *t, const fcps_problem *p)
{
  const char *answer;
  for (int i = 0; (answer = fcps_wire_predicted_name(p, i)) != NULL; i++)
    if (!has_column(t, answer)) return false;
  return true;
}

/* Warns of replaced columns, because a user's own column may have the name of a parameter by chance. */
static void warn_replaced(const table *t, const fcps_problem *p)
{
  char names[512] = "";
  int length = 0;
  for (int c = 0; c < t->csv.columns && !is_answer(t, p); c++)
    if (!is_carried(t->csv.header[c], p) && length < (int)sizeof names)
      length += snprintf(names + length, sizeof names - (size_t)length, "%s%s", length > 0 ? ", " : "",
                         cli_shown(t->csv.header[c]));
  if (length > 0)
    cli_warn("W_COLUMN_REPLACED",
             "%s has columns with the same names as columns of the answer, which replace them: %s. Rename them to keep "
             "them.",
             cli_shown(t->csv.file), names);
}

/* Writes the answer with the separator and decimal mark of the contexts, so that one file has one convention. */
static void write_table(const table *t, const fcps_problem *p, FILE *stream)
{
  fcps_csv_writer writer = {
      .stream = stream, .separator = t->csv.separator, .has_decimal_comma = fcps_csv_has_decimal_comma(&t->csv)};
  for (int c = 0; c < t->csv.columns; c++)
    if (is_carried(t->csv.header[c], p)) fcps_csv_write_text(&writer, t->csv.header[c]);
  fcps_wire_answer_head_write(&writer, p);
  for (int row = 0; row < t->csv.rows; row++) {
    for (int c = 0; c < t->csv.columns; c++)
      if (is_carried(t->csv.header[c], p)) fcps_csv_write_text(&writer, fcps_csv_cell(&t->csv, row, c));
    fcps_wire_answer_row_write(&writer, p, t->at.target + row * p->target.count,
                               t->at.environment + row * p->environment.count,
                               t->at.parameters + row * p->parameters.count, t->answers, t->csv.rows, row);
  }
}

static fcps_status write_answer(const table *t, const fcps_problem *p, arguments *a)
{
  fcps_draft *draft = NULL;
  if (a->output == NULL) {
    cli_shown_output output;
    cli_shown_output_open(&output);
    if (output.stream != NULL) write_table(t, p, output.stream);
    return cli_shown_output_finish(&output, FCPS_OK, &a->error);
  }
  const fcps_status status = fcps_draft_open(&draft, a->output, &a->error);
  if (status != FCPS_OK) return status;
  write_table(t, p, fcps_draft_stream(draft));
  const fcps_status finished = fcps_draft_finish(draft, FCPS_OK, &a->error);
  if (finished == FCPS_OK) fprintf(stderr, "wrote %s\n", cli_shown(a->output));
  return finished;
}

/* Refuses contexts for which the policy cannot be asked; the error names their lines. */
static fcps_status check_rows(const table *t, const fcps_problem *p, fcps_policy *policy, fcps_error *error)
{
  for (int row = 0; row < t->csv.rows; row++) {
    const fcps_status status =
        fcps_policy_check(policy, t->at.target + row * p->target.count, t->at.environment + row * p->environment.count);
    const fcps_error *why = fcps_policy_error(policy);
    if (status != FCPS_OK)
      return fcps_error_at(error, status, t->csv.file, t->csv.lines[row], 0, why->field, "%s", why->message);
  }
  return FCPS_OK;
}

/* Warns once, for the whole file, of rows outside the bounds. */
static void warn_outside(const table *t, const fcps_problem *p)
{
  fcps_outside outside;
  int count = 0, first = 0;
  for (int row = 0; row < t->csv.rows; row++) {
    if (!fcps_problem_outside(p, t->at.target + row * p->target.count, t->at.environment + row * p->environment.count,
                              0, &outside))
      continue;
    if (count++ == 0) first = row;
  }
  if (count == 0) return;
  char text[256];
  fcps_problem_outside(p, t->at.target + first * p->target.count, t->at.environment + first * p->environment.count, 0,
                       &outside);
  cli_warn("W_OUTSIDE_BOUNDS",
           "%d of %d rows lie outside the bounds of the contexts. The first is %s:%d: %s. No trial was done there: the "
           "answers extrapolate, and their deviations are larger. --strict refuses such rows.",
           count, t->csv.rows, t->csv.file, t->csv.lines[first], fcps_outside_text(&outside, sizeof text, text));
}

static void warn_without_value(const table *t)
{
  int count = 0;
  for (int row = 0; row < t->csv.rows; row++)
    count += isnan(t->answers[row]); /* the first block has the rewards */
  if (count > 0)
    fprintf(
        stderr,
        "fcps: W_NO_VALUE: in %d of %d rows the reward has no value for the expected outcome; predicted_reward stays "
        "empty there\n",
        count, t->csv.rows);
}

/* Passes on only the policy's warnings about limits. Of rows outside the bounds, warn_outside has warned for the whole
 * file. */
static void say_limits(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)user;
  if (strcmp(code, "W_LIMIT") == 0) fcps_log_say(&cli_log, level, code, "%s", message);
}

/* The number of contexts in one call. The policy computes half as many together, so the answers do not depend on this
 * number. */
enum { AT_ONCE = 512 };

/* Computes the answers of all rows, and shows the remaining time. */
static fcps_status answer(table *t, const fcps_problem *p, fcps_policy *policy)
{
  cli_waiting waiting;
  fcps_status status = FCPS_OK;
  cli_waiting_begin(&waiting, "contexts", t->csv.rows);
  for (int first = 0; first < t->csv.rows && status == FCPS_OK; first += AT_ONCE) {
    const int count = t->csv.rows - first < AT_ONCE ? t->csv.rows - first : AT_ONCE;
    const fcps_predictions predictions = fcps_wire_predicted_place(t->answers, t->csv.rows, first);
    status = fcps_policy_predict_batch(policy, count, t->at.target + first * p->target.count,
                                       t->at.environment + first * p->environment.count,
                                       t->at.parameters + first * p->parameters.count, &predictions);
    cli_waiting_at(&waiting, first + count);
  }
  cli_waiting_end(&waiting);
  return status;
}

static fcps_status retarget(fcps_study *study, arguments *a)
{
  const fcps_problem *p = fcps_study_problem(study);
  table t = {0};
  fcps_policy *policy = NULL;
  fcps_status status = read_table(&t, a->contexts, p, &a->error);
  if (status == FCPS_OK) status = fcps_study_policy(study, &policy, &a->error);
  fcps_policy_set_strict(policy, a->is_strict);
  fcps_policy_set_log(policy, (fcps_log){say_limits, NULL});
  if (status == FCPS_OK) status = check_rows(&t, p, policy, &a->error);
  if (status == FCPS_OK) {
    status = answer(&t, p, policy);
    if (status != FCPS_OK) a->error = *fcps_policy_error(policy);
  }
  if (status == FCPS_OK) status = write_answer(&t, p, a);
  if (status == FCPS_OK && !fcps_policy_predicts_reward(policy))
    fprintf(stderr, "fcps: learner %s predicts no reward: predicted_reward and predicted_reward_sd stay empty\n",
            cli_shown(fcps_study_learner(study)));
  else if (status == FCPS_OK && fcps_wire_policy_lacks(policy) == NULL)
    warn_without_value(&t);
  if (status == FCPS_OK && fcps_policy_lacking_results(policy) > 0 && fcps_wire_policy_lacks(policy) == NULL)
    cli_warn("W_FEW_RESULTS", "too few results to predict rewards: %d more %s needed. These answers are guesses",
             fcps_policy_lacking_results(policy), fcps_policy_lacking_results(policy) == 1 ? "is" : "are");
  if (status == FCPS_OK) warn_replaced(&t, p);
  if (status == FCPS_OK) warn_outside(&t, p);
  if (status == FCPS_OK) fcps_wire_warn_if_empty(&cli_log, study, policy);
  fcps_policy_destroy(policy);
  destroy_table(&t);
  return status;
}

int cli_command_retarget(int argc, char **argv)
{
  arguments a = {0};
  fcps_door *door = NULL;
  fcps_study *study = NULL;
  fcps_status status = cli_arguments_parse(arguments_table, doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = cli_open_study(&door, &study, a.path, &a.error);
  if (status == FCPS_OK) status = retarget(study, &a);
  fcps_door_close(door);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}
