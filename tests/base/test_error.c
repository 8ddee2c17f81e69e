/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses, errors, the log, and hints for misspelt names (error.c). */
#include "base/error.h"

#include "check.h"

#include <stdio.h>
#include <string.h>

static void every_status_has_its_own_text(void **state)
{
  (void)state;
  for (int i = 0; i < FCPS_STATUS_COUNT; i++) {
    assert_true(strlen(fcps_status_text((fcps_status)i)) > 0);
    assert_string_not_equal(fcps_status_text((fcps_status)i), "unknown status");
    for (int j = 0; j < i; j++)
      assert_string_not_equal(fcps_status_text((fcps_status)i), fcps_status_text((fcps_status)j));
  }
  assert_string_equal(fcps_status_text(FCPS_OK), "ok");
}

static void a_number_that_is_no_status_is_unknown(void **state)
{
  (void)state;
  assert_string_equal(fcps_status_text(FCPS_STATUS_COUNT), "unknown status");
  assert_string_equal(fcps_status_text((fcps_status)-1), "unknown status");
}

static void the_version_has_three_numbers(void **state)
{
  (void)state;
  int major, minor, patch;
  char rest;
  assert_int_equal(sscanf(fcps_version(), "%d.%d.%d%c", &major, &minor, &patch, &rest), 3);
}

static void setting_an_error_returns_its_status_and_forgets_the_old_position(void **state)
{
  (void)state;
  fcps_error error;
  assert_status(fcps_error_at(&error, FCPS_ERR_FORMAT, "a.yaml", 3, 7, "target.x", "%d is odd", 5), FCPS_ERR_FORMAT);
  assert_string_equal(error.file, "a.yaml");
  assert_int_equal(error.line, 3);
  assert_int_equal(error.column, 7);
  assert_string_equal(error.field, "target.x");
  assert_string_equal(error.message, "5 is odd");

  assert_status(fcps_error_set(&error, FCPS_ERR_BOUNDS, NULL, "too far"), FCPS_ERR_BOUNDS);
  assert_int_equal(error.status, FCPS_ERR_BOUNDS);
  assert_string_equal(error.field, "");
  assert_string_equal(error.file, "");
  assert_int_equal(error.line, 0);
  assert_int_equal(error.column, 0);
}

static void an_error_may_be_absent(void **state)
{
  (void)state;
  assert_status(fcps_error_set(NULL, FCPS_ERR_IO, "x", "y"), FCPS_ERR_IO);
  assert_status(fcps_error_at(NULL, FCPS_ERR_IO, "f", 1, 1, "x", "y"), FCPS_ERR_IO);
  assert_status(fcps_error_memory(NULL), FCPS_ERR_MEMORY);
}

static void an_error_may_be_wrapped_in_its_own_words(void **state)
{
  (void)state;
  fcps_error error;
  fcps_error_set(&error, FCPS_ERR_BOUNDS, "speed", "too fast");
  fcps_error_at(&error, error.status, "a.yaml", 2, 0, error.field, "run: %s", error.message);
  assert_string_equal(error.field, "speed");
  assert_string_equal(error.message, "run: too fast");
}

static void a_formatted_error_has_the_parts_that_exist(void **state)
{
  (void)state;
  fcps_error error;
  char text[128];
  fcps_error_at(&error, FCPS_ERR_FORMAT, "a.yaml", 3, 7, "x", "bad");
  assert_string_equal(fcps_error_format(&error, sizeof text, text), "a.yaml:3:7: x: bad");
  fcps_error_at(&error, FCPS_ERR_FORMAT, "a.yaml", 3, 0, NULL, "bad");
  assert_string_equal(fcps_error_format(&error, sizeof text, text), "a.yaml:3: bad");
  fcps_error_at(&error, FCPS_ERR_FORMAT, "a.yaml", 0, 0, "x", "bad");
  assert_string_equal(fcps_error_format(&error, sizeof text, text), "a.yaml: x: bad");
  fcps_error_set(&error, FCPS_ERR_FORMAT, "x", "bad");
  assert_string_equal(fcps_error_format(&error, sizeof text, text), "x: bad");
  fcps_error_set(&error, FCPS_ERR_MEMORY, "", "%s", "");
  assert_string_equal(fcps_error_format(&error, sizeof text, text), "out of memory");
}

static void formatting_never_writes_past_the_end(void **state)
{
  (void)state;
  fcps_error error;
  char text[8] = "1234567";
  fcps_error_set(&error, FCPS_ERR_FORMAT, "x", "a long message");
  assert_string_equal(fcps_error_format(&error, 5, text), "x: a");
  assert_string_equal(text + 5, "67");
  fcps_error_format(&error, 0, text);
  assert_string_equal(text, "x: a");
}

static void long_words_are_cut_between_characters(void **state)
{
  (void)state;
  /* characters of two, three and four bytes, at every phase against the end of the field */
  static const char *const letters[] = {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
  for (int kind = 0; kind < 3; kind++) {
    for (int phase = 0; phase < 4; phase++) {
      char name[128] = "";
      for (int i = 0; i < phase; i++)
        strcat(name, "x");
      for (int i = 0; i < 20; i++)
        strcat(name, letters[kind]);
      for (int i = 0; i < 20 && strlen(name) < 80; i++)
        strcat(name, letters[kind]);
      fcps_error error;
      fcps_error_set(&error, FCPS_ERR_FORMAT, name, "x");
      const size_t length = strlen(error.field), bytes = strlen(letters[kind]);
      assert_int_equal((length - (size_t)phase) % bytes, 0);
      assert_true(length > sizeof error.field - 1 - bytes && length < sizeof error.field);
      assert_memory_equal(error.field, name, length);
    }
  }
}

static void hear(void *user, fcps_log_level level, const char *code, const char *message)
{
  snprintf(user, 64, "%d %s %s", (int)level, code, message);
}

static void the_log_says_what_it_is_told(void **state)
{
  (void)state;
  char heard[64] = "";
  const fcps_log log = {hear, heard};
  fcps_log_say(&log, FCPS_LOG_WARNING, "W_TEST", "%d times", 3);
  assert_string_equal(heard, "2 W_TEST 3 times");
  fcps_log_say(NULL, FCPS_LOG_INFO, "I_TEST", "nothing");
  fcps_log_say(&(fcps_log){NULL, heard}, FCPS_LOG_INFO, "I_TEST", "nothing");
  assert_string_equal(heard, "2 W_TEST 3 times");
}

static void a_misspelt_name_finds_the_nearest(void **state)
{
  (void)state;
  static const char *const names[] = {"random", "bo-cps", "bo-fcps", "bo-fcps-her", "c-reps", "kappa"};
  static const char *const cases[][2] = {
      {"bo-fcp", "bo-fcps"},  {"bo-fpcs", "bo-fcps"}, {"bo-fcpss", "bo-fcps"},
      {"BO-FCPS", "bo-fcps"}, {"kapa", "kappa"},      {"akppa", "kappa"},
      {"rand", "random"},     {"c_reps", "c-reps"},   {"bo_fcps_her", "bo-fcps-her"},
      {"bo-f", "bo-fcps"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const char *nearest = fcps_nearest_name(cases[i][0], 6, names);
    assert_non_null(nearest);
    assert_string_equal(nearest, cases[i][1]);
  }
}

static void a_new_name_may_be_a_slip(void **state)
{
  (void)state;
  static const char *const names[] = {"arabica", "tall", "r1", "press10", "two words"};
  static const char *const slips[][2] = {
      {"Arabica", "arabica"}, {"arabca", "arabica"}, {"tal", "tall"}, {"R1", "r1"}, {"two-words", "two words"}};
  static const char *const others[] = {"r2", "press11", "geisha", "tall", "", "b"};
  for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
    const char *meant = fcps_nearly_equal_name(slips[i][0], 5, names);
    assert_non_null(meant);
    assert_string_equal(meant, slips[i][1]);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_null(fcps_nearly_equal_name(others[i], 5, names));
}

static void a_foreign_name_finds_none(void **state)
{
  (void)state;
  static const char *const names[] = {"random", "bo-cps"};
  char endless[200];
  memset(endless, 'r', sizeof endless);
  endless[sizeof endless - 1] = 0;
  assert_null(fcps_nearest_name("gradient", 2, names));
  assert_null(fcps_nearest_name("", 2, names));
  assert_null(fcps_nearest_name(endless, 2, names));
  assert_null(fcps_nearest_name("random", 0, names));
}

static void a_hint_names_the_nearest_and_all_that_fit(void **state)
{
  (void)state;
  static const char *const names[] = {"kappa", "starts", "embed"};
  char text[64];
  assert_string_equal(fcps_name_hint("kapa", 3, names, sizeof text, text),
                      "did you mean kappa? Choose from: kappa, starts, embed");
  assert_string_equal(fcps_name_hint("zero", 3, names, sizeof text, text), "choose from: kappa, starts, embed");
  assert_string_equal(fcps_name_hint("zero", 3, names, 34, text), "choose from: kappa, starts, embed");
  assert_string_equal(fcps_name_hint("zero", 3, names, 33, text), "choose from: kappa, starts, ...");
  assert_string_equal(fcps_name_hint("zero", 3, names, 24, text), "choose from: kappa, ...");
  assert_string_equal(fcps_name_hint("zero", 3, names, 20, text), "choose from: ...");
  assert_string_equal(fcps_name_hint("zero", 3, names, 5, text), "choo");
  assert_string_equal(fcps_name_hint("zero", 0, names, sizeof text, text), "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_status_has_its_own_text),
      cmocka_unit_test(a_number_that_is_no_status_is_unknown),
      cmocka_unit_test(the_version_has_three_numbers),
      cmocka_unit_test(setting_an_error_returns_its_status_and_forgets_the_old_position),
      cmocka_unit_test(an_error_may_be_absent),
      cmocka_unit_test(an_error_may_be_wrapped_in_its_own_words),
      cmocka_unit_test(a_formatted_error_has_the_parts_that_exist),
      cmocka_unit_test(formatting_never_writes_past_the_end),
      cmocka_unit_test(long_words_are_cut_between_characters),
      cmocka_unit_test(the_log_says_what_it_is_told),
      cmocka_unit_test(a_misspelt_name_finds_the_nearest),
      cmocka_unit_test(a_new_name_may_be_a_slip),
      cmocka_unit_test(a_foreign_name_finds_none),
      cmocka_unit_test(a_hint_names_the_nearest_and_all_that_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
