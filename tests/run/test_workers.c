/* SPDX-License-Identifier: Apache-2.0 */
/* Several trials at once, with workers whose trials end in an order that the test chooses: a trial ends only after
 * those before it in that order are stored. */
#include "../study/study_fixture.h"

#include "run/loop.h"

#include <fcps/lab/run.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

enum { MOST = 64 };

/* A place where trials end in a chosen order. */
typedef struct fleet {
  int workers, episodes;
  int order[MOST]; /* the episode, from 0, whose result comes as the first, second, ... */
  int stop_after;  /* results; 0: never */
  int fails_at;    /* this episode, from 0, ends with FCPS_ERR_PROGRAM; -1: none */
  pthread_mutex_t lock;
  pthread_cond_t turned;
  int stored, runs[MOST];
  bool is_halted;
  bool is_line;      /* the outcome is the speed */
  double land[MOST]; /* of each worker's last result */
} fleet;

static int place_of(const fleet *f, int64_t episode)
{
  for (int i = 0; i < f->episodes; i++)
    if (f->order[i] == episode) return i;
  return 0;
}

static fcps_status draw(void *self, int worker, int64_t episode, double *target, double *environment, fcps_error *error)
{
  (void)self;
  (void)worker;
  (void)error;
  *target = 0.1 * (double)(episode % 37);
  *environment = 0.05 * (double)(episode % 11) - 0.3;
  return FCPS_OK;
}

static fcps_status run_throw(void *self, int worker, int64_t episode, const fcps_ask *ask, fcps_result *result,
                             fcps_error *error)
{
  fleet *f = self;
  pthread_mutex_lock(&f->lock);
  f->runs[episode]++;
  while (!f->is_halted && f->workers > 1 && f->stored < place_of(f, episode))
    pthread_cond_wait(&f->turned, &f->lock);
  const bool is_halted = f->is_halted;
  if (episode == f->fails_at) f->stored++; /* its place in the order is taken */
  pthread_cond_broadcast(&f->turned);
  pthread_mutex_unlock(&f->lock);
  error->status = is_halted ? FCPS_ERR_STOPPED : FCPS_ERR_PROGRAM;
  if (is_halted) return FCPS_ERR_STOPPED;
  if (episode == f->fails_at) return FCPS_ERR_PROGRAM;
  f->land[worker] = f->is_line ? ask->parameters[0] : throw_lands(ask->environment, ask->parameters);
  result->rollout.status = FCPS_ROLLOUT_OK;
  result->rollout.outcome = &f->land[worker];
  return FCPS_OK;
}

static void halt(void *self)
{
  fleet *f = self;
  pthread_mutex_lock(&f->lock);
  f->is_halted = true;
  pthread_cond_broadcast(&f->turned);
  pthread_mutex_unlock(&f->lock);
}

static void leave(void *self, int worker)
{
  (void)self;
  (void)worker;
}

/* the next may come: this one is stored */
static fcps_status count_stored(void *user, const fcps_episode *episode)
{
  fleet *f = user;
  if (episode->is_earlier) return FCPS_OK;
  pthread_mutex_lock(&f->lock);
  const int stored = f->stored + 1;
  assert_int_equal(episode->episode, f->order[stored - 1] + 1);
  if (f->fails_at < 0) assert_int_equal(episode->done, stored);
  const bool is_last = stored == f->stop_after;
  if (!is_last) f->stored = stored; /* otherwise no other worker may come */
  pthread_cond_broadcast(&f->turned);
  pthread_mutex_unlock(&f->lock);
  return is_last ? FCPS_ERR_STOPPED : FCPS_OK;
}

static fleet make_fleet(int workers, int episodes)
{
  fleet f = {.workers = workers,
             .episodes = episodes,
             .fails_at = -1,
             .lock = PTHREAD_MUTEX_INITIALIZER,
             .turned = PTHREAD_COND_INITIALIZER};
  for (int i = 0; i < episodes; i++)
    f.order[i] = i;
  return f;
}

static fcps_status run_fleet_until(fleet *f, fcps_study *study, fcps_outlook *outlook, fcps_error *error)
{
  const fcps_trial_runner runner = {.context = draw,
                                    .run = run_throw,
                                    .halt = halt,
                                    .leave = leave,
                                    .is_concurrent = f->workers > 1,
                                    .workers = f->workers,
                                    .self = f};
  const fcps_run_options options = {
      .episodes = f->episodes, .on_episode = count_stored, .user = f, .until_converged = outlook};
  return fcps_run_loop(study, &runner, &options, error);
}

static fcps_status run_fleet(fleet *f, fcps_study *study, fcps_error *error)
{
  return run_fleet_until(f, study, NULL, error);
}

/* An order that four workers can bring about: of the four under way, one that is not always the oldest. */
static void shuffle(fleet *f)
{
  int under_way[MOST], count = 0, next = 0;
  unsigned state = 12345;
  for (int i = 0; i < f->episodes; i++) {
    while (count < f->workers && next < f->episodes)
      under_way[count++] = next++;
    state = state * 1103515245U + 12345U;
    const int chosen = (int)(state >> 16) % count;
    f->order[i] = under_way[chosen];
    under_way[chosen] = under_way[--count];
  }
}

static void expect_same_asks(const fcps_study *a, const fcps_study *b)
{
  assert_int_equal(fcps_study_ask_count(a), fcps_study_ask_count(b));
  for (int i = 0; i < fcps_study_ask_count(a); i++) {
    fcps_ask x, y;
    fcps_study_ask_at(a, i, &x);
    fcps_study_ask_at(b, i, &y);
    assert_int_equal(x.id, y.id);
    assert_memory_equal(x.target, y.target, sizeof(double));
    assert_memory_equal(x.environment, y.environment, sizeof(double));
    assert_memory_equal(x.parameters, y.parameters, 2 * sizeof(double));
  }
}

/* Asks and tells one after another what the fleet asks and tells: four asks, then a result and an ask in turn. */
static void imitate(const fleet *f, fcps_study *study)
{
  int asked = 0;
  double target, environment;
  fcps_ask ask;
  for (int told = 0; told < f->episodes; told++) {
    for (; asked < f->episodes && asked < told + f->workers; asked++) {
      draw(NULL, 0, asked, &target, &environment, NULL);
      assert_ok(fcps_study_ask(study, NULL, &target, &environment, &ask, NULL));
    }
    fcps_study_ask_at(study, f->order[told], &ask);
    const double land = throw_lands(ask.environment, ask.parameters);
    const fcps_result result = {
        .rollout = {.outcome = &land, .status = FCPS_ROLLOUT_OK, .reward = NAN, .hindsight_reward = NAN}};
    assert_ok(fcps_study_tell(study, ask.id, &result, NULL, NULL));
  }
}

static void the_asks_depend_on_the_order_of_the_results_alone(void **state)
{
  (void)state;
  fleet first = make_fleet(4, 20), second = make_fleet(4, 20), other = make_fleet(4, 20);
  shuffle(&first);
  memcpy(second.order, first.order, sizeof first.order);
  fcps_study *a = make_study(NULL, throw_yaml, "bo-fcps"), *b = make_study(NULL, throw_yaml, "bo-fcps"),
             *by_hand = make_study(NULL, throw_yaml, "bo-fcps"), *in_order = make_study(NULL, throw_yaml, "bo-fcps");
  assert_ok(run_fleet(&first, a, NULL));
  assert_ok(run_fleet(&second, b, NULL));
  assert_ok(run_fleet(&other, in_order, NULL));
  imitate(&first, by_hand);
  expect_same_asks(a, b);
  expect_same_asks(a, by_hand);
  fcps_ask x, y;
  fcps_study_ask_at(a, 19, &x);
  fcps_study_ask_at(in_order, 19, &y);
  assert_memory_not_equal(x.parameters, y.parameters, 2 * sizeof(double)); /* another order has other asks */
  for (int i = 0; i < 20; i++)
    assert_int_equal(first.runs[i], 1);
  fcps_study_close(a);
  fcps_study_close(b);
  fcps_study_close(by_hand);
  fcps_study_close(in_order);
}

/* the result of each comes from the worker that has its ask, and says so */
static void every_worker_asks_under_its_own_name(void **state)
{
  (void)state;
  fleet f = make_fleet(3, 9);
  shuffle(&f);
  fcps_study *study = make_study(NULL, throw_yaml, "random");
  assert_ok(run_fleet(&f, study, NULL));
  static const char *const names[] = {"run", "run/2", "run/3"};
  int count[3] = {0};
  for (int i = 0; i < 9; i++) {
    fcps_ask ask;
    fcps_stored_result result;
    fcps_study_ask_at(study, i, &ask);
    assert_true(fcps_study_result_of(study, ask.id, &result));
    assert_string_equal(ask.client, result.result.client);
    for (int k = 0; k < 3; k++)
      count[k] += strcmp(ask.client, names[k]) == 0;
    if (i < 3) assert_string_equal(ask.client, names[i]);
  }
  assert_int_equal(count[0] + count[1] + count[2], 9);
  fcps_study_close(study);
}

/* Ends a run of four in the middle, and goes on with `workers`: the asks that were under way are run, each by one. */
static void go_on_with(int workers)
{
  fleet f = make_fleet(4, 12), next = make_fleet(workers, 12);
  f.stop_after = 5;
  fcps_study *study = make_study(test_path, throw_yaml, "bo-cps");
  fcps_error error = {0};
  assert_int_equal(run_fleet(&f, study, &error), FCPS_ERR_STOPPED);
  fcps_study_close(study);

  study = open_study(test_path);
  /* three were under way; the fourth worker had not asked again when the run was stopped */
  assert_int_equal(fcps_study_ask_count(study), 8);
  assert_int_equal(fcps_study_result_count(study), 5);
  const fcps_trial_runner runner = {.context = draw,
                                    .run = run_throw,
                                    .halt = halt,
                                    .leave = leave,
                                    .is_concurrent = workers > 1,
                                    .workers = workers,
                                    .self = &next};
  const fcps_run_options options = {.episodes = 12};
  next.stored = MOST; /* whoever is first */
  assert_ok(fcps_run_loop(study, &runner, &options, &error));
  assert_int_equal(fcps_study_ask_count(study), 12);
  assert_int_equal(fcps_study_result_count(study), 12);
  for (int i = 0; i < 12; i++)
    assert_int_equal(next.runs[i], i < 5 ? 0 : 1);
  fcps_study_close(study);
  assert_ok(fcps_study_remove(test_path, NULL));
}

static void any_number_of_workers_takes_up_what_was_left(void **state)
{
  (void)state;
  go_on_with(4);
  go_on_with(2);
  go_on_with(1);
  go_on_with(7);
}

/* the others are not lost with a program that is broken */
static void where_one_program_is_broken_the_others_finish_their_trials(void **state)
{
  (void)state;
  fleet f = make_fleet(4, 12);
  f.fails_at = 5;
  f.order[5] = 6, f.order[6] = 7, f.order[7] = 8, f.order[8] = 5;
  fcps_study *study = make_study(NULL, throw_yaml, "random");
  assert_int_equal(run_fleet(&f, study, NULL), FCPS_ERR_PROGRAM);
  assert_int_equal(fcps_study_ask_count(study), 9 + 3);
  assert_int_equal(fcps_study_result_count(study), 8 + 3);
  fcps_ask ask;
  fcps_study_ask_at(study, 5, &ask);
  assert_int_equal(ask.state, FCPS_ASK_PENDING);
  fcps_study_close(study);
}

/* the outcome depends on one parameter alone, so there is soon little to learn */
static void a_run_that_converges_leaves_nothing_unfinished(void **state)
{
  (void)state;
  static const char line_yaml[] = "target: {x: [0, 5]}\nenvironment: {wind: [-1, 1]}\n"
                                  "parameters: {speed: [0, 3], tilt: [0, 1.5]}\noutcome: [land]\n"
                                  "reward: -(land - x)^2\n";
  fleet f = make_fleet(3, 60);
  f.is_line = true;
  fcps_outlook outlook = {0};
  fcps_study *study = make_study(NULL, line_yaml, "outcome");
  assert_ok(run_fleet_until(&f, study, &outlook, NULL));
  assert_true(outlook.is_converged);
  const int count = fcps_study_ask_count(study);
  assert_in_range(count, 30, 59);
  assert_int_equal(fcps_study_result_count(study), count);
  fcps_study_close(study);
}

/* A trial that cannot be stopped: it ends after the run was told to. */
static fcps_status run_on(void *self, int worker, int64_t episode, const fcps_ask *ask, fcps_result *result,
                          fcps_error *error)
{
  fleet *f = self;
  (void)error;
  pthread_mutex_lock(&f->lock);
  while (!f->is_halted && episode > 0)
    pthread_cond_wait(&f->turned, &f->lock);
  pthread_mutex_unlock(&f->lock);
  f->land[worker] = ask->parameters[0];
  result->rollout.status = FCPS_ROLLOUT_OK;
  result->rollout.outcome = &f->land[worker];
  return FCPS_OK;
}

static fcps_status count_any(void *user, const fcps_episode *episode)
{
  fleet *f = user;
  (void)episode;
  f->stored++;
  return FCPS_OK;
}

static bool has_one(void *user)
{
  return ((fleet *)user)->stored > 0;
}

static void a_run_that_is_stopped_counts_what_ended_meanwhile(void **state)
{
  (void)state;
  fleet f = make_fleet(4, 12);
  fcps_study *study = make_study(NULL, throw_yaml, "random");
  const fcps_trial_runner runner = {.context = draw,
                                    .run = run_on,
                                    .halt = halt,
                                    .leave = leave,
                                    .is_concurrent = true,
                                    .workers = f.workers,
                                    .self = &f};
  const fcps_run_options options = {.episodes = f.episodes, .on_episode = count_any, .stop = has_one, .user = &f};
  fcps_error error;
  char words[64];
  assert_status(fcps_run_loop(study, &runner, &options, &error), FCPS_ERR_STOPPED);
  assert_in_range(fcps_study_result_count(study), 2, 5);
  assert_int_equal(f.stored, fcps_study_result_count(study));
  snprintf(words, sizeof words, "stopped after %d of 12 episodes", fcps_study_result_count(study));
  assert_string_equal(error.message, words);
  fcps_study_close(study);
}

/* A task has no threads: its trials end in the order of their asks, also after an interruption. */
static fcps_study *run_task_study(const char *path, int parallel, int stop_after)
{
  fleet f = make_fleet(parallel, 20);
  f.stop_after = stop_after;
  char *origin = fcps_run_origin("cannon", NULL, 3);
  const fcps_study_options how = {.maker = fcps_run_maker()};
  const fcps_study_setup setup = {.origin = origin, .learner = "outcome", .seed = 3};
  fcps_study *study = NULL;
  bool exists = false;
  if (path != NULL) assert_ok(fcps_study_exists(&exists, path, NULL));
  assert_ok(exists ? fcps_study_open(&study, path, &how, NULL) : fcps_study_create(&study, path, &setup, &how, NULL));
  fcps_free(origin);
  const fcps_run_options options = {.episodes = 20,
                                    .evaluate_every = -1,
                                    .on_episode = stop_after > 0 ? count_stored : NULL,
                                    .user = &f,
                                    .parallel = parallel};
  assert_int_equal(fcps_run(study, fcps_run_task(study), &options, NULL), stop_after > 0 ? FCPS_ERR_STOPPED : FCPS_OK);
  return study;
}

static void a_task_with_several_trials_at_once_goes_on_as_if_never_stopped(void **state)
{
  (void)state;
  fcps_study *straight = run_task_study(NULL, 4, 0);
  fcps_study_close(run_task_study(test_path, 4, 6));
  fcps_study *again = run_task_study(test_path, 4, 0), *alone = run_task_study(NULL, 1, 0);
  assert_int_equal(fcps_study_result_count(straight), 20);
  assert_int_equal(fcps_study_result_count(again), 20);
  for (int i = 0; i < 20; i++) {
    fcps_stored_result x, y;
    fcps_study_result_at(straight, i, &x);
    fcps_study_result_at(again, i, &y);
    assert_int_equal(x.ask, i + 1);
    assert_int_equal(y.ask, i + 1);
    assert_memory_equal(x.result.rollout.parameters, y.result.rollout.parameters, 3 * sizeof(double));
    assert_memory_equal(x.result.rollout.outcome, y.result.rollout.outcome, 2 * sizeof(double));
  }
  fcps_ask x, y;
  fcps_study_ask_at(straight, 19, &x);
  fcps_study_ask_at(alone, 19, &y);
  assert_memory_not_equal(x.parameters, y.parameters, 3 * sizeof(double)); /* it knew less when it asked */
  fcps_study_close(straight);
  fcps_study_close(again);
  fcps_study_close(alone);
}

static void a_number_that_no_run_can_have_is_refused(void **state)
{
  (void)state;
  fcps_study *study = make_study(NULL, throw_yaml, "random");
  fcps_error error = {0};
  fcps_run_options options = {.episodes = 1, .parallel = FCPS_RUN_MOST_PARALLEL + 1};
  assert_int_equal(fcps_run_program(study, NULL, &options, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "parallel");
  options.parallel = -1;
  assert_int_equal(fcps_run_program(study, NULL, &options, &error), FCPS_ERR_ARGUMENT);
  fcps_study_close(study);
}

/* -- Programs -- */

/* Draws contexts in the loop's own thread: at the third one the run is to stop, and the call takes as long as the
 * program of the second ask lives. */
typedef struct busy_loop {
  atomic_bool is_stopped;
  char trace[256];
  bool has_ended; /* the program */
} busy_loop;

static bool stop_busy(void *user)
{
  return atomic_load(&((busy_loop *)user)->is_stopped);
}

/* the process of a program, from its line "begin 2 2 PROCESS"; 0: it has not begun */
static long find_process(const char *trace)
{
  long process = 0, found = 0;
  char line[80];
  FILE *file = fopen(trace, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "begin 2 2 %ld", &process) == 1) found = process;
  if (file != NULL) fclose(file);
  return found;
}

static void draw_busily(void *user, int64_t episode, double *target, double *environment)
{
  busy_loop *busy = user;
  *target = 1;
  *environment = 0;
  if (episode != 2) return;
  long process = 0;
  for (int i = 0; i < 2000 && !busy->has_ended; i++) {
    if (process == 0) process = find_process(busy->trace);
    if (process != 0) atomic_store(&busy->is_stopped, true);
    busy->has_ended = process != 0 && kill((pid_t)process, 0) != 0;
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
}

static void programs_stop_also_while_the_loop_is_busy(void **state)
{
  (void)state;
  char yaml[1200];
  busy_loop busy = {.has_ended = false};
  snprintf(busy.trace, sizeof busy.trace, "%s/trace", test_folder);
  snprintf(yaml, sizeof yaml, "%srun: {command: [%s/tests/fleet, %s, slow, \"2\"], timeout_s: 100}\n", throw_yaml,
           TEST_BINARY_DIR, busy.trace);
  fcps_study *study = make_study(NULL, yaml, "random");
  const fcps_run_options options = {
      .episodes = 5, .stop = stop_busy, .context = draw_busily, .user = &busy, .parallel = 2};
  assert_int_equal(fcps_run_program(study, NULL, &options, NULL), FCPS_ERR_STOPPED);
  assert_true(busy.has_ended);
  assert_int_equal(fcps_study_result_count(study), 1);
  fcps_study_close(study);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_asks_depend_on_the_order_of_the_results_alone),
      cmocka_unit_test(every_worker_asks_under_its_own_name),
      cmocka_unit_test_setup_teardown(any_number_of_workers_takes_up_what_was_left, make_folder, remove_folder),
      cmocka_unit_test(where_one_program_is_broken_the_others_finish_their_trials),
      cmocka_unit_test(a_run_that_converges_leaves_nothing_unfinished),
      cmocka_unit_test(a_run_that_is_stopped_counts_what_ended_meanwhile),
      cmocka_unit_test_setup_teardown(a_task_with_several_trials_at_once_goes_on_as_if_never_stopped, make_folder,
                                      remove_folder),
      cmocka_unit_test(a_number_that_no_run_can_have_is_refused),
      cmocka_unit_test_setup_teardown(programs_stop_also_while_the_loop_is_busy, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
