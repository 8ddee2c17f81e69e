/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two problem files key by key, by meaning: spaces by their dimensions, formulas without white space, settings
 * in any order. */
#include "base/settings.h"
#include "problem/file/reader.h"
#include "problem/problem.h"
#include "space/space.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Compares two formulas without their white space. NULL equals only NULL. */
static bool same_formula(const char *a, const char *b)
{
  if (a == NULL || b == NULL) return a == b;
  for (;; a++, b++) {
    while (isspace((unsigned char)*a))
      a++;
    while (isspace((unsigned char)*b))
      b++;
    if (*a != *b) return false;
    if (!*a) return true;
  }
}

static bool same_achieved(const fcps_problem_file_reader *a, const fcps_problem_file_reader *b)
{
  const int count = a->file.problem.target.count;
  if (a->achieved == NULL || b->achieved == NULL || count != b->file.problem.target.count)
    return a->achieved == b->achieved;
  for (int t = 0; t < count; t++)
    if (!same_formula(a->achieved[t], b->achieved[t])) return false;
  return true;
}

static bool same_constraints(const fcps_problem *a, const fcps_problem *b)
{
  for (int i = 0; i < a->constraint_count && i < b->constraint_count; i++)
    if (!same_formula(a->constraints[i], b->constraints[i])) return false;
  return a->constraint_count == b->constraint_count;
}

static bool same_limits(const fcps_problem *a, const fcps_problem *b)
{
  for (int i = 0; i < a->limit_count && i < b->limit_count; i++) {
    const fcps_limit *x = &a->limits[i], *y = &b->limits[i];
    if (strcmp(x->name, y->name) != 0 || !same_formula(x->of, y->of) || !same_formula(x->at_most, y->at_most) ||
        !same_formula(x->at_least, y->at_least) || x->chance != y->chance)
      return false;
  }
  return a->limit_count == b->limit_count;
}

static bool same_values(int count, const double *a, const double *b)
{
  for (int i = 0; i < count; i++)
    if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i]))) return false;
  return true;
}

static bool same_safe(const fcps_problem *a, const fcps_problem *b)
{
  bool is_same = a->safe_count == b->safe_count && fcps_problem_same_names(a, b);
  for (int i = 0; i < a->safe_count && is_same; i++)
    is_same = same_values(a->target.count, a->safe[i].target, b->safe[i].target) &&
              same_values(a->environment.count, a->safe[i].environment, b->safe[i].environment) &&
              same_values(a->parameters.count, a->safe[i].parameters, b->safe[i].parameters);
  return is_same;
}

/* Whether every setting of `wanted` is among `all`. */
static bool has_settings(const fcps_setting *all, const fcps_setting *wanted)
{
  for (; wanted->name != NULL; wanted++) {
    const char *value = fcps_setting_value(all, wanted->name);
    if (value == NULL || strcmp(value, wanted->value) != 0) return false;
  }
  return true;
}

static bool same_learner(const fcps_problem_file *a, const fcps_problem_file *b)
{
  if (a->learner == NULL || b->learner == NULL) return a->learner == b->learner;
  return strcmp(a->learner, b->learner) == 0 && has_settings(a->settings, b->settings) &&
         has_settings(b->settings, a->settings);
}

bool fcps_problem_file_same(const char *key, const fcps_problem_file *a, const fcps_problem_file *b)
{
  if (key == NULL || a == NULL || b == NULL) return false;
  if (strcmp(key, "target") == 0) return fcps_space_alike(&a->problem.target, &b->problem.target);
  if (strcmp(key, "environment") == 0) return fcps_space_alike(&a->problem.environment, &b->problem.environment);
  if (strcmp(key, "parameters") == 0) return fcps_space_alike(&a->problem.parameters, &b->problem.parameters);
  if (strcmp(key, "outcome") == 0) return fcps_space_alike(&a->problem.outcome, &b->problem.outcome);
  if (strcmp(key, "reward") == 0) return same_formula(a->reward, b->reward);
  if (strcmp(key, "limits") == 0) return same_limits(&a->problem, &b->problem);
  if (strcmp(key, "safe") == 0) return same_safe(&a->problem, &b->problem);
  if (strcmp(key, "constraints") == 0) return same_constraints(&a->problem, &b->problem);
  if (strcmp(key, "cost") == 0) return same_formula(a->problem.cost, b->problem.cost);
  if (strcmp(key, "learner") == 0) return same_learner(a, b);
  /* The handle is the first member of its reader. */
  return strcmp(key, "achieved") == 0 &&
         same_achieved((const fcps_problem_file_reader *)a, (const fcps_problem_file_reader *)b);
}
