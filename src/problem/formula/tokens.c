/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas: our scanner checks the text, then muParser compiles and evaluates it.
 *
 * muParser alone would accept `x = 5` (an assignment), `1, 5` (only the last number counts) and a variable called
 * `sin`. Its `_pi` is off by 8e-13, and its error texts live in a buffer that all handles share. So our constants and
 * functions replace its own, the scanner looks up every name before muParser sees the text, and only muParser's error
 * numbers are used.
 */
#include "problem/formula/expression.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/formula/functions.h"
#include "problem/formula/habits.h"

#include <ctype.h>
#include <muParserDLL.h>
#include <stdlib.h>
#include <string.h>

struct fcps_expression {
  muParserHandle_t parser;
  bool *uses;
};

/* Names that have a meaning but are not functions. */
static const char *const special_names[] = {"pi", "present", "distance", "told", "nan", "inf", NULL};

bool fcps_expression_is_reserved(const char *name)
{
  for (const char *const *special = special_names; *special; special++)
    if (strcmp(*special, name) == 0) return true;
  return fcps_formula_function_find(name) != NULL;
}

static fcps_status refuse(fcps_error *error, size_t position, const char *format, const char *detail)
{
  const fcps_status status = fcps_error_set(error, FCPS_ERR_FORMAT, "", format, detail);
  if (error != NULL) error->column = (int)position + 1;
  return status;
}

static int find_name(int count, const char *const *names, const char *name)
{
  for (int i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

static fcps_status unknown_function(fcps_error *error, size_t position, const char *name)
{
  char list[400] = "";
  for (const fcps_formula_function *f = fcps_formula_functions; f->name != NULL; f++) {
    strcat(list, " ");
    strcat(list, f->name);
  }
  const fcps_status status = fcps_error_set(error, FCPS_ERR_FORMAT, "", "no function '%s'; there are%s.", name, list);
  if (error != NULL) error->column = (int)position + 1;
  return status;
}

static fcps_status unknown_name(fcps_error *error, size_t position, const char *name, int count,
                                const char *const *names)
{
  const char *nearest = fcps_nearest_name(name, count, names);
  const fcps_status status = fcps_error_set(error, FCPS_ERR_FORMAT, "", "no dimension is called '%s'%s%s%s", name,
                                            nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                                            nearest != NULL ? "'?" : ".");
  if (error != NULL) error->column = (int)position + 1;
  return status;
}

/* Scans the identifier at text[*position] and moves *position past it. Marks its dimension as used, or refuses it. */
static fcps_status scan_name(const char *text, size_t *position, int count, const char *const *names, bool *uses,
                             fcps_error *error)
{
  const size_t begin = *position;
  char name[FCPS_EXPRESSION_MAX + 1] = ""; /* never cut: the beginning of a name may be another name */
  while (isalnum((unsigned char)text[*position]) || text[*position] == '_')
    ++*position;
  memcpy(name, text + begin, *position - begin);

  size_t next = *position;
  while (isspace((unsigned char)text[next]))
    next++;
  const bool is_called = text[next] == '(';

  const int index = find_name(count, names, name);
  if (index >= 0 && !is_called) {
    uses[index] = true;
    return FCPS_OK;
  }
  if (index >= 0) return refuse(error, begin, "'%s' is a dimension, not a function; write * to multiply.", name);
  if (strcmp(name, "pi") == 0) return FCPS_OK;
  if (fcps_formula_function_find(name) != NULL)
    return is_called ? FCPS_OK : refuse(error, begin, "the function '%s' needs its arguments in parentheses.", name);
  if (strcmp(name, "distance") == 0)
    return refuse(error, begin, "'%s' needs `achieved`: say which outcome achieves which target.", name);

  const char *habit = fcps_formula_habit_at(text, begin);
  if (habit != NULL) return refuse(error, begin, "not understood; %s", habit);
  return is_called ? unknown_function(error, begin, name) : unknown_name(error, begin, name, count, names);
}

/* Moves *position past the number at text[*position], so that the e of 1e5 is not taken for a name. */
static void scan_number(const char *text, size_t *position)
{
  while (isdigit((unsigned char)text[*position]) || text[*position] == '.')
    ++*position;
  if (text[*position] != 'e' && text[*position] != 'E') return;
  size_t next = *position + 1;
  if (text[next] == '+' || text[next] == '-') next++;
  if (!isdigit((unsigned char)text[next])) return;
  while (isdigit((unsigned char)text[next]))
    next++;
  *position = next;
}

/* Whether there is a lone '=', which would assign. */
static bool is_assignment(const char *text, size_t position)
{
  if (text[position] != '=' || text[position + 1] == '=') return false;
  return position == 0 || strchr("=<>!", text[position - 1]) == NULL;
}

static fcps_status scan(const char *text, int count, const char *const *names, bool *uses, fcps_error *error)
{
  int depth = 0;
  for (size_t i = 0; text[i];) {
    const unsigned char c = (unsigned char)text[i];
    if (isalpha(c) || c == '_') {
      const fcps_status status = scan_name(text, &i, count, names, uses, error);
      if (status != FCPS_OK) return status;
      continue;
    }
    const char *habit = fcps_formula_habit_at(text, i);
    if (habit != NULL) return refuse(error, i, "not understood; %s", habit);
    if (isdigit(c) || c == '.') {
      scan_number(text, &i);
      continue;
    }
    if (is_assignment(text, i)) return refuse(error, i, "a lone '=' is not allowed; compare with '=='.%s", "");
    if (strchr("+-*/^()<>=!&|?:, \t\r\n", c) == NULL) return refuse(error, i, "unexpected character.%s", "");
    depth += (c == '(') - (c == ')');
    if (c == ',' && depth == 0)
      return refuse(error, i, "a comma may only separate the arguments of a function; decimals need a point.%s", "");
    i++;
  }
  return FCPS_OK;
}

/* Our messages for muParser's error numbers (EErrorCodes of its documentation). */
static const char *parser_message(int code)
{
  switch (code) {
  case 0:
    return "unexpected operator; put a second sign into parentheses.";
  case 2:
    return "the formula ends too early.";
  case 3:
  case 4:
    return "unexpected comma.";
  case 5:
    return "unexpected number; an operator is missing before it.";
  case 6:
    return "unexpected name; an operator is missing before it.";
  case 7:
    return "unexpected parenthesis.";
  case 11:
    return "a parenthesis is missing.";
  case 12:
    return "unexpected function; an operator is missing before it.";
  case 14:
    return "too many arguments.";
  case 15:
    return "too few arguments.";
  case 25:
    return "the formula is empty.";
  default:
    return "not a formula.";
  }
}

static void define(muParserHandle_t parser, int count, const char *const *names, const double *values)
{
  mupClearConst(parser);
  mupClearFun(parser);
  for (const fcps_formula_function *f = fcps_formula_functions; f->name != NULL; f++) {
    if (f->one != NULL) mupDefineFun1(parser, f->name, f->one, 1);
    if (f->two != NULL && f->many == NULL) mupDefineFun2(parser, f->name, f->two, 1);
    if (f->many != NULL) mupDefineMultFun(parser, f->name, f->many, 1);
  }
  mupDefineConst(parser, "pi", 3.14159265358979323846);
  /* muParser only writes to variables that are assigned, which the scanner refuses */
  for (int i = 0; i < count; i++)
    mupDefineVar(parser, names[i], (double *)(uintptr_t)&values[i]);
}

fcps_status fcps_expression_create(fcps_expression **expression, const char *text, int count, const char *const *names,
                                   const double *values, fcps_error *error)
{
  *expression = NULL;
  if (strlen(text) > FCPS_EXPRESSION_MAX)
    return refuse(error, FCPS_EXPRESSION_MAX, "the formula has more than 2000 characters.%s", "");

  fcps_expression *e = fcps_allocate(1, sizeof *e);
  if (e != NULL) e->uses = fcps_allocate((size_t)count, sizeof *e->uses);
  if (e == NULL || e->uses == NULL) {
    fcps_expression_destroy(e);
    return fcps_error_memory(error);
  }
  fcps_status status = scan(text, count, names, e->uses, error);
  if (status == FCPS_OK && (e->parser = mupCreate(muBASETYPE_FLOAT)) == NULL) status = fcps_error_memory(error);
  if (status == FCPS_OK) {
    define(e->parser, count, names, values);
    mupSetExpr(e->parser, text);
    mupEval(e->parser); /* compiles */
    if (mupError(e->parser)) {
      const size_t length = strlen(text), position = (size_t)mupGetErrorPos(e->parser);
      status = refuse(error, position < length ? position : length, "%s", parser_message(mupGetErrorCode(e->parser)));
    }
  }
  if (status != FCPS_OK) {
    fcps_expression_destroy(e);
    return status;
  }
  *expression = e;
  return FCPS_OK;
}

void fcps_expression_destroy(fcps_expression *expression)
{
  if (expression == NULL) return;
  if (expression->parser != NULL) mupRelease(expression->parser);
  free(expression->uses);
  free(expression);
}

double fcps_expression_eval(fcps_expression *expression)
{
  return mupEval(expression->parser);
}

bool fcps_expression_uses(const fcps_expression *expression, int index)
{
  return expression->uses[index];
}
