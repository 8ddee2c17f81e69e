/* SPDX-License-Identifier: Apache-2.0 */
/* Turns text into steps by operator precedence (the shunting-yard method). Complete operands lie on one stack. Signs,
 * operators, parentheses, calls and conditions that are still open lie on the other. So a text may nest as deeply as it
 * likes. Each operand knows its place in the text, with its parentheses; each step knows the place of what it computes,
 * without them.
 *
 * This is the only reader of formulas. A test compares its values with those of muParser on thousands of random
 * formulas. */
#include "base/error.h"
#include "base/memory.h"
#include "problem/formula/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct operand {
  int step, begin, end;
} operand;

typedef enum opening_kind { OPERATOR, SIGN, PARENTHESIS, CALL, CONDITION, ALTERNATIVE } opening_kind;

/* An open part of the text: it waits for an operand or for its end. */
typedef struct opening {
  opening_kind kind;
  fcps_formula_token token; /* the operator or sign; for a call, its name */
  int arguments;            /* for a call: the number of complete arguments */
  int decimal_comma;        /* for a call: the place of a comma between two digits, from 1 */
  bool has_wide_comma;      /* for a call: whether a comma is followed by a space */
} opening;

typedef struct parser {
  fcps_formula_text text;
  fcps_formula *formula;
  operand *operands;
  opening *openings;
  int operand_count, opening_count;
} parser;

static fcps_status refuse(const parser *p, int place, const char *words)
{
  return fcps_formula_text_refuse(&p->text, place, "%s", words);
}

/* -- Stacks -- */

static opening *last_opening(const parser *p)
{
  return p->opening_count > 0 ? &p->openings[p->opening_count - 1] : NULL;
}

static void open(parser *p, opening_kind kind, const fcps_formula_token *token)
{
  p->openings[p->opening_count++] = (opening){.kind = kind, .token = *token};
}

/* Adds a step for a piece of the text and makes it an operand. */
static fcps_status push(parser *p, fcps_formula_step step, int begin, int end)
{
  step.begin = begin;
  step.end = end;
  const int index = fcps_formula_append(p->formula, step);
  if (index < 0) return fcps_error_memory(p->text.error);
  p->operands[p->operand_count++] = (operand){index, begin, end};
  return FCPS_OK;
}

/* Replaces the last operands by a step that takes them as arguments; the step begins at `begin` or earlier. */
static fcps_status apply(parser *p, fcps_formula_step step, int begin)
{
  const int count = fcps_formula_arguments(&step);
  p->operand_count -= count;
  const operand *taken = p->operands + p->operand_count;
  for (int i = 0; i < count; i++)
    step.arguments[i] = taken[i].step;
  return push(p, step, begin < taken[0].begin ? begin : taken[0].begin, taken[count - 1].end);
}

/* Completes the last opening, whose operands are complete. */
static fcps_status complete(parser *p)
{
  const opening o = p->openings[--p->opening_count];
  const int begin = o.token.begin;
  if (o.kind == ALTERNATIVE) return apply(p, (fcps_formula_step){.op = FCPS_FORMULA_CHOOSE}, begin);
  if (o.kind == OPERATOR) return apply(p, (fcps_formula_step){.op = o.token.op}, begin);
  if (o.token.op == FCPS_FORMULA_SUBTRACT) return apply(p, (fcps_formula_step){.op = FCPS_FORMULA_NEGATE}, begin);
  p->operands[p->operand_count - 1].begin = begin; /* A plus sign changes nothing. */
  return FCPS_OK;
}

/* Completes the signs and operators that bind at least as strongly as `level`. */
static fcps_status complete_down_to(parser *p, int level)
{
  fcps_status status = FCPS_OK;
  for (const opening *o = last_opening(p); status == FCPS_OK && o != NULL; o = last_opening(p)) {
    const int binds = o->kind == SIGN ? FCPS_TOKEN_SIGN : o->token.level;
    if ((o->kind != OPERATOR && o->kind != SIGN) || binds < level) break;
    status = complete(p);
  }
  return status;
}

/* Completes everything up to an open parenthesis, call or first half of a condition. */
static fcps_status complete_inside(parser *p)
{
  fcps_status status = complete_down_to(p, 0);
  for (const opening *o = last_opening(p); status == FCPS_OK && o != NULL && o->kind == ALTERNATIVE;
       o = last_opening(p)) {
    status = complete(p);
    if (status == FCPS_OK) status = complete_down_to(p, 0);
  }
  return status;
}

/* -- Calls -- */

/* Takes the last operand as an argument of the call `o`. A function of many arguments is a chain of steps with two
 * arguments. */
static fcps_status take_argument(parser *p, opening *o)
{
  const fcps_formula_function *f = o->token.function;
  const bool is_last_of_two = f->two != NULL && !f->takes_many && o->arguments == 1;
  o->arguments++;
  if (f->one != NULL && o->arguments > 1) return FCPS_OK; /* Too many arguments are reported when the call ends. */
  if (f->takes_many || is_last_of_two)
    return apply(p, (fcps_formula_step){.op = FCPS_FORMULA_CALL_TWO, .function = f}, o->token.begin);
  if (f->one != NULL) return apply(p, (fcps_formula_step){.op = FCPS_FORMULA_CALL_ONE, .function = f}, o->token.begin);
  return FCPS_OK;
}

/* Remembers a comma of a call. A comma between two digits may be meant as a decimal point. */
static void note_comma(const parser *p, opening *o, int place)
{
  const char *text = p->text.text;
  const bool is_tight = place > 0 && isdigit((unsigned char)text[place - 1]) && isdigit((unsigned char)text[place + 1]);
  if (is_tight && o->decimal_comma == 0) o->decimal_comma = place + 1;
  o->has_wide_comma |= isspace((unsigned char)text[place + 1]) != 0;
}

/* Whether a comma in a call must be a decimal comma, as in 0,01 or in `min(0,5, speed)`. */
static bool has_decimal_comma(const parser *p, const opening *o)
{
  if (o->decimal_comma == 0) return false;
  const char *behind = p->text.text + o->decimal_comma;
  return o->has_wide_comma || (behind[0] == '0' && isdigit((unsigned char)behind[1]));
}

static fcps_status close_call(parser *p, opening *o, const fcps_formula_token *close)
{
  static const char advice[] =
      "a comma separates arguments; write a decimal with a point, as in 0.5, or a space behind "
      "every comma.";
  const fcps_formula_function *f = o->token.function;
  const int least = f->two != NULL && !f->takes_many ? 2 : 1, most = f->takes_many ? o->arguments : least;
  if (has_decimal_comma(p, o) || (o->arguments > most && o->decimal_comma > 0))
    return refuse(p, o->decimal_comma - 1, advice);
  if (o->arguments > most) return refuse(p, close->begin, "too many arguments.");
  if (o->arguments < least) return refuse(p, close->begin, "too few arguments.");
  operand *result = &p->operands[p->operand_count - 1];
  result->end = close->end;
  for (int i = result->step; i >= 0;
       i = p->formula->steps[i].arguments[0]) { /* The whole chain of steps gets the place of the call. */
    fcps_formula_step *step = &p->formula->steps[i];
    if (step->function != f || step->begin != o->token.begin) break;
    step->end = close->end;
  }
  return FCPS_OK;
}

/* -- Tokens -- */

/* Refuses a comma outside the parentheses of a function. */
static fcps_status refuse_comma(const parser *p, int place)
{
  for (int i = 0; i < p->opening_count; i++)
    if (p->openings[i].kind == PARENTHESIS || p->openings[i].kind == CALL) return refuse(p, place, "unexpected comma.");
  return refuse(p, place, "a comma may only separate the arguments of a function; decimals need a point.");
}

/* -- Words -- */

static fcps_status refuse_use_of_word(const parser *p, int place, int name)
{
  const char *text = p->text.names[name], *word = fcps_formula_text_choices(&p->text, name)->words[0];
  const fcps_status status =
      fcps_error_set(p->text.error, FCPS_ERR_FORMAT, "", "'%s' is a word, which can only be compared: (%s == '%.40s').",
                     text, text, word);
  if (p->text.error != NULL) p->text.error->column = place + 1;
  return status;
}

/* Whether an open operator would take the comparison of a word, or the word itself, as a number: it binds at least as
 * strongly as a comparison. */
static bool takes_numbers(const opening *o)
{
  return o != NULL && (o->kind == SIGN || (o->kind == OPERATOR && o->token.level >= FCPS_TOKEN_COMPARISON));
}

/* Reads the whole comparison of a word; `t` is the name of its dimension. */
static fcps_status compare_word(parser *p, const fcps_formula_token *t)
{
  fcps_formula_token sign, word, next;
  if (takes_numbers(last_opening(p))) return refuse_use_of_word(p, t->begin, t->name);
  fcps_status status = fcps_formula_text_next(&p->text, &sign);
  if (status != FCPS_OK) return status;
  if (sign.kind != FCPS_TOKEN_OPERATOR || sign.level != FCPS_TOKEN_COMPARISON)
    return refuse_use_of_word(p, t->begin, t->name);
  const bool is_equality = sign.op == FCPS_FORMULA_EQUAL || sign.op == FCPS_FORMULA_UNEQUAL;
  if (!is_equality && !fcps_formula_text_choices(&p->text, t->name)->is_ordered)
    return fcps_formula_text_refuse(
        &p->text, sign.begin, "the words of '%s' have no order: compare them with == or !=.", p->text.names[t->name]);
  status = fcps_formula_text_word(&p->text, t->name, &word);
  if (status == FCPS_OK)
    status = push(p, (fcps_formula_step){.op = FCPS_FORMULA_VALUE, .index = t->name}, t->begin, t->end);
  if (status == FCPS_OK)
    status =
        word.kind == FCPS_TOKEN_NAME
            ? push(p, (fcps_formula_step){.op = FCPS_FORMULA_VALUE, .index = word.name}, word.begin, word.end)
            : push(p, (fcps_formula_step){.op = FCPS_FORMULA_CONSTANT, .constant = word.number}, word.begin, word.end);
  if (status == FCPS_OK) status = apply(p, (fcps_formula_step){.op = sign.op}, t->begin);
  const int behind = p->text.at;
  if (status == FCPS_OK) status = fcps_formula_text_next(&p->text, &next);
  if (status == FCPS_OK && next.kind == FCPS_TOKEN_OPERATOR && next.level >= FCPS_TOKEN_COMPARISON)
    return refuse_use_of_word(p, t->begin, t->name);
  p->text.at = behind;
  return status;
}

/* -- Operands -- */

/* Handles a token that begins an operand, or a sign before an operand. *is_complete receives whether the operand is
 * complete. */
static fcps_status begin_operand(parser *p, const fcps_formula_token *t, bool *is_complete)
{
  const opening *o = last_opening(p);
  const int length = (int)strlen(p->text.text);
  fcps_formula_token parenthesis;
  fcps_status status;
  *is_complete = t->kind == FCPS_TOKEN_NUMBER || t->kind == FCPS_TOKEN_NAME;
  switch (t->kind) {
  case FCPS_TOKEN_NUMBER:
    return push(p, (fcps_formula_step){.op = FCPS_FORMULA_CONSTANT, .constant = t->number}, t->begin, t->end);
  case FCPS_TOKEN_NAME:
    if (fcps_formula_text_choices(&p->text, t->name) != NULL) return compare_word(p, t);
    return push(p, (fcps_formula_step){.op = FCPS_FORMULA_VALUE, .index = t->name}, t->begin, t->end);
  case FCPS_TOKEN_FUNCTION:
    status = fcps_formula_text_next(&p->text, &parenthesis);
    if (status != FCPS_OK) return status;
    open(p, CALL, t);
    return t->function->takes_many
               ? push(p, (fcps_formula_step){.op = FCPS_FORMULA_CONSTANT, .constant = t->function->start}, t->begin,
                      t->begin)
               : FCPS_OK;
  case FCPS_TOKEN_OPEN:
    open(p, PARENTHESIS, t);
    return FCPS_OK;
  case FCPS_TOKEN_OPERATOR:
    if (t->level != FCPS_TOKEN_SUM || (o != NULL && o->kind == SIGN))
      return refuse(p, t->begin, "unexpected operator; put a second sign into parentheses.");
    open(p, SIGN, t);
    return FCPS_OK;
  case FCPS_TOKEN_CLOSE:
    if (o != NULL && o->kind == CALL && o->arguments == 0) return refuse(p, t->begin, "too few arguments.");
    return refuse(p, t->begin, "unexpected parenthesis.");
  case FCPS_TOKEN_COMMA:
    return refuse_comma(p, t->begin);
  case FCPS_TOKEN_END:
    if (p->operand_count == 0 && o == NULL) return refuse(p, length, "the formula is empty.");
    return refuse(p, length, "the formula ends too early.");
  default:
    return refuse(p, t->begin, "unexpected operator; put a second sign into parentheses.");
  }
}

/* Handles a comma or a closing parenthesis after an operand. *is_complete receives whether an operand is complete
 * afterwards. */
static fcps_status end_argument(parser *p, const fcps_formula_token *t, bool *is_complete)
{
  const bool is_comma = t->kind == FCPS_TOKEN_COMMA;
  const fcps_status status = complete_inside(p);
  opening *o = last_opening(p);
  if (status != FCPS_OK) return status;
  if (o != NULL && o->kind == CONDITION)
    return refuse(p, t->begin, "a condition needs both halves: CONDITION ? A : B.");
  *is_complete = !is_comma;
  if (is_comma && (o == NULL || o->kind == PARENTHESIS)) return refuse_comma(p, t->begin);
  if (o == NULL) return refuse(p, t->begin, "unexpected parenthesis.");
  if (o->kind == PARENTHESIS) {
    p->operands[p->operand_count - 1].begin = o->token.begin;
    p->operands[p->operand_count - 1].end = t->end;
    p->opening_count--;
    return FCPS_OK;
  }
  const fcps_status taken = take_argument(p, o);
  if (taken != FCPS_OK) return taken;
  if (is_comma) note_comma(p, o, t->begin);
  if (is_comma) return FCPS_OK;
  const fcps_status closed = close_call(p, o, t);
  p->opening_count--;
  return closed;
}

/* Handles a colon behind an operand. */
static fcps_status begin_alternative(parser *p, const fcps_formula_token *t)
{
  const fcps_status status = complete_inside(p);
  opening *o = last_opening(p);
  if (status != FCPS_OK) return status;
  if (o == NULL || o->kind != CONDITION) return refuse(p, t->begin, "unexpected ':'; it follows CONDITION ? A.");
  o->kind = ALTERNATIVE;
  return FCPS_OK;
}

static fcps_status end_text(parser *p, const fcps_formula_token *t)
{
  const fcps_status status = complete_inside(p);
  const opening *o = last_opening(p);
  if (status != FCPS_OK || o == NULL) return status;
  if (o->kind == CONDITION) return refuse(p, t->begin, "a condition needs both halves: CONDITION ? A : B.");
  return refuse(p, t->begin, "a parenthesis is missing.");
}

/* Handles a token behind an operand. */
static fcps_status continue_operand(parser *p, const fcps_formula_token *t, bool *is_complete)
{
  fcps_status status;
  *is_complete = false;
  switch (t->kind) {
  case FCPS_TOKEN_OPERATOR: /* Powers associate to the right. */
    status = complete_down_to(p, t->level == FCPS_TOKEN_POWER ? t->level + 1 : t->level);
    open(p, OPERATOR, t);
    return status;
  case FCPS_TOKEN_QUESTION:
    status = complete_down_to(p, 0);
    open(p, CONDITION, t);
    return status;
  case FCPS_TOKEN_COLON:
    return begin_alternative(p, t);
  case FCPS_TOKEN_COMMA:
  case FCPS_TOKEN_CLOSE:
    return end_argument(p, t, is_complete);
  case FCPS_TOKEN_NUMBER:
    return refuse(p, t->begin, "unexpected number; an operator is missing before it.");
  case FCPS_TOKEN_NAME:
    return refuse(p, t->begin, "unexpected name; an operator is missing before it.");
  case FCPS_TOKEN_FUNCTION:
    return refuse(p, t->begin, "unexpected function; an operator is missing before it.");
  case FCPS_TOKEN_OPEN:
    return refuse(p, t->begin, "unexpected parenthesis.");
  default:
    return end_text(p, t);
  }
}

static fcps_status parse(parser *p)
{
  fcps_formula_token token = {.kind = FCPS_TOKEN_OPEN};
  fcps_status status = FCPS_OK;
  for (bool is_complete = false; status == FCPS_OK && token.kind != FCPS_TOKEN_END;) {
    status = fcps_formula_text_next(&p->text, &token);
    if (status == FCPS_OK)
      status = is_complete ? continue_operand(p, &token, &is_complete) : begin_operand(p, &token, &is_complete);
  }
  return status;
}

fcps_status fcps_formula_read(fcps_formula *formula, const char *text, int count, const char *const *names,
                              const fcps_choices *const *choices, fcps_error *error)
{
  parser p = {.text = {.text = text, .count = count, .names = names, .choices = choices, .error = error},
              .formula = formula};
  const size_t length = strlen(text);
  if (length > FCPS_FORMULA_LONGEST)
    return refuse(&p, FCPS_FORMULA_LONGEST, "the formula has more than 2000 characters.");
  p.operands = fcps_allocate(length + 1, sizeof *p.operands); /* Every character opens at most one part. */
  p.openings = fcps_allocate(length + 1, sizeof *p.openings);
  fcps_status status = p.operands != NULL && p.openings != NULL ? parse(&p) : fcps_error_memory(error);
  free(p.operands);
  free(p.openings);
  if (status != FCPS_OK) fcps_formula_destroy(formula);
  return status;
}

bool fcps_formula_uses(const fcps_formula *formula, int index)
{
  for (int i = 0; i < formula->count; i++)
    if (formula->steps[i].op == FCPS_FORMULA_VALUE && formula->steps[i].index == index) return true;
  return false;
}
