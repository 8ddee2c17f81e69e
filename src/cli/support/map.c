/* SPDX-License-Identifier: Apache-2.0 */
/* The policy is queried once for the whole grid. */
#include "cli/support/map.h"

#include "base/error.h"
#include "base/memory.h"
#include "cli/support/shown.h"
#include "format/csv.h"
#include "format/draft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_COLUMNS = 24, MAP_ROWS = 12, MAP_SQUARES = 25 };

const fcps_space *cli_policy_map_axes(const fcps_problem *p)
{
  return p->target.count ? &p->target : &p->environment;
}

/* an axis is even, whatever the scale, as figures draw it */
static double between(const fcps_dimension *dim, double share)
{
  return dim->lower + share * (dim->upper - dim->lower);
}

/* the values of a space at point i of the grid; a dimension that is not an axis stays in the middle of its range */
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

bool cli_policy_map_has_low_chance(const cli_policy_map *m, int i)
{
  return m->successes[i] * m->outcomes[i] < FCPS_LOW_CHANCE;
}

/* Where trials may go wrong, with a mark. */
static void print_chances(const cli_policy_map *m)
{
  int low = 0;
  for (int i = 0; i < m->columns * m->rows; i++)
    low += cli_policy_map_has_low_chance(m, i);
  if (low == 0) return;
  if (low == m->columns * m->rows) {
    printf("the chance to end well with an outcome is below %g everywhere\n", FCPS_LOW_CHANCE);
    return;
  }
  printf("'!': the chance to end well with an outcome is below %g\n", FCPS_LOW_CHANCE);
  for (int row = m->rows - 1; row >= 0; row--) {
    printf("  |");
    for (int column = 0; column < m->columns; column++)
      putchar(cli_policy_map_has_low_chance(m, row * m->columns + column) ? '!' : ' ');
    printf("|\n");
  }
}

static void print_values(const cli_policy_map *m, const char *title, const double *values)
{
  static const char shades[] = " .:-=+*#%@";
  double least = NAN, most = NAN; /* fmin and fmax prefer a number */
  bool has_gaps = false;
  for (int i = 0; i < m->columns * m->rows; i++) {
    has_gaps = has_gaps || isnan(values[i]);
    least = fmin(least, values[i]);
    most = fmax(most, values[i]);
  }
  char lowest[32], highest[32];
  snprintf(lowest, sizeof lowest, "%.4g", least);
  snprintf(highest, sizeof highest, "%.4g", most);
  const bool is_flat = strcmp(lowest, highest) == 0; /* what nobody can see the difference of has one shade */
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

/* Whether any trial may go wrong: then its deviation is also that of the chance. */
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
    for (int s = 0; s < 3; s++)
      for (int d = 0; d < spaces[s]->count; d++)
        fcps_csv_write_number(&writer, values[s][i * spaces[s]->count + d]);
    fcps_csv_write_number(&writer, m->rewards[i]);
    fcps_csv_write_number(&writer, m->deviations[i]);
    fcps_csv_write_number(&writer, m->successes[i]);
    fcps_csv_write_number(&writer, m->outcomes[i]);
    fcps_csv_end_row(&writer);
  }
  return fcps_draft_finish(draft, FCPS_OK, error);
}
