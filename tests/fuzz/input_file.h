/* SPDX-License-Identifier: Apache-2.0 */
/* An input as a file, for readers that take a path: one file for all inputs of a process, in memory where there is such
 * a folder, and a second name beside it for what is made from the input. Both are gone when the process ends. */
#ifndef FCPS_TESTS_INPUT_FILE_H
#define FCPS_TESTS_INPUT_FILE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char input_path[64], made_path[72];

/* A study may leave files beside itself. */
static inline void remove_with_companions(const char *path)
{
  static const char *const ends[] = {"", "-journal", "-reserve", "-lock"};
  char name[96];
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    snprintf(name, sizeof name, "%s%s", path, ends[i]);
    unlink(name);
  }
}

static inline void remove_input_files(void)
{
  remove_with_companions(input_path);
  remove_with_companions(made_path);
}

/* Writes the input to input_path; nothing is at made_path then. false if it could not be written. */
static inline bool write_input(const uint8_t *data, size_t size)
{
  if (!*input_path) {
    snprintf(input_path, sizeof input_path, "%s/fcps-fuzz-%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             (long)getpid());
    snprintf(made_path, sizeof made_path, "%s-made", input_path);
    atexit(remove_input_files);
  }
  remove_input_files();
  const int file = open(input_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool is_written = file >= 0 && write(file, data, size) == (ssize_t)size;
  if (file >= 0) close(file);
  return is_written;
}

#endif
