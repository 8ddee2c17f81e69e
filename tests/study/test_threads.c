/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads of one process: a handle belongs to one thread at a time, and different handles are independent.
 *
 * Each thread asks, tells, makes a policy and queries it, with the learners in turn. At first each thread has a study
 * of its own, and its asks must not depend on the others. Then all have handles of one study, and nothing may be lost.
 */
#include "study_fixture.h"

#include <fcps/policy.h>

#include <pthread.h>

enum { THREADS = 4, TRIALS = 8 };

static const char *const learners[THREADS] = {"outcome", "bo-fcps", "c-reps", "random"};

typedef struct work {
  char path[160];
  const char *learner; /* NULL: the study is there already */
  double parameters[TRIALS][2];
  fcps_status status;
  fcps_error error;
} work;

/* one trial, under the name of the thread's own client */
static fcps_status try_once(fcps_study *study, const char *client, double *parameters, fcps_error *error)
{
  double target, environment;
  fcps_ask ask;
  context_of(fcps_study_ask_count(study) + 1, &target, &environment);
  const fcps_status status = fcps_study_ask(study, client, &target, &environment, &ask, error);
  if (status != FCPS_OK) return status;
  memcpy(parameters, ask.parameters, 2 * sizeof *parameters);
  const double land = throw_lands(ask.environment, ask.parameters);
  const fcps_result result = {.rollout.outcome = &land, .client = client};
  return fcps_study_tell(study, ask.id, &result, NULL, error);
}

static fcps_status ask_policy(fcps_study *study, fcps_error *error)
{
  const double target = 2, environment = 0;
  double parameters[2];
  fcps_policy *policy = NULL;
  fcps_status status = fcps_study_policy(study, &policy, error);
  if (status == FCPS_OK && fcps_policy_query(policy, &target, &environment, parameters, NULL) != FCPS_OK)
    status = FCPS_ERR_INTERNAL;
  fcps_policy_destroy(policy);
  return status;
}

static void *do_work(void *given)
{
  work *w = given;
  char client[32];
  snprintf(client, sizeof client, "%p", given);
  fcps_study *study = NULL;
  const fcps_study_options patient = {.wait_ms = 120000}; /* a busy machine must not fail the test */
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw.yaml", .learner = w->learner, .seed = 7};
  w->status = w->learner != NULL ? fcps_study_create(&study, w->path, &setup, &patient, &w->error)
                                 : fcps_study_open(&study, w->path, &patient, &w->error);
  for (int i = 0; w->status == FCPS_OK && i < TRIALS; i++)
    w->status = try_once(study, client, w->parameters[i], &w->error);
  if (w->status == FCPS_OK) w->status = ask_policy(study, &w->error);
  fcps_study_close(study);
  return NULL;
}

static void work_at_once(work *works)
{
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, do_work, &works[i]), 0);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < THREADS; i++)
    if (works[i].status != FCPS_OK) fail_msg("thread %d: %s", i, works[i].error.message);
}

static void studies_of_several_threads_are_independent(void **state)
{
  (void)state;
  work together[THREADS] = {0}, alone[THREADS] = {0};
  for (int i = 0; i < THREADS; i++) {
    together[i].learner = alone[i].learner = learners[i];
    snprintf(together[i].path, sizeof together[i].path, "%s/together-%d.fcps", test_folder, i);
    snprintf(alone[i].path, sizeof alone[i].path, "%s/alone-%d.fcps", test_folder, i);
    do_work(&alone[i]);
    if (alone[i].status != FCPS_OK) fail_msg("alone %d: %s", i, alone[i].error.message);
  }
  work_at_once(together);
  for (int i = 0; i < THREADS; i++)
    assert_memory_equal(together[i].parameters, alone[i].parameters, sizeof alone[i].parameters);
}

static void threads_share_a_study(void **state)
{
  (void)state;
  work works[THREADS] = {0};
  fcps_study_close(make_study(test_path, throw_yaml, "bo-fcps"));
  for (int i = 0; i < THREADS; i++)
    snprintf(works[i].path, sizeof works[i].path, "%s", test_path);
  work_at_once(works);
  fcps_study *study = open_study(test_path);
  assert_int_equal(fcps_study_ask_count(study), THREADS * TRIALS);
  assert_int_equal(fcps_study_result_count(study), THREADS * TRIALS);
  fcps_study_close(study);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(studies_of_several_threads_are_independent, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(threads_share_a_study, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
