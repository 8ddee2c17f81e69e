/* SPDX-License-Identifier: Apache-2.0 */
/* Texts become steps by recursive descent. Operators from the weakest to the strongest, as in muParser:
 *
 *   condition ? a : b      from the right
 *   ||   &&
 *   < <= > >= == !=        one level
 *   + -
 *   * /
 *   a sign
 *   ^                      from the right; a sign may follow it
 */
#include "base/number.h"
#include "problem/formula/formula.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Deeper texts stay with muParser: every level is a few calls on the stack. */
enum { DEEPEST = 100, LONGEST_NAME = 63, LONGEST_NUMBER = 400 };

typedef struct reader {
  fcps_formula *formula;
  const char *text; /* what is left */
  int count;
  const char *const *names;
  int depth;
} reader;

static int read_choice(reader *r);

static void skip_spaces(reader *r)
{
  while (isspace((unsigned char)*r->text))
    r->text++;
}

/* Moves past `token` if it comes next. */
static bool take(reader *r, const char *token)
{
  skip_spaces(r);
  const size_t length = strlen(token);
  if (strncmp(r->text, token, length) != 0) return false;
  r->text += length;
  return true;
}

static int read_number(reader *r)
{
  char digits[LONGEST_NUMBER + 1];
  size_t length = 0;
  double value;
  while (isdigit((unsigned char)r->text[length]) || r->text[length] == '.')
    length++;
  if (r->text[length] == 'e' || r->text[length] == 'E') {
    size_t next = length + 1;
    if (r->text[next] == '+' || r->text[next] == '-') next++;
    while (isdigit((unsigned char)r->text[next]))
      length = ++next;
  }
  if (length > LONGEST_NUMBER) return -1;
  memcpy(digits, r->text, length);
  digits[length] = '\0';
  r->text += length;
  return fcps_number_read(digits, &value) ? fcps_formula_add_constant(r->formula, value) : -1;
}

/* The arguments of a call, after its parenthesis. */
static int read_call(reader *r, const fcps_formula_function *function)
{
  const fcps_formula_op op = function->one != NULL ? FCPS_FORMULA_CALL_ONE : FCPS_FORMULA_CALL_TWO;
  fcps_formula_step step = {.op = op, .function = function};
  step.arguments[0] = function->many != NULL ? fcps_formula_add_constant(r->formula, function->start) : read_choice(r);
  if (function->one != NULL) return take(r, ")") ? fcps_formula_add(r->formula, step) : -1;
  if (function->many == NULL && !take(r, ",")) return -1;
  int result;
  do {
    step.arguments[1] = read_choice(r);
    result = step.arguments[0] = fcps_formula_add(r->formula, step);
  } while (result >= 0 && function->many != NULL && take(r, ","));
  return take(r, ")") ? result : -1;
}

static int read_name(reader *r)
{
  char name[LONGEST_NAME + 1];
  size_t length = 0;
  while (isalnum((unsigned char)r->text[length]) || r->text[length] == '_')
    length++;
  if (length == 0 || length > LONGEST_NAME) return -1;
  memcpy(name, r->text, length);
  name[length] = '\0';
  r->text += length;
  for (int i = 0; i < r->count; i++)
    if (strcmp(r->names[i], name) == 0) return fcps_formula_add_value(r->formula, i);
  if (strcmp(name, "pi") == 0) return fcps_formula_add_constant(r->formula, 3.14159265358979323846);
  const fcps_formula_function *function = fcps_formula_function_find(name);
  return function != NULL && take(r, "(") ? read_call(r, function) : -1;
}

static int read_operand(reader *r)
{
  skip_spaces(r);
  if (isdigit((unsigned char)*r->text) || *r->text == '.') return read_number(r);
  if (!take(r, "(")) return read_name(r);
  const int inside = read_choice(r);
  return take(r, ")") ? inside : -1;
}

static int read_signed(reader *r)
{
  if (r->depth >= DEEPEST) return -1;
  r->depth++;
  int result;
  if (take(r, "-")) {
    result = fcps_formula_add_operation(r->formula, FCPS_FORMULA_NEGATE, read_signed(r), 0);
  } else if (take(r, "+")) {
    result = read_signed(r);
  } else {
    result = read_operand(r);
    if (result >= 0 && take(r, "^"))
      result = fcps_formula_add_operation(r->formula, FCPS_FORMULA_POWER, result, read_signed(r));
  }
  r->depth--;
  return result;
}

/* Binary operators from the left, the weakest level first. A longer sign stands before its beginning. */
static const struct operator_sign {
  int level;
  const char *sign;
  fcps_formula_op op;
} operator_signs[] = {{0, "||", FCPS_FORMULA_OR},         {1, "&&", FCPS_FORMULA_AND},
                      {2, "<=", FCPS_FORMULA_LESS_EQUAL}, {2, ">=", FCPS_FORMULA_GREATER_EQUAL},
                      {2, "==", FCPS_FORMULA_EQUAL},      {2, "!=", FCPS_FORMULA_UNEQUAL},
                      {2, "<", FCPS_FORMULA_LESS},        {2, ">", FCPS_FORMULA_GREATER},
                      {3, "+", FCPS_FORMULA_ADD},         {3, "-", FCPS_FORMULA_SUBTRACT},
                      {4, "*", FCPS_FORMULA_MULTIPLY},    {4, "/", FCPS_FORMULA_DIVIDE}};
enum { LEVELS = 5, SIGNS = sizeof operator_signs / sizeof *operator_signs };

/* The operator of a level that comes next; NULL: there is none. */
static const struct operator_sign *take_operator(reader *r, int level)
{
  for (int i = 0; i < SIGNS; i++)
    if (operator_signs[i].level == level && take(r, operator_signs[i].sign)) return &operator_signs[i];
  return NULL;
}

/* Between two numbers in the text muParser's && and || look at their whole parts; elsewhere they do not. */
static int add_operator(reader *r, fcps_formula_op op, int a, int b)
{
  const fcps_formula_step *steps = r->formula->steps;
  const bool is_logic = op == FCPS_FORMULA_AND || op == FCPS_FORMULA_OR;
  if (!is_logic || a < 0 || b < 0 || steps[a].op != FCPS_FORMULA_CONSTANT || steps[b].op != FCPS_FORMULA_CONSTANT)
    return fcps_formula_add_operation(r->formula, op, a, b);
  const bool whole_a = trunc(steps[a].constant) != 0.0, whole_b = trunc(steps[b].constant) != 0.0;
  return fcps_formula_add_constant(r->formula, op == FCPS_FORMULA_AND ? whole_a && whole_b : whole_a || whole_b);
}

static int read_level(reader *r, int level)
{
  if (level == LEVELS) return read_signed(r);
  int result = read_level(r, level + 1);
  const struct operator_sign *next;
  while (result >= 0 && (next = take_operator(r, level)) != NULL)
    result = add_operator(r, next->op, result, read_level(r, level + 1));
  return result;
}

static int read_choice(reader *r)
{
  if (r->depth >= DEEPEST) return -1;
  r->depth++;
  int result = read_level(r, 0);
  if (result >= 0 && take(r, "?")) {
    const int yes = read_choice(r), no = take(r, ":") ? read_choice(r) : -1;
    result = yes < 0 ? -1
                     : fcps_formula_add(r->formula,
                                        (fcps_formula_step){.op = FCPS_FORMULA_CHOOSE, .arguments = {result, yes, no}});
  }
  r->depth--;
  return result;
}

int fcps_formula_parse(fcps_formula *formula, const char *text, int count, const char *const *names)
{
  reader r = {.formula = formula, .text = text, .count = count, .names = names};
  const int result = read_choice(&r);
  skip_spaces(&r);
  return *r.text == '\0' ? result : -1;
}
