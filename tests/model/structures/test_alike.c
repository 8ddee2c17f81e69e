/* SPDX-License-Identifier: Apache-2.0 */
/* Machines of one kind: how much they differ, and predictions for one that was never tried. */
#include "base/rng.h"
#include "check.h"

#include <fcps/learner.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"a", "b", "c", "d", "e"};
static const fcps_choices alike = {.count = 5, .words = names, .is_alike = true}, unlike = {.count = 5, .words = names};
static const fcps_dimension of_alike[] = {
    {.name = "robot", .upper = 4, .scale = FCPS_SCALE_INTEGER, .choices = &alike}};
static const fcps_dimension of_unlike[] = {
    {.name = "robot", .upper = 4, .scale = FCPS_SCALE_INTEGER, .choices = &unlike}};
static const fcps_dimension target_dims[] = {{.name = "x", .lower = 2, .upper = 6}};
static const fcps_dimension parameter_dims[] = {{.name = "speed", .upper = 3}, {.name = "tilt", .upper = 1}};
static const fcps_dimension outcome_dims[] = {{.name = "land"}};

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -fabs(outcomes[i] - target[0]);
  return FCPS_OK;
}

/* Robot c throws 8 % short. */
static double throw_it(double robot, const double *p)
{
  return (robot == 2 ? 0.92 : 1.0) * (1.0 + 1.5 * p[0] + sin(2 * p[1]));
}

static fcps_learner *learn(const fcps_dimension *environment)
{
  const fcps_problem problem = {.target = {1, target_dims},
                                .environment = {1, environment},
                                .parameters = {2, parameter_dims},
                                .outcome = {1, outcome_dims},
                                .reward = reward};
  fcps_learner *learner = NULL;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome", NULL, 3, NULL));
  for (int i = 0; i < 40; i++) {
    fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, (uint64_t)i);
    const double robot = i % 4, target = 4, p[2] = {3 * fcps_rng_uniform(&rng), fcps_rng_uniform(&rng)};
    const double land = throw_it(robot, p) + 0.01 * fcps_rng_normal(&rng);
    const fcps_rollout rollout = {.target = &target, .environment = &robot, .parameters = p, .outcome = &land};
    assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
  }
  return learner;
}

typedef struct heard {
  int count;
  char code[32], words[256];
} heard;

static void hear(void *user, fcps_log_level level, const char *code, const char *text)
{
  heard *h = user;
  (void)level;
  h->count++;
  snprintf(h->code, sizeof h->code, "%s", code);
  snprintf(h->words, sizeof h->words, "%s", text);
}

/* What a policy says of "alike"; "" if nothing. */
static const char *belief_of(const fcps_policy *policy)
{
  static fcps_health health;
  health = (fcps_health){0};
  assert_true(fcps_policy_health(policy, 0, &health));
  for (int i = 0; i < health.finding_count; i++)
    if (strcmp(health.findings[i].name, "alike") == 0) return health.findings[i].words;
  return "";
}

static void a_member_is_told_how_it_differs(void **state)
{
  (void)state;
  fcps_learner *learner = learn(of_alike);
  fcps_policy *policy = NULL;
  assert_ok(fcps_learner_policy(learner, &policy));
  const char *words = strstr(belief_of(policy), "robot c: land ");
  assert_non_null(words);
  double percent = 0;
  assert_int_equal(sscanf(words, "robot c: land %lf %% less", &percent), 1);
  assert_near(percent, 8, 2);
  const char *count = strstr(words, "trials of the others count ");
  assert_non_null(count);
  const double counts = atof(count + strlen("trials of the others count "));
  assert_true(counts > 0.5 && counts <= 1.0);
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
}

/* A fifth robot is answered by what all others show, less surely, and with a warning. */
static void a_new_member_starts_from_all_others(void **state)
{
  (void)state;
  double miss[2], deviation[2];
  for (int kind = 0; kind < 2; kind++) {
    fcps_learner *learner = learn(kind == 0 ? of_alike : of_unlike);
    fcps_policy *policy = NULL;
    heard h = {0};
    const double target = 4, known = 0, unknown = 4;
    double p[2], sure;
    fcps_prediction prediction = {0};
    assert_ok(fcps_learner_policy(learner, &policy));
    fcps_policy_set_log(policy, (fcps_log){hear, &h});
    assert_ok(fcps_policy_query(policy, &target, &known, p, &prediction));
    sure = prediction.reward_deviation;
    assert_int_equal(h.count, 0);
    assert_ok(fcps_policy_query(policy, &target, &unknown, p, &prediction));
    assert_int_equal(h.count, 1);
    assert_string_equal(h.code, "W_NEW_WORD");
    assert_non_null(strstr(h.words, "robot=e never had a result"));
    deviation[kind] = prediction.reward_deviation;
    miss[kind] = fabs(throw_it(unknown, p) - target);
    assert_true(deviation[kind] > sure);
    fcps_policy_destroy(policy);
    fcps_learner_destroy(learner);
  }
  assert_true(miss[0] < 0.3);
  assert_true(deviation[0] < deviation[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_member_is_told_how_it_differs),
      cmocka_unit_test(a_new_member_starts_from_all_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
