/* SPDX-License-Identifier: Apache-2.0 */
/* What every store promises, as one table of cases that is run for each kind of URL; and how URLs are read.
 *
 * A new back-end adds its line to `places`. What it cannot do (its operation is NULL) must be refused with
 * FCPS_ERR_UNSUPPORTED, and the cases expect that. */
#include "postgresql_fixture.h"
#include "store_fixture.h"

#include <fcps/study.h>

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* Where the store of a case is kept. `form` makes URLs from a path in a folder of the case's own. */
typedef struct place {
  const char *name, *scheme, *form;
  char folder[64], url[160], other[160];
  fcps_store *store;
} place;

/* the last place: the studies of a server that the test starts */
static char postgresql_form[128];

static place places[] = {{.name = "a path", .scheme = "sqlite", .form = "%s/%s"},
                         {.name = "sqlite:PATH", .scheme = "sqlite", .form = "sqlite:%s/%s"},
                         {.name = "memory:", .scheme = "memory", .form = "memory:"},
                         {.name = "postgresql://", .scheme = "postgresql", .form = postgresql_form}};
enum { PLACES = sizeof places / sizeof *places };

static void write_url(const place *p, const char *name, size_t size, char *url)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(url, size, p->form, p->folder, name);
#pragma GCC diagnostic pop
}

static int set_up(void **state)
{
  place *p = *state;
  fcps_error error = {0};
  strcpy(p->folder, "/tmp/fcps-store-XXXXXX");
  if (mkdtemp(p->folder) == NULL) return -1;
  write_url(p, "a.fcps", sizeof p->url, p->url);
  write_url(p, "b.fcps", sizeof p->other, p->other);
  fcps_status status = fcps_store_create(&p->store, p->url, options, &error);
  if (status == FCPS_OK) status = fcps_store_commit(p->store, &error);
  return (int)status;
}

static int tear_down(void **state)
{
  place *p = *state;
  fcps_store_close(p->store);
  p->store = NULL;
  return remove_folder(p->folder);
}

static bool is_shared(const place *p)
{
  return p->store->ops->is_shared;
}

static bool is_there(const char *url)
{
  bool exists = false;
  assert_ok(fcps_store_exists(&exists, url, NULL));
  return exists;
}

/* -- Records and texts -- */

static void a_record_comes_back_with_every_bit(void **state)
{
  fcps_store *store = ((place *)*state)->store;
  assert_ok(fcps_store_begin(store, true, NULL));
  append(store, 41);
  assert_ok(fcps_store_commit(store, NULL));
  const seen s = read_all(store, 0);
  assert_int_equal(s.count, 1);
  assert_int_equal(s.asks[0], 41);
  assert_true(s.was_equal);
}

static void records_come_in_order_and_from_any_place(void **state)
{
  fcps_store *store = ((place *)*state)->store;
  for (int64_t ask = 10; ask < 15; ask++) {
    assert_ok(fcps_store_begin(store, true, NULL));
    append(store, ask);
    assert_ok(fcps_store_commit(store, NULL));
  }
  const seen all = read_all(store, 0), tail = read_all(store, all.sequences[2]), none = read_all(store, 99);
  assert_int_equal(all.count, 5);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(all.asks[i], 10 + i);
    assert_int_equal(all.sequences[i], 1 + i);
  }
  assert_int_equal(tail.count, 2);
  assert_int_equal(tail.asks[0], 13);
  assert_int_equal(none.count, 0);
}

static void what_is_rolled_back_never_was(void **state)
{
  fcps_store *store = ((place *)*state)->store;
  char *text = NULL;
  assert_ok(fcps_store_begin(store, true, NULL));
  append(store, 1);
  assert_ok(fcps_store_set(store, "name", "old", NULL));
  assert_ok(fcps_store_commit(store, NULL));
  assert_ok(fcps_store_begin(store, true, NULL));
  append(store, 2);
  assert_ok(fcps_store_set(store, "name", "new", NULL));
  assert_ok(fcps_store_get(store, "name", &text, NULL));
  assert_string_equal(text, "new");
  free(text);
  fcps_store_rollback(store);
  assert_int_equal(read_all(store, 0).count, 1);
  assert_ok(fcps_store_begin(store, true, NULL));
  assert_ok(fcps_store_get(store, "name", &text, NULL));
  assert_string_equal(text, "old");
  free(text);
  append(store, 3);
  assert_ok(fcps_store_commit(store, NULL));
  assert_int_equal(read_all(store, 0).sequences[1], 2);
}

static void a_text_is_replaced_and_a_missing_one_is_null(void **state)
{
  fcps_store *store = ((place *)*state)->store;
  char *text = NULL;
  assert_ok(fcps_store_begin(store, true, NULL));
  assert_ok(fcps_store_set(store, "k", "one", NULL));
  assert_ok(fcps_store_set(store, "k", "two", NULL));
  assert_ok(fcps_store_set(store, "other", "", NULL));
  assert_ok(fcps_store_commit(store, NULL));
  assert_ok(fcps_store_begin(store, false, NULL));
  assert_ok(fcps_store_get(store, "k", &text, NULL));
  assert_string_equal(text, "two");
  free(text);
  assert_ok(fcps_store_get(store, "other", &text, NULL));
  assert_string_equal(text, "");
  free(text);
  assert_ok(fcps_store_get(store, "missing", &text, NULL));
  assert_null(text);
  fcps_store_rollback(store);
}

static fcps_status stop_at_once(void *user, const fcps_journal_record *record, fcps_error *error)
{
  (void)record;
  (void)error;
  ++*(int *)user;
  return FCPS_ERR_STOPPED;
}

static void a_visitor_can_end_the_reading(void **state)
{
  fcps_store *store = ((place *)*state)->store;
  assert_ok(fcps_store_begin(store, true, NULL));
  append(store, 1);
  append(store, 2);
  int visits = 0;
  assert_status(fcps_store_each(store, 0, stop_at_once, &visits, NULL), FCPS_ERR_STOPPED);
  assert_int_equal(visits, 1);
  assert_ok(fcps_store_commit(store, NULL));
}

/* -- Stores by URL -- */

static void a_store_says_its_url_and_its_back_end_is_in_the_table(void **state)
{
  const place *p = *state;
  assert_string_equal(p->store->name, p->url);
  assert_string_equal(p->store->ops->scheme, p->scheme);
  bool is_listed = false;
  for (int i = 0; fcps_store_at(i) != NULL; i++)
    is_listed = is_listed || fcps_store_at(i) == p->store->ops;
  assert_true(is_listed);
}

static void what_was_committed_is_there_after_opening_again(void **state)
{
  place *p = *state;
  fcps_error error = {0};
  append_alone(p->store, 7);
  if (!is_shared(p)) {
    fcps_store *second = NULL;
    assert_status(fcps_store_open(&second, p->url, options, &error), FCPS_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, p->url));
    assert_null(second);
    return;
  }
  assert_ok(fcps_store_begin(p->store, true, NULL));
  append(p->store, 8);
  fcps_store_close(p->store); /* without commit */
  assert_ok(fcps_store_open(&p->store, p->url, options, NULL));
  const seen s = read_all(p->store, 0);
  assert_int_equal(s.count, 1);
  assert_true(s.was_equal);
}

static void a_new_store_never_replaces_one(void **state)
{
  const place *p = *state;
  fcps_store *second = NULL;
  fcps_error error = {0};
  append_alone(p->store, 1);
  if (is_shared(p)) {
    assert_status(fcps_store_create(&second, p->url, options, &error), FCPS_ERR_STORE);
    assert_non_null(strstr(error.message, "exists"));
    assert_null(second);
  } else {
    assert_ok(fcps_store_create(&second, p->url, options, &error));
    append(second, 2); /* it is another one */
    fcps_store_close(second);
  }
  assert_int_equal(read_all(p->store, 0).count, 1);
}

static void a_store_is_there_until_it_is_removed(void **state)
{
  place *p = *state;
  assert_true(is_there(p->url) == is_shared(p));
  assert_false(is_there(p->other));
  if (!is_shared(p)) {
    assert_status(fcps_store_remove(p->url, false, NULL), FCPS_ERR_UNSUPPORTED);
    assert_status(fcps_store_recognize(p->url, NULL), FCPS_ERR_UNSUPPORTED);
    return;
  }
  assert_ok(fcps_store_recognize(p->url, NULL));
  assert_ok(fcps_store_recognize(p->other, NULL));
  assert_ok(fcps_store_reserve(p->store, 1000, NULL));
  fcps_store_close(p->store);
  p->store = NULL;
  assert_ok(fcps_store_remove(p->url, false, NULL));
  assert_false(is_there(p->url));
  assert_ok(fcps_store_remove(p->url, false, NULL)); /* none there */
  assert_int_equal(rmdir(p->folder), 0);             /* nothing was left behind */
  assert_int_equal(mkdir(p->folder, 0700), 0);
}

static void a_store_whose_making_was_cut_off_can_be_removed(void **state)
{
  const place *p = *state;
  fcps_store *half = NULL, *again = NULL;
  assert_ok(fcps_store_create(&half, p->other, options, NULL));
  append(half, 1);
  fcps_store_close(half); /* before its first commit */
  if (is_shared(p)) assert_ok(fcps_store_remove(p->other, false, NULL));
  assert_ok(fcps_store_create(&again, p->other, options, NULL));
  assert_ok(fcps_store_commit(again, NULL));
  assert_int_equal(read_all(again, 0).count, 0);
  fcps_store_close(again);
}

static void a_repair_copies_what_is_there_under_the_same_sequences(void **state)
{
  place *p = *state;
  int64_t saved = 0;
  fcps_error error = {0};
  for (int64_t ask = 1; ask <= 5; ask++)
    append_alone(p->store, ask);
  if (p->store->ops->repair == NULL) {
    assert_status(fcps_store_repair(p->url, p->other, &saved, &error), FCPS_ERR_UNSUPPORTED);
    return;
  }
  assert_status(fcps_store_repair(p->url, "memory:", &saved, &error), FCPS_ERR_UNSUPPORTED);
  assert_ok(fcps_store_repair(p->url, p->other, &saved, &error));
  assert_int_equal(saved, 5);
  assert_true(fcps_store_repair(p->url, p->other, &saved, &error) == FCPS_ERR_STORE); /* it exists now */
  fcps_store_close(p->store);
  assert_ok(fcps_store_open(&p->store, p->other, options, &error));
  const seen s = read_all(p->store, 0);
  assert_int_equal(s.count, 5);
  assert_true(s.was_equal);
  assert_int_equal(s.sequences[4], 5);
}

static void space_can_be_kept_and_given_back(void **state)
{
  const place *p = *state;
  assert_ok(fcps_store_reserve(p->store, 100000, NULL));
  assert_ok(fcps_store_reserve(p->store, 100000, NULL));
  append_alone(p->store, 1);
  assert_ok(fcps_store_reserve(p->store, 0, NULL));
  assert_int_equal(read_all(p->store, 0).count, 1);
}

/* -- Several processes -- */

static void a_second_writer_waits_its_turn_and_readers_do_not(void **state)
{
  const place *p = *state;
  if (!is_shared(p)) return;
  fcps_store *second = NULL;
  assert_ok(fcps_store_open(&second, p->url, options, NULL));
  assert_ok(fcps_store_begin(p->store, true, NULL));
  append(p->store, 1);
  fcps_error error;
  assert_status(fcps_store_begin(second, true, &error), FCPS_ERR_LOCKED);
  assert_non_null(strstr(error.message, p->url));
  assert_int_equal(read_all(second, 0).count, 0);
  assert_ok(fcps_store_commit(p->store, NULL));
  assert_int_equal(read_all(second, 0).count, 1);
  assert_ok(fcps_store_begin(second, true, NULL));
  fcps_store_close(second);
}

static void wait_for(pid_t child)
{
  int how = -1;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_int_equal(how, 0);
}

/* a process of its own that appends `count` records from `ask` on, each in a transaction */
static pid_t start_writer(const char *url, int64_t ask, int count)
{
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child > 0) return child;
  fcps_store *mine = NULL;
  int64_t sequence;
  fcps_status status = fcps_store_open(&mine, url, (fcps_store_options){.wait_ms = 60000}, NULL);
  for (int i = 0; status == FCPS_OK && i < count; i++) {
    const fcps_journal_record record = a_tell(ask + i);
    status = fcps_store_begin(mine, true, NULL);
    if (status == FCPS_OK) status = fcps_store_append(mine, &record, &sequence, NULL);
    if (status == FCPS_OK) status = fcps_store_commit(mine, NULL);
  }
  fcps_store_close(mine);
  _exit((int)status);
}

static void two_writers_share_one_order(void **state)
{
  enum { EACH = 20 };
  const place *p = *state;
  if (!is_shared(p)) return;
  const pid_t first = start_writer(p->url, 100, EACH), second = start_writer(p->url, 200, EACH);
  wait_for(first);
  wait_for(second);
  const seen s = read_all(p->store, 0);
  assert_int_equal(s.count, 2 * EACH);
  int64_t next[2] = {100, 200};
  for (int i = 0; i < s.count; i++) {
    assert_int_equal(s.sequences[i], 1 + i);
    assert_int_equal(s.asks[i], next[s.asks[i] >= 200]++);
  }
}

static void a_killed_writer_leaves_no_lock_and_no_half_record(void **state)
{
  const place *p = *state;
  if (!is_shared(p)) return;
  for (int round = 0; round < 5; round++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      fcps_store *mine = NULL;
      int64_t sequence;
      const fcps_journal_record record = a_tell(5);
      if (fcps_store_open(&mine, p->url, options, NULL) != FCPS_OK || fcps_store_begin(mine, true, NULL) != FCPS_OK ||
          fcps_store_append(mine, &record, &sequence, NULL) != FCPS_OK)
        _exit(1);
      kill(getpid(), SIGKILL);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how));
    assert_int_equal(read_all(p->store, 0).count, round);
    append_alone(p->store, round);
  }
}

/* 0 if the store can be held by this process; else the first that went wrong */
static int try_to_hold(const char *url, const char *holder)
{
  static fcps_store *mine; /* reachable to the end: nobody closes it */
  mine = NULL;
  fcps_error error = {0};
  if (fcps_store_open(&mine, url, options, NULL) != FCPS_OK) return 1;
  if (fcps_store_is_held(mine, &error) != (holder != NULL)) return 7;
  if (holder != NULL && strstr(error.message, holder) == NULL) return 8;
  const fcps_status status = fcps_store_hold(mine, &error);
  if (holder == NULL) return status == FCPS_OK ? 0 : 2;
  if (status != FCPS_ERR_LOCKED || strstr(error.message, holder) == NULL) return 3;
  if (strstr(error.message, url) == NULL) return 4;
  if (fcps_store_remove(url, true, &error) != FCPS_ERR_LOCKED || !is_there(url)) return 5;
  if (fcps_store_begin(mine, true, NULL) != FCPS_OK) return 6; /* a hold is for runs: others may still write */
  fcps_store_close(mine);
  return 0;
}

/* If nobody should hold the study, a database may not have noticed yet that the last process is gone: the test asks
 * again for at most ten seconds. */
static void hold_elsewhere(const char *url, const char *holder)
{
  int how = -1;
  for (int tries = 0; tries < 200 && how != 0; tries++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(try_to_hold(url, holder)); /* without closing it: a hold ends with its process */
    assert_int_equal(waitpid(child, &how, 0), child);
    if (holder != NULL) break;
    if (how != 0) nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  assert_int_equal(how, 0);
}

static void a_second_holder_is_refused_and_told_who_the_first_is(void **state)
{
  place *p = *state;
  assert_ok(fcps_store_hold(p->store, NULL));
  assert_ok(fcps_store_hold(p->store, NULL));
  assert_false(fcps_store_is_held(p->store, NULL)); /* by another */
  if (!is_shared(p)) return;                        /* nobody else can try */
  char holder[32];
  snprintf(holder, sizeof holder, "process %ld ", (long)getpid());
  hold_elsewhere(p->url, holder);
  fcps_store_close(p->store);
  p->store = NULL;
  hold_elsewhere(p->url, NULL);
  hold_elsewhere(p->url, NULL);
  assert_ok(fcps_store_open(&p->store, p->url, options, NULL));
}

/* -- Copies -- */

static void a_copy_has_the_same_records_and_texts(void **state)
{
  place *p = *state;
  int64_t records = 0;
  fcps_error error = {0};
  for (int64_t ask = 1; ask <= 3; ask++)
    append_alone(p->store, ask);
  assert_ok(fcps_store_begin(p->store, true, NULL));
  assert_ok(fcps_store_set(p->store, "name",
                           "gr\xc3\xbc\xc3\x9f"
                           "e",
                           NULL));
  assert_ok(fcps_store_commit(p->store, NULL));
  if (!is_shared(p)) {
    assert_status(fcps_store_copy(p->url, p->other, options, &records, &error), FCPS_ERR_UNSUPPORTED);
    return;
  }
  char file[160];
  snprintf(file, sizeof file, "%s/copy.fcps", p->folder);
  assert_ok(fcps_store_copy(p->url, file, options, &records, &error));
  assert_int_equal(records, 3);
  assert_ok(fcps_store_copy(file, p->other, options, &records, &error));
  assert_status(fcps_store_copy(file, p->other, options, &records, &error), FCPS_ERR_STORE); /* it exists */
  fcps_store_close(p->store);
  assert_ok(fcps_store_open(&p->store, p->other, options, NULL));
  const seen s = read_all(p->store, 0);
  assert_int_equal(s.count, 3);
  assert_true(s.was_equal);
  assert_int_equal(s.sequences[2], 3);
  char *text = NULL;
  assert_ok(fcps_store_begin(p->store, false, NULL));
  assert_ok(fcps_store_get(p->store, "name", &text, NULL));
  assert_string_equal(text, "gr\xc3\xbc\xc3\x9f"
                            "e");
  free(text);
  fcps_store_rollback(p->store);
}

/* -- A study -- */

static const char throw_yaml[] = "name: throw\n"
                                 "target: {x: [0, 5]}\n"
                                 "parameters: {speed: [0, 3], tilt: [0, 1.5]}\n"
                                 "outcome: [land]\n"
                                 "achieved: {x: land}\n"
                                 "reward: \"-distance - 0.05*speed\"\n"
                                 "learner: {name: outcome}\n";
enum { TRIALS = 12, ASKED = 6 }; /* two parameters and what was expected */

/* asks and tells, with an amendment in the middle; where others can open the study, it is closed before each step */
static void study_once(const char *url, double *asked)
{
  fcps_study *study = NULL;
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw.yaml", .seed = 3};
  const fcps_study_options relaxed = {.is_relaxed = true};
  assert_ok(fcps_study_create(&study, url, &setup, &relaxed, NULL));
  const char *again = fcps_study_url(study) != NULL ? url : NULL;
  for (int i = 0; i < TRIALS; i++) {
    fcps_ask ask;
    const double target = 0.4 * i;
    assert_ok(fcps_study_ask(study, "robot", &target, NULL, &ask, NULL));
    if (again != NULL) {
      fcps_study_close(study);
      assert_ok(fcps_study_open(&study, again, &relaxed, NULL));
    }
    fcps_study_ask_at(study, i, &ask);
    const fcps_expectation *e = &ask.expectation;
    const double numbers[ASKED] = {ask.parameters[0],
                                   ask.parameters[1],
                                   e->has_outcome ? *e->outcome : -1.0,
                                   e->has_outcome ? *e->outcome_deviation : -1.0,
                                   e->reward,
                                   e->reward_deviation};
    memcpy(asked + ASKED * i, numbers, sizeof numbers);
    const double land = numbers[0] * numbers[0] * sin(2 * numbers[1]) / 2;
    assert_ok(fcps_study_tell(study, i + 1, &(fcps_result){.rollout.outcome = &land}, NULL, NULL));
    if (i == TRIALS / 2) assert_ok(fcps_study_amend(study, "reward", "-2*distance", NULL));
  }
  assert_int_equal(fcps_study_result_count(study), TRIALS);
  fcps_study_close(study);
}

static void a_study_asks_and_expects_the_same_wherever_it_is_kept(void **state)
{
  const place *p = *state;
  double asked[ASKED * TRIALS], expected[ASKED * TRIALS];
  study_once(NULL, expected);
  study_once(p->other, asked);
  assert_memory_equal(asked, expected, sizeof asked);
  assert_true(asked[ASKED * TRIALS - 3] > 0.0); /* the deviation of the last */
}

/* -- URLs -- */

static void a_name_is_a_url_only_where_its_scheme_is_known_or_meant(void **state)
{
  (void)state;
  static const char *const cases[][3] = {
      /* name, scheme, address */
      {"throw.fcps", "sqlite", "throw.fcps"},
      {"/tmp/a b", "sqlite", "/tmp/a b"},
      {"a:b.fcps", "sqlite", "a:b.fcps"},
      {"C:x", "sqlite", "C:x"},
      {"c:/x", "sqlite", "c:/x"},
      {"./memory:", "sqlite", "./memory:"},
      {"./postgresql://host/db", "sqlite", "./postgresql://host/db"},
      {"SQLite:x", "sqlite", "SQLite:x"},
      {":memory:", "sqlite", ":memory:"},
      {"1st://x", "sqlite", "1st://x"},
      {"dir/a://b", "sqlite", "dir/a://b"},
      {"sqlitex:y", "sqlite", "sqlitex:y"},
      {"sqlite:x", "sqlite", "x"},
      {"sqlite:memory:", "sqlite", "memory:"},
      {"sqlite:/tmp/x", "sqlite", "/tmp/x"},
      {"postgresql://host/db#name", "postgresql", "//host/db#name"},
      {"memory:", "memory", ""},
      {NULL, "memory", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_store_url url;
    assert_ok(fcps_store_read_url(&url, cases[i][0], NULL));
    assert_string_equal(url.ops->scheme, cases[i][1]);
    assert_string_equal(url.address, cases[i][2]);
    assert_string_equal(url.name, cases[i][0] != NULL ? cases[i][0] : "memory:");
  }
}

/* Other programs write sqlite:///x for a path, and do not mean a file of the root folder. */
static void slashes_after_a_scheme_of_paths_are_refused(void **state)
{
  (void)state;
  static const char *const texts[] = {"sqlite://x.fcps", "sqlite:///x.fcps", "sqlite:", "memory:x"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    fcps_store_url url;
    fcps_error error = {0};
    assert_int_equal(fcps_store_read_url(&url, texts[i], &error), FCPS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "such a store is written"));
  }
  fcps_store_url url;
  fcps_error error = {0};
  assert_int_equal(fcps_store_read_url(&url, "", &error), FCPS_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "is empty"));
}

static void an_unknown_scheme_is_refused_with_those_that_exist(void **state)
{
  (void)state;
  fcps_store *store = NULL;
  fcps_error error = {0};
  bool exists = true;
  int64_t saved = 1;
  assert_status(fcps_store_open(&store, "mysql://host/db#name", options, &error), FCPS_ERR_UNKNOWN_NAME);
  assert_non_null(strstr(error.message, "mysql:"));
  for (int i = 0; fcps_store_at(i) != NULL; i++)
    assert_non_null(strstr(error.message, fcps_store_at(i)->form));
  assert_status(fcps_store_create(&store, "x+y-2.0://", options, &error), FCPS_ERR_UNKNOWN_NAME);
  assert_status(fcps_store_exists(&exists, "file://x", &error), FCPS_ERR_UNKNOWN_NAME);
  assert_false(exists);
  assert_status(fcps_store_remove("file://x", true, &error), FCPS_ERR_UNKNOWN_NAME);
  assert_status(fcps_store_repair("x", "file://y", &saved, &error), FCPS_ERR_UNKNOWN_NAME);
  assert_status(fcps_store_create(&store, "sqlite:", options, &error), FCPS_ERR_ARGUMENT);
  assert_status(fcps_store_create(&store, "memory:name", options, &error), FCPS_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "./"));
  assert_null(store);
}

static void every_back_end_is_tested(void **state)
{
  (void)state;
  for (int i = 0; fcps_store_at(i) != NULL; i++) {
    bool is_tested = false;
    for (int p = 0; p < PLACES; p++)
      is_tested = is_tested || strcmp(places[p].scheme, fcps_store_at(i)->scheme) == 0;
    if (!is_tested) fail_msg("%s has no line in `places`", fcps_store_at(i)->form);
  }
}

#define CASE(test)                                                                                                     \
  {                                                                                                                    \
#test, test                                                                                                        \
  }

int main(void)
{
  static const struct {
    const char *name;
    CMUnitTestFunction test;
  } cases[] = {
      CASE(a_record_comes_back_with_every_bit),
      CASE(records_come_in_order_and_from_any_place),
      CASE(what_is_rolled_back_never_was),
      CASE(a_text_is_replaced_and_a_missing_one_is_null),
      CASE(a_visitor_can_end_the_reading),
      CASE(a_store_says_its_url_and_its_back_end_is_in_the_table),
      CASE(what_was_committed_is_there_after_opening_again),
      CASE(a_new_store_never_replaces_one),
      CASE(a_store_is_there_until_it_is_removed),
      CASE(a_store_whose_making_was_cut_off_can_be_removed),
      CASE(a_repair_copies_what_is_there_under_the_same_sequences),
      CASE(space_can_be_kept_and_given_back),
      CASE(a_second_writer_waits_its_turn_and_readers_do_not),
      CASE(two_writers_share_one_order),
      CASE(a_killed_writer_leaves_no_lock_and_no_half_record),
      CASE(a_second_holder_is_refused_and_told_who_the_first_is),
      CASE(a_copy_has_the_same_records_and_texts),
      CASE(a_study_asks_and_expects_the_same_wherever_it_is_kept),
  };
  enum { CASES = sizeof cases / sizeof *cases };
  enum { OTHERS = 4 };
  static char names[PLACES][CASES][120];
  struct CMUnitTest tests[OTHERS + PLACES * CASES] = {
      cmocka_unit_test(a_name_is_a_url_only_where_its_scheme_is_known_or_meant),
      cmocka_unit_test(slashes_after_a_scheme_of_paths_are_refused),
      cmocka_unit_test(an_unknown_scheme_is_refused_with_those_that_exist),
      cmocka_unit_test(every_back_end_is_tested),
  };
  postgresql_server server = {0};
  const bool has_server = server_start(&server);
  snprintf(postgresql_form, sizeof postgresql_form, "postgresql:///postgres?host=%s&user=fcps#%%s/%%s", server.folder);
  if (!has_server) puts("skipped: the cases of postgresql://, see above");
  const int count = has_server ? PLACES : PLACES - 1;
  for (int p = 0; p < count; p++)
    for (int c = 0; c < CASES; c++) {
      snprintf(names[p][c], sizeof names[p][c], "%s (%s)", cases[c].name, places[p].name);
      tests[OTHERS + p * CASES + c] = (struct CMUnitTest){names[p][c], cases[c].test, set_up, tear_down, &places[p]};
    }
  const int failed = _cmocka_run_group_tests("stores", tests, (size_t)(OTHERS + count * CASES), NULL, NULL);
  server_remove(&server);
  return failed;
}
