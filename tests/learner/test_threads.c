/* SPDX-License-Identifier: Apache-2.0 */
/* The number of BLAS threads belongs to the process: it changes no ask, and afterwards it is as before. */
#include "check.h"
#include "throwing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);

/* Enough rollouts that BLAS would share the work among its threads. */
enum { TOLD = 300, ASKS = 60, THREADS = 3 };

static void tell_many(fcps_learner *learner)
{
  for (int i = 0; i < TOLD; i++) {
    double mark, wind;
    throwing_context(500 + i, &mark, &wind);
    const double parameters[] = {fmod(0.5 + 0.754878 * i, 1.0), fmod(0.5 + 0.569840 * i, 1.0)};
    const double land = throwing_land(wind, parameters);
    const fcps_rollout rollout = {.target = &mark, .environment = &wind, .parameters = parameters, .outcome = &land};
    assert_int_equal(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout), FCPS_OK);
  }
}

/* The parameters of the asks of a learner that starts with many rollouts. */
static void ask_many(const char *name, double parameters[2 * ASKS])
{
  static const fcps_setting settings[] = {{"refit", "20"}, {NULL, NULL}};
  fcps_learner *learner = NULL;
  assert_int_equal(fcps_learner_create(&learner, &throwing, name, settings, 7, NULL), FCPS_OK);
  tell_many(learner);
  for (int i = 0; i < ASKS; i++)
    assert_int_equal(throwing_episode(learner, i, parameters + 2 * i), FCPS_OK);
  fcps_learner_destroy(learner);
}

static void check_same_asks(const char *name)
{
  double one[2 * ASKS], several[2 * ASKS];
  openblas_set_num_threads(1);
  ask_many(name, one);
  assert_int_equal(openblas_get_num_threads(), 1);
  openblas_set_num_threads(2);
  ask_many(name, several);
  assert_int_equal(openblas_get_num_threads(), 2);
  for (int i = 0; i < 2 * ASKS; i++)
    if (memcmp(one + i, several + i, sizeof *one) != 0)
      fail_msg("%s: ask %d has %.17g with one BLAS thread and %.17g with two", name, i / 2 + 1, one[i], several[i]);
}

static void two_blas_threads_change_no_ask_of_bo_fcps(void **state)
{
  (void)state;
  check_same_asks("bo-fcps");
}

static void two_blas_threads_change_no_ask_of_outcome(void **state)
{
  (void)state;
  check_same_asks("outcome");
}

static void *ask_in_thread(void *parameters)
{
  ask_many("bo-fcps", parameters);
  return NULL;
}

static void learners_in_several_threads_leave_the_number_as_it_was(void **state)
{
  (void)state;
  double one[2 * ASKS], several[THREADS][2 * ASKS];
  pthread_t threads[THREADS];
  openblas_set_num_threads(1);
  ask_many("bo-fcps", one);
  openblas_set_num_threads(2);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, ask_in_thread, several[i]), 0);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  assert_int_equal(openblas_get_num_threads(), 2);
  for (int i = 0; i < THREADS; i++)
    assert_memory_equal(several[i], one, sizeof one);
}

/* The reward counts with how many BLAS threads the process computes while it is called. */
static fcps_status watching_reward(void *user, int count, const double *target, const double *environments,
                                   const double *parameters, const double *outcomes, const bool *present,
                                   double *rewards)
{
  int *least = user;
  if (openblas_get_num_threads() < *least) *least = openblas_get_num_threads();
  return throwing_reward(NULL, count, target, environments, parameters, outcomes, present, rewards);
}

static void callbacks_compute_with_the_number_of_the_process(void **state)
{
  (void)state;
  int least = 100;
  double parameters[2];
  fcps_problem problem = throwing;
  problem.reward = watching_reward;
  problem.user = &least;
  openblas_set_num_threads(2);
  fcps_learner *learner = NULL;
  assert_int_equal(fcps_learner_create(&learner, &problem, "outcome", NULL, 1, NULL), FCPS_OK);
  for (int i = 0; i < 15; i++)
    assert_int_equal(throwing_episode(learner, i, parameters), FCPS_OK);
  fcps_learner_destroy(learner);
  assert_int_equal(least, 2);
}

/* -- Forks -- */

enum { FORKS = 150, SECONDS = 20 };

static void *learn_until_told(void *is_over)
{
  fcps_learner *learner = NULL;
  double parameters[2];
  while (!atomic_load((atomic_bool *)is_over)) {
    assert_int_equal(fcps_learner_create(&learner, &throwing, "outcome", NULL, 7, NULL), FCPS_OK);
    for (int i = 0; i < 12; i++)
      assert_int_equal(throwing_episode(learner, i, parameters), FCPS_OK);
    fcps_learner_destroy(learner);
  }
  return NULL;
}

/* the status of a child that learns on its own; one that waits for ever is ended by SIGALRM */
static int fork_and_learn(fcps_learner *learner)
{
  const pid_t child = fork();
  if (child == 0) {
    double parameters[2];
    alarm(SECONDS);
    const bool is_learning = throwing_episode(learner, 12, parameters) == FCPS_OK;
    _exit(is_learning && openblas_get_num_threads() == 2 ? 0 : 1);
  }
  int status = -1;
  if (child <= 0 || waitpid(child, &status, 0) != child || status != 0)
    print_error("the child ended with %s %d\n", WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return status;
}

static void a_child_of_a_fork_learns_whatever_other_threads_did(void **state)
{
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  /* SizeClassAllocator64 of gcc 12 */
  skip_because("the child of a fork may wait for ever for a lock of the sanitizer's allocator that another thread had");
#endif
#ifdef __SANITIZE_THREAD__
  skip_because("the sanitizer lets no child of a fork with several threads start another one");
#endif
  atomic_bool is_over = false;
  double parameters[2];
  openblas_set_num_threads(2);
  fcps_learner *learner = NULL;
  assert_int_equal(fcps_learner_create(&learner, &throwing, "outcome", NULL, 7, NULL), FCPS_OK);
  for (int i = 0; i < 12; i++)
    assert_int_equal(throwing_episode(learner, i, parameters), FCPS_OK);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, learn_until_told, &is_over), 0);
  int failures = 0;
  for (int i = 0; i < FORKS && failures == 0; i++) {
    failures += fork_and_learn(learner) != 0;
    nanosleep(&(struct timespec){.tv_nsec = 1000 * (i % 7) * 137}, NULL);
  }
  atomic_store(&is_over, true);
  assert_int_equal(pthread_join(thread, NULL), 0);
  fcps_learner_destroy(learner);
  assert_int_equal(failures, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_blas_threads_change_no_ask_of_bo_fcps),
      cmocka_unit_test(two_blas_threads_change_no_ask_of_outcome),
      cmocka_unit_test(learners_in_several_threads_leave_the_number_as_it_was),
      cmocka_unit_test(callbacks_compute_with_the_number_of_the_process),
      cmocka_unit_test(a_child_of_a_fork_learns_whatever_other_threads_did),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
