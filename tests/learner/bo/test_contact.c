/* SPDX-License-Identifier: Apache-2.0 */
/* Contact in learners: kicks that miss move nothing. Tests faster learning, results that keep their bits, and policies
 * in many contexts. */
#include "base/memory.h"
#include "base/rng.h"
#include "check.h"
#include "learner/bo/bo.h"
#include "learner/learner_impl.h"
#include "space/space.h"
#include "toy.h"

#include <fcps/policy.h>

#include <stdlib.h>
#include <string.h>

/* A leg kicks a ball at some place, at a height and with a speed. The outcome is how far the ball goes and where. */
static const fcps_dimension environment_dims[] = {{"ball", -0.3, 0.3, 0, FCPS_SCALE_LINEAR, "m", 0, NULL, NULL}};
static const fcps_dimension parameter_dims[] = {{"height", -0.6, 0.6, 0, FCPS_SCALE_LINEAR, "m", 0, NULL, NULL},
                                                {"speed", 0.2, 1.6, 0, FCPS_SCALE_LINEAR, "m/s", 0, NULL, NULL}};

static bool kick(const double *ball, const double *p, double *o)
{
  const double offset = (p[0] - ball[0]) / 0.15;
  o[0] = o[1] = 0;
  if (fabs(offset) >= 1) return false;
  const double far = 0.2 + 0.3 * p[1] * p[1];
  o[0] = far * cos(0.8 * offset);
  o[1] = -far * sin(0.8 * offset);
  return true;
}

static fcps_problem kicking(void)
{
  fcps_problem problem = toy_problem();
  problem.environment = (fcps_space){1, environment_dims};
  problem.parameters = (fcps_space){2, parameter_dims};
  return problem;
}

/* A ball, and the place to which some kick sends it. */
static void draw_context(uint64_t seed, int number, double *target, double *ball)
{
  const fcps_problem problem = kicking();
  fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, (uint64_t)number);
  double x[2], p[2];
  fcps_rng_uniforms(&rng, 1, x);
  fcps_space_from_unit(&problem.environment, x, ball);
  do {
    fcps_rng_uniforms(&rng, 2, x);
    fcps_space_from_unit(&problem.parameters, x, p);
  } while (!kick(ball, p, target));
}

static fcps_learner *create(const fcps_problem *problem, const char *contact, uint64_t seed)
{
  const fcps_setting settings[] = {{"contact", contact}, {NULL, NULL}};
  fcps_learner *learner = NULL;
  fcps_error error;
  assert_ok(fcps_learner_create(&learner, problem, "outcome", settings, seed, &error));
  return learner;
}

static void practise(fcps_learner *learner, uint64_t seed, int first, int last)
{
  for (int i = first; i < last; i++) {
    double target[2], ball[1], p[2], o[2];
    int64_t id;
    draw_context(seed, i, target, ball);
    assert_ok(fcps_learner_ask(learner, target, ball, p, &id));
    kick(ball, p, o);
    const fcps_rollout rollout = {.target = target, .environment = ball, .parameters = p, .outcome = o};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
}

static bool believes(const fcps_learner *learner)
{
  return fcps_model_structure(((const fcps_bo *)learner->state)->model, "contact") != NULL;
}

static int count_hits(const fcps_learner *learner)
{
  const fcps_rollouts *training = &((const fcps_bo *)learner->state)->model->training;
  int count = 0;
  for (int i = 0; i < training->count; i++)
    count += fcps_rollouts_outcome(training, i)[0] > 0;
  return count;
}

/* How far the policy's kicks miss on average. */
static double evaluate(fcps_learner *learner, uint64_t seed)
{
  enum { CHECKS = 40 };
  fcps_policy *policy = NULL;
  double sum = 0;
  assert_ok(fcps_learner_policy(learner, &policy));
  for (int i = 0; i < CHECKS; i++) {
    double target[2], ball[1], p[2], o[2];
    draw_context(seed, 1000 + i, target, ball);
    assert_ok(fcps_policy_query(policy, target, ball, p, NULL));
    kick(ball, p, o);
    sum += hypot(target[0] - o[0], target[1] - o[1]) / CHECKS;
  }
  fcps_policy_destroy(policy);
  return sum;
}

/* every learner that has hit more than a few balls believes contact; one that never hits cannot know that the ball
 * can move */
static void kicks_are_learnt_better_with_contact(void **state)
{
  (void)state;
  enum { SEEDS = 12, TRIALS = 30, FEW_HITS = 4 };
  const fcps_problem problem = kicking();
  double mean = 0, square = 0, off = 0;
  int believers = 0;
  for (uint64_t seed = 1001; seed <= 1000 + SEEDS; seed++) {
    double miss[2];
    for (int k = 0; k < 2; k++) {
      fcps_learner *learner = create(&problem, k == 0 ? "off" : "auto", seed);
      practise(learner, seed, 0, TRIALS);
      miss[k] = evaluate(learner, seed);
      assert_true(believes(learner) == (k == 1 && count_hits(learner) > FEW_HITS));
      believers += believes(learner);
      fcps_learner_destroy(learner);
    }
    off += miss[0] / SEEDS;
    mean += (miss[0] - miss[1]) / SEEDS;
    square += (miss[0] - miss[1]) * (miss[0] - miss[1]) / SEEDS;
  }
  const double error = sqrt((square - mean * mean) / (SEEDS - 1));
  print_message("# misses: off %.3f, auto less by %.3f +- %.3f; believed by %d of %d\n", off, mean, error, believers,
                SEEDS);
  assert_true(mean > 2 * error && believers > SEEDS / 2);
}

static void a_resumed_learner_goes_on_as_one_that_was_not(void **state)
{
  (void)state;
  const fcps_problem problem = kicking();
  fcps_learner *alone = create(&problem, "auto", 1001), *resumed = create(&problem, "auto", 1001);
  fcps_error error;
  for (int i = 0; i < 30; i++) {
    char *text = NULL;
    assert_ok(fcps_learner_save(resumed, &text, &error));
    fcps_learner_destroy(resumed);
    assert_ok(fcps_learner_load(&resumed, &problem, text, &error));
    fcps_free(text);
    practise(alone, 5, i, i + 1);
    practise(resumed, 5, i, i + 1);
    double target[2], ball[1], a[2], b[2];
    int64_t id;
    draw_context(6, i, target, ball);
    assert_ok(fcps_learner_ask(alone, target, ball, a, &id));
    assert_ok(fcps_learner_forget(alone, id));
    assert_ok(fcps_learner_ask(resumed, target, ball, b, &id));
    assert_ok(fcps_learner_forget(resumed, id));
    assert_memory_equal(a, b, sizeof a);
  }
  assert_true(believes(alone) && believes(resumed));
  fcps_learner_destroy(alone);
  fcps_learner_destroy(resumed);
}

static void check_policies(bool is_distance)
{
  enum { CONTEXTS = 64 };
  fcps_problem problem = kicking();
  problem.is_distance = is_distance; /* then searches go side by side */
  fcps_learner *learner = create(&problem, "auto", 1002);
  fcps_policy *policy = NULL, *loaded = NULL;
  fcps_error error;
  char *text = NULL;
  double targets[CONTEXTS][2], balls[CONTEXTS][1], together[CONTEXTS][2], worst = 0;
  double rewards[CONTEXTS], deviations[CONTEXTS];
  practise(learner, 5, 0, 40);
  assert_true(believes(learner));
  assert_ok(fcps_learner_policy(learner, &policy));
  assert_ok(fcps_policy_save(policy, &text, &error));
  assert_ok(fcps_policy_load(&loaded, &problem, text, &error));
  for (int i = 0; i < CONTEXTS; i++)
    draw_context(9, i, targets[i], balls[i]);
  assert_ok(fcps_policy_query_batch(policy, CONTEXTS, targets[0], balls[0], together[0], rewards, deviations));
  for (int i = 0; i < CONTEXTS; i++) {
    double a[2], b[2];
    fcps_prediction one = {0}, same = {0};
    assert_ok(fcps_policy_query(policy, targets[i], balls[i], a, &one));
    assert_ok(fcps_policy_query(loaded, targets[i], balls[i], b, &same));
    assert_memory_equal(a, b, sizeof a);
    assert_true(one.reward == same.reward && one.reward_deviation == same.reward_deviation);
    worst = fmax(worst, fabs(one.reward - rewards[i]));
  }
  print_message("# largest difference of rewards, alone and together: %.2g\n", worst);
  assert_true(worst < 0.02);
  fcps_free(text);
  fcps_policy_destroy(policy);
  fcps_policy_destroy(loaded);
  fcps_learner_destroy(learner);
}

/* a saved policy gives the same answers, and answers for many contexts at once are as good as single ones */
static void policies_answer_alike_alone_together_and_loaded(void **state)
{
  (void)state;
  check_policies(false);
  check_policies(true);
}

static void without_rest_nothing_changes(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_learner *learners[] = {create(&problem, "off", 1001), create(&problem, "auto", 1001)};
  for (int i = 0; i < 20; i++) {
    const double target[2] = {cos(i), sin(i)}, wind[1] = {0.1};
    double p[2][2], outcome[2];
    for (int k = 0; k < 2; k++) {
      int64_t id;
      assert_ok(fcps_learner_ask(learners[k], target, wind, p[k], &id));
      toy_throw(wind, p[k], outcome);
      const fcps_rollout rollout = {.target = target, .environment = wind, .parameters = p[k], .outcome = outcome};
      assert_ok(fcps_learner_tell(learners[k], id, &rollout));
    }
    assert_memory_equal(p[0], p[1], sizeof p[0]);
  }
  fcps_learner_destroy(learners[0]);
  fcps_learner_destroy(learners[1]);
}

/* outcome-active chooses trials that move something */
static void a_learner_that_chooses_learns_it_too(void **state)
{
  (void)state;
  const fcps_problem problem = kicking();
  fcps_learner *learner = NULL;
  fcps_error error;
  int moved = 0;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome-active", NULL, 1001, &error));
  for (int i = 0; i < 40; i++) {
    double target[2], ball[1], p[2], o[2];
    int64_t id;
    draw_context(5, i, target, ball);
    assert_ok(fcps_learner_choose(learner, NULL, target, ball, p, &id));
    const bool moves = kick(ball, p, o);
    moved += i >= 20 && moves;
    const fcps_rollout rollout = {.target = target, .environment = ball, .parameters = p, .outcome = o};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  print_message("# of the last 20 trials %d move something\n", moved);
  assert_true(believes(learner) && moved >= 10);
  fcps_learner_destroy(learner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kicks_are_learnt_better_with_contact),
      cmocka_unit_test(a_resumed_learner_goes_on_as_one_that_was_not),
      cmocka_unit_test(policies_answer_alike_alone_together_and_loaded),
      cmocka_unit_test(without_rest_nothing_changes),
      cmocka_unit_test(a_learner_that_chooses_learns_it_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
