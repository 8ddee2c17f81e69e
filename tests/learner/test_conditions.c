/* SPDX-License-Identifier: Apache-2.0 */
/* Learners and parameters that apply under a condition: a parameter that does not apply is not asked for, and rows
 * that differ only in such parameters are the same. */
#include <fcps/learner.h>
#include <fcps/problem_file.h>

#include "check.h"

#include <math.h>
#include <string.h>

enum { TOOL, SPEED, COOLANT, FLOW, POWER, COUNT };

static const char yaml[] = "environment: {stock: [steel, brass]}\n"
                           "parameters:\n"
                           "  tool: [mill, drill, laser]\n"
                           "  speed: [0, 1]\n"
                           "  coolant: {choices: [none, mist, flood, oil], when: tool == mill}\n"
                           "  flow: {range: [1, 5], when: coolant != none}\n"
                           "  power: {range: [1, 4], scale: integer, when: tool == laser && stock == steel}\n"
                           "outcome: [rough]\n"
                           "reward: -rough\n";

static fcps_problem_file *parse(void)
{
  fcps_problem_file *f = NULL;
  assert_ok(fcps_problem_file_parse(&f, yaml, strlen(yaml), "a.yaml", NULL, NULL));
  return f;
}

static fcps_learner *begin(const fcps_problem *p, const char *name)
{
  fcps_learner *learner = NULL;
  fcps_error error = {0};
  if (fcps_learner_create(&learner, p, name, NULL, 3, &error) != FCPS_OK) fail_msg("%s: %s", name, error.message);
  return learner;
}

static void check_rests(double stock, const double *x)
{
  const bool is_cooled = x[TOOL] == 0, flows = is_cooled && x[COOLANT] > 0, is_hot = x[TOOL] == 2 && stock == 0;
  assert_true(is_cooled || x[COOLANT] == 0);
  assert_true(flows || x[FLOW] == 1);
  assert_true(is_hot || x[POWER] == 1);
}

static double rough_of(double stock, const double *x)
{
  const double tool = x[TOOL] == 0 ? 0.2 - 0.1 * x[COOLANT] : x[TOOL] == 1 ? 0.3 : 0.25;
  return tool + 0.5 * (x[SPEED] - 0.4) * (x[SPEED] - 0.4) + 0.05 * (x[FLOW] - 3) * (x[FLOW] - 3) +
         0.05 * fabs(x[POWER] - 3) + 0.1 * stock;
}

static void do_trial(fcps_learner *learner, double stock, double *x)
{
  int64_t id;
  if (fcps_learner_ask(learner, NULL, &stock, x, &id) != FCPS_OK) fail_msg("%s", fcps_learner_error(learner)->message);
  check_rests(stock, x);
  const double rough = rough_of(stock, x), reward = -rough;
  const fcps_rollout rollout = {.environment = &stock, .parameters = x, .outcome = &rough, .reward = reward};
  assert_ok(fcps_learner_tell(learner, id, &rollout));
}

static void no_learner_asks_for_what_does_not_apply(void **state)
{
  (void)state;
  static const char *const names[] = {"outcome", "bo-fcps", "bo-cps", "random", "outcome-active", "aces"};
  fcps_problem_file *f = parse();
  for (size_t l = 0; l < sizeof names / sizeof *names; l++) {
    fcps_learner *learner = begin(&f->problem, names[l]);
    double x[COUNT];
    for (int i = 0; i < 12; i++)
      do_trial(learner, i % 2, x);
    for (int i = 0; i < 3; i++) { /* several at once */
      double stock = 0;
      int64_t id;
      assert_ok(fcps_learner_ask(learner, NULL, &stock, x, &id));
      check_rests(stock, x);
    }
    double stock;
    int64_t id;
    const bool is_active = fcps_learner_is_active(learner);
    if (is_active) assert_ok(fcps_learner_choose(learner, NULL, NULL, &stock, x, &id));
    if (is_active) check_rests(stock, x);
    fcps_learner_destroy(learner);
  }
  fcps_problem_file_destroy(f);
}

static void designs_rest_too(void **state)
{
  (void)state;
  static const char *const designs[] = {"maximin", "latin", "halton", "random"};
  fcps_problem_file *f = parse();
  for (size_t d = 0; d < sizeof designs / sizeof *designs; d++) {
    const fcps_setting settings[] = {{"design", designs[d]}, {"initial", "12"}, {NULL, NULL}};
    fcps_learner *learner = NULL;
    double x[COUNT];
    int words[4] = {0}, tools[3] = {0};
    assert_ok(fcps_learner_create(&learner, &f->problem, "outcome", settings, 5, NULL));
    for (int i = 0; i < 12; i++) {
      do_trial(learner, i % 2, x);
      tools[(int)x[TOOL]]++;
      if (x[TOOL] == 0) words[(int)x[COOLANT]]++;
    }
    /* the words of a coolant take turns in those trials that have a coolant */
    for (int t = 0; t < 3; t++)
      assert_int_equal(tools[t], 4);
    for (int w = 0; w < 4; w++)
      assert_int_equal(words[w], 1);
    fcps_learner_destroy(learner);
  }
  fcps_problem_file_destroy(f);
}

static void every_word_is_tried_early(void **state)
{
  (void)state;
  fcps_problem_file *f = parse();
  fcps_learner *learner = begin(&f->problem, "outcome");
  int words[4] = {0};
  double x[COUNT];
  for (int i = 0; i < 20; i++) { /* the model has no reason to like a mill */
    double stock = i % 2;
    int64_t id;
    assert_ok(fcps_learner_ask(learner, NULL, &stock, x, &id));
    const double rough = x[TOOL] == 0 ? 5 + x[SPEED] : x[SPEED];
    if (x[TOOL] == 0) words[(int)x[COOLANT]]++;
    const fcps_rollout rollout = {.environment = &stock, .parameters = x, .outcome = &rough};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  for (int w = 0; w < 4; w++)
    assert_true(words[w] > 0);
  fcps_learner_destroy(learner);
  fcps_problem_file_destroy(f);
}

/* A told rollout may leave a parameter out or give its resting value; the next ask is the same. */
static void rows_that_differ_where_nothing_applies_are_the_same(void **state)
{
  (void)state;
  fcps_problem_file *f = parse();
  double asked[2][COUNT];
  for (int way = 0; way < 2; way++) {
    fcps_learner *learner = begin(&f->problem, "outcome");
    for (int i = 0; i < 12; i++) {
      double x[] = {1, (i + 0.5) / 12, way == 0 ? 0 : NAN, way == 0 ? 1 : NAN, way == 0 ? 1 : NAN}, stock = i % 2;
      const double rough = rough_of(stock, (double[]){1, x[1], 0, 1, 1});
      const fcps_rollout rollout = {.environment = &stock, .parameters = x, .outcome = &rough};
      assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
    }
    const double wrong[] = {1, 0.5, 2, 1, 1}, stock = 0, rough = 1;
    const fcps_rollout refused = {.environment = &stock, .parameters = wrong, .outcome = &rough};
    assert_int_equal(fcps_learner_tell(learner, FCPS_NOT_ASKED, &refused), FCPS_ERR_ARGUMENT);
    assert_string_equal(fcps_learner_error(learner)->field, "parameters.coolant");
    int64_t id;
    assert_ok(fcps_learner_ask(learner, NULL, &stock, asked[way], &id));
    fcps_learner_destroy(learner);
  }
  assert_memory_equal(asked[0], asked[1], sizeof asked[0]);
  fcps_problem_file_destroy(f);
}

static void saved_learners_and_policies_go_on(void **state)
{
  (void)state;
  fcps_problem_file *f = parse();
  fcps_learner *learner = begin(&f->problem, "outcome"), *again = NULL;
  fcps_policy *policy = NULL, *loaded = NULL;
  char *text = NULL, *saved = NULL;
  double x[COUNT], y[COUNT];
  for (int i = 0; i < 14; i++)
    do_trial(learner, i % 2, x);
  assert_ok(fcps_learner_save(learner, &text, NULL));
  assert_ok(fcps_learner_load(&again, &f->problem, text, NULL));
  for (int i = 0; i < 4; i++) {
    do_trial(learner, i % 2, x);
    do_trial(again, i % 2, y);
    assert_memory_equal(x, y, sizeof x);
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  assert_ok(fcps_policy_save(policy, &saved, NULL));
  assert_ok(fcps_policy_load(&loaded, &f->problem, saved, NULL));
  const double stocks[] = {0, 1};
  double batch[2 * COUNT];
  assert_ok(fcps_policy_query_batch(loaded, 2, NULL, stocks, batch, NULL, NULL));
  for (int i = 0; i < 2; i++) {
    assert_ok(fcps_policy_query(policy, NULL, stocks + i, x, NULL));
    assert_ok(fcps_policy_query(loaded, NULL, stocks + i, y, NULL));
    assert_memory_equal(x, y, sizeof x);
    assert_memory_equal(x, batch + i * COUNT, sizeof x);
    check_rests(stocks[i], x);
  }
  /* another condition is another problem */
  fcps_dimension dims[COUNT];
  fcps_policy *other = NULL;
  fcps_problem changed = f->problem;
  memcpy(dims, f->problem.parameters.dims, sizeof dims);
  dims[COOLANT].when = "tool != laser";
  changed.parameters.dims = dims;
  assert_int_equal(fcps_policy_load(&other, &changed, saved, NULL), FCPS_ERR_UNSUPPORTED);
  fcps_free(text);
  fcps_free(saved);
  fcps_policy_destroy(policy);
  fcps_policy_destroy(loaded);
  fcps_learner_destroy(learner);
  fcps_learner_destroy(again);
  fcps_problem_file_destroy(f);
}

static void learners_without_a_model_refuse(void **state)
{
  (void)state;
  static const char *const names[] = {"c-reps", "c-cma-es", "crkr"};
  static const fcps_dimension parameters[] = {{.name = "a", .upper = 1}, {.name = "b", .upper = 1, .when = "a > 0.5"}};
  static const fcps_dimension outcome = {.name = "y"};
  fcps_problem_file *f = parse();
  fcps_problem problem = {.parameters = {2, parameters}, .outcome = {1, &outcome}, .reward = f->problem.reward};
  for (size_t l = 0; l < 3; l++) {
    fcps_learner *learner = NULL;
    fcps_error error = {0};
    assert_int_equal(fcps_learner_create(&learner, &problem, names[l], NULL, 3, &error), FCPS_ERR_UNSUPPORTED);
    assert_string_equal(error.field, "when");
    assert_non_null(strstr(error.message, names[l]));
  }
  fcps_problem_file_destroy(f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_learner_asks_for_what_does_not_apply),
      cmocka_unit_test(designs_rest_too),
      cmocka_unit_test(every_word_is_tried_early),
      cmocka_unit_test(rows_that_differ_where_nothing_applies_are_the_same),
      cmocka_unit_test(saved_learners_and_policies_go_on),
      cmocka_unit_test(learners_without_a_model_refuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
