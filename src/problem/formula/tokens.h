/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of a formula's text, one after the other, and the errors about those without a meaning. */
#ifndef FCPS_PROBLEM_FORMULA_TOKENS_H
#define FCPS_PROBLEM_FORMULA_TOKENS_H

#include "problem/formula/formula.h"

typedef enum fcps_formula_token_kind {
  FCPS_TOKEN_END,
  FCPS_TOKEN_NUMBER,
  FCPS_TOKEN_NAME,
  FCPS_TOKEN_FUNCTION,
  FCPS_TOKEN_OPERATOR, /* an operator with two operands; - and + may also be signs */
  FCPS_TOKEN_OPEN,
  FCPS_TOKEN_CLOSE,
  FCPS_TOKEN_COMMA,
  FCPS_TOKEN_QUESTION,
  FCPS_TOKEN_COLON
} fcps_formula_token_kind;

/* How strongly operators bind; a sign lies between a product and a power. */
enum {
  FCPS_TOKEN_OR,
  FCPS_TOKEN_AND,
  FCPS_TOKEN_COMPARISON,
  FCPS_TOKEN_SUM,
  FCPS_TOKEN_PRODUCT,
  FCPS_TOKEN_SIGN,
  FCPS_TOKEN_POWER
};

typedef struct fcps_formula_token {
  fcps_formula_token_kind kind;
  int begin, end; /* its place in the text */
  double number;
  int name;
  const fcps_formula_function *function;
  fcps_formula_op op;
  int level; /* how strongly an operator binds */
} fcps_formula_token;

typedef struct fcps_formula_text {
  const char *text;
  int count;
  const char *const *names;
  const fcps_choices *const *choices; /* the words of each name; NULL: no name has words */
  int at;                             /* the place of the next token */
  fcps_error *error;
} fcps_formula_text;

/* Reads the next token and moves past it, or refuses it. */
fcps_status fcps_formula_text_next(fcps_formula_text *t, fcps_formula_token *token);

/* Returns the words of a name; NULL if the name is a number. */
const fcps_choices *fcps_formula_text_choices(const fcps_formula_text *t, int name);

/* Reads the word with which the value `name` is compared, or the name of a value that has the same words. The token is
 * the number of the word, or that name. */
fcps_status fcps_formula_text_word(fcps_formula_text *t, int name, fcps_formula_token *token);

/* Sets the error at a place of the text, counted from 0. `format` may have one %s, for `detail`. */
fcps_status fcps_formula_text_refuse(const fcps_formula_text *t, int place, const char *format, const char *detail);

#endif
