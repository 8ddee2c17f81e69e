/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of the process, which a fork waits for. */
#include "base/locks.h"

#include <pthread.h>

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
