/* SPDX-License-Identifier: Apache-2.0 */
/* OpenBLAS has one number of threads for the whole process. So the calls that compute at the same time are also counted
 * for the whole process. The first of them saves the number of threads and sets it to one; the last restores it. This
 * count and the list of open study files (base/study_file.h) are the only state of the library outside a handle.
 *
 * If the process has one thread anyway, nothing is set and no lock is taken. This is safe because of the order of
 * steps. A call counts itself first, and only then looks at the number of threads. The last call looks at the count
 * under the lock, and empties `saved` only after it has restored the number. So if a call finds `saved` empty and one
 * thread, no earlier call can still restore another number; otherwise the call waits for the lock. If the process sets
 * the number while the library computes, that number is kept. */
#include "linalg/threads.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"

#include <cblas.h>
#include <lapacke.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

static struct {
  atomic_int inside;     /* the number of calls that compute at this moment */
  atomic_int saved;      /* the process's number of threads, to be restored; 0: it was not changed */
  atomic_int forks;      /* the number of forks that wait for calls to end, or are in progress */
  atomic_bool has_turns; /* memory is limited, so one thread computes at a time */
  atomic_bool has_buffer;
} blas;

/* -- Forks -- */

/* Waits until no thread computes, before a fork. OpenBLAS has locks of its own: if a thread held one at the fork, the
 * child would wait for it for ever. The wait is short, because no call of the library computes with more than one
 * matrix, and no call calls a function of the user. */
static void wait_until_nobody_computes(void)
{
  atomic_fetch_add(&blas.forks, 1);
  while (atomic_load(&blas.inside) > 0)
    sched_yield();
}

static void go_on(void)
{
  atomic_fetch_sub(&blas.forks, 1);
}

/* In the child of a fork, forgets the threads that were about to compute: they exist only in the parent. The next call
 * that ends last restores the number of threads. */
static void begin_anew(void)
{
  atomic_store(&blas.inside, 0);
  atomic_store(&blas.forks, 0);
}

/* Registers the functions around a fork. The function that waits is registered last, because the last one registered is
 * called first: a thread that still computes may need the lock, so the fork must take the lock after the wait. */
static void be_careful_at_forks(void)
{
  fcps_lock_take(FCPS_LOCK_BLAS);
  fcps_lock_give(FCPS_LOCK_BLAS);
  pthread_atfork(wait_until_nobody_computes, go_on, begin_anew);
}

static pthread_once_t fork_counting = PTHREAD_ONCE_INIT;

static void count_one_in(void)
{
  int nobody = 0;
  if (!atomic_load(&blas.has_turns)) {
    atomic_fetch_add(&blas.inside, 1);
    return;
  }
  while (!atomic_compare_exchange_weak(&blas.inside, &nobody, 1)) {
    nobody = 0;
    sched_yield();
  }
}

/* Waits until no fork is in progress, and then counts this call as computing. */
static void enter(void)
{
  pthread_once(&fork_counting, be_careful_at_forks);
  count_one_in();
  while (atomic_load(&blas.forks) > 0) {
    fcps_blas_end();
    while (atomic_load(&blas.forks) > 0)
      sched_yield();
    count_one_in();
  }
}

/* -- The number of threads -- */

void fcps_blas_begin(void)
{
  enter();
  if (atomic_load(&blas.saved) == 0 && openblas_get_num_threads() == 1) return;
  fcps_lock_take(FCPS_LOCK_BLAS);
  const int threads = openblas_get_num_threads();
  if (threads != 1) {
    openblas_set_num_threads(1);
    atomic_store(&blas.saved, threads);
  }
  fcps_lock_give(FCPS_LOCK_BLAS);
}

void fcps_blas_end(void)
{
  if (atomic_fetch_sub(&blas.inside, 1) != 1 || atomic_load(&blas.saved) == 0) return;
  fcps_lock_take(FCPS_LOCK_BLAS);
  const int saved = atomic_load(&blas.saved);
  if (saved != 0 && atomic_load(&blas.inside) == 0) {
    if (openblas_get_num_threads() == 1) openblas_set_num_threads(saved);
    atomic_store(&blas.saved, 0);
  }
  fcps_lock_give(FCPS_LOCK_BLAS);
}

/* -- Memory -- */

/* The memory that OpenBLAS allocates for each thread that computes: its BUFFER_SIZE, 128 MiB, and a little more.
 * OpenBLAS keeps it until the process ends. If it cannot get this memory, OpenBLAS tries again without end. */
static const size_t buffer_size = (size_t)130 << 20;

static bool is_limited(int resource)
{
  struct rlimit limit;
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

static bool has_room(void)
{
  void *room = fcps_allocate(1, buffer_size); /* a test: it only reserves addresses, and never touches the pages */
  free(room);
  return room != NULL;
}

fcps_status fcps_blas_reserve(fcps_error *error)
{
  if (atomic_load(&blas.has_buffer) || !(is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA))) return FCPS_OK;
  atomic_store(&blas.has_turns, true);
  fcps_blas_begin();
  bool has_buffer = atomic_load(&blas.has_buffer) || has_room();
  if (has_buffer) {
    double one = 1;
    LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', 1, &one, 1);
    atomic_store(&blas.has_buffer, true);
  }
  fcps_blas_end();
  return has_buffer ? FCPS_OK : fcps_error_memory(error);
}
