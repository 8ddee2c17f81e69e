/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a JSON line: a value that is read is the same after it is written and read again. */
#include "fuzz.h"

#include "format/json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fcps_json *json = NULL, *again = NULL;
  if (fcps_json_read(&json, (const char *)data, size, "fuzz", NULL) != FCPS_OK) return 0;
  char *text = fcps_json_write(json);
  if (text == NULL || fcps_json_read(&again, text, strlen(text), "again", NULL) != FCPS_OK) abort();
  char *second = fcps_json_write(again);
  if (second == NULL || strcmp(text, second) != 0) abort();
  free(text);
  free(second);
  fcps_json_destroy(json);
  fcps_json_destroy(again);
  return 0;
}
