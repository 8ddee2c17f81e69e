/* SPDX-License-Identifier: Apache-2.0 */
/* A formula as steps, for what an expression cannot do: it is evaluated for many rows at once and has derivatives, some
 * of its values can be put in for good, and it can be taken apart.
 *
 * Steps stand in the order of evaluation, and a step uses earlier ones alone. The grammar is that of expressions
 * (problem/formula/expression.h), which remain the authority: a text becomes a formula only after an expression was made of it,
 * and who needs both compares their values.
 */
#ifndef FCPS_PROBLEM_FORMULA_H
#define FCPS_PROBLEM_FORMULA_H

#include "problem/formula/functions.h"

#include <fcps/base.h>

typedef enum fcps_formula_op {
  FCPS_FORMULA_CONSTANT,
  FCPS_FORMULA_VALUE, /* the number behind a name */
  FCPS_FORMULA_NEGATE,
  FCPS_FORMULA_ADD,
  FCPS_FORMULA_SUBTRACT,
  FCPS_FORMULA_MULTIPLY,
  FCPS_FORMULA_DIVIDE,
  FCPS_FORMULA_POWER,
  FCPS_FORMULA_LESS,
  FCPS_FORMULA_LESS_EQUAL,
  FCPS_FORMULA_GREATER,
  FCPS_FORMULA_GREATER_EQUAL,
  FCPS_FORMULA_EQUAL,
  FCPS_FORMULA_UNEQUAL,
  FCPS_FORMULA_AND,
  FCPS_FORMULA_OR,
  FCPS_FORMULA_CHOOSE, /* a ? b : c */
  FCPS_FORMULA_CALL_ONE,
  FCPS_FORMULA_CALL_TWO
} fcps_formula_op;

typedef struct fcps_formula_step {
  fcps_formula_op op;
  int arguments[3]; /* earlier steps */
  int index;        /* of a value */
  double constant;
  const fcps_formula_function *function; /* of a call */
} fcps_formula_step;

typedef struct fcps_formula {
  int count; /* the last step is the formula; 0: there is none */
  fcps_formula_step *steps;
  size_t capacity;
} fcps_formula;

/* How many arguments a step has. */
int fcps_formula_arguments(const fcps_formula_step *step);

/* The value of a step, given those of its arguments; not of a constant or a value. */
double fcps_formula_apply(const fcps_formula_step *step, double a, double b, double c);

/* -- Making formulas -- */

/* Adds a step; where all its arguments are constants it becomes one. Its index, or -1 when there is no memory. An argument
 * of -1 gives -1, so that only the last of several calls need be checked. */
int fcps_formula_add(fcps_formula *formula, fcps_formula_step step);
int fcps_formula_add_constant(fcps_formula *formula, double constant);
int fcps_formula_add_value(fcps_formula *formula, int index);
int fcps_formula_add_operation(fcps_formula *formula, fcps_formula_op op, int a, int b);

/* Adds the steps that step `root` of `from` needs, with step stand_ins[i] of `to` for the value i, where that is not
 * negative. The index of the root in `to`, or -1. */
int fcps_formula_splice(fcps_formula *to, const fcps_formula *from, int root, const int *stand_ins);

/* Fills an empty formula with step `root` of `from`, in which known[i] stands for the value i for good where it is not
 * NULL. false: no memory. */
bool fcps_formula_specialize(fcps_formula *to, const fcps_formula *from, int root, int count,
                             const double *const *known);

/* Adds the steps of a text over `count` names that an expression was made of. The index of the last one; -1: no memory,
 * or the text nests more deeply than formulas may. */
int fcps_formula_parse(fcps_formula *formula, const char *text, int count, const char *const *names);

void fcps_formula_destroy(fcps_formula *formula);

/* -- Evaluation (eval.c) -- */

/* Rows that are evaluated at once, at most. */
enum { FCPS_FORMULA_LANES = 256 };

/* Where the values are: that of lane l is at[l * stride]. */
typedef struct fcps_formula_input {
  const double *at;
  size_t stride;
} fcps_formula_input;

/* Doubles that an evaluation needs to work with. */
size_t fcps_formula_work(const fcps_formula *formula);

/* The formula in `lanes` rows; inputs[i] is the value i. The results live in `work`. */
const double *fcps_formula_eval(const fcps_formula *formula, int lanes, const fcps_formula_input *inputs, double *work);

/* Its derivatives, after an evaluation of the same lanes with the same `work`: slopes[i] receives those by value i,
 * `lanes` numbers; NULL: not wanted. One that is not finite becomes 0. */
void fcps_formula_gradient(const fcps_formula *formula, int lanes, double *work, int count, double *const *slopes);

#endif
