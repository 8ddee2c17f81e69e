/* SPDX-License-Identifier: Apache-2.0 */
/* One body that every back-end must pass, and what only a file can do. */
#include "store/store.h"

#include "check.h"

#include <fcntl.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const fcps_store_options options = {.wait_ms = 100};

typedef struct backend {
  const char *name;
  bool is_file;
  char folder[64], path[96];
  fcps_store *store;
} backend;

static backend memory = {.name = "memory"}, sqlite = {.name = "sqlite", .is_file = true};

static int set_up(void **state)
{
  backend *b = *state;
  fcps_error error;
  if (!b->is_file) return (int)fcps_store_memory(&b->store, &error);
  strcpy(b->folder, "/tmp/fcps-store-XXXXXX");
  if (mkdtemp(b->folder) == NULL) return -1;
  snprintf(b->path, sizeof b->path, "%s/a.fcps", b->folder);
  fcps_status status = fcps_store_sqlite_create(&b->store, b->path, options, &error);
  if (status == FCPS_OK) status = fcps_store_commit(b->store, &error);
  return (int)status;
}

static int tear_down(void **state)
{
  backend *b = *state;
  fcps_store_close(b->store);
  b->store = NULL;
  if (!b->is_file) return 0;
  static const char *const files[] = {"a.fcps", "a.fcps-journal", "a.fcps-reserve", "b.fcps"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", b->folder, files[i]);
    unlink(path);
  }
  return rmdir(b->folder);
}

static const double odd_numbers[] = {0.1, -0.0, NAN, INFINITY, -INFINITY, DBL_MAX, 5e-324};

static fcps_journal_record a_tell(int64_t ask)
{
  return (fcps_journal_record){.kind = FCPS_JOURNAL_TELL,
                               .ask = ask,
                               .other = 1,
                               .time_ms = -5,
                               .status = FCPS_ROLLOUT_TIMEOUT,
                               .reward = -INFINITY,
                               .hindsight_reward = NAN,
                               .target = {7, odd_numbers},
                               .environment = {0, odd_numbers},
                               .parameters = {2, odd_numbers},
                               .client = "robot \"1\"",
                               .text = "gr\xc3\xbc\xc3\x9f"
                                       "e"};
}

typedef struct seen {
  int count;
  int64_t asks[16], sequences[16];
  bool was_equal;
} seen;

static bool same_bits(const fcps_numbers *numbers, int count)
{
  if (numbers->count != count || numbers->values == NULL) return false;
  for (int i = 0; i < count; i++) {
    const bool nans = isnan(numbers->values[i]) && isnan(odd_numbers[i]);
    if (!nans && memcmp(&numbers->values[i], &odd_numbers[i], sizeof(double)) != 0) return false;
  }
  return true;
}

static fcps_status look(void *user, const fcps_journal_record *r, fcps_error *error)
{
  (void)error;
  seen *s = user;
  const fcps_journal_record wanted = a_tell(r->ask);
  s->was_equal = r->kind == wanted.kind && r->other == 1 && r->time_ms == -5 && r->status == wanted.status &&
                 isinf(r->reward) && isnan(r->hindsight_reward) && same_bits(&r->target, 7) &&
                 r->environment.count == 0 && r->environment.values != NULL && same_bits(&r->parameters, 2) &&
                 r->outcome.values == NULL && strcmp(r->client, wanted.client) == 0 &&
                 strcmp(r->text, wanted.text) == 0;
  s->asks[s->count] = r->ask;
  s->sequences[s->count++] = r->sequence;
  return FCPS_OK;
}

static void append(fcps_store *store, int64_t ask)
{
  int64_t sequence = 0;
  const fcps_journal_record record = a_tell(ask);
  assert_ok(fcps_store_append(store, &record, &sequence, NULL));
}

static seen read_all(fcps_store *store, int64_t after)
{
  seen s = {0};
  assert_ok(fcps_store_begin(store, false, NULL));
  assert_ok(fcps_store_each(store, after, look, &s, NULL));
  assert_ok(fcps_store_commit(store, NULL));
  return s;
}

static void a_record_comes_back_with_every_bit(void **state)
{
  fcps_store *store = ((backend *)*state)->store;
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
  fcps_store *store = ((backend *)*state)->store;
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
  fcps_store *store = ((backend *)*state)->store;
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
  fcps_store *store = ((backend *)*state)->store;
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
  fcps_store *store = ((backend *)*state)->store;
  assert_ok(fcps_store_begin(store, true, NULL));
  append(store, 1);
  append(store, 2);
  int visits = 0;
  assert_status(fcps_store_each(store, 0, stop_at_once, &visits, NULL), FCPS_ERR_STOPPED);
  assert_int_equal(visits, 1);
  assert_ok(fcps_store_commit(store, NULL));
}

static void a_file_keeps_what_was_committed(void **state)
{
  backend *b = *state;
  assert_ok(fcps_store_begin(b->store, true, NULL));
  append(b->store, 7);
  assert_ok(fcps_store_commit(b->store, NULL));
  assert_ok(fcps_store_begin(b->store, true, NULL));
  append(b->store, 8);
  fcps_store_close(b->store); /* without commit */
  assert_ok(fcps_store_sqlite_open(&b->store, b->path, options, NULL));
  const seen s = read_all(b->store, 0);
  assert_int_equal(s.count, 1);
  assert_true(s.was_equal);
}

static void a_second_writer_waits_its_turn_and_readers_do_not(void **state)
{
  backend *b = *state;
  fcps_store *second = NULL;
  assert_ok(fcps_store_sqlite_open(&second, b->path, options, NULL));
  assert_ok(fcps_store_begin(b->store, true, NULL));
  append(b->store, 1);
  fcps_error error;
  assert_status(fcps_store_begin(second, true, &error), FCPS_ERR_LOCKED);
  assert_int_equal(read_all(second, 0).count, 0);
  assert_ok(fcps_store_commit(b->store, NULL));
  assert_int_equal(read_all(second, 0).count, 1);
  assert_ok(fcps_store_begin(second, true, NULL));
  fcps_store_close(second);
}

static void a_new_file_never_replaces_one(void **state)
{
  backend *b = *state;
  fcps_store *second = NULL;
  fcps_error error;
  assert_status(fcps_store_sqlite_create(&second, b->path, options, &error), FCPS_ERR_STORE);
  assert_non_null(strstr(error.message, "exists"));
  assert_null(second);
  assert_int_equal(access(b->path, F_OK), 0);
}

static void overwrite(const char *path, long offset, const char *bytes, size_t length)
{
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, offset, SEEK_SET);
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  fclose(file);
}

static void other_files_are_refused_untouched(void **state)
{
  backend *b = *state;
  fcps_error error;
  fcps_store_close(b->store);
  b->store = NULL;
  char path[128];
  snprintf(path, sizeof path, "%s/b.fcps", b->folder);
  assert_status(fcps_store_sqlite_open(&b->store, path, options, &error), FCPS_ERR_IO);
  FILE *file = fopen(path, "w");
  fprintf(file, "%05000d", 7);
  fclose(file);
  assert_status(fcps_store_sqlite_open(&b->store, path, options, &error), FCPS_ERR_DAMAGED);
  assert_null(b->store);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_size, 5000);
  /* a later format: user_version is the big-endian number at offset 60 of the head */
  overwrite(b->path, 60, "\0\0\0\2", 4);
  assert_status(fcps_store_sqlite_open(&b->store, b->path, options, &error), FCPS_ERR_FORMAT);
  assert_non_null(strstr(error.message, "newer"));
}

static void a_damaged_file_is_refused_and_what_can_be_read_is_saved(void **state)
{
  backend *b = *state;
  assert_ok(fcps_store_begin(b->store, true, NULL));
  for (int i = 0; i < 400; i++)
    append(b->store, i);
  assert_ok(fcps_store_set(b->store, "problem", "name: x", NULL));
  assert_ok(fcps_store_commit(b->store, NULL));
  fcps_store_close(b->store);
  b->store = NULL;
  char junk[512], copy[128];
  memset(junk, 0xff, sizeof junk);
  overwrite(b->path, 9L * 4096, junk, sizeof junk); /* the head of a page with records */
  fcps_error error;
  assert_status(fcps_store_sqlite_open(&b->store, b->path, options, &error), FCPS_ERR_DAMAGED);
  assert_non_null(strstr(error.message, "repair"));
  snprintf(copy, sizeof copy, "%s/b.fcps", b->folder);
  int64_t saved = 0;
  assert_ok(fcps_store_sqlite_repair(b->path, copy, &saved, &error));
  assert_in_range(saved, 350, 399);
  assert_ok(fcps_store_sqlite_open(&b->store, copy, options, &error));
  assert_ok(fcps_store_begin(b->store, false, NULL));
  char *text = NULL;
  assert_ok(fcps_store_get(b->store, "problem", &text, NULL));
  assert_string_equal(text, "name: x");
  free(text);
  fcps_store_rollback(b->store);
}

static void reserved_space_is_on_the_disk_until_it_is_given_back(void **state)
{
  backend *b = *state;
  char path[128];
  struct stat info;
  snprintf(path, sizeof path, "%s-reserve", b->path);
  assert_ok(fcps_store_reserve(b->store, 100000, NULL));
  assert_int_equal(stat(path, &info), 0);
  assert_true(info.st_blocks * 512 >= 100000);
  assert_ok(fcps_store_reserve(b->store, 100000, NULL));
  assert_ok(fcps_store_reserve(b->store, 0, NULL));
  assert_int_not_equal(stat(path, &info), 0);
}

static void a_killed_writer_leaves_no_lock_and_no_half_record(void **state)
{
  backend *b = *state;
  for (int round = 0; round < 5; round++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      fcps_store *mine = NULL;
      int64_t sequence;
      const fcps_journal_record record = a_tell(5);
      if (fcps_store_sqlite_open(&mine, b->path, options, NULL) != FCPS_OK ||
          fcps_store_begin(mine, true, NULL) != FCPS_OK || fcps_store_append(mine, &record, &sequence, NULL) != FCPS_OK)
        _exit(1);
      kill(getpid(), SIGKILL);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how));
    assert_int_equal(read_all(b->store, 0).count, round);
    assert_ok(fcps_store_begin(b->store, true, NULL));
    append(b->store, round);
    assert_ok(fcps_store_commit(b->store, NULL));
  }
}

#define BOTH(test)                                                                                                     \
  {#test " (memory)", test, set_up, tear_down, &memory},                                                               \
  {                                                                                                                    \
#test " (sqlite)", test, set_up, tear_down, &sqlite                                                                \
  }
#define FILE_ONLY(test)                                                                                                \
  {                                                                                                                    \
#test, test, set_up, tear_down, &sqlite                                                                            \
  }

int main(void)
{
  const struct CMUnitTest tests[] = {
      BOTH(a_record_comes_back_with_every_bit),
      BOTH(records_come_in_order_and_from_any_place),
      BOTH(what_is_rolled_back_never_was),
      BOTH(a_text_is_replaced_and_a_missing_one_is_null),
      BOTH(a_visitor_can_end_the_reading),
      FILE_ONLY(a_file_keeps_what_was_committed),
      FILE_ONLY(a_second_writer_waits_its_turn_and_readers_do_not),
      FILE_ONLY(a_new_file_never_replaces_one),
      FILE_ONLY(other_files_are_refused_untouched),
      FILE_ONLY(a_damaged_file_is_refused_and_what_can_be_read_is_saved),
      FILE_ONLY(reserved_space_is_on_the_disk_until_it_is_given_back),
      FILE_ONLY(a_killed_writer_leaves_no_lock_and_no_half_record),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
