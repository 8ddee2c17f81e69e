/* SPDX-License-Identifier: Apache-2.0 */
/* Cost-regularized kernel regression [kober2012]: every ask smooths the parameters of the latest rollouts over
 * contexts, gives most weight to rollouts of low cost, and explores more if little is known about the context
 * (policy/fitted.h). The state follows from the rollouts, so only the rollouts are saved. */
#include "base/error.h"
#include "base/memory.h"
#include "learner/policy_search/policy_search.h"
#include "policy/fitted.h"
#include "problem/problem.h"
#include "space/space.h"

#include <stdlib.h>

typedef struct crkr_settings {
  double width, lambda, temperature, deviation;
  int memory;
  fcps_training_settings training;
} crkr_settings;

static const fcps_setting_row setting_rows[] = {
    FCPS_NUMBER_ROW("width", crkr_settings, width, "0.3", 1e-3, 100,
                    "width of the kernel of contexts, in their ranges"),
    FCPS_NUMBER_ROW("lambda", crkr_settings, lambda, "0.1", 1e-6, 100, "weight of the costs"),
    FCPS_NUMBER_ROW("temperature", crkr_settings, temperature, "0.2", 1e-3, 100,
                    "loss of reward, in deviations of the rewards, for which the cost grows e-fold"),
    FCPS_NUMBER_ROW("deviation", crkr_settings, deviation, "0.15", 1e-6, 10,
                    "exploration: deviation in ranges of the parameters, times the spread of the regression"),
    FCPS_INTEGER_ROW("memory", crkr_settings, memory, "200", 1, 5000, "latest rollouts that the regression uses"),
    {.spec.name = NULL},
};

const fcps_setting_table fcps_learner_crkr_settings = {
    .size = sizeof(crkr_settings),
    .parts = {{setting_rows, 0}, {fcps_training_rows, offsetof(crkr_settings, training)}}};

typedef struct crkr {
  const crkr_settings *settings; /* borrowed from the learner */
  fcps_regression_policy regression;
  fcps_training_kind kind;
} crkr;

static void destroy(void *state)
{
  crkr *c = state;
  if (c == NULL) return;
  fcps_regression_policy_destroy(&c->regression);
  free(c);
}

static fcps_status create(fcps_learner *learner, fcps_error *error)
{
  const crkr_settings *s = learner->settings;
  crkr *c = fcps_allocate(1, sizeof *c);
  if (c == NULL) return fcps_error_memory(error);
  learner->state = c;
  c->settings = s;
  if (fcps_training_kind_choose(&s->training, &learner->problem, &c->kind, error) != FCPS_OK)
    return FCPS_ERR_UNSUPPORTED;
  const fcps_status status = fcps_regression_policy_create(
      &c->regression, &learner->problem, c->kind == FCPS_TRAINING_FACTORED, s->width, s->lambda, s->temperature);
  return status == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}

/* Returns the index of the first sample that the regression uses. */
static int first_of(const crkr *c)
{
  const int rows = c->settings->memory * (c->kind == FCPS_TRAINING_HINDSIGHT ? 2 : 1),
            count = c->regression.samples.count;
  return count > rows ? count - rows : 0;
}

static fcps_status ask(fcps_learner *learner, int64_t id, const double *target, const double *environment,
                       double *parameters, fcps_error *error)
{
  const crkr *c = learner->state;
  double spread, *x = fcps_allocate((size_t)learner->problem.parameters.count, sizeof(double));
  if (x == NULL) return fcps_error_memory(error);
  const fcps_status status =
      fcps_regression_policy_predict(&c->regression, first_of(c), target, environment, x, &spread, error);
  if (status == FCPS_OK) {
    fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_EXPLORE, (uint64_t)id);
    for (int p = 0; p < learner->problem.parameters.count; p++)
      x[p] += c->settings->deviation * spread * fcps_rng_normal(&rng);
    fcps_space_from_unit(&learner->problem.parameters, x, parameters);
  }
  free(x);
  return status;
}

static fcps_status absorb(fcps_learner *learner, const fcps_rollout *rollout, fcps_error *error)
{
  crkr *c = learner->state;
  if (rollout->status != FCPS_ROLLOUT_OK || !fcps_rollout_values_usable(1, &rollout->reward)) return FCPS_OK;
  const fcps_status status =
      fcps_training_samples_add(&c->regression.samples, &learner->problem, rollout, c->kind, error);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

static fcps_status policy(const fcps_learner *learner, fcps_policy **policy, fcps_error *error)
{
  const crkr *c = learner->state;
  return fcps_policy_create_kernel_regression(policy, &c->regression, first_of(c), error);
}

const fcps_learner_ops fcps_learner_crkr = {
    .create = create, .destroy = destroy, .ask = ask, .absorb = absorb, .policy = policy};
