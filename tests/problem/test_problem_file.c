/* SPDX-License-Identifier: Apache-2.0 */
/* The problem file: the example of the manual, changes, and a table of mistakes with their positions. */
#include <fcps/problem_file.h>

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char throw_yaml[] = "name: throw\n"
                                 "target:      {x: [-11, 11], y: [-11, 11]}\n"
                                 "environment: {}\n"
                                 "parameters:\n"
                                 "  turn:  {range: [0, 6.283185], period: 6.283185, unit: rad}\n"
                                 "  tilt:  {range: [0.01, 1.37], unit: rad, scale: log}\n"
                                 "  speed: [0.1, 5]\n"
                                 "outcome: [land_x, land_y]\n"
                                 "achieved: {x: land_x, y: land_y}\n"
                                 "reward: -distance - 0.05*speed^2\n"
                                 "contexts: uniform\n"
                                 "learner: {name: bo-fcps, kappa: 2.5}\n"
                                 "run: {command: [./simulate, --quiet], timeout_s: 30}\n";

static void the_example_of_the_manual_is_read_whole(void **state)
{
  (void)state;
  fcps_problem_file *f = NULL;
  assert_ok(fcps_problem_file_parse(&f, throw_yaml, strlen(throw_yaml), "throw.yaml", NULL, NULL));
  const fcps_problem *p = &f->problem;
  assert_string_equal(f->name, "throw");
  assert_int_equal(p->target.count, 2);
  assert_string_equal(p->target.dims[1].name, "y");
  assert_near(p->target.dims[1].lower, -11, 0);
  assert_int_equal(p->environment.count, 0);
  assert_int_equal(p->parameters.count, 3);
  assert_near(p->parameters.dims[0].period, 6.283185, 0);
  assert_string_equal(p->parameters.dims[0].unit, "rad");
  assert_int_equal(p->parameters.dims[1].scale, FCPS_SCALE_LOG);
  assert_near(p->parameters.dims[2].upper, 5, 0);
  assert_int_equal(p->outcome.count, 2);
  assert_true(p->is_distance);
  assert_string_equal(f->learner, "bo-fcps");
  assert_string_equal(f->settings[0].name, "kappa");
  assert_string_equal(f->settings[0].value, "2.5");
  assert_null(f->settings[1].name);
  assert_int_equal(f->contexts, FCPS_CONTEXT_UNIFORM);
  assert_string_equal(f->command[1], "--quiet");
  assert_null(f->command[2]);
  assert_near(f->timeout_s, 30, 0);
  assert_false(f->process_per_rollout);
  const double target[] = {3, 4}, parameters[] = {0, 1, 2}, outcome[] = {0, 0};
  double reward;
  assert_ok(p->reward(p->user, 1, target, NULL, parameters, outcome, (const bool[]){true}, &reward));
  assert_near(reward, -5.2, 1e-14);
  fcps_problem_file_destroy(f);
}

static void changes_amend_the_reward_and_the_bounds(void **state)
{
  (void)state;
  fcps_problem_file *f = NULL;
  fcps_error error = {0};
  const fcps_setting changes[] = {
      {"reward", "-distance"}, {"bounds.speed", "0.5,6"}, {"reward", "-abs(x-land_x)"}, {NULL, NULL}};
  assert_ok(fcps_problem_file_parse(&f, throw_yaml, strlen(throw_yaml), "throw.yaml", changes, &error));
  assert_string_equal(f->reward, "-abs(x-land_x)");
  assert_near(f->problem.parameters.dims[2].upper, 6, 0);
  assert_false(f->problem.is_distance);
  fcps_problem_file_destroy(f);

  static const fcps_setting wrong[][2] = {
      {{"reward", "-abs(x-land)"}, {NULL, NULL}}, {{"bounds.sped", "0,1"}, {NULL, NULL}},
      {{"bounds.speed", "2,1"}, {NULL, NULL}},    {{"bounds.speed", "2"}, {NULL, NULL}},
      {{"bounds.speed", "a,b"}, {NULL, NULL}},    {{"name", "x"}, {NULL, NULL}}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const fcps_status status =
        fcps_problem_file_parse(&f, throw_yaml, strlen(throw_yaml), "throw.yaml", wrong[i], &error);
    if (status == FCPS_OK) fail_msg("%s=%s accepted", wrong[i]->name, wrong[i]->value);
    assert_null(f);
    assert_true(error.message[0] != '\0');
  }
}

static void told_rewards_boxes_and_one_process_per_rollout(void **state)
{
  (void)state;
  static const char yaml[] = "target: {x: [0, 10]}\n"
                             "environment: {mass: {range: [1, 2], unit: kg}}\n"
                             "parameters: {speed: [0, 1], steps: {range: [1, 9], scale: integer}}\n"
                             "outcome: {land: [-24, 24]}\n"
                             "reward: told\n"
                             "contexts: {boxes: [{x: [0, 1]}, {x: [5, 6], mass: [1.5, 1.5]}]}\n"
                             "run: {command: [./simulate], timeout_s: 0.5, mode: once}\n";
  fcps_problem_file *f = NULL;
  assert_ok(fcps_problem_file_parse(&f, yaml, strlen(yaml), "a.yaml", NULL, NULL));
  assert_null(f->problem.reward);
  assert_null(f->reward);
  assert_null(f->learner);
  assert_near(f->problem.outcome.dims[0].upper, 24, 0);
  assert_int_equal(f->problem.parameters.dims[1].scale, FCPS_SCALE_INTEGER);
  assert_int_equal(f->contexts, FCPS_CONTEXT_BOXES);
  assert_int_equal(f->box_count, 2);
  const double expected[] = {0, 1, 1, 2, 5, 6, 1.5, 1.5};
  assert_memory_equal(f->boxes, expected, sizeof expected);
  assert_true(f->process_per_rollout);
  fcps_problem_file_destroy(f);
}

/* A mistake: the line of the file that is replaced, the new line, and where and how it must be reported. */
typedef struct mistake {
  int line;
  const char *text;
  int error_line, error_column;
  const char *field, *words;
} mistake;

static void put_mistake(const mistake *m, char *yaml)
{
  int line = 1;
  for (const char *rest = throw_yaml; *rest; line++) {
    const size_t length = strcspn(rest, "\n") + 1;
    if (line == m->line)
      sprintf(yaml + strlen(yaml), "%s\n", m->text);
    else
      strncat(yaml, rest, length);
    rest += length;
  }
}

static void check_mistake(const mistake *m)
{
  char yaml[2000] = "", words[900];
  fcps_problem_file *f = NULL;
  fcps_error error = {0};
  put_mistake(m, yaml);
  const fcps_status status = fcps_problem_file_parse(&f, yaml, strlen(yaml), "t.yaml", NULL, &error);
  fcps_error_format(&error, sizeof words, words);
  if (status == FCPS_OK) fail_msg("accepted: %s", m->text);
  assert_null(f);
  if (strcmp(error.file, "t.yaml") != 0) fail_msg("%s -> no file: %s", m->text, words);
  if (m->error_line && error.line != m->error_line) fail_msg("%s -> %s", m->text, words);
  if (m->error_column && error.column != m->error_column) fail_msg("%s -> %s", m->text, words);
  if (*m->field && strcmp(error.field, m->field) != 0) fail_msg("%s -> field '%s'", m->text, error.field);
  if (strstr(words, m->words) == NULL) fail_msg("%s -> %s", m->text, words);
}

static void every_mistake_has_its_position_key_and_remedy(void **state)
{
  (void)state;
  static const mistake mistakes[] = {
      {10, "reward: -distance - 0.05*sped^2", 10, 26, "reward", "speed"},
      {10, "reward: \"-distance - 0.05*sped^2\"", 10, 27, "reward", "speed"},
      {10, "reward: |\n  -distance\n  - 0.05*sped^2", 12, 10, "reward", "speed"},
      {10, "reward: |2-  # why\n\n    -distance\n   - 0.05*sped^2", 13, 11, "reward", "speed"},
      {10, "reward: >\n  -distance\n  - 0.05*sped^2", 12, 10, "reward", "speed"},
      {10, "reward: -distance\n   - 0.05*sped^2", 11, 11, "reward", "speed"},
      {10, "reward: \"-distance\n   - 0.05*sped^2\"", 11, 11, "reward", "speed"},
      {10, "reward: \"-dis\\x74ance - sped\"", 10, 9, "reward", "speed"},
      {10, "reward: speed = 3", 10, 15, "reward", "=="},
      {10, "", 0, 0, "reward", "told"},
      {9, "achieved: {x: land_x}", 9, 0, "achieved", "'y'"},
      {9, "achieved: {x: land_x, y: land_y, z: land_x}", 9, 0, "achieved", "'z'"},
      {9, "achieved: {x: land_x, y: lnd_y}", 9, 26, "achieved.y", "land_y"},
      {9, "", 10, 10, "reward", "achieved"},
      {7, "  speed: [5, 0.1]", 7, 10, "parameters.speed", ""},
      {7, "  speed: [0, 1e300]", 7, 0, "parameters.speed", "1e+100"},
      {7, "  speed: [5]", 7, 0, "parameters.speed", "LOWER"},
      {7, "  speed: [0,1, 5,0]", 7, 0, "parameters.speed", "a point before decimals, as in [0.5, 3]"},
      {7, "  speed: [0.1; 5]", 7, 0, "parameters.speed", "a comma between the two, as in [40, 80]"},
      {7, "  speed: fast", 7, 0, "parameters.speed", "LOWER"},
      {7, "  speed: [a, 5]", 7, 11, "parameters.speed", ""},
      {7, "  x: [0, 5]", 7, 0, "parameters.x", "target"},
      {7, "  min: [0, 5]", 7, 0, "parameters.min", "another name"},
      {7, "  present: [0, 5]", 7, 0, "parameters.present", "another name"},
      {7, "  ask: [0, 5]", 7, 8, "parameters.ask", "another name"},
      {7, "  predicted_reward: [0, 5]", 7, 0, "parameters.predicted_reward", "another name"},
      {8, "outcome: [land_x, status]", 8, 19, "outcome.status", "another name"},
      {7, "  sp-eed: [0, 5]", 7, 0, "parameters.sp-eed", ""},
      {6, "  tilt: {unit: rad}", 6, 0, "parameters.tilt", "range"},
      {6, "  tilt: {range: [1, 2], scale: cubic}", 6, 0, "parameters.tilt", "linear"},
      {6, "  tilt: {range: [-1, 2], scale: log}", 6, 0, "parameters.tilt", ""},
      {6, "  tilt: {range: [1, 2], units: m}", 6, 0, "", "unit"},
      {8, "outcome: [land_x, land_x]", 8, 0, "outcome", "twice"},
      {8, "outcome: 7", 8, 0, "outcome", ""},
      {8, "outcome: {land_x: [0, 1], land_y: {range: [0, 360], period: 360}}", 8, 0, "outcome.land_y", "cosine"},
      {8, "outcome: {land_x: {range: [1, 9], scale: log}, land_y: [0, 1]}", 8, 0, "outcome.land_x", "logarithm"},
      {11, "contexts: sometimes", 11, 0, "contexts", "uniform"},
      {11, "contexts: {boxes: []}", 11, 0, "contexts.boxes", "empty"},
      {11, "contexts: {boxes: [{z: [0, 1]}]}", 11, 0, "contexts.boxes", "'z'"},
      {11, "contexts: {boxes: [{x: [0, 99]}]}", 11, 0, "contexts.boxes", "bounds"},
      {12, "learner: {kappa: 2}", 12, 0, "learner", "name"},
      {13, "run: {command: [./simulate]}", 13, 0, "run", "timeout_s"},
      {13, "run: {command: python3 oven.py, timeout_s: 3}", 13, 0, "run.command", "as in [python3, trial.py]"},
      {13, "run: {command: [], timeout_s: 3}", 13, 0, "run.command", "empty"},
      {13, "run: {command: [a], timeout_s: -3}", 13, 0, "run.timeout_s", "above 0"},
      {13, "run: {command: [a], timeout_s: 3, mode: twice}", 13, 0, "run.mode", "serve"},
      {13, "rum: {command: [a], timeout_s: 3}", 13, 0, "", "run"},
      {1, "[1, 2", 0, 0, "", ""},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    check_mistake(&mistakes[i]);
}

static void a_missing_file_is_named(void **state)
{
  (void)state;
  fcps_problem_file *f = NULL;
  fcps_error error = {0};
  assert_status(fcps_problem_file_read(&f, "/nowhere/at/all.yaml", &error), FCPS_ERR_IO);
  assert_null(f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_of_the_manual_is_read_whole),
      cmocka_unit_test(changes_amend_the_reward_and_the_bounds),
      cmocka_unit_test(told_rewards_boxes_and_one_process_per_rollout),
      cmocka_unit_test(every_mistake_has_its_position_key_and_remedy),
      cmocka_unit_test(a_missing_file_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
