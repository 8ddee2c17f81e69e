/* SPDX-License-Identifier: Apache-2.0 */
/* Cautious choices: with doubt a policy subtracts uncertainty from its prediction, and this never makes it worse than a
 * trial. */
#include "check.h"

#include "policy/policy_impl.h"

#include <fcps/learner.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 14, CONTEXTS = 8 };

static const fcps_dimension environment[] = {{.name = "e", .lower = 0, .upper = 1}};
static const fcps_dimension parameters[] = {{.name = "a", .lower = 0, .upper = 1},
                                            {.name = "b", .lower = 0, .upper = 1}};
static const fcps_dimension outcome[] = {{.name = "o"}};

/* The outcome is the reward. */
static fcps_status score(void *user, int count, const double *target, const double *environments, const double *p,
                         const double *o, const bool *present, double *rewards)
{
  (void)user, (void)target, (void)environments, (void)p;
  for (int i = 0; i < count; i++)
    rewards[i] = present[i] ? o[i] : NAN;
  return FCPS_OK;
}

static const fcps_problem problem = {
    .environment = {1, environment}, .parameters = {2, parameters}, .outcome = {1, outcome}, .reward = score};

/* All trials are in one corner of the parameters, and their rewards rise away from it. */
static void place(int i, double *e, double *p)
{
  *e = fmod(0.37 * i, 1.0);
  p[0] = 0.3 * fmod(0.618 * i, 1.0);
  p[1] = 0.3 * fmod(0.414 * i, 1.0);
}

static fcps_policy *learn_with(const char *doubt, int terrible)
{
  const fcps_setting settings[] = {{"doubt", doubt}, {NULL, NULL}};
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome", settings, 1, NULL));
  for (int i = 0; i < TRIALS; i++) {
    double e, p[2];
    place(i, &e, p);
    const double o = i < terrible ? -1e4 * (1 + i) : exp(6.0 * p[0]) * (1.0 + p[1]) + e;
    if (i < terrible) p[1] = 1.0 - 0.1 * i;
    const fcps_rollout rollout = {.environment = &e, .parameters = p, .outcome = &o};
    assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  fcps_learner_destroy(learner);
  return policy;
}

static fcps_policy *learn(const char *doubt)
{
  return learn_with(doubt, 0);
}

static double credible_in(const fcps_policy *policy, double e)
{
  fcps_posterior *posterior = NULL;
  assert_ok(fcps_posterior_create(&posterior, policy->ops->model(policy), NULL, &e, NULL));
  const double credible = fcps_posterior_credible(posterior);
  fcps_posterior_destroy(posterior);
  return credible;
}

/* The mean as far as it is credible, less one deviation. */
static double bound_at(fcps_policy *policy, double e, const double *p)
{
  fcps_prediction at = {0};
  assert_ok(fcps_policy_predict_at(policy, NULL, &e, p, &at));
  return fmin(at.reward, credible_in(policy, e)) - at.reducible_deviation;
}

static void a_choice_is_sure_of_more_than_the_largest_mean(void **state)
{
  (void)state;
  fcps_policy *by_mean = learn("0"), *sure = learn("1");
  double most = 0.0;
  for (int i = 0; i < CONTEXTS; i++) {
    const double e = (i + 0.5) / CONTEXTS;
    double p[2], q[2];
    assert_ok(fcps_policy_query(by_mean, NULL, &e, p, NULL));
    assert_ok(fcps_policy_query(sure, NULL, &e, q, NULL));
    const double gain = bound_at(sure, e, q) - bound_at(sure, e, p);
    if (gain < -1e-6) fail_msg("in %g the surest choice is worse by %g", e, -gain);
    most = fmax(most, gain);
  }
  if (!(most > 0.1)) fail_msg("the mean does not extrapolate: at most %g is gained", most);
  fcps_policy_destroy(by_mean);
  fcps_policy_destroy(sure);
}

static void a_choice_is_never_worse_than_a_trial(void **state)
{
  (void)state;
  fcps_policy *policy = learn("1");
  for (int i = 0; i < CONTEXTS; i++) {
    const double e = (i + 0.5) / CONTEXTS;
    double p[2], other, tried[2];
    assert_ok(fcps_policy_query(policy, NULL, &e, p, NULL));
    const double own = bound_at(policy, e, p);
    for (int j = 0; j < TRIALS; j++) {
      place(j, &other, tried);
      const double better = bound_at(policy, e, tried) - own;
      if (better > 0.01) fail_msg("in %g trial %d is better by %g", e, j, better);
    }
  }
  fcps_policy_destroy(policy);
}

/* A few terrible trials make the spread of rewards large, but no guess sure. */
static void terrible_trials_do_not_hide_what_is_not_known(void **state)
{
  (void)state;
  enum { TERRIBLE = 3 };
  fcps_policy *policy = learn_with("1", TERRIBLE);
  for (int i = 0; i < CONTEXTS; i++) {
    const double e = (i + 0.5) / CONTEXTS;
    double p[2], other, tried[2];
    assert_ok(fcps_policy_query(policy, NULL, &e, p, NULL));
    const double own = bound_at(policy, e, p);
    for (int j = TERRIBLE; j < TRIALS; j++) {
      place(j, &other, tried);
      const double better = bound_at(policy, e, tried) - own;
      if (better > 0.1) fail_msg("in %g trial %d is better by %g", e, j, better);
    }
  }
  fcps_policy_destroy(policy);
}

/* A valley whose outcomes differ by decades. The last trials are at its bottom, where the best reward is 0. */
static double valley(const double *p)
{
  const double x = 9.0 * p[0] - 4.5, y = 9.0 * p[1] - 4.5;
  const double a = 1.5 - x + x * y, b = 2.25 - x + x * y * y, c = 2.625 - x + x * y * y * y;
  return -(a * a + b * b + c * c);
}

static fcps_policy *learn_valley(const char *doubt, int trials)
{
  enum { SPREAD = 20 };
  const fcps_setting settings[] = {{"doubt", doubt}, {NULL, NULL}};
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome", settings, 1, NULL));
  for (int i = 0; i < trials; i++) {
    const double e = fmod(0.37 * i, 1.0), side = 0.02 * (i - SPREAD);
    double p[] = {fmod(0.618 * i, 1.0), fmod(0.414 * i, 1.0)};
    if (i >= SPREAD) p[0] = 7.5 / 9.0 + side, p[1] = 5.0 / 9.0 - side;
    const double o = valley(p);
    const fcps_rollout rollout = {.environment = &e, .parameters = p, .outcome = &o};
    assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  fcps_learner_destroy(learner);
  return policy;
}

static void what_no_trial_comes_near_is_not_believed(void **state)
{
  (void)state;
  enum { VALLEY = 24 };
  fcps_policy *by_mean = learn_valley("0", VALLEY), *sure = learn_valley("1", VALLEY);
  for (int i = 0; i < CONTEXTS; i++) {
    const double e = (i + 0.5) / CONTEXTS, credible = credible_in(sure, e);
    double p[2], q[2];
    fcps_prediction most = {0}, at = {0}, chosen = {0};
    if (!(credible > 0.0 && credible < 20.0)) fail_msg("in %g rewards up to %g are credible", e, credible);
    assert_ok(fcps_policy_query(by_mean, NULL, &e, p, &most));
    assert_ok(fcps_policy_query(sure, NULL, &e, q, &chosen));
    assert_ok(fcps_policy_predict_at(sure, NULL, &e, p, &at));
    if (!(most.reward > 10.0 * credible)) fail_msg("in %g the mean promises only %g", e, most.reward);
    if (!(chosen.reducible_deviation < at.reducible_deviation))
      fail_msg("in %g the choice is no surer than the largest mean: %g", e, chosen.reducible_deviation);
    const double gain = bound_at(sure, e, q) - bound_at(sure, e, p);
    if (!(gain > 1.0)) fail_msg("in %g the choice is only surer by %g", e, gain);
  }
  fcps_policy_destroy(by_mean);
  fcps_policy_destroy(sure);
}

/* The same parameters alone, in a batch, and after loading. */
static void an_answer_depends_on_the_context_alone(void **state)
{
  (void)state;
  fcps_policy *policy = learn("1"), *loaded = NULL;
  double e[CONTEXTS], all[2 * CONTEXTS], p[2], again[2];
  char *text = NULL;
  for (int i = 0; i < CONTEXTS; i++)
    e[i] = (i + 0.5) / CONTEXTS;
  assert_ok(fcps_policy_save(policy, &text, NULL));
  assert_ok(fcps_policy_load(&loaded, &problem, text, NULL));
  assert_ok(fcps_policy_query_batch(policy, CONTEXTS, NULL, e, all, NULL, NULL));
  for (int i = 0; i < CONTEXTS; i++) {
    assert_ok(fcps_policy_query(policy, NULL, e + i, p, NULL));
    assert_ok(fcps_policy_query(loaded, NULL, e + i, again, NULL));
    assert_memory_equal(p, again, sizeof p);
    for (int d = 0; d < 2; d++)
      assert_near(p[d], all[2 * i + d], 1e-6);
  }
  fcps_free(text);
  fcps_policy_destroy(loaded);
  fcps_policy_destroy(policy);
}

static void a_damaged_doubt_is_refused(void **state)
{
  (void)state;
  fcps_policy *policy = learn("10"), *loaded = NULL;
  fcps_error error;
  char *text = NULL;
  assert_ok(fcps_policy_save(policy, &text, NULL));
  char *at = strstr(text, "\"doubt\":10");
  assert_non_null(at);
  at[strlen("\"doubt\":")] = '9';
  assert_status(fcps_policy_load(&loaded, &problem, text, &error), FCPS_ERR_FORMAT);
  assert_string_equal(error.field, "doubt");
  memcpy(at, "\"dread\"", strlen("\"dread\"")); /* one without doubt trusts the mean */
  assert_ok(fcps_policy_load(&loaded, &problem, text, &error));
  fcps_policy_destroy(loaded);
  fcps_free(text);
  fcps_policy_destroy(policy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_choice_is_sure_of_more_than_the_largest_mean),
      cmocka_unit_test(a_choice_is_never_worse_than_a_trial),
      cmocka_unit_test(terrible_trials_do_not_hide_what_is_not_known),
      cmocka_unit_test(what_no_trial_comes_near_is_not_believed),
      cmocka_unit_test(an_answer_depends_on_the_context_alone),
      cmocka_unit_test(a_damaged_doubt_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
