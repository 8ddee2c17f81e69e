/* SPDX-License-Identifier: Apache-2.0 */
/* Priors that allow for the number of inputs, and trust regions. */
#include "learner/bo/bo.h"
#include "resuming.h"

#include <fcps/lab/task.h>

#include <stdlib.h>

static fcps_task *make_arm(const char *joints)
{
  const fcps_setting settings[] = {{"joints", joints}, {NULL, NULL}};
  fcps_task *task = NULL;
  fcps_error error;
  assert_ok(fcps_task_create(&task, "long-arm", settings, 1000, &error));
  return task;
}

static fcps_model_settings model_settings(const fcps_problem *problem, const char *name, const fcps_setting *settings)
{
  fcps_error error;
  fcps_learner *learner = NULL;
  assert_ok(fcps_learner_create(&learner, problem, name, settings, 1, &error));
  const fcps_model_settings made = ((const fcps_bo *)learner->state)->settings.model_settings;
  fcps_learner_destroy(learner);
  return made;
}

static double prior_length(const fcps_problem *problem, const char *name, const fcps_setting *settings)
{
  return model_settings(problem, name, settings).prior.length;
}

static void lengths_grow_with_the_root_of_many_inputs_only(void **state)
{
  (void)state;
  const fcps_setting off[] = {{"length_growth", "off"}, {NULL, NULL}}, wide[] = {{"length_prior", "0.8"}, {NULL, NULL}};
  fcps_task *arm = make_arm("50");
  const fcps_problem fifty = *fcps_task_problem(arm);
  fcps_problem eight = fifty;
  eight.parameters.count = 8;
  assert_true(prior_length(&throwing, "bo-fcps", NULL) == 0.4);
  assert_true(prior_length(&throwing, "bo-cps", NULL) == 0.4);
  assert_true(prior_length(&eight, "bo-fcps", NULL) == 0.4);
  assert_near(prior_length(&eight, "bo-cps", NULL), 0.4 * sqrt(10.0 / 8), 1e-12); /* the target is an input, too */
  assert_near(prior_length(&fifty, "bo-fcps", NULL), 1.0, 1e-12);
  assert_near(prior_length(&fifty, "bo-fcps", wide), 2.0, 1e-12);
  assert_true(prior_length(&fifty, "bo-fcps", off) == 0.4);
  fcps_task_destroy(arm);
}

static void the_kernel_is_rough_for_rewards_of_many_inputs_only(void **state)
{
  (void)state;
  const fcps_setting smooth[] = {{"kernel", "se"}, {NULL, NULL}}, medium[] = {{"kernel", "matern52"}, {NULL, NULL}};
  fcps_task *arm = make_arm("10");
  const fcps_problem ten = *fcps_task_problem(arm);
  fcps_problem eight = ten;
  eight.parameters.count = 8;
  assert_ptr_equal(model_settings(&throwing, "bo-fcps", NULL).kernel, &fcps_kernel_se);
  assert_ptr_equal(model_settings(&eight, "bo-fcps", NULL).kernel, &fcps_kernel_se);
  assert_ptr_equal(model_settings(&eight, "bo-cps", NULL).kernel,
                   &fcps_kernel_matern32); /* with the target there are ten */
  assert_ptr_equal(model_settings(&ten, "bo-fcps", NULL).kernel, &fcps_kernel_matern32);
  assert_ptr_equal(model_settings(&ten, "outcome", NULL).kernel, &fcps_kernel_se);
  assert_ptr_equal(model_settings(&ten, "bo-fcps", smooth).kernel, &fcps_kernel_se);
  assert_ptr_equal(model_settings(&throwing, "bo-fcps", medium).kernel, &fcps_kernel_matern52);
  fcps_task_destroy(arm);
}

static void the_region_grows_with_successes_and_shrinks_with_failures(void **state)
{
  (void)state;
  fcps_trust_region trust_region = fcps_trust_region_start();
  const double first = trust_region.side;
  for (int i = 0; i < 3; i++)
    trust_region = fcps_trust_region_after(trust_region, -0.5, -1.0);
  assert_near(trust_region.side, 2 * first, 1e-12);
  for (int i = 0; i < 3; i++)
    trust_region = fcps_trust_region_after(trust_region, -1.0, -1.0); /* a result as good as before is not a success */
  trust_region = fcps_trust_region_after(trust_region, -0.5, -1.0);   /* and one success ends the row of failures */
  for (int i = 0; i < 3; i++)
    trust_region = fcps_trust_region_after(trust_region, -INFINITY, -1.0);
  assert_near(trust_region.side, 2 * first, 1e-12);
  trust_region = fcps_trust_region_after(trust_region, NAN, -1.0);
  assert_near(trust_region.side, first, 1e-12);
  for (int i = 0; i < 100; i++)
    trust_region = fcps_trust_region_after(trust_region, -2.0, -1.0);
  assert_true(trust_region.side > 0.01 && trust_region.side < first);
  for (int i = 0; i < 100; i++)
    trust_region = fcps_trust_region_after(trust_region, 0.0, -1.0);
  assert_true(trust_region.side > 1 && trust_region.side <= 2);
}

/* -|x - top|^2 */
static double hill(void *user, int n, const double *x, double *gradient)
{
  const double *top = user;
  double sum = 0;
  for (int d = 0; d < n; d++) {
    assert_true(x[d] >= 0 && x[d] <= 1);
    sum -= (x[d] - top[d]) * (x[d] - top[d]);
    if (gradient != NULL) gradient[d] = -2 * (x[d] - top[d]);
  }
  return sum;
}

static void hills(void *user, int n, int count, const double *points, double *values)
{
  for (int i = 0; i < count; i++)
    values[i] = hill(user, n, points + i * n, NULL);
}

static void a_search_in_a_box_finds_its_best_point(void **state)
{
  (void)state;
  double top[3] = {0.9, 0.5, 0.95}, x[3];
  const double centre[3] = {0.3, 0.45, 0.05};
  const bool wraps[3] = {false, false, true};
  const fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  const fcps_objective objective = {.n = 3, .value = hill, .batch = hills, .wraps = wraps, .user = top};
  for (int kind = 0; kind < 2; kind++) {
    const fcps_search_settings settings = {.kind = (fcps_search_kind)kind,
                                           .candidates = 300,
                                           .starts = 3,
                                           .local_budget = 40,
                                           .centre = centre,
                                           .side = 0.4};
    fcps_optimum optimum;
    assert_ok(fcps_search_maximize(&settings, &objective, rng, x, &optimum));
    assert_near(x[0], 0.5, 1e-4);  /* the face that is nearest to the top */
    assert_near(x[1], 0.5, 1e-3);  /* inside */
    assert_near(x[2], 0.95, 1e-3); /* across the end of the circle */
  }
}

static const fcps_setting trusting[] = {{"trust_region", "on"}, {NULL, NULL}};

/* One episode of the arm; returns its reward and shows the parameters. */
static double reach(fcps_learner *learner, fcps_task *arm, int episode, double *parameters)
{
  const fcps_problem *problem = fcps_task_problem(arm);
  double target[2], hand[2], reward;
  int64_t id;
  fcps_rollout result;
  fcps_task_context(arm, episode, target, NULL);
  assert_ok(fcps_learner_ask(learner, target, NULL, parameters, &id));
  assert_ok(fcps_task_run(arm, episode, NULL, parameters, hand, &result));
  const fcps_rollout rollout = {.target = target, .parameters = parameters, .outcome = hand};
  assert_ok(fcps_learner_tell(learner, id, &rollout));
  assert_ok(problem->reward(problem->user, 1, target, NULL, parameters, hand, &(bool){true}, &reward));
  return reward;
}

static void an_arm_of_twenty_joints_learns_near_what_it_tried(void **state)
{
  (void)state;
  enum { JOINTS = 20, EPISODES = 40 };
  fcps_task *arm = make_arm("20");
  fcps_error error;
  fcps_learner *learner = NULL;
  double tried[EPISODES][JOINTS], early = 0, late = 0;
  assert_ok(fcps_learner_create(&learner, fcps_task_problem(arm), "bo-fcps", trusting, 1000, &error));
  for (int e = 0; e < EPISODES; e++) {
    const double side = ((const fcps_bo *)learner->state)->trust_region.side;
    const double reward = reach(learner, arm, e, tried[e]);
    *(e < 10 ? &early : e >= 30 ? &late : &(double){0}) += reward / 10;
    double nearest = INFINITY;
    for (int before = 0; before < e && e >= 5; before++) {
      double gap = 0;
      for (int j = 0; j < JOINTS; j++)
        gap = fmax(gap, fabs(tried[e][j] - tried[before][j]) / 2); /* the range is 2 */
      nearest = fmin(nearest, gap);
    }
    if (e >= 5) assert_true(nearest <= 0.5 * side + 1e-9);
  }
  assert_true(late > early + 0.2);
  fcps_learner_destroy(learner);
  fcps_task_destroy(arm);
}

static void a_policy_with_a_region_is_saved_with_it(void **state)
{
  (void)state;
  fcps_error error;
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL, *loaded = NULL;
  double parameters[2], again[2];
  char *text = NULL;
  assert_ok(fcps_learner_create(&learner, &throwing, "bo-fcps", trusting, 3, &error));
  for (int i = 0; i < 15; i++)
    assert_ok(throwing_episode(learner, i, parameters));
  assert_ok(fcps_learner_policy(learner, &policy));
  assert_ok(fcps_policy_save(policy, &text, &error));
  assert_ok(fcps_policy_load(&loaded, &throwing, text, &error));
  for (int i = 0; i < 10; i++) {
    double mark, wind;
    throwing_context(50 + i, &mark, &wind);
    assert_ok(fcps_policy_query(policy, &mark, &wind, parameters, NULL));
    assert_ok(fcps_policy_query(loaded, &mark, &wind, again, NULL));
    assert_memory_equal(parameters, again, sizeof again);
  }
  fcps_free(text);
  fcps_policy_destroy(policy);
  fcps_policy_destroy(loaded);
  fcps_learner_destroy(learner);
}

/* batches share work between targets if they can: not with a region, and not with samples of hyper-parameters */
static void a_batch_of_queries_answers_as_one_by_one(void **state)
{
  (void)state;
  const fcps_setting sampling[] = {{"hyperparameters", "bayes"}, {NULL, NULL}};
  const fcps_setting *const variants[] = {trusting, sampling};
  for (int v = 0; v < 2; v++) {
    fcps_error error;
    fcps_learner *learner = NULL;
    fcps_policy *policy = NULL;
    const double marks[3] = {-0.6, 0.1, 0.7}, winds[3] = {0.1, 0.1, 0.1};
    double parameters[2], batch[6], rewards[3], deviations[3];
    assert_ok(fcps_learner_create(&learner, &throwing, "bo-fcps", variants[v], 3, &error));
    for (int i = 0; i < 15; i++)
      assert_ok(throwing_episode(learner, i, parameters));
    assert_ok(fcps_learner_policy(learner, &policy));
    assert_ok(fcps_policy_query_batch(policy, 3, marks, winds, batch, rewards, deviations));
    for (int i = 0; i < 3; i++) {
      fcps_prediction prediction = {0};
      assert_ok(fcps_policy_query(policy, marks + i, winds + i, parameters, &prediction));
      assert_memory_equal(parameters, batch + 2 * i, sizeof parameters);
      assert_near(prediction.reward, rewards[i], 0);
    }
    fcps_policy_destroy(policy);
    fcps_learner_destroy(learner);
  }
}

static void resumed_learners_go_on_with_the_same_bits(void **state)
{
  (void)state;
  const fcps_setting improving[] = {{"trust_region", "on"}, {"acquisition", "ei"}, {NULL, NULL}};
  check_resumes(&throwing, "bo-fcps", trusting, 25);
  check_resumes(&throwing, "outcome", improving, 15);
}

static void rewards_that_are_only_told_are_refused(void **state)
{
  (void)state;
  fcps_problem told = throwing;
  fcps_error error;
  fcps_learner *learner = NULL;
  told.reward = NULL;
  assert_status(fcps_learner_create(&learner, &told, "bo-cps", trusting, 1, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, "trust_region");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_grow_with_the_root_of_many_inputs_only),
      cmocka_unit_test(the_kernel_is_rough_for_rewards_of_many_inputs_only),
      cmocka_unit_test(the_region_grows_with_successes_and_shrinks_with_failures),
      cmocka_unit_test(a_search_in_a_box_finds_its_best_point),
      cmocka_unit_test(an_arm_of_twenty_joints_learns_near_what_it_tried),
      cmocka_unit_test(a_policy_with_a_region_is_saved_with_it),
      cmocka_unit_test(a_batch_of_queries_answers_as_one_by_one),
      cmocka_unit_test(resumed_learners_go_on_with_the_same_bits),
      cmocka_unit_test(rewards_that_are_only_told_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
