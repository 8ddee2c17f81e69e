/* SPDX-License-Identifier: Apache-2.0 */
/* A command prints few warnings; a run that prints thousands has no use for them here. */
#include "cli/support/warnings.h"

#include "base/memory.h"

#include <stddef.h>

enum { MOST_KEPT = 200 };

static struct {
  char *code, *text;
} kept[MOST_KEPT];
static int kept_count;

void cli_warnings_keep(const char *code, const char *text)
{
  if (kept_count == MOST_KEPT) return;
  char *own_code = fcps_copy_text(code), *own_text = fcps_copy_text(text);
  if (own_code != NULL && own_text != NULL) {
    kept[kept_count].code = own_code;
    kept[kept_count++].text = own_text;
    return;
  }
  fcps_free(own_code);
  fcps_free(own_text);
}

void cli_warnings_put(fcps_json **object)
{
  if (kept_count == 0) return;
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < kept_count; i++) {
    fcps_json *warning = fcps_json_object();
    fcps_json_put(&warning, "code", fcps_json_from_text(kept[i].code));
    fcps_json_put(&warning, "text", fcps_json_from_text(kept[i].text));
    fcps_json_add(&list, warning);
  }
  fcps_json_put(object, "warnings", list);
}
