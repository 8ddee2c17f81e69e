/* SPDX-License-Identifier: Apache-2.0 */
/* The greedy policy: pi(s) = argmax over theta of the predicted reward [pinsler2019, Eq. 2 with kappa = 0]. */
#include "policy/policy_impl.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/state.h"
#include "space/space.h"

#include <stdlib.h>

typedef struct greedy {
  fcps_model *model;
  fcps_greedy_settings settings;
} greedy;

static void destroy(void *state)
{
  greedy *g = state;
  if (g == NULL) return;
  fcps_model_destroy(g->model);
  free(g);
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
    if (count > 0 && g->model->evidence.count > 0) {
      fcps_fit_result result;
      const fcps_rng rng = fcps_rng_stream(settings->seed, FCPS_PURPOSE_FIT, 0);
      status = fcps_model_fit(g->model, count, targets, rng, &result, error);
    }
  }
  if (status == FCPS_OK) status = fcps_model_refresh(g->model);
  if (status != FCPS_OK) {
    fcps_policy_destroy(*policy);
    *policy = NULL;
    if (status == FCPS_ERR_MEMORY) fcps_error_memory(error);
  }
  return status;
}

static fcps_status query(fcps_policy *policy, const double *target, const double *environment, double *parameters,
                         fcps_prediction *prediction, fcps_error *error)
{
  greedy *g = policy->state;
  fcps_view *view = NULL;
  fcps_status status = fcps_view_create(&view, g->model, target, environment, error);
  double *unit = fcps_allocate((size_t)policy->problem.parameters.count, sizeof(double));
  if (status == FCPS_OK && unit == NULL) status = fcps_error_memory(error);
  if (status == FCPS_OK) {
    fcps_optimum optimum;
    const fcps_rng rng = fcps_rng_stream(g->settings.seed, FCPS_PURPOSE_POLICY, 0);
    status = fcps_view_maximize(view, 0.0, &g->settings.search, rng, unit, &optimum);
  }
  if (status == FCPS_OK) {
    fcps_space_from_unit(&policy->problem.parameters, unit, parameters);
    fcps_space_to_unit(&policy->problem.parameters, parameters, unit); // integers were rounded
    fcps_view_predict(view, 1, unit, &prediction->reward, &prediction->reward_deviation);
    prediction->has_reward = true;
    prediction->has_outcome = fcps_view_outcome(view, unit, prediction->outcome, prediction->outcome_deviation);
    status = fcps_view_failure(view);
  }
  free(unit);
  fcps_view_destroy(view);
  return status;
}

static fcps_json *write(const fcps_policy *policy)
{
  const greedy *g = policy->state;
  const fcps_search_settings *search = &g->settings.search;
  const double numbers[] = {(double)search->kind, search->candidates, search->starts, search->local_budget};
  fcps_json *json = fcps_json_object();
  if (json == NULL) return NULL;
  if (fcps_json_set(json, "seed", fcps_json_from_integer((int64_t)g->settings.seed)) == FCPS_OK &&
      fcps_json_set(json, "search", fcps_json_from_numbers(4, numbers)) == FCPS_OK &&
      fcps_json_set(json, "model", fcps_model_write(g->model)) == FCPS_OK)
    return json;
  fcps_json_destroy(json);
  return NULL;
}

/* Bounds that keep a damaged file from asking for absurd work. */
static bool read_search(const fcps_json *json, fcps_search_settings *search)
{
  double n[4];
  if (!fcps_json_numbers(json, 4, n) || (n[0] != 0.0 && n[0] != 1.0)) return false;
  for (int i = 1; i < 4; i++)
    if (!(n[i] >= 1.0 && n[i] <= 1e6)) return false;
  *search = (fcps_search_settings){(fcps_search_kind)n[0], (int)n[1], (int)n[2], (int)n[3]};
  return true;
}

static fcps_status read(fcps_policy *policy, const fcps_json *json, fcps_error *error)
{
  greedy *g = fcps_allocate(1, sizeof *g);
  if (g == NULL) return fcps_error_memory(error);
  policy->state = g;
  int64_t seed = 0;
  if (!fcps_json_integer(fcps_json_get(json, "seed"), &seed) ||
      !read_search(fcps_json_get(json, "search"), &g->settings.search))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "policy", "the saved policy is malformed");
  g->settings.seed = (uint64_t)seed;
  fcps_status status = fcps_model_read(&g->model, &policy->problem, fcps_json_get(json, "model"), error);
  return status == FCPS_OK ? fcps_model_refresh(g->model) : status;
}

const fcps_policy_ops fcps_policy_greedy = {"greedy", query, write, read, destroy};
