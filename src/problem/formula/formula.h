/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas over named numbers, such as "-distance - 0.05*speed^2", as lists of steps. A formula is evaluated for many
 * rows at once, and has derivatives. Some of its values can be fixed, and it can be taken apart. Each step knows its
 * place in the text.
 *
 * Steps stand in the order of evaluation, and a step uses only earlier steps. A text is read as it is written
 * (fcps_formula_read). For evaluation a copy of it is made (fcps_formula_splice), in which constants are folded and
 * only the steps that matter are left. */
#ifndef FCPS_PROBLEM_FORMULA_H
#define FCPS_PROBLEM_FORMULA_H

#include <fcps/space.h>

/* -- Functions (steps.c) -- */

/* A function takes one argument, two arguments, or any number of arguments. For any number, `two` is applied to `start`
 * and the first argument, then to the result and the next argument, and so on. */
typedef struct fcps_formula_function {
  const char *name;
  double (*one)(double a);
  double (*two)(double a, double b);
  bool takes_many;
  double start; /* the first number, for a function of any number of arguments */

  /* The derivatives of value = one(a) or value = two(a, b); 0 at a step or a kink. */
  double (*slope)(double a, double value);
  void (*slopes)(double a, double b, double value, double *by_a, double *by_b);
} fcps_formula_function;

/* Returns the function with this name; NULL if there is none. */
const fcps_formula_function *fcps_formula_function_find(const char *name);

/* All functions, in the order in which they are shown; the last row has no name. */
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
  int arguments[3]; /* indices of earlier steps */
  int index;        /* for a value: its index */
  double constant;
  const fcps_formula_function *function; /* for a call: its function */
  int begin, end;                        /* its place in the text; both are 0 if it is not in the text */
} fcps_formula_step;

typedef struct fcps_formula {
  int count; /* the last step is the formula; 0: the formula is empty */
  fcps_formula_step *steps;
  size_t capacity;
} fcps_formula;

/* Returns how many arguments a step has. */
int fcps_formula_arguments(const fcps_formula_step *step);

/* Whether a step calls one of these functions, whose names are separated by spaces. */
bool fcps_formula_calls(const fcps_formula_step *step, const char *names);

/* Whether a step compares its two arguments: < <= > >= == != */
bool fcps_formula_compares(const fcps_formula_step *step);

/* Returns the value of a step for given values of its arguments. The step must be neither a constant nor a value. */
double fcps_formula_apply(const fcps_formula_step *step, double a, double b, double c);

/* -- Reading a text (parse.c) -- */

enum { FCPS_FORMULA_LONGEST = 2000 }; /* in characters */

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

/* Whether a formula that was read uses the value `index`, even if the value has no effect. */
bool fcps_formula_uses(const fcps_formula *formula, int index);

/* Whether a name already has a meaning in formulas, so that no dimension may have it. */
bool fcps_formula_is_reserved(const char *name);

/* Says why the formula `text`, which can be read, has no usable value (it is NaN, infinite or too large) for these
 * values: its smallest part that has none, and the numbers that this part stands on, as in
 * `"log(dose - 30)" is nan where dose=20.5`. Empty if the formula has a value, or without memory. Returns `words`.
 * (eval.c) */
char *fcps_formula_blame(const char *text, int count, const char *const *names, const fcps_choices *const *choices,
                         const double *values, size_t size, char *words);

/* -- Making formulas (steps.c) -- */

/* Adds a step; if all its arguments are constants, the step becomes a constant. Returns its index, or -1 without
 * memory. An argument of -1 gives -1, so only the last of several calls need be checked. */
int fcps_formula_add(fcps_formula *formula, fcps_formula_step step);
int fcps_formula_add_constant(fcps_formula *formula, double constant);
int fcps_formula_add_value(fcps_formula *formula, int index);
int fcps_formula_add_operation(fcps_formula *formula, fcps_formula_op op, int a, int b);
int fcps_formula_add_call(fcps_formula *formula, const char *function, int a);

/* Adds a step without folding it. */
int fcps_formula_append(fcps_formula *formula, fcps_formula_step step);

/* Adds the steps that step `root` of `from` needs. If stand_ins[i] is not negative, that step of `to` replaces the
 * value i. Returns the index of the root in `to`, or -1. */
int fcps_formula_splice(fcps_formula *to, const fcps_formula *from, int root, const int *stand_ins);

/* Fills an empty formula with step `root` of `from`. If known[i] is not NULL, that number replaces the value i (`known`
 * may be NULL). The root becomes the last step. false: out of memory. */
bool fcps_formula_specialize(fcps_formula *to, const fcps_formula *from, int root, int count,
                             const double *const *known);

void fcps_formula_destroy(fcps_formula *formula);

/* -- Evaluation (eval.c) -- */

/* The largest number of rows that are evaluated at once. */
enum { FCPS_FORMULA_LANES = 256 };

/* Where the numbers of a value are: in lane l at at[l * stride]. */
typedef struct fcps_formula_input {
  const double *at;
  size_t stride;
} fcps_formula_input;

/* Returns the number of doubles of work space that an evaluation needs. */
size_t fcps_formula_work(const fcps_formula *formula);

/* Evaluates the formula in `lanes` rows; inputs[i] is the value i. The results are in `work`. */
const double *fcps_formula_eval(const fcps_formula *formula, int lanes, const fcps_formula_input *inputs, double *work);

/* Differentiates the formula after an evaluation of the same lanes with the same `work`. slopes[i] receives `lanes`
 * derivatives with respect to value i; NULL: they are not wanted. A derivative that is not finite becomes 0. */
void fcps_formula_gradient(const fcps_formula *formula, int lanes, double *work, int count, double *const *slopes);

#endif
