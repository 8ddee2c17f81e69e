/* SPDX-License-Identifier: Apache-2.0 */
/* A table with a setting of every kind: what it reads, writes and refuses. The tables of learners and tasks are walked
 * in tests/house/test_settings.c. */
#include "base/settings.h"

#include "check.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef enum kernel { KERNEL_SE, KERNEL_MATERN32, KERNEL_MATERN52 } kernel;

/* A struct with a field of every type, one of them in a struct within. */
typedef struct values {
  struct {
    double kappa;
  } inner;
  int starts;
  bool embed;
  kernel kernel;
  int count;
  struct more {
    int first;
    bool second;
  } more;
} values;

static const char *kernel_name(int index)
{
  static const char *const names[] = {
      [KERNEL_SE] = "se", [KERNEL_MATERN32] = "matern32", [KERNEL_MATERN52] = "matern52"};
  return fcps_choice_at(3, names, index);
}

static const fcps_setting_row rows[] = {
    FCPS_NUMBER_ROW("kappa", values, inner.kappa, "0.5", 0, 10, "weight of the deviation"),
    FCPS_INTEGER_ROW("starts", values, starts, "3", 1, 100, "number of starts"),
    FCPS_SWITCH_ROW("embed", values, embed, "on", "embed angles"),
    FCPS_CHOICE_ROW("kernel", values, kernel, "matern52", kernel_name, "the kernel"),
    FCPS_INTEGER_ROW("count", values, count, "0", -DBL_MAX, DBL_MAX, "any whole number"),
    {.spec.name = NULL},
};
static const fcps_setting_row more_rows[] = {
    FCPS_INTEGER_ROW("first", struct more, first, "1", 0, 9, "one"),
    FCPS_SWITCH_ROW("second", struct more, second, "off", "two"),
    {.spec.name = NULL},
};
static const fcps_setting_table table = {.size = sizeof(values), .parts = {{rows, 0}}};
static const fcps_setting_table both = {.size = sizeof(values),
                                        .parts = {{rows, 0}, {more_rows, offsetof(values, more)}}};

/* A table of one setting that takes words. */
typedef struct worded {
  char words[FCPS_SETTING_WORDS_SIZE];
} worded;
static const fcps_setting_row worded_rows[] = {
    FCPS_WORDS_ROW("words", worded, words, "se", kernel_name, "a kernel, or what you like"), {.spec.name = NULL}};
static const fcps_setting_table worded_table = {.size = sizeof(worded), .parts = {{worded_rows, 0}}};

/* Creates with one setting given; the caller frees on success. */
static fcps_status create_with(values **made, const char *name, const char *value, fcps_error *error)
{
  const fcps_setting given[] = {{name, value}, {NULL, NULL}};
  void *untyped;
  const fcps_status status = fcps_settings_create(&untyped, &table, NULL, given, error);
  *made = untyped;
  return status;
}

static void without_settings_the_defaults_hold(void **state)
{
  (void)state;
  void *made;
  assert_ok(fcps_settings_create(&made, &table, NULL, NULL, NULL));
  const values *v = made;
  assert_true(v->inner.kappa == 0.5);
  assert_int_equal(v->starts, 3);
  assert_true(v->embed);
  assert_int_equal(v->kernel, KERNEL_MATERN52);
  assert_int_equal(v->more.first, 0); /* nobody's row: zero */
  free(made);
}

static void what_is_given_beats_overrides_and_these_beat_defaults(void **state)
{
  (void)state;
  const fcps_setting overrides[] = {{"kappa", "1"}, {"kernel", "se"}, {NULL, NULL}};
  const fcps_setting given[] = {{"kappa", "2e0"}, {"starts", "100"}, {"embed", "off"}, {NULL, NULL}};
  void *made;
  assert_ok(fcps_settings_create(&made, &table, overrides, given, NULL));
  const values *v = made;
  assert_true(v->inner.kappa == 2);
  assert_int_equal(v->starts, 100);
  assert_false(v->embed);
  assert_int_equal(v->kernel, KERNEL_SE);
  free(made);
}

static void words_are_kept_as_they_are_unless_they_are_too_many(void **state)
{
  (void)state;
  char text[2 * FCPS_SETTING_WORDS_SIZE], written[FCPS_SETTING_WORDS_SIZE];
  void *made;
  fcps_error error;
  assert_ok(fcps_settings_create(&made, &worded_table, NULL, NULL, &error));
  assert_string_equal(((const worded *)made)->words, "se");
  free(made);
  const fcps_setting given[] = {{"words", "x, y turn with z"}, {NULL, NULL}};
  assert_ok(fcps_settings_create(&made, &worded_table, NULL, given, &error));
  assert_string_equal(fcps_settings_write(&worded_table, made, 0, sizeof written, written), "x, y turn with z");
  free(made);
  memset(text, 'x', sizeof text);
  for (size_t length = 0; length < sizeof text; length += sizeof text - 1) { /* none, and too many */
    text[length] = '\0';
    const fcps_setting wrong[] = {{"words", text}, {NULL, NULL}};
    assert_int_equal(fcps_settings_create(&made, &worded_table, NULL, wrong, &error), FCPS_ERR_ARGUMENT);
    assert_string_equal(error.field, "words");
    text[length] = 'x';
  }
}

static void a_table_lists_its_parts_one_after_the_other(void **state)
{
  (void)state;
  static const char *const names[] = {"kappa", "starts", "embed", "kernel", "count", "first", "second"};
  for (int i = 0; i < 7; i++)
    assert_string_equal(fcps_setting_at(&both, i)->name, names[i]);
  assert_null(fcps_setting_at(&both, 7));
  assert_null(fcps_setting_at(&both, -1));
  assert_null(fcps_setting_at(&table, 5));
}

static void rows_of_a_part_fill_its_own_struct(void **state)
{
  (void)state;
  const fcps_setting given[] = {{"first", "7"}, {"second", "on"}, {"starts", "8"}, {NULL, NULL}};
  void *made;
  assert_ok(fcps_settings_create(&made, &both, NULL, given, NULL));
  const values *v = made;
  assert_int_equal(v->more.first, 7);
  assert_true(v->more.second);
  assert_int_equal(v->starts, 8);
  free(made);
}

static void choices_are_found_and_listed(void **state)
{
  (void)state;
  char text[64];
  assert_int_equal(fcps_choice_find(kernel_name, "matern32"), KERNEL_MATERN32);
  assert_int_equal(fcps_choice_find(kernel_name, "matern"), -1);
  assert_int_equal(fcps_choice_find(kernel_name, NULL), -1);
  assert_null(kernel_name(3));
  assert_null(kernel_name(-1));
  assert_string_equal(fcps_choice_list(kernel_name, sizeof text, text), "se|matern32|matern52");
  assert_string_equal(fcps_choice_list(kernel_name, 6, text), "se|ma");
}

static void a_refusal_says_the_default_that_holds(void **state)
{
  (void)state;
  const fcps_setting overrides[] = {{"kappa", "1.25"}, {NULL, NULL}};
  const fcps_setting given[] = {{"kappa", "-3"}, {NULL, NULL}};
  void *made;
  fcps_error error;
  assert_status(fcps_settings_create(&made, &table, overrides, given, &error), FCPS_ERR_BOUNDS);
  assert_non_null(strstr(error.message, "(default 1.25)"));
  assert_status(fcps_settings_create(&made, &table, NULL, given, &error), FCPS_ERR_BOUNDS);
  assert_non_null(strstr(error.message, "(default 0.5)"));
}

static void a_switch_understands_its_words(void **state)
{
  (void)state;
  static const char *const on[] = {"on", "true", "yes", "1"}, *const off[] = {"off", "false", "no", "0"};
  for (int i = 0; i < 4; i++) {
    values *v;
    assert_ok(create_with(&v, "embed", on[i], NULL));
    assert_true(v->embed);
    free(v);
    assert_ok(create_with(&v, "embed", off[i], NULL));
    assert_false(v->embed);
    free(v);
  }
}

static void written_settings_read_back(void **state)
{
  (void)state;
  const fcps_setting given[] = {{"kappa", "0.1"},       {"starts", "7"},          {"embed", "no"},
                                {"kernel", "matern32"}, {"count", "-2147483648"}, {NULL, NULL}};
  static const char *const texts[] = {"0.1", "7", "off", "matern32", "-2147483648"};
  void *made;
  char text[32];
  assert_ok(fcps_settings_create(&made, &table, NULL, given, NULL));
  for (int i = 0; fcps_setting_at(&table, i) != NULL; i++)
    assert_string_equal(fcps_settings_write(&table, made, i, sizeof text, text), texts[i]);
  assert_string_equal(fcps_settings_write(&table, made, 3, 4, text), "mat");
  free(made);
}

static void an_unknown_name_is_refused_with_the_nearest_and_all_names(void **state)
{
  (void)state;
  values *v;
  fcps_error error;
  assert_status(create_with(&v, "kapa", "1", &error), FCPS_ERR_UNKNOWN_NAME);
  assert_string_equal(error.field, "kapa");
  assert_non_null(strstr(error.message, "did you mean kappa?"));
  assert_non_null(strstr(error.message, "kappa, starts, embed, kernel, count"));
  assert_null(v);

  assert_status(create_with(&v, "temperature", "1", &error), FCPS_ERR_UNKNOWN_NAME);
  assert_null(strstr(error.message, "did you mean"));
  assert_non_null(strstr(error.message, "kappa, starts"));
}

static void an_unknown_name_among_the_overrides_is_refused(void **state)
{
  (void)state;
  const fcps_setting overrides[] = {{"stars", "1"}, {NULL, NULL}};
  void *made;
  fcps_error error;
  assert_status(fcps_settings_create(&made, &table, overrides, NULL, &error), FCPS_ERR_UNKNOWN_NAME);
  assert_non_null(strstr(error.message, "starts"));
}

static void any_name_is_unknown_where_there_are_no_settings(void **state)
{
  (void)state;
  static const fcps_setting_table none = {0};
  const fcps_setting given[] = {{"kappa", "1"}, {NULL, NULL}};
  void *made;
  assert_status(fcps_settings_create(&made, &none, NULL, given, NULL), FCPS_ERR_UNKNOWN_NAME);
  assert_ok(fcps_settings_create(&made, &none, NULL, NULL, NULL));
  assert_null(fcps_setting_at(&none, 0));
  free(made);
}

static void every_refused_value_names_its_setting_and_what_is_right(void **state)
{
  (void)state;
  static const struct {
    const char *name, *value;
    fcps_status status;
    const char *words[2];
  } cases[] = {
      {"kappa", "much", FCPS_ERR_ARGUMENT, {"a number", "default 0.5"}},
      {"kappa", "", FCPS_ERR_ARGUMENT, {"a number", "default 0.5"}},
      {"kappa", "1,5", FCPS_ERR_ARGUMENT, {"a number", "default 0.5"}},
      {"kappa", NULL, FCPS_ERR_ARGUMENT, {"a number", "default 0.5"}},
      {"kappa", "nan", FCPS_ERR_NOT_FINITE, {"nan", "default 0.5"}},
      {"kappa", "inf", FCPS_ERR_NOT_FINITE, {"inf", "default 0.5"}},
      {"kappa", "10.1", FCPS_ERR_BOUNDS, {"0 to 10", "default 0.5"}},
      {"kappa", "-1e-9", FCPS_ERR_BOUNDS, {"0 to 10", "default 0.5"}},
      {"starts", "2.5", FCPS_ERR_ARGUMENT, {"a whole number", "default 3"}},
      {"starts", "0", FCPS_ERR_BOUNDS, {"1 to 100", "default 3"}},
      {"starts", "101", FCPS_ERR_BOUNDS, {"1 to 100", "default 3"}},
      {"count", "2147483648", FCPS_ERR_BOUNDS, {"-2147483648 to 2147483647", "default 0"}},
      {"embed", "maybe", FCPS_ERR_ARGUMENT, {"on or off", "default on"}},
      {"kernel", "matern", FCPS_ERR_ARGUMENT, {"se|matern32|matern52", "default matern52"}},
      {"kernel", "se|matern32", FCPS_ERR_ARGUMENT, {"se|matern32|matern52", "default matern52"}},
      {"kernel", "", FCPS_ERR_ARGUMENT, {"se|matern32|matern52", "default matern52"}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    values *v;
    fcps_error error;
    assert_status(create_with(&v, cases[i].name, cases[i].value, &error), cases[i].status);
    assert_string_equal(error.field, cases[i].name);
    for (int word = 0; word < 2; word++)
      if (strstr(error.message, cases[i].words[word]) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.message, cases[i].words[word]);
  }
}

static void bounds_themselves_are_allowed(void **state)
{
  (void)state;
  static const char *const allowed[][2] = {{"kappa", "0"}, {"kappa", "10"}, {"starts", "1"}, {"starts", "100"}};
  for (int i = 0; i < 4; i++) {
    values *v;
    assert_ok(create_with(&v, allowed[i][0], allowed[i][1], NULL));
    free(v);
  }
}

static void a_default_that_its_own_table_refuses_is_reported(void **state)
{
  (void)state;
  static const fcps_setting_row wrong_rows[] = {FCPS_NUMBER_ROW("kappa", values, inner.kappa, "11", 0, 10, ""),
                                                {.spec.name = NULL}};
  static const fcps_setting_table wrong = {.size = sizeof(values), .parts = {{wrong_rows, 0}}};
  void *made;
  assert_status(fcps_settings_create(&made, &wrong, NULL, NULL, NULL), FCPS_ERR_BOUNDS);
  assert_null(made);
}

static void a_list_says_last_of_a_name_what_counts(void **state)
{
  (void)state;
  const fcps_setting list[] = {{"a", "1"}, {"b", "2"}, {"a", "3"}, {NULL, NULL}};
  assert_string_equal(fcps_setting_value(list, "a"), "3");
  assert_string_equal(fcps_setting_value(list, "b"), "2");
  assert_null(fcps_setting_value(list, "c"));
  assert_null(fcps_setting_value(NULL, "a"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_list_says_last_of_a_name_what_counts),
      cmocka_unit_test(without_settings_the_defaults_hold),
      cmocka_unit_test(what_is_given_beats_overrides_and_these_beat_defaults),
      cmocka_unit_test(words_are_kept_as_they_are_unless_they_are_too_many),
      cmocka_unit_test(a_table_lists_its_parts_one_after_the_other),
      cmocka_unit_test(rows_of_a_part_fill_its_own_struct),
      cmocka_unit_test(choices_are_found_and_listed),
      cmocka_unit_test(a_refusal_says_the_default_that_holds),
      cmocka_unit_test(a_switch_understands_its_words),
      cmocka_unit_test(written_settings_read_back),
      cmocka_unit_test(an_unknown_name_is_refused_with_the_nearest_and_all_names),
      cmocka_unit_test(an_unknown_name_among_the_overrides_is_refused),
      cmocka_unit_test(any_name_is_unknown_where_there_are_no_settings),
      cmocka_unit_test(every_refused_value_names_its_setting_and_what_is_right),
      cmocka_unit_test(bounds_themselves_are_allowed),
      cmocka_unit_test(a_default_that_its_own_table_refuses_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
