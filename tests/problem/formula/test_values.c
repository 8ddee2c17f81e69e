/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas compared with muParser, which reads and computes them independently: both accept the same texts, and random
 * formulas have the same values. muParser is used here alone. */
#ifdef FCPS_HAS_MUPARSER

#include "base/rng.h"
#include "problem/formula/texts.h"

#include <muParserDLL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 4, TEXT = 1200 };
static const char *const names[NAMES] = {"x", "speed", "e1", "present"};

/* -- Random texts -- */

typedef struct writer {
  fcps_rng rng;
  bool has_logic; /* && and ||, and then no numbers: muParser takes the whole parts of two numbers beside them */
  char text[TEXT + 1];
  size_t length;
} writer;

static int pick(writer *w, int count)
{
  return (int)(fcps_rng_uniform(&w->rng) * count) % count;
}

static void put(writer *w, const char *part)
{
  const size_t length = strlen(part);
  if (w->length + length > TEXT) return;
  memcpy(w->text + w->length, part, length + 1);
  w->length += length;
  if (pick(w, 8) == 0 && w->length < TEXT) strcpy(w->text + w->length++, " ");
}

static void put_formula(writer *w, int depth);

static void put_call(writer *w, int depth)
{
  int count = 0;
  while (fcps_formula_functions[count].name != NULL)
    count++;
  const fcps_formula_function *function = &fcps_formula_functions[pick(w, count)];
  const int arguments = function->one != NULL ? 1 : function->takes_many ? 1 + pick(w, 4) : 2;
  put(w, function->name);
  put(w, "(");
  for (int i = 0; i < arguments; i++) {
    if (i > 0) put(w, ", ");
    put_formula(w, depth - 1);
  }
  put(w, ")");
}

static void put_operand(writer *w, int depth)
{
  static const char *const numbers[] = {"0", "1", "2", "3", "0.5", ".25", "4.", "25e-2", "2E+1", "10", "7.125"};
  switch (depth > 0 ? pick(w, 5) : pick(w, 3)) {
  case 0:
    put(w, w->has_logic ? names[0] : numbers[pick(w, (int)(sizeof numbers / sizeof *numbers))]);
    break;
  case 1:
  case 2:
    put(w, names[pick(w, NAMES)]);
    break;
  case 3:
    put(w, "(");
    put_formula(w, depth - 1);
    put(w, ")");
    break;
  default:
    put_call(w, depth);
  }
}

static void put_formula(writer *w, int depth)
{
  static const char *const operators[] = {"+", "-",  "*", "/",  "^",  "+",  "-",  "*",
                                          "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
  const int operands = 1 + pick(w, depth > 0 ? 4 : 2);
  for (int i = 0; i < operands; i++) {
    if (i > 0) put(w, operators[pick(w, w->has_logic ? 16 : 14)]);
    if (pick(w, 6) == 0) put(w, pick(w, 4) == 0 ? "+" : "-");
    put_operand(w, depth);
  }
  if (depth > 0 && pick(w, 6) == 0) {
    put(w, "?");
    put_formula(w, depth - 1);
    put(w, ":");
    put_formula(w, depth - 1);
  }
}

/* Words and signs in any order; the functions are open. */
static void put_words(writer *w)
{
  static const char *const words[] = {"x",  "speed", "1",  "2.5",  ".5",   "3e2",    "pi",  "+",  "-", "*",
                                      "/",  "^",     "-",  "(",    ")",    "(",      ")",   "?",  ":", "<",
                                      ">=", "==",    "&&", "min(", "sin(", "hypot(", "x ,", "1 ,"};
  for (int i = 1 + pick(w, 9); i > 0; i--) {
    put(w, words[pick(w, (int)(sizeof words / sizeof *words))]);
    put(w, " ");
  }
}

/* -- muParser -- */

static double least(const double *values, int count)
{
  double result = values[0];
  for (int i = 1; i < count; i++)
    result = values[i] < result || isnan(values[i]) ? values[i] : result;
  return result;
}

static double most(const double *values, int count)
{
  double result = values[0];
  for (int i = 1; i < count; i++)
    result = values[i] > result || isnan(values[i]) ? values[i] : result;
  return result;
}

static double sum(const double *values, int count)
{
  double result = 0.0;
  for (int i = 0; i < count; i++)
    result += values[i];
  return result;
}

static double norm(const double *values, int count)
{
  double result = 0.0;
  for (int i = 0; i < count; i++)
    result = hypot(result, values[i]);
  return result;
}

/* A parser that knows the names and functions of formulas. */
static muParserHandle_t create_judge(double values[NAMES])
{
  muParserHandle_t judge = mupCreate(muBASETYPE_FLOAT);
  assert_non_null(judge);
  mupClearConst(judge);
  mupClearFun(judge);
  for (const fcps_formula_function *f = fcps_formula_functions; f->name != NULL; f++) {
    if (f->one != NULL) mupDefineFun1(judge, f->name, f->one, 1);
    if (f->two != NULL && !f->takes_many) mupDefineFun2(judge, f->name, f->two, 1);
  }
  mupDefineMultFun(judge, "min", least, 1);
  mupDefineMultFun(judge, "max", most, 1);
  mupDefineMultFun(judge, "sum", sum, 1);
  mupDefineMultFun(judge, "norm", norm, 1);
  mupDefineConst(judge, "pi", acos(-1.0));
  for (int i = 0; i < NAMES; i++)
    mupDefineVar(judge, names[i], &values[i]);
  return judge;
}

/* Whether the judge takes a text, and its value. */
static bool ask(muParserHandle_t judge, const char *text, double *value)
{
  mupSetExpr(judge, text);
  *value = mupEval(judge);
  return !mupError(judge);
}

/* Up to rounding. */
static bool is_close(double a, double b)
{
  return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-10 * fmax(1.0, fmax(fabs(a), fabs(b)));
}

/* -- Comparison -- */

static void the_same_texts_are_formulas(void **state)
{
  (void)state;
  enum { TEXTS = 50000 };
  double values[NAMES] = {1.25, -2.0, 0.5, 1.0}, value;
  muParserHandle_t judge = create_judge(values);
  int accepted = 0;
  for (int t = 0; t < TEXTS; t++) {
    writer w = {.rng = fcps_rng_stream(11, FCPS_PURPOSE_TEST, (uint64_t)t)};
    fcps_formula formula = {0};
    fcps_error error = {0};
    put_words(&w);
    const fcps_status status = fcps_formula_read(&formula, w.text, NAMES, names, NULL, &error);
    fcps_formula_destroy(&formula);
    if (strstr(error.message, "a comma may only separate") != NULL)
      continue; /* to muParser these are several formulas */
    const bool is_accepted = ask(judge, w.text, &value);
    if (is_accepted != (status == FCPS_OK)) fail_msg("\"%s\": %s", w.text, is_accepted ? error.message : "accepted");
    accepted += is_accepted;
  }
  mupRelease(judge);
  assert_true(accepted > TEXTS / 100);
}

static void random_formulas_have_the_values_of_muparser(void **state)
{
  (void)state;
  enum { TEXTS = 20000, ROWS = 7 };
  int compiled = 0, finite = 0, different = 0;
  double values[NAMES] = {0}, expected;
  muParserHandle_t judge = create_judge(values);
  for (int t = 0; t < TEXTS; t++) {
    writer w = {.rng = fcps_rng_stream(7, FCPS_PURPOSE_TEST, (uint64_t)t), .has_logic = t % 2 == 1};
    double rows[ROWS][NAMES], results[ROWS];
    put_formula(&w, 3);
    if (!ask(judge, w.text, &expected)) continue; /* cut short */
    fcps_formula formula = formula_of(w.text, NAMES, names);
    compiled++;
    for (int i = 0; i < ROWS * NAMES; i++) /* sums of them are exact: muParser adds up constants first */
      rows[i / NAMES][i % NAMES] = i % 5 == 0 ? (double)(pick(&w, 5) - 2) : pick(&w, 385) / 64.0 - 3.0;
    values_in_rows(&formula, ROWS, NAMES, rows[0], results);
    for (int i = 0; i < ROWS; i++) {
      memcpy(values, rows[i], sizeof values);
      expected = mupEval(judge);
      finite += isfinite(expected) ? 1 : 0;
      if (is_close(results[i], expected)) continue;
      different++;
      print_message("%s\n  at %g %g %g %g: %.17g, muParser %.17g\n", w.text, values[0], values[1], values[2], values[3],
                    results[i], expected);
    }
    fcps_formula_destroy(&formula);
  }
  mupRelease(judge);
  print_message("%d formulas, %d finite values, %d different\n", compiled, finite, different);
  assert_true(compiled > TEXTS / 2);
  assert_true(finite > TEXTS);
  assert_int_equal(different, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_texts_are_formulas),
                                     cmocka_unit_test(random_formulas_have_the_values_of_muparser)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include <stdio.h>

int main(void)
{
  puts("skipped: muParser is missing (Debian: libmuparser-dev)");
  return 77;
}

#endif
