/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a command that lists something: a name, or all; as text, or as JSON. */
#ifndef FCPS_CLI_LISTING_H
#define FCPS_CLI_LISTING_H

#include "format/json.h"

#include <fcps/base.h>
#include <fcps/fcps.h>

typedef struct cli_listing {
  const char *name; /* NULL: all */
  bool as_json;
} cli_listing;

/* Reads the arguments. `doc` is for argp. */
fcps_status cli_listing_parse(cli_listing *listing, const char *doc, int argc, char **argv, fcps_error *error);

/* Whether the listing shows the item with this name. */
bool cli_listing_includes(const cli_listing *listing, const char *name);

/* Refuses a name that is not one of these. `kind` says what they are. */
fcps_status cli_listing_check(const cli_listing *listing, const char *kind, int count, const char *const *names,
                              fcps_error *error);

/* Spaces and settings, for people and for programs: what the listings show of a task or a learner. */

/* Prints a space under its label; nothing if it is empty. */
void cli_describe_space(const char *label, const fcps_space *space);

/* Prints a table of settings. `defaults` (may be NULL) are values that differ from the table's. */
void cli_describe_settings(const char *option, const fcps_setting_table *table, const fcps_setting *defaults);

/* The same as JSON; NULL when there is no memory. */
fcps_json *cli_describe_space_json(const fcps_space *space);
fcps_json *cli_describe_settings_json(const fcps_setting_table *table, const fcps_setting *defaults);

#endif
