/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a study file for repair: an error with a message, or a copy in a new study. The old file keeps its
 * bytes, and the new one can be opened or gives an error with a message, because a repaired record may contradict its
 * problem. */
#include "fuzz.h"
#include "input_file.h"
#include "study_use.h"

#include <string.h>

/* Whether the file still has the bytes of the input. */
static bool is_unchanged(const uint8_t *data, size_t size)
{
  FILE *file = fopen(input_path, "rb");
  uint8_t *bytes = malloc(size + 1);
  if (file == NULL || bytes == NULL) abort();
  const bool is_same = fread(bytes, 1, size + 1, file) == size && memcmp(bytes, data, size) == 0;
  free(bytes);
  fclose(file);
  return is_same;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!write_input(data, size)) return 0;
  const fcps_study_options options = {.is_relaxed = true, .wait_ms = 1};
  fcps_study *study = NULL;
  fcps_error error = {0};
  int64_t records = -1;
  const fcps_status status = fcps_study_repair(input_path, made_path, &records, &error);
  if (!is_unchanged(data, size)) abort();
  if (status != FCPS_OK) {
    if (!error.message[0]) abort();
    return 0;
  }
  if (records < 0) abort();
  if (fcps_study_open(&study, made_path, &options, &error) == FCPS_OK)
    use_study(study);
  else if (!error.message[0])
    abort();
  fcps_study_close(study);
  return 0;
}
