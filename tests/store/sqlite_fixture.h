/* SPDX-License-Identifier: Apache-2.0 */
/* A folder with a store in the file a.fcps, and what a user does to files. */
#ifndef FCPS_TESTS_SQLITE_FIXTURE_H
#define FCPS_TESTS_SQLITE_FIXTURE_H

#include "store_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char folder[64], path[128];

/* A name in the folder; up to eight are kept. */
static inline const char *in_folder(const char *name)
{
  static char names[8][352];
  static int next;
  char *text = names[next++ % 8];
  snprintf(text, sizeof names[0], "%s/%s", folder, name);
  return text;
}

/* A store with `count` records, closed. */
static inline void make_store(const char *name, int count)
{
  fcps_store *store = NULL;
  assert_ok(fcps_store_create(&store, name, options, NULL));
  for (int i = 0; i < count; i++)
    append(store, i + 1);
  assert_ok(fcps_store_commit(store, NULL));
  fcps_store_close(store);
}

static inline fcps_store *open_store(const char *name)
{
  fcps_store *store = NULL;
  fcps_error error = {0};
  if (fcps_store_open(&store, name, options, &error) != FCPS_OK) fail_msg("%s", error.message);
  return store;
}

static inline int count_records(const char *name)
{
  fcps_store *store = open_store(name);
  const int count = read_all(store, 0).count;
  fcps_store_close(store);
  return count;
}

/* Adds records, each in a transaction of its own. */
static inline void continue_store(const char *name, int64_t ask, int count)
{
  fcps_store *store = open_store(name);
  for (int i = 0; i < count; i++)
    append_alone(store, ask + i);
  fcps_store_close(store);
}

static inline int set_up(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/fcps-store-XXXXXX");
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/a.fcps", folder);
  make_store(path, 3);
  return 0;
}

static inline int tear_down(void **state)
{
  (void)state;
  return remove_folder(folder);
}

/* cp: the file at `to` keeps its inode */
static inline void copy_over(const char *from, const char *to)
{
  static char bytes[1 << 22];
  FILE *stream = fopen(from, "rb");
  assert_non_null(stream);
  const size_t length = fread(bytes, 1, sizeof bytes, stream);
  fclose(stream);
  stream = fopen(to, "wb");
  assert_non_null(stream);
  assert_int_equal(fwrite(bytes, 1, length, stream), length);
  assert_int_equal(fclose(stream), 0);
}

static inline bool is_there(const char *name)
{
  struct stat info;
  return lstat(name, &info) == 0;
}

/* How many names in the folder begin like this. */
static inline int count_names(const char *start)
{
  int count = 0;
  DIR *stream = opendir(folder);
  for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
    count += strncmp(entry->d_name, start, strlen(start)) == 0;
  closedir(stream);
  return count;
}

static inline int wait_for(pid_t child)
{
  int how = 0;
  assert_int_equal(waitpid(child, &how, 0), child);
  return how;
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
