/* SPDX-License-Identifier: Apache-2.0 */
/* The health of a policy's model: noise, lengths, and repairs that the fit needed. */
#include "base/rng.h"
#include "check.h"
#include "model/model.h"
#include "policy/policy_impl.h"
#include "toy.h"
#include "usual_prior.h"

#include <fcps/fcps.h>

#include <math.h>

static const fcps_greedy_settings search = {
    .search = {.kind = FCPS_SEARCH_MULTISTART, .candidates = 10, .starts = 1, .local_budget = 5}};
static const double pi = 3.14159265358979323846;

static void add_throw(fcps_model *model, double blow, double angle, double distance)
{
  const double wind[1] = {blow}, parameters[2] = {angle, distance};
  double outcome[2];
  toy_throw(wind, parameters, outcome);
  const fcps_rollout rollout = {
      .target = outcome, .environment = wind, .parameters = parameters, .outcome = outcome, .reward = -1};
  assert_ok(fcps_model_add(model, &rollout));
}

static const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                             .circular = true,
                                             .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_SHARED},
                                             .prior = USUAL_PRIOR(0.8),
                                             .fit = {.starts = 2, .budget = 25}};

/* The policy of a model of `copies` equal throws with known hyper-parameters: the logarithms of lengths for wind,
 * (target), cosine, sine and distance, of the signal and of the noise. */
static fcps_policy *policy_of(const fcps_model_ops *ops, const double *hyper, int copies, fcps_fit_result ending)
{
  const fcps_problem problem = toy_problem();
  fcps_model *model;
  fcps_policy *policy;
  fcps_error error;
  assert_ok(fcps_model_create(&model, ops, &problem, &settings));
  for (int i = 0; i < copies; i++)
    add_throw(model, 0.1, 1.0, 0.5);
  fcps_gp_set_hyper(fcps_model_gp(model, 0), hyper);
  model->ending = ending;
  assert_ok(fcps_policy_create_greedy(&policy, &problem, model, &search, 0, NULL, &error));
  fcps_model_destroy(model);
  return policy;
}

static void lengths_are_shares_of_the_range_and_on_a_circle_the_shorter_counts(void **state)
{
  (void)state;
  const double change = sqrt(2 * log(2)); /* in lengths, where a signal as large as the spread has changed by it */
  const double outcome[] = {log(0.7), log(0.9), log(0.4), log(0.2), 0, log(0.03)};
  const double joint[] = {log(0.7), log(1.5), log(2.5), log(0.4), log(0.9), log(0.2), 0, log(0.03)};
  double target[2], wind[1], parameters[2];
  fcps_health health = {.target_lengths = target, .environment_lengths = wind, .parameter_lengths = parameters};
  for (int is_joint = 0; is_joint < 2; is_joint++) {
    fcps_policy *policy =
        policy_of(is_joint ? &fcps_model_joint : &fcps_model_outcome, is_joint ? joint : outcome, 3, FCPS_FIT_OK);
    assert_true(fcps_policy_health(policy, 0, &health));
    assert_string_equal(health.output, is_joint ? "reward" : "outcome");
    assert_int_equal(health.rollouts, 3);
    assert_near(health.noise, 0.03, 1e-12);
    assert_true(health.is_noise_share && health.jitter == 0 && health.fallback == NULL && health.split_by == NULL);
    assert_near(wind[0], 0.7 * change, 1e-12);
    assert_near(parameters[0], 0.4 / pi * change, 1e-12);
    assert_near(parameters[1], 0.2 * change, 1e-12);
    assert_true(is_joint ? fabs(target[0] - 1.5 * change) < 1e-12 && fabs(target[1] - 2.5 * change) < 1e-12
                         : isnan(target[0]) && isnan(target[1]));
    assert_false(fcps_policy_health(policy, 1, &health));
    fcps_policy_destroy(policy);
  }
}

/* A nearly linear process has long lengths and a large signal: its change over the range counts. A process that is
 * almost only noise hardly changes. */
static void a_large_signal_changes_within_a_part_of_its_length(void **state)
{
  (void)state;
  double wind[1], parameters[2];
  fcps_health health = {.environment_lengths = wind, .parameter_lengths = parameters};
  const double signals[] = {0.2, 1.0, 4.0},
               changes[] = {sqrt(2 * log(2)) * 0.5 / 0.04, sqrt(2 * log(2)), sqrt(-2 * log(1 - 1.0 / 32))};
  for (int i = 0; i < 3; i++) {
    const double hyper[] = {log(3.0), 0, 0, log(0.5), log(signals[i]), log(0.03)};
    fcps_policy *policy = policy_of(&fcps_model_outcome, hyper, 3, FCPS_FIT_OK);
    assert_true(fcps_policy_health(policy, 0, &health));
    assert_near(wind[0], 3.0 * changes[i], 1e-9);
    assert_near(parameters[1], 0.5 * changes[i], 1e-9);
    fcps_policy_destroy(policy);
  }
}

/* equal rows without noise have no Cholesky factor; what the last fit ended with is saved with the policy */
static void jitter_and_fallbacks_are_told(void **state)
{
  (void)state;
  const double hyper[] = {0, 0, 0, 0, 0, -40};
  const fcps_problem problem = toy_problem();
  fcps_policy *policy = policy_of(&fcps_model_outcome, hyper, 5, FCPS_FIT_DEFAULT), *again;
  fcps_health health = {0};
  fcps_error error;
  char *text;
  assert_true(fcps_policy_health(policy, 0, &health));
  assert_true(health.jitter > 0);
  assert_string_equal(health.fallback, "W_GP_DEFAULTS");
  assert_ok(fcps_policy_save(policy, &text, &error));
  assert_ok(fcps_policy_load(&again, &problem, text, &error));
  assert_true(fcps_policy_health(again, 0, &health));
  assert_string_equal(health.fallback, "W_GP_DEFAULTS");
  fcps_free(text);
  fcps_policy_destroy(again);
  fcps_policy_destroy(policy);
}

/* trials that miss their landing point by a tenth of the spread of all landings */
static void noise_is_a_share_of_the_spread_of_outcomes(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  fcps_learner *learner;
  fcps_policy *policy;
  fcps_error error;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome", NULL, 1, &error));
  double sum = 0;
  enum { TRIALS = 120 };
  for (int i = 0; i < TRIALS; i++) {
    const double wind[1] = {0.6 * fcps_rng_uniform(&rng) - 0.3};
    const double parameters[2] = {2 * pi * fcps_rng_uniform(&rng), 1.5 * fcps_rng_uniform(&rng)};
    double outcome[2];
    toy_throw(wind, parameters, outcome);
    for (int d = 0; d < 2; d++) {
      outcome[d] += 0.06 * fcps_rng_normal(&rng);
      sum += outcome[d] * outcome[d];
    }
    const fcps_rollout rollout = {.target = outcome, .environment = wind, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
  }
  const double share = 0.06 / sqrt(sum / (2 * TRIALS));
  fcps_health health = {0};
  assert_ok(fcps_learner_policy(learner, &policy));
  assert_true(fcps_policy_health(policy, 0, &health));
  assert_int_equal(health.rollouts, TRIALS);
  assert_near(health.noise, share, 0.2 * share);
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
}

static void outcomes_with_lengths_of_their_own_are_told_apart(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const fcps_setting separate[] = {{"separate", "on"}, {NULL, NULL}};
  const double wind[1] = {0};
  fcps_learner *learner;
  fcps_policy *policy;
  fcps_error error;
  fcps_health health = {0};
  assert_ok(fcps_learner_create(&learner, &problem, "outcome", separate, 1, &error));
  for (int i = 0; i < 12; i++) {
    const double parameters[2] = {0.5 * i, 0.1 * i};
    double outcome[2];
    toy_throw(wind, parameters, outcome);
    const fcps_rollout rollout = {.target = outcome, .environment = wind, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  assert_true(fcps_policy_health(policy, 0, &health));
  assert_string_equal(health.output, "land_x");
  assert_true(fcps_policy_health(policy, 1, &health));
  assert_string_equal(health.output, "land_y");
  assert_false(fcps_policy_health(policy, 2, &health));
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
}

static void both_sides_of_a_split_are_told(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model;
  fcps_policy *policy;
  fcps_error error;
  fcps_health health = {0};
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &problem, &settings));
  for (int i = 0; i < 12; i++)
    add_throw(model, i < 5 ? -0.2 : 0.2, 0.5 * i, 0.1 * i);
  assert_ok(fcps_split_model_set(model, (fcps_split){.input = 0, .threshold = 0.5}));
  assert_ok(fcps_policy_create_greedy(&policy, &problem, model, &search, 0, NULL, &error));
  for (int side = 0; side < 2; side++) {
    assert_true(fcps_policy_health(policy, side, &health));
    assert_string_equal(health.split_by, "wind");
    assert_int_equal(health.is_upper_side, side);
    assert_int_equal(health.rollouts, side == 0 ? 5 : 7);
  }
  assert_false(fcps_policy_health(policy, 2, &health));
  fcps_policy_destroy(policy);
  fcps_model_destroy(model);
}

static void a_policy_without_a_model_has_no_health(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_learner *learner;
  fcps_policy *policy;
  fcps_error error;
  fcps_health health = {0};
  assert_ok(fcps_learner_create(&learner, &problem, "c-reps", NULL, 1, &error));
  assert_ok(fcps_learner_policy(learner, &policy));
  assert_false(fcps_policy_health(policy, 0, &health));
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_are_shares_of_the_range_and_on_a_circle_the_shorter_counts),
      cmocka_unit_test(a_large_signal_changes_within_a_part_of_its_length),
      cmocka_unit_test(jitter_and_fallbacks_are_told),
      cmocka_unit_test(noise_is_a_share_of_the_spread_of_outcomes),
      cmocka_unit_test(outcomes_with_lengths_of_their_own_are_told_apart),
      cmocka_unit_test(both_sides_of_a_split_are_told),
      cmocka_unit_test(a_policy_without_a_model_has_no_health),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
