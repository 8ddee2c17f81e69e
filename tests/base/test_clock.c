/* SPDX-License-Identifier: Apache-2.0 */
/* The clock advances and never steps back. */
#include "base/process.h"

#include "check.h"

#include <time.h>

static void the_clock_never_steps_back_and_advances(void **state)
{
  (void)state;
  const double start = fcps_clock_seconds();
  double before = start;
  for (int i = 0; i < 10000; i++) {
    const double now = fcps_clock_seconds();
    assert_true(now >= before);
    before = now;
  }
  const struct timespec pause = {.tv_nsec = 2000000};
  nanosleep(&pause, NULL);
  assert_true(fcps_clock_seconds() > start);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_clock_never_steps_back_and_advances)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
