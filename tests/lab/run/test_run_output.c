/* SPDX-License-Identifier: Apache-2.0 */
/* Result files: their contents, also after an interruption. */
#include <fcps/lab/run.h>

#include "folder.h"
#include "format/csv.h"
#include "format/json.h"

static const fcps_setting given[] = {{"kappa", "1"}, {NULL, NULL}};

static fcps_study *create_study(void)
{
  fcps_study *study = NULL;
  fcps_error error = {0};
  char *origin = fcps_run_origin("cannon", (const fcps_setting[]){{"grid", "2"}, {NULL, NULL}}, 5);
  const fcps_study_setup setup = {.origin = origin, .learner = "bo-fcps", .settings = given, .seed = 5};
  const fcps_study_options options = {.maker = fcps_run_maker()};
  if (fcps_study_create(&study, NULL, &setup, &options, &error) != FCPS_OK) fail_msg("%s", error.message);
  fcps_free(origin);
  return study;
}

static fcps_run_output *create_output(const char *directory, const fcps_study *study)
{
  fcps_run_output *output = NULL;
  fcps_error error = {0};
  if (fcps_run_output_create(&output, directory, study, &error) != FCPS_OK) fail_msg("%s", error.message);
  return output;
}

/* Episode i earns -i; every third has no outcome and no reward. */
static void record(fcps_run_output *output, int first, int last, bool is_earlier)
{
  for (int i = first; i <= last; i++) {
    const bool failed = i % 3 == 0;
    const double target[2] = {1.0, i}, parameters[3] = {0.1, 0.2, 3.0}, outcome[2] = {2.0, 4.0};
    const fcps_episode episode = {.episode = i,
                                  .is_earlier = is_earlier,
                                  .stored.result.rollout = {.target = target,
                                                            .parameters = parameters,
                                                            .outcome = failed ? NULL : outcome,
                                                            .reward = failed ? (double)NAN : (double)-i,
                                                            .status = failed ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK}};
    assert_ok(fcps_run_output_episode(output, &episode, NULL));
  }
}

static void record_episodes(fcps_run_output *output, int first, int last)
{
  record(output, first, last, false);
}

static void record_evaluation(fcps_run_output *output, int64_t episode, double mean)
{
  const double rewards[4] = {-1, -2, -3, -4}, parameters[12] = {0}, outcomes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const bool present[4] = {true, true, false, true};
  const fcps_offline offline = {.episode = episode,
                                .mean = mean,
                                .count = 4,
                                .rewards = rewards,
                                .parameters = parameters,
                                .outcomes = outcomes,
                                .present = present};
  assert_ok(fcps_run_output_offline(output, &offline, NULL));
}

static void tables_hold_what_was_recorded(void **state)
{
  (void)state;
  test_folder folder = folder_create();
  fcps_study *study = create_study();
  fcps_run_output *output = create_output(folder.path, study);
  record_episodes(output, 1, 3);
  record_evaluation(output, 3, -2.5);
  assert_ok(fcps_run_output_finish(output, -0.5, NULL));
  fcps_run_output_destroy(output);

  char *episodes = file_text(folder_file(&folder, "episodes.csv")), *map = file_text(folder_file(&folder, "map.csv"));
  char *offline = file_text(folder_file(&folder, "offline.csv"));
  assert_string_equal(episodes, "episode,target.x,target.y,parameters.turn,parameters.tilt,parameters.speed,"
                                "outcome.land_x,outcome.land_y,reward,status\n"
                                "1,1,1,0.1,0.2,3,2,4,-1,ok\n2,1,2,0.1,0.2,3,2,4,-2,ok\n3,1,3,0.1,0.2,3,,,,failed\n");
  assert_string_equal(offline, "episode,mean\n3,-2.5\n");
  assert_string_equal(map, "target.x,target.y,parameters.turn,parameters.tilt,parameters.speed,outcome.land_x,"
                           "outcome.land_y,reward\n"
                           "-11,-11,0,0,0,1,2,-1\n-11,11,0,0,0,3,4,-2\n11,-11,0,0,0,,,-3\n11,11,0,0,0,7,8,-4\n");
  free(episodes);
  free(map);
  free(offline);
  fcps_study_close(study);
  folder_remove(&folder);
}

static void the_summary_says_what_ran_and_what_came_out(void **state)
{
  (void)state;
  test_folder folder = folder_create();
  fcps_study *study = create_study();
  fcps_run_output *output = create_output(folder.path, study);
  record_episodes(output, 1, 110);
  record_evaluation(output, 110, -2.5);
  assert_ok(fcps_run_output_finish(output, -0.5, NULL));

  /* unknown rewards are left out: 1 + 2 + 4 + 5 + ... up to 50, 100 and 110 */
  const double all_50 = 50 * 51 / 2, all_100 = 100 * 101 / 2, all_110 = 110 * 111 / 2;
  const double thirds_50 = 3 * 16 * 17 / 2, thirds_100 = 3 * 33 * 34 / 2, thirds_110 = 3 * 36 * 37 / 2;
  assert_near(fcps_run_output_cumulative(output, 50), thirds_50 - all_50, 1e-12);
  assert_near(fcps_run_output_cumulative(output, 110), thirds_110 - all_110, 1e-12);
  assert_true(isnan(fcps_run_output_cumulative(output, 0)) && isnan(fcps_run_output_cumulative(output, 111)));

  char expected[256], *summary = fcps_run_output_summary(output);
  snprintf(expected, sizeof expected,
           "{\"episodes\":110,\"cumulative\":{\"50\":%.1f,\"100\":%.1f,\"110\":%.1f},\"offline_mean\":-2.5}",
           thirds_50 - all_50, thirds_100 - all_100, thirds_110 - all_110);
  assert_string_equal(summary, expected);
  fcps_free(summary);

  char *text = file_text(folder_file(&folder, "summary.json"));
  assert_non_null(strstr(text,
                         "\"source\":{\"task\":\"cannon\",\"task_settings\":{\"grid\":\"2\"},\"learner\":\"bo-fcps\","
                         "\"learner_settings\":{\"kappa\":\"1\"},\"seed\":5}"));
  assert_non_null(strstr(text, "\"optimum\":-0.5"));
  free(text);
  fcps_run_output_destroy(output);
  fcps_study_close(study);
  folder_remove(&folder);
}

static void an_output_that_starts_again_has_the_bytes_of_a_whole_one(void **state)
{
  (void)state;
  test_folder whole = folder_create(), parts = folder_create();
  fcps_study *study = create_study();
  fcps_run_output *output = create_output(whole.path, study);
  record_episodes(output, 1, 4);
  record_evaluation(output, 4, -4);
  record_episodes(output, 5, 9);
  record_evaluation(output, 9, -3);
  assert_ok(fcps_run_output_finish(output, -0.5, NULL));
  fcps_run_output_destroy(output);

  /* cut off after episode 6; the run that goes on shows what was done */
  output = create_output(parts.path, study);
  record_episodes(output, 1, 4);
  record_evaluation(output, 4, -4);
  record_episodes(output, 5, 6);
  fcps_run_output_destroy(output);
  output = create_output(parts.path, study);
  record(output, 1, 4, true);
  assert_ok(fcps_run_output_offline(output, &(fcps_offline){.episode = 4, .mean = -4, .is_earlier = true}, NULL));
  assert_near(fcps_run_output_offline_mean(output), -4.0, 0.0);
  record(output, 5, 6, true);
  record_episodes(output, 7, 9);
  assert_int_not_equal(access(folder_file(&parts, "map.csv"), F_OK), 0); /* the map of a policy that is not the last */
  record_evaluation(output, 9, -3);
  assert_ok(fcps_run_output_finish(output, -0.5, NULL));
  fcps_run_output_destroy(output);

  const char *const names[] = {"episodes.csv", "offline.csv", "map.csv", "summary.json"};
  for (int i = 0; i < 4; i++)
    assert_same_file(folder_file(&whole, names[i]), folder_file(&parts, names[i]));
  fcps_study_close(study);
  folder_remove(&whole);
  folder_remove(&parts);
}

static void a_run_that_goes_on_never_has_fewer_rows_than_before(void **state)
{
  (void)state;
  test_folder folder = folder_create();
  fcps_study *study = create_study();
  fcps_run_output *output = create_output(folder.path, study);
  record_episodes(output, 1, 4);
  record_evaluation(output, 4, -4);
  fcps_run_output_destroy(output);
  char *episodes = file_text(folder_file(&folder, "episodes.csv")), *map = file_text(folder_file(&folder, "map.csv"));

  output = create_output(folder.path, study);
  for (int i = 1; i <= 4; i++) { /* whatever moment it is killed at */
    record(output, i, i, true);
    char *now = file_text(folder_file(&folder, "episodes.csv"));
    assert_string_equal(now, episodes);
    free(now);
  }
  fcps_run_output_destroy(output);
  char *now = file_text(folder_file(&folder, "episodes.csv")), *map_now = file_text(folder_file(&folder, "map.csv"));
  assert_string_equal(now, episodes);
  assert_string_equal(map_now, map);
  free(now);
  free(map_now);

  output = create_output(folder.path, study);
  record(output, 1, 4, true);
  record_episodes(output, 5, 5);
  now = file_text(folder_file(&folder, "episodes.csv"));
  assert_memory_equal(now, episodes, strlen(episodes));
  assert_non_null(strstr(now, "\n5,"));
  free(now);
  fcps_run_output_destroy(output);
  free(episodes);
  free(map);
  fcps_study_close(study);
  folder_remove(&folder);
}

static void a_folder_that_cannot_be_made_is_an_error_of_storage(void **state)
{
  (void)state;
  test_folder folder = folder_create();
  fcps_study *study = create_study();
  file_write(folder_file(&folder, "file"), "in the way");
  fcps_run_output *output = NULL;
  fcps_error error = {0};
  assert_status(fcps_run_output_create(&output, folder_file(&folder, "file/inside"), study, &error), FCPS_ERR_IO);
  assert_non_null(strstr(error.file, "/file"));
  fcps_study_close(study);
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_hold_what_was_recorded),
      cmocka_unit_test(the_summary_says_what_ran_and_what_came_out),
      cmocka_unit_test(an_output_that_starts_again_has_the_bytes_of_a_whole_one),
      cmocka_unit_test(a_run_that_goes_on_never_has_fewer_rows_than_before),
      cmocka_unit_test(a_folder_that_cannot_be_made_is_an_error_of_storage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
