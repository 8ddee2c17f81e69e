/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: read, replaced at once, and refused with the reason of the system; also on a full disk and through
 * links. */
#include "format/file.h"

#include "check.h"

#include <fcps/format.h>

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of its own for each test, with everything in it removed afterwards (two levels are enough here). */
static int make_folder(void **state)
{
  static char folder[64];
  strcpy(folder, "/tmp/fcps-test-file-XXXXXX");
  *state = mkdtemp(folder);
  return *state ? 0 : -1;
}

static void empty_folder(const char *folder)
{
  DIR *listing = opendir(folder);
  for (struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (unlink(path) == 0) continue;
    empty_folder(path);
    rmdir(path);
  }
  if (listing != NULL) closedir(listing);
}

static int remove_folder(void **state)
{
  empty_folder(*state);
  return rmdir(*state);
}

static int count_entries(const char *folder)
{
  int count = 0;
  DIR *listing = opendir(folder);
  while (readdir(listing) != NULL)
    count++;
  closedir(listing);
  return count - 2; /* without . and .. */
}

static const char *path_in(const void *folder, const char *name)
{
  static char paths[4][PATH_MAX];
  static int next = 0;
  char *path = paths[next++ % 4];
  snprintf(path, PATH_MAX, "%s/%s", (const char *)folder, name);
  return path;
}

static void assert_contents(const char *path, const char *expected, size_t expected_length)
{
  char *text;
  size_t length;
  assert_ok(fcps_file_read(path, 1 << 20, &text, &length, NULL));
  assert_int_equal(length, expected_length);
  assert_memory_equal(text, expected, length);
  assert_int_equal(text[length], 0);
  fcps_free(text);
}

static void what_is_written_is_read_back(void **state)
{
  const char *path = path_in(*state, "a");
  assert_ok(fcps_file_replace(path, "with\0zero", 9, NULL));
  assert_contents(path, "with\0zero", 9);
  assert_ok(fcps_file_replace(path, "", 0, NULL));
  assert_contents(path, "", 0);

  char *large = malloc(300000);
  for (int i = 0; i < 300000; i++)
    large[i] = (char)(i * 31 % 251);
  assert_ok(fcps_file_replace(path, large, 300000, NULL));
  assert_contents(path, large, 300000);
  free(large);
  assert_int_equal(count_entries(*state), 1); /* nothing is left beside it */
}

static void a_file_over_the_limit_is_refused_and_one_at_it_is_read(void **state)
{
  const char *path = path_in(*state, "a");
  char *text = NULL;
  size_t length = 99;
  fcps_error error;
  assert_ok(fcps_file_replace(path, "12345", 5, NULL));
  assert_status(fcps_file_read(path, 4, &text, &length, &error), FCPS_ERR_FORMAT);
  assert_string_equal(error.file, path);
  assert_non_null(strstr(error.message, "4 bytes"));
  assert_null(text);
  assert_int_equal(length, 99);
  assert_ok(fcps_file_read(path, 5, &text, &length, NULL));
  fcps_free(text);
}

static void a_missing_file_is_refused_with_its_name(void **state)
{
  const char *path = path_in(*state, "missing");
  char *text;
  size_t length;
  fcps_error error;
  assert_status(fcps_file_read(path, 100, &text, &length, &error), FCPS_ERR_IO);
  assert_string_equal(error.file, path);
  assert_non_null(strstr(error.message, "No such file"));
}

static void a_folder_is_not_read_as_a_file(void **state)
{
  char *text;
  size_t length;
  assert_status(fcps_file_read(*state, 100, &text, &length, NULL), FCPS_ERR_IO);
}

static void replacing_keeps_permissions_and_links(void **state)
{
  const char *path = path_in(*state, "a"), *link = path_in(*state, "link");
  struct stat now;
  assert_ok(fcps_file_replace(path, "old", 3, NULL));
  assert_int_equal(chmod(path, 0640), 0);
  assert_int_equal(symlink("a", link), 0);
  assert_ok(fcps_file_replace(link, "new", 3, NULL));
  assert_contents(path, "new", 3);
  assert_int_equal(stat(path, &now), 0);
  assert_int_equal(now.st_mode & 0777, 0640);
  assert_int_equal(lstat(link, &now), 0);
  assert_true(S_ISLNK(now.st_mode));
}

static void a_reader_of_the_old_file_keeps_it_whole(void **state)
{
  const char *path = path_in(*state, "a");
  assert_ok(fcps_file_replace(path, "old", 3, NULL));
  FILE *reader = fopen(path, "r");
  assert_ok(fcps_file_replace(path, "newer", 5, NULL));
  char text[8] = "";
  assert_int_equal(fread(text, 1, sizeof text, reader), 3);
  assert_string_equal(text, "old");
  fclose(reader);
  assert_contents(path, "newer", 5);
}

static void a_leftover_of_a_crash_is_no_obstacle(void **state)
{
  char leftover[64];
  snprintf(leftover, sizeof leftover, "a.new-%ld-0", (long)getpid());
  FILE *stream = fopen(path_in(*state, leftover), "w");
  fclose(stream);
  assert_ok(fcps_file_replace(path_in(*state, "a"), "text", 4, NULL));
  assert_contents(path_in(*state, "a"), "text", 4);
}

static void a_device_or_folder_is_not_replaced(void **state)
{
  fcps_error error;
  struct stat now;
  assert_status(fcps_file_replace("/dev/null", "x", 1, &error), FCPS_ERR_IO);
  assert_string_equal(error.file, "/dev/null");
  assert_int_equal(stat("/dev/null", &now), 0);
  assert_true(S_ISCHR(now.st_mode));
  assert_status(fcps_file_replace(*state, "x", 1, &error), FCPS_ERR_IO);
}

static void a_file_in_a_missing_folder_is_refused(void **state)
{
  fcps_error error;
  const char *path = path_in(*state, "missing/a");
  assert_status(fcps_file_replace(path, "x", 1, &error), FCPS_ERR_IO);
  assert_string_equal(error.file, path);
  assert_int_equal(count_entries(*state), 0);
}

/* RLIMIT_FSIZE stands in for a full disk: with its signal ignored, a write past it fails half-way. */
static void a_write_that_fails_half_way_leaves_the_old_file(void **state)
{
  const char *path = path_in(*state, "a");
  char *large = calloc(1, 100000);
  struct rlimit before, small;
  assert_ok(fcps_file_replace(path, "old", 3, NULL));
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = (struct rlimit){.rlim_cur = 5000, .rlim_max = before.rlim_max};
  struct sigaction ignore = {.sa_handler = SIG_IGN}, handler;
  sigaction(SIGXFSZ, &ignore, &handler);
  setrlimit(RLIMIT_FSIZE, &small);
  fcps_error error;
  const fcps_status status = fcps_file_replace(path, large, 100000, &error);
  setrlimit(RLIMIT_FSIZE, &before);
  sigaction(SIGXFSZ, &handler, NULL);
  free(large);

  assert_int_equal(status, FCPS_ERR_IO);
  assert_non_null(strstr(error.message, "cannot be written: File too large"));
  assert_contents(path, "old", 3);
  assert_int_equal(count_entries(*state), 1);
}

static void folders_are_made_with_their_parents(void **state)
{
  struct stat now;
  assert_ok(fcps_file_make_directory(path_in(*state, "a/b/c"), NULL));
  assert_int_equal(stat(path_in(*state, "a/b/c"), &now), 0);
  assert_true(S_ISDIR(now.st_mode));
  assert_ok(fcps_file_make_directory(path_in(*state, "a/b/c"), NULL));
  assert_ok(fcps_file_make_directory(path_in(*state, "a//b/d/"), NULL));
  assert_int_equal(count_entries(path_in(*state, "a/b")), 2);
  assert_ok(fcps_file_make_directory("/", NULL));
  assert_ok(fcps_file_make_directory(".", NULL));
}

static void a_file_in_the_way_of_a_folder_is_named(void **state)
{
  fcps_error error;
  assert_ok(fcps_file_replace(path_in(*state, "a"), "x", 1, NULL));
  assert_status(fcps_file_make_directory(path_in(*state, "a"), &error), FCPS_ERR_IO);
  assert_status(fcps_file_make_directory(path_in(*state, "a/b"), &error), FCPS_ERR_IO);
  assert_string_equal(error.file, path_in(*state, "a"));
  assert_contents(path_in(*state, "a"), "x", 1);
}

static void a_folder_without_a_name_or_with_an_endless_one_is_refused(void **state)
{
  (void)state;
  char endless[PATH_MAX + 10];
  memset(endless, 'x', sizeof endless);
  endless[sizeof endless - 1] = 0;
  assert_status(fcps_file_make_directory("", NULL), FCPS_ERR_IO);
  assert_status(fcps_file_make_directory(endless, NULL), FCPS_ERR_IO);
  assert_status(fcps_file_replace(endless, "x", 1, NULL), FCPS_ERR_IO);
}

static void no_text_of_a_person_is_written_over_by_any_name(void **state)
{
  static const char *const names[] = {"a.py", "a.C", "notes.md", "a.yaml", "script", "link.policy"};
  static const char mine[] = "#!/bin/sh\n";
  fcps_error error;
  assert_int_equal(symlink("a.py", path_in(*state, "link.policy")), 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *path = path_in(*state, names[i]);
    const char *own = strcmp(names[i], "script") == 0 ? mine : "mine";
    if (i < 5) assert_ok(fcps_file_replace(path, own, strlen(own), NULL));
    assert_status(fcps_file_write(path, "{}", &error), FCPS_ERR_ARGUMENT);
    assert_string_equal(error.file, path);
    assert_non_null(strstr(error.message, "Choose another name"));
    assert_contents(path, own, strlen(own));
  }
}

static void what_fcps_has_written_is_written_again(void **state)
{
  const char *path = path_in(*state, "a.policy");
  for (int i = 0; i < 2; i++) {
    assert_ok(fcps_file_write(path, "{}", NULL));
    assert_contents(path, "{}", 2);
  }
  assert_ok(fcps_file_write("/dev/null", "{}", NULL));
  assert_status(fcps_file_write(path_in(*state, "missing/a.policy"), "{}", NULL), FCPS_ERR_IO);
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      in_folder(what_is_written_is_read_back),
      in_folder(a_file_over_the_limit_is_refused_and_one_at_it_is_read),
      in_folder(a_missing_file_is_refused_with_its_name),
      in_folder(a_folder_is_not_read_as_a_file),
      in_folder(replacing_keeps_permissions_and_links),
      in_folder(a_reader_of_the_old_file_keeps_it_whole),
      in_folder(a_leftover_of_a_crash_is_no_obstacle),
      in_folder(a_device_or_folder_is_not_replaced),
      in_folder(a_file_in_a_missing_folder_is_refused),
      in_folder(a_write_that_fails_half_way_leaves_the_old_file),
      in_folder(no_text_of_a_person_is_written_over_by_any_name),
      in_folder(what_fcps_has_written_is_written_again),
      in_folder(folders_are_made_with_their_parents),
      in_folder(a_file_in_the_way_of_a_folder_is_named),
      cmocka_unit_test(a_folder_without_a_name_or_with_an_endless_one_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
