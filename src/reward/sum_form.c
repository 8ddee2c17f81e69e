/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a formula apart. Sums, differences, signs and constant factors are followed down to the parts that they join. A
 * part without outcomes is a term. The parts that depend on only one outcome are added up and become the pieces of this
 * outcome. If an outcome's parts are not straight, or if a part has it together with other outcomes or with parameters,
 * all of its parts belong to the rest. */
#include "reward/sum_form.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct part {
  int step;
  double factor;
} part;

/* A formula that is being taken apart. */
typedef struct splitting {
  const fcps_reward_formula *reward;
  const fcps_problem *problem;
  fcps_sum_form *form;
  int count;
  part *parts;    /* a step may be several parts: see `follow` */
  int *owner;     /* per step: NO_OUTCOME, the index of its only outcome, or SEVERAL */
  bool *is_mixed; /* per step: whether it depends on parameters */
  bool *is_rest;  /* per outcome: whether it belongs to the rest */
} splitting;

enum { NO_OUTCOME = -1, SEVERAL = -2 };

/* The most parts: a formula that uses a step several times could have exponentially many. */
enum { MOST_PARTS = 256 };

/* -- Outcomes and parameters of a step -- */

static int join(int a, int b)
{
  return a == NO_OUTCOME ? b : b == NO_OUTCOME || a == b ? a : SEVERAL;
}

static void find_owners(splitting *s)
{
  const fcps_formula *whole = &s->form->whole;
  const fcps_reward_formula *r = s->reward;
  for (int i = 0; i < whole->count; i++) {
    const fcps_formula_step *step = &whole->steps[i];
    const bool is_value = step->op == FCPS_FORMULA_VALUE;
    s->owner[i] = NO_OUTCOME;
    if (is_value && step->index >= r->outcome && step->index < r->target) s->owner[i] = step->index - r->outcome;
    s->is_mixed[i] = is_value && s->owner[i] == NO_OUTCOME;
    for (int a = 0; a < fcps_formula_arguments(step); a++) {
      s->owner[i] = join(s->owner[i], s->owner[step->arguments[a]]);
      s->is_mixed[i] = s->is_mixed[i] || s->is_mixed[step->arguments[a]];
    }
  }
}

/* -- Parts -- */

static bool is_constant(const splitting *s, int step)
{
  return s->form->whole.steps[step].op == FCPS_FORMULA_CONSTANT;
}

static double constant_of(const splitting *s, int step)
{
  return s->form->whole.steps[step].constant;
}

/* Adds the parts of step `index`, each times `factor`. Returns false if there are too many parts. */
static bool follow(splitting *s, int index, double factor)
{
  const fcps_formula_step *step = &s->form->whole.steps[index];
  const int a = step->arguments[0], b = step->arguments[1];
  switch (step->op) {
  case FCPS_FORMULA_ADD:
    return follow(s, a, factor) && follow(s, b, factor);
  case FCPS_FORMULA_SUBTRACT:
    return follow(s, a, factor) && follow(s, b, -factor);
  case FCPS_FORMULA_NEGATE:
    return follow(s, a, -factor);
  case FCPS_FORMULA_MULTIPLY:
    if (is_constant(s, a) && isfinite(constant_of(s, a))) return follow(s, b, factor * constant_of(s, a));
    if (is_constant(s, b) && isfinite(constant_of(s, b))) return follow(s, a, factor * constant_of(s, b));
    break;
  case FCPS_FORMULA_DIVIDE:
    if (is_constant(s, b) && isfinite(1.0 / constant_of(s, b))) return follow(s, a, factor / constant_of(s, b));
    break;
  default:
    break;
  }
  if (s->count == MOST_PARTS) return false;
  s->parts[s->count++] = (part){index, factor};
  return true;
}

/* -- Sums of parts -- */

/* Which parts are added up: the terms, the parts of one outcome (its index), or the rest. */
enum { TERMS = -1, REST = -2 };

static bool is_in_rest(const splitting *s, const part *p)
{
  const int owner = s->owner[p->step];
  return owner == SEVERAL || (owner >= 0 && s->is_rest[owner]);
}

static bool belongs(const splitting *s, const part *p, int which)
{
  const int owner = s->owner[p->step];
  return which == TERMS ? owner == NO_OUTCOME : which == REST ? is_in_rest(s, p) : owner == which;
}

/* Appends the sum of some parts to a formula; appends 0 if there are no such parts. */
static bool add_up(const splitting *s, int which, fcps_formula *formula)
{
  int sum = -1;
  for (int i = 0; i < s->count; i++) {
    const part *p = &s->parts[i];
    if (!belongs(s, p, which)) continue;
    int step = fcps_formula_splice(formula, &s->form->whole, p->step, NULL);
    if (p->factor != 1.0)
      step = fcps_formula_add_operation(formula, FCPS_FORMULA_MULTIPLY, fcps_formula_add_constant(formula, p->factor),
                                        step);
    sum = sum < 0 ? step : fcps_formula_add_operation(formula, FCPS_FORMULA_ADD, sum, step);
    if (sum < 0) return false;
  }
  return sum >= 0 || fcps_formula_add_constant(formula, 0.0) >= 0;
}

/* -- Outcomes -- */

static bool jumps(const fcps_formula_step *step)
{
  return (step->op >= FCPS_FORMULA_LESS && step->op <= FCPS_FORMULA_CHOOSE) ||
         fcps_formula_calls(step, "floor ceil round sign mod wrap");
}

static bool bends_sharply(const fcps_formula_step *step)
{
  return jumps(step) || fcps_formula_calls(step, "abs min max");
}

/* Whether a formula has a step of the given kind that depends on outcomes. False also if there is no memory. */
static bool has_in_outcomes(const fcps_formula *formula, const fcps_reward_formula *reward,
                            bool (*is_kind)(const fcps_formula_step *step))
{
  bool *has_outcome = fcps_allocate((size_t)formula->count, sizeof *has_outcome), answer = false;
  for (int i = 0; i < formula->count && has_outcome != NULL; i++) {
    const fcps_formula_step *step = &formula->steps[i];
    has_outcome[i] = step->op == FCPS_FORMULA_VALUE && step->index >= reward->outcome && step->index < reward->target;
    for (int a = 0; a < fcps_formula_arguments(step); a++)
      has_outcome[i] = has_outcome[i] || has_outcome[step->arguments[a]];
    answer = answer || (has_outcome[i] && is_kind(step));
  }
  free(has_outcome);
  return answer;
}

/* Marks the outcomes that belong to the rest: a part has them together with other outcomes or with parameters. */
static void mark_rest(splitting *s)
{
  const fcps_formula *whole = &s->form->whole;
  for (int i = 0; i < s->count; i++) {
    const int step = s->parts[i].step, owner = s->owner[step];
    if (owner >= 0 && s->is_mixed[step]) s->is_rest[owner] = true;
    if (owner != SEVERAL) continue;
    fcps_formula alone = {0};
    const bool is_known = fcps_formula_splice(&alone, whole, step, NULL) >= 0;
    for (int j = 0; j < s->problem->outcome.count; j++) {
      bool is_in = !is_known;
      for (int k = 0; k < alone.count; k++)
        is_in = is_in || (alone.steps[k].op == FCPS_FORMULA_VALUE && alone.steps[k].index == s->reward->outcome + j);
      s->is_rest[j] = s->is_rest[j] || is_in;
    }
    fcps_formula_destroy(&alone);
  }
}

/* Finds the pieces of one outcome. Returns false if its parts do not consist of straight pieces. */
static bool find_pieces(const splitting *s, int outcome)
{
  const fcps_dimension *dim = &s->problem->outcome.dims[outcome];
  fcps_pieces *pieces = &s->form->pieces[outcome];
  fcps_formula sum = {0};
  bool is_found = add_up(s, outcome, &sum) && fcps_pieces_find(pieces, &sum, s->reward->outcome + outcome);
  s->form->is_concave = s->form->is_concave && is_found && fcps_pieces_are_concave(pieces);
  if (is_found && dim->lower < dim->upper) is_found = fcps_pieces_clip(pieces, dim->lower, dim->upper);
  fcps_formula_destroy(&sum);
  return is_found;
}

static bool is_used(const splitting *s, int outcome)
{
  for (int i = 0; i < s->count; i++)
    if (s->owner[s->parts[i].step] == outcome) return true;
  return false;
}

static bool sort_parts(splitting *s)
{
  fcps_sum_form *form = s->form;
  const int q = s->problem->outcome.count;
  mark_rest(s);
  form->is_concave = true;
  for (int j = 0; j < q; j++) {
    if (!s->is_rest[j] && is_used(s, j)) {
      form->has_pieces[j] = find_pieces(s, j);
      s->is_rest[j] = !form->has_pieces[j];
    }
    if (s->is_rest[j]) form->rest_outcomes[form->rest_count++] = j;
  }
  if (form->rest_count > 0) form->is_concave = false;
  return add_up(s, TERMS, &form->terms) && (form->rest_count == 0 || add_up(s, REST, &form->rest));
}

/* Makes the whole formula the rest, with all its outcomes. */
static bool keep_whole(const splitting *s)
{
  fcps_sum_form *form = s->form;
  form->is_concave = false;
  for (int j = 0; j < s->problem->outcome.count; j++)
    form->rest_outcomes[form->rest_count++] = j;
  return fcps_formula_add_constant(&form->terms, 0.0) >= 0 &&
         fcps_formula_splice(&form->rest, &form->whole, form->whole.count - 1, NULL) >= 0;
}

static bool split(fcps_sum_form *form, const fcps_reward_formula *reward, const fcps_problem *problem)
{
  const size_t steps = (size_t)form->whole.count, q = (size_t)problem->outcome.count;
  splitting s = {.reward = reward, .problem = problem, .form = form};
  s.parts = fcps_allocate(MOST_PARTS, sizeof *s.parts);
  s.owner = fcps_allocate(steps, sizeof *s.owner);
  s.is_mixed = fcps_allocate(steps, sizeof *s.is_mixed);
  s.is_rest = fcps_allocate(q, sizeof *s.is_rest);
  bool is_done = s.parts != NULL && s.owner != NULL && s.is_mixed != NULL && s.is_rest != NULL;
  if (is_done) {
    find_owners(&s);
    is_done = follow(&s, form->whole.count - 1, 1.0) ? sort_parts(&s) : keep_whole(&s);
    form->is_kinked = is_done && has_in_outcomes(&form->rest, reward, bends_sharply);
    form->has_steps = is_done && has_in_outcomes(&form->whole, reward, jumps);
  }
  free(s.parts);
  free(s.owner);
  free(s.is_mixed);
  free(s.is_rest);
  return is_done;
}

/* -- Create and destroy -- */

/* Replaces the context in a formula by its numbers. `is_present` says whether the trial has an outcome. */
static bool put_in(fcps_formula *formula, const fcps_reward_formula *r, const fcps_problem *problem,
                   const double *context, bool is_present)
{
  const double present = is_present ? 1.0 : 0.0, nothing = NAN;
  const double **known = fcps_allocate((size_t)r->count, sizeof *known);
  if (known == NULL) return false;
  for (int i = 0; i < problem->target.count; i++)
    known[r->target + i] = context + i;
  for (int i = 0; i < problem->environment.count; i++)
    known[r->environment + i] = context + problem->target.count + i;
  for (int i = 0; i < problem->outcome.count && !is_present; i++)
    known[r->outcome + i] = &nothing;
  known[r->present] = &present;
  const bool is_done = !is_present && r->needs_outcome
                           ? fcps_formula_add_constant(formula, NAN) >= 0
                           : fcps_formula_specialize(formula, &r->formula, r->formula.count - 1, r->count, known);
  free(known);
  return is_done;
}

/* Whether a formula depends on parameters. */
static bool has_parameters(const fcps_formula *rest, const fcps_reward_formula *reward)
{
  for (int i = 0; i < rest->count; i++)
    if (rest->steps[i].op == FCPS_FORMULA_VALUE && rest->steps[i].index >= reward->parameters) return true;
  return false;
}

/* Allocates a form for a context that has `context` numbers. */
static bool begin(fcps_sum_form *form, const fcps_problem *problem, size_t context)
{
  const size_t q = (size_t)problem->outcome.count;
  *form = (fcps_sum_form){.conditional = {.inner = -1},
                          .context = fcps_allocate(context, sizeof(double)),
                          .rest_outcomes = fcps_allocate(q, sizeof(int)),
                          .has_pieces = fcps_allocate(q, sizeof(bool)),
                          .pieces = fcps_allocate(q, sizeof(fcps_pieces))};
  return form->context != NULL && form->rest_outcomes != NULL && form->has_pieces != NULL && form->pieces != NULL;
}

/* Splits the whole formula into its parts. */
static bool finish(fcps_sum_form *form, const fcps_reward_formula *reward, const fcps_problem *problem)
{
  const bool is_done = split(form, reward, problem);
  form->has_parameters = is_done && has_parameters(&form->whole, reward);
  form->rest_has_parameters = is_done && has_parameters(&form->rest, reward);
  return is_done;
}

bool fcps_sum_form_create_whole(fcps_sum_form *form, const fcps_reward_formula *reward, const fcps_problem *problem,
                                const fcps_formula *whole)
{
  bool is_done = begin(form, problem, 0);
  form->whole = *whole;
  is_done = is_done && finish(form, reward, problem);
  if (!is_done) fcps_sum_form_destroy(form);
  return is_done;
}

bool fcps_sum_form_create(fcps_sum_form *form, const fcps_reward_formula *reward, const fcps_problem *problem,
                          const double *target, const double *environment)
{
  const size_t t = (size_t)problem->target.count, e = (size_t)problem->environment.count;
  bool is_done = begin(form, problem, t + e);
  if (is_done) {
    if (t > 0) memcpy(form->context, target, t * sizeof(double));
    if (e > 0) memcpy(form->context + t, environment, e * sizeof(double));
    is_done = put_in(&form->whole, reward, problem, form->context, true) &&
              put_in(&form->absent, reward, problem, form->context, false) && finish(form, reward, problem);
  }
  if (is_done && form->has_steps) is_done = fcps_sum_branches_create(&form->branches, &form->whole, reward);
  if (!is_done) fcps_sum_form_destroy(form);
  return is_done;
}

bool fcps_sum_form_look_along(fcps_sum_form *form, const fcps_reward_formula *reward, const double *typical,
                              const double *scale)
{
  enum { MOST = FCPS_CONDITIONAL_OUTER + 1 };
  int indices[MOST];
  double places[MOST], scales[MOST];
  const int count = form->rest_count;
  if (count == 0 || count > MOST || form->rest_has_parameters) return true;
  for (int r = 0; r < count; r++) {
    const int j = form->rest_outcomes[r];
    indices[r] = reward->outcome + j;
    places[r] = typical[j];
    scales[r] = scale[j];
  }
  const fcps_conditional_outcomes outcomes = {.count = count, .indices = indices, .typical = places, .scale = scales};
  return fcps_conditional_create(&form->conditional, &form->rest, reward->count, &outcomes);
}

void fcps_sum_form_destroy(fcps_sum_form *form)
{
  fcps_conditional_destroy(&form->conditional);
  fcps_formula_destroy(&form->whole);
  fcps_formula_destroy(&form->absent);
  fcps_formula_destroy(&form->terms);
  fcps_formula_destroy(&form->rest);
  free(form->context);
  free(form->rest_outcomes);
  free(form->has_pieces);
  free(form->pieces);
  fcps_sum_branches_destroy(form->branches);
  *form = (fcps_sum_form){0};
}

bool fcps_sum_form_is_of(const fcps_sum_form *form, const fcps_problem *problem, const double *target,
                         const double *environment)
{
  const size_t t = (size_t)problem->target.count, e = (size_t)problem->environment.count;
  return form->context != NULL && (t == 0 || memcmp(form->context, target, t * sizeof(double)) == 0) &&
         (e == 0 || memcmp(form->context + t, environment, e * sizeof(double)) == 0);
}
