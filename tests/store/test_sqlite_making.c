/* SPDX-License-Identifier: Apache-2.0 */
/* A store is created completely or not at all, and creating can be repeated. */
#include "sqlite_fixture.h"

#include "study/failing_vfs.h"

static const char *made(void)
{
  return in_folder("new.fcps");
}

static void a_maker_that_is_killed_leaves_nothing_in_the_way(void **state)
{
  (void)state;
  static const fault ways[] = {FAULT_KILL_BEFORE, FAULT_KILL_HALF, FAULT_KILL_AFTER};
  int kills = 0, whole = 0;
  for (int i = 0; i < 3; i++) {
    bool is_killed = true;
    for (long k = 1; is_killed; k++) {
      assert_ok(fcps_store_remove(made(), false, NULL));
      const pid_t child = fork();
      assert_true(child >= 0);
      if (child == 0) {
        install_failing_vfs();
        failing = (struct failing){.fault = ways[i], .at = k};
        make_store(made(), 2);
        _exit(0);
      }
      is_killed = WIFSIGNALED(wait_for(child));
      kills += is_killed;
      bool exists = false;
      assert_ok(fcps_store_exists(&exists, made(), NULL));
      whole += exists;
      if (!exists) make_store(made(), 2);
      assert_int_equal(count_records(made()), 2);
      assert_int_equal(count_names("new.fcps"), 1 + is_there(in_folder("new.fcps-lock")));
    }
  }
  printf("# %d kills, %d after the store was whole\n", kills, whole - 3);
  assert_true(kills >= 30);
}

/* an empty file, as an editor or `touch` makes one */
static void an_empty_file_is_in_nobodys_way(void **state)
{
  (void)state;
  bool exists = true;
  fclose(fopen(made(), "w"));
  assert_ok(fcps_store_exists(&exists, made(), NULL));
  assert_false(exists);
  make_store(made(), 2);
  assert_int_equal(count_records(made()), 2);
  assert_int_equal(count_names("new.fcps"), 1);
}

static void what_is_not_committed_leaves_nothing(void **state)
{
  (void)state;
  fcps_store *store = NULL;
  assert_ok(fcps_store_create(&store, made(), options, NULL));
  append(store, 1);
  fcps_store_close(store);
  assert_int_equal(count_names("new.fcps"), 0);
}

static void of_two_makers_one_wins_and_the_other_is_told(void **state)
{
  (void)state;
  fcps_error error = {0};
  fcps_store *first = NULL, *second = NULL;
  assert_ok(fcps_store_create(&first, made(), options, &error));
  assert_status(fcps_store_create(&second, made(), options, &error), FCPS_ERR_LOCKED);
  assert_null(second);
  assert_ok(fcps_store_commit(first, &error));
  append_alone(first, 1);
  assert_status(fcps_store_create(&second, made(), options, &error), FCPS_ERR_STORE);
  assert_non_null(strstr(error.message, "exists already"));
  fcps_store_close(first);
  assert_int_equal(count_records(made()), 1);
}

static void of_many_makers_one_wins(void **state)
{
  (void)state;
  enum { MAKERS = 6, ROUNDS = 5 };
  for (int round = 0; round < ROUNDS; round++) {
    pid_t children[MAKERS];
    for (int i = 0; i < MAKERS; i++) {
      children[i] = fork();
      if (children[i] != 0) continue;
      fcps_store *store = NULL;
      fcps_status status = fcps_store_create(&store, made(), options, NULL);
      if (status == FCPS_OK) status = fcps_store_commit(store, NULL);
      _exit(status == FCPS_OK ? 0 : status == FCPS_ERR_LOCKED || status == FCPS_ERR_STORE ? 1 : 2);
    }
    int winners = 0;
    for (int i = 0; i < MAKERS; i++) {
      const int how = wait_for(children[i]);
      assert_true(WIFEXITED(how) && WEXITSTATUS(how) < 2);
      winners += WEXITSTATUS(how) == 0;
    }
    assert_int_equal(winners, 1);
    assert_int_equal(count_records(made()), 0);
    assert_ok(fcps_store_remove(made(), false, NULL));
  }
}

/* a file that comes between the look and the rename is not replaced */
static void what_came_between_is_not_replaced(void **state)
{
  (void)state;
  fcps_error error = {0};
  fcps_store *store = NULL;
  assert_ok(fcps_store_create(&store, made(), options, NULL));
  FILE *stream = fopen(made(), "w");
  fputs("years of work", stream);
  fclose(stream);
  assert_status(fcps_store_commit(store, &error), FCPS_ERR_STORE);
  fcps_store_close(store);
  struct stat info;
  assert_int_equal(stat(made(), &info), 0);
  assert_int_equal(info.st_size, 13);
  assert_int_equal(count_names("new.fcps"), 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      CASE(a_maker_that_is_killed_leaves_nothing_in_the_way),
      CASE(an_empty_file_is_in_nobodys_way),
      CASE(what_is_not_committed_leaves_nothing),
      CASE(of_two_makers_one_wins_and_the_other_is_told),
      CASE(of_many_makers_one_wins),
      CASE(what_came_between_is_not_replaced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
