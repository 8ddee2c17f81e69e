/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text: read exactly, written as short as possible, in every locale. */
#include "base/number.h"

#include "base/rng.h"
#include "check.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static bool same_bits(double a, double b)
{
  return memcmp(&a, &b, sizeof a) == 0;
}

static void numbers_are_read(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double value;
  } cases[] = {
      {"1.5", 1.5},          {"-2e3", -2000}, {"+7", 7},         {".5", 0.5},         {"5.", 5},          {"0", 0},
      {"-0", -0.0},          {"1E-2", 0.01},  {"inf", INFINITY}, {"-inf", -INFINITY}, {"5e-324", 5e-324}, {"1e-400", 0},
      {"Infinity", INFINITY}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double value = 99;
    assert_true(fcps_number_read(cases[i].text, &value));
    assert_true(same_bits(value, cases[i].value));
  }
  double value = 0;
  assert_true(fcps_number_read("nan", &value) && isnan(value));
  assert_true(fcps_number_read("NaN", &value) && isnan(value));
}

static void texts_that_are_no_number_are_refused(void **state)
{
  (void)state;
  static const char *const texts[] = {"",      " 1",  "1 ",  "1,5", "0x10",  "nan(1)", "1e",  "e5",    "-", ".",
                                      "1.2.3", "one", "1-2", "--1", "1e400", "-1e400", "1\n", "infin", "1f"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    double value = 99;
    assert_false(fcps_number_read(texts[i], &value));
    assert_true(value == 99);
  }
  double value;
  assert_false(fcps_number_read(NULL, &value));
}

static void integers_are_read_whole_or_refused(void **state)
{
  (void)state;
  int64_t value = 0;
  assert_true(fcps_integer_read("42", &value) && value == 42);
  assert_true(fcps_integer_read("-7", &value) && value == -7);
  assert_true(fcps_integer_read("+7", &value) && value == 7);
  assert_true(fcps_integer_read("007", &value) && value == 7);
  assert_true(fcps_integer_read("9223372036854775807", &value) && value == INT64_MAX);
  assert_true(fcps_integer_read("-9223372036854775808", &value) && value == INT64_MIN);

  static const char *const texts[] = {
      "", " 1", "1 ", "1.0", "1e3", "0x10", "-", "+-1", "one", "9223372036854775808", "-9223372036854775809"};
  value = 99;
  errno = 0;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    assert_false(fcps_integer_read(texts[i], &value));
  assert_false(fcps_integer_read(NULL, &value));
  assert_int_equal(value, 99);
  assert_int_equal(errno, 0);
}

static void written_numbers_are_the_shortest(void **state)
{
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0.1, "0.1"},
               {1.0 / 3, "0.3333333333333333"},
               {0.1 + 0.2, "0.30000000000000004"},
               {100, "100"},
               {2147483647, "2147483647"},
               {-0.0, "-0"},
               {5e-324, "5e-324"},
               {2.5e-310, "2.5e-310"},
               {DBL_MIN, "2.2250738585072014e-308"},
               {-DBL_MAX, "-1.7976931348623157e+308"},
               {1e22, "1e+22"},
               {INFINITY, "inf"},
               {-INFINITY, "-inf"},
               {NAN, "nan"},
               {-NAN, "nan"}};
  char text[FCPS_NUMBER_SIZE];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_string_equal(fcps_number_write(cases[i].value, text), cases[i].text);
}

static void every_number_comes_back_with_the_same_bits(void **state)
{
  (void)state;
  /* random bits: all exponents, subnormal numbers among them */
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < 100000; i++) {
    const uint64_t bits = fcps_rng_below(&rng, UINT64_MAX) >> (i % 8 == 0 ? 12 : 0);
    double value, back = 0;
    char text[FCPS_NUMBER_SIZE];
    memcpy(&value, &bits, sizeof value);
    if (isnan(value)) continue;
    assert_true(fcps_number_read(fcps_number_write(value, text), &back));
    assert_true(same_bits(value, back));
  }
}

/* Switches to any locale with a decimal comma; false when this machine has none. */
static bool use_decimal_comma(void)
{
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",       "fr_FR.UTF-8", "fr_FR.utf8",
                                        "fr_FR",       "es_ES.UTF-8", "nl_NL.UTF-8", "pl_PL.UTF-8", "ru_RU.UTF-8"};
  for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++)
    if (setlocale(LC_ALL, locales[i]) != NULL && strcmp(localeconv()->decimal_point, ",") == 0) return true;
  setlocale(LC_ALL, "C");
  return false;
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
  (void)state;
  if (!use_decimal_comma()) skip_because("there is no locale with a decimal comma (Debian: locales-all)");
  double value = 0;
  char text[FCPS_NUMBER_SIZE], still[FCPS_NUMBER_SIZE];
  const bool read = fcps_number_read("1.5", &value), comma = fcps_number_read("1,5", &value);
  fcps_number_write(2.25, text);
  snprintf(still, sizeof still, "%.2f", 2.25);
  setlocale(LC_ALL, "C");
  assert_true(read);
  assert_false(comma);
  assert_true(value == 1.5);
  assert_string_equal(text, "2.25");
  assert_string_equal(still, "2,25"); /* the program's own locale was left alone */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_read),
      cmocka_unit_test(texts_that_are_no_number_are_refused),
      cmocka_unit_test(integers_are_read_whole_or_refused),
      cmocka_unit_test(written_numbers_are_the_shortest),
      cmocka_unit_test(every_number_comes_back_with_the_same_bits),
      cmocka_unit_test(numbers_do_not_depend_on_the_locale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
