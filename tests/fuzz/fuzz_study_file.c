/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a study file: an error with a message, or a study that is used without harm. */
#include "fuzz.h"
#include "input_file.h"
#include "study_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!write_input(data, size)) return 0;
  const fcps_study_options options = {.is_relaxed = true, .wait_ms = 1};
  fcps_study *study = NULL;
  fcps_error error = {0};
  if (fcps_study_open(&study, input_path, &options, &error) == FCPS_OK)
    use_study(study);
  else if (!error.message[0])
    abort();
  fcps_study_close(study);
  return 0;
}
