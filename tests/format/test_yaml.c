/* SPDX-License-Identifier: Apache-2.0 */
/* YAML: the tree with lines and columns, every malformed file, and every wrong value with its position. */
#include "format/yaml.h"

#include "base/rng.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char throw_yaml[] = "# a problem\n"
                                 "name: throw\n"
                                 "target:      {x: [-11, 11], y: [-11, 11]}\n"
                                 "environment: {}\n"
                                 "parameters:\n"
                                 "  turn:  {range: [0, 6.283185], unit: rad}\n"
                                 "  speed: {range: [0.1, 5], unit: 'm/s'}\n"
                                 "outcome: [land_x, land_y]\n"
                                 "reward: -distance - 0.05*speed^2   # as in the paper\n"
                                 "episodes: 150\n"
                                 "noise: off\n"
                                 "comment: \"\"\n"
                                 "nothing:\n";

static fcps_yaml *parse(const char *text)
{
  fcps_yaml *yaml = NULL;
  fcps_error error;
  if (fcps_yaml_read_text(&yaml, text, strlen(text), "test.yaml", &error) != FCPS_OK)
    fail_msg("%d:%d: %s", error.line, error.column, error.message);
  return yaml;
}

static void a_file_becomes_a_tree_in_its_order(void **state)
{
  (void)state;
  static const char *const keys[] = {"name",   "target",   "environment", "parameters", "outcome",
                                     "reward", "episodes", "noise",       "comment",    "nothing"};
  fcps_yaml *yaml = parse(throw_yaml);
  const fcps_yaml_node *root = fcps_yaml_root(yaml);
  assert_string_equal(fcps_yaml_file(yaml), "test.yaml");
  assert_int_equal(root->kind, FCPS_YAML_MAP);
  assert_int_equal(root->count, 10);
  for (int i = 0; i < 10; i++) {
    assert_string_equal(root->keys[i], keys[i]);
    assert_ptr_equal(root->children[i], fcps_yaml_get(root, keys[i]));
  }
  const fcps_yaml_node *outcome = fcps_yaml_get(root, "outcome");
  assert_int_equal(outcome->kind, FCPS_YAML_LIST);
  assert_int_equal(outcome->count, 2);
  assert_string_equal(outcome->children[1]->text, "land_y");
  assert_int_equal(fcps_yaml_get(root, "environment")->kind, FCPS_YAML_MAP);
  assert_int_equal(fcps_yaml_get(root, "environment")->count, 0);
  assert_string_equal(fcps_yaml_get(root, "reward")->text, "-distance - 0.05*speed^2");
  fcps_yaml_destroy(yaml);
  fcps_yaml_destroy(NULL);
}

static void every_node_knows_its_position_and_its_quotes(void **state)
{
  (void)state;
  fcps_yaml *yaml = parse(throw_yaml);
  const fcps_yaml_node *speed = fcps_yaml_get(fcps_yaml_get(fcps_yaml_root(yaml), "parameters"), "speed");
  const fcps_yaml_node *unit = fcps_yaml_get(speed, "unit"), *range = fcps_yaml_get(speed, "range");
  assert_int_equal(speed->line, 7);
  assert_int_equal(speed->column, 10);
  assert_int_equal(unit->line, 7);
  assert_int_equal(unit->column, 34);
  assert_true(unit->is_quoted);
  assert_false(range->children[0]->is_quoted);
  assert_int_equal(range->children[1]->column, 24);
  fcps_yaml_destroy(yaml);
}

static void columns_count_characters(void **state)
{
  (void)state;
  fcps_yaml *yaml = parse("\xC3\xA9\xC3\xA9: x\n");
  assert_int_equal(fcps_yaml_root(yaml)->children[0]->column, 5);
  fcps_yaml_destroy(yaml);
}

static void a_byte_order_mark_and_an_explicit_start_are_understood(void **state)
{
  (void)state;
  fcps_yaml *yaml = parse("\xEF\xBB\xBF"
                          "---\na: 1\n...\n");
  assert_string_equal(fcps_yaml_get(fcps_yaml_root(yaml), "a")->text, "1");
  fcps_yaml_destroy(yaml);
}

static void a_text_or_list_may_be_the_whole_file(void **state)
{
  (void)state;
  fcps_yaml *yaml = parse("just text\n");
  assert_int_equal(fcps_yaml_root(yaml)->kind, FCPS_YAML_TEXT);
  assert_null(fcps_yaml_get(fcps_yaml_root(yaml), "a"));
  assert_null(fcps_yaml_get(NULL, "a"));
  fcps_yaml_destroy(yaml);
  yaml = parse("- a\n- b: c\n- [d, e]\n");
  assert_int_equal(fcps_yaml_root(yaml)->count, 3);
  assert_null(fcps_yaml_get(fcps_yaml_root(yaml), "b"));
  fcps_yaml_destroy(yaml);
}

/* -- Refusals -- */

static void assert_refused(const char *text, size_t length, int line, int column, const char *field, const char *words)
{
  fcps_yaml *yaml = NULL;
  fcps_error error;
  assert_status(fcps_yaml_read_text(&yaml, text, length, "a.yaml", &error), FCPS_ERR_FORMAT);
  assert_null(yaml);
  assert_string_equal(error.file, "a.yaml");
  if (error.line != line || error.column != column || strstr(error.message, words) == NULL)
    fail_msg("%d:%d: %s; expected %d:%d and \"%s\"", error.line, error.column, error.message, line, column, words);
  assert_string_equal(error.field, field);
}

static void a_zero_byte_does_not_hide_what_follows(void **state)
{
  (void)state;
  static const char text[] = "a: 1\n\0bogus: [\n";
  assert_refused(text, sizeof text - 1, 2, 0, "", "zero byte");
}

static void every_malformed_file_is_refused_with_its_position(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int line, column;
    const char *field, *words;
  } cases[] = {
      {"", 1, 1, "", "empty"},
      {"# only words\n\n", 1, 1, "", "empty"},
      {"a: 1\nb: 2\na: 3\n", 3, 1, "a", "first in line 1"},
      {"a: 1\nb: 1\na: 2\nb: 2\n", 3, 1, "a", "first in line 1"},
      {"b: 1\na: 1\nb: 2\na: 2\n", 3, 1, "b", "first in line 1"},
      {"x:\n  {b: 1, 'b': 2}\n", 2, 10, "b", "first in line 2"},
      {"a: &one 1\nb: *one\n", 2, 4, "", "aliases"},
      {"a: &one {b: 1}\n<<: *one\n", 2, 5, "", "aliases"},
      {"&a a: 1\n*a : 2\n", 2, 1, "", "aliases"},
      {"&a [*a]\n", 1, 5, "", "aliases"},
      {"a: 1\n---\nb: 2\n", 2, 1, "", "second document"},
      {"a: 1\n...\n--- x\n", 3, 1, "", "second document"},
      {"a: 1\nb: \xFF\n", 2, 4, "", "UTF-8"},
      {"\xC3\xA9: 1\n\xC3\xA9: \xC3(\n", 2, 5, "", "UTF-8"}, /* at the byte that should continue */
      {"a: \xED\xA0\x80\n", 1, 4, "", "UTF-8"},
      {"a: \x01\n", 1, 4, "", "control characters"},
      {"\xFF\xFE"
       "a",
       1, 1, "", "UTF-8"},
      {"a: [1, 2\nb: 3\n", 2, 2, "", "expected ',' or ']'"},
      {"a: {b: ]\n", 1, 8, "", "not YAML"},
      {"a: b: c\n", 1, 5, "", "mapping values"},
      {"a:\n\t- b\n", 2, 1, "", "cannot start any token"},
      {"\xC3\xA9:\n\t- b\n", 2, 1, "", "It is a tab"},
      {"a:\n  unit: %\n", 2, 9, "", "A text that begins with % needs quotes: \"%\""},
      {"a: {b: 1,\n\xC3\xA9: @}\n", 2, 4, "", "while scanning for the next token"},
      {"a: 'open\n", 2, 1, "", "end of stream"},
      {"a: \"zero \\0\"\n", 1, 4, "", "\\0"},
      {"[a, b]: 1\n", 1, 1, "", "a key must be a text"},
      {"? {a: 1}\n: 1\n", 1, 3, "", "a key must be a text"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_refused(cases[i].text, strlen(cases[i].text), cases[i].line, cases[i].column, cases[i].field,
                   cases[i].words);
}

static void nesting_is_allowed_to_level_64_and_no_deeper(void **state)
{
  (void)state;
  char text[200] = "";
  for (int i = 0; i < 63; i++)
    strcat(text, "[");
  strcat(text, "x");
  for (int i = 0; i < 63; i++)
    strcat(text, "]");
  fcps_yaml_destroy(parse(text));

  memmove(text + 1, text, strlen(text) + 1);
  text[0] = '[';
  strcat(text, "]");
  assert_refused(text, strlen(text), 1, 65, "", "64");
}

static void a_file_over_a_mebibyte_is_refused(void **state)
{
  (void)state;
  const size_t limit = 1 << 20;
  char *text = malloc(limit + 1);
  memset(text, ' ', limit + 1);
  memcpy(text, "a: b #", 6);
  fcps_yaml *yaml;
  assert_ok(fcps_yaml_read_text(&yaml, text, limit, "large", NULL));
  fcps_yaml_destroy(yaml);
  assert_refused(text, limit + 1, 0, 0, "", "1048576 bytes");
  free(text);
}

static void many_keys_are_checked_quickly(void **state)
{
  (void)state;
  /* quadratic time would show: 80 000 keys make 3e9 pairs */
  enum { KEYS = 80000 };
  char *text = malloc(KEYS * 13);
  size_t length = 0;
  for (int i = 0; i < KEYS; i++)
    length += (size_t)sprintf(text + length, "k%d: v\n", i);
  fcps_yaml *yaml;
  assert_ok(fcps_yaml_read_text(&yaml, text, length, "large", NULL));
  assert_int_equal(fcps_yaml_root(yaml)->count, KEYS);
  fcps_yaml_destroy(yaml);
  length += (size_t)sprintf(text + length, "k7: v\n");
  assert_refused(text, length, KEYS + 1, 1, "k7", "first in line 8");
  free(text);
}

static void mutated_files_never_crash(void **state)
{
  (void)state;
  static const char spice[] = "[]{}:,&*!|>'\"%@`#?-\n\t \xFF\xC3";
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  const size_t length = sizeof throw_yaml - 1;
  int refused = 0;
  for (int i = 0; i < 5000; i++) {
    char text[sizeof throw_yaml];
    memcpy(text, throw_yaml, sizeof text);
    for (int j = 0; j < 3; j++)
      text[fcps_rng_below(&rng, length)] = spice[fcps_rng_below(&rng, sizeof spice - 1)];
    fcps_yaml *yaml = NULL;
    fcps_error error;
    if (fcps_yaml_read_text(&yaml, text, length, "mutated", &error) != FCPS_OK) {
      refused++;
      assert_null(yaml);
      assert_true(error.line >= 1 && error.column >= 1 && error.message[0]);
    } else {
      fcps_yaml_destroy(yaml);
    }
  }
  assert_in_range(refused, 500, 4900);
}

/* -- Values -- */

static void values_are_read(void **state)
{
  (void)state;
  fcps_yaml *yaml = parse(throw_yaml);
  const fcps_yaml_node *root = fcps_yaml_root(yaml);
  double number;
  int64_t integer;
  bool truth = true;
  const char *text;
  assert_ok(fcps_yaml_number(yaml, fcps_yaml_get(root, "episodes"), "episodes", &number, NULL));
  assert_true(number == 150);
  assert_ok(fcps_yaml_integer(yaml, fcps_yaml_get(root, "episodes"), "episodes", &integer, NULL));
  assert_int_equal(integer, 150);
  assert_ok(fcps_yaml_bool(yaml, fcps_yaml_get(root, "noise"), "noise", &truth, NULL));
  assert_false(truth);
  assert_ok(fcps_yaml_text(yaml, fcps_yaml_get(root, "name"), "name", &text, NULL));
  assert_string_equal(text, "throw");
  assert_ok(fcps_yaml_text(yaml, fcps_yaml_get(root, "comment"), "comment", &text, NULL));
  assert_string_equal(text, "");
  assert_ok(fcps_yaml_expect(yaml, root, FCPS_YAML_MAP, "", NULL));
  assert_ok(fcps_yaml_expect(yaml, fcps_yaml_get(root, "outcome"), FCPS_YAML_LIST, "outcome", NULL));
  fcps_yaml_destroy(yaml);
}

/* Reads a value as what `kind` says. n: number, i: integer, b: bool, t: text, l: list, m: map */
static fcps_status read_as(char kind, const fcps_yaml *yaml, const fcps_yaml_node *node, const char *key,
                           fcps_error *error)
{
  double number;
  int64_t integer;
  bool truth;
  const char *text;
  switch (kind) {
  case 'n':
    return fcps_yaml_number(yaml, node, key, &number, error);
  case 'i':
    return fcps_yaml_integer(yaml, node, key, &integer, error);
  case 'b':
    return fcps_yaml_bool(yaml, node, key, &truth, error);
  case 't':
    return fcps_yaml_text(yaml, node, key, &text, error);
  case 'l':
    return fcps_yaml_expect(yaml, node, FCPS_YAML_LIST, key, error);
  case 'm':
    return fcps_yaml_expect(yaml, node, FCPS_YAML_MAP, key, error);
  }
  return FCPS_OK;
}

static void every_wrong_value_is_refused_with_position_field_and_expectation(void **state)
{
  (void)state;
  fcps_yaml *yaml = parse("a: \"1.5\"\nb: 1,5\nc: [1]\nd: .inf\ne: nan\nf: {}\ng:\nh: 2.5\n");
  const fcps_yaml_node *root = fcps_yaml_root(yaml);
  static const struct {
    const char *key;
    char kind; /* see read_as */
    fcps_status status;
    int line;
    const char *words;
  } cases[] = {
      {"a", 'n', FCPS_ERR_FORMAT, 1, "expected a number, got the quoted text \"1.5\""},
      {"b", 'n', FCPS_ERR_FORMAT, 2, "expected a number, got the text \"1,5\""},
      {"c", 'n', FCPS_ERR_FORMAT, 3, "expected a number, got a list"},
      {"d", 'n', FCPS_ERR_FORMAT, 4, "expected a number"},
      {"e", 'n', FCPS_ERR_NOT_FINITE, 5, "finite"},
      {"f", 'n', FCPS_ERR_FORMAT, 6, "got a map"},
      {"g", 'n', FCPS_ERR_FORMAT, 7, "got nothing"},
      {"missing", 'n', FCPS_ERR_FORMAT, 0, "is missing; give a number"},
      {"h", 'i', FCPS_ERR_FORMAT, 8, "expected a whole number"},
      {"missing", 'i', FCPS_ERR_FORMAT, 0, "is missing"},
      {"h", 'b', FCPS_ERR_FORMAT, 8, "expected true or false"},
      {"a", 'b', FCPS_ERR_FORMAT, 1, "expected true or false"},
      {"c", 't', FCPS_ERR_FORMAT, 3, "expected a text, got a list"},
      {"g", 't', FCPS_ERR_FORMAT, 7, "expected a text, got nothing"},
      {"missing", 't', FCPS_ERR_FORMAT, 0, "is missing; give a text"},
      {"f", 'l', FCPS_ERR_FORMAT, 6, "expected a list, got a map"},
      {"c", 'm', FCPS_ERR_FORMAT, 3, "expected a map, got a list"},
      {"missing", 'm', FCPS_ERR_FORMAT, 0, "is missing; give a map"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const fcps_yaml_node *node = fcps_yaml_get(root, cases[i].key);
    fcps_error error;
    assert_status(read_as(cases[i].kind, yaml, node, cases[i].key, &error), cases[i].status);
    assert_string_equal(error.file, "test.yaml");
    assert_string_equal(error.field, cases[i].key);
    assert_int_equal(error.line, cases[i].line);
    assert_int_equal(error.column, cases[i].line == 0 ? 0 : node->column);
    if (strstr(error.message, cases[i].words) == NULL) fail_msg("\"%s\" lacks \"%s\"", error.message, cases[i].words);
  }
  fcps_yaml_destroy(yaml);
}

static void an_unknown_key_is_refused_where_it_stands_with_the_nearest(void **state)
{
  (void)state;
  static const char *const known[] = {"name", "target", "reward", NULL};
  static const char *const none[] = {NULL};
  fcps_yaml *yaml = parse("name: a\ntragets:\n  x: 1\n");
  const fcps_yaml_node *root = fcps_yaml_root(yaml);
  fcps_error error;
  assert_status(fcps_yaml_only(yaml, root, known, &error), FCPS_ERR_UNKNOWN_NAME);
  assert_string_equal(error.field, "tragets");
  assert_int_equal(error.line, 2);
  assert_int_equal(error.column, 1);
  assert_non_null(strstr(error.message, "did you mean target? Choose from: name, target, reward"));
  assert_status(fcps_yaml_only(yaml, root, none, &error), FCPS_ERR_UNKNOWN_NAME);
  assert_status(fcps_yaml_only(yaml, fcps_yaml_get(root, "name"), known, &error), FCPS_ERR_FORMAT);
  fcps_yaml_destroy(yaml);

  yaml = parse("reward: a\nname: b\n");
  assert_ok(fcps_yaml_only(yaml, fcps_yaml_root(yaml), known, &error));
  fcps_yaml_destroy(yaml);
}

static void an_error_of_the_caller_gets_the_position_of_its_node(void **state)
{
  (void)state;
  fcps_yaml *yaml = parse("a:\n  b: 7\n");
  const fcps_yaml_node *node = fcps_yaml_get(fcps_yaml_get(fcps_yaml_root(yaml), "a"), "b");
  fcps_error error;
  char text[128];
  assert_status(fcps_yaml_error(yaml, node, FCPS_ERR_BOUNDS, "a.b", &error, "%s is more than %d", node->text, 5),
                FCPS_ERR_BOUNDS);
  assert_string_equal(fcps_error_format(&error, sizeof text, text), "test.yaml:2:6: a.b: 7 is more than 5");
  fcps_yaml_destroy(yaml);
}

static void a_file_is_read_and_a_missing_one_refused(void **state)
{
  (void)state;
  char path[] = "/tmp/fcps-test-yaml-XXXXXX";
  const int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  assert_int_equal(write(descriptor, "a: 1\na: 2\n", 10), 10);
  close(descriptor);
  fcps_yaml *yaml;
  fcps_error error, missing;
  const fcps_status status = fcps_yaml_read_file(&yaml, path, &error);
  unlink(path);
  assert_status(status, FCPS_ERR_FORMAT);
  assert_string_equal(error.file, path);
  assert_int_equal(error.line, 2);
  assert_status(fcps_yaml_read_file(&yaml, path, &missing), FCPS_ERR_IO);
  assert_string_equal(missing.file, path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_becomes_a_tree_in_its_order),
      cmocka_unit_test(every_node_knows_its_position_and_its_quotes),
      cmocka_unit_test(columns_count_characters),
      cmocka_unit_test(a_byte_order_mark_and_an_explicit_start_are_understood),
      cmocka_unit_test(a_text_or_list_may_be_the_whole_file),
      cmocka_unit_test(every_malformed_file_is_refused_with_its_position),
      cmocka_unit_test(nesting_is_allowed_to_level_64_and_no_deeper),
      cmocka_unit_test(a_file_over_a_mebibyte_is_refused),
      cmocka_unit_test(many_keys_are_checked_quickly),
      cmocka_unit_test(mutated_files_never_crash),
      cmocka_unit_test(values_are_read),
      cmocka_unit_test(every_wrong_value_is_refused_with_position_field_and_expectation),
      cmocka_unit_test(an_unknown_key_is_refused_where_it_stands_with_the_nearest),
      cmocka_unit_test(an_error_of_the_caller_gets_the_position_of_its_node),
      cmocka_unit_test(a_zero_byte_does_not_hide_what_follows),
      cmocka_unit_test(a_file_is_read_and_a_missing_one_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
