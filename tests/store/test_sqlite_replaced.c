/* SPDX-License-Identifier: Apache-2.0 */
/* If a file is replaced while it is open, the next call notices it, and nothing is written to the new file. */
#include "sqlite_fixture.h"

static void expect_noticed(fcps_store *store, const char *words)
{
  fcps_error error = {0};
  assert_status(fcps_store_begin(store, true, &error), FCPS_ERR_DAMAGED);
  if (strstr(error.message, words) == NULL) fail_msg("no \"%s\" in: %s", words, error.message);
  /* and for ever */
  assert_status(fcps_store_begin(store, false, &error), FCPS_ERR_DAMAGED);
  assert_non_null(strstr(error.message, words));
}

static fcps_store *open_and_read(void)
{
  fcps_store *store = open_store(path);
  read_all(store, 0);
  return store;
}

static void an_older_copy_is_noticed(void **state)
{
  (void)state;
  copy_over(path, in_folder("old.fcps"));
  fcps_store *store = open_and_read();
  append_alone(store, 4);
  append_alone(store, 5);
  copy_over(in_folder("old.fcps"), path);
  expect_noticed(store, "Records 4 to 5");
  fcps_store_close(store);
  assert_int_equal(count_records(path), 3);
}

/* a handle that has read nothing since the copy was made knows of the later records from another one */
static void an_older_copy_is_noticed_by_who_was_told_of_later_records(void **state)
{
  (void)state;
  copy_over(path, in_folder("old.fcps"));
  fcps_store *reader = open_and_read(), *writer = open_and_read();
  fcps_store_seen latest = {0};
  append_alone(writer, 4);
  fcps_store_share_seen(writer, &latest);
  assert_int_equal(latest.sequence, 4);
  copy_over(in_folder("old.fcps"), path);
  fcps_store_share_seen(reader, &latest);
  expect_noticed(reader, "Records 4 to 4");
  fcps_store_close(reader);
  fcps_store_close(writer);
}

/* as many commits, and as many bytes: SQLite alone would take it for its own */
static void another_continuation_of_the_same_length_is_noticed(void **state)
{
  (void)state;
  copy_over(path, in_folder("other.fcps"));
  continue_store(in_folder("other.fcps"), 14, 2);
  fcps_store *store = open_and_read();
  append_alone(store, 4);
  append_alone(store, 5);
  copy_over(in_folder("other.fcps"), path);
  expect_noticed(store, "Its records are not those");
  fcps_store_close(store);
  assert_int_equal(count_records(path), 5);
}

static void another_study_is_noticed_before_anything_was_read(void **state)
{
  (void)state;
  make_store(in_folder("other.fcps"), 0);
  make_store(in_folder("empty.fcps"), 0);
  fcps_store *store = open_store(in_folder("empty.fcps"));
  copy_over(in_folder("other.fcps"), in_folder("empty.fcps"));
  expect_noticed(store, "another study");
  fcps_store_close(store);
}

static void what_is_replaced_within_a_transaction_is_noticed_at_its_end(void **state)
{
  (void)state;
  fcps_error error = {0};
  copy_over(path, in_folder("old.fcps"));
  fcps_store *store = open_and_read();
  append_alone(store, 4);
  assert_ok(fcps_store_begin(store, true, NULL));
  append(store, 5);
  copy_over(in_folder("old.fcps"), path);
  assert_status(fcps_store_commit(store, &error), FCPS_ERR_DAMAGED);
  assert_non_null(strstr(error.message, "replaced"));
  fcps_store_close(store);
  assert_int_equal(count_records(path), 3);
}

static void a_renamed_file_is_noticed_and_its_old_content_is_saved(void **state)
{
  (void)state;
  copy_over(path, in_folder("old.fcps"));
  fcps_store *store = open_and_read();
  append_alone(store, 4);
  assert_int_equal(rename(in_folder("old.fcps"), path), 0);
  expect_noticed(store, "saved as");
  fcps_store_close(store);
  assert_int_equal(count_records(path), 3);
  DIR *stream = opendir(folder);
  int saved = 0;
  for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
    if (strncmp(entry->d_name, "a.fcps.rescued", 14) == 0) saved = count_records(in_folder(entry->d_name));
  closedir(stream);
  assert_int_equal(saved, 4);
}

static void a_file_that_is_away_is_noticed(void **state)
{
  (void)state;
  fcps_store *store = open_and_read();
  assert_int_equal(rename(path, in_folder("away.fcps")), 0);
  expect_noticed(store, "removed or renamed");
  assert_int_equal(count_names("a.fcps"), 0);
  fcps_store_close(store);
}

/* records of other processes are not a replacement, nor is a copy with the same content */
static void what_others_store_is_welcome(void **state)
{
  (void)state;
  fcps_store *store = open_and_read();
  for (int i = 0; i < 5; i++) {
    continue_store(path, 10 + i, 2);
    assert_int_equal(read_all(store, 0).count, 5 + 3 * i);
    append_alone(store, 20 + i);
  }
  copy_over(path, in_folder("same.fcps"));
  copy_over(in_folder("same.fcps"), path);
  append_alone(store, 30);
  fcps_store_close(store);
  assert_int_equal(count_records(path), 19);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      CASE(an_older_copy_is_noticed),
      CASE(an_older_copy_is_noticed_by_who_was_told_of_later_records),
      CASE(another_continuation_of_the_same_length_is_noticed),
      CASE(another_study_is_noticed_before_anything_was_read),
      CASE(what_is_replaced_within_a_transaction_is_noticed_at_its_end),
      CASE(a_renamed_file_is_noticed_and_its_old_content_is_saved),
      CASE(a_file_that_is_away_is_noticed),
      CASE(what_others_store_is_welcome),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
