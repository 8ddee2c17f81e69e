/* SPDX-License-Identifier: Apache-2.0 */
/* Computing under a limit of memory: OpenBLAS has a buffer for each thread that computes, and without memory for it
 * would try again for ever. */
#include "check.h"

#include "linalg/dense.h"
#include "linalg/threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What watches a program wants addresses without a limit. */
static bool is_watched(void)
{
  const char *preloaded = getenv("LD_PRELOAD"); /* by valgrind */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  return true;
#endif
  return preloaded != NULL && strstr(preloaded, "valgrind") != NULL;
}

enum { N = 160, TURNS = 200, THREADS = 2, MEBIBYTE = 1 << 20 };

/* Leaves this process as many bytes of addresses beyond those that it has. */
static bool leave(size_t bytes)
{
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld", &pages) != 1) return false;
  fclose(file);
  const rlim_t limit = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes;
  return setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit}) == 0;
}

static pthread_barrier_t start;

static void *compute(void *product)
{
  static double a[N * N];
  pthread_barrier_wait(&start);
  for (int i = 0; i < TURNS; i++)
    fcps_multiply_nn(N, N, N, 1, a, N, a, N, 0, product, N);
  return NULL;
}

static int two_threads(void)
{
  static double products[THREADS][N * N];
  pthread_t threads[THREADS];
  if (pthread_barrier_init(&start, NULL, THREADS + 1) != 0) return 1;
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, compute, products[i]) != 0) return 2;
  if (!leave((size_t)200 * MEBIBYTE)) return 3; /* for one buffer, and not for two */
  if (fcps_blas_reserve(NULL) != FCPS_OK) return 4;
  pthread_barrier_wait(&start);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

static int too_little(void)
{
  fcps_error error = {0};
  if (!leave((size_t)60 * MEBIBYTE)) return 1;
  if (fcps_blas_reserve(&error) != FCPS_ERR_MEMORY) return 2;
  return strstr(error.message, "ulimit -v") != NULL ? 0 : 3;
}

/* in a process of its own, which is ended when it hangs */
static void check(int (*of)(void))
{
  int how;
  if (is_watched()) skip_because("what watches this program needs an address space without a limit");
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(of());
  }
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_int_equal(how, 0);
}

static void threads_take_turns_where_memory_is_for_one_alone(void **state)
{
  (void)state;
  check(two_threads);
}

static void too_little_memory_is_said(void **state)
{
  (void)state;
  check(too_little);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_take_turns_where_memory_is_for_one_alone),
                                     cmocka_unit_test(too_little_memory_is_said)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
