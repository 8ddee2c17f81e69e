/* SPDX-License-Identifier: Apache-2.0 */
/* A line is printed whole or not at all: it is built in memory first. */
#include "cli/support/print_json.h"

#include "base/error.h"
#include "cli/support/shown.h"

#include <string.h>

fcps_status cli_print_json(FILE *stream, fcps_json *json, fcps_error *error)
{
  char *text = fcps_json_finish(json);
  if (text == NULL) return fcps_error_memory(error);
  if (stream == stdout)
    cli_shown_print(text, strlen(text), false);
  else
    fputs(text, stream);
  fputc('\n', stream);
  fcps_free(text);
  return FCPS_OK;
}
