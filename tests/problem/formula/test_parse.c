/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas compared with the same expressions in C, and a table of mistakes with their columns. */
#include "problem/formula/texts.h"

#include <fcps/space.h>

#include <string.h>

static const char *const names[] = {"x", "speed", "land_x", "present"};
static const double values[] = {3.0, 0.5, -1.5, 1.0};

static double value_of(const char *text)
{
  return value_of_text(text, 4, names, values);
}

static void formulas_have_the_value_of_the_same_c_expression(void **state)
{
  (void)state;
  const double x = values[0], speed = values[1], land_x = values[2];
  assert_near(value_of("-abs(x-land_x) - 0.05*speed^2"), -fabs(x - land_x) - 0.05 * speed * speed, 1e-15);
  assert_near(value_of("-2^2"), -4.0, 0);
  assert_near(value_of("2^3^2"), 512.0, 0);
  assert_near(value_of("1e-3 + 2E2"), 200.001, 1e-15);
  assert_near(value_of("1e-400 + .5 + 3."), 3.5, 0);
  assert_near(value_of("hypot(x, 4)"), 5.0, 1e-15);
  assert_near(value_of("norm(x, 4, 12)"), 13.0, 1e-14);
  assert_near(value_of("mod(-1, 3)"), 2.0, 0);
  assert_near(value_of("mod(7.5, 2)"), 1.5, 0);
  assert_near(value_of("wrap(350, 360)"), -10.0, 1e-12);
  assert_near(value_of("wrap(-350, 360)"), 10.0, 1e-12);
  assert_near(value_of("wrap(180, 360)"), -180.0, 1e-12);
  assert_near(value_of("min(x, speed, 9) + max(x, 1)"), 3.5, 0);
  assert_near(value_of("sum(1, 2, 3) + sign(-x)"), 5.0, 0);
  assert_near(value_of("round(2.5) + floor(-0.5) + ceil(0.2)"), 3.0, 0);
  assert_near(value_of("x >= 3 && speed < 1 ? 7 : 8"), 7.0, 0);
  assert_near(value_of("x == 2 || x != 3 ? 7 : 8"), 8.0, 0);
  assert_near(value_of("log(exp(2)) + ln(1) + log10(100) + log2(8)"), 7.0, 1e-15);
}

static void pi_has_every_bit(void **state)
{
  (void)state;
  const double pi = value_of("pi"), expected = acos(-1.0);
  assert_memory_equal(&pi, &expected, sizeof pi);
}

static void a_result_that_is_not_finite_is_returned_as_it_is(void **state)
{
  (void)state;
  assert_true(isinf(value_of("1/(x-3)")));
  assert_true(isnan(value_of("sqrt(-x)")));
  assert_true(isnan(value_of("min(sqrt(-x), 1)")));
  assert_true(isnan(value_of("max(1, sqrt(-x))")));
  assert_true(isnan(value_of("sign(sqrt(-x))")));
}

static void the_names_in_a_formula_are_known(void **state)
{
  (void)state;
  fcps_formula f = {0};
  assert_ok(fcps_formula_read(&f, "-land_x + 0*max(x, 2)", 4, names, NULL, NULL));
  assert_true(fcps_formula_uses(&f, 0));
  assert_false(fcps_formula_uses(&f, 1));
  assert_true(fcps_formula_uses(&f, 2));
  assert_false(fcps_formula_uses(&f, 3));
  fcps_formula_destroy(&f);
}

static void the_longest_name_is_no_other_name_cut_short(void **state)
{
  (void)state;
  char longest[FCPS_NAME_MAX + 1], longer[FCPS_NAME_MAX + 2];
  memset(longest, 'n', sizeof longest - 1);
  memset(longer, 'n', sizeof longer - 1);
  longest[sizeof longest - 1] = longer[sizeof longer - 1] = '\0';
  const char *const name = longest;
  const double value = 7;
  fcps_formula f = {0};
  fcps_error error = {0};
  assert_near(value_of_text(longest, 1, &name, &value), 7.0, 0);
  assert_status(fcps_formula_read(&f, longer, 1, &name, NULL, &error), FCPS_ERR_FORMAT);
  assert_non_null(strstr(error.message, "no dimension is called"));
}

/* Each step comes from a piece of the text; parentheses belong to what takes them. */
static void steps_know_their_place_in_the_text(void **state)
{
  (void)state;
  static const char text[] = " -(x + 2) * max(speed, x, 1)^2 > 0 ? x : (1)";
  static const char *const places[] = {"x",
                                       "2",
                                       "x + 2",
                                       "-(x + 2)",
                                       "",
                                       "speed",
                                       "max(speed, x, 1)",
                                       "x",
                                       "max(speed, x, 1)",
                                       "1",
                                       "max(speed, x, 1)",
                                       "2",
                                       "max(speed, x, 1)^2",
                                       "-(x + 2) * max(speed, x, 1)^2",
                                       "0",
                                       "-(x + 2) * max(speed, x, 1)^2 > 0",
                                       "x",
                                       "1",
                                       "-(x + 2) * max(speed, x, 1)^2 > 0 ? x : (1)"};
  fcps_formula f = {0};
  assert_ok(fcps_formula_read(&f, text, 4, names, NULL, NULL));
  assert_int_equal(f.count, sizeof places / sizeof *places);
  for (int i = 0; i < f.count; i++) {
    const fcps_formula_step *step = &f.steps[i];
    if (strlen(places[i]) != (size_t)(step->end - step->begin) ||
        strncmp(text + step->begin, places[i], strlen(places[i])) != 0)
      fail_msg("step %d: \"%.*s\"", i, step->end - step->begin, text + step->begin);
  }
  fcps_formula_destroy(&f);
}

static void every_mistake_is_refused_at_its_column(void **state)
{
  (void)state;
  static const struct {
    const char *text, *words;
    int column;
  } mistakes[] = {
      {"x = 5", "'=='", 3},
      {"1, 5", "comma", 2},
      {"(1, 5)", "unexpected comma", 3},
      {"min(0,01, speed)", "as in 0.5", 6},
      {"min(x, 0,5)", "as in 0.5", 9},
      {"sin(0,5)", "as in 0.5", 6},
      {"hypot(0,5,x)", "as in 0.5", 8},
      {"x + _pi", "'_pi'", 5},
      {"x + sped", "'speed'", 5},
      {"foo(x)", "no function 'foo'", 1},
      {"x + sin", "parentheses", 5},
      {"x(2)", "not a function", 1},
      {"x + distance", "achieved", 5},
      {"", "empty", 1},
      {"   ", "empty", 4},
      {"x +", "too early", 4},
      {"(x", "parenthesis is missing", 3},
      {"()", "parenthesis", 2},
      {"x ? 1", "needs both halves", 6},
      {"(x ? 1)", "needs both halves", 7},
      {"x : 1", "':'", 3},
      {"x)", "parenthesis", 2},
      {"2x", "operator", 2},
      {"x y", "no dimension", 3},
      {"\"x\"", "quoted word", 1},
      {"x; 1", "character", 2},
      {"x # 1", "character", 3},
      {"sin(1, 2)", "too many", 9},
      {"atan2(1)", "too few", 8},
      {"min()", "too few", 5},
      {"min(1,)", "parenthesis", 7},
      {"1e400", "too large", 1},
      {"x + 1.2.3", "not a number", 5},
      {"--x", "sign", 2},
      {"x * / 2", "operator", 5},
      {"x 2", "number", 3},
      {"x speed", "name", 3},
      {"x sin(1)", "function", 3},
      {"2 (x)", "parenthesis", 3},
      {"x + \xc3\xa9", "character", 5},
      {"x == = 2", "'=='", 6},
      {"x += 2", "'=='", 4},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    fcps_error error = {0};
    fcps_formula f = {0};
    const fcps_status status = fcps_formula_read(&f, mistakes[i].text, 4, names, NULL, &error);
    if (status != FCPS_ERR_FORMAT) fail_msg("'%s' gives %s", mistakes[i].text, fcps_status_text(status));
    assert_int_equal(f.count, 0);
    assert_null(f.steps);
    if (strstr(error.message, mistakes[i].words) == NULL) fail_msg("'%s': %s", mistakes[i].text, error.message);
    if (mistakes[i].column && error.column != mistakes[i].column)
      fail_msg("'%s': column %d", mistakes[i].text, error.column);
    assert_true(error.column >= 1);
  }
}

/* Commas without spaces are no mistake as long as no number of them could be a decimal one. */
static void short_lists_are_no_decimal_commas(void **state)
{
  (void)state;
  assert_near(value_of("max(0,1)"), 1.0, 0);
  assert_near(value_of("sum(1,2,3)"), 6.0, 0);
  assert_near(value_of("min(x,0,speed)"), 0.0, 0);
  assert_near(value_of("max(0, 1, x)"), 3.0, 0);
  assert_near(value_of("min(x, max(0,1))"), 1.0, 0);
  assert_near(value_of("hypot(3,4)"), 5.0, 0);
}

static void a_formula_may_have_2000_characters_and_no_more(void **state)
{
  (void)state;
  char text[FCPS_FORMULA_LONGEST + 2];
  memset(text, ' ', sizeof text);
  text[0] = 'x';
  text[FCPS_FORMULA_LONGEST] = '\0';
  assert_near(value_of(text), 3.0, 0);
  text[FCPS_FORMULA_LONGEST] = ' ';
  text[FCPS_FORMULA_LONGEST + 1] = '\0';
  fcps_formula f = {0};
  assert_status(fcps_formula_read(&f, text, 4, names, NULL, NULL), FCPS_ERR_FORMAT);
}

/* Puts `count` times `open`, then x, then as many times `close`. */
static double value_of_nested(int count, const char *open, const char *close)
{
  char text[FCPS_FORMULA_LONGEST + 1] = "";
  for (int i = 0; i < count; i++)
    strcat(text, open);
  strcat(text, "x");
  for (int i = 0; i < count; i++)
    strcat(text, close);
  return value_of(text);
}

static void deep_nesting_is_no_danger(void **state)
{
  (void)state;
  assert_near(value_of_nested(999, "(", ")"), 3.0, 0);
  assert_near(value_of_nested(600, "-(", ")"), 3.0, 0);
  assert_near(value_of_nested(300, "abs(", ")"), 3.0, 0);
  assert_near(value_of_nested(300, "1^", ""), 1.0, 0);
  assert_near(value_of_nested(300, "0?2:", ""), 3.0, 0);
  assert_near(value_of_nested(300, "1?", ":2"), 3.0, 0);
  assert_near(value_of_nested(300, "", "+1"), 303.0, 0);
}

static void functions_and_special_names_are_reserved(void **state)
{
  (void)state;
  static const char *const reserved[] = {"sin", "min", "wrap", "pi", "present", "distance", "norm", "told"};
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
    assert_true(fcps_formula_is_reserved(reserved[i]));
  assert_false(fcps_formula_is_reserved("x"));
  assert_false(fcps_formula_is_reserved("sine"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulas_have_the_value_of_the_same_c_expression),
      cmocka_unit_test(pi_has_every_bit),
      cmocka_unit_test(a_result_that_is_not_finite_is_returned_as_it_is),
      cmocka_unit_test(the_names_in_a_formula_are_known),
      cmocka_unit_test(the_longest_name_is_no_other_name_cut_short),
      cmocka_unit_test(steps_know_their_place_in_the_text),
      cmocka_unit_test(every_mistake_is_refused_at_its_column),
      cmocka_unit_test(short_lists_are_no_decimal_commas),
      cmocka_unit_test(a_formula_may_have_2000_characters_and_no_more),
      cmocka_unit_test(deep_nesting_is_no_danger),
      cmocka_unit_test(functions_and_special_names_are_reserved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
