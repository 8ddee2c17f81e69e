/* SPDX-License-Identifier: Apache-2.0 */
/* The robot tasks: values of another implementation, contexts, and bad input. Skipped, with a message, if the robot
 * module is not built. */
#include "robots.h"

#include <fcps/lab/task.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"fetch-push", "fetch-slide", "thrower"};

static fcps_task *make(const char *name, const fcps_setting *settings)
{
  fcps_task *task;
  fcps_error error = {.message = ""};
  if (fcps_task_create(&task, name, settings, 1, &error) != FCPS_OK) fail_msg("%s: %s", name, error.message);
  return task;
}

/* The hand stands ready at the middle of the object's region. */
static void hand_of(const fcps_task *task, double hand[2])
{
  const fcps_dimension *dims = fcps_task_problem(task)->environment.dims;
  for (int i = 0; i < 2; i++)
    hand[i] = (dims[i].lower + dims[i].upper) / 2;
}

static double reward_of(const fcps_task *task, const double *target, const double *environment, const double *outcome)
{
  const fcps_problem *problem = fcps_task_problem(task);
  const bool present = true;
  double reward;
  assert_ok(problem->reward(problem->user, 1, target, environment, NULL, outcome, &present, &reward));
  return reward;
}

/* Two of the pucks are hit straight and agree within the spread of a micrometre at their start, 2 mm. The third one is
 * struck aslant and spins: it is the one that other arithmetic would move first, for the last bit of its start is worth
 * up to 15 mm of its end. */
static void pushes_and_slides_end_where_those_of_another_implementation_did(void **state)
{
  (void)state;
  need_robots();
  static const struct {
    const char *task;
    double object[2], parameters[3], moved[2], tolerance;
  } cases[] = {
      {"fetch-push", {.05, .10}, {1.5707963267948966, .10, 0}, {.139768, .000979}, 1e-5},
      {"fetch-push", {-.08, .09}, {1.5707963267948966, .12, .02}, {.160078, .009670}, 1e-5},
      {"fetch-push", {.09, -.07}, {2.2, .1, -.12}, {0, 0}, 1e-5},
      {"fetch-slide", {.05, .10}, {1.5707963267948966, .10, 0}, {.6014, -.0114}, 3e-3},
      {"fetch-slide", {-.08, .09}, {1.5707963267948966, .15, .02}, {.6547, .0213}, 3e-3},
      {"fetch-slide", {.09, -.07}, {2.2, .1, .2}, {.5609, .3709}, 6e-3},
  };
  fcps_task *tasks[2] = {make(names[0], NULL), make(names[1], NULL)};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_task *task = tasks[strcmp(cases[i].task, names[1]) == 0];
    double hand[2], outcome[3];
    hand_of(task, hand);
    const double object[2] = {hand[0] + cases[i].object[0], hand[1] + cases[i].object[1]};
    fcps_rollout result;
    assert_ok(fcps_task_run(task, -1, object, cases[i].parameters, outcome, &result));
    assert_int_equal(result.status, FCPS_ROLLOUT_OK);
    assert_non_null(result.outcome);
    for (int j = 0; j < 2; j++)
      assert_near(outcome[j], cases[i].moved[j], cases[i].tolerance);
    assert_true(fabs(outcome[2]) < 1e-3);
  }
  for (int r = 0; r < 2; r++)
    fcps_task_destroy(tasks[r]);
}

static void throws_land_where_those_of_another_implementation_did(void **state)
{
  (void)state;
  need_robots();
  static const struct {
    double parameters[6], landing[2];
  } cases[] = {{{0, 1.25, 0, .5, .5, .5}, {0.23196, 0.76687}},
               {{.4, 1.2, .2, .5, .2, .8}, {.46589, .89776}},
               {{.2, 1.1, .3, .8, .5, .3}, {-.18946, .71374}}};
  fcps_task *task = make("thrower", NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double outcome[2];
    fcps_rollout result;
    assert_ok(fcps_task_run(task, -1, NULL, cases[i].parameters, outcome, &result));
    assert_non_null(result.outcome);
    for (int j = 0; j < 2; j++)
      assert_near(outcome[j], cases[i].landing[j], 2e-5);
    assert_near(reward_of(task, cases[i].landing, NULL, outcome), 0, 2e-5);
  }
  fcps_task_destroy(task);
}

/* Gym's rule: not nearer than 0.1 m to the hand; and the known reward of doing nothing. */
static void contexts_are_drawn_as_gym_draws_them(void **state)
{
  (void)state;
  need_robots();
  const double nothing[2] = {-0.171, -0.450}, range[2] = {0.15, 0.1};
  for (int r = 0; r < 2; r++) {
    fcps_task *task = make(names[r], NULL);
    double hand[2], target[2], object[2], again[2], mean = 0;
    const double still[3] = {0, 0, 0};
    hand_of(task, hand);
    enum { COUNT = 20000 };
    for (int e = 0; e < COUNT; e++) {
      fcps_task_context(task, e, target, object);
      assert_true(hypot(object[0] - hand[0], object[1] - hand[1]) >= 0.1);
      for (int j = 0; j < 2; j++)
        assert_true(fabs(object[j] - hand[j]) <= range[r]);
      mean += reward_of(task, target, object, still) / COUNT;
    }
    assert_near(mean, nothing[r], 0.004);
    fcps_task_context(task, COUNT - 1, again, object);
    assert_memory_equal(again, target, sizeof target);
    const fcps_evaluation *evaluation = fcps_task_evaluation(task);
    assert_int_equal(evaluation->count, 25);
    assert_true(evaluation->targets[0] != evaluation->targets[2]);
    fcps_task_destroy(task);
  }
}

static void the_reward_is_the_distance_in_space_and_its_gradient_fits(void **state)
{
  (void)state;
  need_robots();
  fcps_task *task = make("fetch-slide", NULL);
  const fcps_problem *problem = fcps_task_problem(task);
  const double target[2] = {1.4, 0.7}, object[2] = {1, 0.8}, outcome[3] = {0.3, -0.3, -0.4};
  const double distance = sqrt(0.1 * 0.1 + 0.2 * 0.2 + 0.4 * 0.4), h = 1e-6;
  assert_near(reward_of(task, target, object, outcome), -distance, 1e-12);
  double slope[3], flat[3], reached[2];
  assert_ok(problem->gradient(problem->user, 1, target, object, NULL, outcome, slope, flat));
  for (int j = 0; j < 3; j++) {
    double more[3], less[3];
    memcpy(more, outcome, sizeof more);
    memcpy(less, outcome, sizeof less);
    more[j] += h, less[j] -= h;
    assert_near(slope[j], (reward_of(task, target, object, more) - reward_of(task, target, object, less)) / (2 * h),
                1e-8);
    assert_true(flat[j] == 0);
  }
  assert_ok(problem->achieved(problem->user, 1, object, outcome, reached));
  assert_near(reached[0], 1.3, 1e-12);
  assert_near(reached[1], 0.5, 1e-12);
  assert_near(problem->parameters.dims[0].period, 6.283185307179586, 1e-12);
  assert_near(problem->parameters.dims[0].upper, 3.141592653589793, 1e-12);
  fcps_task_destroy(task);
}

/* Rollouts first, first + step, ... with parameters spread over the box. */
typedef struct worker {
  const char *name;
  int first, step, count;
  double (*outcomes)[3];
} worker;

/* Returns NULL when every rollout was made, else what went wrong. */
static void *roll(void *argument)
{
  const worker *w = argument;
  fcps_task *task;
  char *trouble = NULL;
  if (fcps_task_create(&task, w->name, NULL, 1, NULL) != FCPS_OK) return "the task could not be created";
  const fcps_space *space = &fcps_task_problem(task)->parameters;
  for (int i = w->first; i < w->count; i += w->step) {
    double target[2], object[2], parameters[6];
    fcps_task_context(task, i, target, object);
    for (int j = 0; j < space->count; j++)
      parameters[j] = space->dims[j].lower +
                      fmod(0.37 + 0.618 * (i + 1) * (j + 1), 1) * (space->dims[j].upper - space->dims[j].lower);
    fcps_rollout result;
    if (fcps_task_run(task, i, object, parameters, w->outcomes[i], &result) != FCPS_OK || result.outcome == NULL)
      trouble = "a rollout has no outcome";
  }
  fcps_task_destroy(task);
  return trouble;
}

static void two_threads_give_the_bytes_of_one(void **state)
{
  (void)state;
  need_robots();
  enum { MOST = 4000 };
  static double one[MOST][3], two[MOST][3];
  const bool is_long = getenv("FCPS_TEST_LONG") != NULL;
  for (int r = 0; r < 3; r++) {
    const int count = r == 2 ? (is_long ? MOST : 100) : (is_long ? 1000 : 6);
    memset(one, 0, sizeof one);
    memset(two, 0, sizeof two);
    const char *trouble = roll(&(worker){names[r], 0, 1, count, one});
    if (trouble != NULL) fail_msg("%s: %s", names[r], trouble);
    pthread_t threads[2];
    worker workers[2] = {{names[r], 0, 2, count, two}, {names[r], 1, 2, count, two}};
    for (int i = 0; i < 2; i++)
      assert_int_equal(pthread_create(&threads[i], NULL, roll, &workers[i]), 0);
    for (int i = 0; i < 2; i++) {
      void *found;
      pthread_join(threads[i], &found);
      if (found != NULL && trouble == NULL) trouble = found;
    }
    if (trouble != NULL) fail_msg("%s, two threads: %s", names[r], trouble);
    assert_memory_equal(one, two, sizeof one);
    assert_true(one[0][0] != one[1][0] || one[1][0] != one[2][0]);
  }
}

/* The numbers of "doing nothing" in the table of docs/lab/robots.md, in the order of `names`. */
static void read_idle_of_page(double levels[3])
{
  static const char minus[] = "\xe2\x88\x92", row[] = "| doing nothing |";
  char line[1024];
  FILE *file = fopen(TEST_SOURCE_DIR "/docs/lab/robots.md", "r");
  assert_non_null(file);
  do
    assert_non_null(fgets(line, sizeof line, file));
  while (strncmp(line, row, strlen(row)) != 0);
  fclose(file);
  const char *place = line;
  for (int r = 0; r < 3; r++) {
    assert_non_null(place = strstr(place, minus));
    levels[r] = -strtod(place += strlen(minus), NULL);
  }
}

static void doing_nothing_earns_what_the_page_says(void **state)
{
  (void)state;
  need_robots();
  double levels[3];
  read_idle_of_page(levels);
  for (int r = 0; r < 3; r++) {
    fcps_task *task = make(names[r], NULL);
    const fcps_problem *problem = fcps_task_problem(task);
    const fcps_evaluation *contexts = fcps_task_evaluation(task);
    double mean = 0;
    for (int c = 0; c < contexts->count; c++) {
      const double *environment = contexts->environments + c * problem->environment.count;
      double outcome[3] = {NAN, NAN, NAN};
      assert_true(fcps_task_idle(task, environment, outcome));
      mean += reward_of(task, contexts->targets + c * problem->target.count, environment, outcome) / contexts->count;
    }
    assert_near(mean, levels[r], 0.00051);
    fcps_task_destroy(task);
  }
}

static void bad_input_is_refused_with_the_field(void **state)
{
  (void)state;
  need_robots();
  fcps_task *task = make("fetch-push", NULL);
  double hand[2], outcome[3];
  hand_of(task, hand);
  fcps_rollout result;
  assert_status(fcps_task_run(task, -1, hand, (double[]){1, 0.3, 0}, outcome, &result), FCPS_ERR_BOUNDS);
  assert_string_equal(fcps_task_error(task)->field, "parameters.stroke_x");
  assert_status(fcps_task_run(task, -1, (double[]){9, 9}, (double[]){1, 0, 0}, outcome, &result), FCPS_ERR_BOUNDS);
  assert_status(fcps_task_run(task, -1, hand, (double[]){NAN, 0, 0}, outcome, &result), FCPS_ERR_NOT_FINITE);
  fcps_task_destroy(task);
  fcps_error error;
  assert_status(fcps_task_create(&task, "thrower", (fcps_setting[]){{"preflight", "on"}, {NULL, NULL}}, 1, &error),
                FCPS_ERR_UNKNOWN_NAME);
}

static void a_stroke_out_of_reach_is_refused_before_moving_where_asked(void **state)
{
  (void)state;
  need_robots();
  const double far[3] = {1.5707963267948966, 0.4, 0}, near[3] = {1.5707963267948966, 0.1, 0};
  for (int checked = 0; checked < 2; checked++) {
    fcps_task *task = make("fetch-slide", (fcps_setting[]){{"preflight", checked ? "on" : "off"}, {NULL, NULL}});
    double hand[2], outcome[3];
    hand_of(task, hand);
    const double object[2] = {hand[0] + 0.08, hand[1] + 0.08};
    fcps_rollout result;
    assert_ok(fcps_task_run(task, -1, object, far, outcome, &result));
    assert_int_equal(result.status, checked ? FCPS_ROLLOUT_REFUSED : FCPS_ROLLOUT_OK);
    assert_int_equal(result.outcome != NULL, !checked);
    if (checked) assert_non_null(strstr(fcps_task_message(task), "position of dimension 0"));
    assert_ok(fcps_task_run(task, -1, object, near, outcome, &result));
    assert_int_equal(result.status, FCPS_ROLLOUT_OK);
    fcps_task_destroy(task);
  }
}

static void without_the_module_the_tasks_say_what_to_do(void **state)
{
  (void)state;
  char *before = look_for_robots_in("/nowhere");
  int seen = 0;
  const fcps_task_info *info;
  for (int i = 0; (info = fcps_task_info_at(i)) != NULL; i++) {
    bool is_robot = false;
    for (int r = 0; r < 3; r++)
      is_robot = is_robot || strcmp(info->name, names[r]) == 0;
    if (!is_robot) continue;
    seen++;
    assert_non_null(info->unavailable);
    assert_non_null(strstr(info->unavailable, "scripts/setup-robots"));
    fcps_task *task;
    fcps_error error;
    assert_status(fcps_task_create(&task, info->name, NULL, 1, &error), FCPS_ERR_UNAVAILABLE);
    assert_null(task);
  }
  assert_int_equal(seen, 3);
  look_for_robots_again(before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pushes_and_slides_end_where_those_of_another_implementation_did),
      cmocka_unit_test(throws_land_where_those_of_another_implementation_did),
      cmocka_unit_test(contexts_are_drawn_as_gym_draws_them),
      cmocka_unit_test(the_reward_is_the_distance_in_space_and_its_gradient_fits),
      cmocka_unit_test(two_threads_give_the_bytes_of_one),
      cmocka_unit_test(doing_nothing_earns_what_the_page_says),
      cmocka_unit_test(bad_input_is_refused_with_the_field),
      cmocka_unit_test(a_stroke_out_of_reach_is_refused_before_moving_where_asked),
      cmocka_unit_test(without_the_module_the_tasks_say_what_to_do),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return exit_code_with_robots(failed);
}
