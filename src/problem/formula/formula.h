/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas over named numbers, such as "-distance - 0.05*speed^2", as steps: they are evaluated for many rows at once, have
 * derivatives, can keep some of their values fixed, can be taken apart, and know from which place in the text each step
 * comes.
 *
 * Steps stand in the order of evaluation, and a step uses earlier ones alone. A text is read as it is written
 * (fcps_formula_read). What is evaluated often is a copy of that (fcps_formula_splice), in which constants are folded and
 * only steps that matter are left.
 */
#ifndef FCPS_PROBLEM_FORMULA_H
#define FCPS_PROBLEM_FORMULA_H

#include <fcps/space.h>

/* -- Functions (functions.c) -- */

/* A function has one argument, two, or any number from one on. A function of any number is `two` of `start` and its first
 * argument, then `two` of that and the next, and so on. */
typedef struct fcps_formula_function {
  const char *name;
  double (*one)(double a);
  double (*two)(double a, double b);
  bool takes_many;
  double start; /* if it takes many */

  /* The derivatives where value = one(a), or two(a, b); 0 if the function has a step or a kink. */
  double (*slope)(double a, double value);
  void (*slopes)(double a, double b, double value, double *by_a, double *by_b);
} fcps_formula_function;

/* The function with this name; NULL: there is none. */
const fcps_formula_function *fcps_formula_function_find(const char *name);

/* All of them, in the order in which they are shown; ends with a row without name. */
extern const fcps_formula_function fcps_formula_functions[];

/* -- Steps -- */

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
  int begin, end;                        /* its place in the text; the same where it has none */
} fcps_formula_step;

typedef struct fcps_formula {
  int count; /* the last step is the formula; 0: there is none */
  fcps_formula_step *steps;
  size_t capacity;
} fcps_formula;

/* How many arguments a step has. */
int fcps_formula_arguments(const fcps_formula_step *step);

/* Whether it calls one of these functions; their names are separated by spaces. */
bool fcps_formula_calls(const fcps_formula_step *step, const char *names);

/* Whether it compares its two arguments: < <= > >= == != */
bool fcps_formula_compares(const fcps_formula_step *step);

/* The value of a step, given those of its arguments; not of a constant or a value. */
double fcps_formula_apply(const fcps_formula_step *step, double a, double b, double c);

/* -- Reading a text (parse.c) -- */

enum { FCPS_FORMULA_LONGEST = 2000 }; /* characters */

/* Reads `text` over `count` names into an empty formula. The value i is the number behind names[i], or, if choices[i] is not
 * NULL, the place of a word (`choices` may be NULL). Such a value can only be compared: with a word, as in gate == pin or
 * gate != 'two words', or with a value of the same words. A name that is also a dimension is first looked for among the
 * words. Operators from the weakest to the strongest:
 *
 *   condition ? a : b      from the right
 *   ||
 *   &&
 *   < <= > >= == !=        one level
 *   + -
 *   * /
 *   a sign
 *   ^                      from the right; a sign may follow it
 *
 * `pi` is the only constant. On failure the formula stays empty, and error->column is the place in `text`, from 1. */
fcps_status fcps_formula_read(fcps_formula *formula, const char *text, int count, const char *const *names,
                              const fcps_choices *const *choices, fcps_error *error);

/* Whether a formula that was read uses the value `index`, also if that does not matter. */
bool fcps_formula_uses(const fcps_formula *formula, int index);

/* Whether a name already has a meaning in formulas, so that no dimension may have it. */
bool fcps_formula_is_reserved(const char *name);

/* Says why the formula `text`, which can be read, has no usable value (it is NaN, infinite or too large) for these
 * values: its smallest part that has none, and the numbers that this part stands on, as in
 * `"log(dose - 30)" is nan where dose=20.5`. Empty if the formula has a value, or without memory. Returns `words`.
 * (blame.c) */
char *fcps_formula_blame(const char *text, int count, const char *const *names, const fcps_choices *const *choices,
                         const double *values, size_t size, char *words);

/* -- Making formulas (steps.c) -- */

/* Adds a step; if all its arguments are constants, it becomes one. Its index, or -1 when there is no memory. An argument
 * of -1 gives -1, so that only the last of several calls need be checked. */
int fcps_formula_add(fcps_formula *formula, fcps_formula_step step);
int fcps_formula_add_constant(fcps_formula *formula, double constant);
int fcps_formula_add_value(fcps_formula *formula, int index);
int fcps_formula_add_operation(fcps_formula *formula, fcps_formula_op op, int a, int b);
int fcps_formula_add_call(fcps_formula *formula, const char *function, int a);

/* Adds a step as it is. */
int fcps_formula_append(fcps_formula *formula, fcps_formula_step step);

/* Adds the steps that step `root` of `from` needs, with step stand_ins[i] of `to` for the value i, where that is not
 * negative. The index of the root in `to`, or -1. */
int fcps_formula_splice(fcps_formula *to, const fcps_formula *from, int root, const int *stand_ins);

/* Fills an empty formula with step `root` of `from`, in which known[i] stands for the value i for good where it is not
 * NULL (`known` may be NULL). The root becomes the last step. false: no memory. */
bool fcps_formula_specialize(fcps_formula *to, const fcps_formula *from, int root, int count,
                             const double *const *known);

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
