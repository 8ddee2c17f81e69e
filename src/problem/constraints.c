/* SPDX-License-Identifier: Apache-2.0 */
/* Reading constraints. "l <= r" becomes the margin r - l, "l >= r" the margin l - r; "<" and ">" are the same as "<=" and
 * ">=", because a parameter is a number that may come as near as it likes. */
#include "problem/constraints.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* The names of all spaces; the outcome comes last, so that its use is noticed. */
static const char **name_values(const fcps_problem *p, int *known, int *count)
{
  const fcps_space *spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  *known = p->target.count + p->environment.count + p->parameters.count;
  *count = 0;
  const char **names = fcps_allocate((size_t)(*known + p->outcome.count), sizeof *names);
  for (int s = 0; s < 4 && names != NULL; s++)
    for (int i = 0; i < spaces[s]->count; i++)
      names[(*count)++] = spaces[s]->dims[i].name;
  return names;
}

/* Adds the margin of a comparison. */
static fcps_status add_margin(fcps_constraints *c, const fcps_formula *written, int root, int source, fcps_error *error)
{
  const fcps_formula_step *step = &written->steps[root];
  const bool is_least = step->op == FCPS_FORMULA_GREATER || step->op == FCPS_FORMULA_GREATER_EQUAL;
  void *items = c->list;
  if (!fcps_reserve(&items, &c->capacity, (size_t)c->count + 1, sizeof *c->list)) return fcps_error_memory(error);
  c->list = items;
  fcps_constraint *made = &c->list[c->count++];
  *made = (fcps_constraint){.is_equation = step->op == FCPS_FORMULA_EQUAL, .source = source};
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

/* A comparison, or several joined by "&&". */
static fcps_status take(fcps_constraints *c, const fcps_formula *written, int root, int source, fcps_error *error)
{
  const fcps_formula_step *step = &written->steps[root];
  if (step->op == FCPS_FORMULA_AND) {
    const fcps_status status = take(c, written, step->arguments[0], source, error);
    return status == FCPS_OK ? take(c, written, step->arguments[1], source, error) : status;
  }
  if (!fcps_formula_compares(step) || step->op == FCPS_FORMULA_UNEQUAL)
    return refuse(step, "expected a comparison with <=, >= or ==, as in \"a + b <= 1\".", error);
  for (int side = 0; side < 2; side++)
    if (fcps_formula_compares(&written->steps[step->arguments[side]]))
      return refuse(step, "compares the result of a comparison; write two constraints, as in \"0 <= a && a <= b\".",
                    error);
  return add_margin(c, written, root, source, error);
}

/* Over parameters and context, at least one parameter among them. */
static fcps_status check_values(const fcps_problem *p, const fcps_formula *written, const char *const *names, int known,
                                int count, fcps_error *error)
{
  bool has_parameter = false;
  for (int i = p->target.count + p->environment.count; i < known; i++)
    has_parameter = has_parameter || fcps_formula_uses(written, i);
  for (int i = known; i < count; i++)
    if (fcps_formula_uses(written, i))
      return fcps_error_set(error, FCPS_ERR_FORMAT, "constraints",
                            "'%s' is an outcome, which is known only after a trial; a constraint is over parameters, "
                            "targets and environment.",
                            names[i]);
  return has_parameter ? FCPS_OK
                       : fcps_error_set(error, FCPS_ERR_FORMAT, "constraints",
                                        "uses no parameter; a constraint says which parameters may be used.");
}

static fcps_status read_one(fcps_constraints *c, const fcps_problem *p, int source, const char *const *names, int known,
                            int count, fcps_error *error)
{
  fcps_formula written = {0};
  if (p->constraints[source] == NULL) return fcps_error_null(error, "constraints");
  fcps_status status = fcps_formula_read(&written, p->constraints[source], count, names, error);
  if (status == FCPS_OK) status = check_values(p, &written, names, known, count, error);
  if (status == FCPS_OK) status = take(c, &written, written.count - 1, source, error);
  fcps_formula_destroy(&written);
  if (status != FCPS_OK && error != NULL) snprintf(error->field, sizeof error->field, "constraints.%d", source + 1);
  return status;
}

fcps_status fcps_constraints_read(fcps_constraints *constraints, const fcps_problem *problem, fcps_error *error)
{
  *constraints = (fcps_constraints){0};
  if (problem->constraint_count == 0) return FCPS_OK;
  int known, count;
  const char **names = name_values(problem, &known, &count);
  fcps_status status = names != NULL ? FCPS_OK : fcps_error_memory(error);
  for (int i = 0; i < problem->constraint_count && status == FCPS_OK; i++)
    status = read_one(constraints, problem, i, names, known, count, error);
  free(names);
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
