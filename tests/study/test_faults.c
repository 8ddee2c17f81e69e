/* SPDX-License-Identifier: Apache-2.0 */
/* Every call that touches the file fails, once or from then on: a result is stored and acknowledged, or neither. After
 * the failure the same tell succeeds, and every acknowledged result is there once. FCPS_TEST_LONG=1 tries every call
 * instead of every seventh. */
#include "study_fixture.h"

#include "failing_vfs.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { TRIALS = 6 };

static double land_of(int64_t id)
{
  return (double)id * 0.5;
}

/* the number of the ask, if there is one, goes to *id */
static fcps_status ask_once(fcps_study *s, const char *client, int64_t *id)
{
  const double target = 1, wind = 0;
  fcps_ask ask;
  const fcps_status status = fcps_study_ask(s, client, &target, &wind, &ask, NULL);
  *id = status == FCPS_OK ? ask.id : FCPS_NOT_ASKED;
  return status;
}

/* tells the result of ask `id`; the status */
static fcps_status tell(fcps_study *s, int64_t id)
{
  const double land = land_of(id);
  const fcps_result result = {.rollout.outcome = &land};
  return fcps_study_tell(s, id, &result, NULL, NULL);
}

/* asks and tells until something fails; acknowledged[id] says which results were acknowledged, *asked how many asks
 * were shown */
static void session(bool *acknowledged, int64_t *asked)
{
  fcps_study *s = NULL;
  if (fcps_study_open(&s, test_path, NULL, NULL) != FCPS_OK) return;
  for (int i = 0; i < TRIALS; i++) {
    int64_t id;
    if (ask_once(s, "robot", &id) != FCPS_OK) break;
    if (id > *asked) *asked = id;
    if (tell(s, id) != FCPS_OK) break;
    acknowledged[id] = true;
  }
  fcps_study_close(s);
}

/* every acknowledged result is there once and unchanged; every ask can be told */
static void expect_whole(const bool *acknowledged, int64_t asked, const char *what)
{
  fcps_study *s = NULL;
  fcps_error error = {0};
  if (fcps_study_open(&s, test_path, NULL, &error) != FCPS_OK) fail_msg("%s: %s", what, error.message);
  if (fcps_study_ask_count(s) < asked) fail_msg("%s: an ask that was shown is not stored", what);
  int found[TRIALS + 2] = {0};
  for (int i = 0; i < fcps_study_result_count(s); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(s, i, &stored);
    assert_in_range(stored.ask, 1, TRIALS + 1);
    found[stored.ask]++;
    if (stored.result.rollout.outcome[0] != land_of(stored.ask)) fail_msg("%s: a result has changed", what);
  }
  for (int64_t id = 1; id <= TRIALS; id++) {
    if (found[id] > 1 || (acknowledged[id] && !found[id]))
      fail_msg("%s: ask %d is there %d times", what, (int)id, found[id]);
    if (id <= asked && tell(s, id) != FCPS_OK) fail_msg("%s: the same tell does not succeed afterwards", what);
  }
  fcps_study_close(s);
}

static void start_again(void)
{
  static const char *const suffixes[] = {"", "-journal", "-reserve", "-lock"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    char path[160];
    snprintf(path, sizeof path, "%s%s", test_path, suffixes[i]);
    unlink(path);
  }
  failing.fault = FAULT_NONE;
  fcps_study_close(make_study(test_path, throw_yaml, NULL));
  failing.calls = 0;
}

/* in a process of its own, which may be killed by the fault */
static void session_elsewhere(bool *acknowledged, int64_t *asked)
{
  struct {
    bool acknowledged[TRIALS + 2];
    int64_t asked;
  } seen = {.asked = 0};
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    /* each acknowledgement at once: the next call may be the last */
    fcps_study *s = NULL;
    if (fcps_study_open(&s, test_path, NULL, NULL) != FCPS_OK) _exit(1);
    for (int i = 0; i < TRIALS; i++) {
      if (ask_once(s, "robot", &seen.asked) != FCPS_OK) _exit(2);
      if (write(ends[1], &seen, sizeof seen) != sizeof seen) _exit(3);
      if (tell(s, seen.asked) != FCPS_OK) _exit(4);
      seen.acknowledged[seen.asked] = true;
      if (write(ends[1], &seen, sizeof seen) != sizeof seen) _exit(3);
    }
    _exit(0);
  }
  close(ends[1]);
  while (read(ends[0], &seen, sizeof seen) == sizeof seen)
    continue;
  close(ends[0]);
  int how;
  assert_int_equal(waitpid(child, &how, 0), child);
  memcpy(acknowledged, seen.acknowledged, sizeof seen.acknowledged);
  *asked = seen.asked;
}

static void either_stored_and_acknowledged_or_neither(void **state)
{
  (void)state;
  static const char *const names[] = {"none",         "EIO",         "ENOSPC",    "short",
                                      "short ENOSPC", "kill before", "kill half", "kill after"};
  install_failing_vfs();
  bool acknowledged[TRIALS + 2] = {false};
  int64_t asked = 0;
  start_again();
  session(acknowledged, &asked);
  const long calls = failing.calls, step = getenv("FCPS_TEST_LONG") != NULL ? 1 : 7;
  assert_true(acknowledged[TRIALS]);
  int runs = 0;
  for (fault f = FAULT_IO; f < FAULT_COUNT; f++)
    for (int lasting = 0; lasting < (f < FAULT_KILL_BEFORE ? 2 : 1); lasting++)
      for (long at = 1 + runs % step; at <= calls; at += step) {
        char what[80];
        snprintf(what, sizeof what, "%s at call %ld%s", names[f], at, lasting ? " and ever after" : "");
        start_again();
        memset(acknowledged, 0, sizeof acknowledged);
        asked = 0;
        failing = (struct failing){.fault = f, .at = at, .is_lasting = lasting};
        if (f >= FAULT_KILL_BEFORE)
          session_elsewhere(acknowledged, &asked);
        else
          session(acknowledged, &asked);
        failing.fault = FAULT_NONE;
        expect_whole(acknowledged, asked, what);
        runs++;
      }
  printf("# %ld calls a session; %d faults, none in between\n", calls, runs);
}

/* The second fault strikes while SQLite recovers from the first. */
static void a_fault_during_recovery_loses_nothing_either(void **state)
{
  (void)state;
  install_failing_vfs();
  bool acknowledged[TRIALS + 2] = {false};
  int64_t asked = 0;
  for (long at = 4; at <= 60; at += 8)
    for (long second = 1; second <= 6; second++) {
      start_again();
      memset(acknowledged, 0, sizeof acknowledged);
      asked = 0;
      failing = (struct failing){.fault = FAULT_KILL_AFTER, .at = at};
      session_elsewhere(acknowledged, &asked);
      failing = (struct failing){.fault = FAULT_IO, .at = second};
      fcps_study *s = NULL;
      fcps_study_open(&s, test_path, NULL, NULL);
      fcps_study_close(s);
      failing.fault = FAULT_NONE;
      expect_whole(acknowledged, asked, "recovery");
    }
}

static void a_full_disk_gives_no_ask_and_takes_the_tell_later(void **state)
{
  (void)state;
  install_failing_vfs();
  start_again();
  fcps_study *s = open_study(test_path);
  int64_t id, other;
  assert_ok(ask_once(s, NULL, &id));
  failing = (struct failing){.fault = FAULT_FULL, .at = 1, .is_lasting = true};
  assert_status(ask_once(s, NULL, &other), FCPS_ERR_STORE_FULL);
  assert_status(tell(s, id), FCPS_ERR_STORE_FULL);
  assert_int_equal(fcps_study_result_count(s), 0);
  failing.fault = FAULT_NONE;
  assert_ok(tell(s, id)); /* without opening it again: a full disk does not damage a study */
  assert_ok(ask_once(s, NULL, &other));
  fcps_study_close(s);
}

/* tells ask 1 in a process whose files may not grow beyond `bytes`; the status */
static fcps_status tell_within(long bytes)
{
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
    signal(SIGXFSZ, SIG_IGN);
    fcps_study *s = NULL;
    if (setrlimit(RLIMIT_FSIZE, &limit) || fcps_study_open(&s, test_path, NULL, NULL) != FCPS_OK) _exit(100);
    const fcps_status status = tell(s, 1);
    fcps_study_close(s);
    _exit((int)status);
  }
  int how = 0;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFEXITED(how));
  return (fcps_status)WEXITSTATUS(how);
}

static void a_file_that_may_not_grow_is_never_torn(void **state)
{
  (void)state;
  const long step = getenv("FCPS_TEST_LONG") != NULL ? 100 : 1500;
  int refused = 0, stored = 0;
  for (long bytes = 0; bytes < 24000; bytes += step) {
    start_again();
    fcps_study *s = open_study(test_path);
    int64_t id;
    assert_ok(ask_once(s, NULL, &id));
    fcps_study_close(s);
    const fcps_status status = tell_within(bytes);
    if (status != FCPS_OK && status != FCPS_ERR_STORE && status != FCPS_ERR_STORE_FULL)
      fail_msg("%ld bytes: %s", bytes, fcps_status_text(status));
    refused += status != FCPS_OK;
    stored += status == FCPS_OK;
    s = open_study(test_path);
    assert_int_equal(fcps_study_result_count(s), status == FCPS_OK);
    assert_ok(tell(s, id)); /* the same tell, with room */
    assert_int_equal(fcps_study_result_count(s), 1);
    fcps_study_close(s);
  }
  assert_true(refused > 0 && stored > 0);
}

static void after_a_failed_sync_nothing_more_is_acknowledged(void **state)
{
  (void)state;
  install_failing_vfs();
  start_again();
  fcps_study *s = open_study(test_path);
  int64_t id, other;
  assert_ok(ask_once(s, NULL, &id));
  failing = (struct failing){.fault = FAULT_IO, .at = 1, .only_syncs = true};
  assert_int_equal(tell(s, id), FCPS_ERR_STORE);
  failing = (struct failing){0};
  assert_int_equal(tell(s, id), FCPS_ERR_STORE); /* never retried on the same handle */
  assert_status(ask_once(s, NULL, &other), FCPS_ERR_STORE);
  fcps_study_close(s);
  s = open_study(test_path);
  assert_ok(tell(s, id));
  fcps_study_close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(either_stored_and_acknowledged_or_neither),         TEST(a_fault_during_recovery_loses_nothing_either),
      TEST(a_full_disk_gives_no_ask_and_takes_the_tell_later), TEST(a_file_that_may_not_grow_is_never_torn),
      TEST(after_a_failed_sync_nothing_more_is_acknowledged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
