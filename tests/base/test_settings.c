/* SPDX-License-Identifier: Apache-2.0 */
#include "base/settings.h"

#include "check.h"

#include <float.h>
#include <string.h>

static const fcps_setting_spec specs[] = {
    {"kappa", FCPS_SETTING_NUMBER, "0.5", 0, 10, NULL, "weight of the deviation"},
    {"starts", FCPS_SETTING_INTEGER, "3", 1, 100, NULL, "number of starts"},
    {"embed", FCPS_SETTING_SWITCH, "on", 0, 0, NULL, "embed angles"},
    {"kernel", FCPS_SETTING_CHOICE, "matern52", 0, 0, "se|matern32|matern52", "the kernel"},
    {"count", FCPS_SETTING_INTEGER, "0", -DBL_MAX, DBL_MAX, NULL, "any whole number"},
    {0},
};

/* Creates with one setting given; the caller destroys on success. */
static fcps_status create_with(fcps_settings *settings, const char *name, const char *value, fcps_error *error)
{
  const fcps_setting given[] = {{name, value}, {NULL, NULL}};
  return fcps_settings_create(settings, specs, NULL, given, error);
}

static void without_settings_the_defaults_hold(void **state)
{
  (void)state;
  fcps_settings settings;
  assert_ok(fcps_settings_create(&settings, specs, NULL, NULL, NULL));
  assert_int_equal(settings.count, 5);
  assert_true(fcps_settings_number(&settings, "kappa") == 0.5);
  assert_int_equal(fcps_settings_integer(&settings, "starts"), 3);
  assert_true(fcps_settings_switch(&settings, "embed"));
  assert_int_equal(fcps_settings_choice(&settings, "kernel"), 2);
  fcps_settings_destroy(&settings);
  assert_null(settings.number);
  fcps_settings_destroy(&settings);
  fcps_settings_destroy(NULL);
}

static void what_is_given_beats_overrides_and_these_beat_defaults(void **state)
{
  (void)state;
  const fcps_setting overrides[] = {{"kappa", "1"}, {"kernel", "se"}, {NULL, NULL}};
  const fcps_setting given[] = {{"kappa", "2e0"}, {"starts", "100"}, {"embed", "off"}, {NULL, NULL}};
  fcps_settings settings;
  assert_ok(fcps_settings_create(&settings, specs, overrides, given, NULL));
  assert_true(fcps_settings_number(&settings, "kappa") == 2);
  assert_int_equal(fcps_settings_integer(&settings, "starts"), 100);
  assert_false(fcps_settings_switch(&settings, "embed"));
  assert_int_equal(fcps_settings_choice(&settings, "kernel"), 0);
  fcps_settings_destroy(&settings);
}

static void a_refusal_says_the_default_that_holds(void **state)
{
  (void)state;
  const fcps_setting overrides[] = {{"kappa", "1.25"}, {NULL, NULL}};
  const fcps_setting given[] = {{"kappa", "-3"}, {NULL, NULL}};
  fcps_settings settings;
  fcps_error error;
  assert_status(fcps_settings_create(&settings, specs, overrides, given, &error), FCPS_ERR_BOUNDS);
  assert_non_null(strstr(error.message, "(default 1.25)"));
  assert_status(fcps_settings_create(&settings, specs, NULL, given, &error), FCPS_ERR_BOUNDS);
  assert_non_null(strstr(error.message, "(default 0.5)"));
}

static void a_switch_understands_its_words(void **state)
{
  (void)state;
  static const char *const on[] = {"on", "true", "yes", "1"}, *const off[] = {"off", "false", "no", "0"};
  for (int i = 0; i < 4; i++) {
    fcps_settings settings;
    assert_ok(create_with(&settings, "embed", on[i], NULL));
    assert_true(fcps_settings_switch(&settings, "embed"));
    fcps_settings_destroy(&settings);
    assert_ok(create_with(&settings, "embed", off[i], NULL));
    assert_false(fcps_settings_switch(&settings, "embed"));
    fcps_settings_destroy(&settings);
  }
}

static void written_settings_read_back(void **state)
{
  (void)state;
  const fcps_setting given[] = {{"kappa", "0.1"},       {"starts", "7"},          {"embed", "no"},
                                {"kernel", "matern32"}, {"count", "-2147483648"}, {NULL, NULL}};
  static const char *const texts[] = {"0.1", "7", "off", "matern32", "-2147483648"};
  fcps_settings settings;
  char text[32];
  assert_ok(fcps_settings_create(&settings, specs, NULL, given, NULL));
  for (int i = 0; i < settings.count; i++)
    assert_string_equal(fcps_settings_write(&settings, i, sizeof text, text), texts[i]);
  assert_string_equal(fcps_settings_write(&settings, 3, 4, text), "mat");
  fcps_settings_destroy(&settings);
}

static void an_unknown_name_is_refused_with_the_nearest_and_all_names(void **state)
{
  (void)state;
  fcps_settings settings = {.count = -1};
  fcps_error error;
  assert_status(create_with(&settings, "kapa", "1", &error), FCPS_ERR_UNKNOWN_NAME);
  assert_string_equal(error.field, "kapa");
  assert_non_null(strstr(error.message, "did you mean kappa?"));
  assert_non_null(strstr(error.message, "kappa, starts, embed, kernel, count"));
  assert_int_equal(settings.count, -1); /* untouched */

  assert_status(create_with(&settings, "temperature", "1", &error), FCPS_ERR_UNKNOWN_NAME);
  assert_null(strstr(error.message, "did you mean"));
  assert_non_null(strstr(error.message, "kappa, starts"));
}

static void an_unknown_name_among_the_overrides_is_refused(void **state)
{
  (void)state;
  const fcps_setting overrides[] = {{"stars", "1"}, {NULL, NULL}};
  fcps_settings settings;
  fcps_error error;
  assert_status(fcps_settings_create(&settings, specs, overrides, NULL, &error), FCPS_ERR_UNKNOWN_NAME);
  assert_non_null(strstr(error.message, "starts"));
}

static void any_name_is_unknown_where_there_are_no_settings(void **state)
{
  (void)state;
  static const fcps_setting_spec none[] = {{0}};
  const fcps_setting given[] = {{"kappa", "1"}, {NULL, NULL}};
  fcps_settings settings;
  assert_status(fcps_settings_create(&settings, none, NULL, given, NULL), FCPS_ERR_UNKNOWN_NAME);
  assert_ok(fcps_settings_create(&settings, none, NULL, NULL, NULL));
  assert_int_equal(settings.count, 0);
  fcps_settings_destroy(&settings);
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
    fcps_settings settings;
    fcps_error error;
    assert_status(create_with(&settings, cases[i].name, cases[i].value, &error), cases[i].status);
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
    fcps_settings settings;
    assert_ok(create_with(&settings, allowed[i][0], allowed[i][1], NULL));
    fcps_settings_destroy(&settings);
  }
}

static void a_default_that_its_own_table_refuses_is_reported(void **state)
{
  (void)state;
  static const fcps_setting_spec wrong[] = {{"kappa", FCPS_SETTING_NUMBER, "11", 0, 10, NULL, ""}, {0}};
  fcps_settings settings;
  assert_status(fcps_settings_create(&settings, wrong, NULL, NULL, NULL), FCPS_ERR_BOUNDS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_settings_the_defaults_hold),
      cmocka_unit_test(what_is_given_beats_overrides_and_these_beat_defaults),
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
