/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers what the figure shows: predictions on a grid of squares, where trials were, and the rewards in their order.
 * What is not an axis of the map stays in the middle of its range, and the figure says so. */
#include "cli/support/study_figure.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/support/map.h"
#include "report/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SQUARES = 64, LABEL = 160, SUBTITLE = 300 };

/* What is gathered of a study. */
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
}

/* "wind 0 m/s" for each dimension of a space from `first` on, in the middle of its range */
static void add_middles(const fcps_space *space, int first, char text[SUBTITLE])
{
  char number[FCPS_NUMBER_SIZE];
  for (int d = first; d < space->count; d++) {
    const fcps_dimension *dim = &space->dims[d];
    const size_t used = strlen(text);
    snprintf(text + used, SUBTITLE - used, "%s%.63s %s%s%.20s", used > 0 ? ", " : "map at ", dim->name,
             fcps_number_show(fcps_dimension_at(dim, 0.5), number), dim->unit != NULL ? " " : "",
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
    f->marks[i] = cli_policy_map_has_low_chance(m, i);
  write_label(&axes->dims[0], sizeof f->x_label, f->x_label);
  if (axes->count > 1) write_label(&axes->dims[1], sizeof f->y_label, f->y_label);
  add_middles(axes, 2, f->subtitle);
  if (axes == &p->target) add_middles(&p->environment, 0, f->subtitle);
}

/* What may go wrong makes the deviation of a trial wide, but only downwards. */
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
