/* SPDX-License-Identifier: Apache-2.0 */
/* Behaviour of the SQLite file only: damage, other files, and the space that is reserved beside it. */
#include "store_fixture.h"

#include <sys/stat.h>

typedef struct file {
  char folder[64], path[96];
  fcps_store *store;
} file;

static file the_file;

static int set_up(void **state)
{
  file *f = &the_file;
  *state = f;
  fcps_error error;
  strcpy(f->folder, "/tmp/fcps-store-XXXXXX");
  if (mkdtemp(f->folder) == NULL) return -1;
  snprintf(f->path, sizeof f->path, "%.63s/a.fcps", f->folder);
  fcps_status status = fcps_store_create(&f->store, f->path, options, &error);
  if (status == FCPS_OK) status = fcps_store_commit(f->store, &error);
  return (int)status;
}

static int tear_down(void **state)
{
  file *f = *state;
  fcps_store_close(f->store);
  f->store = NULL;
  return remove_folder(f->folder);
}

static void overwrite(const char *path, long offset, const char *bytes, size_t length)
{
  FILE *stream = fopen(path, "r+b");
  assert_non_null(stream);
  fseek(stream, offset, SEEK_SET);
  assert_int_equal(fwrite(bytes, 1, length, stream), length);
  fclose(stream);
}

static void other_files_are_refused_untouched(void **state)
{
  file *f = *state;
  fcps_error error;
  fcps_store_close(f->store);
  f->store = NULL;
  char path[128];
  snprintf(path, sizeof path, "%.63s/b.fcps", f->folder);
  assert_status(fcps_store_open(&f->store, path, options, &error), FCPS_ERR_IO);
  FILE *text = fopen(path, "w");
  fprintf(text, "%05000d", 7);
  fclose(text);
  assert_status(fcps_store_open(&f->store, path, options, &error), FCPS_ERR_DAMAGED);
  assert_null(f->store);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_size, 5000);
  /* a later format: user_version is the big-endian number at offset 60 of the head */
  overwrite(f->path, 60, "\0\0\0\3", 4);
  assert_status(fcps_store_open(&f->store, f->path, options, &error), FCPS_ERR_FORMAT);
  assert_non_null(strstr(error.message, "newer"));
}

static void a_damaged_file_is_refused_and_what_can_be_read_is_saved(void **state)
{
  file *f = *state;
  assert_ok(fcps_store_begin(f->store, true, NULL));
  for (int i = 0; i < 400; i++)
    append(f->store, i);
  assert_ok(fcps_store_set(f->store, "problem", "name: x", NULL));
  assert_ok(fcps_store_commit(f->store, NULL));
  fcps_store_close(f->store);
  f->store = NULL;
  char junk[512], copy[128];
  memset(junk, 0xff, sizeof junk);
  overwrite(f->path, 9L * 4096, junk, sizeof junk); /* the head of a page with records */
  fcps_error error;
  assert_status(fcps_store_open(&f->store, f->path, options, &error), FCPS_ERR_DAMAGED);
  assert_non_null(strstr(error.message, "repair"));
  snprintf(copy, sizeof copy, "%.63s/b.fcps", f->folder);
  int64_t saved = 0;
  assert_ok(fcps_store_repair(f->path, copy, &saved, &error));
  assert_in_range(saved, 350, 399);
  assert_ok(fcps_store_open(&f->store, copy, options, &error));
  assert_ok(fcps_store_begin(f->store, false, NULL));
  char *text = NULL;
  assert_ok(fcps_store_get(f->store, "problem", &text, NULL));
  assert_string_equal(text, "name: x");
  free(text);
  fcps_store_rollback(f->store);
}

static void reserved_space_is_on_the_disk_until_it_is_given_back(void **state)
{
  file *f = *state;
  char path[128];
  struct stat info;
  snprintf(path, sizeof path, "%s-reserve", f->path);
  assert_ok(fcps_store_reserve(f->store, 100000, NULL));
  assert_int_equal(stat(path, &info), 0);
  assert_true(info.st_blocks * 512 >= 100000);
  assert_ok(fcps_store_reserve(f->store, 100000, NULL));
  assert_ok(fcps_store_reserve(f->store, 0, NULL));
  assert_int_not_equal(stat(path, &info), 0);
}

static void what_is_not_a_study_is_removed_only_from_a_place_of_ours(void **state)
{
  const file *f = *state;
  fcps_error error = {0};
  bool exists = false;
  char path[128];
  snprintf(path, sizeof path, "%.63s/b.fcps", f->folder);
  FILE *text = fopen(path, "w");
  fputs("years of work", text);
  fclose(text);
  assert_status(fcps_store_recognize(path, &error), FCPS_ERR_FORMAT);
  assert_status(fcps_store_remove(path, false, &error), FCPS_ERR_FORMAT);
  assert_non_null(strstr(error.message, "not a study"));
  assert_ok(fcps_store_exists(&exists, path, NULL));
  assert_true(exists);
  assert_ok(fcps_store_remove(path, true, &error));
  assert_ok(fcps_store_exists(&exists, path, NULL));
  assert_false(exists);
}

/* SQLite itself would take such a name for a database in memory, or for a URL of its own */
static void no_path_means_something_else_to_sqlite(void **state)
{
  const file *f = *state;
  static const char *const names[] = {":memory:", "file:x?mode=memory", "sqlite::memory:"};
  char before[512];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(f->folder), 0);
  for (int i = 0; i < 2; i++) {
    fcps_store *store = NULL;
    assert_ok(fcps_store_create(&store, names[i], options, NULL));
    append(store, 1);
    assert_ok(fcps_store_commit(store, NULL));
    fcps_store_close(store);
    assert_ok(fcps_store_open(&store, names[i == 0 ? 2 : i], options, NULL));
    assert_int_equal(read_all(store, 0).count, 1);
    fcps_store_close(store);
  }
  assert_int_equal(chdir(before), 0);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      CASE(other_files_are_refused_untouched),
      CASE(a_damaged_file_is_refused_and_what_can_be_read_is_saved),
      CASE(reserved_space_is_on_the_disk_until_it_is_given_back),
      CASE(what_is_not_a_study_is_removed_only_from_a_place_of_ours),
      CASE(no_path_means_something_else_to_sqlite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
