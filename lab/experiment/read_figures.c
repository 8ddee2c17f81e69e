/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the figures, levels and panel of an experiment's file. */
#include "lab/experiment/experiment_impl.h"
#include "space/space.h"

#include <stddef.h>
#include <string.h>

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
    fcps_reader_meaningless(reader, node, "against", "only a sweep shows differences");
  figure->row_count =
      fcps_experiment_read_labels(reader, experiment, node, is_sweep, 1, FCPS_EXPERIMENT_MAX_ROWS, figure->rows);
  figure->against = is_sweep && against != NULL ? fcps_experiment_find_label(reader, experiment, against, true) : -1;
  for (int i = 0; figure->against >= 0 && i < figure->row_count; i++)
    if (figure->rows[i] == figure->against)
      fcps_reader_refuse(reader, against, FCPS_ERR_CONFLICT, "against",
                         "\"%.64s\" is also among the rows; its difference to itself is always 0", against->text);
  figure->measure = FCPS_MEASURE_OFFLINE;
  if (figure->kind == FCPS_FIGURE_MAPS) {
    fcps_reader_meaningless(reader, node, "measure", "maps show the offline reward of each context");
    return;
  }
  figure->measure = (fcps_measure)fcps_reader_choice(reader, node, "measure", fcps_measure_names);
  if (figure->measure != FCPS_MEASURE_OFFLINE && figure->measure != FCPS_MEASURE_CUMULATIVE) {
    fcps_reader_refuse(reader, fcps_yaml_get(node, "measure"), FCPS_ERR_UNSUPPORTED, "measure",
                       "curves and sweeps can show offline or cumulative rewards");
  }
}

/* Refuses two figures with one name: they would be one file. */
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

/* Reads `lines`: levels, each with the command that prints its number. */
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

/* Reads `oracle: 200`: levels are computed with the experiment, by a search with this many rollouts per context. */
static void read_oracle(fcps_reader *reader, fcps_experiment *experiment)
{
  enum { LEAST = 10, MOST = 1000000 };
  const fcps_yaml_node *root = fcps_yaml_root(experiment->yaml), *node = fcps_yaml_get(root, "oracle");
  if (node == NULL) return;
  experiment->oracle_rollouts = (int)fcps_reader_integer(reader, root, "oracle", LEAST, MOST);
  for (int i = 0; fcps_task_info_at(i) != NULL && reader->status == FCPS_OK; i++) {
    const fcps_task_info *info = fcps_task_info_at(i);
    bool has_search = strcmp(info->name, experiment->task) != 0; /* only the experiment's own task counts */
    for (int j = 0; fcps_setting_at(info->settings, j) != NULL; j++)
      has_search = has_search || strcmp(fcps_setting_at(info->settings, j)->name, "oracle_rollouts") == 0;
    if (!has_search)
      fcps_reader_refuse(reader, node, FCPS_ERR_UNSUPPORTED, "oracle",
                         "%s has no search by rollouts; give its levels as `lines`", experiment->task);
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
                         "the task has no dimension \"%.64s\" there; `fcps tasks` lists them", point->keys[i]);
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
    fcps_reader_refuse(reader, node, FCPS_ERR_UNSUPPORTED, "picture", "the task cannot be filmed; leave this out");
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
