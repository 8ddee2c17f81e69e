/* SPDX-License-Identifier: Apache-2.0 */
/* If an outcome does not change the reward, its size does not matter. */
#include "study_fixture.h"

#include <math.h>

enum { TRIALS = 25, KNOWN = 10 };

static const char beam_yaml[] = "name: beam\n"
                                "environment: {load: [1, 2]}\n"
                                "parameters: {thick: [0.1, 2], wide: [0.1, 2]}\n"
                                "outcome: [cost, bend, hold]\n"
                                "reward: -cost - 10*min(3, max(0, bend - 1)) - 10*min(3, max(0, 1 - hold))\n"
                                "learner: {name: outcome}\n";

/* The bend matters from 1 to 4, so a model distinguishes values from -2 to 7; the load of the beam matters from -5
 * to 4. */
static const double most_bend = 7.0, most_hold = 4.0;

static void count_surprises(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)level, (void)message;
  *(int *)user += strcmp(code, "W_SURPRISE") == 0;
}

/* The told outcome of a trial: beyond the end, another number each time. */
static double tell(double value, double end, double base, int trial)
{
  return value > end ? value * pow(base, trial) : value;
}

/* Writes the asks, and the answers of the policy. */
static void learn(double base, double *parameters, double *answer, int *surprises)
{
  fcps_study *study = NULL;
  fcps_policy *policy = NULL;
  const fcps_study_setup setup = {.text = beam_yaml, .text_name = "beam.yaml", .seed = 1001};
  const fcps_study_options options = {.log = {count_surprises, surprises}};
  assert_ok(fcps_study_create(&study, NULL, &setup, &options, NULL));
  int far = 0;
  for (int i = 0; i < TRIALS; i++, parameters += 2) {
    const double load = 1.0 + fmod(0.37 * i, 1.0);
    fcps_ask ask;
    const bool is_known = i < KNOWN; /* the first trials are old ones */
    if (!is_known) assert_ok(fcps_study_ask(study, NULL, NULL, &load, &ask, NULL));
    parameters[0] = is_known ? 0.1 + 0.19 * i : ask.parameters[0];
    parameters[1] = is_known ? 0.1 + 0.19 * ((7 * i) % KNOWN) : ask.parameters[1];
    const double bend = load / (parameters[1] * pow(parameters[0], 3.0));
    const double outcome[] = {parameters[0] * parameters[1], tell(bend, most_bend, base, i),
                              tell(20.0 / bend, most_hold, base, i)};
    const fcps_result result = {.rollout = {.environment = &load, .parameters = parameters, .outcome = outcome}};
    assert_ok(fcps_study_tell(study, is_known ? FCPS_NOT_ASKED : ask.id, &result, NULL, NULL));
    far += bend > most_bend;
  }
  assert_true(far > 2);
  const double load = 1.5;
  assert_ok(fcps_study_policy(study, &policy, NULL));
  assert_ok(fcps_policy_query(policy, NULL, &load, answer, NULL));
  fcps_policy_destroy(policy);
  fcps_study_close(study);
}

static void beyond_what_the_reward_follows_all_outcomes_are_the_same(void **state)
{
  (void)state;
  double asked[2][2 * TRIALS], answers[2][2];
  int surprises = 0;
  learn(1.0, asked[0], answers[0], &surprises);
  learn(10.0, asked[1], answers[1], &surprises);
  assert_memory_equal(asked[0], asked[1], sizeof asked[0]);
  assert_memory_equal(answers[0], answers[1], sizeof answers[0]);
  assert_int_equal(surprises, 0);
}

/* The thinnest beam that holds costs least. */
static void a_few_huge_outcomes_hide_no_small_ones(void **state)
{
  (void)state;
  double asked[2 * TRIALS], answer[2];
  int surprises = 0;
  learn(1.0, asked, answer, &surprises);
  const double bend = 1.5 / (answer[1] * pow(answer[0], 3.0)), cost = answer[0] * answer[1];
  print_message("cost %g, bend %g\n", cost, bend);
  assert_true(bend < 1.1 && cost < 0.7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beyond_what_the_reward_follows_all_outcomes_are_the_same),
      cmocka_unit_test(a_few_huge_outcomes_hide_no_small_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
