/* SPDX-License-Identifier: Apache-2.0 */
/* Backup and restore: complete copies, also while others write and after kills at any time; no record is lost. */
#include "sqlite_fixture.h"

#include "study/failing_vfs.h"

static void a_backup_is_one_state_while_another_writes(void **state)
{
  (void)state;
  enum { COMMITS = 60 };
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    fcps_store *store = NULL;
    const fcps_store_options patient = {.wait_ms = 60000, .is_relaxed = true};
    if (fcps_store_open(&store, path, patient, NULL) != FCPS_OK) _exit(1);
    for (int i = 0; i < COMMITS; i++) {
      /* two at a time: a half would be seen */
      int64_t sequence;
      const fcps_journal_record record = a_tell(4 + i);
      if (fcps_store_begin(store, true, NULL) != FCPS_OK ||
          fcps_store_append(store, &record, &sequence, NULL) != FCPS_OK ||
          fcps_store_append(store, &record, &sequence, NULL) != FCPS_OK || fcps_store_commit(store, NULL) != FCPS_OK)
        _exit(2);
    }
    _exit(0);
  }
  int last = 0;
  for (int i = 0; i < 12; i++) {
    int64_t records = 0;
    fcps_error error = {0};
    const fcps_status status = fcps_store_backup(path, in_folder("b.fcps"), i > 0, &records, &error);
    if (status != FCPS_OK) fail_msg("%s", error.message);
    const int count = count_records(in_folder("b.fcps"));
    assert_int_equal(count, records);
    assert_int_equal(count % 2, 1);
    assert_true(count >= last);
    last = count;
  }
  assert_int_equal(wait_for(child), 0);
  assert_int_equal(count_records(path), 3 + 2 * COMMITS);
}

static void only_another_study_is_replaced(void **state)
{
  (void)state;
  int64_t records;
  fcps_error error = {0};
  char *kept = NULL;
  assert_int_equal(symlink("a.fcps", in_folder("soft.fcps")), 0);
  assert_int_equal(link(path, in_folder("hard.fcps")), 0);
  const char *const names[] = {path, in_folder("soft.fcps"), in_folder("hard.fcps")};
  for (int i = 0; i < 3; i++) {
    assert_status(fcps_store_backup(path, names[i], true, &records, &error), FCPS_ERR_ARGUMENT);
    assert_status(fcps_store_restore(path, names[i], false, &kept, &records, &error), FCPS_ERR_ARGUMENT);
  }
  unlink(in_folder("hard.fcps"));
  FILE *stream = fopen(in_folder("text"), "w");
  fputs("years of work", stream);
  fclose(stream);
  assert_status(fcps_store_backup(path, in_folder("text"), false, &records, &error), FCPS_ERR_STORE);
  assert_status(fcps_store_backup(path, in_folder("text"), true, &records, &error), FCPS_ERR_FORMAT);
  assert_status(fcps_store_restore(path, in_folder("text"), false, &kept, &records, &error), FCPS_ERR_FORMAT);
  assert_status(fcps_store_restore(in_folder("text"), path, false, &kept, &records, &error), FCPS_ERR_DAMAGED);
  assert_status(fcps_store_backup("memory:", path, true, &records, &error), FCPS_ERR_UNSUPPORTED);
  assert_null(kept);
  assert_int_equal(count_records(path), 3);
}

static void a_study_in_use_is_not_restored(void **state)
{
  (void)state;
  int64_t records;
  fcps_error error = {0};
  char *kept = NULL;
  assert_ok(fcps_store_backup(path, in_folder("b.fcps"), false, &records, &error));
  fcps_store *store = open_store(path);
  assert_status(fcps_store_restore(in_folder("b.fcps"), path, false, &kept, &records, &error), FCPS_ERR_LOCKED);
  assert_ok(fcps_store_hold(store, &error));
  assert_status(fcps_store_restore(in_folder("b.fcps"), path, false, &kept, &records, &error), FCPS_ERR_LOCKED);
  append_alone(store, 4);
  fcps_store_close(store);
  assert_ok(fcps_store_restore(in_folder("b.fcps"), path, false, &kept, &records, &error));
  assert_int_equal(records, 3);
  assert_int_equal(count_records(path), 3);
  assert_int_equal(count_records(kept), 4);
  free(kept);
}

/* another process that has the study open, but does not hold it, notices */
static void a_handle_elsewhere_notices_the_restore(void **state)
{
  (void)state;
  int64_t records;
  char *kept = NULL;
  int to_child[2], from_child[2];
  assert_ok(fcps_store_backup(path, in_folder("b.fcps"), false, &records, NULL));
  assert_int_equal(pipe(to_child) + pipe(from_child), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    fcps_store *store = open_store(path);
    append_alone(store, 4);
    char byte;
    if (write(from_child[1], "x", 1) != 1 || read(to_child[0], &byte, 1) != 1) _exit(1);
    _exit(fcps_store_begin(store, true, NULL) == FCPS_ERR_DAMAGED ? 0 : 2);
  }
  char byte;
  assert_int_equal(read(from_child[0], &byte, 1), 1);
  assert_ok(fcps_store_restore(in_folder("b.fcps"), path, false, &kept, &records, NULL));
  assert_int_equal(write(to_child[1], "x", 1), 1);
  assert_int_equal(wait_for(child), 0);
  assert_int_equal(count_records(kept), 4);
  free(kept);
}

static void a_kill_leaves_the_old_or_the_new_one(void **state)
{
  (void)state;
  int64_t records;
  char *kept = NULL;
  assert_ok(fcps_store_backup(path, in_folder("b.fcps"), false, &records, NULL));
  continue_store(path, 4, 1);
  copy_over(path, in_folder("later"));
  int kills = 0;
  for (long k = 1;; k++) {
    copy_over(in_folder("later"), path);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      install_failing_vfs();
      failing = (struct failing){.fault = FAULT_KILL_BEFORE, .at = k};
      if (fcps_store_backup(path, in_folder("c.fcps"), true, &records, NULL) != FCPS_OK) _exit(1);
      _exit(fcps_store_restore(in_folder("b.fcps"), path, false, &kept, &records, NULL) == FCPS_OK ? 0 : 2);
    }
    const int how = wait_for(child);
    const int there = count_records(path);
    if (!WIFSIGNALED(how)) {
      assert_int_equal(how, 0);
      assert_int_equal(there, 3);
      break;
    }
    kills++;
    assert_int_equal(there, 4);
    if (is_there(in_folder("c.fcps"))) assert_int_equal(count_records(in_folder("c.fcps")), 4);
  }
  assert_true(kills >= 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      CASE(a_backup_is_one_state_while_another_writes),
      CASE(only_another_study_is_replaced),
      CASE(a_study_in_use_is_not_restored),
      CASE(a_handle_elsewhere_notices_the_restore),
      CASE(a_kill_leaves_the_old_or_the_new_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
