/* SPDX-License-Identifier: Apache-2.0 */
/* Cost-regularized kernel regression [kober2012]: every ask smooths the parameters of the latest rollouts over
 * contexts, cheap ones most, and explores where it knows little (policy/kernel_regression.h). Everything is a function
 * of the rollouts, so nothing has to be saved beside them. */
#include "base/error.h"
#include "base/memory.h"
#include "learner/policy_search/training_samples.h"
#include "policy/kernel_regression.h"
#include "problem/problem.h"
#include "space/space.h"

#include <stdlib.h>

const fcps_setting_spec fcps_learner_crkr_settings[] = {
    {"width", FCPS_SETTING_NUMBER, "0.3", 1e-3, 100, NULL, "width of the kernel of contexts, in their ranges"},
    {"lambda", FCPS_SETTING_NUMBER, "0.1", 1e-6, 100, NULL, "how much costs count"},
    {"temperature", FCPS_SETTING_NUMBER, "0.2", 1e-3, 100, NULL,
     "loss of reward that costs e times as much, in deviations of the rewards"},
    {"deviation", FCPS_SETTING_NUMBER, "0.15", 1e-6, 10, NULL,
     "exploration: deviation in ranges of the parameters, times the spread of the regression"},
    {"memory", FCPS_SETTING_INTEGER, "200", 1, 5000, NULL, "latest rollouts the regression looks at"},
    FCPS_TRAINING_SETTINGS,
    {NULL, FCPS_SETTING_NUMBER, NULL, 0, 0, NULL, NULL},
};

typedef struct crkr {
  fcps_kernel_regression regression;
  fcps_training_kind reading;
  double deviation;
  int memory;
} crkr;

static void destroy(void *state)
{
  crkr *c = state;
  if (c == NULL) return;
  fcps_kernel_regression_destroy(&c->regression);
  free(c);
}

static fcps_status create(fcps_learner *learner, fcps_error *error)
{
  const fcps_settings *s = &learner->settings;
  crkr *c = fcps_allocate(1, sizeof *c);
  if (c == NULL) return fcps_error_memory(error);
  learner->state = c;
  c->deviation = fcps_settings_number(s, "deviation");
  c->memory = fcps_settings_integer(s, "memory");
  if (fcps_training_kind_choose(learner, &c->reading, error) != FCPS_OK) return FCPS_ERR_UNSUPPORTED;
  const fcps_status status = fcps_kernel_regression_create(
      &c->regression, &learner->problem, c->reading == FCPS_TRAINING_FACTORED, fcps_settings_number(s, "width"),
      fcps_settings_number(s, "lambda"), fcps_settings_number(s, "temperature"));
  return status == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}

/* The first sample that counts. */
static int first_of(const crkr *c)
{
  const int rows = c->memory * (c->reading == FCPS_TRAINING_HINDSIGHT ? 2 : 1), count = c->regression.samples.count;
  return count > rows ? count - rows : 0;
}

static fcps_status ask(fcps_learner *learner, int64_t id, const double *target, const double *environment,
                       double *parameters, fcps_error *error)
{
  const crkr *c = learner->state;
  double spread, *x = fcps_allocate((size_t)learner->problem.parameters.count, sizeof(double));
  if (x == NULL) return fcps_error_memory(error);
  const fcps_status status =
      fcps_kernel_regression_predict(&c->regression, first_of(c), target, environment, x, &spread, error);
  if (status == FCPS_OK) {
    fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_EXPLORE, (uint64_t)id);
    for (int p = 0; p < learner->problem.parameters.count; p++)
      x[p] += c->deviation * spread * fcps_rng_normal(&rng);
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
      fcps_training_samples_add(&c->regression.samples, &learner->problem, rollout, c->reading, error);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

static fcps_status policy(const fcps_learner *learner, fcps_policy **policy, fcps_error *error)
{
  const crkr *c = learner->state;
  return fcps_policy_create_kernel_regression(policy, &c->regression, first_of(c), error);
}

const fcps_learner_ops fcps_learner_crkr = {
    .create = create, .destroy = destroy, .ask = ask, .absorb = absorb, .policy = policy};
