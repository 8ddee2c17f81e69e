/* SPDX-License-Identifier: Apache-2.0 */
/* Words in formulas: comparisons, messages about every other use, and constraints that words decide. */
#include "problem/feasible.h"
#include "problem/problem.h"
#include "space/space.h"

#include <fcps/problem_file.h>

#include "check.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"x", "gate", "level", "wanted", "pin"};
static const char *const gate_words[] = {"tab", "pin", "two words", "low-fat", "low", "2", "if"};
static const char *const level_words[] = {"low", "mid", "high"};
static const fcps_choices gates = {.count = 7, .words = gate_words};
static const fcps_choices levels = {.count = 3, .words = level_words, .is_ordered = true};
static const fcps_choices *const choices[] = {NULL, &gates, &levels, &gates, NULL};

static void words_are_compared(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double x, gate, level, wanted, value;
  } cases[] = {
      {"gate == pin", 0, 1, 0, 0, 1},
      {"gate == pin", 0, 2, 0, 0, 0},
      {"gate=='two words'", 0, 2, 0, 0, 1},
      {"gate == two words", 0, 2, 0, 0, 1},
      {"gate != \"two words\"", 0, 2, 0, 0, 0},
      {"gate == low-fat", 0, 3, 0, 0, 1},
      {"gate == low", 0, 3, 0, 0, 0},
      {"gate == 2", 0, 5, 0, 0, 1},
      {"gate == if", 0, 6, 0, 0, 1},
      {"gate == wanted", 0, 3, 0, 3, 1},
      {"gate == wanted", 0, 3, 0, 4, 0},
      {"level >= mid && level < high", 0, 0, 1, 0, 1},
      {"level >= mid && level < high", 0, 0, 2, 0, 0},
      {"3*(gate == pin) + x", 0.5, 1, 0, 0, 3.5},
      {"gate == pin ? x : level == mid ? 2*x : -x", 3, 0, 1, 0, 6},
      {"gate == tab || gate == pin && x > 2", 1, 0, 0, 0, 1},
      {"max(gate == tab, x)", 0.5, 0, 0, 0, 1},
      {"x > 2 && (gate == tab)", 3, 0, 0, 0, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_formula written = {0}, formula = {0};
    fcps_error error = {0};
    const double values[] = {cases[i].x, cases[i].gate, cases[i].level, cases[i].wanted, 0};
    double value = NAN;
    if (fcps_formula_read(&written, cases[i].text, 5, names, choices, &error) != FCPS_OK)
      fail_msg("%s: %d: %s", cases[i].text, error.column, error.message);
    assert_true(fcps_formula_specialize(&formula, &written, written.count - 1, 5, NULL));
    values_in_rows(&formula, 1, 5, values, &value);
    if (value != cases[i].value) fail_msg("%s is %g", cases[i].text, value);
    fcps_formula_destroy(&written);
    fcps_formula_destroy(&formula);
  }
}

static void every_other_use_of_a_word_is_explained(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int column;
    const char *words;
  } cases[] = {
      {"gate + 1", 1, "'gate' is a word, which can only be compared: (gate == 'tab')."},
      {"2*gate == pin", 3, "can only be compared"},
      {"-gate == pin", 2, "can only be compared"},
      {"gate == pin * 3", 1, "can only be compared: (gate"},
      {"gate == pin == tab", 1, "can only be compared"},
      {"gate", 1, "can only be compared"},
      {"sqrt(gate)", 6, "can only be compared"},
      {"gate ? 1 : 2", 1, "can only be compared"},
      {"gate < pin", 6, "the words of 'gate' have no order"},
      {"gate == pni", 9, "'pni' is not a word of 'gate'; did you mean pin?"},
      {"gate == 'Two words'", 9, "did you mean two words?"},
      {"gate == 'two words", 9, "the quote is not closed"},
      {"gate == ", 9, "is not a word of 'gate'"},
      {"gate == x", 9, "is not a word of 'gate'"},
      {"gate == level", 9, "is not a word of 'gate'"},
      {"tab == gate", 1, "'tab' is a word of 'gate' and stands behind a comparison: gate == tab."},
      {"'tab' == gate", 1, "a quoted word stands behind a comparison"},
      {"x == 'tab'", 6, "a quoted word stands behind a comparison"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_formula written = {0};
    fcps_error error = {0};
    const fcps_status status = fcps_formula_read(&written, cases[i].text, 5, names, choices, &error);
    if (status == FCPS_OK) fail_msg("%s was read", cases[i].text);
    if (error.column != cases[i].column || strstr(error.message, cases[i].words) == NULL)
      fail_msg("%s: %d: %s", cases[i].text, error.column, error.message);
  }
}

static void a_formula_without_a_value_names_the_word(void **state)
{
  (void)state;
  char words[200];
  const double values[] = {-1, 2, 0, 0, 0};
  fcps_formula_blame("log(gate == pin ? 1 : x)", 5, names, choices, values, sizeof words, words);
  assert_non_null(strstr(words, "gate=two words"));
}

static fcps_problem_file *parse(const char *yaml)
{
  fcps_problem_file *f = NULL;
  fcps_error error = {0};
  if (fcps_problem_file_parse(&f, yaml, strlen(yaml), "a.yaml", NULL, &error) != FCPS_OK)
    fail_msg("%d:%d %s: %s", error.line, error.column, error.field, error.message);
  return f;
}

static void constraints_may_depend_on_words(void **state)
{
  (void)state;
  static const char all[] =
      "environment: {site: [north, south]}\n"
      "parameters: {gate: [tab, pin, fan], oil: [a, b], speed: [0, 10]}\n"
      "outcome: [y]\nreward: -y\n"
      "constraints: [gate != tab, 'speed <= (gate == pin ? 3 : 8)', oil == b || gate == tab && site == north]\n";
  fcps_problem_file *f = NULL;
  f = parse(all);
  fcps_feasible *set = NULL;
  const double site = 1;
  assert_ok(fcps_feasible_create(&set, &f->problem, NULL, &site, NULL));
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_DESIGN, 0);
  int seen[3] = {0};
  for (int i = 0; i < 300; i++) {
    double x[3], values[3];
    for (int d = 0; d < 3; d++)
      x[d] = fcps_rng_uniform(&rng);
    assert_true(fcps_feasible_settle(set, x));
    assert_true(fcps_feasible_contains(set, x, FCPS_FEASIBLE_TOLERANCE, NULL));
    fcps_space_from_unit(&f->problem.parameters, x, values);
    assert_near(values[1], 1, 0);
    assert_true(values[2] <= (values[0] == 1 ? 3 : 8) + 1e-9);
    seen[(int)values[0]]++;
    double far[3] = {0.1, 0.2, 0.99}, near[3];
    assert_true(fcps_feasible_project(set, NULL, far, near));
    assert_true(fcps_feasible_contains(set, near, FCPS_FEASIBLE_TOLERANCE, NULL));
  }
  assert_int_equal(seen[0], 0);
  assert_true(seen[1] > 20 && seen[2] > 20);
  fcps_feasible_destroy(set);
  fcps_problem_file_destroy(f);
}

static void limits_and_rewards_may_depend_on_words(void **state)
{
  (void)state;
  fcps_problem_file *f = parse("target: {colour: [red, blue]}\nparameters: {gate: [tab, pin], speed: [0, 10]}\n"
                               "outcome: [y, z]\nreward: \"colour == red ? -y : gate == pin ? -z : -9\"\n"
                               "limits: {z: {at_most: \"colour == red ? 1 : 5\"}}\n");
  const fcps_problem *p = &f->problem;
  const double outcome[] = {2, 3}, gates_of[] = {0, 1}, colours[] = {0, 1}, speed = 4;
  const double expected[2][2] = {{-2, -2}, {-9, -3}};
  for (int c = 0; c < 2; c++)
    for (int g = 0; g < 2; g++) {
      const double parameters[] = {gates_of[g], speed};
      const double deviation[] = {0, 0};
      double reward = NAN, kept = NAN;
      assert_ok(p->reward(p->user, 1, &colours[c], NULL, parameters, outcome, (const bool[]){true}, &reward));
      assert_near(reward, expected[c][g], 0);
      assert_ok(fcps_problem_limit_chances(p, &colours[c], NULL, parameters, outcome, deviation, NULL, &kept, NULL));
      assert_near(kept, c, 0);
    }
  fcps_problem_file_destroy(f);
}

static void no_outcome_achieves_a_word(void **state)
{
  (void)state;
  static const char yaml[] = "target: {colour: [red, blue]}\nparameters: {speed: [0, 10]}\noutcome: [y]\n"
                             "achieved: {colour: y}\nreward: -distance\n";
  fcps_problem_file *f = NULL;
  fcps_error error = {0};
  assert_status(fcps_problem_file_parse(&f, yaml, strlen(yaml), "a.yaml", NULL, &error), FCPS_ERR_FORMAT);
  assert_non_null(strstr(error.message, "no number achieves a word"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_are_compared),
      cmocka_unit_test(every_other_use_of_a_word_is_explained),
      cmocka_unit_test(a_formula_without_a_value_names_the_word),
      cmocka_unit_test(constraints_may_depend_on_words),
      cmocka_unit_test(limits_and_rewards_may_depend_on_words),
      cmocka_unit_test(no_outcome_achieves_a_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
