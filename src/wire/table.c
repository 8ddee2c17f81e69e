/* SPDX-License-Identifier: Apache-2.0 */
/* Writes one row per result, in the order of the journal, without columns that would be empty. */

#include "base/error.h"
#include "format/csv.h"
#include "problem/columns.h"
#include "problem/contexts.h"
#include "problem/rollouts.h"
#include "wire/wire.h"

#include <math.h>

/* The optional columns of a table; a column is present if some result fills it. */
typedef struct extra_columns {
  bool deviations, suspects;
} extra_columns;

static extra_columns find_extra_columns(const fcps_study *study)
{
  extra_columns extra = {false, false};
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    extra.deviations |= stored.result.rollout.outcome_deviation != NULL;
    extra.suspects |= stored.is_suspect;
  }
  return extra;
}

static void write_deviation_head(const fcps_problem *p, fcps_csv_writer *writer)
{
  for (int i = 0; i < p->outcome.count; i++) {
    char name[FCPS_DEVIATION_COLUMN_SIZE];
    fcps_rollout_deviation_column(p, i, name);
    fcps_csv_write_text(writer, name);
  }
}

static void write_csv_head(const fcps_problem *p, extra_columns extra, fcps_csv_writer *writer)
{
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  fcps_csv_write_text(writer, "ask");
  fcps_csv_write_text(writer, "status");
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < spaces[s]->count; i++)
      fcps_csv_write_text(writer, spaces[s]->dims[i].name);
  if (extra.deviations) write_deviation_head(p, writer);
  fcps_csv_write_text(writer, "reward");
  if (p->reward == NULL) fcps_csv_write_text(writer, "hindsight_reward");
  fcps_csv_write_text(writer, "used");
  if (extra.suspects) fcps_csv_write_text(writer, "suspect");
  fcps_csv_write_text(writer, "message");
  fcps_csv_end_row(writer);
}

void fcps_wire_cell_write(fcps_csv_writer *writer, const fcps_dimension *dim, double value)
{
  const char *word = fcps_dimension_word(dim, value);
  if (word != NULL)
    fcps_csv_write_text(writer, word);
  else
    fcps_csv_write_number(writer, value);
}

static void write_csv_row(const fcps_problem *p, const fcps_stored_result *stored, extra_columns extra,
                          fcps_csv_writer *writer)
{
  const fcps_rollout *r = &stored->result.rollout;
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  double shown[FCPS_SPACE_MAX];
  const double *const values[] = {r->target, r->environment,
                                  fcps_wire_shown(p, r->target, r->environment, r->parameters, shown), r->outcome};
  if (stored->ask)
    fcps_csv_write_integer(writer, stored->ask);
  else
    fcps_csv_write_text(writer, "");
  fcps_csv_write_text(writer, fcps_rollout_ending_text(p, r));
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < spaces[s]->count; i++) {
      /* an outcome that is NaN is written; an empty cell means that there was no outcome, or that a parameter did not
       * apply */
      if (s == 3 && values[s] != NULL && isnan(values[s][i]))
        fcps_csv_write_text(writer, "nan");
      else
        fcps_wire_cell_write(writer, &spaces[s]->dims[i], values[s] != NULL ? values[s][i] : NAN);
    }
  for (int i = 0; i < p->outcome.count && extra.deviations; i++)
    fcps_csv_write_number(writer, r->outcome_deviation != NULL ? r->outcome_deviation[i] : NAN);
  fcps_csv_write_number(writer, r->reward);
  if (p->reward == NULL) fcps_csv_write_number(writer, r->hindsight_reward);
  /* a table cannot say that the environment was not measured, so an import must skip the row */
  fcps_csv_write_text(writer, stored->is_used && !stored->is_misplaced ? "1" : "0");
  if (extra.suspects) fcps_csv_write_text(writer, stored->is_suspect ? "1" : "0");
  fcps_csv_write_text(writer, stored->result.message);
  fcps_csv_end_row(writer);
}

void fcps_wire_table_write(FILE *stream, const fcps_study *study)
{
  const fcps_problem *p = fcps_study_problem(study);
  fcps_csv_writer writer = {.stream = stream};
  const extra_columns extra = find_extra_columns(study);
  write_csv_head(p, extra, &writer);
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    write_csv_row(p, &stored, extra, &writer);
  }
}

/* -- Contexts -- */

fcps_status fcps_wire_contexts_read(const fcps_csv *csv, const fcps_problem *problem, double *targets,
                                    double *environments, fcps_error *error)
{
  const int target = problem->target.count, environment = problem->environment.count;
  int columns[2 * FCPS_SPACE_MAX];
  fcps_status status = fcps_contexts_find_columns(csv, problem, columns, error);
  for (int row = 0; row < csv->rows && status == FCPS_OK; row++)
    for (int d = 0; d < target + environment && status == FCPS_OK; d++) {
      double *value = d < target ? &targets[row * target + d] : &environments[row * environment + d - target];
      status = fcps_columns_value(csv, row, columns[d],
                                  d < target ? &problem->target.dims[d] : &problem->environment.dims[d - target],
                                  FCPS_CONTEXTS_MISSING, value, error);
    }
  return status;
}

fcps_status fcps_wire_contexts_check(const fcps_csv *csv, const fcps_problem *problem, const double *targets,
                                     const double *environments, fcps_error *error)
{
  for (int row = 0; row < csv->rows; row++) {
    fcps_error why = {0};
    const fcps_status status = fcps_problem_check_context(problem, targets + row * problem->target.count,
                                                          environments + row * problem->environment.count, &why);
    if (status != FCPS_OK)
      return fcps_error_at(error, status, csv->file, csv->lines[row], 0, why.field, "%s", why.message);
  }
  return FCPS_OK;
}

/* -- Answers for many contexts -- */

const char *fcps_wire_predicted_name(const fcps_problem *p, int index)
{
  static const char *const names[FCPS_WIRE_PREDICTED] = {
      "predicted_reward", "predicted_reward_sd", "chance_of_success", "chance_of_outcome",
      "success_reward",   "success_reward_sd",   "chance_of_limits"};
  const int count =
      p->limit_count > 0 ? FCPS_WIRE_PREDICTED : FCPS_WIRE_PREDICTED - 1; /* the last column is that of limits */
  return index < count ? names[index] : NULL;
}

fcps_predictions fcps_wire_predicted_place(double *numbers, int contexts, int first)
{
  double *at[FCPS_WIRE_PREDICTED];
  for (int i = 0; i < FCPS_WIRE_PREDICTED; i++)
    at[i] = numbers + (size_t)i * (size_t)contexts + first;
  return (fcps_predictions){.rewards = at[0],
                            .reward_deviations = at[1],
                            .chances_of_success = at[2],
                            .chances_of_outcome = at[3],
                            .success_rewards = at[4],
                            .success_reward_deviations = at[5],
                            .chances_of_limits = at[6]};
}

void fcps_wire_answer_head_write(fcps_csv_writer *writer, const fcps_problem *p)
{
  const char *name;
  for (int d = 0; d < p->parameters.count; d++)
    fcps_csv_write_text(writer, p->parameters.dims[d].name);
  for (int i = 0; (name = fcps_wire_predicted_name(p, i)) != NULL; i++)
    fcps_csv_write_text(writer, name);
  fcps_csv_end_row(writer);
}

void fcps_wire_answer_row_write(fcps_csv_writer *writer, const fcps_problem *p, const double *target,
                                const double *environment, const double *parameters, const double *numbers,
                                int contexts, int index)
{
  double room[FCPS_SPACE_MAX];
  const double *shown = fcps_wire_shown(p, target, environment, parameters, room);
  for (int d = 0; d < p->parameters.count; d++)
    fcps_wire_cell_write(writer, &p->parameters.dims[d], shown[d]);
  for (int i = 0; fcps_wire_predicted_name(p, i) != NULL; i++)
    fcps_csv_write_number(writer, numbers[i * contexts + index]);
  fcps_csv_end_row(writer);
}
