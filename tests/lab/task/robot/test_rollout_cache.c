/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of rollouts: exact, durable, shared, and harmless when its file is damaged. */
#include "check.h"

#include "lab/task/robot/rollout_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], path[128];

static int make_folder(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/fcps-cache-XXXXXX");
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/test-1.rollouts", folder);
  return setenv("FCPS_CACHE_DIR", folder, 1);
}

static int remove_folder(void **state)
{
  (void)state;
  unsetenv("FCPS_CACHE_DIR");
  remove(path);
  return rmdir(folder);
}

static void fill(fcps_cache *cache, int first, int count)
{
  for (int i = first; i < first + count; i++)
    fcps_cache_keep(cache, (double[]){i, 0.1 * i}, (double[]){-i, sqrt(i), 1.0 / (i + 1)});
}

static void expect(const fcps_cache *cache, int first, int count)
{
  for (int i = first; i < first + count; i++) {
    double outcome[3];
    assert_true(fcps_cache_find(cache, (double[]){i, 0.1 * i}, outcome));
    assert_true(outcome[0] == -i && outcome[1] == sqrt(i) && outcome[2] == 1.0 / (i + 1));
  }
}

static void what_was_kept_is_found_exactly_and_nothing_else(void **state)
{
  (void)state;
  fcps_cache *cache = fcps_cache_open("test-1", 2, 3);
  assert_non_null(cache);
  double outcome[3];
  assert_false(fcps_cache_find(cache, (double[]){1, 0.1}, outcome));
  fill(cache, 0, 5000);
  expect(cache, 0, 5000);
  assert_false(fcps_cache_find(cache, (double[]){1, nextafter(0.1, 1)}, outcome));
  fcps_cache_close(cache);

  cache = fcps_cache_open("test-1", 2, 3);
  expect(cache, 0, 5000);
  fcps_cache_close(cache);
}

static void two_handles_share_one_file(void **state)
{
  (void)state;
  fcps_cache *one = fcps_cache_open("test-1", 2, 3), *two = fcps_cache_open("test-1", 2, 3);
  for (int i = 0; i < 100; i++)
    fill(i % 2 ? one : two, i, 1);
  fill(one, 0, 1); /* the same twice */
  fcps_cache_close(one);
  fcps_cache_close(two);
  one = fcps_cache_open("test-1", 2, 3);
  expect(one, 0, 100);
  fcps_cache_close(one);
}

static void a_damaged_file_loses_only_what_was_damaged(void **state)
{
  (void)state;
  fcps_cache *cache = fcps_cache_open("test-1", 2, 3);
  fill(cache, 0, 10);
  fcps_cache_close(cache);

  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, 3 * 48 + 5, SEEK_SET); /* a bit of record 3 */
  fputc(77, file);
  fseek(file, 0, SEEK_END);
  fputs("torn", file);
  fclose(file);

  cache = fcps_cache_open("test-1", 2, 3);
  double outcome[3];
  assert_false(fcps_cache_find(cache, (double[]){3, 0.1 * 3}, outcome));
  expect(cache, 4, 6);
  fill(cache, 10, 5);
  fcps_cache_close(cache);
  cache = fcps_cache_open("test-1", 2, 3);
  expect(cache, 4, 11);
  fcps_cache_close(cache);
}

static void without_a_folder_there_is_no_cache(void **state)
{
  (void)state;
  double outcome[3];
  setenv("FCPS_CACHE_DIR", "/dev/null/nowhere", 1);
  assert_null(fcps_cache_open("test-1", 2, 3));
  unsetenv("FCPS_CACHE_DIR");
  assert_null(fcps_cache_open("test-1", 2, 3));
  fcps_cache_keep(NULL, outcome, outcome);
  assert_false(fcps_cache_find(NULL, outcome, outcome));
  fcps_cache_close(NULL);
}

/* A link with the name of a cache may lead to a study, which must not be cut or appended to. */
static void a_study_is_not_taken_for_a_cache(void **state)
{
  (void)state;
  unsigned char head[103] = "SQLite format 3", now[200];
  memcpy(head + 68, "fcps", 4);
  FILE *stream = fopen(path, "w");
  assert_int_equal(fwrite(head, 1, sizeof head, stream), sizeof head);
  fclose(stream);
  assert_null(fcps_cache_open("test-1", 2, 1));
  stream = fopen(path, "r");
  assert_int_equal(fread(now, 1, sizeof now, stream), sizeof head);
  fclose(stream);
  assert_memory_equal(now, head, sizeof head);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_was_kept_is_found_exactly_and_nothing_else, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(two_handles_share_one_file, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_damaged_file_loses_only_what_was_damaged, make_folder, remove_folder),
      cmocka_unit_test(without_a_folder_there_is_no_cache),
      cmocka_unit_test_setup_teardown(a_study_is_not_taken_for_a_cache, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
