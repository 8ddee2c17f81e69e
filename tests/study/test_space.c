/* SPDX-License-Identifier: Apache-2.0 */
/* The space that is reserved for results: the result of one ask does not use the space of another. */
#define _GNU_SOURCE /* syscall */
#include "study_fixture.h"

#include "failing_vfs.h"

#include <sys/stat.h>
#include <sys/syscall.h>

static long reserved(void)
{
  char name[160];
  struct stat info;
  snprintf(name, sizeof name, "%s-reserve", test_path);
  return stat(name, &info) == 0 ? (long)info.st_size : 0;
}

static int64_t ask_as(fcps_study *study, const char *client)
{
  const double target = 1, wind = 0;
  fcps_ask ask;
  assert_ok(fcps_study_ask(study, client, &target, &wind, &ask, NULL));
  return ask.id;
}

static fcps_status tell(fcps_study *study, int64_t id)
{
  const double land = 1;
  const fcps_result result = {.rollout.outcome = &land};
  return fcps_study_tell(study, id, &result, NULL, NULL);
}

static void space_is_kept_while_an_ask_is_pending(void **state)
{
  (void)state;
  fcps_study *first = make_study(test_path, throw_yaml, NULL), *second = open_study(test_path);
  assert_int_equal(reserved(), 0);
  const int64_t one = ask_as(first, "a"), two = ask_as(second, "b");
  assert_true(reserved() > 0);
  assert_ok(tell(first, one)); /* does not know yet of the second ask */
  assert_true(reserved() > 0);
  assert_ok(tell(second, two));
  assert_int_equal(reserved(), 0);
  fcps_study_close(first);
  fcps_study_close(second);
}

/* a full disk takes the space for one result; it is kept again for the next */
static void space_is_kept_again_for_the_second_ask(void **state)
{
  (void)state;
  install_failing_vfs();
  fcps_study *study = make_study(test_path, throw_yaml, NULL);
  const int64_t one = ask_as(study, "a"), two = ask_as(study, "b");
  failing = (struct failing){.fault = FAULT_FULL, .at = 1};
  assert_ok(tell(study, one));
  assert_true(reserved() > 0);
  failing = (struct failing){.fault = FAULT_FULL, .at = 1};
  assert_ok(tell(study, two));
  assert_int_equal(reserved(), 0);
  failing = (struct failing){.fault = FAULT_NONE};
  fcps_study_close(study);
}

/* -- An ask that comes while a tell gives the space back -- */

static fcps_study *between;
static bool is_given;

/* instead of the system's: another handle asks at the moment when the space goes */
int unlink(const char *name)
{
  fcps_study *study = between;
  if (study != NULL && strstr(name, "-reserve") != NULL) {
    const double target = 1, wind = 0;
    fcps_ask ask;
    between = NULL;
    is_given = fcps_study_ask(study, "b", &target, &wind, &ask, NULL) == FCPS_OK;
  }
  return (int)syscall(SYS_unlink, name);
}

static void an_ask_that_meets_a_tell_keeps_its_space(void **state)
{
  (void)state;
  const fcps_study_options impatient = {.wait_ms = 1};
  fcps_study *first = make_study(test_path, throw_yaml, NULL), *second = NULL;
  assert_ok(fcps_study_open(&second, test_path, &impatient, NULL));
  const int64_t one = ask_as(first, "a");
  between = second;
  assert_ok(tell(first, one));
  assert_null(between);
  if (!is_given) ask_as(second, "b"); /* it had to wait for the tell */
  assert_true(reserved() > 0);
  fcps_study_close(first);
  fcps_study_close(second);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(space_is_kept_while_an_ask_is_pending),
      TEST(space_is_kept_again_for_the_second_ask),
      TEST(an_ask_that_meets_a_tell_keeps_its_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
