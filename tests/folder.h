/* SPDX-License-Identifier: Apache-2.0 */
/* A temporary folder for a test, and whole files in it. */
#ifndef FCPS_TESTS_FOLDER_H
#define FCPS_TESTS_FOLDER_H

#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct test_folder {
  char path[64];
} test_folder;

static inline test_folder folder_create(void)
{
  test_folder folder = {"/tmp/fcps-test-XXXXXX"};
  assert_non_null(mkdtemp(folder.path));
  return folder;
}

/* "FOLDER/name"; lives until the fourth call after this one. */
static inline char *folder_file(const test_folder *folder, const char *name)
{
  static char paths[4][512];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder->path, name);
  return path;
}

static inline void remove_tree(const char *path)
{
  struct stat about;
  if (lstat(path, &about) != 0) return;
  if (S_ISDIR(about.st_mode)) {
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
      char inside[1024];
      if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
      snprintf(inside, sizeof inside, "%.700s/%.255s", path, entry->d_name);
      remove_tree(inside);
    }
    if (directory != NULL) closedir(directory);
  }
  remove(path);
}

static inline void folder_remove(const test_folder *folder)
{
  remove_tree(folder->path);
}

/* The contents of a file, freed by the caller; NULL when there is none. */
static inline char *file_text(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  char *text = calloc((size_t)size + 1, 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, (size_t)size, file), size);
  fclose(file);
  return text;
}

static inline void file_write(const char *path, const char *text)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static inline void assert_same_file(const char *a, const char *b)
{
  char *text_a = file_text(a), *text_b = file_text(b);
  assert_non_null(text_a);
  assert_non_null(text_b);
  assert_string_equal(text_a, text_b);
  free(text_a);
  free(text_b);
}

#endif
