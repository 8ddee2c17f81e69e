/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints hold for all parameters that a learner proposes: first designs, asks, several asks at once, chosen
 * contexts, and policies, also after saving and loading. */
#include "check.h"
#include "space/space.h"

#include <fcps/learner.h>
#include <fcps/policy.h>
#include <fcps/problem_file.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A mixture whose shares sum to one, with a curved constraint of the context, steps, and one that two whole numbers
 * share. */
static const char text[] = "target: {want: [0, 1]}\n"
                           "environment: {heat: [0, 1]}\n"
                           "parameters:\n"
                           "  a: [0, 1]\n"
                           "  b: [0, 1]\n"
                           "  c: {range: [0, 1], step: 0.05}\n"
                           "  n: {range: [1, 9], scale: integer}\n"
                           "  m: {range: [1, 9], scale: integer}\n"
                           "outcome: [y]\n"
                           "achieved: {want: y}\n"
                           "reward: -distance\n";
static const char constraints[] = "constraints:\n"
                                  "  - a + b + c == 1\n"
                                  "  - a*b <= 0.02 + 0.03*heat\n"
                                  "  - n + m == 10 && n >= 2\n";

static fcps_problem_file *read_file(const char *more)
{
  char all[1000];
  fcps_problem_file *file = NULL;
  fcps_error error = {0};
  snprintf(all, sizeof all, "%s%s", text, more);
  if (fcps_problem_file_parse(&file, all, strlen(all), "mixture", NULL, &error) != FCPS_OK)
    fail_msg("%s", error.message);
  return file;
}

static void assert_kept(const fcps_problem *problem, const char *who, double heat, const double *p)
{
  const bool is_kept = fabs(p[0] + p[1] + p[2] - 1) <= 1e-9 && p[0] * p[1] <= 0.02 + 0.03 * heat + 1e-9 &&
                       p[3] + p[4] == 10 && p[3] >= 2;
  if (!is_kept || fcps_space_find_off_step(&problem->parameters, p, 0) >= 0)
    fail_msg("%s: %.17g %.17g %.17g %g %g", who, p[0], p[1], p[2], p[3], p[4]);
  assert_int_equal(fcps_space_find_outside(&problem->parameters, p, 0), -1);
}

static double trial(double heat, const double *p)
{
  return 0.9 * p[0] + 0.3 * p[1] - 0.2 * p[2] * p[2] + 0.02 * p[3] + 0.1 * heat;
}

static void assert_policy_keeps(fcps_policy *policy, const fcps_problem *problem, const char *who)
{
  double targets[5], heats[5], parameters[5 * 5];
  for (int i = 0; i < 5; i++) {
    targets[i] = heats[i] = 0.25 * i;
    assert_ok(fcps_policy_query(policy, targets + i, heats + i, parameters, NULL));
    assert_kept(problem, who, heats[i], parameters);
  }
  assert_ok(fcps_policy_query_batch(policy, 5, targets, heats, parameters, NULL, NULL));
  for (int i = 0; i < 5; i++)
    assert_kept(problem, who, heats[i], parameters + 5 * i);
}

/* The policy; after saving, and loaded for a problem that says nothing of constraints. */
static void check_policy(fcps_learner *learner, const fcps_problem *problem, const char *who)
{
  fcps_policy *policy = NULL, *loaded = NULL;
  fcps_problem_file *plain = read_file("");
  fcps_error error;
  char *saved = NULL;
  if (fcps_learner_policy(learner, &policy) == FCPS_OK) {
    assert_policy_keeps(policy, problem, who);
    assert_ok(fcps_policy_save(policy, &saved, &error));
    assert_ok(fcps_policy_load(&loaded, &plain->problem, saved, &error));
    assert_policy_keeps(loaded, problem, who);
  }
  fcps_policy_destroy(loaded);
  fcps_policy_destroy(policy);
  free(saved);
  fcps_problem_file_destroy(plain);
}

static void check_asks(fcps_learner *learner, const fcps_problem *problem, const char *who, int count)
{
  for (int i = 0; i < count; i++) {
    const double want = 0.5 + 0.1 * (i % 5), heat = 0.2 * (i % 6);
    double p[2][5], y;
    int64_t ids[2];
    for (int j = 0; j < 2; j++) { /* the second while the first is pending */
      assert_ok(fcps_learner_ask(learner, &want, &heat, p[j], &ids[j]));
      assert_kept(problem, who, heat, p[j]);
    }
    for (int j = 0; j < 2; j++) {
      y = trial(heat, p[j]);
      const fcps_rollout rollout = {.target = &want, .environment = &heat, .parameters = p[j], .outcome = &y};
      assert_ok(fcps_learner_tell(learner, ids[j], &rollout));
    }
    if (!fcps_learner_is_active(learner)) continue;
    double target, environment;
    assert_ok(fcps_learner_choose(learner, NULL, &target, &environment, p[0], &ids[0]));
    assert_kept(problem, who, environment, p[0]);
    y = trial(environment, p[0]);
    const fcps_rollout rollout = {.target = &target, .environment = &environment, .parameters = p[0], .outcome = &y};
    assert_ok(fcps_learner_tell(learner, ids[0], &rollout));
  }
}

static void every_learner_keeps_them(void **state)
{
  (void)state;
  const fcps_learner_info *info;
  for (int i = 0; (info = fcps_learner_info_at(i)) != NULL; i++) {
    fcps_problem_file *file = read_file(constraints);
    fcps_learner *learner = NULL;
    fcps_error error = {0};
    if (fcps_learner_create(&learner, &file->problem, info->name, NULL, 1001, &error) != FCPS_OK)
      fail_msg("%s: %s", info->name, error.message);
    check_asks(learner, &file->problem, info->name, getenv("FCPS_TEST_LONG") != NULL ? 12 : 5);
    check_policy(learner, &file->problem, info->name);
    fcps_learner_destroy(learner);
    fcps_problem_file_destroy(file);
  }
}

static void every_acquisition_keeps_them(void **state)
{
  (void)state;
  static const fcps_setting settings[][2] = {{{"acquisition", "ei"}},     {{"acquisition", "thompson"}},
                                             {{"acquisition", "random"}}, {{"trust_region", "on"}},
                                             {{"search", "direct"}},      {{"design", "halton"}}};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    fcps_problem_file *file = read_file(constraints);
    fcps_learner *learner = NULL;
    fcps_error error = {0};
    if (fcps_learner_create(&learner, &file->problem, "outcome", settings[i], 1001, &error) != FCPS_OK)
      fail_msg("%s", error.message);
    check_asks(learner, &file->problem, settings[i][0].value, 5);
    fcps_learner_destroy(learner);
    fcps_problem_file_destroy(file);
  }
}

/* The largest y = a + 2b with 3a + b <= 1.2 lies in a corner: b = 1, a = 0.2/3. */
static void the_best_on_the_edge_is_found(void **state)
{
  (void)state;
  static const char edge[] = "target: {want: [0, 3]}\nparameters: {a: [0, 1], b: [0, 1]}\noutcome: [y]\n"
                             "achieved: {want: y}\nreward: -distance\nconstraints: 3*a + b <= 1.2\n";
  fcps_problem_file *file = NULL;
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL;
  fcps_error error;
  const double want = 3;
  double p[2];
  assert_ok(fcps_problem_file_parse(&file, edge, strlen(edge), "edge", NULL, &error));
  assert_ok(fcps_learner_create(&learner, &file->problem, "outcome", NULL, 1001, &error));
  for (int i = 0; i < 12; i++) {
    int64_t id;
    assert_ok(fcps_learner_ask(learner, &want, NULL, p, &id));
    assert_true(3 * p[0] + p[1] <= 1.2 + 1e-9);
    const double y = p[0] + 2 * p[1];
    assert_ok(fcps_learner_tell(learner, id, &(fcps_rollout){.target = &want, .parameters = p, .outcome = &y}));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  assert_ok(fcps_policy_query(policy, &want, NULL, p, NULL));
  assert_near(p[0], 0.2 / 3, 1e-3);
  assert_near(p[1], 1.0, 1e-3);
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
  fcps_problem_file_destroy(file);
}

static void a_context_without_parameters_is_said(void **state)
{
  (void)state;
  static const char tight[] = "environment: {load: [0, 3]}\nparameters: {a: [0, 1]}\noutcome: [y]\nreward: y\n"
                              "constraints: [a >= load]\n";
  fcps_problem_file *file = NULL;
  fcps_learner *learner = NULL;
  fcps_error error;
  double load = 0.5, a;
  int64_t id;
  assert_ok(fcps_problem_file_parse(&file, tight, strlen(tight), "tight", NULL, &error));
  assert_ok(fcps_learner_create(&learner, &file->problem, "outcome", NULL, 1, &error));
  assert_ok(fcps_learner_ask(learner, NULL, &load, &a, &id));
  assert_true(a >= 0.5);
  load = 2;
  assert_status(fcps_learner_ask(learner, NULL, &load, &a, &id), FCPS_ERR_BOUNDS);
  assert_non_null(strstr(fcps_learner_error(learner)->message, "\"a >= load\" in this context"));
  fcps_learner_destroy(learner);
  fcps_problem_file_destroy(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_learner_keeps_them),
      cmocka_unit_test(every_acquisition_keeps_them),
      cmocka_unit_test(the_best_on_the_edge_is_found),
      cmocka_unit_test(a_context_without_parameters_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
