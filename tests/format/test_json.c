/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/format/json.c: values come back with every bit, and what is malformed is refused with its position. */
#include "format/json.h"

#include "base/rng.h"
#include "check.h"

#include <float.h>
#include <string.h>

static fcps_json *parse(const char *text)
{
  fcps_json *json = NULL;
  fcps_error error;
  if (fcps_json_read(&json, text, strlen(text), "test", &error) != FCPS_OK) fail_msg("%s: %s", text, error.message);
  return json;
}

/* Parses and writes again. */
static void assert_rewritten(const char *text, const char *expected)
{
  fcps_json *json = parse(text);
  char *written = fcps_json_write(json);
  assert_string_equal(written, expected);
  fcps_free(written);
  fcps_json_destroy(json);
}

static void a_built_value_is_written_on_one_line_in_the_order_set(void **state)
{
  (void)state;
  const double numbers[] = {1.5, -2};
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "zeta", fcps_json_from_integer(INT64_MIN));
  fcps_json_put(&json, "alpha", fcps_json_from_numbers(2, numbers));
  fcps_json_put(&json, "text", fcps_json_from_text("a\n\"b\" \xC3\xA9"));
  fcps_json_put(&json, "none", fcps_json_null());
  fcps_json_put(&json, "yes", fcps_json_from_bool(true));
  fcps_json *list = fcps_json_array();
  fcps_json_add(&list, fcps_json_from_bool(false));
  fcps_json_put(&json, "list", list);
  fcps_json_put(&json, "zeta", fcps_json_from_integer(7)); /* set again: keeps its place */
  char *text = fcps_json_write(json);
  assert_string_equal(text, "{\"zeta\":7,\"alpha\":[1.5,-2.0],\"text\":\"a\\n\\\"b\\\" \xC3\xA9\",\"none\":null,"
                            "\"yes\":true,\"list\":[false]}");
  fcps_free(text);
  fcps_json_destroy(json);
  fcps_json_destroy(NULL);
}

static void any_kind_of_value_may_stand_alone(void **state)
{
  (void)state;
  static const char *const texts[] = {"1", "-2.5", "\"x\"", "true", "null", "[]", "{}", "[[[]]]"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    assert_rewritten(texts[i], texts[i]);
  assert_rewritten(" { \"a\" :\n[ 1 , 2 ] } \n", "{\"a\":[1,2]}");
}

static void doubles_keep_every_bit(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < 20000; i++) {
    const uint64_t bits = fcps_rng_below(&rng, UINT64_MAX);
    double value, back = 0;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    fcps_json *json = fcps_json_from_number(value);
    char *text = fcps_json_write(json);
    fcps_json *again = parse(text);
    assert_true(fcps_json_number(again, &back));
    assert_memory_equal(&value, &back, sizeof value);
    fcps_free(text);
    fcps_json_destroy(json);
    fcps_json_destroy(again);
  }
}

static void numbers_that_json_lacks_are_words(void **state)
{
  (void)state;
  const double values[] = {NAN, INFINITY, -INFINITY};
  fcps_json *json = fcps_json_from_numbers(3, values);
  char *text = fcps_json_write(json);
  assert_string_equal(text, "[\"nan\",\"inf\",\"-inf\"]");
  double back[3];
  assert_true(fcps_json_numbers(json, 3, back));
  assert_true(isnan(back[0]) && back[1] == INFINITY && back[2] == -INFINITY);
  fcps_free(text);
  fcps_json_destroy(json);
}

static void bytes_that_are_no_utf8_are_replaced(void **state)
{
  (void)state;
  /* a lone continuation, an overlong slash, a surrogate, a cut character, beyond the last code point */
  static const char *const cases[][2] = {
      {"a\x80z", "a\xEF\xBF\xBDz"},
      {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"x\xE2\x82", "x\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"\xFF", "\xEF\xBF\xBD"},
      {"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fcps_json *json = fcps_json_from_text(cases[i][0]);
    assert_non_null(json);
    assert_string_equal(fcps_json_text(json), cases[i][1]);
    fcps_json_destroy(json);
  }
  assert_null(fcps_json_from_text(NULL));
}

static void looking_inside_finds_what_is_there(void **state)
{
  (void)state;
  fcps_json *json = parse("{\"b\": 1, \"a\": [2.5, \"t\", true, null], \"c\": \"inf\"}");
  const fcps_json *list = fcps_json_get(json, "a");
  double number;
  int64_t integer;
  bool truth;

  assert_true(fcps_json_is_object(json) && !fcps_json_is_array(json) && !fcps_json_is_null(json));
  assert_int_equal(fcps_json_count(json), 3);
  assert_string_equal(fcps_json_key(json, 0), "b");
  assert_string_equal(fcps_json_key(json, 1), "a");
  assert_string_equal(fcps_json_key(json, 2), "c");
  assert_true(fcps_json_is_array(list));
  assert_int_equal(fcps_json_count(list), 4);
  assert_true(fcps_json_integer(fcps_json_get(json, "b"), &integer) && integer == 1);
  assert_true(fcps_json_number(fcps_json_get(json, "b"), &number) && number == 1);
  assert_true(fcps_json_number(fcps_json_at(list, 0), &number) && number == 2.5);
  assert_string_equal(fcps_json_text(fcps_json_at(list, 1)), "t");
  assert_true(fcps_json_bool(fcps_json_at(list, 2), &truth) && truth);
  assert_true(fcps_json_is_null(fcps_json_at(list, 3)));
  assert_true(fcps_json_number(fcps_json_get(json, "c"), &number) && number == INFINITY);
  fcps_json_destroy(json);
}

static void looking_for_what_is_not_there_finds_nothing(void **state)
{
  (void)state;
  fcps_json *json = parse("{\"b\": 1.5, \"a\": [2, \"t\"]}");
  const fcps_json *list = fcps_json_get(json, "a"), *real = fcps_json_get(json, "b"), *text = fcps_json_at(list, 1);
  double number = 99, numbers[2] = {99, 99};
  int64_t integer = 99;
  bool truth;

  assert_null(fcps_json_get(json, "x"));
  assert_null(fcps_json_get(list, "a"));
  assert_null(fcps_json_get(NULL, "a"));
  assert_null(fcps_json_at(list, 2));
  assert_null(fcps_json_at(list, -1));
  assert_null(fcps_json_at(json, 0));
  assert_null(fcps_json_key(json, 2));
  assert_null(fcps_json_key(json, -1));
  assert_null(fcps_json_key(list, 0));
  assert_int_equal(fcps_json_count(real), 0);
  assert_int_equal(fcps_json_count(NULL), 0);
  assert_false(fcps_json_number(text, &number));
  assert_false(fcps_json_number(NULL, &number));
  assert_false(fcps_json_integer(real, &integer));
  assert_false(fcps_json_integer(NULL, &integer));
  assert_false(fcps_json_bool(real, &truth));
  assert_false(fcps_json_bool(NULL, &truth));
  assert_null(fcps_json_text(real));
  assert_null(fcps_json_text(NULL));
  assert_false(fcps_json_is_null(NULL));
  assert_false(fcps_json_numbers(list, 2, numbers)); /* the second is a text */
  assert_false(fcps_json_numbers(list, 1, numbers));
  assert_false(fcps_json_numbers(real, 1, numbers));
  assert_true(number == 99 && integer == 99 && numbers[0] == 99);
  fcps_json_destroy(json);
}

static void a_whole_number_may_be_written_with_a_point(void **state)
{
  (void)state;
  fcps_json *json = parse("[7, 7.0, -3.0, 7.5, 1e300, \"7\"]");
  int64_t value = 99;
  assert_true(fcps_json_whole(fcps_json_at(json, 0), &value) && value == 7);
  assert_true(fcps_json_whole(fcps_json_at(json, 1), &value) && value == 7);
  assert_true(fcps_json_whole(fcps_json_at(json, 2), &value) && value == -3);
  for (int i = 3; i < 6; i++)
    assert_false(fcps_json_whole(fcps_json_at(json, i), &value));
  assert_false(fcps_json_whole(NULL, &value));
  assert_int_equal(value, -3);
  fcps_json_destroy(json);
}

/* A step that fails: an integer or nothing, put into a new array or object under a key or at its end. */
static fcps_json *fail_step(bool is_array, const char *key, fcps_json *value)
{
  fcps_json *json = is_array ? fcps_json_array() : fcps_json_object();
  if (key != NULL)
    fcps_json_put(&json, key, value);
  else
    fcps_json_add(&json, value);
  return json;
}

static void a_step_that_fails_leaves_nothing_of_what_was_built(void **state)
{
  (void)state;
  assert_null(fail_step(true, "a", fcps_json_from_integer(1)));
  assert_null(fail_step(false, NULL, fcps_json_from_integer(1)));
  assert_null(fail_step(false, "\xFF", fcps_json_from_integer(1)));
  assert_null(fail_step(false, "a", NULL));
  assert_null(fail_step(true, NULL, NULL));
}

static void after_a_failed_step_the_others_only_free_what_they_are_given(void **state)
{
  (void)state;
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "a", fcps_json_from_integer(1));
  fcps_json_put(&json, "b", NULL);
  fcps_json_put(&json, "c", fcps_json_from_integer(3));
  fcps_json_add(&json, fcps_json_from_integer(4));
  assert_null(json);
  assert_null(fcps_json_finish(json));
}

static void every_malformed_text_is_refused_with_its_place(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int line;
    const char *words;
  } cases[] = {
      {"", 1, "end of file"},
      {"{\"a\":1,\"a\":2}", 1, "has one key twice: duplicate"},
      {"{\"a\":\n1} x", 2, "end of file expected"},
      {"[1,\n2", 2, "expected"},
      {"[1,]", 1, "unexpected"},
      {"{\"a\" 1}", 1, "expected"},
      {"{a: 1}", 1, "expected"},
      {"nan", 1, "invalid token"},
      {"[01]", 1, "invalid token"},
      {"1e999", 1, "has a number that is too large"},
      {"12345678901234567890", 1, "has a number that is too large"},
      {"\"\xFF\"", 1, "0xff"},
      {"\"open", 1, "premature end"},
      {"\"a\nb\"", 1, "newline"},
      {"\"\\u0000\"", 1, "not allowed"},
      {"// no comments\n1", 1, "invalid token"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fcps_json *json = NULL;
    fcps_error error;
    assert_status(fcps_json_read(&json, cases[i].text, strlen(cases[i].text), "a.json", &error), FCPS_ERR_FORMAT);
    assert_null(json);
    assert_string_equal(error.file, "a.json");
    assert_int_equal(error.line, cases[i].line);
    assert_true(error.column >= 1);
    if (strstr(error.message, cases[i].words) == NULL) fail_msg("\"%s\" lacks \"%s\"", error.message, cases[i].words);
  }
}

static void nesting_is_allowed_to_level_64_and_no_deeper(void **state)
{
  (void)state;
  fcps_json *json;
  fcps_error error;
  char text[200] = "\n";
  for (int i = 0; i < 64; i++)
    strcat(text, "[");
  for (int i = 0; i < 64; i++)
    strcat(text, "]");
  assert_ok(fcps_json_read(&json, text, strlen(text), "test", NULL));
  fcps_json_destroy(json);

  memmove(text + 2, text + 1, strlen(text));
  text[1] = '[';
  strcat(text, "]");
  assert_status(fcps_json_read(&json, text, strlen(text), "test", &error), FCPS_ERR_FORMAT);
  assert_int_equal(error.line, 2);
  assert_int_equal(error.column, 65);
  assert_non_null(strstr(error.message, "64"));
}

static void brackets_inside_texts_are_no_nesting(void **state)
{
  (void)state;
  char text[300] = "[\"\\\"";
  for (int i = 0; i < 100; i++)
    strcat(text, "[");
  strcat(text, "\\\\\"]");
  fcps_json *json = parse(text);
  assert_int_equal(fcps_json_count(json), 1);
  fcps_json_destroy(json);
}

static const char *fruit(int index)
{
  static const char *const names[] = {"apple", "pear", "quince"};
  return index >= 0 && index < 3 ? names[index] : NULL;
}

static void a_choice_is_read_by_its_name(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int index; /* -1: refused */
  } cases[] = {
      {"\"apple\"", 0}, {"\"quince\"", 2}, {"1", -1},       {"2.0", -1},  {"3", -1},    {"-1", -1},  {"0.5", -1},
      {"1e300", -1},    {"\"nan\"", -1},   {"\"pea\"", -1}, {"\"\"", -1}, {"null", -1}, {"[0]", -1}, {"true", -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_json *json = parse(cases[i].text);
    int index = -1;
    const bool is_read = fcps_json_choice(json, fruit, &index);
    if (is_read != (cases[i].index >= 0) || index != cases[i].index) fail_msg("%s is read as %d", cases[i].text, index);
    fcps_json_destroy(json);
  }
  int index;
  assert_false(fcps_json_choice(NULL, fruit, &index));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_built_value_is_written_on_one_line_in_the_order_set),
      cmocka_unit_test(a_whole_number_may_be_written_with_a_point),
      cmocka_unit_test(any_kind_of_value_may_stand_alone),
      cmocka_unit_test(doubles_keep_every_bit),
      cmocka_unit_test(numbers_that_json_lacks_are_words),
      cmocka_unit_test(bytes_that_are_no_utf8_are_replaced),
      cmocka_unit_test(looking_inside_finds_what_is_there),
      cmocka_unit_test(looking_for_what_is_not_there_finds_nothing),
      cmocka_unit_test(a_step_that_fails_leaves_nothing_of_what_was_built),
      cmocka_unit_test(after_a_failed_step_the_others_only_free_what_they_are_given),
      cmocka_unit_test(every_malformed_text_is_refused_with_its_place),
      cmocka_unit_test(nesting_is_allowed_to_level_64_and_no_deeper),
      cmocka_unit_test(brackets_inside_texts_are_no_nesting),
      cmocka_unit_test(a_choice_is_read_by_its_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
