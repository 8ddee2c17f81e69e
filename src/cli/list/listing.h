/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a command that lists something: a name, or all; as text, or as JSON. */
#ifndef FCPS_CLI_LIST_LISTING_H
#define FCPS_CLI_LIST_LISTING_H

#include <fcps/base.h>

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

#endif
