/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a dimension in a problem file: allowed forms, copies, and messages about mistakes. */
#include "problem/problem.h"
#include "space/space.h"

#include <fcps/problem_file.h>

#include "check.h"

#include <stdio.h>
#include <string.h>

static fcps_problem_file *parse(const char *yaml)
{
  fcps_problem_file *f = NULL;
  fcps_error error = {0};
  if (fcps_problem_file_parse(&f, yaml, strlen(yaml), "a.yaml", NULL, &error) != FCPS_OK)
    fail_msg("%d:%d %s: %s", error.line, error.column, error.field, error.message);
  return f;
}

static const char whole[] = "environment:\n"
                            "  bean: {choices: {kenya: {acid: 5, body: 1}, brazil: {body: 3, acid: 2}}}\n"
                            "  robot: {choices: [a, b, c], alike: true}\n"
                            "parameters:\n"
                            "  gate: [tab, pin, 'two words']\n"
                            "  level: {choices: [low, mid, high], ordered: true}\n"
                            "  lanes: {choices: [1, 2, 4]}\n"
                            "  fan: [on, off]\n"
                            "  speed: [0, 1]\n"
                            "outcome: [y]\n"
                            "reward: -y\n"
                            "safe: [{gate: pin, level: mid, lanes: 4, fan: off, speed: 0.5, bean: brazil}]\n"
                            "contexts: {boxes: [{bean: brazil}, {robot: c}]}\n";

static void every_form_is_read_as_it_is_written(void **state)
{
  (void)state;
  fcps_problem_file *f = parse(whole);
  const fcps_dimension *p = f->problem.parameters.dims, *bean = &f->problem.environment.dims[0];
  assert_string_equal(p[0].choices->words[2], "two words");
  assert_near(p[0].upper, 2, 0);
  assert_int_equal(p[0].scale, FCPS_SCALE_INTEGER);
  assert_true(p[1].choices->is_ordered && !p[1].choices->is_alike);
  assert_string_equal(p[2].choices->words[2], "4");
  assert_string_equal(p[3].choices->words[0], "on");
  assert_null(p[4].choices);
  assert_true(f->problem.environment.dims[1].choices->is_alike);
  const double known[] = {5, 1, 2, 3};
  assert_string_equal(bean->choices->properties[1], "body");
  assert_memory_equal(bean->choices->known, known, sizeof known);
  assert_near(f->problem.safe[0].parameters[0], 1, 0);
  assert_near(f->problem.safe[0].parameters[2], 2, 0);
  assert_near(f->problem.safe[0].environment[0], 1, 0);
  const double boxes[] = {1, 1, 0, 2, 0, 1, 2, 2};
  assert_memory_equal(f->boxes, boxes, sizeof boxes);
  assert_string_equal(fcps_dimension_word(&p[0], 1), "pin");
  assert_null(fcps_dimension_word(&p[0], 0.5));
  assert_null(fcps_dimension_word(&p[0], 3));
  assert_null(fcps_dimension_word(&p[4], 0));
  assert_int_equal(fcps_choices_find(p[0].choices, "tab"), 0);
  assert_int_equal(fcps_choices_find(p[0].choices, "Tab"), -1);
  assert_int_equal(fcps_choices_find(NULL, "tab"), -1);
  fcps_problem_file_destroy(f);
}

static void a_copy_outlives_its_file(void **state)
{
  (void)state;
  fcps_problem_file *f = parse(whole);
  fcps_problem copy;
  assert_ok(fcps_problem_copy(&f->problem, &copy));
  assert_null(fcps_problem_differing_space(&f->problem, &copy));
  fcps_problem_file_destroy(f);
  assert_string_equal(copy.environment.dims[0].choices->properties[0], "acid");
  assert_string_equal(copy.parameters.dims[0].choices->words[1], "pin");
  fcps_problem_free(&copy);
}

static void problems_with_other_words_differ(void **state)
{
  (void)state;
  static const char *const changes[][2] = {{"pin", "pen"},
                                           {"ordered: true", "ordered: false"},
                                           {"alike: true", "alike: off"},
                                           {"acid: 2", "acid: 3"},
                                           {"body: 1", "body: 4"}};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    char other[sizeof whole + 32] = "";
    const char *from = changes[i][0], *rest = whole;
    for (const char *at = strstr(rest, from); at != NULL; rest = at + strlen(from), at = strstr(rest, from)) {
      strncat(other, rest, (size_t)(at - rest));
      strcat(other, changes[i][1]);
    }
    strcat(other, rest);
    fcps_problem_file *a = parse(whole), *b = parse(other);
    if (fcps_problem_differing_space(&a->problem, &b->problem) == NULL) fail_msg("%s", from);
    fcps_problem_file_destroy(a);
    fcps_problem_file_destroy(b);
  }
}

static void many_words_are_read(void **state)
{
  (void)state;
  static char yaml[FCPS_WORDS_MAX * 12 + 200];
  strcpy(yaml, "outcome: [y]\nreward: -y\nparameters:\n  solvent:\n    choices:\n");
  for (int i = 0; i < FCPS_WORDS_MAX; i++)
    snprintf(yaml + strlen(yaml), 16, "    - w%d\n", i);
  fcps_problem_file *f = parse(yaml);
  assert_string_equal(fcps_dimension_word(f->problem.parameters.dims, FCPS_WORDS_MAX - 1), "w999");
  fcps_problem_file_destroy(f);
}

static void every_mistake_is_explained_at_its_place(void **state)
{
  (void)state;
  static const struct mistake {
    const char *dimension;
    int column;
    const char *words;
  } mistakes[] = {
      {"{choices: [a]}", 7, "1 word to choose from; give 2 to 1000"},
      {"{choices: a}", 17, "expected the words to choose from, as in [soft, medium, hard]."},
      {"{choices: [a, b, a]}", 7, "the word \"a\" is given twice"},
      {"{choices: [a, 'b, c']}", 7, "has a comma"},
      {"{choices: [a, '']}", 7, "word 2 is empty"},
      {"{choices: [a, [b]]}", 21, "expected a text"},
      {"{choices: [a, b], range: [0, 1]}", 25, "choose from: choices, ordered, alike"},
      {"{choices: [a, b], order: true}", 25, "ordered"},
      {"{choices: [a, b], ordered: 3}", 34, "true or false"},
      {"{choices: [a, b], ordered: true, alike: true}", 7, "both ordered and alike"},
      {"{choices: {a: {x: 1}, b: {}}}", 32, "'x' is missing; every word needs the same properties"},
      {"{choices: {a: {x: 1}, b: {x: 2, y: 1}}}", 39, "y"},
      {"{choices: {a: {x: soft}, b: {x: 2}}}", 25, "a number"},
      {"{choices: {a: 1, b: 2}}", 21, "a map"},
      {"[3mm, 5mm]", 8, "expected a number"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    char yaml[300];
    fcps_problem_file *f = NULL;
    fcps_error error = {0};
    snprintf(yaml, sizeof yaml, "outcome: [y]\nreward: -y\nparameters:\n  p: %s\n", mistakes[i].dimension);
    const fcps_status status = fcps_problem_file_parse(&f, yaml, strlen(yaml), "a.yaml", NULL, &error);
    if (status == FCPS_OK) fail_msg("%s was read", mistakes[i].dimension);
    if (strstr(error.message, mistakes[i].words) == NULL || error.line != 4 || error.column != mistakes[i].column - 1)
      fail_msg("%s: %d:%d %s", mistakes[i].dimension, error.line, error.column, error.message);
  }
}

static void an_outcome_is_no_word_and_a_word_has_no_bounds(void **state)
{
  (void)state;
  static const char outcome[] = "parameters: {p: [0, 1]}\noutcome: {y: [good, bad]}\nreward: -p\n";
  static const char word[] = "parameters: {p: [good, bad]}\noutcome: [y]\nreward: -y\n";
  fcps_problem_file *f = NULL;
  fcps_error error = {0};
  assert_int_equal(fcps_problem_file_parse(&f, outcome, strlen(outcome), "a.yaml", NULL, &error), FCPS_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.message, "an outcome cannot be a word"));
  const fcps_setting change[] = {{"bounds.p", "0,1"}, {NULL, NULL}};
  assert_int_equal(fcps_problem_file_parse(&f, word, strlen(word), "a.yaml", change, &error), FCPS_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.message, "chooses among words"));
}

static void a_change_adds_a_word_behind_the_others(void **state)
{
  (void)state;
  const fcps_setting changes[] = {{"choices.gate", "ring"},
                                  {"choices.bean", "{rwanda: {body: 4, acid: 9}}"},
                                  {"choices.gate", "fan"},
                                  {NULL, NULL}};
  fcps_problem_file *f = NULL;
  assert_ok(fcps_problem_file_parse(&f, whole, strlen(whole), "a.yaml", changes, NULL));
  const fcps_dimension *gate = &f->problem.parameters.dims[0], *bean = &f->problem.environment.dims[0];
  assert_string_equal(fcps_dimension_word(gate, 1), "pin");
  assert_string_equal(fcps_dimension_word(gate, 4), "fan");
  assert_near(gate->upper, 4, 0);
  assert_string_equal(fcps_dimension_word(bean, 2), "rwanda");
  const double known[] = {5, 1, 2, 3, 9, 4};
  assert_memory_equal(bean->choices->known, known, sizeof known);
  fcps_problem_file_destroy(f);
  static const struct {
    fcps_setting change[2];
    const char *words;
  } mistakes[] = {{{{"choices.gat", "a"}}, "did you mean gate?"},
                  {{{"choices.speed", "a"}}, "is a number"},
                  {{{"choices.gate", "tab"}}, "is given twice"},
                  {{{"choices.gate", "{a: {b: 1}}"}}, "nothing is known of these words"},
                  {{{"choices.bean", "a"}}, "'a' needs what is known of the other words: '{a: {acid: NUMBER, ...}}'"},
                  {{{"choices.bean", "{a: {acid: 1}}"}}, "'body' is missing"}};
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    fcps_error error = {0};
    if (fcps_problem_file_parse(&f, whole, strlen(whole), "a.yaml", mistakes[i].change, &error) == FCPS_OK)
      fail_msg("%s", mistakes[i].words);
    if (strstr(error.message, mistakes[i].words) == NULL) fail_msg("%s", error.message);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form_is_read_as_it_is_written),
      cmocka_unit_test(a_copy_outlives_its_file),
      cmocka_unit_test(problems_with_other_words_differ),
      cmocka_unit_test(many_words_are_read),
      cmocka_unit_test(every_mistake_is_explained_at_its_place),
      cmocka_unit_test(a_change_adds_a_word_behind_the_others),
      cmocka_unit_test(an_outcome_is_no_word_and_a_word_has_no_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
