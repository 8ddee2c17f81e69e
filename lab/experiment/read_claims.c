/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the claims and figures of an experiment's file. A claim that the experiment cannot judge is refused, with line
 * and column. */
#include "base/error.h"
#include "lab/experiment/experiment_impl.h"
#include "lab/experiment/reader.h"
#include "space/space.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const char *const fcps_measure_names[] = {"cumulative",      "offline",        "curve",  "seen",        "unseen",
                                          "fallen",          "accuracy",       "locked", "ignored",     "misjudged",
                                          "outcomes_inside", "rewards_inside", "broken", "broken_late", NULL};
const char *const fcps_claim_kind_names[] = {"value", "order", "reaches", "difference", "spread", "within",
                                             "trend", "stays", "costs",   "between",    NULL};

static const char *const claim_keys[] = {"claim", "kind",   "rows", "measure", "at", "paper",
                                         "level", "levels", "note", "where",   NULL};

/* The smallest number of rows of each kind of claim. */
static const int least_rows[] = {
    [FCPS_CLAIM_VALUE] = 1,  [FCPS_CLAIM_ORDER] = 2,  [FCPS_CLAIM_REACHES] = 1, [FCPS_CLAIM_DIFFERENCE] = 2,
    [FCPS_CLAIM_SPREAD] = 2, [FCPS_CLAIM_WITHIN] = 1, [FCPS_CLAIM_TREND] = 2,   [FCPS_CLAIM_STAYS] = 1,
    [FCPS_CLAIM_COSTS] = 2,  [FCPS_CLAIM_BETWEEN] = 1};

int fcps_experiment_find_label(fcps_reader *reader, const fcps_experiment *experiment, const fcps_yaml_node *node,
                               bool is_series)
{
  const char *labels[FCPS_EXPERIMENT_MAX_ROWS], *label = "";
  if (reader->status == FCPS_OK) reader->status = fcps_yaml_text(reader->yaml, node, "rows", &label, reader->error);
  for (int i = 0; i < experiment->row_count; i++) {
    labels[i] = is_series ? experiment->rows[i].series : experiment->rows[i].label;
    if (strcmp(labels[i], label) == 0) return i;
  }
  char hint[256];
  fcps_reader_refuse(reader, node, FCPS_ERR_UNKNOWN_NAME, "rows", "there is no learner labelled \"%.64s\"; %s", label,
                     fcps_name_hint(label, experiment->row_count, labels, sizeof hint, hint));
  return 0;
}

int fcps_experiment_read_labels(fcps_reader *reader, const fcps_experiment *experiment, const fcps_yaml_node *map,
                                bool are_series, int least, int most, int *rows)
{
  const fcps_yaml_node *list = fcps_reader_node(reader, map, "rows", FCPS_YAML_LIST);
  if (list == NULL) return 0;
  if (list->count < least || list->count > most) {
    fcps_reader_refuse(reader, list, FCPS_ERR_FORMAT, "rows", "expected from %d to %d labels here, got %d", least, most,
                       list->count);
    return 0;
  }
  for (int i = 0; i < list->count; i++) {
    rows[i] = fcps_experiment_find_label(reader, experiment, list->children[i], are_series);
    for (int j = 0; j < i && reader->status == FCPS_OK; j++)
      if (rows[i] == rows[j])
        fcps_reader_refuse(reader, list->children[i], FCPS_ERR_CONFLICT, "rows",
                           "\"%.64s\" is named twice; leave one out", list->children[i]->text);
  }
  return list->count;
}

/* Whether a measure compares trials of the last policy with their predictions (last_model.h). */
static bool is_of_intervals(fcps_measure measure)
{
  return measure == FCPS_MEASURE_OUTCOMES_INSIDE || measure == FCPS_MEASURE_REWARDS_INSIDE ||
         measure == FCPS_MEASURE_MISJUDGED;
}

static bool is_about_model(fcps_measure measure)
{
  return measure == FCPS_MEASURE_ACCURACY || measure == FCPS_MEASURE_LOCKED || measure == FCPS_MEASURE_IGNORED;
}

bool fcps_experiment_needs_random_level(const fcps_experiment *experiment)
{
  for (int i = 0; i < experiment->claim_count; i++)
    if (experiment->claims[i].kind == FCPS_CLAIM_COSTS) return true;
  return false;
}

bool fcps_experiment_needs_intervals(const fcps_experiment *experiment)
{
  for (int i = 0; i < experiment->claim_count; i++)
    if (is_of_intervals(experiment->claims[i].measure)) return true;
  return false;
}

bool fcps_experiment_needs_last_model(const fcps_experiment *experiment)
{
  for (int i = 0; i < experiment->claim_count; i++)
    if (is_about_model(experiment->claims[i].measure)) return true;
  return false;
}

/* Refuses to compare two rows that have the same learner and the same settings: on the same seeds their results are the
 * same. */
static void check_differences(fcps_reader *reader, const fcps_experiment *experiment, const fcps_claim *claim,
                              const fcps_yaml_node *node)
{
  const fcps_yaml_node *list = fcps_yaml_get(node, "rows");
  for (int i = 0; i < claim->row_count; i++)
    for (int j = 0; j < i && reader->status == FCPS_OK; j++) {
      const fcps_row *a = &experiment->rows[claim->rows[j]], *b = &experiment->rows[claim->rows[i]];
      if (fcps_experiment_rows_agree(a, b))
        fcps_reader_refuse(reader, list->children[i], FCPS_ERR_CONFLICT, "rows",
                           "\"%s\" is the same learner with the same settings as \"%s\"; compare different ones",
                           b->label, a->label);
    }
}

/* -- Claims -- */

bool fcps_claim_is_ours(const fcps_claim *claim)
{
  return claim->where == NULL && claim->kind != FCPS_CLAIM_VALUE && claim->kind != FCPS_CLAIM_DIFFERENCE;
}

static void read_episode(fcps_reader *reader, const fcps_experiment *experiment, fcps_claim *claim,
                         const fcps_yaml_node *node)
{
  claim->episode = fcps_reader_integer(reader, node, "at", 1, experiment->episodes);
  const fcps_yaml_node *at = fcps_yaml_get(node, "at");
  const bool is_last = claim->episode == experiment->episodes;
  const bool is_part = claim->measure == FCPS_MEASURE_SEEN || claim->measure == FCPS_MEASURE_UNSEEN;
  if (is_part && experiment->box_count == 0) {
    fcps_reader_refuse(
        reader, fcps_yaml_get(node, "measure"), FCPS_ERR_UNSUPPORTED, "measure",
        "this experiment has no unseen contexts; give the training contexts as `contexts: {boxes: [...]}`");
  }
  const bool is_of_last = claim->measure == FCPS_MEASURE_FALLEN || claim->measure == FCPS_MEASURE_MISJUDGED ||
                          is_of_intervals(claim->measure) || is_about_model(claim->measure);
  if ((is_part || is_of_last) && !is_last) {
    fcps_reader_refuse(reader, at, FCPS_ERR_UNSUPPORTED, "at", "%s is known only after the last episode; write %lld",
                       fcps_measure_names[claim->measure], (long long)experiment->episodes);
  }
  if (claim->measure == FCPS_MEASURE_OFFLINE && !is_last && claim->episode % experiment->evaluate_every != 0) {
    fcps_reader_refuse(
        reader, at, FCPS_ERR_UNSUPPORTED, "at",
        "there is no evaluation after %lld episodes; evaluations are made every %lld episodes; choose a multiple",
        (long long)claim->episode, (long long)experiment->evaluate_every);
  }
}

/* Reads `paper: [mean, sd]`, or `paper: [mean]` if the paper gives no deviation. */
static void read_paper_value(fcps_reader *reader, fcps_claim *claim, const fcps_yaml_node *node)
{
  const fcps_yaml_node *list = fcps_reader_node(reader, node, "paper", FCPS_YAML_LIST);
  double values[2] = {NAN, NAN};
  fcps_reader_numbers(reader, list, "paper", list != NULL && list->count == 1 ? 1 : 2, values);
  if (values[1] < 0) fcps_reader_refuse_deviation(reader, list->children[1]);
  claim->paper_mean = values[0];
  claim->paper_sd = values[1];
}

/* Reads `levels: [least, most]`. */
static void read_levels(fcps_reader *reader, fcps_claim *claim, const fcps_yaml_node *node)
{
  const fcps_yaml_node *list = fcps_reader_node(reader, node, "levels", FCPS_YAML_LIST);
  double values[2] = {0.0, 0.0};
  fcps_reader_numbers(reader, list, "levels", 2, values);
  if (values[1] < values[0])
    fcps_reader_refuse(reader, list, FCPS_ERR_FORMAT, "levels",
                       "the first level must not be above the second; exchange them");
  claim->level = values[0];
  claim->most = values[1];
}

void fcps_experiment_need_sweep(fcps_reader *reader, const fcps_experiment *experiment, const fcps_yaml_node *node)
{
  if (experiment->sweep.count > 0) return;
  fcps_reader_refuse(reader, fcps_yaml_get(node, "kind"), FCPS_ERR_UNSUPPORTED, "kind",
                     "no setting takes several values here; give one as `sweep: {setting: ..., values: [...]}`");
}

static void read_claim(fcps_reader *reader, const fcps_experiment *experiment, fcps_claim *claim,
                       const fcps_yaml_node *node)
{
  fcps_reader_only(reader, node, claim_keys);
  *claim = (fcps_claim){.paper_mean = NAN, .paper_sd = NAN, .level = NAN, .most = NAN};
  claim->text = fcps_reader_text(reader, node, "claim");
  claim->note = fcps_reader_text_or(reader, node, "note", NULL);
  claim->where = fcps_reader_text_or(reader, node, "where", NULL);
  claim->kind = (fcps_claim_kind)fcps_reader_choice(reader, node, "kind", fcps_claim_kind_names);
  claim->measure = (fcps_measure)fcps_reader_choice(reader, node, "measure", fcps_measure_names);
  const int least = least_rows[claim->kind];
  const bool takes_many = claim->kind == FCPS_CLAIM_ORDER || claim->kind == FCPS_CLAIM_BETWEEN;
  const int most = takes_many ? FCPS_EXPERIMENT_MAX_ROWS : least;
  const bool is_trend = claim->kind == FCPS_CLAIM_TREND;
  if (is_trend) fcps_experiment_need_sweep(reader, experiment, node);
  claim->row_count = fcps_experiment_read_labels(reader, experiment, node, is_trend, least, most, claim->rows);
  if (reader->status == FCPS_OK) check_differences(reader, experiment, claim, node);
  read_episode(reader, experiment, claim, node);
  if (claim->kind == FCPS_CLAIM_WITHIN && claim->measure != FCPS_MEASURE_OFFLINE) {
    fcps_reader_refuse(reader, fcps_yaml_get(node, "measure"), FCPS_ERR_UNSUPPORTED, "measure",
                       "a claim of kind within needs `measure: offline`");
  }

  const bool has_level = claim->kind == FCPS_CLAIM_REACHES || claim->kind == FCPS_CLAIM_SPREAD ||
                         claim->kind == FCPS_CLAIM_WITHIN || claim->kind == FCPS_CLAIM_STAYS ||
                         claim->kind == FCPS_CLAIM_COSTS;
  const bool has_paper = claim->kind == FCPS_CLAIM_VALUE || claim->kind == FCPS_CLAIM_DIFFERENCE;
  if (has_level)
    claim->level = fcps_reader_number(reader, node, "level");
  else
    fcps_reader_meaningless(reader, node, "level",
                            "only claims of kind reaches, within, spread, stays or costs have `level`");
  if (claim->kind == FCPS_CLAIM_BETWEEN)
    read_levels(reader, claim, node);
  else
    fcps_reader_meaningless(reader, node, "levels", "only claims of kind `between` have `levels`");
  if (has_paper)
    read_paper_value(reader, claim, node);
  else
    fcps_reader_meaningless(reader, node, "paper", "only claims of kind `value` or `difference` have `paper`");
}

/* Whether an earlier row already has a claim with the same number of the paper. */
static bool is_judged_before(const fcps_experiment *experiment, int row, const fcps_paper_value *value)
{
  for (int i = 0; i < row; i++) {
    const fcps_row *earlier = &experiment->rows[i];
    for (int j = 0; j < earlier->paper_count && !earlier->is_ours; j++) {
      const fcps_paper_value *other = &earlier->paper[j];
      if (other->episode == value->episode && other->mean == value->mean && other->sd == value->sd) return true;
    }
  }
  return false;
}

/* Makes claims from the paper's numbers in the rows. Each number is judged once, in the first row that has it. Rows of
 * ours, and later rows with the same number, only show it. */
static void add_row_claims(fcps_experiment *experiment)
{
  for (int i = 0; i < experiment->row_count; i++) {
    const fcps_row *row = &experiment->rows[i];
    for (int j = 0; j < row->paper_count && !row->is_ours; j++) {
      if (is_judged_before(experiment, i, &row->paper[j])) continue;
      experiment->claims[experiment->claim_count++] = (fcps_claim){.kind = FCPS_CLAIM_VALUE,
                                                                   .row_count = 1,
                                                                   .rows = {i},
                                                                   .measure = FCPS_MEASURE_CUMULATIVE,
                                                                   .episode = row->paper[j].episode,
                                                                   .paper_mean = row->paper[j].mean,
                                                                   .paper_sd = row->paper[j].sd,
                                                                   .level = NAN,
                                                                   .most = NAN};
    }
  }
}

fcps_status fcps_experiment_read_claims(fcps_experiment *experiment, fcps_error *error)
{
  fcps_reader reader = {.yaml = experiment->yaml, .error = error};
  const fcps_yaml_node *root = fcps_yaml_root(experiment->yaml);
  const fcps_yaml_node *list =
      fcps_yaml_get(root, "claims") != NULL ? fcps_reader_node(&reader, root, "claims", FCPS_YAML_LIST) : NULL;
  size_t count = list != NULL ? (size_t)list->count : 0;
  for (int i = 0; i < experiment->row_count; i++)
    count += (size_t)experiment->rows[i].paper_count;

  experiment->claims = fcps_reader_allocate(&reader, count, sizeof *experiment->claims);
  if (experiment->claims != NULL) add_row_claims(experiment);
  for (int i = 0; list != NULL && i < list->count && reader.status == FCPS_OK; i++)
    read_claim(&reader, experiment, &experiment->claims[experiment->claim_count++], list->children[i]);
  return reader.status;
}

/* -- Figures, levels and the panel -- */

const char *const fcps_figure_kind_names[] = {"curves", "maps", "sweep", NULL};

static const char *const figure_keys[] = {"kind", "name", "title", "measure", "rows", "against", NULL};
static const char *const line_keys[] = {"title", "value", "made_by", NULL};
static const char *const panel_keys[] = {"figure", "title", "picture", NULL};
static const char *const picture_keys[] = {"target", "environment", "parameters", "time", NULL};

/* The list under a key at the top of the file, or NULL. */
static const fcps_yaml_node *list_of(fcps_reader *reader, const fcps_experiment *experiment, const char *key)
{
  const fcps_yaml_node *root = fcps_yaml_root(experiment->yaml);
  return fcps_yaml_get(root, key) != NULL ? fcps_reader_node(reader, root, key, FCPS_YAML_LIST) : NULL;
}

static void read_figure(fcps_reader *reader, const fcps_experiment *experiment, fcps_figure *figure,
                        const fcps_yaml_node *node)
{
  fcps_reader_only(reader, node, figure_keys);
  figure->kind = (fcps_figure_kind)fcps_reader_choice(reader, node, "kind", fcps_figure_kind_names);
  figure->name = fcps_reader_label(reader, node, "name");
  figure->title = fcps_reader_text(reader, node, "title");
  const bool is_sweep = figure->kind == FCPS_FIGURE_SWEEP;
  const fcps_yaml_node *against = fcps_yaml_get(node, "against");
  if (is_sweep)
    fcps_experiment_need_sweep(reader, experiment, node);
  else
    fcps_reader_meaningless(reader, node, "against", "only figures of kind sweep show differences");
  figure->row_count =
      fcps_experiment_read_labels(reader, experiment, node, is_sweep, 1, FCPS_EXPERIMENT_MAX_ROWS, figure->rows);
  figure->against = is_sweep && against != NULL ? fcps_experiment_find_label(reader, experiment, against, true) : -1;
  for (int i = 0; figure->against >= 0 && i < figure->row_count; i++)
    if (figure->rows[i] == figure->against)
      fcps_reader_refuse(
          reader, against, FCPS_ERR_CONFLICT, "against",
          "\"%.64s\" is also among the rows, and its difference from itself is always 0; leave one of the two out",
          against->text);
  figure->measure = FCPS_MEASURE_OFFLINE;
  if (figure->kind == FCPS_FIGURE_MAPS) {
    fcps_reader_meaningless(reader, node, "measure",
                            "figures of kind maps always show the offline reward of each context");
    return;
  }
  figure->measure = (fcps_measure)fcps_reader_choice(reader, node, "measure", fcps_measure_names);
  if (figure->measure != FCPS_MEASURE_OFFLINE && figure->measure != FCPS_MEASURE_CUMULATIVE) {
    fcps_reader_refuse(
        reader, fcps_yaml_get(node, "measure"), FCPS_ERR_UNSUPPORTED, "measure",
        "figures of kind curves or sweep show offline or cumulative rewards; choose one of these measures");
  }
}

/* Refuses two figures with the same name, because they would have the same file. */
static void check_name(fcps_reader *reader, const fcps_experiment *experiment, const fcps_yaml_node *node)
{
  const char *name = experiment->figures[experiment->figure_count - 1].name;
  for (int i = 0; i + 1 < experiment->figure_count && reader->status == FCPS_OK; i++)
    if (strcmp(experiment->figures[i].name, name) == 0)
      fcps_reader_refuse(reader, fcps_yaml_get(node, "name"), FCPS_ERR_CONFLICT, "name",
                         "\"%s\" is already the name of another figure; each needs its own", name);
}

static void read_figures(fcps_reader *reader, fcps_experiment *experiment)
{
  const fcps_yaml_node *list = list_of(reader, experiment, "figures");
  experiment->figures =
      fcps_reader_allocate(reader, list != NULL ? (size_t)list->count : 0, sizeof *experiment->figures);
  for (int i = 0; list != NULL && i < list->count && reader->status == FCPS_OK; i++) {
    read_figure(reader, experiment, &experiment->figures[experiment->figure_count++], list->children[i]);
    check_name(reader, experiment, list->children[i]);
  }
}

/* Reads `lines`: each is a level with the command that prints its value. */
static void read_lines(fcps_reader *reader, fcps_experiment *experiment)
{
  const fcps_yaml_node *list = list_of(reader, experiment, "lines");
  experiment->lines = fcps_reader_allocate(reader, list != NULL ? (size_t)list->count : 0, sizeof *experiment->lines);
  for (int i = 0; list != NULL && i < list->count && reader->status == FCPS_OK; i++) {
    fcps_level_line *line = &experiment->lines[experiment->line_count++];
    fcps_reader_only(reader, list->children[i], line_keys);
    line->title = fcps_reader_text(reader, list->children[i], "title");
    line->value = fcps_reader_number(reader, list->children[i], "value");
    line->made_by = fcps_reader_text(reader, list->children[i], "made_by");
  }
}

/* Reads `oracle: 200`: the levels are computed with the experiment, by a search with this many rollouts per context. */
static void read_oracle(fcps_reader *reader, fcps_experiment *experiment)
{
  enum { LEAST = 10, MOST = 1000000 };
  const fcps_yaml_node *root = fcps_yaml_root(experiment->yaml), *node = fcps_yaml_get(root, "oracle");
  if (node == NULL) return;
  experiment->oracle_rollouts = (int)fcps_reader_integer(reader, root, "oracle", LEAST, MOST);
  for (int i = 0; fcps_task_info_at(i) != NULL && reader->status == FCPS_OK; i++) {
    const fcps_task_info *info = fcps_task_info_at(i);
    bool has_search = strcmp(info->name, experiment->task) != 0; /* other tasks need not have the setting */
    for (int j = 0; fcps_setting_at(info->settings, j) != NULL; j++)
      has_search = has_search || strcmp(fcps_setting_at(info->settings, j)->name, "oracle_rollouts") == 0;
    if (!has_search)
      fcps_reader_refuse(reader, node, FCPS_ERR_UNSUPPORTED, "oracle",
                         "the task %s has no search by rollouts; leave this out and give its levels as `lines`",
                         experiment->task);
  }
}

/* -- The panel -- */

/* Reads `key: {x: 1.2, y: 0.8}`: one value per dimension, within its bounds. */
static void read_point(fcps_reader *reader, const fcps_yaml_node *map, const char *key, const fcps_space *space,
                       double *values)
{
  if (space->count == 0) return;
  const fcps_yaml_node *point = fcps_reader_node(reader, map, key, FCPS_YAML_MAP);
  for (int i = 0; point != NULL && i < point->count; i++) {
    if (fcps_space_find(space, point->keys[i]) < 0)
      fcps_reader_refuse(reader, point->children[i], FCPS_ERR_UNKNOWN_NAME, key,
                         "the task has no such dimension \"%.64s\"; `fcps tasks` lists its dimensions", point->keys[i]);
  }
  for (int i = 0; i < space->count && reader->status == FCPS_OK; i++) {
    const fcps_dimension *dim = &space->dims[i];
    values[i] = fcps_reader_number(reader, point, dim->name);
    if (values[i] < dim->lower || values[i] > dim->upper)
      fcps_reader_refuse(reader, fcps_yaml_get(point, dim->name), FCPS_ERR_BOUNDS, dim->name,
                         "expected a value from %g to %g", dim->lower, dim->upper);
  }
}

static void read_picture(fcps_reader *reader, const fcps_experiment *experiment, fcps_panel *panel,
                         const fcps_yaml_node *node)
{
  const fcps_problem *problem = fcps_experiment_problem(experiment);
  const int targets = problem->target.count, environments = problem->environment.count;
  fcps_reader_only(reader, node, picture_keys);
  if (!fcps_task_has_film(experiment->world))
    fcps_reader_refuse(reader, node, FCPS_ERR_UNSUPPORTED, "picture", "the task cannot be filmed; leave `picture` out");
  panel->target =
      fcps_reader_allocate(reader, (size_t)(targets + environments + problem->parameters.count), sizeof(double));
  if (panel->target == NULL) return;
  panel->environment = panel->target + targets;
  panel->parameters = panel->environment + environments;
  read_point(reader, node, "target", &problem->target, panel->target);
  read_point(reader, node, "environment", &problem->environment, panel->environment);
  read_point(reader, node, "parameters", &problem->parameters, panel->parameters);
  panel->time = fcps_reader_number(reader, node, "time");
}

static void read_panel(fcps_reader *reader, fcps_experiment *experiment)
{
  const fcps_yaml_node *root = fcps_yaml_root(experiment->yaml);
  const fcps_yaml_node *node =
      fcps_yaml_get(root, "panel") != NULL ? fcps_reader_node(reader, root, "panel", FCPS_YAML_MAP) : NULL;
  if (node == NULL) return;
  fcps_reader_only(reader, node, panel_keys);
  experiment->panel.figure = fcps_reader_label(reader, node, "figure");
  experiment->panel.title = fcps_reader_text(reader, node, "title");
  const fcps_yaml_node *picture = fcps_yaml_get(node, "picture");
  if (picture != NULL) read_picture(reader, experiment, &experiment->panel, picture);
}

fcps_status fcps_experiment_read_figures(fcps_experiment *experiment, fcps_error *error)
{
  fcps_reader reader = {.yaml = experiment->yaml, .error = error};
  read_figures(&reader, experiment);
  read_lines(&reader, experiment);
  read_oracle(&reader, experiment);
  read_panel(&reader, experiment);
  return reader.status;
}
