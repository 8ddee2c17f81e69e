/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a study file: refused in words, or used without harm. */
#include "fuzz.h"
#include "study_use.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* One file for all inputs, in memory where there is such a folder. */
static char path[64], journal[80];

static void remove_files(void)
{
  unlink(path);
  unlink(journal);
}

static bool write_input(const uint8_t *data, size_t size)
{
  if (!*path) {
    snprintf(path, sizeof path, "%s/fcps-fuzz-%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             (long)getpid());
    snprintf(journal, sizeof journal, "%s-journal", path);
    atexit(remove_files);
  }
  unlink(journal);
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool is_written = file >= 0 && write(file, data, size) == (ssize_t)size;
  if (file >= 0) close(file);
  return is_written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!write_input(data, size)) return 0;
  const fcps_study_options options = {.is_relaxed = true, .wait_ms = 1};
  fcps_study *study = NULL;
  fcps_error error = {0};
  if (fcps_study_open(&study, path, &options, &error) == FCPS_OK)
    use_study(study);
  else if (!error.message[0])
    abort();
  fcps_study_close(study);
  return 0;
}
