/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces and settings, for people and for programs. */
#ifndef FCPS_CLI_SUPPORT_DESCRIBE_H
#define FCPS_CLI_SUPPORT_DESCRIBE_H

#include "format/json.h"

#include <fcps/fcps.h>

/* What a command that lists something is told. */
typedef struct fcps_listing {
  const char *name; /* NULL: all */
  bool as_json;
} fcps_listing;

/* Its arguments. `doc` is for argp. */
fcps_status fcps_describe_parse(const char *doc, int argc, char **argv, fcps_listing *listing, fcps_error *error);

/* Whether what is called `name` is wished. */
bool fcps_describe_includes(const fcps_listing *listing, const char *name);

/* Refuses a wish for a name that is none of these. `kind` says what they are. */
fcps_status fcps_describe_check(const fcps_listing *listing, const char *kind, int count, const char *const *names,
                                fcps_error *error);

/* Prints a space under its label; nothing where it is empty. */
void fcps_describe_space(const char *label, const fcps_space *space);

/* Prints a table of settings. `defaults` (may be NULL) are values that differ from the table's. */
void fcps_describe_settings(const char *option, const fcps_setting_table *table, const fcps_setting *defaults);

/* The same as JSON; NULL when there is no memory. */
fcps_json *fcps_describe_space_json(const fcps_space *space);
fcps_json *fcps_describe_settings_json(const fcps_setting_table *table, const fcps_setting *defaults);

/* Prints `json` (which may be NULL: no memory) as a line and destroys it. */
fcps_status fcps_describe_print(fcps_json *json, fcps_error *error);

#endif
