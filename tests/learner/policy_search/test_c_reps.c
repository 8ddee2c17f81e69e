/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/learner/policy_search/c_reps.c: the dual, its weights, learning and resuming. */
#include "base/rng.h"
#include "check.h"
#include "learner/policy_search/policy_search.h"
#include "resuming.h"

enum { SAMPLES = 12, FEATURES = 3 };

static void make_samples(double *phi, double *rewards)
{
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 1);
  for (int i = 0; i < SAMPLES; i++) {
    phi[FEATURES * i] = 1.0;
    phi[FEATURES * i + 1] = fcps_rng_normal(&rng);
    phi[FEATURES * i + 2] = fcps_rng_normal(&rng);
    rewards[i] = -10.0 * fcps_rng_uniform(&rng) + 3.0 * phi[FEATURES * i + 1];
  }
}

static void the_gradient_of_the_dual_matches_differences(void **state)
{
  (void)state;
  double phi[SAMPLES * FEATURES], rewards[SAMPLES], scratch[SAMPLES], gradient[1 + FEATURES];
  make_samples(phi, rewards);
  const fcps_reps_samples samples = {SAMPLES, FEATURES, phi, rewards, NULL};
  double x[1 + FEATURES] = {1.7, -2.0, 0.8, -0.3};
  fcps_reps_dual(&samples, 0.5, x[0], x + 1, scratch, gradient);
  for (int d = 0; d < 1 + FEATURES; d++) {
    const double h = 1e-6, kept = x[d];
    x[d] = kept + h;
    const double above = fcps_reps_dual(&samples, 0.5, x[0], x + 1, scratch, NULL);
    x[d] = kept - h;
    const double below = fcps_reps_dual(&samples, 0.5, x[0], x + 1, scratch, NULL);
    x[d] = kept;
    assert_near(gradient[d], (above - below) / (2 * h), 1e-7);
  }
}

/* At the optimum dg/deta = 0 says KL(d || uniform) = epsilon, and dg/dnu = 0 that the features' mean is kept. */
static void the_weights_have_the_wanted_entropy_and_keep_the_mean_of_the_features(void **state)
{
  (void)state;
  double phi[SAMPLES * FEATURES], rewards[SAMPLES], d[SAMPLES];
  make_samples(phi, rewards);
  const fcps_reps_samples samples = {SAMPLES, FEATURES, phi, rewards, NULL};
  assert_ok(fcps_reps_weights(&samples, 0.5, d));
  double sum = 0, divergence = 0;
  for (int i = 0; i < SAMPLES; i++) {
    sum += d[i];
    divergence += d[i] * log(d[i] * SAMPLES);
  }
  assert_near(sum, 1.0, 1e-12);
  assert_near(divergence, 0.5, 1e-3);
  for (int f = 0; f < FEATURES; f++) {
    double mean = 0, weighted = 0;
    for (int i = 0; i < SAMPLES; i++) {
      mean += phi[FEATURES * i + f] / SAMPLES;
      weighted += phi[FEATURES * i + f] * d[i];
    }
    assert_near(weighted, mean, 1e-3);
  }
}

static void the_weights_do_not_depend_on_the_scale_of_rewards(void **state)
{
  (void)state;
  double phi[SAMPLES * FEATURES], rewards[SAMPLES], d[SAMPLES], scaled[SAMPLES];
  make_samples(phi, rewards);
  const fcps_reps_samples samples = {SAMPLES, FEATURES, phi, rewards, NULL};
  assert_ok(fcps_reps_weights(&samples, 0.5, d));
  for (int i = 0; i < SAMPLES; i++)
    rewards[i] = 1e6 * rewards[i] - 3e7;
  assert_ok(fcps_reps_weights(&samples, 0.5, scaled));
  for (int i = 0; i < SAMPLES; i++)
    assert_near(scaled[i], d[i], 1e-4);
}

static void equal_rewards_weigh_the_same(void **state)
{
  (void)state;
  double phi[SAMPLES * FEATURES], rewards[SAMPLES], d[SAMPLES];
  make_samples(phi, rewards);
  for (int i = 0; i < SAMPLES; i++)
    rewards[i] = -4.0;
  const fcps_reps_samples samples = {SAMPLES, FEATURES, phi, rewards, NULL};
  assert_ok(fcps_reps_weights(&samples, 0.5, d));
  for (int i = 0; i < SAMPLES; i++)
    assert_near(d[i], 1.0 / SAMPLES, 1e-9);
}

static void it_learns_to_throw(void **state)
{
  (void)state;
  fcps_error error;
  fcps_learner *learner = NULL;
  assert_ok(fcps_learner_create(&learner, &throwing, "c-reps", NULL, 1001, &error));
  double parameters[2];
  const double before = throwing_mean_reward(learner);
  for (int i = 0; i < 600; i++)
    assert_ok(throwing_episode(learner, i, parameters));
  const double after = throwing_mean_reward(learner);
  assert_true(before < -0.4); /* the middle of the box hits one mark only */
  assert_true(after > -0.25);
  fcps_learner_destroy(learner);
}

static void degenerate_rollouts_leave_a_usable_policy(void **state)
{
  (void)state;
  const fcps_setting settings[] = {{"update_every", "3"}, {"memory", "3"}, {"ridge", "1e-12"}, {NULL, NULL}};
  fcps_error error;
  fcps_learner *learner = NULL;
  assert_ok(fcps_learner_create(&learner, &throwing, "c-reps", settings, 1, &error));
  const double mark = 0.3, wind = 0.1, parameters[2] = {0.5, 0.5}, land = 0.0, wild = NAN;
  for (int i = 0; i < 30; i++) {
    const fcps_rollout rollout = {.target = &mark,
                                  .environment = &wind,
                                  .parameters = parameters,
                                  .outcome = i % 5 == 4 ? &wild : &land,
                                  .status = i % 7 == 6 ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK};
    assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
  }
  double asked[2];
  int64_t id;
  assert_ok(fcps_learner_ask(learner, &mark, &wind, asked, &id));
  assert_true(isfinite(asked[0]) && asked[0] >= 0 && asked[0] <= 1);
  assert_near(asked[0], 0.5, 0.05); /* all samples were there */
  fcps_learner_destroy(learner);
}

static void a_saved_policy_answers_with_the_same_bits(void **state)
{
  (void)state;
  fcps_error error;
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL, *loaded = NULL;
  char *text = NULL;
  double parameters[2], again[2];
  assert_ok(fcps_learner_create(&learner, &throwing, "c-reps", NULL, 1001, &error));
  for (int i = 0; i < 61; i++)
    assert_ok(throwing_episode(learner, i, parameters));
  assert_ok(fcps_learner_policy(learner, &policy));
  assert_ok(fcps_policy_save(policy, &text, &error));
  assert_ok(fcps_policy_load(&loaded, &throwing, text, &error));
  const double mark = 0.6, wind = -0.15;
  assert_ok(fcps_policy_query(policy, &mark, &wind, parameters, NULL));
  assert_ok(fcps_policy_query(loaded, &mark, &wind, again, NULL));
  assert_memory_equal(parameters, again, sizeof again);
  fcps_free(text);
  fcps_policy_destroy(policy);
  fcps_policy_destroy(loaded);
  fcps_learner_destroy(learner);
}

static void a_resumed_learner_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  const fcps_setting settings[] = {{"update_every", "8"}, {"hindsight", "on"}, {NULL, NULL}};
  check_resumes(&throwing, "c-reps", NULL, 70);
  check_resumes(&throwing, "c-reps", settings, 40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gradient_of_the_dual_matches_differences),
      cmocka_unit_test(the_weights_have_the_wanted_entropy_and_keep_the_mean_of_the_features),
      cmocka_unit_test(the_weights_do_not_depend_on_the_scale_of_rewards),
      cmocka_unit_test(equal_rewards_weigh_the_same),
      cmocka_unit_test(it_learns_to_throw),
      cmocka_unit_test(degenerate_rollouts_leave_a_usable_policy),
      cmocka_unit_test(a_saved_policy_answers_with_the_same_bits),
      cmocka_unit_test(a_resumed_learner_goes_on_with_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
