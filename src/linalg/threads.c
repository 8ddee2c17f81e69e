/* SPDX-License-Identifier: Apache-2.0 */
/* OpenBLAS has one number of threads for the whole process, so who computes at the same time is counted for the whole
 * process too: the first in saves the number and sets one, the last out puts it back. This is the one place where the
 * library keeps something that is not in a handle.
 *
 * Where the process has one thread anyway, nothing is set and no lock is taken. The order makes that safe: whoever
 * comes in counts itself first and only then looks. A last one who puts a number back looks at the count under the
 * lock, and empties `saved` only after the number is back. So one who comes in and finds `saved` empty and one thread
 * has nobody before it who could still put back another number; in all other cases it waits for the lock. A number
 * that the process sets while the library computes is left alone. */
#include "linalg/threads.h"

#include "base/locks.h"

#include <cblas.h>
#include <pthread.h>
#include <stdatomic.h>

static struct {
  atomic_int inside; /* calls that compute at this moment */
  atomic_int saved;  /* the process's number of threads, to be put back; 0: it is untouched */
} blas;

/* in a forked child: the threads that were inside are gone, and the next who is the last out puts the number back */
static void forget_others(void)
{
  atomic_store(&blas.inside, 0);
}

static void count_anew_in_children(void)
{
  pthread_atfork(NULL, NULL, forget_others);
}

static pthread_once_t fork_counting = PTHREAD_ONCE_INIT;

void fcps_blas_begin(void)
{
  pthread_once(&fork_counting, count_anew_in_children);
  atomic_fetch_add(&blas.inside, 1);
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
