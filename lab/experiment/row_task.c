/* SPDX-License-Identifier: Apache-2.0 */
/* A row without settings of its own uses the task of the experiment; any other row owns a task (`world`). A row with a
 * swept setting also owns its label and title (`words`). */
#include "lab/experiment/experiment_impl.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_LENGTH = 96, TITLE_LENGTH = 160 };

/* Whether two values are the same number, however they are written. False if a value is not a number: name_point
 * refuses that. */
static bool is_same_number(const fcps_yaml_node *a, const fcps_yaml_node *b)
{
  double x, y;
  return a->kind == FCPS_YAML_TEXT && b->kind == FCPS_YAML_TEXT && fcps_number_read(a->text, &x) &&
         fcps_number_read(b->text, &y) && x == y;
}

void fcps_experiment_read_sweep(fcps_reader *reader, fcps_experiment *experiment, const fcps_yaml_node *node)
{
  static const char *const keys[] = {"setting", "values", "title", NULL};
  if (node == NULL || reader->status != FCPS_OK) return;
  fcps_reader_only(reader, node, keys);
  fcps_sweep *sweep = &experiment->sweep;
  sweep->setting = fcps_reader_text(reader, node, "setting");
  sweep->title = fcps_reader_text_or(reader, node, "title", sweep->setting);
  sweep->values = fcps_reader_node(reader, node, "values", FCPS_YAML_LIST);
  sweep->count = sweep->values != NULL ? sweep->values->count : 0;
  if (reader->status == FCPS_OK && sweep->count < 2) {
    fcps_reader_refuse(reader, sweep->values, FCPS_ERR_FORMAT, "values", "a sweep needs at least two values; add one");
  }
  for (int i = 0; i < sweep->count; i++)
    for (int j = 0; j < i; j++)
      if (is_same_number(sweep->values->children[i], sweep->values->children[j]))
        fcps_reader_refuse(reader, sweep->values->children[i], FCPS_ERR_CONFLICT, "values",
                           "this value is given twice; leave one out");
}

/* Sets label, title and x of a row with a swept setting. */
static void name_point(fcps_reader *reader, const fcps_sweep *sweep, fcps_row *row, int point, const char **value)
{
  const fcps_yaml_node *node = sweep->values->children[point];
  reader->status = fcps_yaml_number(reader->yaml, node, "values", &row->x, reader->error);
  if (reader->status == FCPS_OK) reader->status = fcps_yaml_text(reader->yaml, node, "values", value, reader->error);
  if (reader->status == FCPS_OK && strspn(*value, "0123456789") != strlen(*value)) {
    fcps_reader_refuse(reader, node, FCPS_ERR_FORMAT, "values",
                       "\"%.32s\" cannot be part of a label; use whole numbers", *value);
  }
  row->words = fcps_reader_allocate(reader, LABEL_LENGTH + TITLE_LENGTH, 1);
  if (row->words == NULL) return;
  char *title = row->words + LABEL_LENGTH;
  snprintf(row->words, LABEL_LENGTH, "%s-%s", row->series, *value);
  snprintf(title, TITLE_LENGTH, "%s, %s %s", row->title, sweep->setting, *value);
  row->label = row->words;
  row->title = title;
}

/* Reads the row's own settings of the task, and adds the swept setting. */
static void read_changes(fcps_reader *reader, const fcps_experiment *experiment, fcps_row *row,
                         const fcps_yaml_node *node, const char *value)
{
  fcps_setting *own = fcps_reader_settings(reader, node, "task_settings");
  const int count = fcps_reader_count_settings(own);
  row->changes = fcps_reader_allocate(reader, (size_t)count + 2, sizeof *row->changes);
  if (row->changes != NULL) memcpy(row->changes, own, (size_t)count * sizeof *own);
  if (row->changes != NULL && value != NULL) row->changes[count] = (fcps_setting){experiment->sweep.setting, value};
  fcps_free(own);
}

void fcps_experiment_read_row_task(fcps_reader *reader, const fcps_experiment *experiment, fcps_row *row,
                                   const fcps_yaml_node *node, int point)
{
  const char *value = NULL;
  if (reader->status == FCPS_OK && point >= 0) name_point(reader, &experiment->sweep, row, point, &value);
  read_changes(reader, experiment, row, node, value);
  static const fcps_setting none[] = {{NULL, NULL}};
  row->task = fcps_reader_text_or(reader, node, "task", experiment->task);
  const bool is_other = reader->status == FCPS_OK && strcmp(row->task, experiment->task) != 0;
  if (reader->status == FCPS_OK)
    row->task_settings = fcps_reader_merge_settings(reader, is_other ? none : experiment->task_settings, row->changes);
  if (reader->status != FCPS_OK || (row->changes[0].name == NULL && !is_other)) return;

  const fcps_yaml_node *changes = fcps_yaml_get(node, "task_settings");
  if (experiment->box_count > 0) {
    fcps_reader_refuse(reader, changes != NULL ? changes : experiment->sweep.values, FCPS_ERR_UNSUPPORTED,
                       "task_settings",
                       "the boxes of `contexts` belong to one task, but rows have tasks of their own; leave out the "
                       "boxes or the settings");
    return;
  }
  fcps_error refused = {0};
  const fcps_status status = fcps_task_create(&row->world, row->task, row->task_settings, 1, &refused);
  if (status == FCPS_OK) return;
  const fcps_yaml_node *position = changes != NULL ? fcps_yaml_get(changes, refused.field) : NULL;
  if (position == NULL && strcmp(refused.field, "task") == 0) position = fcps_yaml_get(node, "task");
  if (position == NULL && value != NULL) position = experiment->sweep.values->children[point];
  fcps_reader_refuse(reader, position != NULL ? position : node, status, refused.field, "%s", refused.message);
}

const fcps_problem *fcps_experiment_row_problem(const fcps_experiment *experiment, const fcps_row *row)
{
  return row->world != NULL ? fcps_task_problem(row->world) : fcps_experiment_problem(experiment);
}

static bool are_equal(const fcps_setting *a, const fcps_setting *b)
{
  for (; a->name != NULL && b->name != NULL; a++, b++)
    if (strcmp(a->name, b->name) != 0 || strcmp(a->value, b->value) != 0) return false;
  return a->name == NULL && b->name == NULL;
}

static bool have_same_task(const fcps_row *a, const fcps_row *b)
{
  return strcmp(a->task, b->task) == 0 && are_equal(a->task_settings, b->task_settings);
}

bool fcps_experiment_rows_agree(const fcps_row *a, const fcps_row *b)
{
  return strcmp(a->learner, b->learner) == 0 && are_equal(a->settings, b->settings) && have_same_task(a, b);
}

int fcps_experiment_first_in_world(const fcps_experiment *experiment, int row)
{
  int first = 0;
  while (first < row && !have_same_task(&experiment->rows[first], &experiment->rows[row]))
    first++;
  return first;
}
