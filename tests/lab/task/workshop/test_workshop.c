/* SPDX-License-Identifier: Apache-2.0 */
/* The tasks of the workshop: their mishaps happen, trials reach their edges, and good parameters are much better than
 * random ones. */
#include "check.h"

#include "lab/experiment/oracle.h"
#include "lab/task/task_impl.h"

#include <fcps/lab/task.h>

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"reactor", "reach", "dosing"};
enum { TASKS = (int)(sizeof names / sizeof *names), TRIALS = 200 };

static fcps_task *make(const char *name, const char *setting, const char *value)
{
  const fcps_setting settings[] = {{setting, value}, {NULL, NULL}};
  fcps_task *task = NULL;
  fcps_error error;
  assert_ok(fcps_task_create(&task, name, setting != NULL ? settings : NULL, 1000, &error));
  return task;
}

/* Trial `episode` with parameters in a sequence that fills their box. */
static fcps_rollout try(fcps_task *task, int64_t episode, double *outcome)
{
  static double target[8], environment[8], parameters[8];
  const fcps_space *space = &fcps_task_problem(task)->parameters;
  fcps_rollout rollout;
  fcps_task_context(task, episode, target, environment);
  for (int i = 0; i < space->count; i++) {
    const fcps_dimension *d = &space->dims[i];
    const double share = fmod(0.5 + (double)(episode + 1) * (0.618034 + 0.1367 * i), 1.0);
    parameters[i] = d->lower + share * (d->upper - d->lower);
    if (d->scale == FCPS_SCALE_INTEGER) parameters[i] = round(parameters[i]);
  }
  assert_ok(fcps_task_run(task, episode, environment, parameters, outcome, &rollout));
  return rollout;
}

static void some_trials_have_an_outcome_and_some_do_not(void **state)
{
  (void)state;
  for (int t = 0; t < TASKS; t++) {
    fcps_task *task = make(names[t], NULL, NULL);
    int with = 0, failed = 0;
    for (int i = 0; i < TRIALS; i++) {
      double outcome[2];
      const fcps_rollout rollout = try(task, i, outcome);
      with += rollout.outcome != NULL;
      failed += rollout.status != FCPS_ROLLOUT_OK;
      assert_true(rollout.status == FCPS_ROLLOUT_OK || strstr(fcps_task_message(task), "post") != NULL);
    }
    assert_true(with > TRIALS / 4 && with < TRIALS);
    assert_true((failed > 0) == (strcmp(names[t], "reach") == 0));
    fcps_task_destroy(task);
  }
}

static void failures_at_the_start_do_not_depend_on_parameters(void **state)
{
  (void)state;
  for (int t = 0; t < TASKS; t++) {
    fcps_task *clean = make(names[t], NULL, NULL), *unlucky = make(names[t], "failures", "5");
    for (int i = 0; i < 20; i++) {
      double expected[2], outcome[2];
      const fcps_rollout a = try(clean, i, expected), b = try(unlucky, i, outcome);
      assert_true(i >= 5 || (b.status == FCPS_ROLLOUT_FAILED && b.outcome == NULL));
      if (i < 5) continue;
      assert_int_equal(a.status, b.status);
      if (a.outcome != NULL) assert_memory_equal(expected, outcome, sizeof expected);
    }
    fcps_task_destroy(clean);
    fcps_task_destroy(unlucky);
  }
}

static void a_typo_and_a_unit_change_the_first_outcome_alone(void **state)
{
  (void)state;
  for (int t = 0; t < TASKS; t++) {
    fcps_task *clean = make(names[t], NULL, NULL), *typo = make(names[t], "typo", "7"),
              *other = make(names[t], "unit", "-3");
    int first = -1; /* the first outcome from trial 7 on */
    for (int i = 0; i < 30; i++) {
      double expected[2], mistyped[2], scaled[2];
      if (try(clean, i, expected).outcome == NULL) continue;
      if (i >= 6 && first < 0) first = i;
      try(typo, i, mistyped);
      try(other, i, scaled);
      assert_near(mistyped[0], i == first ? 100 * expected[0] : expected[0], 1e-12 * fabs(mistyped[0]));
      assert_near(scaled[0], 1e-3 * expected[0], 1e-15);
      assert_true(mistyped[1] == expected[1] && scaled[1] == expected[1]);
    }
    fcps_task_destroy(clean);
    fcps_task_destroy(typo);
    fcps_task_destroy(other);
  }
}

/* A trial without an outcome has nothing to mistype: the next one that has an outcome is mistyped instead, and only it,
 * also if a run goes on with a task that is made again. */
static void a_typo_waits_for_an_outcome(void **state)
{
  (void)state;
  for (int t = 0; t < TASKS; t++) {
    fcps_task *clean = make(names[t], NULL, NULL);
    double expected[TRIALS][2], outcome[2];
    int absent = -1, next = -1;
    int64_t had[TRIALS];
    int had_count = 0;
    for (int i = 0; i < TRIALS; i++) {
      const bool has_outcome = try(clean, i, expected[i]).outcome != NULL;
      if (!has_outcome && absent < 0 && i > 0) absent = i;
      if (has_outcome && absent >= 0 && next < 0) next = i;
      if (has_outcome) had[had_count++] = i;
    }
    assert_true(absent > 0 && next > absent && next + 1 < TRIALS);
    char number[16];
    snprintf(number, sizeof number, "%d", absent + 1);
    fcps_task *typo = make(names[t], "typo", number), *resumed = make(names[t], "typo", number);
    fcps_task_recall(resumed, had_count, had);
    for (int i = 0; i < TRIALS; i++) {
      if (try(typo, i, outcome).outcome == NULL) continue;
      assert_near(outcome[0], i == next ? 100 * expected[i][0] : expected[i][0], 1e-12 * fabs(outcome[0]));
      try(resumed, TRIALS - 1 - i, outcome); /* in any order */
      const double right = expected[TRIALS - 1 - i][0];
      if (try(clean, TRIALS - 1 - i, expected[TRIALS - 1 - i]).outcome == NULL) continue;
      assert_near(outcome[0], TRIALS - 1 - i == next ? 100 * right : right, 1e-12 * fabs(outcome[0]));
    }
    fcps_task_destroy(clean);
    fcps_task_destroy(typo);
    fcps_task_destroy(resumed);
  }
}

/* The reward knows the unit. */
static void levels_do_not_depend_on_the_unit(void **state)
{
  (void)state;
  for (int t = 0; t < TASKS; t++) {
    fcps_task *clean = make(names[t], NULL, NULL), *other = make(names[t], "unit", "4");
    const double random = fcps_random_level(clean), best = fcps_task_optimum(clean);
    assert_near(fcps_random_level(other), random, 1e-9);
    assert_near(fcps_task_optimum(other), best, 1e-9);
    assert_true(best > random + 0.5 && best < 0);
    fcps_task_destroy(clean);
    fcps_task_destroy(other);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(some_trials_have_an_outcome_and_some_do_not),
      cmocka_unit_test(failures_at_the_start_do_not_depend_on_parameters),
      cmocka_unit_test(a_typo_and_a_unit_change_the_first_outcome_alone),
      cmocka_unit_test(a_typo_waits_for_an_outcome),
      cmocka_unit_test(levels_do_not_depend_on_the_unit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
