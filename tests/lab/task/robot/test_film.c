/* SPDX-License-Identifier: Apache-2.0 */
/* Films of the robot tasks. Skipped, with a message, if the robot module is not built or EGL cannot draw. */
#include "robots.h"

#include <fcps/lab/task.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 240 };

typedef struct watched {
  int frames;
  double last_time;
  unsigned char first[3 * WIDTH * HEIGHT], last[3 * WIDTH * HEIGHT];
} watched;

static watched seen;

static fcps_status watch(void *user, double time, const unsigned char *rgb)
{
  watched *w = user;
  if (w->frames == 0) memcpy(w->first, rgb, sizeof w->first);
  memcpy(w->last, rgb, sizeof w->last);
  w->frames++;
  w->last_time = time;
  return FCPS_OK;
}

/* Under valgrind, which shows itself by what it preloads, the software renderer takes minutes a frame. */
static bool is_slowed_down(void)
{
  const char *preload = getenv("LD_PRELOAD");
  return preload != NULL && strstr(preload, "vgpreload") != NULL;
}

/* Films the middle of the parameters in the first context of the evaluation; NULL if that is not possible here. */
static fcps_task *film(const char *name, fcps_film *wanted, double *outcome, fcps_status *status)
{
  fcps_task *task = NULL;
  fcps_rollout rollout;
  if (fcps_sim_lacks() || is_slowed_down()) return NULL;
  assert_ok(fcps_task_create(&task, name, NULL, 1, NULL));
  const fcps_space *space = &fcps_task_problem(task)->parameters;
  const fcps_evaluation *contexts = fcps_task_evaluation(task);
  double parameters[6];
  for (int i = 0; i < space->count; i++)
    parameters[i] = (space->dims[i].lower + space->dims[i].upper) / 2;
  memset(&seen, 0, offsetof(watched, first));
  *status = fcps_task_film(task, contexts->targets, contexts->environments, parameters, wanted, outcome, &rollout);
  if (*status != FCPS_ERR_UNAVAILABLE) return task;
  fcps_task_destroy(task);
  return NULL;
}

#define skip_unless(task)                                                                                              \
  do {                                                                                                                 \
    if (!(task)) skip_because("robots cannot be simulated or drawn here (scripts/setup names the packages)");          \
  } while (0)

static int red_pixels(const unsigned char *rgb)
{
  int count = 0;
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    count += rgb[3 * i] > 150 && rgb[3 * i + 1] < 70 && rgb[3 * i + 2] < 70;
  return count;
}

static void a_film_has_its_frames_its_movement_and_its_target(void **state)
{
  (void)state;
  const char *const names[] = {"fetch-push", "fetch-slide", "thrower"};
  for (int r = 0; r < 3; r++) {
    double outcome[3], plain[3];
    fcps_film wanted = {WIDTH, HEIGHT, 10, "a caption", watch, &seen};
    fcps_rollout again;
    fcps_status status;
    fcps_task *task = film(names[r], &wanted, outcome, &status);
    skip_unless(task);
    assert_ok(status);
    if (r < 2) {
      assert_int_equal(seen.frames, 21); /* 2 s */
      assert_near(seen.last_time, 2, 1e-6);
    } else {
      assert_in_range(seen.frames, 5, 20);
    }
    assert_memory_not_equal(seen.first, seen.last, sizeof seen.first);
    assert_true(red_pixels(seen.first) >= 3);

    /* looking on changes nothing */
    const fcps_space *space = &fcps_task_problem(task)->parameters;
    double parameters[6];
    for (int i = 0; i < space->count; i++)
      parameters[i] = (space->dims[i].lower + space->dims[i].upper) / 2;
    assert_ok(fcps_task_run(task, -1, fcps_task_evaluation(task)->environments, parameters, plain, &again));
    assert_memory_equal(outcome, plain, (r < 2 ? 3 : 2) * sizeof *outcome);
    fcps_task_destroy(task);
  }
}

static fcps_status refuse(void *user, double time, const unsigned char *rgb)
{
  (void)rgb;
  ++*(int *)user;
  return time < 0.1 ? FCPS_OK : FCPS_ERR_STOPPED;
}

static void a_film_ends_when_its_taker_says_so_and_bad_settings_are_refused(void **state)
{
  (void)state;
  double outcome[3];
  int frames = 0;
  fcps_film wanted = {WIDTH, HEIGHT, 25, NULL, refuse, &frames};
  fcps_status status;
  fcps_task *task = film("thrower", &wanted, outcome, &status);
  skip_unless(task);
  assert_int_equal(status, FCPS_ERR_STOPPED);
  assert_int_equal(frames, 4);
  fcps_task_destroy(task);
  wanted.frames_per_second = 0;
  task = film("thrower", &wanted, outcome, &status);
  assert_int_equal(status, FCPS_ERR_ARGUMENT);
  fcps_task_destroy(task);
  wanted.frames_per_second = 25;
  wanted.width = 0;
  task = film("thrower", &wanted, outcome, &status);
  assert_int_equal(status, FCPS_ERR_ARGUMENT);
  fcps_task_destroy(task);
}

static void a_task_without_pictures_says_so(void **state)
{
  (void)state;
  fcps_task *task;
  assert_ok(fcps_task_create(&task, "cannon", NULL, 1, NULL));
  assert_false(fcps_task_has_film(task));
  fcps_film wanted = {WIDTH, HEIGHT, 25, NULL, watch, &seen};
  fcps_rollout result;
  const double zero[3] = {0, 0, 0};
  assert_status(fcps_task_film(task, zero, zero, zero, &wanted, NULL, &result), FCPS_ERR_UNSUPPORTED);
  fcps_task_destroy(task);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_film_has_its_frames_its_movement_and_its_target),
      cmocka_unit_test(a_film_ends_when_its_taker_says_so_and_bad_settings_are_refused),
      cmocka_unit_test(a_task_without_pictures_says_so),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return exit_code_with_robots(failed);
}
