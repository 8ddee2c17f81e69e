/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/learner/bo/words.c, and of learners whose parameters and contexts are words. */
#include "check.h"

#include <fcps/learner.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const gates[] = {"tab", "pin", "fan", "edge", "ring", "valve", "ram"};
static const fcps_choices seven = {.count = 7, .words = gates}, three = {.count = 3, .words = gates};

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)target, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -outcomes[i];
  return FCPS_OK;
}

/* A gate and a speed; each gate has its own best speed, and `best` is the best gate where the wish is 0. */
static double lose(int best, double wish, const double *p)
{
  const double gate = p[0], at = 0.2 + 0.1 * gate;
  return 0.3 * (((int)gate + 7 - best - (int)wish) % 7) + (p[1] - at) * (p[1] - at);
}

static const fcps_dimension of_seven[] = {{.name = "gate", .upper = 6, .scale = FCPS_SCALE_INTEGER, .choices = &seven},
                                          {.name = "speed", .upper = 1}};
static const fcps_dimension of_three[] = {{.name = "gate", .upper = 2, .scale = FCPS_SCALE_INTEGER, .choices = &three},
                                          {.name = "speed", .upper = 1}};
static const fcps_dimension outcome_dims[] = {{.name = "loss"}};
static const fcps_dimension environment_dims[] = {
    {.name = "wish", .upper = 2, .scale = FCPS_SCALE_INTEGER, .choices = &three}};

static fcps_problem problem_of(const fcps_dimension *parameters)
{
  return (fcps_problem){.parameters = {2, parameters},
                        .environment = {1, environment_dims},
                        .outcome = {1, outcome_dims},
                        .reward = reward};
}

static fcps_learner *begin(const fcps_dimension *parameters, const char *name)
{
  const fcps_problem problem = problem_of(parameters);
  fcps_learner *learner = NULL;
  assert_ok(fcps_learner_create(&learner, &problem, name, NULL, 4, NULL));
  return learner;
}

static void do_trial(fcps_learner *learner, int i, double *p)
{
  double wish = i % 3, loss;
  int64_t id;
  assert_ok(fcps_learner_ask(learner, NULL, &wish, p, &id));
  assert_true(p[0] == floor(p[0]) && p[0] >= 0 && p[0] <= 6);
  loss = lose(2, wish, p);
  const fcps_rollout rollout = {.environment = &wish, .parameters = p, .outcome = &loss};
  assert_ok(fcps_learner_tell(learner, id, &rollout));
}

/* the design has no word twice, and every other ask after it tries one of the others */
static void every_word_is_tried_early(void **state)
{
  (void)state;
  static const char *const learners[] = {"outcome", "bo-fcps", "bo-cps"};
  for (int l = 0; l < 3; l++) {
    fcps_learner *learner = begin(of_seven, learners[l]);
    int made[7] = {0}, tried = 0;
    for (int i = 0; i < 10; i++) {
      double p[2];
      do_trial(learner, i, p);
      tried += made[(int)p[0]]++ == 0;
      if (i == 3) assert_int_equal(tried, 4);
    }
    assert_int_equal(tried, 7);
    fcps_learner_destroy(learner);
  }
}

/* in each context the right word, and the same answers after saving and loading */
static void a_policy_knows_the_words(void **state)
{
  (void)state;
  fcps_learner *learner = begin(of_three, "outcome"), *loaded = NULL;
  double p[2];
  char *text = NULL;
  fcps_error error;
  for (int i = 0; i < 30; i++)
    do_trial(learner, i, p);
  assert_ok(fcps_learner_save(learner, &text, &error));
  const fcps_problem problem = problem_of(of_three);
  assert_ok(fcps_learner_load(&loaded, &problem, text, &error));
  for (int k = 0; k < 2; k++) {
    fcps_policy *policy = NULL;
    assert_ok(fcps_learner_policy(k == 0 ? learner : loaded, &policy));
    for (double wish = 0; wish < 3; wish++) {
      assert_ok(fcps_policy_query(policy, NULL, &wish, p, NULL));
      double least = INFINITY, best = 0;
      for (double gate = 0; gate < 3; gate++) {
        const double at[2] = {gate, 0.2 + 0.1 * gate};
        if (lose(2, wish, at) < least) least = lose(2, wish, at), best = gate;
      }
      assert_true(p[0] == best);
      assert_near(p[1], 0.2 + 0.1 * best, 0.05);
    }
    fcps_policy_destroy(policy);
  }
  double next[2][2];
  do_trial(learner, 30, next[0]);
  do_trial(loaded, 30, next[1]);
  assert_memory_equal(next[0], next[1], sizeof next[0]);
  free(text);
  fcps_learner_destroy(loaded);
  fcps_learner_destroy(learner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_word_is_tried_early),
      cmocka_unit_test(a_policy_knows_the_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
