/* SPDX-License-Identifier: Apache-2.0 */
/* The list of open study files: by inode, until the last handle closes, and without losing a lock. */
#include "base/study_file.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], path[96], other[96];

static int set_up(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/fcps-open-XXXXXX");
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/a", folder);
  snprintf(other, sizeof other, "%s/b", folder);
  FILE *stream = fopen(path, "w");
  return stream == NULL || fclose(stream) != 0 || link(path, other) != 0 ? -1 : 0;
}

static int tear_down(void **state)
{
  (void)state;
  unlink(path);
  unlink(other);
  return rmdir(folder);
}

static bool is_listed(void)
{
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  return fcps_open_files_have(info.st_dev, info.st_ino);
}

static void a_file_is_listed_until_its_last_handle(void **state)
{
  (void)state;
  fcps_open_file first, second;
  assert_false(is_listed());
  assert_true(fcps_open_files_add(path, &first));
  assert_true(fcps_open_files_add(other, &second)); /* another name of the same file */
  assert_int_equal(first.file, second.file);
  assert_true(first.is_writable);
  fcps_open_files_drop(&first);
  assert_true(is_listed());
  fcps_open_files_drop(&second);
  assert_false(is_listed());
  assert_int_equal(fcntl(second.file, F_GETFD), -1);
}

static void what_is_no_file_is_not_listed(void **state)
{
  (void)state;
  fcps_open_file file;
  assert_false(fcps_open_files_add(folder, &file));
  assert_int_equal(errno, EISDIR);
  assert_false(fcps_open_files_add("/dev/null", &file));
  assert_int_equal(errno, EINVAL);
  assert_false(fcps_open_files_add("/tmp/fcps-open-nothing", &file));
  assert_int_equal(errno, ENOENT);
}

/* whether another process can lock the file */
static bool can_lock(void)
{
  const pid_t child = fork();
  if (child == 0) {
    const int file = open(path, O_RDWR);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    _exit(fcntl(file, F_SETLK, &lock) == 0 ? 0 : 1);
  }
  int how = 0;
  assert_int_equal(waitpid(child, &how, 0), child);
  return WEXITSTATUS(how) == 0;
}

static void one_handle_less_takes_no_lock(void **state)
{
  (void)state;
  fcps_open_file first, second;
  assert_true(fcps_open_files_add(path, &first) && fcps_open_files_add(path, &second));
  const int file = open(path, O_RDWR);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  assert_int_equal(fcntl(file, F_SETLK, &lock), 0);
  fcps_open_files_drop(&first);
  assert_false(can_lock());
  fcps_open_files_drop(&second);
  close(file);
}

/* whether another process gets the claim of the file, which has this name now */
static bool can_claim(const char *name)
{
  const pid_t child = fork();
  if (child == 0) {
    execl(TEST_BINARY_DIR "/tests/test_base_open_files", "claim", name, (char *)NULL);
    _exit(2);
  }
  int how = 0;
  assert_int_equal(waitpid(child, &how, 0), child);
  return WEXITSTATUS(how) == 0;
}

static void a_claim_follows_the_file(void **state)
{
  (void)state;
  char renamed[256];
  snprintf(renamed, sizeof renamed, "%s-renamed", path);
  fcps_open_file first, second;
  assert_true(fcps_open_files_add(path, &first) && fcps_open_files_add(path, &second));
  assert_true(can_claim(path));
  assert_true(fcps_open_files_claim(&first));
  assert_false(fcps_open_files_claim(&second)); /* another handle of this process */
  assert_false(can_claim(path));
  assert_int_equal(rename(path, renamed), 0);
  assert_false(can_claim(renamed));
  fcps_open_files_drop(&second);
  assert_false(can_claim(renamed));
  fcps_open_files_unclaim(&first);
  assert_true(can_claim(renamed));
  fcps_open_files_drop(&first);
  assert_int_equal(rename(renamed, path), 0);
}

static void *add_and_drop(void *unused)
{
  for (int i = 0; i < 2000; i++) {
    fcps_open_file file;
    if (!fcps_open_files_add(i % 2 ? path : other, &file)) return unused;
    fcps_open_files_drop(&file);
  }
  return NULL;
}

static void threads_share_the_list(void **state)
{
  (void)state;
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, add_and_drop, path), 0);
  for (int i = 0; i < 4; i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  assert_false(is_listed());
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

/* with a name: claims that file, for can_claim */
int main(int argc, char **argv)
{
  fcps_open_file file;
  if (argc == 2) return fcps_open_files_add(argv[1], &file) && fcps_open_files_claim(&file) ? 0 : 1;
  const struct CMUnitTest tests[] = {
      CASE(a_file_is_listed_until_its_last_handle),
      CASE(what_is_no_file_is_not_listed),
      CASE(one_handle_less_takes_no_lock),
      CASE(a_claim_follows_the_file),
      CASE(threads_share_the_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
