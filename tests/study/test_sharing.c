/* SPDX-License-Identifier: Apache-2.0 */
/* Several processes on one study. */
#include "study_fixture.h"

#include <sys/wait.h>

enum { WORKERS = 4, TRIALS = 12 };

/* asks and tells TRIALS times, as client `name`; every tenth result is sent twice */
static int work(const char *name)
{
  fcps_study *s = NULL;
  const fcps_study_options patient = {.wait_ms = 120000}; /* a busy machine must not fail the test */
  if (fcps_study_open(&s, test_path, &patient, NULL) != FCPS_OK) return 1;
  for (int i = 0; i < TRIALS; i++) {
    const double target = 1, wind = 0;
    fcps_ask ask;
    if (fcps_study_ask(s, name, &target, &wind, &ask, NULL) != FCPS_OK) return 2;
    if (strcmp(ask.client, name) != 0) return 3;
    const int64_t id = ask.id;
    const double land = (double)id;
    const fcps_result result = {.rollout.outcome = &land, .client = name};
    for (int copies = 0; copies <= (i % 10 == 0); copies++)
      if (fcps_study_tell(s, id, &result, NULL, NULL) != FCPS_OK) return 4;
  }
  fcps_study_close(s);
  return 0;
}

static void four_processes_share_a_study(void **state)
{
  (void)state;
  pid_t children[WORKERS];
  fcps_study_close(make_study(test_path, throw_yaml, NULL));
  for (int w = 0; w < WORKERS; w++) {
    children[w] = fork();
    assert_true(children[w] >= 0);
    if (children[w] == 0) {
      char name[16];
      snprintf(name, sizeof name, "robot-%d", w);
      _exit(work(name));
    }
  }
  for (int w = 0; w < WORKERS; w++) {
    int how = 0;
    assert_int_equal(waitpid(children[w], &how, 0), children[w]);
    if (how != 0) fail_msg("worker %d: %d", w, WEXITSTATUS(how));
  }
  fcps_study *s = open_study(test_path);
  assert_int_equal(fcps_study_ask_count(s), WORKERS * TRIALS);
  assert_int_equal(fcps_study_result_count(s), WORKERS * TRIALS);
  for (int i = 0; i < WORKERS * TRIALS; i++) {
    fcps_ask ask, other;
    fcps_stored_result stored;
    fcps_study_ask_at(s, i, &ask);
    assert_int_equal(ask.id, i + 1);
    assert_int_equal(ask.state, FCPS_ASK_TOLD);
    for (int j = 0; j < i; j++) { /* a fleet gets different suggestions */
      fcps_study_ask_at(s, j, &other);
      assert_memory_not_equal(ask.parameters, other.parameters, 2 * sizeof(double));
    }
    fcps_study_result_at(s, i, &stored);
    assert_near(stored.result.rollout.outcome[0], (double)stored.ask, 0);
  }
  fcps_study_close(s);
}

static void readers_work_while_another_writes(void **state)
{
  (void)state;
  fcps_study *writer = make_study(test_path, throw_yaml, NULL), *reader = open_study(test_path);
  for (int i = 0; i < 5; i++) {
    throw_once(writer);
    assert_ok(fcps_study_refresh(reader, NULL));
    assert_int_equal(fcps_study_result_count(reader), i + 1);
  }
  fcps_study_close(writer);
  fcps_study_close(reader);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(four_processes_share_a_study),
      TEST(readers_work_while_another_writes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
