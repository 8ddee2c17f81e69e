/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads errors and warnings. A code is the name of its status, so there is no second list of names. */
#include "wire/wire.h"

#include "base/error.h"

#include <string.h>

/* the code replaces this prefix by "E_": FCPS_ERR_BOUNDS is "E_BOUNDS" */
static const char prefix[] = "FCPS_ERR_";

static const char *status_word(fcps_status status)
{
  static const char *const names[] = {
#define FCPS_STATUS_NAME(name, text) #name,
      FCPS_STATUS_LIST(FCPS_STATUS_NAME)
#undef FCPS_STATUS_NAME
  };
  if ((int)status <= 0 || status >= FCPS_STATUS_COUNT) return "INTERNAL";
  return names[status] + strlen(prefix);
}

char *fcps_wire_failure_code(fcps_status status, char code[FCPS_WIRE_CODE_SIZE])
{
  const char *word = status_word(status);
  const size_t length = strlen(word) < FCPS_WIRE_CODE_SIZE - 3 ? strlen(word) : FCPS_WIRE_CODE_SIZE - 3;
  memcpy(code, "E_", 2);
  memcpy(code + 2, word, length);
  code[2 + length] = '\0';
  return code;
}

fcps_json *fcps_wire_failure_write(const fcps_error *error)
{
  char code[FCPS_WIRE_CODE_SIZE];
  fcps_json *inner = fcps_json_object(), *object = fcps_json_object();
  fcps_json_put(&inner, "code", fcps_json_from_text(fcps_wire_failure_code(error->status, code)));
  fcps_json_put(&inner, "field", fcps_json_from_text(error->field));
  fcps_json_put(&inner, "message", fcps_json_from_text(error->message));
  if (error->file[0] != '\0') fcps_json_put(&inner, "file", fcps_json_from_text(error->file));
  if (error->line > 0) fcps_json_put(&inner, "line", fcps_json_from_integer(error->line));
  if (error->column > 0) fcps_json_put(&inner, "column", fcps_json_from_integer(error->column));
  fcps_json_put(&object, "error", inner);
  return object;
}

bool fcps_wire_failure_read(const fcps_json *json, fcps_error *error)
{
  const fcps_json *inner = fcps_json_get(json, "error");
  const char *code = fcps_json_text(fcps_json_get(inner, "code"));
  const char *field = fcps_json_text(fcps_json_get(inner, "field"));
  const char *message = fcps_json_text(fcps_json_get(inner, "message"));
  fcps_status status = FCPS_ERR_IO;
  if (code == NULL || message == NULL) return false;
  for (int i = 1; i < FCPS_STATUS_COUNT; i++) {
    char known[FCPS_WIRE_CODE_SIZE];
    if (strcmp(fcps_wire_failure_code((fcps_status)i, known), code) == 0) status = (fcps_status)i;
  }
  const char *file = fcps_json_text(fcps_json_get(inner, "file"));
  int64_t line = 0, column = 0;
  (void)fcps_json_integer(fcps_json_get(inner, "line"), &line);
  (void)fcps_json_integer(fcps_json_get(inner, "column"), &column);
  if (file != NULL)
    fcps_error_at(error, status, file, (int)line, (int)column, field != NULL ? field : "", "%s", message);
  else
    fcps_error_set(error, status, field != NULL ? field : "", "%s", message);
  return true;
}

void fcps_wire_warning_add(fcps_json **list, const char *code, const char *message)
{
  fcps_json *warning = fcps_json_object();
  fcps_json_put(&warning, "code", fcps_json_from_text(code));
  fcps_json_put(&warning, "message", fcps_json_from_text(message));
  if (*list == NULL) *list = fcps_json_array();
  fcps_json_add(list, warning);
}

void fcps_wire_warnings_put(fcps_json **answer, fcps_json **list)
{
  if (*answer == NULL || *list == NULL || fcps_json_get(*answer, "warnings") != NULL) return;
  fcps_json_put(answer, "warnings", *list);
  *list = NULL;
}
