/* SPDX-License-Identifier: Apache-2.0 */
/* Both clocks come from POSIX. A clock that cannot be read counts as 0: a time is never worth a failure. */
#include "base/clock.h"

#include <time.h>

static double seconds_of(clockid_t clock)
{
  struct timespec now;
  if (clock_gettime(clock, &now)) return 0; /* every POSIX system we know has these clocks */
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double fcps_clock_seconds(void)
{
  return seconds_of(CLOCK_MONOTONIC);
}

double fcps_clock_processor_seconds(void)
{
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

void fcps_clock_pause(int ms)
{
  nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

struct timespec fcps_clock_in(int ms)
{
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_nsec += ms % 1000 * 1000000L;
  at.tv_sec += ms / 1000 + at.tv_nsec / 1000000000L;
  at.tv_nsec %= 1000000000L;
  return at;
}
