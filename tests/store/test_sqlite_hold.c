/* SPDX-License-Identifier: Apache-2.0 */
/* The hold: between two handles of one process, through other names of the file, and while processes of a killed holder
 * live. */
#define _GNU_SOURCE /* syscall, F_OFD_SETLK */
#include "sqlite_fixture.h"

#include "base/process.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>

/* the locks of a file system that has none: every lock of this program fails as long as this is not 0 */
static int lock_error;

int fcntl(int file, int command, ...)
{
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  const bool is_lock = command == F_SETLK || command == F_OFD_SETLK;
  if (is_lock && lock_error) {
    errno = lock_error;
    return -1;
  }
  return (int)syscall(SYS_fcntl, file, command, argument);
}

static void two_handles_of_one_process_exclude_each_other(void **state)
{
  (void)state;
  fcps_error error = {0};
  fcps_store *first = open_store(path), *second = open_store(path);
  assert_ok(fcps_store_hold(first, &error));
  assert_ok(fcps_store_hold(first, &error));
  assert_status(fcps_store_hold(second, &error), FCPS_ERR_LOCKED);
  assert_non_null(strstr(error.message, "this process"));
  assert_int_equal(fcps_store_hold_file(second), -1);
  assert_true(fcps_store_hold_file(first) >= 0);
  /* closing the one that does not hold frees nothing */
  fcps_store_close(second);
  second = open_store(path);
  assert_status(fcps_store_hold(second, NULL), FCPS_ERR_LOCKED);
  append_alone(second, 7); /* a hold is for runs: others may still write */
  fcps_store_close(first);
  assert_ok(fcps_store_hold(second, &error));
  fcps_store_close(second);
  assert_int_equal(count_names("a.fcps"), 1);
}

static void the_hold_is_the_same_under_every_name(void **state)
{
  (void)state;
  fcps_error error = {0};
  char before[256], dots[256];
  snprintf(dots, sizeof dots, "%s/../%s/a.fcps", folder, strrchr(folder, '/') + 1);
  assert_int_equal(symlink("a.fcps", in_folder("soft.fcps")), 0);
  assert_int_equal(symlink(".", in_folder("here")), 0);
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(folder), 0);
  const char *const names[] = {in_folder("soft.fcps"), dots, "a.fcps", "./soft.fcps", "here/a.fcps"};
  fcps_store *first = open_store(path);
  assert_ok(fcps_store_hold(first, &error));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    fcps_store *other = open_store(names[i]);
    assert_status(fcps_store_hold(other, &error), FCPS_ERR_LOCKED);
    fcps_store_close(other);
  }
  fcps_store_close(first);
  assert_int_equal(chdir(before), 0);
}

static void a_store_with_hard_links_is_read_but_not_written(void **state)
{
  (void)state;
  fcps_error error = {0};
  fcps_store *first = open_store(path);
  assert_ok(fcps_store_hold(first, &error));
  assert_int_equal(link(path, in_folder("hard.fcps")), 0);
  append_alone(first, 7); /* it was there before the link */
  fcps_store *other = open_store(in_folder("hard.fcps"));
  assert_int_equal(read_all(other, 0).count, 4);
  assert_status(fcps_store_hold(other, &error), FCPS_ERR_STORE);
  assert_status(fcps_store_begin(other, true, &error), FCPS_ERR_STORE);
  assert_non_null(strstr(error.message, "hard links"));
  fcps_store_close(other);
  fcps_store_close(first);
  assert_int_equal(unlink(in_folder("hard.fcps")), 0);
  continue_store(path, 8, 1);
}

static void what_is_open_here_is_not_removed(void **state)
{
  (void)state;
  fcps_error error = {0};
  assert_int_equal(symlink("a.fcps", in_folder("soft.fcps")), 0);
  fcps_store *store = open_store(path), *second = open_store(path);
  assert_status(fcps_store_remove(path, false, &error), FCPS_ERR_LOCKED);
  assert_non_null(strstr(error.message, "open in this process"));
  assert_status(fcps_store_remove(in_folder("soft.fcps"), true, &error), FCPS_ERR_LOCKED);
  fcps_store_close(second);
  assert_status(fcps_store_remove(path, true, &error), FCPS_ERR_LOCKED);
  append_alone(store, 7);
  fcps_store_close(store);
  assert_ok(fcps_store_remove(in_folder("soft.fcps"), false, &error));
  assert_int_equal(count_names("a.fcps") + count_names("soft"), 0);
}

/* code that looks at a file must not release the locks that SQLite has on it in this process */
static void looking_at_a_file_keeps_its_locks(void **state)
{
  (void)state;
  static fcps_store *writer; /* reachable to the end of the child, which closes nothing */
  writer = open_store(path);
  assert_ok(fcps_store_begin(writer, true, NULL));
  append(writer, 7);
  bool exists = false;
  assert_ok(fcps_store_recognize(path, NULL));
  assert_ok(fcps_store_exists(&exists, path, NULL));
  assert_status(fcps_store_remove(path, false, NULL), FCPS_ERR_LOCKED);
  fcps_store *reader = open_store(path);
  fcps_store_close(reader);
  const pid_t child = fork();
  if (child == 0) {
    static fcps_store *other;
    if (fcps_store_open(&other, path, options, NULL) != FCPS_OK) _exit(1);
    _exit(fcps_store_begin(other, true, NULL) == FCPS_ERR_LOCKED ? 0 : 2);
  }
  assert_int_equal(wait_for(child), 0);
  assert_ok(fcps_store_commit(writer, NULL));
  fcps_store_close(writer);
}

/* a holder is killed while a program that has inherited its hold still runs for `seconds` */
static void leave_a_program(int seconds)
{
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    fcps_store *store = NULL;
    if (fcps_store_open(&store, path, options, NULL) != FCPS_OK || fcps_store_hold(store, NULL) != FCPS_OK) _exit(1);
    if (fork() == 0) {
      close(ends[0]);
      close(ends[1]);
      sleep((unsigned)seconds);
      _exit(0);
    }
    if (write(ends[1], "x", 1) != 1) _exit(3);
    kill(getpid(), SIGKILL);
  }
  char byte;
  close(ends[1]);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  close(ends[0]);
  assert_true(WIFSIGNALED(wait_for(child)));
}

static void a_hold_waits_for_the_program_of_a_killed_holder(void **state)
{
  (void)state;
  leave_a_program(1);
  fcps_error error = {0};
  fcps_store *store = open_store(path);
  const double start = fcps_clock_seconds();
  if (fcps_store_hold(store, &error) != FCPS_OK) fail_msg("%s", error.message);
  assert_true(fcps_clock_seconds() - start > 0.5);
  fcps_store_close(store);
}

static void a_program_that_does_not_end_is_named(void **state)
{
  (void)state;
  if (getenv("FCPS_TEST_LONG") == NULL) skip_because("it takes long: FCPS_TEST_LONG=1");
  leave_a_program(8);
  fcps_error error = {0};
  fcps_store *store = open_store(path);
  assert_status(fcps_store_hold(store, &error), FCPS_ERR_LOCKED);
  assert_non_null(strstr(error.message, "is gone, but a program"));
  assert_non_null(strstr(error.message, "still runs: process "));
  fcps_store_close(store);
}

static void a_lock_that_cannot_be_had_is_not_called_held(void **state)
{
  (void)state;
  fcps_error error = {0};
  fcps_store *store = open_store(path);
  lock_error = ENOLCK;
  const fcps_status status = fcps_store_hold(store, &error);
  lock_error = 0;
  assert_status(status, FCPS_ERR_IO);
  assert_null(strstr(error.message, "held"));
  assert_non_null(strstr(error.message, "cannot lock"));
  fcps_store_close(store);
}

static void links_as_lock_and_reserve_are_not_followed(void **state)
{
  (void)state;
  static const char *const ends[] = {"a.fcps-lock", "a.fcps-reserve"};
  fcps_store *store = open_store(path);
  for (int i = 0; i < 4; i++) {
    struct stat info;
    fcps_error error = {0};
    FILE *precious = fopen(in_folder("precious"), "w");
    fputs("years of work", precious);
    fclose(precious);
    const char *name = in_folder(ends[i % 2]);
    assert_int_equal(i < 2 ? symlink("precious", name) : link(in_folder("precious"), name), 0);
    const fcps_status status = i % 2 == 0 ? fcps_store_hold(store, &error) : fcps_store_reserve(store, 100000, &error);
    assert_int_not_equal(status, FCPS_OK);
    assert_non_null(strstr(error.message, "link"));
    assert_int_equal(stat(in_folder("precious"), &info), 0);
    assert_int_equal(info.st_size, 13);
    unlink(name);
  }
  fcps_store_close(store);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      CASE(two_handles_of_one_process_exclude_each_other),
      CASE(the_hold_is_the_same_under_every_name),
      CASE(a_store_with_hard_links_is_read_but_not_written),
      CASE(what_is_open_here_is_not_removed),
      CASE(looking_at_a_file_keeps_its_locks),
      CASE(a_hold_waits_for_the_program_of_a_killed_holder),
      CASE(a_program_that_does_not_end_is_named),
      CASE(a_lock_that_cannot_be_had_is_not_called_held),
      CASE(links_as_lock_and_reserve_are_not_followed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
