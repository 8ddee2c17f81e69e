/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of settings of all learners and tasks, walked row by row: names stand once, fields are apart from each
 * other and within their struct, defaults hold, and every setting arrives in its own field and nowhere else. */
#include "base/number.h"
#include "base/settings.h"
#include "check.h"
#include "format/json.h"
#include "toy.h"

#include <fcps/lab/task.h>
#include <fcps/learner.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 64, MOST = 64 };

typedef struct named_table {
  const char *name;
  const fcps_setting_table *table;
  const fcps_setting *defaults;
} named_table;

/* All tables: learners first, then tasks. false past the end. */
static bool table_at(int index, named_table *found)
{
  int learners = 0;
  while (fcps_learner_info_at(learners) != NULL)
    learners++;
  const fcps_learner_info *learner = fcps_learner_info_at(index);
  const fcps_task_info *task = learner == NULL ? fcps_task_info_at(index - learners) : NULL;
  if (learner != NULL) *found = (named_table){learner->name, learner->settings, learner->defaults};
  if (task != NULL) *found = (named_table){task->name, task->settings, task->defaults};
  return learner != NULL || task != NULL;
}

static void a_name_stands_in_a_table_once(void **state)
{
  (void)state;
  named_table t;
  int tables = 0;
  for (; table_at(tables, &t); tables++)
    for (int i = 0; fcps_setting_at(t.table, i) != NULL; i++)
      for (int j = 0; j < i; j++)
        if (strcmp(fcps_setting_at(t.table, i)->name, fcps_setting_at(t.table, j)->name) == 0)
          fail_msg("%s: two settings are called %s", t.name, fcps_setting_at(t.table, i)->name);
  assert_true(tables > 15);
}

static size_t size_of(fcps_setting_kind kind)
{
  static const size_t sizes[] = {[FCPS_SETTING_NUMBER] = sizeof(double),
                                 [FCPS_SETTING_INTEGER] = sizeof(int),
                                 [FCPS_SETTING_SWITCH] = sizeof(bool),
                                 [FCPS_SETTING_CHOICE] = sizeof(int),
                                 [FCPS_SETTING_WORDS] = FCPS_SETTING_WORDS_SIZE};
  return sizes[kind];
}

static void fields_lie_in_their_struct_and_apart_from_each_other(void **state)
{
  (void)state;
  named_table t;
  for (int k = 0; table_at(k, &t); k++) {
    char *used = calloc(t.table->size, 1);
    assert_non_null(used);
    for (int p = 0; p < FCPS_SETTING_PARTS && t.table->parts[p].rows != NULL; p++)
      for (const fcps_setting_row *row = t.table->parts[p].rows; row->spec.name != NULL; row++) {
        const size_t offset = t.table->parts[p].offset + row->offset, size = size_of(row->spec.kind);
        if (offset + size > t.table->size) fail_msg("%s: the field of %s is outside", t.name, row->spec.name);
        for (size_t byte = offset; byte < offset + size; byte++)
          if (used[byte]++) fail_msg("%s: the field of %s is another's as well", t.name, row->spec.name);
      }
    free(used);
  }
}

static void rows_say_what_they_must(void **state)
{
  (void)state;
  named_table t;
  for (int k = 0; table_at(k, &t); k++) {
    const fcps_setting_spec *spec;
    for (int i = 0; (spec = fcps_setting_at(t.table, i)) != NULL; i++) {
      assert_true(strlen(spec->help) > 0);
      const bool has_names = spec->kind == FCPS_SETTING_CHOICE || spec->kind == FCPS_SETTING_WORDS;
      assert_true(has_names == (spec->choice != NULL));
      if (spec->kind == FCPS_SETTING_NUMBER || spec->kind == FCPS_SETTING_INTEGER)
        assert_true(spec->lower < spec->upper);
      if (spec->choice != NULL) assert_non_null(spec->choice(1)); /* one alone is not a choice */
      for (int c = 0; spec->choice != NULL && spec->choice(c) != NULL; c++)
        assert_int_equal(fcps_choice_find(spec->choice, spec->choice(c)), c);
    }
  }
}

/* A value that differs from `now`, as it would be written. */
static void other_value(const fcps_setting_spec *spec, const char *now, char other[TEXT])
{
  char number[FCPS_NUMBER_SIZE];
  switch (spec->kind) {
  case FCPS_SETTING_NUMBER:
  case FCPS_SETTING_INTEGER:
    snprintf(other, TEXT, "%s", fcps_number_write(spec->lower, number));
    if (strcmp(other, now) == 0) snprintf(other, TEXT, "%s", fcps_number_write(spec->upper, number));
    break;
  case FCPS_SETTING_SWITCH:
    snprintf(other, TEXT, "%s", strcmp(now, "on") == 0 ? "off" : "on");
    break;
  case FCPS_SETTING_CHOICE:
  case FCPS_SETTING_WORDS:
    snprintf(other, TEXT, "%s", spec->choice(strcmp(now, spec->choice(0)) == 0 ? 1 : 0));
    break;
  }
}

static void every_setting_arrives_in_its_field_and_nowhere_else(void **state)
{
  (void)state;
  named_table t;
  for (int k = 0; table_at(k, &t); k++) {
    char usual[MOST][TEXT];
    void *values;
    assert_ok(fcps_settings_create(&values, t.table, t.defaults, NULL, NULL));
    for (int i = 0; fcps_setting_at(t.table, i) != NULL; i++) {
      assert_true(i < MOST);
      fcps_settings_write(t.table, values, i, TEXT, usual[i]);
    }
    free(values);

    for (int i = 0; fcps_setting_at(t.table, i) != NULL; i++) {
      char other[TEXT], text[TEXT];
      other_value(fcps_setting_at(t.table, i), usual[i], other);
      const fcps_setting given[] = {{fcps_setting_at(t.table, i)->name, other}, {NULL, NULL}};
      assert_ok(fcps_settings_create(&values, t.table, t.defaults, given, NULL));
      for (int j = 0; fcps_setting_at(t.table, j) != NULL; j++) {
        fcps_settings_write(t.table, values, j, TEXT, text);
        if (strcmp(text, j == i ? other : usual[j]) != 0)
          fail_msg("%s: with %s=%s, %s is %s", t.name, given[0].name, other, fcps_setting_at(t.table, j)->name, text);
      }
      free(values);
    }
  }
}

/* What a saved learner says of a setting; empty if the learner refuses it for this problem. */
static void saved_setting(const char *learner_name, const fcps_setting *given, char text[TEXT])
{
  const fcps_problem problem = toy_problem();
  fcps_learner *learner;
  char *saved;
  fcps_json *json;
  fcps_error error;
  text[0] = '\0';
  if (fcps_learner_create(&learner, &problem, learner_name, given, 1, &error) != FCPS_OK) {
    assert_true(error.status == FCPS_ERR_UNSUPPORTED);
    return;
  }
  assert_ok(fcps_learner_save(learner, &saved, NULL));
  assert_ok(fcps_json_read(&json, saved, strlen(saved), "", NULL));
  snprintf(text, TEXT, "%s", fcps_json_text(fcps_json_get(fcps_json_get(json, "settings"), given->name)));
  fcps_json_destroy(json);
  fcps_free(saved);
  fcps_learner_destroy(learner);
}

static void a_saved_learner_says_what_it_was_given(void **state)
{
  (void)state;
  int accepted = 0;
  const fcps_learner_info *info;
  for (int k = 0; (info = fcps_learner_info_at(k)) != NULL; k++)
    for (int i = 0; fcps_setting_at(info->settings, i) != NULL; i++) {
      const fcps_setting_spec *spec = fcps_setting_at(info->settings, i);
      const char *now = spec->initial;
      for (const fcps_setting *d = info->defaults; d != NULL && d->name != NULL; d++)
        if (strcmp(d->name, spec->name) == 0) now = d->value;
      char other[TEXT], text[TEXT];
      other_value(spec, now, other);
      saved_setting(info->name, (const fcps_setting[]){{spec->name, other}, {NULL, NULL}}, text);
      if (text[0] == '\0') continue;
      if (strcmp(text, other) != 0) fail_msg("%s %s=%s is saved as %s", info->name, spec->name, other, text);
      accepted++;
    }
  assert_true(accepted > 200);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_name_stands_in_a_table_once),
      cmocka_unit_test(fields_lie_in_their_struct_and_apart_from_each_other),
      cmocka_unit_test(rows_say_what_they_must),
      cmocka_unit_test(every_setting_arrives_in_its_field_and_nowhere_else),
      cmocka_unit_test(a_saved_learner_says_what_it_was_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
