/* SPDX-License-Identifier: Apache-2.0 */
/* A map shows the policy over a grid of contexts. One query computes all of it. */
#include "cli/support/map.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/support/values.h"
#include "format/csv.h"
#include "format/file.h"
#include "report/study.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_COLUMNS = 24, MAP_ROWS = 12, MAP_SQUARES = 25 };

const fcps_space *cli_policy_map_axes(const fcps_problem *p)
{
  return p->target.count ? &p->target : &p->environment;
}

/* The value at a share of the range of an axis. All axes are linear, as in the figures, even for logarithmic
 * dimensions. A dimension with words has only its words as values. */
static double between(const fcps_dimension *dim, double share)
{
  return dim->choices != NULL ? fcps_dimension_at(dim, share) : dim->lower + share * (dim->upper - dim->lower);
}

/* Computes the values of a space at point i of the grid; dimensions that are not an axis stay in the middle of their
 * range. */
static void grid_point(const cli_policy_map *m, int i, const fcps_space *space, double *values)
{
  const bool has_axes = space == cli_policy_map_axes(m->problem);
  for (int d = 0; d < space->count; d++) {
    const fcps_dimension *dim = &space->dims[d];
    double value = fcps_dimension_at(dim, 0.5);
    if (has_axes && d == 0)
      value = between(dim, (i % m->columns) / (m->columns - 1.0));
    else if (has_axes && d == 1)
      value = between(dim, (i / m->columns) / (m->rows - 1.0));
    values[i * space->count + d] = value;
  }
}

fcps_status cli_policy_map_create(cli_policy_map *m, cli_policy_map_form form, const fcps_problem *p,
                                  fcps_policy *policy, fcps_error *error)
{
  m->problem = p;
  m->columns = form == CLI_MAP_SQUARES ? MAP_SQUARES : MAP_COLUMNS;
  m->rows = form == CLI_MAP_SQUARES ? MAP_SQUARES : MAP_ROWS;
  if (cli_policy_map_axes(p)->count == 1) m->rows = 1;
  const int count = m->columns * m->rows;
  fcps_status status = cli_points_create(&m->at, p, count, error);
  if (status != FCPS_OK) return status;
  m->rewards = fcps_allocate(4 * (size_t)count, sizeof *m->rewards);
  if (m->rewards == NULL) return fcps_error_memory(error);
  m->deviations = m->rewards + count;
  m->successes = m->deviations + count;
  m->outcomes = m->successes + count;
  for (int i = 0; i < count; i++) {
    grid_point(m, i, &p->environment, m->at.environment);
    grid_point(m, i, &p->target, m->at.target);
  }
  const fcps_predictions predictions = {.rewards = m->rewards,
                                        .reward_deviations = m->deviations,
                                        .chances_of_success = m->successes,
                                        .chances_of_outcome = m->outcomes};
  status = fcps_policy_predict_batch(policy, count, m->at.target, m->at.environment, m->at.parameters, &predictions);
  if (status != FCPS_OK) *error = *fcps_policy_error(policy);
  return status;
}

void cli_policy_map_destroy(cli_policy_map *m)
{
  cli_points_destroy(&m->at);
  free(m->rewards);
}

/* Whether trials at a point of the grid have a low chance to end well. */
static bool has_low_chance(const cli_policy_map *m, int i)
{
  return m->successes[i] * m->outcomes[i] < FCPS_LOW_CHANCE;
}

/* Prints a map of low chances, with a mark at each. */
static void print_chances(const cli_policy_map *m)
{
  int low = 0;
  for (int i = 0; i < m->columns * m->rows; i++)
    low += has_low_chance(m, i);
  if (low == 0) return;
  if (low == m->columns * m->rows) {
    printf("the chance to end well with an outcome is below %g everywhere\n", FCPS_LOW_CHANCE);
    return;
  }
  printf("'!': the chance to end well with an outcome is below %g\n", FCPS_LOW_CHANCE);
  for (int row = m->rows - 1; row >= 0; row--) {
    printf("  |");
    for (int column = 0; column < m->columns; column++)
      putchar(has_low_chance(m, row * m->columns + column) ? '!' : ' ');
    printf("|\n");
  }
}

static void print_values(const cli_policy_map *m, const char *title, const double *values)
{
  static const char shades[] = " .:-=+*#%@";
  double least = NAN, most = NAN; /* fmin and fmax skip NaN. */
  bool has_gaps = false;
  for (int i = 0; i < m->columns * m->rows; i++) {
    has_gaps = has_gaps || isnan(values[i]);
    least = fmin(least, values[i]);
    most = fmax(most, values[i]);
  }
  char lowest[32], highest[32];
  snprintf(lowest, sizeof lowest, "%.4g", least);
  snprintf(highest, sizeof highest, "%.4g", most);
  const bool is_flat = strcmp(lowest, highest) == 0; /* If both ends look the same when printed, one shade is enough. */
  const fcps_space *axes = cli_policy_map_axes(m->problem);
  if (is_flat)
    printf("%s, %s everywhere, over %s", title, highest, cli_shown(axes->dims[0].name));
  else
    printf("%s, ' ' = %s to '@' = %s, over %s", title, lowest, highest, cli_shown(axes->dims[0].name));
  if (m->rows > 1) printf(" (across) and %s (up)", cli_shown(axes->dims[1].name));
  if (has_gaps) printf(", '?': no value");
  printf("\n");
  for (int row = m->rows - 1; row >= 0; row--) {
    printf("  |");
    for (int column = 0; column < m->columns; column++) {
      const double value = values[row * m->columns + column];
      putchar(isnan(value) ? '?' : shades[!is_flat ? cli_values_level(value, least, most, 10) : 9]);
    }
    printf("|\n");
  }
}

/* Whether any trial of the map may go wrong. If so, the deviation of a trial includes this chance. */
static bool has_chances(const cli_policy_map *m)
{
  for (int i = 0; i < m->columns * m->rows; i++)
    if (m->successes[i] * m->outcomes[i] < 1.0) return true;
  return false;
}

void cli_policy_map_print(const cli_policy_map *m)
{
  print_values(m, "predicted reward", m->rewards);
  print_values(m, has_chances(m) ? "deviation of one trial, which may go wrong" : "deviation of one trial",
               m->deviations);
  print_chances(m);
}

fcps_status cli_policy_map_write(const cli_policy_map *m, const char *path, fcps_error *error)
{
  const fcps_problem *p = m->problem;
  fcps_draft *draft = NULL;
  const fcps_status status = fcps_draft_open(&draft, path, error);
  if (status != FCPS_OK) return status;
  fcps_csv_writer writer = {.stream = fcps_draft_stream(draft)};
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters};
  const double *const values[] = {m->at.target, m->at.environment, m->at.parameters};
  for (int s = 0; s < 3; s++)
    for (int d = 0; d < spaces[s]->count; d++)
      fcps_csv_write_text(&writer, spaces[s]->dims[d].name);
  fcps_csv_write_text(&writer, "predicted_reward");
  fcps_csv_write_text(&writer, "predicted_reward_sd");
  fcps_csv_write_text(&writer, "chance_of_success");
  fcps_csv_write_text(&writer, "chance_of_outcome");
  fcps_csv_end_row(&writer);
  for (int i = 0; i < m->columns * m->rows; i++) {
    double shown[FCPS_SPACE_MAX];
    const double *at[3];
    for (int s = 0; s < 3; s++)
      at[s] = values[s] + i * spaces[s]->count;
    at[2] = fcps_wire_shown(p, at[0], at[1], at[2], shown);
    for (int s = 0; s < 3; s++)
      for (int d = 0; d < spaces[s]->count; d++)
        fcps_wire_cell_write(&writer, &spaces[s]->dims[d], at[s][d]);
    fcps_csv_write_number(&writer, m->rewards[i]);
    fcps_csv_write_number(&writer, m->deviations[i]);
    fcps_csv_write_number(&writer, m->successes[i]);
    fcps_csv_write_number(&writer, m->outcomes[i]);
    fcps_csv_end_row(&writer);
  }
  return fcps_draft_finish(draft, FCPS_OK, error);
}

/* -- The figure -- */

/* Gathers the contents of the figure: predictions on a grid of squares, the places of trials, and the rewards in the
 * order of the trials. Dimensions that are not an axis of the map stay in the middle of their range, and the figure
 * says so. */

enum { MOST_SQUARES = 64, LABEL = 160, SUBTITLE = 300 };

/* The contents of the figure. */
typedef struct figure {
  fcps_study_map map;
  cli_policy_map grid;
  double xs[MOST_SQUARES], ys[MOST_SQUARES];
  double tops[MOST_SQUARES];
  bool marks[MOST_SQUARES * MOST_SQUARES];
  char x_label[LABEL], y_label[LABEL], title[LABEL], subtitle[SUBTITLE];
  double *trials; /* xs, ys and rewards of the results that count */
} figure;

static void write_label(const fcps_dimension *dim, size_t size, char *text)
{
  snprintf(text, size, "%.63s%s%.63s%s", dim->name, dim->unit != NULL ? " (" : "", dim->unit != NULL ? dim->unit : "",
           dim->unit != NULL ? ")" : "");
  for (int i = 0; dim->choices != NULL && i < dim->choices->count; i++) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%d: %s", i > 0 ? ", " : "   ", i, dim->choices->words[i]);
  }
}

/* Writes "wind 0 m/s" for each dimension of a space from index `first` on; the value is the middle of its range. */
static void add_middles(const fcps_space *space, int first, char text[SUBTITLE])
{
  char number[FCPS_NUMBER_SIZE];
  for (int d = first; d < space->count; d++) {
    const fcps_dimension *dim = &space->dims[d];
    const size_t used = strlen(text);
    const char *word = fcps_dimension_word(dim, fcps_dimension_at(dim, 0.5));
    snprintf(text + used, SUBTITLE - used, "%s%.63s %.63s%s%.20s", used > 0 ? ", " : "map at ", dim->name,
             word != NULL ? word : fcps_number_show(fcps_dimension_at(dim, 0.5), number), dim->unit != NULL ? " " : "",
             dim->unit != NULL ? dim->unit : "");
  }
}

static void place_axes(figure *f, const fcps_problem *p)
{
  const cli_policy_map *m = &f->grid;
  const fcps_space *axes = cli_policy_map_axes(p);
  const double *values = axes == &p->target ? m->at.target : m->at.environment;
  for (int column = 0; column < m->columns; column++)
    f->xs[column] = values[column * axes->count];
  for (int row = 0; row < m->rows && axes->count > 1; row++)
    f->ys[row] = values[row * m->columns * axes->count + 1];
  for (int i = 0; i < m->columns * m->rows; i++)
    f->marks[i] = has_low_chance(m, i);
  write_label(&axes->dims[0], sizeof f->x_label, f->x_label);
  if (axes->count > 1) write_label(&axes->dims[1], sizeof f->y_label, f->y_label);
  add_middles(axes, 2, f->subtitle);
  if (axes == &p->target) add_middles(&p->environment, 0, f->subtitle);
}

/* Computes the upper ends of the bands in contexts in which a trial may fail. A possible failure makes the reward less
 * certain, but only downwards. So the upper end is that of a trial that does not fail. */
static fcps_status find_tops(figure *f, const fcps_problem *p, fcps_policy *policy, fcps_error *error)
{
  const cli_policy_map *m = &f->grid;
  for (int i = 0; i < m->columns; i++) {
    fcps_prediction at = {.outcome = NULL};
    f->tops[i] = NAN;
    if (!(m->successes[i] * m->outcomes[i] < 1)) continue;
    const fcps_status status =
        fcps_policy_query(policy, m->at.target + i * p->target.count, m->at.environment + i * p->environment.count,
                          m->at.parameters + i * p->parameters.count, &at);
    if (status != FCPS_OK) {
      *error = *fcps_policy_error(policy);
      return status;
    }
    f->tops[i] = at.success_reward + 2 * at.success_reward_deviation;
  }
  f->map.tops = f->tops;
  return FCPS_OK;
}

static fcps_status gather_trials(figure *f, const fcps_study *study, fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(study);
  const bool has_target = cli_policy_map_axes(p) == &p->target;
  const int count = fcps_study_result_count(study), axes = cli_policy_map_axes(p)->count;
  f->trials = fcps_allocate(3 * (size_t)count + 1, sizeof *f->trials);
  if (f->trials == NULL) return fcps_error_memory(error);
  double *xs = f->trials, *ys = xs + count, *rewards = ys + count;
  int used = 0;
  for (int i = 0; i < count; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    if (!stored.is_used) continue;
    const fcps_rollout *r = &stored.result.rollout;
    const double *at = has_target ? r->target : r->environment;
    xs[used] = axes > 0 ? at[0] : 0;
    ys[used] = axes > 1 ? at[1] : 0;
    rewards[used++] = isfinite(r->reward) ? r->reward : NAN;
  }
  f->map.trials = used;
  f->map.trial_xs = xs;
  f->map.trial_ys = ys;
  f->map.told = rewards;
  return FCPS_OK;
}

static fcps_status gather(figure *f, fcps_study *study, fcps_policy *policy, fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(study);
  const fcps_problem_file *file = fcps_study_file(study);
  fcps_status status = gather_trials(f, study, error);
  if (status == FCPS_OK && policy != NULL && fcps_policy_predicts_reward(policy) && cli_policy_map_axes(p)->count > 0) {
    status = cli_policy_map_create(&f->grid, CLI_MAP_SQUARES, p, policy, error);
    if (status == FCPS_OK) place_axes(f, p);
    if (status == FCPS_OK && f->grid.rows == 1) status = find_tops(f, p, policy, error);
  }
  if (status != FCPS_OK) return status;
  snprintf(f->title, sizeof f->title, "%.60s: learner %.40s, %d trials", file != NULL ? file->name : "study",
           fcps_study_learner(study), f->map.trials);
  f->map.title = f->title;
  f->map.subtitle = f->subtitle;
  f->map.x_label = f->x_label;
  f->map.y_label = f->y_label;
  f->map.columns = f->grid.columns;
  f->map.rows = f->grid.rows;
  f->map.xs = f->xs;
  f->map.ys = f->ys;
  f->map.rewards = f->grid.rewards;
  f->map.deviations = f->grid.deviations;
  f->map.marks = f->marks;
  return FCPS_OK;
}

fcps_status cli_study_figure_draw(fcps_study *study, fcps_policy *policy, int count, const char *const *paths,
                                  fcps_error *error)
{
  figure *f = fcps_allocate(1, sizeof *f);
  if (f == NULL) return fcps_error_memory(error);
  fcps_status status = gather(f, study, policy, error);
  if (status == FCPS_OK) status = fcps_report_study_figure_draw(&f->map, count, paths, error);
  cli_policy_map_destroy(&f->grid);
  free(f->trials);
  free(f);
  return status;
}
