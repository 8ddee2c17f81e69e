/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options: whole numbers, and lists of name=value. */
#ifndef FCPS_CLI_SUPPORT_OPTIONS_H
#define FCPS_CLI_SUPPORT_OPTIONS_H

#include <fcps/fcps.h>

/* A growing list of name=value, ended by {NULL, NULL}; owns its texts. */
typedef struct cli_setting_list {
  fcps_setting *items; /* NULL while empty */
  size_t count, capacity;
} cli_setting_list;

fcps_status cli_setting_list_add(cli_setting_list *list, const char *option, const char *text, fcps_error *error);
void cli_setting_list_destroy(cli_setting_list *list);

/* Reads a whole number in [lower, upper]; `option` is for the error. */
fcps_status cli_option_integer(const char *option, const char *text, int64_t lower, int64_t upper, int64_t *value,
                               fcps_error *error);

#endif
