/* SPDX-License-Identifier: Apache-2.0 */
/* Asks that come faster than the model can be fitted: the last fit is used, this is said once for each fit, and the same order
 * of asks and results gives the same asks in every store. */
#include "check.h"
#include "folder.h"

#include <fcps/study_lease.h>

#include <math.h>
#include <string.h>

static const char throw_yaml[] = "target: {x: [0, 3]}\n"
                                 "parameters: {speed: [0, 3]}\n"
                                 "outcome: [land]\n"
                                 "achieved: {x: land}\n"
                                 "reward: -distance\n"
                                 "learner: {name: outcome}\n";

enum { TRIALS = 40, MANY = 30 };

static void draw(void *user, int64_t index, double *target, double *environment)
{
  (void)user;
  (void)environment;
  target[0] = (double)(index % 7) / 2.5;
}

static void count_warnings(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)level;
  (void)message;
  *(int *)user += strcmp(code, "W_FIT_PUT_OFF") == 0;
}

/* One trial after the other, by `workers` workers in turn: all but one of them wait. */
static int work(const char *url, int workers, double *asked, int *warnings)
{
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw.yaml", .seed = 1003};
  const fcps_study_options options = {.is_relaxed = true, .log = {count_warnings, warnings}};
  fcps_study *study = NULL;
  int notes = 0;
  *warnings = 0;
  assert_ok(fcps_study_create(&study, url, &setup, &options, NULL));
  for (int i = 0; i < TRIALS; i++) {
    char worker[32];
    snprintf(worker, sizeof worker, "w%d/1", i % workers);
    const fcps_lease_request request = {.worker = worker, .lease_ms = 600000, .context = draw};
    fcps_ask ask;
    assert_ok(fcps_study_ask_leased(study, &request, &ask, NULL));
    asked[i] = ask.parameters[0];
    const double land = ask.parameters[0] + 0.2 * sin(3 * ask.parameters[0]);
    const fcps_result result = {.rollout = {.outcome = &land, .reward = NAN, .hindsight_reward = NAN},
                                .client = worker};
    assert_ok(fcps_study_tell(study, ask.id, &result, NULL, NULL));
  }
  const fcps_study_event *event;
  for (int i = 0; (event = fcps_study_event_at(study, i)) != NULL; i++)
    notes += strcmp(event->code, "FIT_PUT_OFF") == 0;
  fcps_study_close(study);
  return notes;
}

static void a_worker_that_waits_for_nobody_gets_every_fit(void **state)
{
  double asked[TRIALS], again[TRIALS];
  int warnings;
  (void)state;
  assert_int_equal(work(NULL, 1, asked, &warnings), 0);
  assert_int_equal(warnings, 0);
  assert_int_equal(work(NULL, 2, again, &warnings), 0);
  assert_memory_equal(asked, again, sizeof asked);
}

static void workers_that_come_once_wait_for_nothing(void **state)
{
  double calm[TRIALS], asked[TRIALS];
  int warnings;
  (void)state;
  work(NULL, 1, calm, &warnings);
  assert_int_equal(work(NULL, TRIALS, asked, &warnings), 0);
  assert_int_equal(warnings, 0);
  assert_memory_equal(calm, asked, sizeof calm);
}

static void many_that_wait_get_the_last_fit_and_are_told_once_for_each(void **state)
{
  double calm[TRIALS], asked[TRIALS];
  int warnings;
  (void)state;
  work(NULL, 1, calm, &warnings);
  const int notes = work(NULL, MANY, asked, &warnings);
  assert_true(notes > 0 && notes < TRIALS / 2);
  assert_int_equal(warnings, notes);
  assert_memory_not_equal(calm, asked, sizeof calm);
}

static void the_same_order_gives_the_same_asks_in_every_store(void **state)
{
  double in_memory[TRIALS], in_file[TRIALS];
  int warnings;
  (void)state;
  const test_folder folder = folder_create();
  assert_int_equal(work(NULL, MANY, in_memory, &warnings),
                   work(folder_file(&folder, "study.fcps"), MANY, in_file, &warnings));
  assert_memory_equal(in_memory, in_file, sizeof in_memory);
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_worker_that_waits_for_nobody_gets_every_fit),
      cmocka_unit_test(workers_that_come_once_wait_for_nothing),
      cmocka_unit_test(many_that_wait_get_the_last_fit_and_are_told_once_for_each),
      cmocka_unit_test(the_same_order_gives_the_same_asks_in_every_store),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
