/* SPDX-License-Identifier: Apache-2.0 */
/* Reads constraints. "l <= r" becomes the margin r - l, and "l >= r" the margin l - r. "<" and ">" mean the same as
 * "<=" and ">=", because numbers may come as near to the level as they like. A comparison of words, such as "gate !=
 * pin", has nothing between true and false: its margin is 0.5 if it is kept and -0.5 if it is broken. */
#include "problem/constraints.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"

#include <stdio.h>
#include <stdlib.h>

/* The names that a constraint may use. */
typedef struct values {
  int count, known; /* the number of names, and how many of them (those before the outcome) are known before a trial */
  const char **names;
  const fcps_choices **choices;
} values;

/* Whether a step only compares words: a comparison with a word on its left, or several of them joined. */
static bool compares_words(const fcps_formula *written, int root, const values *v)
{
  const fcps_formula_step *step = &written->steps[root];
  const int left = step->arguments[0];
  if (step->op == FCPS_FORMULA_OR || step->op == FCPS_FORMULA_AND)
    return compares_words(written, left, v) && compares_words(written, step->arguments[1], v);
  if (!fcps_formula_compares(step)) return false;
  return written->steps[left].op == FCPS_FORMULA_VALUE && v->choices[written->steps[left].index] != NULL;
}

static fcps_constraint *add(fcps_constraints *c, int source)
{
  void *items = c->list;
  if (!fcps_reserve(&items, &c->capacity, (size_t)c->count + 1, sizeof *c->list)) return NULL;
  c->list = items;
  fcps_constraint *made = &c->list[c->count++];
  *made = (fcps_constraint){.source = source};
  return made;
}

/* Adds the margin of a condition that is true or false, such as a comparison of words. */
static fcps_status add_truth(fcps_constraints *c, const fcps_formula *written, int root, int source, fcps_error *error)
{
  fcps_constraint *made = add(c, source);
  if (made == NULL) return fcps_error_memory(error);
  const int truth = fcps_formula_splice(&made->margin, written, root, NULL);
  const int half = fcps_formula_add_constant(&made->margin, 0.5);
  return fcps_formula_add_operation(&made->margin, FCPS_FORMULA_SUBTRACT, truth, half) >= 0 ? FCPS_OK
                                                                                            : fcps_error_memory(error);
}

/* Adds the margin of a comparison. */
static fcps_status add_margin(fcps_constraints *c, const fcps_formula *written, int root, int source, fcps_error *error)
{
  const fcps_formula_step *step = &written->steps[root];
  const bool is_least = step->op == FCPS_FORMULA_GREATER || step->op == FCPS_FORMULA_GREATER_EQUAL;
  fcps_constraint *made = add(c, source);
  if (made == NULL) return fcps_error_memory(error);
  made->is_equation = step->op == FCPS_FORMULA_EQUAL;
  const int a = fcps_formula_splice(&made->margin, written, step->arguments[is_least ? 0 : 1], NULL);
  const int b = fcps_formula_splice(&made->margin, written, step->arguments[is_least ? 1 : 0], NULL);
  return fcps_formula_add_operation(&made->margin, FCPS_FORMULA_SUBTRACT, a, b) >= 0 ? FCPS_OK
                                                                                     : fcps_error_memory(error);
}

static fcps_status refuse(const fcps_formula_step *step, const char *words, fcps_error *error)
{
  const fcps_status status = fcps_error_set(error, FCPS_ERR_FORMAT, "constraints", "%s", words);
  if (error != NULL) error->column = step->begin + 1;
  return status;
}

/* Adds the margins of a comparison, or of several that are joined by "&&". */
static fcps_status take(fcps_constraints *c, const fcps_formula *written, int root, int source, const values *v,
                        fcps_error *error)
{
  const fcps_formula_step *step = &written->steps[root];
  if (compares_words(written, root, v)) return add_truth(c, written, root, source, error);
  if (step->op == FCPS_FORMULA_AND) {
    const fcps_status status = take(c, written, step->arguments[0], source, v, error);
    return status == FCPS_OK ? take(c, written, step->arguments[1], source, v, error) : status;
  }
  if (!fcps_formula_compares(step) || step->op == FCPS_FORMULA_UNEQUAL)
    return refuse(step, "expected a comparison with <=, >= or ==, as in \"a + b <= 1\".", error);
  for (int side = 0; side < 2; side++)
    if (fcps_formula_compares(&written->steps[step->arguments[side]]))
      return refuse(step, "compares the result of a comparison; write two constraints, as in \"0 <= a && a <= b\".",
                    error);
  return add_margin(c, written, root, source, error);
}

/* Refuses a constraint that uses an outcome, or no parameter. */
static fcps_status check_values(const fcps_problem *p, const fcps_formula *written, const values *v, fcps_error *error)
{
  bool has_parameter = false;
  for (int i = p->target.count + p->environment.count; i < v->known; i++)
    has_parameter = has_parameter || fcps_formula_uses(written, i);
  for (int i = v->known; i < v->count; i++)
    if (fcps_formula_uses(written, i))
      return fcps_error_set(error, FCPS_ERR_FORMAT, "constraints",
                            "'%s' is an outcome, which is known only after a trial; a constraint is over parameters, "
                            "targets and environment.",
                            v->names[i]);
  return has_parameter ? FCPS_OK
                       : fcps_error_set(error, FCPS_ERR_FORMAT, "constraints",
                                        "uses no parameter; a constraint says which parameters may be used.");
}

static fcps_status read_one(fcps_constraints *c, const fcps_problem *p, int source, const values *v, fcps_error *error)
{
  fcps_formula written = {0};
  if (p->constraints[source] == NULL) return fcps_error_null(error, "constraints");
  fcps_status status = fcps_formula_read(&written, p->constraints[source], v->count, v->names, v->choices, error);
  if (status == FCPS_OK) status = check_values(p, &written, v, error);
  if (status == FCPS_OK) status = take(c, &written, written.count - 1, source, v, error);
  fcps_formula_destroy(&written);
  if (status != FCPS_OK && error != NULL) snprintf(error->field, sizeof error->field, "constraints.%d", source + 1);
  return status;
}

fcps_status fcps_constraints_read(fcps_constraints *constraints, const fcps_problem *problem, fcps_error *error)
{
  *constraints = (fcps_constraints){0};
  if (problem->constraint_count == 0) return FCPS_OK;
  values v = {.known = problem->target.count + problem->environment.count + problem->parameters.count};
  v.count = fcps_problem_list_values(problem, &v.names, &v.choices);
  fcps_status status = v.count >= 0 ? FCPS_OK : fcps_error_memory(error);
  for (int i = 0; i < problem->constraint_count && status == FCPS_OK; i++)
    status = read_one(constraints, problem, i, &v, error);
  free(v.names);
  free(v.choices);
  if (status != FCPS_OK) fcps_constraints_free(constraints);
  return status;
}

void fcps_constraints_free(fcps_constraints *constraints)
{
  for (int i = 0; i < constraints->count; i++)
    fcps_formula_destroy(&constraints->list[i].margin);
  free(constraints->list);
  *constraints = (fcps_constraints){0};
}

bool fcps_constraints_use_context(const fcps_constraints *constraints, const fcps_problem *problem)
{
  for (int i = 0; i < constraints->count; i++)
    for (int v = 0; v < problem->target.count + problem->environment.count; v++)
      if (fcps_formula_uses(&constraints->list[i].margin, v)) return true;
  return false;
}
