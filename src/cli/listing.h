/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that list something: one named item or all, as text or as JSON. */
#ifndef FCPS_CLI_LISTING_H
#define FCPS_CLI_LISTING_H

#include "format/json.h"

#include <fcps/base.h>
#include <fcps/fcps.h>

typedef struct cli_listing {
  const char *name; /* the item to show; NULL: all items */
  bool as_json;
} cli_listing;

/* Reads the arguments. `doc` is the help text for argp. */
fcps_status cli_listing_parse(cli_listing *listing, const char *doc, int argc, char **argv, fcps_error *error);

/* Whether the listing shows the item with this name. */
bool cli_listing_includes(const cli_listing *listing, const char *name);

/* Refuses a name that is not in the list. `kind` says what the names are, as in "learner". */
fcps_status cli_listing_check(const cli_listing *listing, const char *kind, int count, const char *const *names,
                              fcps_error *error);

/* The functions below print the spaces and settings of a task or a learner, for people or as JSON. */

/* Prints a space under its label, or nothing if the space is empty. */
void cli_describe_space(const char *label, const fcps_space *space);

/* Prints a table of settings. If `defaults` is not NULL, its values replace the defaults of the table. */
void cli_describe_settings(const char *option, const fcps_setting_table *table, const fcps_setting *defaults);

/* Returns the space as JSON, or NULL if memory ran out. */
fcps_json *cli_describe_space_json(const fcps_space *space);
fcps_json *cli_describe_settings_json(const fcps_setting_table *table, const fcps_setting *defaults);

#endif
