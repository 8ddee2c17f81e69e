/* SPDX-License-Identifier: Apache-2.0 */
/* The failure penalty: the range of rewards that scales it, the two probabilities, and how they weigh rewards and
 * values. If nothing has gone wrong so far, nothing is weighed. */
#include "model/feasibility/failure_penalty.h"

#include "base/memory.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = FCPS_POSTERIOR_BLOCK };

/* -- The range of rewards -- */

/* The mean of what is above a level; the level, if nothing is. */
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

/* How far the best are above the better ones, which are above the mean; divided by what it is of a standard normal. */
static double find_lead(int count, const double *rewards, double mean, double spread)
{
  static const double usual = 0.57;
  const double better = mean_above(count, rewards, mean), lead = mean_above(count, rewards, better) - better;
  return lead > 0.0 ? fmin(lead / usual, spread) : spread;
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
  penalty->absent = penalty->probabilities + BLOCK;
  penalty->resting = penalty->absent + BLOCK;
  penalty->rows = penalty->resting + q * BLOCK;
  penalty->feature_slope = penalty->rows + (e + p) * BLOCK;
  penalty->parameter_slope = penalty->feature_slope + dim;
  penalty->absent_slope = penalty->parameter_slope + p;
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

/* -- Probabilities -- */

/* The inputs of classifiers, as rows: features of the environment, then of the parameters; the target is not among
 * them. */
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

/* Whether an outcome may be absent. */
static bool may_be_absent(const fcps_failure_penalty *penalty)
{
  return penalty->expected_reward != NULL &&
         (penalty->layout->problem->presence != NULL || penalty->feasibility->present != NULL);
}

/* A unit of caution asks for so many more trials in a row that end well: eight that do not fail, and one that has an
 * outcome. A failure may break something, an absent outcome only costs its trial, so an ask needs less than one trial with
 * an outcome. Chosen on development seeds (docs/lab/outcome.md). */
static const double curiosity = -0.5;
static double presence_caution(const fcps_failure_penalty *penalty)
{
  return penalty->view.is_sober ? penalty->view.caution : curiosity;
}
static double success_caution(const fcps_failure_penalty *penalty)
{
  return 8.0 * penalty->view.caution;
}

/* probabilities := that there is an outcome: by the problem's own rule, else as learnt. */
static fcps_status find_presence(fcps_failure_penalty *penalty, int count, const double *x)
{
  const fcps_feasibility *learnt = penalty->feasibility;
  if (penalty->layout->problem->presence != NULL) return ask_rule(penalty, count, x);
  if (learnt->presence_ignores_parameters) {
    fcps_label_probit_predict(learnt->present, presence_caution(penalty), 1, penalty->context, penalty->probabilities);
    for (int i = 1; i < count; i++)
      penalty->probabilities[i] = penalty->probabilities[0];
  } else {
    fill_features(penalty, count, x);
    fcps_label_probit_predict(learnt->present, presence_caution(penalty), count, penalty->features,
                              penalty->probabilities);
  }
  return FCPS_OK;
}

/* Whether trials may fail. */
static bool may_fail(const fcps_failure_penalty *penalty)
{
  return penalty->feasibility->feasible != NULL;
}

/* Whether chance is the better explanation of failures. A sober choice then asks for no more than one trial that ends
 * well: caution would only lead to where trials happened to end well. */
static bool is_by_chance(const fcps_failure_penalty *penalty)
{
  return penalty->view.is_sober && penalty->feasibility->chance > 0.5;
}

/* probabilities := that the trial does not fail. */
static void find_feasibility(fcps_failure_penalty *penalty, int count, const double *x)
{
  const fcps_feasibility *learnt = penalty->feasibility;
  fill_features(penalty, count, x);
  fcps_label_probit_predict(learnt->feasible, is_by_chance(penalty) ? 0.0 : success_caution(penalty), count,
                            penalty->features, penalty->probabilities);
  for (int i = 0; i < count && is_by_chance(penalty); i++)
    penalty->probabilities[i] += learnt->chance * (learnt->rate - penalty->probabilities[i]);
}

/* A probability at one point; returns its gradient by the parameters. */
static const double *find_slope(fcps_failure_penalty *penalty, fcps_label_probit *classifier, double caution,
                                const double *x, double *p)
{
  const fcps_layout *layout = penalty->layout;
  const int first = fcps_layout_place_features(layout) - layout->parameters.width;
  fill_features(penalty, 1, x);
  fcps_label_probit_gradient(classifier, caution, penalty->features, p, penalty->feature_slope);
  fcps_embed_gradient(&layout->parameters, x, penalty->feature_slope + first, penalty->parameter_slope);
  return penalty->parameter_slope;
}

/* The same that the trial does not fail. */
static const double *find_feasibility_slope(fcps_failure_penalty *penalty, const double *x, double *p)
{
  const fcps_feasibility *learnt = penalty->feasibility;
  if (!is_by_chance(penalty)) return find_slope(penalty, learnt->feasible, success_caution(penalty), x, p);
  find_slope(penalty, learnt->feasible, 0.0, x, p);
  *p += learnt->chance * (learnt->rate - *p);
  for (int d = 0; d < penalty->layout->parameters.count; d++)
    penalty->parameter_slope[d] *= 1.0 - learnt->chance;
  return penalty->parameter_slope;
}

/* The probability of an outcome at one point, *slope NULL if it does not depend on the parameters or is a rule. */
static fcps_status find_presence_slope(fcps_failure_penalty *penalty, const double *x, double *p, const double **slope)
{
  const fcps_feasibility *learnt = penalty->feasibility;
  if (penalty->layout->problem->presence == NULL && !learnt->presence_ignores_parameters) {
    *slope = find_slope(penalty, learnt->present, presence_caution(penalty), x, p);
    return FCPS_OK;
  }
  const fcps_status status = find_presence(penalty, 1, x);
  *p = penalty->probabilities[0];
  *slope = NULL;
  return status;
}

/* Whether it is a question of its own that something moves. */
static bool may_rest(const fcps_failure_penalty *penalty)
{
  return penalty->expected_reward != NULL && penalty->feasibility->moves != NULL;
}

/* probabilities := that something moves. */
static void find_movement(fcps_failure_penalty *penalty, int count, const double *x)
{
  fill_features(penalty, count, x);
  fcps_label_probit_predict(penalty->feasibility->moves, 0.0, count, penalty->features, penalty->probabilities);
}

/* absent := what outcomes at rest earn. */
static fcps_status score_rest(fcps_failure_penalty *penalty, int count, const double *x)
{
  const size_t q = (size_t)penalty->layout->problem->outcome.count;
  for (size_t i = 0; i < (size_t)count; i++)
    fcps_description_rest(penalty->description, penalty->environment, penalty->resting + i * q);
  return fcps_expected_reward_exact(penalty->expected_reward, count, x, penalty->resting, penalty->absent,
                                    penalty->error);
}

/* Both. */
static fcps_status find_rest(fcps_failure_penalty *penalty, int count, const double *x)
{
  find_movement(penalty, count, x);
  return score_rest(penalty, count, x);
}

bool fcps_failure_penalty_exists(const fcps_failure_penalty *penalty)
{
  return may_fail(penalty) || may_be_absent(penalty) || may_rest(penalty);
}

/* -- Weighing of rewards -- */

/* By how many spreads a failure is worse than what is expected without it. A model of rewards extrapolates, and its
 * means differ by more than what was seen: a sure failure must not look better than what is dull elsewhere. */
enum { OUTCOME_SPREADS = 1, REWARD_SPREADS = 3 };

/* What a failed trial earns where one that ends well has this mean. */
static double failure_reward(const fcps_failure_penalty *penalty, double mean)
{
  const double spreads = penalty->expected_reward != NULL ? OUTCOME_SPREADS : REWARD_SPREADS;
  return fmin(penalty->reward_range.worst, mean - spreads * penalty->reward_range.spread);
}

/* The deviation of a mixture: with chance p it has this mean and deviation, otherwise it is exactly `otherwise`. */
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

/* Weighs rewards by the probabilities and what was found to be earned otherwise. */
static void weigh_all(const fcps_failure_penalty *penalty, int count, double *mean, double *deviation)
{
  for (int i = 0; i < count; i++)
    weigh(penalty, penalty->probabilities[i], penalty->absent[i], mean + i, deviation != NULL ? deviation + i : NULL);
}

/* Keeps the first failure. */
static void note(fcps_status *first, fcps_status status)
{
  if (*first == FCPS_OK) *first = status;
}

fcps_status fcps_failure_penalty_apply(fcps_failure_penalty *penalty, int count, const double *x, double *mean,
                                       double *deviation)
{
  fcps_status status = FCPS_OK;
  if (may_rest(penalty)) {
    status = find_rest(penalty, count, x);
    weigh_all(penalty, count, mean, deviation);
  }
  if (penalty->view.ends_well) return status;
  if (may_be_absent(penalty)) {
    note(&status, find_presence(penalty, count, x));
    note(&status, fcps_expected_reward_absent(penalty->expected_reward, count, x, penalty->absent, penalty->error));
    weigh_all(penalty, count, mean, deviation);
  }
  if (!may_fail(penalty)) return status;
  find_feasibility(penalty, count, x);
  for (int i = 0; i < count; i++) {
    if (!penalty->reward_range.has_rollouts) mean[i] = 0.0;
    penalty->absent[i] = failure_reward(penalty, mean[i]);
  }
  weigh_all(penalty, count, mean, deviation);
  return status;
}

bool fcps_failure_penalty_has_bound(const fcps_failure_penalty *penalty)
{
  return may_rest(penalty) && !may_fail(penalty) && !may_be_absent(penalty);
}

fcps_status fcps_failure_penalty_bound(fcps_failure_penalty *penalty, int count, const double *x, double *mean)
{
  const fcps_status status = score_rest(penalty, count, x);
  for (int i = 0; i < count; i++)
    mean[i] = fmax(mean[i], penalty->absent[i]);
  return status;
}

/* What happens where a trial goes wrong: the probability that it does not, and what it earns otherwise, each with its
 * gradient (NULL: zeros). */
typedef struct hazard {
  double p, otherwise;
  const double *slope, *otherwise_slope;
} hazard;

/* The gradient of the deviation that `weigh` will give, from those of mean and deviation before. */
static void weigh_deviation_gradient(const fcps_failure_penalty *penalty, const hazard *h, double mean,
                                     double deviation, const double *mean_gradient, double *deviation_gradient)
{
  const int n = penalty->layout->parameters.count;
  const double p = h->p, gap = mean - h->otherwise;
  const double mixed = penalty->view.is_mixture ? mixture_deviation(p, h->otherwise, mean, deviation) : 0.0;
  for (int d = 0; d < n; d++) {
    const double dp = h->slope != NULL ? h->slope[d] : 0.0;
    const double dgap = mean_gradient[d] - (h->otherwise_slope != NULL ? h->otherwise_slope[d] : 0.0);
    if (!penalty->view.is_mixture)
      deviation_gradient[d] = p * deviation_gradient[d] + deviation * dp;
    else if (mixed > 0.0)
      deviation_gradient[d] = (0.5 * dp * (deviation * deviation + (1.0 - 2.0 * p) * gap * gap) +
                               p * deviation * deviation_gradient[d] + p * (1.0 - p) * gap * dgap) /
                              mixed;
  }
}

/* The same with gradients. */
static void weigh_gradient(const fcps_failure_penalty *penalty, const hazard *h, double *mean, double *deviation,
                           double *mean_gradient, double *deviation_gradient)
{
  if (deviation != NULL) weigh_deviation_gradient(penalty, h, *mean, *deviation, mean_gradient, deviation_gradient);
  for (int d = 0; d < penalty->layout->parameters.count; d++) {
    const double dp = h->slope != NULL ? h->slope[d] : 0.0;
    const double dother = h->otherwise_slope != NULL ? h->otherwise_slope[d] : 0.0;
    mean_gradient[d] = dother + h->p * (mean_gradient[d] - dother) + (*mean - h->otherwise) * dp;
  }
  weigh(penalty, h->p, h->otherwise, mean, deviation);
}

/* What happens where nothing moves. */
static fcps_status find_rest_hazard(fcps_failure_penalty *penalty, const double *x, hazard *h)
{
  fcps_status status = find_rest(penalty, 1, x);
  h->otherwise = penalty->absent[0];
  note(&status, fcps_expected_reward_outcome_gradient(penalty->expected_reward, penalty->resting, x,
                                                      penalty->absent_slope, penalty->error));
  h->slope = find_slope(penalty, penalty->feasibility->moves, 0.0, x, &h->p);
  h->otherwise_slope = penalty->absent_slope;
  return status;
}

fcps_status fcps_failure_penalty_apply_gradient(fcps_failure_penalty *penalty, const double *x, double *mean,
                                                double *deviation, double *mean_gradient, double *deviation_gradient)
{
  const int n = penalty->layout->parameters.count;
  const fcps_reward_range *range = &penalty->reward_range;
  hazard h = {.otherwise_slope = penalty->absent_slope};
  fcps_status status = FCPS_OK;
  if (may_rest(penalty)) {
    status = find_rest_hazard(penalty, x, &h);
    weigh_gradient(penalty, &h, mean, deviation, mean_gradient, deviation_gradient);
  }
  if (may_be_absent(penalty)) {
    note(&status, find_presence_slope(penalty, x, &h.p, &h.slope));
    note(&status, fcps_expected_reward_absent_gradient(penalty->expected_reward, x, &h.otherwise, penalty->absent_slope,
                                                       penalty->error));
    weigh_gradient(penalty, &h, mean, deviation, mean_gradient, deviation_gradient);
  }
  if (!may_fail(penalty)) return status;
  h.slope = find_feasibility_slope(penalty, x, &h.p);
  for (int d = 0; d < n && !range->has_rollouts; d++)
    mean_gradient[d] = 0.0;
  if (!range->has_rollouts) *mean = 0.0;
  /* where it is a spread below the mean it moves with it */
  h.otherwise = failure_reward(penalty, *mean);
  h.otherwise_slope = h.otherwise < range->worst ? mean_gradient : NULL;
  weigh_gradient(penalty, &h, mean, deviation, mean_gradient, deviation_gradient);
  return status;
}

/* -- Chances -- */

fcps_status fcps_failure_penalty_chances(fcps_failure_penalty *penalty, int count, const double *x, double *outcome,
                                         double *success)
{
  const fcps_penalty_view view = penalty->view;
  fcps_status status = FCPS_OK;
  penalty->view = (fcps_penalty_view){.is_sober = true};
  for (int i = 0; i < count; i++)
    outcome[i] = success[i] = 1.0;
  if (may_be_absent(penalty)) {
    status = find_presence(penalty, count, x);
    memcpy(outcome, penalty->probabilities, (size_t)count * sizeof(double));
  }
  if (may_fail(penalty)) {
    find_feasibility(penalty, count, x);
    memcpy(success, penalty->probabilities, (size_t)count * sizeof(double));
  }
  penalty->view = view;
  return status;
}

/* -- Rest -- */

fcps_status fcps_failure_penalty_mix(fcps_failure_penalty *penalty, const fcps_utility *utility, int count,
                                     const double *x, double *values)
{
  if (!may_rest(penalty)) return FCPS_OK;
  const fcps_status status = find_rest(penalty, count, x);
  for (int i = 0; i < count; i++) {
    const double otherwise = utility->of_reward(utility->user, penalty->absent[i], NULL);
    values[i] = otherwise + penalty->probabilities[i] * (values[i] - otherwise);
  }
  return status;
}

fcps_status fcps_failure_penalty_mix_gradient(fcps_failure_penalty *penalty, const fcps_utility *utility,
                                              const double *x, double *value, double *gradient)
{
  hazard h;
  double slope;
  if (!may_rest(penalty)) return FCPS_OK;
  const fcps_status status = find_rest_hazard(penalty, x, &h);
  h.otherwise = utility->of_reward(utility->user, h.otherwise, &slope);
  for (int d = 0; d < penalty->layout->parameters.count; d++)
    penalty->absent_slope[d] *= slope;
  weigh_gradient(penalty, &h, value, NULL, gradient, NULL);
  return status;
}

void fcps_failure_penalty_mix_outcome(fcps_failure_penalty *penalty, const double *x, double *mean, double *deviation)
{
  if (!may_rest(penalty)) return;
  const int q = penalty->layout->problem->outcome.count;
  find_movement(penalty, 1, x);
  fcps_description_rest(penalty->description, penalty->environment, penalty->resting);
  const double p = penalty->probabilities[0];
  for (int j = 0; j < q; j++) {
    deviation[j] = mixture_deviation(p, penalty->resting[j], mean[j], deviation[j]);
    mean[j] = penalty->resting[j] + p * (mean[j] - penalty->resting[j]);
  }
}

/* -- Scaling of values -- */

static void multiply(int count, const double *factors, double *values)
{
  for (int i = 0; i < count; i++)
    values[i] *= factors[i];
}

void fcps_failure_penalty_scale_by_feasibility(fcps_failure_penalty *penalty, int count, const double *x,
                                               double *values)
{
  if (!may_fail(penalty)) return;
  find_feasibility(penalty, count, x);
  multiply(count, penalty->probabilities, values);
}

fcps_status fcps_failure_penalty_scale(fcps_failure_penalty *penalty, int count, const double *x, double *values)
{
  fcps_status status = FCPS_OK;
  if (may_be_absent(penalty)) {
    status = find_presence(penalty, count, x);
    multiply(count, penalty->probabilities, values);
  }
  fcps_failure_penalty_scale_by_feasibility(penalty, count, x, values);
  return status;
}

/* value and gradient := p value, with the slope of p (NULL: none). */
static void multiply_gradient(int n, double p, const double *slope, double *value, double *gradient)
{
  for (int d = 0; d < n; d++)
    gradient[d] = p * gradient[d] + (slope != NULL ? *value * slope[d] : 0.0);
  *value *= p;
}

fcps_status fcps_failure_penalty_scale_gradient(fcps_failure_penalty *penalty, const double *x, double *value,
                                                double *gradient)
{
  const int n = penalty->layout->parameters.count;
  const double *slope;
  double p;
  fcps_status status = FCPS_OK;
  if (may_be_absent(penalty)) {
    status = find_presence_slope(penalty, x, &p, &slope);
    multiply_gradient(n, p, slope, value, gradient);
  }
  if (may_fail(penalty)) {
    slope = find_feasibility_slope(penalty, x, &p);
    multiply_gradient(n, p, slope, value, gradient);
  }
  return status;
}
