/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of a formula is to blame for a value that is not finite.
 *
 * The formula, which the compiler has accepted, is read once more into a tree of its parts, each a piece of the text. From
 * the whole formula we go down to a part without a usable value until all parts of that one have a value: it is the
 * smallest part to blame. Of `condition ? a : b` only the branch that was taken counts. The value of a part is that of its
 * piece of text as a formula of its own, so that there is one definition of what an operator does.
 */
#include "base/memory.h"
#include "base/number.h"
#include "problem/formula/expression.h"
#include "problem/problem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- The tree -- */

/* Formulas that are nested more deeply are not explained: the stack of a thread may be small. */
enum { NO_PART = -1, DEEPEST = 100 };

/* A piece of the text, and the parts that it is made of as a list. */
typedef struct part {
  int begin, end;
  int first, next; /* of its parts; of its siblings */
  bool is_choice;  /* its parts are condition, a, b */
} part;

typedef struct reader {
  const char *text;
  int at;
  part *parts; /* room for one per character, and one more */
  int count, depth;
  bool is_too_deep;
} reader;

static void skip_spaces(reader *r)
{
  while (isspace((unsigned char)r->text[r->at]))
    r->at++;
}

/* A part that begins at `begin`, ends here and is made of the list `first`. */
static int add_part(reader *r, int begin, int first)
{
  int end = r->at;
  while (end > begin && isspace((unsigned char)r->text[end - 1]))
    end--;
  r->parts[r->count] = (part){.begin = begin, .end = end, .first = first, .next = NO_PART};
  return r->count++;
}

static int read_choice(reader *r);

/* The arguments of a function, after its parenthesis. */
static int read_arguments(reader *r)
{
  int first = NO_PART, last = NO_PART;
  while (r->text[r->at] != '\0' && r->text[r->at] != ')') {
    const int argument = read_choice(r);
    if (first == NO_PART) first = argument;
    if (last != NO_PART) r->parts[last].next = argument;
    last = argument;
    skip_spaces(r);
    if (r->text[r->at] != ',') break;
    r->at++;
  }
  if (r->text[r->at] == ')') r->at++;
  return first;
}

/* A number, a name, a call or a parenthesis. */
static int read_operand(reader *r)
{
  skip_spaces(r);
  const int begin = r->at;
  if (r->text[r->at] == '(') {
    r->at++;
    const int inner = read_choice(r);
    skip_spaces(r);
    if (r->text[r->at] == ')') r->at++;
    return add_part(r, begin, inner);
  }
  while (isalnum((unsigned char)r->text[r->at]) || strchr("._", r->text[r->at]) != NULL) {
    if (r->text[r->at] == '\0') break;
    const bool is_number = isdigit((unsigned char)r->text[begin]) || r->text[begin] == '.';
    const bool has_exponent = is_number && strchr("eE", r->text[r->at]) != NULL;
    r->at++;
    if (has_exponent && r->text[r->at] != '\0' && strchr("+-", r->text[r->at]) != NULL) r->at++;
  }
  const int end = r->at;
  skip_spaces(r);
  if (r->text[r->at] == '(') {
    r->at++;
    const int first = read_arguments(r);
    return add_part(r, begin, first);
  }
  r->at = end > begin ? end : r->at + (r->text[r->at] != '\0'); /* always moves on */
  return add_part(r, begin, NO_PART);
}

/* Operators from those that bind least to those that bind most. */
static const char *const operators[][7] = {{"||"}, {"&&"}, {"<=", ">=", "==", "!=", "<", ">"}, {"+", "-"}, {"*", "/"}};
enum { LEVELS = sizeof operators / sizeof *operators };

/* The length of the operator of this level that stands here; 0: none. */
static int operator_here(reader *r, int level)
{
  skip_spaces(r);
  for (int i = 0; i < 7 && operators[level][i] != NULL; i++) {
    const size_t length = strlen(operators[level][i]);
    if (strncmp(r->text + r->at, operators[level][i], length) == 0) return (int)length;
  }
  return 0;
}

/* A sign binds less than a power: -2^2 is -4. Powers are read from the right. */
static int read_power(reader *r)
{
  skip_spaces(r);
  const int begin = r->at;
  if (r->text[r->at] == '-' || r->text[r->at] == '+') {
    r->at++;
    const int inner = read_power(r);
    return add_part(r, begin, inner);
  }
  const int base = read_operand(r);
  skip_spaces(r);
  if (r->text[r->at] != '^') return base;
  r->at++;
  r->parts[base].next = read_power(r);
  return add_part(r, begin, base);
}

static int read_level(reader *r, int level)
{
  if (level == LEVELS) return read_power(r);
  skip_spaces(r);
  const int begin = r->at;
  int left = read_level(r, level + 1);
  for (int length; (length = operator_here(r, level)) > 0;) {
    r->at += length;
    const int right = read_level(r, level + 1);
    r->parts[left].next = right;
    left = add_part(r, begin, left);
  }
  return left;
}

static int read_choice(reader *r)
{
  if (++r->depth > DEEPEST) {
    r->is_too_deep = true;
    r->at = (int)strlen(r->text);
  }
  skip_spaces(r);
  const int begin = r->at, condition = read_level(r, 0);
  skip_spaces(r);
  if (r->text[r->at] != '?') {
    r->depth--;
    return condition;
  }
  r->at++;
  const int yes = read_choice(r);
  skip_spaces(r);
  if (r->text[r->at] == ':') r->at++;
  const int no = read_choice(r);
  r->depth--;
  r->parts[condition].next = yes;
  r->parts[yes].next = no;
  const int choice = add_part(r, begin, condition);
  r->parts[choice].is_choice = true;
  return choice;
}

/* -- The blame -- */

/* The value of a part as a formula of its own; `uses` (may be NULL) says which names it has. */
static double value_of(const reader *r, int index, const fcps_expression_names *names, bool *uses)
{
  const part *p = &r->parts[index];
  char piece[FCPS_EXPRESSION_MAX + 1];
  fcps_expression *expression = NULL;
  snprintf(piece, sizeof piece, "%.*s", p->end - p->begin, r->text + p->begin);
  if (fcps_expression_create(&expression, piece, names->count, names->names, names->values, NULL) != FCPS_OK)
    return 0.0;
  const double value = fcps_expression_eval(expression);
  for (int i = 0; uses != NULL && i < names->count; i++)
    uses[i] = fcps_expression_uses(expression, i);
  fcps_expression_destroy(expression);
  return value;
}

static bool is_bad(const reader *r, int index, const fcps_expression_names *names)
{
  const double value = value_of(r, index, names, NULL);
  return !fcps_rollout_values_usable(1, &value);
}

/* The part of `index` to go down to; NO_PART where all of them have a value. */
static int find_bad(const reader *r, int index, const fcps_expression_names *names)
{
  int child = r->parts[index].first;
  if (r->parts[index].is_choice && !is_bad(r, child, names)) {
    const bool is_true = value_of(r, child, names, NULL) != 0.0;
    child = r->parts[child].next;
    if (!is_true) child = r->parts[child].next;
    return is_bad(r, child, names) ? child : NO_PART;
  }
  while (child != NO_PART && !is_bad(r, child, names))
    child = r->parts[child].next;
  return child;
}

static void describe(const reader *r, int index, const fcps_expression_names *names, size_t size, char *words)
{
  const part *p = &r->parts[index];
  char number[FCPS_NUMBER_SIZE];
  bool *uses = fcps_allocate((size_t)names->count + 1, sizeof *uses);
  if (uses == NULL) return;
  const double value = value_of(r, index, names, uses);
  const char *link = " where ";
  size_t used = (size_t)snprintf(words, size, "\"%.*s\" is %s", p->end - p->begin < 120 ? p->end - p->begin : 120,
                                 r->text + p->begin, fcps_number_write(value, number));
  for (int i = 0; i < names->count && p->first != NO_PART; i++) {
    if (!uses[i] || used >= size) continue;
    used += (size_t)snprintf(words + used, size - used, "%s%s=%.6g", link, names->names[i], names->values[i]);
    link = ", ";
  }
  free(uses);
}

char *fcps_expression_blame(const char *text, const fcps_expression_names *names, size_t size, char *words)
{
  if (size > 0) words[0] = '\0';
  if (size == 0 || strlen(text) > FCPS_EXPRESSION_MAX) return words;
  reader r = {.text = text, .parts = fcps_allocate(2 * strlen(text) + 2, sizeof(part))};
  if (r.parts == NULL) return words;
  int blamed = read_choice(&r);
  if (!r.is_too_deep && is_bad(&r, blamed, names)) {
    for (int next; (next = find_bad(&r, blamed, names)) != NO_PART;)
      blamed = next;
    describe(&r, blamed, names, size, words);
  }
  free(r.parts);
  return words;
}
