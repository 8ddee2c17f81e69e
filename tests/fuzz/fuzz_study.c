/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a study file: refused in words, or read and asked without harm. */
#include "fuzz.h"

#include <fcps/study.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void use(fcps_study *study)
{
  for (int i = 0; i < fcps_study_rollout_count(study); i++) {
    fcps_study_rollout rollout;
    fcps_study_rollout_at(study, i, &rollout);
  }
  const fcps_problem *p = fcps_study_problem(study);
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX];
  for (int i = 0; i < p->target.count; i++)
    target[i] = p->target.dims[i].lower;
  for (int i = 0; i < p->environment.count; i++)
    environment[i] = p->environment.dims[i].lower;
  fcps_trial trial;
  (void)fcps_study_ask(study, "fuzz", target, environment, &trial, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  // in memory where there is such a folder: a thousand files a second
  char path[64], reserve[80];
  snprintf(path, sizeof path, "%s/fcps-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  const int file = mkstemp(path);
  if (file < 0) return 0;
  const bool is_written = write(file, data, size) == (ssize_t)size;
  close(file);
  const fcps_study_options options = {.is_relaxed = true, .wait_ms = 1};
  fcps_study *study = NULL;
  fcps_error error = {0};
  if (is_written && fcps_study_open(&study, path, &options, &error) == FCPS_OK)
    use(study);
  else if (is_written && !error.message[0])
    abort();
  fcps_study_close(study);
  snprintf(reserve, sizeof reserve, "%s-reserve", path);
  unlink(reserve);
  snprintf(reserve, sizeof reserve, "%s-journal", path);
  unlink(reserve);
  unlink(path);
  return 0;
}
