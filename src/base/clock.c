/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <time.h>

double fcps_clock_seconds(void)
{
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now)) return 0; /* every POSIX system we know has this clock */
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
