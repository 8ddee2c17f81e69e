/* SPDX-License-Identifier: Apache-2.0 */
/* Stored results: the line of the log and the line of an episode. */
#include "lines.h"

static const double target[2] = {0.5, 4}, environment[1] = {-0.25}, parameters[2] = {1.5, 0.125}, outcome[2] = {2, 3};

static fcps_stored_result example(void)
{
  return (fcps_stored_result){.sequence = 12,
                              .ask = 7,
                              .result_number = 1,
                              .is_used = true,
                              .result = {.rollout = {.target = target,
                                                     .environment = environment,
                                                     .parameters = parameters,
                                                     .outcome = outcome,
                                                     .reward = -1.5,
                                                     .hindsight_reward = NAN},
                                         .client = "robot",
                                         .message = ""}};
}

#define NUMBERS                                                                                                        \
  "\"target\":{\"x\":0.5,\"y\":4.0},\"environment\":{\"wind\":-0.25},\"parameters\":{\"speed\":1.5,\"tilt\":0.125},"

static void the_log_shows_all_that_is_stored(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(formula_yaml);
  fcps_stored_result stored = example();
  expect_line(fcps_wire_stored_result_write(&file->problem, &stored),
              "{\"result\":12,\"name\":\"7.1\",\"ask\":7,\"status\":\"ok\"," NUMBERS
              "\"outcome\":{\"land\":2.0,\"height\":3.0},\"reward\":-1.5,\"evidence\":1,\"used\":true,"
              "\"flagged\":false,\"client\":\"robot\",\"message\":\"\"}");
  stored.ask = FCPS_NOT_ASKED;
  stored.is_used = false;
  stored.is_flagged = true;
  stored.result.key = "k";
  stored.result.message = "slipped \"here\"";
  stored.result.rollout.outcome = NULL;
  stored.result.rollout.reward = INFINITY;
  stored.result.rollout.hindsight_reward = 0.5;
  stored.result.rollout.status = FCPS_ROLLOUT_FAILED;
  expect_line(fcps_wire_stored_result_write(&file->problem, &stored),
              "{\"result\":12,\"name\":\"12\",\"ask\":null,\"status\":\"failed\"," NUMBERS
              "\"outcome\":null,\"reward\":null,\"hindsight_reward\":0.5,\"evidence\":1,\"used\":false,"
              "\"flagged\":true,\"client\":\"robot\",\"message\":\"slipped \\\"here\\\"\",\"key\":\"k\"}");
  fcps_problem_file_destroy(file);
}

static void an_episode_shows_its_numbers(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(formula_yaml);
  fcps_stored_result stored = example();
  expect_line(fcps_wire_episode_write(&file->problem, 3, &stored),
              "{\"episode\":3,\"ask\":7," NUMBERS
              "\"outcome\":{\"land\":2.0,\"height\":3.0},\"reward\":-1.5,\"status\":\"ok\"}");
  stored.result.rollout.outcome = NULL;
  stored.result.rollout.reward = NAN;
  stored.result.rollout.status = FCPS_ROLLOUT_TIMEOUT;
  expect_line(fcps_wire_episode_write(&file->problem, 4, &stored),
              "{\"episode\":4,\"ask\":7," NUMBERS "\"outcome\":null,\"reward\":null,\"status\":\"timeout\"}");
  fcps_problem_file_destroy(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_log_shows_all_that_is_stored),
      cmocka_unit_test(an_episode_shows_its_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
