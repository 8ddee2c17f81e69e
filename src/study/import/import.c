/* SPDX-License-Identifier: Apache-2.0 */
/* Imports old logs: a CSV with a column for each dimension becomes results.
 *
 * All rows are stored in one transaction, or none. A row is skipped if the result of its trial is stored already,
 * whoever told it. So the import of a file that has grown adds the new rows, and the import of a study's own export
 * adds nothing. Columns that fcps does not read are named in a warning: one of them may be a mistyped name.
 */
#include "study/import/import.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/csv.h"
#include "problem/columns.h"
#include "problem/rollouts.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The client of results that came from a table. */
static const char import_client[] = "import";

/* The column of the file from which each number comes; -1: the file has no such column. */
typedef struct import_plan {
  fcps_csv csv;
  bool again;         /* also import rows that are stored already, and rows that the table repeats */
  bool lacks_targets; /* the file has no column of a target */
  fcps_import_repeats repeats;
  int *columns;    /* columns of target, environment, parameters and outcome */
  int *deviations; /* columns of the outcomes' deviations; NULL: the file has none */
  int reward, hindsight_reward, status, message, used;
  double *numbers;
  int64_t
      /* For each row, the sequence of its result if it is without an outcome only because its cells are empty; else
       * 0. */
      *blank;
  int blanks, aimless; /* how many rows `blank` marks, and how many have no target */
} import_plan;

static const fcps_dimension *dimension_at(const fcps_study *s, int index)
{
  const fcps_problem *p = &s->problem;
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  int space = 0;
  while (index >= spaces[space]->count)
    index -= spaces[space++]->count;
  return &spaces[space]->dims[index];
}

/* Finds the columns of deviations: one for every outcome, or none at all. */
static fcps_status find_deviations(const fcps_study *s, import_plan *plan, fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  char name[FCPS_DEVIATION_COLUMN_SIZE];
  int found = 0;
  int *columns = fcps_allocate((size_t)p->outcome.count, sizeof *columns);
  fcps_status status = columns != NULL ? FCPS_OK : fcps_error_memory(error);
  for (int i = 0; i < p->outcome.count && status == FCPS_OK; i++) {
    fcps_rollout_deviation_column(p, i, name);
    status = fcps_columns_find_one(&plan->csv, name, p->outcome.dims[i].unit, &columns[i], error);
    found += status == FCPS_OK && columns[i] >= 0;
  }
  if (status == FCPS_OK && found == p->outcome.count && found > 0) {
    plan->deviations = columns;
    return FCPS_OK;
  }
  for (int i = 0; i < p->outcome.count && found > 0 && status == FCPS_OK; i++) {
    fcps_rollout_deviation_column(p, i, name);
    if (columns[i] < 0)
      status = fcps_error_at(error, FCPS_ERR_FORMAT, plan->csv.file, 1, 0, name,
                             "there is no column '%s', but another outcome has its deviation; give all or none.", name);
  }
  free(columns);
  return status;
}

/* Whether no target has a column. The outcome does not depend on the target, so a reward formula can score the rows for
 * any target. */
static bool lacks_targets(const fcps_study *s, const fcps_csv *csv)
{
  int found = 0;
  for (int i = 0; i < s->problem.target.count; i++)
    for (int c = 0; c < csv->columns; c++)
      found += fcps_columns_is_of(csv->header[c], s->problem.target.dims[i].name);
  return s->problem.reward != NULL && s->problem.target.count > 0 && found == 0;
}

static fcps_status find_dimensions(const fcps_study *s, import_plan *plan, fcps_error *error)
{
  const fcps_dimension *dims[4 * FCPS_SPACE_MAX];
  const int width = fcps_study_width(s), first = plan->lacks_targets ? s->problem.target.count : 0;
  for (int i = 0; i < width; i++) {
    dims[i] = dimension_at(s, i);
    plan->columns[i] = -1;
  }
  return fcps_columns_find(&plan->csv, width - first, dims + first, "each dimension of the study needs one",
                           plan->columns + first, error);
}

static fcps_status make_plan(const fcps_study *s, import_plan *plan, fcps_error *error)
{
  const int width = fcps_study_width(s);
  plan->columns = fcps_allocate((size_t)width, sizeof *plan->columns);
  plan->numbers = fcps_allocate((size_t)(width + s->problem.outcome.count), sizeof *plan->numbers);
  plan->blank = fcps_allocate((size_t)plan->csv.rows + 1, sizeof *plan->blank);
  if (plan->columns == NULL || plan->numbers == NULL || plan->blank == NULL) return fcps_error_memory(error);
  plan->lacks_targets = lacks_targets(s, &plan->csv);
  fcps_status status = find_dimensions(s, plan, error);
  if (status == FCPS_OK) status = find_deviations(s, plan, error);
  if (status != FCPS_OK) return status;
  plan->reward = fcps_csv_column(&plan->csv, "reward");
  plan->hindsight_reward = fcps_csv_column(&plan->csv, "hindsight_reward");
  plan->status = fcps_csv_column(&plan->csv, "status");
  plan->message = fcps_csv_column(&plan->csv, "message");
  plan->used = fcps_csv_column(&plan->csv, "used");
  if (s->problem.reward == NULL && plan->reward < 0)
    return fcps_error_at(error, FCPS_ERR_FORMAT, plan->csv.file, 1, 0, "reward",
                         "there is no column 'reward', and the rewards of this study are told.");
  return FCPS_OK;
}

static fcps_status read_status(const import_plan *plan, int row, fcps_rollout_status *status, fcps_error *error)
{
  *status = FCPS_ROLLOUT_OK;
  if (plan->status < 0) return FCPS_OK;
  const char *text = fcps_csv_cell(&plan->csv, row, plan->status);
  for (int i = 0; i < FCPS_ROLLOUT_STATUS_COUNT; i++)
    if (strcmp(text, fcps_rollout_status_text((fcps_rollout_status)i)) == 0) {
      *status = (fcps_rollout_status)i;
      return FCPS_OK;
    }
  if (!*text || strcmp(text, FCPS_ROLLOUT_ABSENT) == 0) return FCPS_OK;
  return fcps_error_at(error, FCPS_ERR_FORMAT, plan->csv.file, plan->csv.lines[row], 0, "status",
                       "'%.40s' is not a status; choose ok, no outcome, failed, refused, timeout or unstable.", text);
}

/* If the study's rewards are told and not computed, reads the reward of a row. An empty cell means that the reward is
 * not known. */
static fcps_status read_told(const fcps_study *s, const import_plan *plan, int row, int column, double *reward,
                             fcps_error *error)
{
  if (s->problem.reward != NULL || column < 0 || !*fcps_csv_cell(&plan->csv, row, column)) return FCPS_OK;
  return fcps_columns_number(&plan->csv, row, column, "leave the cell empty if the reward is not known", reward, error);
}

/* Reads the deviations of a row's outcome, and stores them behind the numbers of the row. If all these cells are empty,
 * the row has no deviations. */
static fcps_status read_deviations(const fcps_study *s, import_plan *plan, int row, fcps_rollout *rollout,
                                   fcps_error *error)
{
  const int count = s->problem.outcome.count;
  double *deviation = plan->numbers + fcps_study_width(s);
  int empty = 0;
  for (int i = 0; i < count && plan->deviations != NULL; i++)
    empty += *fcps_csv_cell(&plan->csv, row, plan->deviations[i]) == '\0';
  if (plan->deviations == NULL || empty == count) return FCPS_OK;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < count && status == FCPS_OK; i++)
    status =
        fcps_columns_number(&plan->csv, row, plan->deviations[i],
                            "leave all deviations of a row empty if one of them is not known", &deviation[i], error);
  rollout->outcome_deviation = deviation;
  return status;
}

/* What the error advises if a cell has no number. */
static const char *const for_outcomes = "write nan for a number that was not measured: then the result is stored, and "
                                        "the model does not use it. In a trial without an "
                                        "outcome all cells of the outcome are empty";
static const char *const for_conditional = "in a trial to which this parameter does not apply, the cell must be empty";
static const char *const for_others = "every trial needs one: fill the cell in, or take the row out";

/* Whether a row has no target. A reward formula can then score it for any target. */
static bool is_aimless(const fcps_study *s, const import_plan *plan, int row)
{
  const int targets = s->problem.target.count;
  int empty = 0;
  for (int i = 0; i < targets && !plan->lacks_targets; i++)
    empty += *fcps_csv_cell(&plan->csv, row, plan->columns[i]) == '\0';
  return s->problem.reward != NULL && targets > 0 && (plan->lacks_targets || empty == targets);
}

/* Reads the numbers of a row. If all cells of the outcome are empty, the outcome is absent. */
static fcps_status read_row(const fcps_study *s, import_plan *plan, int row, fcps_result *result, fcps_error *error)
{
  const int width = fcps_study_width(s), outcome = fcps_study_outcome_offset(s);
  const int first = is_aimless(s, plan, row) ? s->problem.target.count : 0;
  int empty = 0;
  *result = (fcps_result){.rollout = {.reward = NAN, .hindsight_reward = NAN}, .client = import_client};
  fcps_status status = read_status(plan, row, &result->rollout.status, error);
  for (int i = outcome; i < width; i++)
    empty += *fcps_csv_cell(&plan->csv, row, plan->columns[i]) == '\0';
  const bool is_absent = width > outcome && empty == width - outcome;
  if (status == FCPS_OK && !is_absent && plan->status >= 0 &&
      strcmp(fcps_csv_cell(&plan->csv, row, plan->status), FCPS_ROLLOUT_ABSENT) == 0)
    return fcps_error_at(error, FCPS_ERR_FORMAT, plan->csv.file, plan->csv.lines[row], 0, "status",
                         "this row says '%s', but it has an outcome; empty the cells of the outcome, or write ok.",
                         FCPS_ROLLOUT_ABSENT);
  for (int i = 0; status == FCPS_OK && i < (is_absent ? outcome : width); i++)
    if (dimension_at(s, i)->when != NULL &&
        (plan->columns[i] < 0 || !*fcps_csv_cell(&plan->csv, row, plan->columns[i])))
      plan->numbers[i] = NAN; /* An empty cell means that the parameter does not apply in this trial. */
    else if (plan->columns[i] >= 0 && i >= first)
      status = fcps_columns_value(&plan->csv, row, plan->columns[i], dimension_at(s, i),
                                  i >= outcome                       ? for_outcomes
                                  : dimension_at(s, i)->when != NULL ? for_conditional
                                                                     : for_others,
                                  &plan->numbers[i], error);
    else
      plan->numbers[i] = fcps_study_middle(dimension_at(s, i));
  if (status == FCPS_OK) status = read_told(s, plan, row, plan->reward, &result->rollout.reward, error);
  if (status == FCPS_OK)
    status = read_told(s, plan, row, plan->hindsight_reward, &result->rollout.hindsight_reward, error);
  if (plan->message >= 0) result->message = fcps_csv_cell(&plan->csv, row, plan->message);
  fcps_study_point(s, plan->numbers, !is_absent, &result->rollout);
  return status == FCPS_OK ? read_deviations(s, plan, row, &result->rollout, error) : status;
}

/* Whether a row says that its result does not count. The export of fcps marks such rows. */
static bool is_unused(const import_plan *plan, int row)
{
  return plan->used >= 0 && strcmp(fcps_csv_cell(&plan->csv, row, plan->used), "0") == 0;
}

/* Notes a row whose trial was stored without an outcome only because its cells are empty. Nothing else in the table
 * says that the trial had no outcome. */
static void note_blank(const fcps_study *s, import_plan *plan, int row, const fcps_rollout *rollout)
{
  const bool is_said = plan->status >= 0 && *fcps_csv_cell(&plan->csv, row, plan->status) != '\0';
  const bool is_rewarded = s->problem.reward == NULL && isfinite(rollout->reward);
  if (rollout->outcome != NULL || s->problem.outcome.count == 0 || is_said || is_rewarded) return;
  plan->blank[row] = s->results[s->result_count - 1].sequence;
  plan->blanks++;
}

/* Counts a stored row if it repeats an earlier row. */
static void note_repeated(import_plan *plan, int row)
{
  if (plan->again || plan->repeats.earlier[row] < 0) return;
  if (plan->repeats.kept++ == 0) plan->repeats.first_kept = row;
}

/* Adds to the error of a row how many more rows have errors, so that the user can correct all of them at once. */
static void count_unreadable(const fcps_study *s, import_plan *plan, int row, fcps_error *error)
{
  int count = 0, next = 0;
  while (++row < plan->csv.rows) {
    fcps_result result;
    fcps_error inner = {0};
    if (read_row(s, plan, row, &result, &inner) != FCPS_OK && count++ == 0) next = plan->csv.lines[row];
  }
  const size_t used = strlen(error->message);
  if (count > 0)
    snprintf(error->message + used, sizeof error->message - used, "; %d more row%s cannot be read, the next in line %d",
             count, count == 1 ? "" : "s", next);
}

static fcps_status import_rows(fcps_study *s, import_plan *plan, study_known *known, int *added, int *skipped,
                               fcps_error *error)
{
  fcps_status status = FCPS_OK;
  for (int row = 0; status == FCPS_OK && row < plan->csv.rows; row++) {
    fcps_result result;
    bool is_known = is_unused(plan, row) || (!plan->again && plan->repeats.is_pasted[row]);
    status = read_row(s, plan, row, &result, error);
    if (status != FCPS_OK && error != NULL) count_unreadable(s, plan, row, error);
    if (status == FCPS_OK && !is_known)
      status = fcps_study_store_unasked(s, &result, plan->again ? NULL : known, &is_known, error);
    if (status == FCPS_OK && !is_known) note_repeated(plan, row);
    if (status == FCPS_OK && !is_known) note_blank(s, plan, row, &result.rollout);
    if (status != FCPS_OK && error != NULL && !error->line) {
      const fcps_error inner = *error;
      fcps_error_at(error, status, plan->csv.file, plan->csv.lines[row], 0, inner.field, "%s", inner.message);
    }
    plan->aimless += status == FCPS_OK && !is_known && is_aimless(s, plan, row);
    *added += status == FCPS_OK && !is_known;
    *skipped += status == FCPS_OK && is_known;
  }
  return status;
}

/* Warns of imported results that cannot be used: one warning for the whole table. */
static void warn_of_unusable(const fcps_study *s, int64_t before, int added)
{
  enum { MOST_NAMES = 15 };
  char names[MOST_NAMES * STUDY_RESULT_NAME_SIZE] = "", first[STUDY_RESULT_NAME_SIZE] = "", why[300] = "";
  int unusable = 0;
  for (int i = 0; i < fcps_study_result_count(s); i++) {
    fcps_stored_result stored;
    char name[STUDY_RESULT_NAME_SIZE];
    fcps_study_result_at(s, i, &stored);
    if (stored.sequence <= before || !stored.is_flagged || stored.result.rollout.outcome == NULL) continue;
    fcps_study_name_result(&stored, name);
    if (unusable == 0) {
      memcpy(first, name, sizeof first);
      fcps_study_explain(s, &stored, sizeof why, why);
    }
    const size_t length = strlen(names);
    if (unusable++ < MOST_NAMES) snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? "," : "", name);
  }
  if (unusable == 0) return;
  fcps_log_say(
      &s->options.log, FCPS_LOG_WARNING, "W_REWARD_NOT_FINITE",
      "%d of the %d imported results cannot be used: their outcome or reward is NaN, infinite or beyond "
      "1e100; the first is %s (%s). They are stored, but the model uses nothing of them, not even other outcomes. If "
      "they are a mistake: fcps study amend %.180s --drop %s",
      unusable, added, first, why, fcps_study_word(s), unusable <= MOST_NAMES ? names : "not-finite");
}

static bool is_blank(const void *user, const fcps_stored_result *stored)
{
  const import_plan *plan = user;
  for (int row = 0; row < plan->csv.rows; row++)
    if (plan->blank[row] == stored->sequence) return true;
  return false;
}

/* Lists line numbers, as in "4, 5, 7 and 20 more". */
static void list_lines(const import_plan *plan, size_t size, char *text)
{
  enum { MOST_LINES = 8 };
  size_t used = 0;
  int shown = 0;
  for (int row = 0; row < plan->csv.rows && shown < MOST_LINES; row++)
    if (plan->blank[row] != 0)
      used += (size_t)snprintf(text + used, size - used, "%s%d", shown++ > 0 ? ", " : "", plan->csv.lines[row]);
  if (plan->blanks > shown) snprintf(text + used, size - used, " and %d more", plan->blanks - shown);
}

/* Warns of rows with empty outcomes, because they may be trials that are not measured yet: a table shows no difference
 * between these and trials without an outcome. */
static void warn_of_blanks(const fcps_study *s, const import_plan *plan)
{
  enum { MOST_PARTS = 6 };
  char names[(MOST_PARTS + 2) * FCPS_STUDY_NAME_PART], lines[160];
  if (plan->blanks == 0) return;
  const int named = fcps_study_list_names(s, is_blank, plan, MOST_PARTS, sizeof names, names);
  list_lines(plan, sizeof lines, lines);
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_NO_OUTCOME",
               "%.200s: line%s %s: the cells of the outcome are empty, so fcps takes %s for %s, which "
               "counts against %s parameters. If they are not measured yet, take them out (fcps study amend %.180s "
               "--drop %s%s), fill the cells in, and import the file again. If that is right, write `no outcome` in a "
               "column `status`; then there is no warning",
               plan->csv.file, plan->blanks == 1 ? "" : "s", lines, plan->blanks == 1 ? "it" : "them",
               plan->blanks == 1 ? "a trial without an outcome" : "trials without an outcome",
               plan->blanks == 1 ? "its" : "their", fcps_study_word(s), names,
               named < plan->blanks ? ", and so on" : "");
}

static void warn_of_targets(const fcps_study *s, const import_plan *plan)
{
  char rows[64];
  snprintf(rows, sizeof rows, ": %d row%s no target", plan->aimless, plan->aimless == 1 ? " has" : "s have");
  if (plan->aimless > 0)
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_NO_TARGET",
                 "%s%s. Outcomes do not depend on a target: such a row is stored with the middle of the "
                 "targets' ranges, and scored for every other target when it is needed.",
                 plan->csv.file, plan->lacks_targets ? " has no column of a target" : rows);
}

/* Within a transaction, stores the rows that are not stored yet. */
static fcps_status import_new(fcps_study *s, import_plan *plan, int *added, int *skipped, fcps_error *error)
{
  study_known known = {.is_found = fcps_allocate(s->result_count + 1, sizeof *known.is_found),
                       .lacks_targets = plan->lacks_targets,
                       .lacks_deviations = plan->deviations == NULL,
                       .lacks_hindsight = plan->hindsight_reward < 0};
  if (known.is_found == NULL) return fcps_error_memory(error);
  fcps_status status = fcps_study_places_create(&known.places, s, error);
  if (status == FCPS_OK) status = import_rows(s, plan, &known, added, skipped, error);
  fcps_study_places_destroy(&known.places);
  free(known.is_found);
  return status;
}

/* Stores the rows of the table in one transaction. */
static fcps_status import_table(fcps_study *s, import_plan *plan, int *added, int *skipped, fcps_error *error)
{
  fcps_status status = make_plan(s, plan, error);
  if (status == FCPS_OK && !plan->again) status = fcps_import_repeats_find(&plan->csv, &plan->repeats, error);
  if (status == FCPS_OK) status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  const int64_t before = s->sequence;
  status = import_new(s, plan, added, skipped, error);
  status = fcps_study_end(s, status, error);
  if (status != FCPS_OK) return status;
  fcps_import_warn_of_columns(s, &plan->csv);
  if (*added > 0) fcps_import_repeats_warn(s, &plan->csv, &plan->repeats);
  fcps_study_warn_since(s, before);
  if (*added > 0) warn_of_targets(s, plan);
  if (*added > 0) warn_of_unusable(s, before, *added);
  if (*added > 0) warn_of_blanks(s, plan);
  if (*added > 0) fcps_study_warn_of_suspects(s, before);
  if (*added > 0) fcps_study_look_again(s, fcps_study_look_for_same_outcomes, NULL);
  return FCPS_OK;
}

/* Stores the table if `status` says that it could be read, and counts its rows. */
static fcps_status import_and_count(fcps_study *s, import_plan *plan, fcps_status status, int *added, int *skipped,
                                    fcps_error *error)
{
  int new_rows = 0, old_rows = 0;
  if (status == FCPS_OK) status = import_table(s, plan, &new_rows, &old_rows, error);
  if (added != NULL) *added = status == FCPS_OK ? new_rows : 0;
  if (skipped != NULL) *skipped = status == FCPS_OK ? old_rows : 0;
  free(plan->columns);
  free(plan->deviations);
  free(plan->numbers);
  free(plan->blank);
  fcps_import_repeats_destroy(&plan->repeats);
  fcps_csv_destroy(&plan->csv);
  return status;
}

static fcps_status import_file(fcps_study *s, const char *path, bool again, int *added, int *skipped, fcps_error *error)
{
  import_plan plan = {.again = again};
  fcps_status status = fcps_study_enter(s, error);
  if (status == FCPS_OK && path == NULL) status = fcps_error_null(error, "path");
  if (status == FCPS_OK) status = fcps_csv_read_file(&plan.csv, path, error);
  return import_and_count(s, &plan, status, added, skipped, error);
}

fcps_status fcps_study_import(fcps_study *s, const char *path, int *added, int *skipped, fcps_error *error)
{
  return import_file(s, path, false, added, skipped, error);
}

fcps_status fcps_study_import_again(fcps_study *s, const char *path, int *added, int *skipped, fcps_error *error)
{
  return import_file(s, path, true, added, skipped, error);
}

fcps_status fcps_study_import_text(fcps_study *s, const fcps_import_text *table, int *added, int *skipped,
                                   fcps_error *error)
{
  import_plan plan = {.again = table->again};
  fcps_status status = fcps_study_enter(s, error);
  if (status == FCPS_OK) status = fcps_csv_read_text(&plan.csv, table->text, strlen(table->text), table->name, error);
  return import_and_count(s, &plan, status, added, skipped, error);
}
