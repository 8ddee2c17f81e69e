/* SPDX-License-Identifier: Apache-2.0 */
/* Jumps of a reward, and a deviation for acquisitions that does not count a jump downwards as a chance. With `peak > 80
 * ? -50 : gain` the deviation of the reward is large at points with a peak near 80, although no outcome there is better
 * than the gain. With mean + kappa deviation a search would be drawn to this cliff.
 *
 * Replace each condition in the formula (a comparison, or several joined by && and ||) by its truth at the expected
 * outcome. Then the reward becomes another formula without these jumps, a branch. Let m and s be mean and deviation of
 * the reward, and b and t those of the branch. If b > m, the jumps lower the expected reward, and the deviation becomes
 * min(s, t), the uncertainty on this side of the cliff. If b <= m, the jumps may raise the reward (as with `hit ? 1 :
 * 0` if a miss is expected), and the deviation stays s. So the deviation jumps at points whose expected outcome is on
 * the cliff; the reward of such points is far below the maximum.
 *
 * A branch is made at its first use and kept with the form. */
#include "base/memory.h"
#include "reward/expected_reward_impl.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If there are more than MOST_CONDITIONS conditions, the deviation stays as it is. */
enum { MOST_CONDITIONS = 6, MOST_BRANCHES = 1 << MOST_CONDITIONS };

struct fcps_sum_branches {
  int count;                  /* number of conditions that depend on outcomes */
  int steps[MOST_CONDITIONS]; /* the numbers of their steps in the whole formula */
  fcps_formula conditions[MOST_CONDITIONS];
  fcps_sum_form *forms[MOST_BRANCHES]; /* in the index, bit c is set if condition c is true */
};

void fcps_sum_branches_destroy(fcps_sum_branches *branches)
{
  for (int i = 0; branches != NULL && i < MOST_CONDITIONS; i++)
    fcps_formula_destroy(&branches->conditions[i]);
  for (int i = 0; branches != NULL && i < MOST_BRANCHES; i++) {
    if (branches->forms[i] != NULL) fcps_sum_form_destroy(branches->forms[i]);
    free(branches->forms[i]);
  }
  free(branches);
}

static bool is_truth(const fcps_formula_step *step)
{
  return fcps_formula_compares(step) || step->op == FCPS_FORMULA_AND || step->op == FCPS_FORMULA_OR;
}

/* Finds the conditions that depend on outcomes and are not part of a larger condition. Returns false, with count = 0,
 * if there is no memory or if there are too many conditions. */
static bool find_conditions(fcps_sum_branches *b, const fcps_formula *whole, const fcps_reward_formula *reward)
{
  bool *has_outcome = fcps_allocate(2 * (size_t)whole->count, sizeof *has_outcome), is_done = has_outcome != NULL;
  bool *is_inner = has_outcome + whole->count;
  for (int i = 0; i < whole->count && is_done; i++) {
    const fcps_formula_step *step = &whole->steps[i];
    has_outcome[i] = step->op == FCPS_FORMULA_VALUE && step->index >= reward->outcome && step->index < reward->target;
    for (int a = 0; a < fcps_formula_arguments(step); a++) {
      has_outcome[i] = has_outcome[i] || has_outcome[step->arguments[a]];
      if (step->op == FCPS_FORMULA_AND || step->op == FCPS_FORMULA_OR) is_inner[step->arguments[a]] = true;
    }
  }
  for (int i = 0; i < whole->count && is_done; i++) {
    if (!has_outcome[i] || is_inner[i] || !is_truth(&whole->steps[i])) continue;
    is_done = b->count < MOST_CONDITIONS;
    if (!is_done) break;
    b->steps[b->count] = i;
    is_done = fcps_formula_splice(&b->conditions[b->count++], whole, i, NULL) >= 0;
  }
  if (!is_done) b->count = 0;
  free(has_outcome);
  return is_done;
}

bool fcps_sum_branches_create(fcps_sum_branches **branches, const fcps_formula *whole,
                              const fcps_reward_formula *reward)
{
  *branches = fcps_allocate(1, sizeof **branches);
  if (*branches != NULL) find_conditions(*branches, whole, reward);
  return *branches != NULL;
}

/* Makes the branch in which condition c is replaced by bit c of `which`. */
static bool decide(const fcps_sum_branches *b, const fcps_formula *whole, int which, fcps_formula *branch)
{
  fcps_formula steps = {0};
  int *places = fcps_allocate((size_t)whole->count, sizeof *places), root = -1;
  for (int i = 0; i < whole->count && places != NULL; i++) {
    fcps_formula_step step = whole->steps[i];
    int condition = b->count - 1;
    while (condition >= 0 && b->steps[condition] != i)
      condition--;
    for (int a = 0; a < fcps_formula_arguments(&step); a++)
      step.arguments[a] = places[step.arguments[a]];
    root = places[i] =
        condition >= 0 ? fcps_formula_add_constant(&steps, which >> condition & 1) : fcps_formula_add(&steps, step);
    if (root < 0) break;
  }
  const bool is_done = root >= 0 && fcps_formula_splice(branch, &steps, root, NULL) >= 0;
  fcps_formula_destroy(&steps);
  free(places);
  return is_done;
}

/* Returns the branch at the expected outcome of a point; NULL if the formula has no branches or there is no memory. */
static const fcps_sum_form *find_branch(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at)
{
  fcps_sum_branches *b = form->branches;
  int which = 0;
  if (b == NULL || b->count == 0) return NULL;
  fcps_expected_reward_set_parameters(s, 0, at->x);
  for (int j = 0; j < s->outcomes; j++)
    s->row_outcomes[j] = fcps_dimension_clip(s->problem->outcome.dims + j, at->means[j]);
  for (int c = 0; c < b->count; c++) {
    const double *truth = fcps_sum_eval_row(s, &b->conditions[c]);
    if (truth == NULL) return NULL;
    which |= *truth != 0.0 ? 1 << c : 0;
  }
  if (b->forms[which] != NULL) return b->forms[which];
  fcps_formula branch = {0};
  if (!decide(b, &form->whole, which, &branch)) {
    fcps_formula_destroy(&branch);
    return NULL;
  }
  b->forms[which] = fcps_allocate(1, sizeof *b->forms[which]);
  if (b->forms[which] == NULL) {
    fcps_formula_destroy(&branch);
    return NULL;
  }
  if (fcps_sum_form_create_whole(b->forms[which], s->formula, s->problem, &branch) &&
      fcps_sum_form_look_along(b->forms[which], s->formula, s->typical, s->scale))
    return b->forms[which];
  fcps_sum_form_destroy(b->forms[which]);
  free(b->forms[which]);
  return b->forms[which] = NULL;
}

/* Returns the deviation to use, if the jumps lower the expected reward by `loss`. */
static double hope(double deviation, double branch_deviation, double loss)
{
  return loss > 0.0 ? fmin(deviation, branch_deviation) : deviation;
}

fcps_status fcps_sum_branches_hope(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *outcomes,
                                   const double *mean, double *deviation, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < outcomes->count && status == FCPS_OK; i++) {
    const fcps_outcomes at = fcps_sum_point(s, outcomes, i);
    const fcps_sum_form *branch = find_branch(s, form, &at);
    double branch_mean, branch_deviation;
    if (branch == NULL) continue;
    status = fcps_sum_form_moments(s, branch, &at, &branch_mean, &branch_deviation, error);
    if (status == FCPS_OK) deviation[i] = hope(deviation[i], branch_deviation, branch_mean - mean[i]);
  }
  return status;
}

void fcps_sum_branches_hope_gradient(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                                     double mean, double *deviation, double *deviation_gradient)
{
  const int p = s->parameters;
  const fcps_outcomes point = {
      .count = 1, .x = at->x, .means = at->mean, .variances = at->variances, .gp_count = at->gp_count};
  const fcps_sum_form *branch = find_branch(s, form, &point);
  double branch_mean, branch_deviation,
      *slopes = s->node_gradients; /* there are at least two nodes, so it has room for 2 p numbers */
  if (branch == NULL) return;
  if (!fcps_sum_form_gradient(s, branch, at, &branch_mean, &branch_deviation, slopes, slopes + p)) return;
  const double hoped = hope(*deviation, branch_deviation, branch_mean - mean);
  if (!(hoped < *deviation)) return;
  *deviation = hoped;
  if (deviation_gradient != NULL) memcpy(deviation_gradient, slopes + p, (size_t)p * sizeof *slopes);
}
