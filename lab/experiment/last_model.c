/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the model of the last policy.
 *
 * Is it accurate? Random trials in the evaluation contexts were part of no run, so they are held out whatever the
 * learner tried.
 *
 * Is it locked? [pinsler2019, Sec. V-A] reports fits that follow the context and ignore the parameters. A parameter is
 * ignored where its length is twice its range or more. The fit is locked where all parameters are, while a context
 * dimension matters within its range. A fit may also ignore some of them, as the cannon's turn. */
#include "lab/experiment/last_model.h"

#include "base/memory.h"
#include "lab/experiment/random_trials.h"
#include "model/posterior/posterior.h"
#include "policy/policy_impl.h"

#include <math.h>
#include <stdlib.h>

static const double ignored_from = 2.0, matters_up_to = 1.0;

/* -- Accuracy -- */

typedef struct comparison {
  fcps_policy *policy;
  fcps_posterior *posterior; /* of the context of the last trial */
  const double *target, *environment;
  double squares;
  int count;
} comparison;

/* Trials come context by context. */
static fcps_status enter_context(comparison *c, const fcps_random_trial *trial)
{
  if (c->posterior != NULL && c->target == trial->target && c->environment == trial->environment) return FCPS_OK;
  fcps_posterior_destroy(c->posterior);
  c->posterior = NULL;
  c->target = trial->target;
  c->environment = trial->environment;
  return fcps_posterior_create(&c->posterior, c->policy->ops->model(c->policy), trial->target, trial->environment,
                               &c->policy->error);
}

static fcps_status compare(void *user, const fcps_random_trial *trial)
{
  comparison *c = user;
  double expected = NAN;
  const fcps_status status = enter_context(c, trial);
  if (status != FCPS_OK) return status;
  fcps_posterior_moments(c->posterior, 1, trial->x, &expected, NULL);
  if (isnan(trial->reward) || isnan(expected)) return FCPS_OK;
  c->squares += (expected - trial->reward) * (expected - trial->reward);
  c->count++;
  return FCPS_OK;
}

/* -- Locked fits -- */

static double least(int count, const double *values)
{
  double found = INFINITY;
  for (int i = 0; i < count; i++)
    found = fmin(found, values[i]); /* of NaN and a number, the number */
  return found;
}

static fcps_status find_locked(const fcps_policy *policy, fcps_last_model *found)
{
  const fcps_problem *problem = &policy->problem;
  const int targets = problem->target.count, environments = problem->environment.count;
  const int parameters = problem->parameters.count;
  double *lengths = fcps_allocate((size_t)(targets + environments + parameters), sizeof(double));
  if (lengths == NULL) return FCPS_ERR_MEMORY;
  fcps_health health = {.target_lengths = lengths,
                        .environment_lengths = lengths + targets,
                        .parameter_lengths = lengths + targets + environments};
  if (fcps_policy_health(policy, 0, &health)) {
    int ignored = 0;
    for (int i = 0; i < parameters; i++)
      ignored += health.parameter_lengths[i] >= ignored_from;
    found->ignored = (double)ignored / parameters;
    found->locked = ignored == parameters && least(targets + environments, lengths) <= matters_up_to;
  }
  free(lengths);
  return FCPS_OK;
}

fcps_status fcps_last_model_measure(fcps_study *study, fcps_task *task, fcps_last_model *found, fcps_error *error)
{
  comparison c = {0};
  *found = (fcps_last_model){NAN, NAN, NAN};
  fcps_status status = fcps_study_policy(study, &c.policy, error);
  if (status != FCPS_OK || !fcps_policy_predicts_reward(c.policy)) {
    fcps_policy_destroy(c.policy);
    return status;
  }
  status = fcps_random_trials_visit(task, compare, &c);
  if (status == FCPS_OK) status = find_locked(c.policy, found);
  if (status == FCPS_OK && c.count > 0) found->accuracy = -sqrt(c.squares / c.count);
  if (status != FCPS_OK && error != NULL) *error = c.policy->error;
  fcps_posterior_destroy(c.posterior);
  fcps_policy_destroy(c.policy);
  return status;
}
