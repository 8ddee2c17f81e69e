/* SPDX-License-Identifier: Apache-2.0 */
/* The failure penalty: the range of rewards that scales it, the probabilities of hazards, and how these weigh rewards
 * and values. If no trial has gone wrong so far, rewards are not weighed. */
#include "model/feasibility/failure_penalty.h"

#include "base/memory.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = FCPS_POSTERIOR_BLOCK, MOST_BEST = 64 };

/* -- The range of rewards -- */

/* Returns the mean of the rewards above a level, or the level if no reward is above it. */
static double mean_above(int count, const double *rewards, double level)
{
  double sum = 0.0;
  int above = 0;
  for (int i = 0; i < count; i++) {
    if (!(rewards[i] > level)) continue;
    sum += rewards[i];
    above++;
  }
  return above > 0 ? sum / above : level;
}

/* Estimates the spread from the better rewards alone. The better rewards are those above the mean, the best those above
 * the mean of the better. The spread is the mean of the best less that of the better, divided by its value for a
 * standard normal. */
static double find_lead(int count, const double *rewards, double mean, double spread)
{
  static const double usual = 0.57;
  const double better = mean_above(count, rewards, mean), lead = mean_above(count, rewards, better) - better;
  return lead > 0.0 ? fmin(lead / usual, spread) : spread;
}

/* Returns the largest credible reward. It is as far above the best reward as the best is above the last of the best
 * sixth. Bad rewards do not matter for it. If the best sixth are all equal, it is INFINITY. */
static double find_credible(int count, const double *rewards)
{
  const int sixth = 2 + count / 6, wanted = sixth < MOST_BEST ? sixth : MOST_BEST;
  double best[MOST_BEST + 1] = {0.0}; /* in falling order */
  int kept = 0;
  for (int i = 0; i < count; i++) {
    int rank = kept < wanted ? kept++ : wanted;
    for (; rank > 0 && best[rank - 1] < rewards[i]; rank--)
      best[rank] = best[rank - 1];
    best[rank] = rewards[i];
  }
  const double gap = kept > 1 ? best[0] - best[kept - 1] : 0.0;
  return gap > 0.0 ? best[0] + gap : INFINITY;
}

fcps_reward_range fcps_failure_penalty_range(int count, const double *rewards)
{
  fcps_reward_range range = {.has_rollouts = count > 0, .spread = 1.0, .lead = 1.0};
  double worst = INFINITY, sum = 0.0, squares = 0.0;
  for (int i = 0; i < count; i++) {
    worst = fmin(worst, rewards[i]);
    sum += rewards[i];
  }
  for (int i = 0; i < count; i++)
    squares += (rewards[i] - sum / count) * (rewards[i] - sum / count);
  range.has_rewards = isfinite(worst);
  range.worst = range.has_rewards ? worst : range.has_rollouts ? -FCPS_VALUE_LIMIT : 0.0;
  if (squares > 0.0 && isfinite(squares)) range.spread = sqrt(squares / count);
  range.lead = find_lead(count, rewards, sum / count, range.spread);
  range.credible = find_credible(count, rewards);
  return range;
}

/* -- Life and context -- */

fcps_status fcps_failure_penalty_create(fcps_failure_penalty *penalty, const fcps_layout *layout,
                                        const fcps_description *description, const fcps_feasibility *feasibility,
                                        fcps_expected_reward *expected_reward, fcps_error *error)
{
  const fcps_problem *problem = layout->problem;
  const size_t dim = (size_t)fcps_layout_place_features(layout), e = (size_t)problem->environment.count;
  const size_t p = (size_t)problem->parameters.count, q = (size_t)problem->outcome.count;
  *penalty = (fcps_failure_penalty){.layout = layout,
                                    .description = description,
                                    .feasibility = feasibility,
                                    .expected_reward = expected_reward,
                                    .error = error};
  penalty->features = fcps_allocate((dim + 2 + q + e + p) * BLOCK + dim + 2 * p, sizeof(double));
  penalty->present = fcps_allocate(BLOCK, sizeof(bool));
  if (penalty->features == NULL || penalty->present == NULL) return FCPS_ERR_MEMORY;
  penalty->probabilities = penalty->features + dim * BLOCK;
  penalty->otherwise = penalty->probabilities + BLOCK;
  penalty->resting = penalty->otherwise + BLOCK;
  penalty->rows = penalty->resting + q * BLOCK;
  penalty->feature_slope = penalty->rows + (e + p) * BLOCK;
  penalty->parameter_slope = penalty->feature_slope + dim;
  penalty->otherwise_slope = penalty->parameter_slope + p;
  return FCPS_OK;
}

void fcps_failure_penalty_destroy(fcps_failure_penalty *penalty)
{
  free(penalty->environments);
  free(penalty->features);
  free(penalty->present);
}

fcps_status fcps_failure_penalty_set_environments(fcps_failure_penalty *penalty, int count, const double *environments)
{
  const size_t size = (size_t)count * (size_t)penalty->layout->problem->environment.count;
  double *copy = fcps_copy(environments, size, sizeof(double));
  if (copy == NULL) return FCPS_ERR_MEMORY;
  free(penalty->environments);
  penalty->environments = copy;
  return FCPS_OK;
}

void fcps_failure_penalty_select(fcps_failure_penalty *penalty, int environment_index, const double *context,
                                 const fcps_reward_range *reward_range)
{
  const size_t e = (size_t)penalty->layout->problem->environment.count;
  penalty->environment = penalty->environments + (size_t)environment_index * e;
  penalty->context = context;
  penalty->reward_range = *reward_range;
}

/* -- Questions to classifiers and rules -- */

/* Writes the inputs of classifiers as rows: the features of the environment, then those of the parameters. */
static void fill_features(fcps_failure_penalty *penalty, int count, const double *x)
{
  const fcps_layout *layout = penalty->layout;
  const int dim = fcps_layout_place_features(layout), first = dim - layout->parameters.width;
  for (int i = 0; i < count; i++) {
    double *features = penalty->features + (size_t)i * (size_t)dim;
    memcpy(features, penalty->context, (size_t)first * sizeof(double));
    fcps_embed(&layout->parameters, x + (size_t)i * (size_t)layout->parameters.count, features + first);
  }
}

static fcps_status ask_rule(fcps_failure_penalty *penalty, int count, const double *x)
{
  const fcps_problem *problem = penalty->layout->problem;
  const size_t e = (size_t)problem->environment.count, p = (size_t)problem->parameters.count;
  double *environments = penalty->rows, *parameters = penalty->rows + e * BLOCK;
  for (size_t i = 0; i < (size_t)count; i++) {
    if (e > 0) memcpy(environments + i * e, penalty->environment, e * sizeof(double));
    fcps_space_from_unit(&problem->parameters, x + i * p, parameters + i * p);
  }
  const fcps_status status =
      fcps_problem_ask_presence(problem, count, environments, parameters, penalty->present, penalty->error);
  for (int i = 0; i < count; i++)
    penalty->probabilities[i] = penalty->present[i] ? 1.0 : 0.0;
  return status;
}

/* -- Hazards -- */

/* A hazard is a way in which a trial may end other than the predicted one. The hazards are listed in the order in which
 * they weigh rewards: nothing moves, there is no outcome, the trial fails. */
typedef enum hazard { REST, ABSENCE, FAILURE, HAZARDS } hazard;

static fcps_label_probit *classifier_of(const fcps_failure_penalty *penalty, hazard kind)
{
  const fcps_feasibility *learnt = penalty->feasibility;
  return kind == REST ? learnt->moves : kind == ABSENCE ? learnt->present : learnt->feasible;
}

/* Whether the problem has a rule that says when a hazard occurs. */
static bool is_ruled(const fcps_failure_penalty *penalty, hazard kind)
{
  return kind == ABSENCE && penalty->layout->problem->presence != NULL;
}

/* Whether a hazard is possible. Only predicted outcomes can be at rest or absent. */
static bool exists(const fcps_failure_penalty *penalty, hazard kind)
{
  if (kind != FAILURE && penalty->expected_reward == NULL) return false;
  return is_ruled(penalty, kind) || classifier_of(penalty, kind) != NULL;
}

/* Whether chance explains failures better than the parameters and environments of trials do. A policy then chooses
 * without caution, because caution would only lead it to places where trials happened to end well. */
static bool is_by_chance(const fcps_failure_penalty *penalty, hazard kind)
{
  return kind == FAILURE && penalty->view.is_sober && penalty->feasibility->chance > 0.5;
}

/* Returns how many further trials at the same place would have to end well too (gp/label_probit.h). A unit of caution
 * asks for eight more trials that do not fail, or for one more that has an outcome. A failure may break something, but
 * an absent outcome only costs its trial. So an acquisition asks for even less than one trial with an outcome. The
 * numbers were chosen on development seeds (docs/lab/outcome.md). */
static double caution_of(const fcps_failure_penalty *penalty, hazard kind)
{
  static const double curiosity = -0.5;
  const fcps_penalty_view *view = &penalty->view;
  if (kind == REST || is_by_chance(penalty, kind)) return 0.0;
  if (kind == FAILURE) return 8.0 * view->caution;
  return view->is_sober ? view->caution : curiosity;
}

/* Whether the probability of a hazard is the same for all parameters. */
static bool ignores_parameters(const fcps_failure_penalty *penalty, hazard kind)
{
  return kind == ABSENCE && penalty->feasibility->presence_ignores_parameters;
}

/* Writes the probabilities that a hazard does not occur, by the problem's rule or by the classifier. */
static fcps_status find(fcps_failure_penalty *penalty, hazard kind, int count, const double *x)
{
  const fcps_feasibility *learnt = penalty->feasibility;
  const bool are_equal = ignores_parameters(penalty, kind);
  double *p = penalty->probabilities;
  if (is_ruled(penalty, kind)) return ask_rule(penalty, count, x);
  if (!are_equal) fill_features(penalty, count, x);
  fcps_label_probit_predict(classifier_of(penalty, kind), caution_of(penalty, kind), are_equal ? 1 : count,
                            are_equal ? penalty->context : penalty->features, p);
  for (int i = 1; i < count && are_equal; i++)
    p[i] = p[0];
  for (int i = 0; i < count && is_by_chance(penalty, kind); i++)
    p[i] += learnt->chance * (learnt->rate - p[i]);
  return FCPS_OK;
}

/* Computes the probability that a hazard does not occur at one point, and its gradient with respect to the parameters.
 * *slope is NULL if the probability does not depend on the parameters or comes from a rule. */
static fcps_status find_slope(fcps_failure_penalty *penalty, hazard kind, const double *x, double *p,
                              const double **slope)
{
  const fcps_layout *layout = penalty->layout;
  const fcps_feasibility *learnt = penalty->feasibility;
  const int first = fcps_layout_place_features(layout) - layout->parameters.width;
  *slope = NULL;
  if (is_ruled(penalty, kind) || ignores_parameters(penalty, kind)) {
    const fcps_status status = find(penalty, kind, 1, x);
    *p = penalty->probabilities[0];
    return status;
  }
  fill_features(penalty, 1, x);
  fcps_label_probit_gradient(classifier_of(penalty, kind), caution_of(penalty, kind), penalty->features, p,
                             penalty->feature_slope);
  fcps_embed_gradient(&layout->parameters, x, penalty->feature_slope + first, penalty->parameter_slope);
  *slope = penalty->parameter_slope;
  if (!is_by_chance(penalty, kind)) return FCPS_OK;
  *p += learnt->chance * (learnt->rate - *p);
  for (int d = 0; d < layout->parameters.count; d++)
    penalty->parameter_slope[d] *= 1.0 - learnt->chance;
  return FCPS_OK;
}

/* Returns the reward of a failed trial if a trial that ends well has this mean: some spreads less, and at most the
 * worst reward. A model of rewards extrapolates, so its means differ by more than observed rewards. It needs more
 * spreads, so that a sure failure does not look better than a mediocre reward elsewhere. */
static double failure_reward(const fcps_failure_penalty *penalty, double mean)
{
  enum { OUTCOME_SPREADS = 1, REWARD_SPREADS = 3 };
  const double spreads = penalty->expected_reward != NULL ? OUTCOME_SPREADS : REWARD_SPREADS;
  return fmin(penalty->reward_range.worst, mean - spreads * penalty->reward_range.spread);
}

/* Whether there is no training rollout. A predicted mean then says nothing: the probability of a failure decides.
 */
static bool is_blind(const fcps_failure_penalty *penalty, const fcps_utility *utility, hazard kind)
{
  return kind == FAILURE && utility == NULL && !penalty->reward_range.has_rollouts;
}

/* Writes into `otherwise` the reward of points if a hazard occurs, or the utility of this reward. `mean` has the
 * expected rewards of trials that do not fail. */
static fcps_status score(fcps_failure_penalty *penalty, const fcps_utility *utility, hazard kind, int count,
                         const double *x, const double *mean)
{
  fcps_expected_reward *reward = penalty->expected_reward;
  const size_t q = (size_t)penalty->layout->problem->outcome.count;
  double *otherwise = penalty->otherwise;
  if (kind == ABSENCE && utility == NULL)
    return fcps_expected_reward_absent(reward, count, x, otherwise, penalty->error);
  for (int i = 0; i < count; i++) {
    if (kind == REST)
      fcps_description_rest(penalty->description, penalty->environment, penalty->resting + (size_t)i * q);
    else
      otherwise[i] = utility != NULL ? 0.0 : failure_reward(penalty, mean[i]);
  }
  if (kind != REST) return FCPS_OK;
  const fcps_status status = fcps_expected_reward_exact(reward, count, x, penalty->resting, otherwise, penalty->error);
  for (int i = 0; i < count && utility != NULL; i++)
    otherwise[i] = utility->of_reward(utility->user, otherwise[i], NULL);
  return status;
}

bool fcps_failure_penalty_exists(const fcps_failure_penalty *penalty)
{
  return exists(penalty, REST) || exists(penalty, ABSENCE) || exists(penalty, FAILURE);
}

/* -- Weighing of rewards -- */

/* Returns the deviation of a mixture: with probability p this mean and deviation, else exactly `otherwise`. */
static double mixture_deviation(double p, double otherwise, double mean, double deviation)
{
  const double gap = mean - otherwise;
  return sqrt(p * deviation * deviation + p * (1.0 - p) * gap * gap);
}

static void weigh(const fcps_failure_penalty *penalty, double p, double otherwise, double *mean, double *deviation)
{
  if (deviation != NULL)
    *deviation = penalty->view.is_mixture ? mixture_deviation(p, otherwise, *mean, *deviation) : *deviation * p;
  *mean = otherwise + p * (*mean - otherwise);
}

/* Copies `status` to *first if *first is not a failure yet. */
static void note(fcps_status *first, fcps_status status)
{
  if (*first == FCPS_OK) *first = status;
}

fcps_status fcps_failure_penalty_apply(fcps_failure_penalty *penalty, const fcps_utility *utility, int count,
                                       const double *x, double *mean, double *deviation)
{
  double *otherwise = penalty->otherwise;
  fcps_status status = FCPS_OK;
  for (hazard kind = REST; kind < HAZARDS; kind++) {
    if (!exists(penalty, kind) || (kind != REST && penalty->view.ends_well)) continue;
    if (is_blind(penalty, utility, kind)) memset(mean, 0, (size_t)count * sizeof *mean);
    note(&status, find(penalty, kind, count, x));
    note(&status, score(penalty, utility, kind, count, x, mean));
    for (int i = 0; i < count; i++)
      weigh(penalty, penalty->probabilities[i], otherwise[i], mean + i, deviation != NULL ? deviation + i : NULL);
  }
  return status;
}

bool fcps_failure_penalty_has_bound(const fcps_failure_penalty *penalty)
{
  return exists(penalty, REST) && !exists(penalty, FAILURE) && !exists(penalty, ABSENCE);
}

fcps_status fcps_failure_penalty_bound(fcps_failure_penalty *penalty, int count, const double *x, double *mean)
{
  const fcps_status status = score(penalty, NULL, REST, count, x, NULL);
  for (int i = 0; i < count; i++)
    mean[i] = fmax(mean[i], penalty->otherwise[i]);
  return status;
}

/* A hazard at one point: the probability that it does not occur, the reward if it occurs, and the gradients of both. */
typedef struct danger {
  double p, otherwise;
  const double *slope, *otherwise_slope;
} danger;

/* Computes a hazard at one point. If the reward of a failure is below the worst reward, it is the mean less a constant,
 * so it has the gradient of the mean. */
static fcps_status find_danger(fcps_failure_penalty *penalty, const fcps_utility *utility, hazard kind, const double *x,
                               const double *mean, const double *mean_gradient, danger *at)
{
  fcps_expected_reward *reward = penalty->expected_reward;
  double *slope = penalty->otherwise_slope, by_reward;
  fcps_status status = find_slope(penalty, kind, x, &at->p, &at->slope);
  at->otherwise_slope = kind == FAILURE || (kind == ABSENCE && utility != NULL) ? NULL : slope;
  if (kind == ABSENCE && utility == NULL) {
    note(&status, fcps_expected_reward_absent_gradient(reward, x, &at->otherwise, slope, penalty->error));
    return status;
  }
  note(&status, score(penalty, kind == REST ? NULL : utility, kind, 1, x, mean));
  at->otherwise = penalty->otherwise[0];
  if (kind == FAILURE && utility == NULL && at->otherwise < penalty->reward_range.worst)
    at->otherwise_slope = mean_gradient;
  if (kind != REST) return status;
  note(&status, fcps_expected_reward_outcome_gradient(reward, penalty->resting, x, slope, penalty->error));
  if (utility != NULL) at->otherwise = utility->of_reward(utility->user, at->otherwise, &by_reward);
  for (int d = 0; d < penalty->layout->parameters.count && utility != NULL; d++)
    slope[d] *= by_reward;
  return status;
}

/* Computes the gradient of the deviation that `weigh` will return, from the mean and the deviation before weighing. */
static void weigh_deviation_gradient(const fcps_failure_penalty *penalty, const danger *at, double mean,
                                     double deviation, const double *mean_gradient, double *deviation_gradient)
{
  const int n = penalty->layout->parameters.count;
  const double p = at->p, gap = mean - at->otherwise;
  const double mixed = penalty->view.is_mixture ? mixture_deviation(p, at->otherwise, mean, deviation) : 0.0;
  for (int d = 0; d < n; d++) {
    const double dp = at->slope != NULL ? at->slope[d] : 0.0;
    const double dgap = mean_gradient[d] - (at->otherwise_slope != NULL ? at->otherwise_slope[d] : 0.0);
    if (!penalty->view.is_mixture)
      deviation_gradient[d] = p * deviation_gradient[d] + deviation * dp;
    else if (mixed > 0.0)
      deviation_gradient[d] = (0.5 * dp * (deviation * deviation + (1.0 - 2.0 * p) * gap * gap) +
                               p * deviation * deviation_gradient[d] + p * (1.0 - p) * gap * dgap) /
                              mixed;
  }
}

/* Weighs a mean and a deviation, and their gradients. `deviation` may be NULL. */
static void weigh_gradient(const fcps_failure_penalty *penalty, const danger *at, double *mean, double *deviation,
                           double *mean_gradient, double *deviation_gradient)
{
  if (deviation != NULL) weigh_deviation_gradient(penalty, at, *mean, *deviation, mean_gradient, deviation_gradient);
  for (int d = 0; d < penalty->layout->parameters.count; d++) {
    const double dp = at->slope != NULL ? at->slope[d] : 0.0;
    const double dother = at->otherwise_slope != NULL ? at->otherwise_slope[d] : 0.0;
    mean_gradient[d] = dother + at->p * (mean_gradient[d] - dother) + (*mean - at->otherwise) * dp;
  }
  weigh(penalty, at->p, at->otherwise, mean, deviation);
}

fcps_status fcps_failure_penalty_apply_gradient(fcps_failure_penalty *penalty, const fcps_utility *utility,
                                                const double *x, double *mean, double *deviation, double *mean_gradient,
                                                double *deviation_gradient)
{
  const size_t n = (size_t)penalty->layout->parameters.count;
  fcps_status status = FCPS_OK;
  danger at;
  for (hazard kind = REST; kind < HAZARDS; kind++) {
    if (!exists(penalty, kind)) continue;
    if (is_blind(penalty, utility, kind)) {
      memset(mean_gradient, 0, n * sizeof *mean_gradient);
      *mean = 0.0;
    }
    note(&status, find_danger(penalty, utility, kind, x, mean, mean_gradient, &at));
    weigh_gradient(penalty, &at, mean, deviation, mean_gradient, deviation_gradient);
  }
  return status;
}

/* -- Chances -- */

fcps_status fcps_failure_penalty_chances(fcps_failure_penalty *penalty, int count, const double *x, double *outcome,
                                         double *success)
{
  const fcps_penalty_view view = penalty->view;
  double *chances[HAZARDS] = {[ABSENCE] = outcome, [FAILURE] = success};
  fcps_status status = FCPS_OK;
  penalty->view = (fcps_penalty_view){.is_sober = true};
  for (hazard kind = ABSENCE; kind < HAZARDS; kind++) {
    const bool is_asked = exists(penalty, kind);
    if (is_asked) note(&status, find(penalty, kind, count, x));
    for (int i = 0; i < count; i++)
      chances[kind][i] = is_asked ? penalty->probabilities[i] : 1.0;
  }
  penalty->view = view;
  return status;
}

/* -- Outcomes and values -- */

void fcps_failure_penalty_mix_outcome(fcps_failure_penalty *penalty, const double *x, double *mean, double *deviation)
{
  if (!exists(penalty, REST)) return;
  const int q = penalty->layout->problem->outcome.count;
  find(penalty, REST, 1, x);
  fcps_description_rest(penalty->description, penalty->environment, penalty->resting);
  const double p = penalty->probabilities[0];
  for (int j = 0; j < q; j++) {
    deviation[j] = mixture_deviation(p, penalty->resting[j], mean[j], deviation[j]);
    mean[j] = penalty->resting[j] + p * (mean[j] - penalty->resting[j]);
  }
}

void fcps_failure_penalty_scale_by_feasibility(fcps_failure_penalty *penalty, int count, const double *x,
                                               double *values)
{
  if (!exists(penalty, FAILURE)) return;
  find(penalty, FAILURE, count, x);
  for (int i = 0; i < count; i++)
    values[i] *= penalty->probabilities[i];
}
