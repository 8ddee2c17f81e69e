/* SPDX-License-Identifier: Apache-2.0 */
/* The greedy policy: pi(s) = argmax over theta of the predicted reward [pinsler2019, Eq. 2 with kappa = 0].
 *
 * It owns a copy of the model, which is fitted at most once, when the policy is made, and then never changes. So an
 * answer depends on the context alone: it is the same in a batch and alone, before saving and after loading.
 */
#include "policy/policy_impl.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/leave_one_out.h"
#include "model/model.h"
#include "problem/limits.h"
#include "problem/problem.h"
#include "search/batch.h"
#include "space/points.h"
#include "space/space.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The view for the uncertainty that further trials can remove: without noise, and without the spread that failures
 * cause. */
static const fcps_penalty_view reducible = {.is_sober = true, .without_limits = true};

typedef struct greedy {
  fcps_model *model;
  fcps_greedy_settings settings;
  double *widening; /* one factor per outcome, for its predicted deviation; NULL if the model predicts rewards */
} greedy;

/* The views in which a trial is predicted: trial_of includes failures, success_of assumes that the trial ends well. */
static fcps_penalty_view trial_of(const greedy *g)
{
  return (fcps_penalty_view){.is_sober = true, .is_mixture = true, .without_limits = true, .widening = g->widening};
}
static fcps_penalty_view success_of(const greedy *g)
{
  return (fcps_penalty_view){.is_sober = true, .ends_well = true, .without_limits = true, .widening = g->widening};
}

static fcps_penalty_view choice_of(const greedy *g)
{
  return (fcps_penalty_view){.is_sober = true, .caution = g->settings.caution};
}

/* Whether the model has no rows. Its GPs are then their priors, which know neither the unit nor the scale of the
 * outputs: they can be searched, but their predictions mean nothing. The classifiers of failures may know other
 * rollouts. */
static bool knows_nothing(const greedy *g)
{
  return g->model->training.count == 0;
}

static void destroy(void *state)
{
  greedy *g = state;
  if (g == NULL) return;
  fcps_model_destroy(g->model);
  free(g->widening);
  free(g);
}

/* Returns the weight of the deviation in the choice. It is 0 for a distance, because uncertainty already makes the
 * expected distance longer. */
static double doubt_of(const greedy *g)
{
  return g->model->problem->is_distance ? 0.0 : g->settings.doubt;
}

/* Learns the factors that make deviations wider. Hyper-parameters count as known in the GP's deviations, so the
 * uncertainty of the hyper-parameters is missing there. */
static fcps_status learn_widening(greedy *g, fcps_error *error)
{
  if (!g->model->ops->predicts_outcomes) return FCPS_OK;
  g->widening = fcps_allocate((size_t)g->model->problem->outcome.count, sizeof(double));
  return g->widening != NULL ? fcps_model_widening(g->model, g->widening, error) : FCPS_ERR_MEMORY;
}

fcps_status fcps_policy_create_greedy(fcps_policy **policy, const fcps_problem *problem, const fcps_model *model,
                                      const fcps_greedy_settings *settings, int count, const double *targets,
                                      fcps_error *error)
{
  fcps_status status = fcps_policy_create(policy, &fcps_policy_greedy, problem);
  if (status != FCPS_OK) return fcps_error_memory(error);
  greedy *g = fcps_allocate(1, sizeof *g);
  (*policy)->state = g;
  status = g != NULL ? fcps_model_copy(model, &(*policy)->problem, &g->model) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    g->settings = *settings;
    if (count > 0 && g->model->training.count > 0) {
      fcps_fit_result result;
      const fcps_rng rng = fcps_rng_stream(settings->seed, FCPS_PURPOSE_FIT, 0);
      status = fcps_model_fit(g->model, count, targets, rng, &result, error);
    }
  }
  if (status == FCPS_OK) status = fcps_model_refresh(g->model);
  if (status == FCPS_OK) status = learn_widening(g, error);
  if (status != FCPS_OK) {
    fcps_policy_destroy(*policy);
    *policy = NULL;
    if (status == FCPS_ERR_MEMORY) fcps_error_memory(error);
  }
  return status;
}

/* The candidates of all queries, their means in one context, and the best parameters for all contexts of the batch. */
typedef struct batch_query {
  fcps_batch *batch;
  int candidates;
  double *x, *means, *best;
} batch_query;

/* Finds the parameters with the largest mean in a context, unless the batch has found them already. Then applies the
 * setting `doubt` (fcps_policy_choose_surely). */
static fcps_status search_one(const greedy *g, const batch_query *b, int context, bool is_found, double *best)
{
  const fcps_search_settings *settings = &g->settings.search;
  fcps_posterior *posterior;
  fcps_optimum optimum;
  fcps_status status = fcps_batch_posterior(b->batch, context, &posterior, b->means);
  if (status == FCPS_OK && !is_found)
    status = fcps_search_moments_from(posterior, &fcps_moment_objective_mean, settings,
                                      &(fcps_scored_points){b->candidates, b->x, b->means}, best, &optimum);
  return status == FCPS_OK ? fcps_policy_choose_surely(posterior, settings, doubt_of(g), best) : status;
}

/* Finds the best parameters for each context of the batch, side by side if that is possible. */
static fcps_status search(const fcps_policy *policy, const batch_query *b, int count)
{
  const greedy *g = policy->state;
  const bool is_together = fcps_batch_can_maximize(b->batch), is_doubted = doubt_of(g) > 0.0;
  double deviations[FCPS_BATCH_CONTEXTS];
  fcps_status status = is_together ? fcps_batch_maximize(b->batch, &g->settings.search, b->best) : FCPS_OK;
  if (status == FCPS_OK && is_together && is_doubted) status = fcps_batch_predict(b->batch, b->best, NULL, deviations);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    if (!is_together || (is_doubted && !fcps_policy_is_sure(doubt_of(g), deviations[i], fcps_batch_lead(b->batch, i))))
      status = search_one(g, b, i, is_together, b->best + (size_t)i * (size_t)policy->problem.parameters.count);
  return status;
}

static fcps_status predict_chances(const batch_query *b, int count, const fcps_predictions *wanted)
{
  double outcome[FCPS_BATCH_CONTEXTS], success[FCPS_BATCH_CONTEXTS];
  const size_t size = (size_t)count * sizeof(double);
  const fcps_status status = fcps_batch_chances(b->batch, b->best, outcome, success);
  if (wanted->chances_of_outcome != NULL) memcpy(wanted->chances_of_outcome, outcome, size);
  if (wanted->chances_of_success != NULL) memcpy(wanted->chances_of_success, success, size);
  return status;
}

/* Sets all predicted rewards to NaN. */
static void predict_nothing(int count, const fcps_predictions *wanted)
{
  double *const values[] = {wanted->rewards, wanted->reward_deviations, wanted->reducible_deviations,
                            wanted->success_rewards, wanted->success_reward_deviations};
  for (size_t v = 0; v < sizeof values / sizeof *values; v++)
    for (int i = 0; i < count && values[v] != NULL; i++)
      values[v][i] = NAN;
}

/* Answers the `count` contexts of the batch. */
static fcps_status answer(const fcps_policy *policy, const batch_query *b, int count, double *parameters,
                          const fcps_predictions *wanted)
{
  const fcps_space *space = &policy->problem.parameters;
  const size_t n = (size_t)space->count;
  const greedy *g = policy->state;
  fcps_batch_set_view(b->batch, choice_of(g));
  fcps_status status = search(policy, b, count);
  for (size_t i = 0; i < (size_t)count && status == FCPS_OK; i++) {
    fcps_space_from_unit(space, b->best + i * n, parameters + i * n);
    fcps_space_to_unit(space, parameters + i * n, b->best + i * n); /* integers were rounded */
  }
  fcps_batch_set_view(b->batch, reducible);
  if (status == FCPS_OK && wanted->reducible_deviations != NULL)
    status = fcps_batch_predict(b->batch, b->best, NULL, wanted->reducible_deviations);
  fcps_batch_set_view(b->batch, success_of(g));
  if (status == FCPS_OK && (wanted->success_rewards != NULL || wanted->success_reward_deviations != NULL))
    status = fcps_batch_predict(b->batch, b->best, wanted->success_rewards, wanted->success_reward_deviations);
  fcps_batch_set_view(b->batch, trial_of(g));
  if (status == FCPS_OK && (wanted->rewards != NULL || wanted->reward_deviations != NULL))
    status = fcps_batch_predict(b->batch, b->best, wanted->rewards, wanted->reward_deviations);
  if (status == FCPS_OK && (wanted->chances_of_outcome != NULL || wanted->chances_of_success != NULL))
    status = predict_chances(b, count, wanted);
  if (knows_nothing(g)) predict_nothing(count, wanted);
  return status;
}

/* Returns the values from a row on, NULL if they are not wanted. */
static double *from(double *values, size_t row)
{
  return values != NULL ? values + row : NULL;
}

static fcps_status answer_all(const fcps_policy *policy, const batch_query *b, const fcps_policy_answers *answers)
{
  const fcps_problem *problem = &policy->problem;
  const fcps_predictions *all = &answers->predictions;
  fcps_status status = FCPS_OK;
  for (int first = 0, block; first < answers->count && status == FCPS_OK; first += block) {
    const size_t row = (size_t)first;
    const fcps_predictions rest = {.rewards = from(all->rewards, row),
                                   .reward_deviations = from(all->reward_deviations, row),
                                   .reducible_deviations = from(all->reducible_deviations, row),
                                   .chances_of_success = from(all->chances_of_success, row),
                                   .chances_of_outcome = from(all->chances_of_outcome, row),
                                   .success_rewards = from(all->success_rewards, row),
                                   .success_reward_deviations = from(all->success_reward_deviations, row)};
    status = fcps_batch_set_contexts(b->batch, answers->count - first,
                                     fcps_policy_row(answers->targets, &problem->target, first),
                                     fcps_policy_row(answers->environments, &problem->environment, first), &block);
    if (status == FCPS_OK)
      status = answer(policy, b, block, answers->parameters + row * (size_t)problem->parameters.count, &rest);
  }
  return status;
}

/* Whether contexts can be answered together: one model serves all of them, and the whole cube is searched. With
 * constraints, conditions of parameters or limits, each context needs its own search. */
static bool shares_work(const greedy *g)
{
  const fcps_search_settings *search = &g->settings.search;
  return !fcps_problem_restricts(g->model->problem) && g->model->problem->limit_count == 0 &&
         !g->model->ops->has_target_inputs && search->kind == FCPS_SEARCH_MULTISTART && !(search->side > 0.0) &&
         !fcps_model_is_sampled(g->model);
}

enum { TRIED = 256, FEW_TRIED = 48 };

/* Returns how many successful trials are added to the candidates, because the only safe or certain parameters may be
 * near trials, and few uniform candidates fall there. Many are added if failures are possible and the policy is
 * cautious, some if the setting `doubt` is on. */
static int count_tried(const greedy *g)
{
  const fcps_feasibility *feasibility = &g->model->feasibility;
  const bool keeps_away = g->settings.caution > 0.0 && (feasibility->feasible != NULL || feasibility->present != NULL);
  const int most = keeps_away ? TRIED : g->settings.doubt > 0.0 ? FEW_TRIED : 0;
  return g->model->training.count < most ? g->model->training.count : most;
}

/* Writes the parameters of `count` trials, evenly spread over their order. */
static void add_tried(const fcps_model *model, int count, double *x)
{
  const fcps_space *space = &model->problem->parameters;
  for (int i = 0; i < count; i++) {
    const int row = (int)((int64_t)i * model->training.count / count);
    fcps_space_to_unit(space, fcps_rollouts_at(&model->training, row).parameters, x + (size_t)i * (size_t)space->count);
  }
}

/* Answers all contexts with the same candidates, so that the work that does not depend on the target is done once
 * (search/batch.h). */
static fcps_status query_together(fcps_policy *policy, const fcps_policy_answers *answers, fcps_error *error)
{
  const greedy *g = policy->state;
  const int n = policy->problem.parameters.count;
  const int uniform = g->settings.search.candidates, tried = count_tried(g);
  batch_query b = {.candidates = uniform + tried};
  b.x = fcps_allocate((size_t)b.candidates * ((size_t)n + 1) + (size_t)n * FCPS_BATCH_CONTEXTS, sizeof(double));
  if (b.x == NULL) return fcps_error_memory(error);
  b.means = b.x + (size_t)b.candidates * (size_t)n;
  b.best = b.means + b.candidates;
  fcps_rng rng = fcps_rng_stream(g->settings.seed, FCPS_PURPOSE_POLICY, 0);
  double levels[FCPS_SPACE_MAX];
  fcps_points_uniform(&rng, n, uniform, b.x);
  fcps_space_levels(&policy->problem.parameters, levels);
  fcps_words_spread(n, levels, NULL, uniform, b.x);
  add_tried(g->model, tried, b.x + (size_t)uniform * (size_t)n);
  fcps_status status = fcps_batch_create(&b.batch, g->model, b.candidates, b.x, error);
  if (status == FCPS_OK) status = answer_all(policy, &b, answers);
  fcps_batch_destroy(b.batch);
  free(b.x);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

static fcps_status query_batch(fcps_policy *policy, const fcps_policy_answers *answers, fcps_error *error)
{
  return (shares_work(policy->state) ? query_together : fcps_policy_query_each)(policy, answers, error);
}

/* Maximizes the mean: in a box around the best parameters tried if the search has a side, else in the whole cube. Then
 * applies the setting `doubt`, and limits. */
static fcps_status maximize(const greedy *g, fcps_posterior *posterior, double *centre, double *x)
{
  fcps_search_settings search = g->settings.search;
  const fcps_rng rng = fcps_rng_stream(g->settings.seed, FCPS_PURPOSE_POLICY, 0);
  fcps_optimum optimum;
  if (search.side > 0.0 && fcps_posterior_best_tried(posterior, centre)) search.centre = centre;
  bool is_proven;
  fcps_status status = fcps_search_moments(posterior, &fcps_moment_objective_mean, &search, rng, x, &optimum);
  if (status == FCPS_OK && search.centre == NULL)
    status = fcps_search_moments_from(posterior, &fcps_moment_objective_mean, &search,
                                      &(fcps_scored_points){1, x, &optimum.value}, x, &optimum);
  if (status == FCPS_OK) status = fcps_policy_choose_surely(posterior, &search, doubt_of(g), x);
  return status == FCPS_OK ? fcps_policy_choose_kept(posterior, &search, INT_MAX, x, &is_proven) : status;
}

/* Finds the best parameters; `x` has room for two points. If batches share work, the context is answered as a batch of
 * one, so that both ways give the same answer. */
static fcps_status best_parameters(fcps_policy *policy, fcps_posterior *posterior, const fcps_policy_answers *one,
                                   double *x, fcps_error *error)
{
  const greedy *g = policy->state;
  const fcps_space *space = &policy->problem.parameters;
  if (shares_work(g)) return query_together(policy, one, error);
  fcps_posterior_set_view(posterior, choice_of(g));
  const fcps_status status = maximize(g, posterior, x + space->count, x);
  if (status == FCPS_OK) fcps_space_from_unit(space, x, one->parameters);
  return status;
}

/* Predicts a trial at a point of the unit cube. */
static fcps_status predict_trial(const greedy *g, fcps_posterior *posterior, const double *x,
                                 fcps_prediction *prediction)
{
  fcps_posterior_chances(posterior, 1, x, &prediction->chance_of_outcome, &prediction->chance_of_success);
  fcps_posterior_set_view(posterior, reducible);
  fcps_posterior_moments(posterior, 1, x, &prediction->reward, &prediction->reducible_deviation);
  fcps_posterior_set_view(posterior, success_of(g));
  fcps_posterior_moments(posterior, 1, x, &prediction->success_reward, &prediction->success_reward_deviation);
  fcps_posterior_set_view(posterior, trial_of(g));
  fcps_posterior_moments(posterior, 1, x, &prediction->reward, &prediction->reward_deviation);
  prediction->has_reward = true;
  if (knows_nothing(g) || !fcps_posterior_has_value(posterior, x))
    prediction->reward = prediction->reward_deviation = prediction->reducible_deviation = prediction->success_reward =
        prediction->success_reward_deviation = NAN;
  prediction->has_outcome =
      !knows_nothing(g) && fcps_posterior_outcome(posterior, x, prediction->outcome, prediction->outcome_deviation);
  return fcps_posterior_failure(posterior);
}

/* Chooses the declared safe parameters while there is no result. */
static fcps_status choose_safe(const fcps_policy *policy, const double *target, const double *environment,
                               double *parameters, bool *is_found, fcps_error *error)
{
  const fcps_problem *p = &policy->problem;
  fcps_feasible *set;
  *is_found = false;
  if (!knows_nothing(policy->state) || p->safe_count == 0) return FCPS_OK;
  const fcps_status status = fcps_feasible_create(&set, p, target, environment, error);
  const int safe = status == FCPS_OK ? fcps_problem_next_safe(p, set, 0, target, environment) : -1;
  if (safe >= 0) memcpy(parameters, p->safe[safe].parameters, (size_t)p->parameters.count * sizeof *parameters);
  *is_found = safe >= 0;
  fcps_feasible_destroy(set);
  return status;
}

static fcps_status query(fcps_policy *policy, const double *target, const double *environment, bool is_given,
                         double *parameters, fcps_prediction *prediction, fcps_error *error)
{
  const greedy *g = policy->state;
  const fcps_policy_answers one = {
      .count = 1, .targets = target, .environments = environment, .parameters = parameters};
  fcps_posterior *posterior = NULL;
  fcps_status status = fcps_posterior_create(&posterior, g->model, target, environment, error);
  double *x = fcps_allocate(2 * (size_t)policy->problem.parameters.count, sizeof(double));
  if (status == FCPS_OK && x == NULL) status = fcps_error_memory(error);
  if (status == FCPS_OK && !is_given) status = choose_safe(policy, target, environment, parameters, &is_given, error);
  if (status == FCPS_OK && !is_given) status = best_parameters(policy, posterior, &one, x, error);
  if (status == FCPS_OK) {
    fcps_space_to_unit(&policy->problem.parameters, parameters, x); /* integers were rounded */
    status = predict_trial(g, posterior, x, prediction);
  }
  free(x);
  fcps_posterior_destroy(posterior);
  return status;
}

static const fcps_model *model_of(const fcps_policy *policy)
{
  const greedy *g = policy->state;
  return g->model;
}

static double set_caution(fcps_policy *policy, double caution)
{
  greedy *g = policy->state;
  const double before = g->settings.caution;
  g->settings.caution = caution;
  return before;
}

static fcps_json *write_search(const fcps_search_settings *search)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "kind", fcps_json_from_text(fcps_search_kind_name((int)search->kind)));
  fcps_json_put(&json, "candidates", fcps_json_from_integer(search->candidates));
  fcps_json_put(&json, "starts", fcps_json_from_integer(search->starts));
  fcps_json_put(&json, "local_budget", fcps_json_from_integer(search->local_budget));
  return json;
}

static fcps_json *write(const fcps_policy *policy)
{
  const greedy *g = policy->state;
  const fcps_search_settings *search = &g->settings.search;
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "seed", fcps_json_from_integer((int64_t)g->settings.seed));
  fcps_json_put(&json, "search", write_search(search));
  fcps_json_put(&json, "side", fcps_json_from_numbers(1, &search->side));
  if (g->settings.caution != 0.0) fcps_json_put(&json, "caution", fcps_json_from_number(g->settings.caution));
  if (g->settings.doubt != 0.0) fcps_json_put(&json, "doubt", fcps_json_from_number(g->settings.doubt));
  if (g->widening != NULL)
    fcps_json_put(&json, "widening", fcps_json_from_numbers(g->model->problem->outcome.count, g->widening));
  fcps_json_put(&json, "model", fcps_model_write(g->model));
  return json;
}

/* Reads the settings of a search. The bounds keep a damaged file from causing an endless search. */
static fcps_status read_search(const fcps_json *json, const fcps_json *side, fcps_search_settings *search,
                               fcps_error *error)
{
  static const char *const names[] = {"kind", "candidates", "starts", "local_budget"};
  const fcps_json *saved[4];
  double n[4], width = 0.0;
  int kind;
  for (int i = 0; i < 4; i++)
    saved[i] = fcps_json_get(json, names[i]);
  if (!fcps_json_choice(saved[0], fcps_search_kind_name, &kind))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "search.kind",
                          "the saved policy has no known kind of search; load another copy");
  for (int i = 1; i < 4; i++) {
    char field[32];
    snprintf(field, sizeof field, "search.%s", names[i]);
    if (!fcps_json_number(saved[i], n + i) || !(n[i] >= 1.0 && n[i] <= 1e6))
      return fcps_error_set(error, FCPS_ERR_FORMAT, field,
                            "the saved policy needs a number from 1 to 1000000 here; load another copy");
  }
  if (!fcps_json_numbers(side, 1, &width) || !(width >= 0.0 && width <= 2.0))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "side",
                          "the saved policy needs a number from 0 to 2 here; load another copy");
  *search = (fcps_search_settings){.kind = (fcps_search_kind)kind,
                                   .candidates = (int)n[1],
                                   .starts = (int)n[2],
                                   .local_budget = (int)n[3],
                                   .side = width};
  return FCPS_OK;
}

/* Reads an optional number from 0 to 10. */
static fcps_status read_optional(const fcps_json *json, const char *name, double *value, fcps_error *error)
{
  const fcps_json *saved = fcps_json_get(json, name);
  if (saved == NULL || (fcps_json_number(saved, value) && *value >= 0.0 && *value <= 10.0)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_FORMAT, name,
                        "the saved policy needs a number from 0 to 10 here; load another copy");
}

/* Reads the optional factors of deviations. */
static fcps_status read_widening(const fcps_json *json, int count, double **widening, fcps_error *error)
{
  const fcps_json *saved = fcps_json_get(json, "widening");
  if (saved == NULL) return FCPS_OK;
  *widening = fcps_allocate((size_t)count, sizeof(double));
  if (*widening == NULL) return fcps_error_memory(error);
  bool is_ok = fcps_json_numbers(saved, count, *widening);
  for (int o = 0; o < count && is_ok; o++)
    is_ok = (*widening)[o] >= 1.0 && (*widening)[o] <= 10.0;
  if (is_ok) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_FORMAT, "widening",
                        "the saved policy needs a number from 1 to 10 for each outcome here; load another copy");
}

static fcps_status read(fcps_policy *policy, const fcps_json *json, fcps_error *error)
{
  greedy *g = fcps_allocate(1, sizeof *g);
  if (g == NULL) return fcps_error_memory(error);
  policy->state = g;
  int64_t seed = 0;
  if (!fcps_json_integer(fcps_json_get(json, "seed"), &seed))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "seed",
                          "the saved policy needs a whole number here; load another copy");
  g->settings.seed = (uint64_t)seed;
  fcps_status status =
      read_search(fcps_json_get(json, "search"), fcps_json_get(json, "side"), &g->settings.search, error);
  if (status == FCPS_OK) status = read_optional(json, "caution", &g->settings.caution, error);
  if (status == FCPS_OK) status = read_optional(json, "doubt", &g->settings.doubt, error);
  if (status == FCPS_OK) status = read_widening(json, policy->problem.outcome.count, &g->widening, error);
  if (status != FCPS_OK) return status;
  status = fcps_model_read(&g->model, &policy->problem, fcps_json_get(json, "model"), error);
  return status == FCPS_OK ? fcps_model_refresh(g->model) : status;
}

const fcps_policy_ops fcps_policy_greedy = {"greedy", query, query_batch, write, read, destroy, model_of, set_caution};
