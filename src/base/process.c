/* SPDX-License-Identifier: Apache-2.0 */
/* Locks and clocks of the process. A fork waits for the locks. */
#include "base/process.h"

#include <pthread.h>
#include <time.h>

static pthread_mutex_t locks[FCPS_LOCK_COUNT] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                                 PTHREAD_MUTEX_INITIALIZER};

static void take_all(void)
{
  for (int i = 0; i < FCPS_LOCK_COUNT; i++)
    pthread_mutex_lock(&locks[i]);
}

static void give_all(void)
{
  for (int i = FCPS_LOCK_COUNT; i-- > 0;)
    pthread_mutex_unlock(&locks[i]);
}

static pthread_once_t fork_waiting = PTHREAD_ONCE_INIT;

static void wait_at_forks(void)
{
  pthread_atfork(take_all, give_all, give_all);
}

void fcps_lock_take(fcps_lock lock)
{
  pthread_once(&fork_waiting, wait_at_forks);
  pthread_mutex_lock(&locks[lock]);
}

void fcps_lock_give(fcps_lock lock)
{
  pthread_mutex_unlock(&locks[lock]);
}

/* -- Clocks --
 *
 * Both clocks come from POSIX. A clock that cannot be read gives 0: no call should fail because a time is unknown. */

static double seconds_of(clockid_t clock)
{
  struct timespec now;
  if (clock_gettime(clock, &now)) return 0; /* every POSIX system that we know has both clocks */
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
