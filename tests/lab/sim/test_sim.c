/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated robots: set-up values from other software, the same bits every time, and failures that are reported.
 * Skipped, with a message, if the robot module is not built. */
#include "robots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const fcps_sim_ops *ops;
static char *models;

static int load(void **state)
{
  (void)state;
  if (fcps_sim_lacks()) return 0;
  fcps_error error;
  const fcps_status status = fcps_sim_load(&ops, &models, &error);
  if (status != FCPS_OK) print_message("%s\n", error.message);
  return status == FCPS_OK ? 0 : -1;
}

static int unload(void **state)
{
  (void)state;
  free(models);
  return 0;
}

static fcps_sim *make(fcps_sim_robot robot)
{
  fcps_sim *sim;
  assert_ok(ops->create(&sim, robot, models, NULL));
  return sim;
}

/* Grip site and rest height of MuJoCo 2.2.1 with the models of 2019, to which the edits lead back. */
static void the_fetch_arms_stand_where_those_of_2019_stood(void **state)
{
  (void)state;
  need_robots();
  const double hand[2][3] = {{1.347869, 0.748949, 0.413638}, {0.995706, 0.748907, 0.412686}};
  const double height[2] = {0.424700, 0.414019};
  for (int r = 0; r < 2; r++) {
    fcps_sim *sim = make((fcps_sim_robot)r);
    const fcps_sim_facts *facts = ops->facts(sim);
    for (int i = 0; i < 3; i++)
      assert_near(facts->hand[i], hand[r][i], 2e-6);
    assert_near(facts->object[2], height[r], 2e-6);
    assert_near(facts->period, 0.04, 1e-12);
    ops->destroy(sim);
  }
}

/* With the weld of today the gripper tilts and comes 0.2 m further. */
static void the_fetch_arm_reaches_as_far_as_in_2019(void **state)
{
  (void)state;
  need_robots();
  const double reach[2] = {1.548, 1.193};
  for (int r = 0; r < 2; r++) {
    fcps_sim *sim = make((fcps_sim_robot)r);
    const double *home = ops->facts(sim)->hand, far[3] = {home[0] + 9, home[1], home[2]};
    fcps_sim_view view;
    ops->reset(sim, NULL, &view);
    for (int k = 0; k < 22; k++) {
      const double next[3] = {far[0], view.hand[1], view.hand[2]};
      ops->follow(sim, next, (double[]){0, 0, 0}, &view);
    }
    assert_near(view.hand[0], reach[r], 1e-3);
    assert_true(view.is_stable);
    ops->destroy(sim);
  }
}

static void the_thrower_holds_its_ball(void **state)
{
  (void)state;
  need_robots();
  fcps_sim *sim = make(FCPS_SIM_THROWER);
  const fcps_sim_facts *facts = ops->facts(sim);
  const double hand[3] = {0.5000, -0.7226, 0.2967};
  for (int i = 0; i < 3; i++)
    assert_near(facts->hand[i], hand[i], 1e-4);
  assert_near(facts->period, 0.01, 1e-12);
  assert_true(fabs(facts->object[2] - 0.26) < 0.05);
  ops->destroy(sim);
}

/* A rollout that moves hand and object; its last view and the sum of all of them. */
static void wander(fcps_sim *sim, int seed, fcps_sim_view *view, double *sum)
{
  const fcps_sim_facts *facts = ops->facts(sim);
  const double object[2] = {facts->hand[0] + 0.05, facts->hand[1] + 0.1};
  ops->reset(sim, facts->period > 0.02 ? object : NULL, view);
  *sum = 0;
  for (int k = 0; k < 30; k++) {
    const double goal[3] = {facts->hand[0] + 0.15, facts->hand[1] + 0.1 + 0.01 * seed, facts->hand[2] + 0.01};
    ops->follow(sim, goal, (double[]){0.1, 0.2, 0.1}, view);
    *sum += view->object[0] + view->object[1] + view->hand[2];
  }
}

static void a_repeated_rollout_has_the_same_bits(void **state)
{
  (void)state;
  need_robots();
  for (int r = 0; r < FCPS_SIM_ROBOT_COUNT; r++) {
    fcps_sim *sim = make((fcps_sim_robot)r), *other = make((fcps_sim_robot)r);
    fcps_sim_view view;
    double first[3], again;
    for (int s = 0; s < 3; s++)
      wander(sim, s, &view, &first[s]);
    for (int s = 2; s >= 0; s--) {
      wander(sim, s, &view, &again);
      assert_memory_equal(&again, &first[s], sizeof again);
      wander(other, s, &view, &again);
      assert_memory_equal(&again, &first[s], sizeof again);
    }
    assert_true(first[0] != first[1]);
    ops->destroy(sim);
    ops->destroy(other);
  }
}

static void a_point_that_is_no_number_is_told_as_unstable(void **state)
{
  (void)state;
  need_robots();
  for (int r = 0; r < FCPS_SIM_ROBOT_COUNT; r++) {
    fcps_sim *sim = make((fcps_sim_robot)r);
    fcps_sim_view view;
    const double nowhere[3] = {NAN, NAN, NAN}, still[3] = {0, 0, 0};
    ops->reset(sim, (double[]){NAN, 1}, &view);
    ops->follow(sim, ops->facts(sim)->hand, still, &view);
    assert_false(view.is_stable);
    assert_true(strlen(view.trouble) > 10);

    ops->reset(sim, NULL, &view);
    assert_true(view.is_stable);
    ops->follow(sim, nowhere, nowhere, &view);
    ops->follow(sim, nowhere, nowhere, &view);
    assert_false(view.is_stable);

    /* and after a reset all is well again, with the same bits as ever */
    double sum, fresh;
    wander(sim, 1, &view, &sum);
    assert_true(view.is_stable);
    fcps_sim *other = make((fcps_sim_robot)r);
    wander(other, 1, &view, &fresh);
    assert_memory_equal(&sum, &fresh, sizeof sum);
    ops->destroy(sim);
    ops->destroy(other);
  }
  assert_int_equal(access("MUJOCO_LOG.TXT", F_OK), -1);
}

static void missing_models_are_told(void **state)
{
  (void)state;
  need_robots();
  fcps_sim *sim;
  fcps_error error;
  assert_status(ops->create(&sim, FCPS_SIM_FETCH_PUSH, "/nowhere", &error), FCPS_ERR_UNAVAILABLE);
  assert_null(sim);
  assert_non_null(strstr(error.message, "/nowhere/fetch/push.xml"));
}

static void a_folder_without_a_module_is_told(void **state)
{
  (void)state;
  char folder[] = "/tmp/fcps-test-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char *before = look_for_robots_in(folder);
  assert_int_equal(fcps_sim_lacks(), FCPS_SIM_NO_MODULE);
  const fcps_sim_ops *none;
  char *path;
  fcps_error error;
  assert_status(fcps_sim_load(&none, &path, &error), FCPS_ERR_UNAVAILABLE);
  assert_non_null(strstr(error.message, "scripts/setup-robots"));

  /* a file that is not a library */
  char name[64];
  snprintf(name, sizeof name, "%s/libfcps_robots.so", folder);
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  fputs("no library", file);
  fclose(file);
  assert_int_equal(fcps_sim_lacks(), FCPS_SIM_NO_MODELS);
  assert_status(fcps_sim_load(&none, &path, &error), FCPS_ERR_UNAVAILABLE);
  remove(name);
  rmdir(folder);
  look_for_robots_again(before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_fetch_arms_stand_where_those_of_2019_stood),
      cmocka_unit_test(the_fetch_arm_reaches_as_far_as_in_2019),
      cmocka_unit_test(the_thrower_holds_its_ball),
      cmocka_unit_test(a_repeated_rollout_has_the_same_bits),
      cmocka_unit_test(a_point_that_is_no_number_is_told_as_unstable),
      cmocka_unit_test(missing_models_are_told),
      cmocka_unit_test(a_folder_without_a_module_is_told),
  };
  const int failed = cmocka_run_group_tests(tests, load, unload);
  return exit_code_with_robots(failed);
}
