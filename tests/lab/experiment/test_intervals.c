/* SPDX-License-Identifier: Apache-2.0 */
/* The share of results inside predicted 95 % intervals: counted again in the test, one context after the other. */
#include "lab/experiment/example.h"

#include "lab/experiment/last_model.h"
#include "lab/experiment/single_run.h"
#include "model/leave_one_out.h"
#include "policy/policy_impl.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXTS = 9 };

static fcps_study *learn(const char *task, const char *learner, int episodes)
{
  static const fcps_setting settings[] = {{"grid", "3"}, {NULL, NULL}};
  const fcps_study_options options = {.maker = fcps_run_maker()};
  fcps_error error = {0};
  fcps_study *study = NULL;
  char *origin = fcps_run_origin(task, strcmp(task, "cannon") == 0 ? settings : NULL, 1001);
  const fcps_study_setup setup = {.origin = origin, .learner = learner, .seed = 1001};
  const fcps_run_options run = {.episodes = episodes, .evaluate_every = -1};
  assert_ok(fcps_study_create(&study, "memory:", &setup, &options, &error));
  assert_ok(fcps_run(study, fcps_run_task(study), &run, &error));
  fcps_free(origin);
  return study;
}

static bool is_inside(double predicted, double deviation, double value)
{
  return value >= predicted - 1.96 * deviation && value <= predicted + 1.96 * deviation;
}

static void shares_are_those_of_single_queries(void **state)
{
  (void)state;
  fcps_study *study = learn("cannon", "outcome", 25);
  fcps_task *task = fcps_run_task(study);
  const fcps_evaluation *contexts = fcps_task_evaluation(task);
  assert_int_equal(contexts->count, CONTEXTS);
  fcps_error error = {0};
  fcps_policy *policy = NULL;
  assert_ok(fcps_study_policy(study, &policy, &error));
  int outcomes = 0, rewards = 0;
  for (int i = 0; i < CONTEXTS; i++) {
    double parameters[3], mean[2], deviation[2], outcome[2];
    const double *target = contexts->targets + 2 * i;
    fcps_prediction prediction = {.outcome = mean, .outcome_deviation = deviation};
    fcps_rollout rollout;
    assert_ok(fcps_policy_query(policy, target, NULL, parameters, &prediction));
    assert_ok(fcps_task_run(task, 1000000 + i, NULL, parameters, outcome, &rollout));
    outcomes += is_inside(mean[0], deviation[0], outcome[0]) + is_inside(mean[1], deviation[1], outcome[1]);
    const double miss = hypot(target[0] - outcome[0], target[1] - outcome[1]);
    const double effort = 0.05 * parameters[2] * parameters[2]; /* the reward is -distance - 0.05 speed^2 */
    rewards += is_inside(prediction.reward, prediction.reward_deviation, -miss - effort);
  }
  fcps_intervals_kept kept;
  assert_ok(fcps_intervals_measure(&kept, study, task, &error));
  assert_near(kept.outcomes, outcomes / (2.0 * CONTEXTS), 1e-15);
  assert_near(kept.rewards, rewards / (double)CONTEXTS, 1e-15);
  assert_true(outcomes > 0 && rewards > 0);
  fcps_policy_destroy(policy);
  fcps_study_close(study);
}

/* A model that has forgotten what may go wrong predicts trials that end well. The deviation of all trials is much
 * larger: batches that set solid are rare and cost much. */
static void a_trial_that_ends_well_is_compared_with_one_that_does(void **state)
{
  (void)state;
  fcps_study *study = learn("reactor", "outcome", 40);
  fcps_task *task = fcps_run_task(study);
  const fcps_problem *problem = fcps_task_problem(task);
  const fcps_evaluation *contexts = fcps_task_evaluation(task);
  fcps_error error = {0};
  fcps_policy *policy = NULL;
  fcps_model *bold = NULL;
  assert_ok(fcps_study_policy(study, &policy, &error));
  assert_ok(fcps_model_copy(policy->ops->model(policy), problem, &bold));
  assert_ok(fcps_model_refresh(bold));
  fcps_feasibility_forget(&bold->feasibility);
  int well = 0, inside = 0;
  double widening[FCPS_SPACE_MAX];
  const fcps_penalty_view trial = {.is_sober = true, .widening = widening};
  assert_ok(fcps_model_widening(bold, widening, &error));
  for (int i = 0; i < contexts->count; i++) {
    double parameters[4], x[4], outcome[2], mean, deviation, reward;
    fcps_prediction prediction = {0};
    fcps_rollout rollout;
    fcps_posterior *posterior = NULL;
    const double *target = contexts->targets + 2 * i, *environment = contexts->environments + i;
    assert_ok(fcps_policy_query(policy, target, environment, parameters, &prediction));
    assert_ok(fcps_task_run(task, 1000000 + i, environment, parameters, outcome, &rollout));
    const bool is_present = rollout.outcome != NULL;
    if (!is_present) continue;
    assert_ok(fcps_problem_score(problem, 1, target, environment, parameters, outcome, &is_present, &reward, &error));
    assert_ok(fcps_posterior_create(&posterior, bold, target, environment, &error));
    fcps_space_to_unit(&problem->parameters, parameters, x);
    fcps_posterior_set_view(posterior, trial);
    fcps_posterior_moments(posterior, 1, x, &mean, &deviation);
    assert_true(prediction.chance_of_outcome < 1.0 && prediction.reward_deviation > 1.2 * deviation);
    assert_near(prediction.success_reward, mean, 1e-9);
    assert_near(prediction.success_reward_deviation, deviation, 1e-9);
    assert_true(prediction.success_reward_deviation < prediction.reward_deviation);
    inside += is_inside(prediction.success_reward, prediction.success_reward_deviation, reward);
    well++;
    fcps_posterior_destroy(posterior);
  }
  fcps_intervals_kept kept;
  assert_ok(fcps_intervals_measure(&kept, study, task, &error));
  assert_near(kept.rewards, inside / (double)well, 1e-15);
  fcps_model_destroy(bold);
  fcps_policy_destroy(policy);
  fcps_study_close(study);
}

static void what_is_not_predicted_has_no_share(void **state)
{
  (void)state;
  fcps_error error = {0};
  fcps_intervals_kept kept;
  fcps_study *study = learn("cannon", "c-reps", 3);
  assert_ok(fcps_intervals_measure(&kept, study, fcps_run_task(study), &error));
  assert_true(isnan(kept.outcomes) && isnan(kept.rewards));
  fcps_study_close(study);

  study = learn("cannon", "bo-fcps", 12); /* predicts rewards alone */
  assert_ok(fcps_intervals_measure(&kept, study, fcps_run_task(study), &error));
  assert_true(isnan(kept.outcomes) && kept.rewards >= 0.0 && kept.rewards <= 1.0);
  fcps_study_close(study);
}

#define HEAD                                                                                                           \
  "name: example\ntitle: t\ntask: {name: cannon, settings: {grid: 3}}\nepisodes: 12\nevaluate: 12\nseeds: 1001-1002\n" \
  "learners: [{label: a, learner: outcome}]\nclaims:\n  - {claim: c, rows: [a], at: 12, kind: between, levels: [0, "   \
  "1], "

/* A run without the shares is not the run that a claim about them needs. */
static void runs_have_shares_where_a_claim_needs_them(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_error error = {0};
  fcps_experiment_run_result result;
  fcps_experiment *experiment = example_open(&folder, HEAD "measure: offline}\n");
  assert_ok(fcps_experiment_run_one(experiment, folder.path, "a", 1001, NULL, NULL, &error));
  assert_ok(fcps_experiment_run_result_read(&result, experiment, folder.path, 0, 1001, &error));
  assert_true(isnan(result.kept.outcomes) && isnan(result.kept.rewards));
  fcps_experiment_run_result_destroy(&result);
  fcps_experiment_destroy(experiment);

  experiment = example_open(&folder, HEAD "measure: rewards_inside}\n");
  assert_false(fcps_experiment_run_result_is_done(experiment, folder.path, 0, 1001));
  assert_ok(fcps_experiment_run_one(experiment, folder.path, "a", 1001, NULL, NULL, &error));
  assert_ok(fcps_experiment_run_result_read(&result, experiment, folder.path, 0, 1001, &error));
  assert_true(result.kept.outcomes >= 0.0 && result.kept.rewards >= 0.0);
  fcps_experiment_run_result_destroy(&result);
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_are_those_of_single_queries),
      cmocka_unit_test(a_trial_that_ends_well_is_compared_with_one_that_does),
      cmocka_unit_test(what_is_not_predicted_has_no_share),
      cmocka_unit_test(runs_have_shares_where_a_claim_needs_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
