/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a problem file: an error with a message, or a problem that can be scored. */
#include "fuzz.h"

#include <fcps/problem_file.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fcps_problem_file *file = NULL;
  fcps_error error = {0};
  if (fcps_problem_file_parse(&file, (const char *)data, size, "fuzz.yaml", NULL, &error) != FCPS_OK) {
    if (file != NULL || !error.message[0]) abort();
    return 0;
  }
  static const double zeros[FCPS_SPACE_MAX];
  static const bool present[] = {true};
  double reward = 0;
  const fcps_problem *p = &file->problem;
  if (p->reward != NULL && p->reward(p->user, 1, zeros, zeros, zeros, zeros, present, &reward) != FCPS_OK) abort();
  fcps_problem_file_destroy(file);
  return 0;
}
