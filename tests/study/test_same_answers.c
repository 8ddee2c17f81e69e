/* SPDX-License-Identifier: Apache-2.0 */
/* The same seed and the same order of results give the same asks and the same policy, bit for bit, in memory, in a file
 * and in PostgreSQL; also if the study is opened again in the middle, and if a copy in another store continues. */
#include "folder.h"
#include "store/postgresql_fixture.h"

#include <fcps/study.h>

#include <math.h>

enum { TRIALS = 24, AHEAD = 3, MORE = 4 };

static const char throw_yaml[] = "target: {x: [0, 5]}\n"
                                 "environment: {wind: [-1, 1]}\n"
                                 "parameters: {speed: [0, 3], tilt: [0, 1.5]}\n"
                                 "outcome: [land]\n"
                                 "achieved: {x: land}\n"
                                 "reward: -distance\n";

static const char *const learners[] = {"outcome", "bo-fcps", "c-reps", "random"};
static const char *places[2]; /* of studies that are kept; NULL: there is no such store here */
static postgresql_server server;

typedef struct answers {
  double asked[TRIALS + MORE][2];
  double best[2], reward;
} answers;

static void ask(fcps_study *study, int number, double parameters[2])
{
  const double target = 5.0 * fmod(0.618 * number, 1.0), wind = 1.0 - 2.0 * fmod(0.414 * number, 1.0);
  fcps_ask given;
  assert_ok(fcps_study_ask(study, NULL, &target, &wind, &given, NULL));
  assert_int_equal(given.id, number + 1);
  memcpy(parameters, given.parameters, 2 * sizeof *parameters);
}

/* every fifth trial fails */
static void tell(fcps_study *study, int number, const double parameters[2])
{
  const double land = parameters[0] * parameters[0] * sin(2 * parameters[1]) / 2;
  const fcps_result result = {.rollout = {.outcome = number % 5 == 4 ? NULL : &land,
                                          .status = number % 5 == 4 ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK,
                                          .reward = NAN,
                                          .hindsight_reward = NAN}};
  assert_ok(fcps_study_tell(study, number + 1, &result, NULL, NULL));
}

/* asks that stay AHEAD of the results; the last ones are told in the end */
static void work(fcps_study *study, int first, int end, answers *a)
{
  for (int i = first; i < end + AHEAD; i++) {
    if (i < end) ask(study, i, a->asked[i]);
    if (i - AHEAD >= first) tell(study, i - AHEAD, a->asked[i - AHEAD]);
  }
}

static void query(fcps_study *study, answers *a)
{
  const double target = 2.5, wind = 0.1;
  fcps_policy *policy = NULL;
  fcps_prediction prediction = {0};
  assert_ok(fcps_study_policy(study, &policy, NULL));
  assert_ok(fcps_policy_query(policy, &target, &wind, a->best, &prediction));
  a->reward = prediction.reward;
  fcps_policy_destroy(policy);
}

static fcps_study *make(const char *url, const char *learner)
{
  fcps_study *study = NULL;
  fcps_error error = {0};
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw.yaml", .learner = learner, .seed = 1003};
  if (fcps_study_create(&study, url, &setup, NULL, &error) != FCPS_OK) fail_msg("%s", error.message);
  return study;
}

static fcps_study *reopen(fcps_study *study, const char *url)
{
  fcps_error error = {0};
  fcps_study_close(study);
  if (fcps_study_open(&study, url, NULL, &error) != FCPS_OK) fail_msg("%s", error.message);
  return study;
}

/* a study that is opened again after half of its trials, if its store allows this */
static fcps_study *work_in(const char *url, const char *learner, answers *a)
{
  fcps_study *study = make(url, learner);
  work(study, 0, TRIALS / 2, a);
  if (url != NULL) study = reopen(study, url);
  work(study, TRIALS / 2, TRIALS, a);
  query(study, a);
  return study;
}

static void all_stores_give_the_same_answers(void **state)
{
  const char *learner = *state;
  answers in_memory = {0};
  fcps_study *study = work_in(NULL, learner, &in_memory);
  work(study, TRIALS, TRIALS + MORE, &in_memory);
  fcps_study_close(study);
  for (int p = 0; p < 2 && places[p] != NULL; p++) {
    answers kept = {0};
    char url[200], copied[200];
    snprintf(url, sizeof url, "%s-%s", places[p], learner);
    snprintf(copied, sizeof copied, "%s-%s-copy", places[places[1] != NULL ? 1 - p : p],
             learner); /* of the other kind */
    fcps_study_close(work_in(url, learner, &kept));
    int64_t records = 0;
    assert_ok(fcps_study_copy(url, copied, &records, NULL));
    assert_true(records >= 2 * TRIALS);
    assert_ok(fcps_study_open(&study, copied, NULL, NULL));
    work(study, TRIALS, TRIALS + MORE, &kept);
    fcps_study_close(study);
    assert_memory_equal(&in_memory, &kept, sizeof kept);
  }
}

int main(void)
{
  enum { LEARNERS = sizeof learners / sizeof *learners };
  struct CMUnitTest tests[LEARNERS];
  for (int i = 0; i < LEARNERS; i++)
    tests[i] =
        (struct CMUnitTest){learners[i], all_stores_give_the_same_answers, NULL, NULL, (void *)(uintptr_t)learners[i]};
  const test_folder folder = folder_create();
  char file[128], address[160];
  snprintf(file, sizeof file, "%s/study", folder.path);
  places[0] = file;
  if (server_start(&server)) {
    server_url(&server, "study", sizeof address, address);
    places[1] = address;
  } else {
    puts("skipped: postgresql://, because no PostgreSQL could be started");
  }
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  server_remove(&server);
  folder_remove(&folder);
  return failed;
}
