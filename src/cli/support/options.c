/* SPDX-License-Identifier: Apache-2.0 */
/* Whole numbers and lists of name=value, read from the command line. What is refused names its option. */
#include "cli/support/options.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fcps_status cli_setting_list_add(cli_setting_list *list, const char *option, const char *text, fcps_error *error)
{
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0') {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is not NAME=VALUE, as in %s kappa=0.5", text,
                          option);
  }
  if (!fcps_reserve((void **)&list->items, &list->capacity, list->count + 2, sizeof *list->items)) {
    return fcps_error_memory(error);
  }
  char *name = fcps_copy_text(text);
  if (name == NULL) return fcps_error_memory(error);
  name[equals - text] = '\0';
  list->items[list->count++] = (fcps_setting){.name = name, .value = name + (equals - text) + 1};
  return FCPS_OK;
}

void cli_setting_list_destroy(cli_setting_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    free((char *)list->items[i].name);
  free(list->items);
  *list = (cli_setting_list){0};
}

fcps_status cli_option_integer(const char *option, const char *text, int64_t lower, int64_t upper, int64_t *value,
                               fcps_error *error)
{
  const size_t sign = strspn(text, "+-") == 1 ? 1 : 0;
  const bool has_digits = text[sign] != '\0' && text[sign + strspn(text + sign, "0123456789")] == '\0';
  const bool is_read = fcps_integer_read(text, value);
  if (!is_read && !has_digits) {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is not a whole number", text);
  }
  if (is_read && *value >= lower && *value <= upper) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_BOUNDS, option,
                        "%s is out of range; give a number from %" PRId64 " to %" PRId64, text, lower, upper);
}
