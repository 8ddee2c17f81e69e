/* SPDX-License-Identifier: Apache-2.0 */
/* Learners and words: learners with a model ask only for words of the list, and remember them; the others refuse words.
 */
#include <fcps/learner.h>
#include <fcps/problem_file.h>

#include "check.h"

#include <math.h>
#include <string.h>

static const char yaml[] =
    "target: {want: [0, 4]}\n"
    "environment: {bean: {choices: {kenya: {acid: 5}, brazil: {acid: 2}}}}\n"
    "parameters: {gate: [tab, pin, fan], level: {choices: [low, high], ordered: true}, x: [0, 1]}\n"
    "outcome: [y]\n"
    "reward: \"-abs(y - want) - (gate == fan)\"\n";

static void asks_are_words(void **state)
{
  (void)state;
  static const char *const names[] = {"outcome", "bo-fcps", "bo-cps", "random", "outcome-active", "aces"};
  fcps_problem_file *f = NULL;
  assert_ok(fcps_problem_file_parse(&f, yaml, strlen(yaml), "a.yaml", NULL, NULL));
  for (size_t l = 0; l < sizeof names / sizeof *names; l++) {
    fcps_learner *learner = NULL;
    fcps_error error = {0};
    if (fcps_learner_create(&learner, &f->problem, names[l], NULL, 3, &error) != FCPS_OK)
      fail_msg("%s: %s", names[l], error.message);
    for (int i = 0; i < 8; i++) {
      const double want = 0.5 * i, bean = i % 2;
      double parameters[3], y, reward;
      int64_t id;
      if (fcps_learner_ask(learner, &want, &bean, parameters, &id) != FCPS_OK)
        fail_msg("%s: %s", names[l], fcps_learner_error(learner)->message);
      assert_non_null(fcps_dimension_word(&f->problem.parameters.dims[0], parameters[0]));
      assert_non_null(fcps_dimension_word(&f->problem.parameters.dims[1], parameters[1]));
      y = parameters[0] + parameters[1] * parameters[2] + bean;
      reward = -fabs(y - want);
      const fcps_rollout rollout = {.target = &want,
                                    .environment = &bean,
                                    .parameters = parameters,
                                    .outcome = &y,
                                    .reward = reward,
                                    .hindsight_reward = 0};
      assert_ok(fcps_learner_tell(learner, id, &rollout));
    }
    fcps_learner_destroy(learner);
  }
  fcps_problem_file_destroy(f);
}

static void learners_without_a_model_refuse(void **state)
{
  (void)state;
  static const char *const names[] = {"c-reps", "c-cma-es", "crkr"};
  fcps_problem_file *f = NULL;
  assert_ok(fcps_problem_file_parse(&f, yaml, strlen(yaml), "a.yaml", NULL, NULL));
  for (int l = 0; l < 3; l++) {
    fcps_learner *learner = NULL;
    fcps_error error = {0};
    assert_status(fcps_learner_create(&learner, &f->problem, names[l], NULL, 1, &error), FCPS_ERR_UNSUPPORTED);
    assert_string_equal(error.field, "bean");
    assert_non_null(strstr(error.message, names[l]));
    assert_non_null(strstr(error.message, "use the learner outcome"));
  }
  fcps_problem_file_destroy(f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(asks_are_words),
      cmocka_unit_test(learners_without_a_model_refuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
