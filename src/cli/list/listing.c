/* SPDX-License-Identifier: Apache-2.0 */
/* All listings take the same arguments and refuse an unknown name with the nearest one. */
#include "cli/list/listing.h"

#include "base/error.h"
#include "cli/support/arguments.h"

#include <string.h>

static const cli_argument table[] = {{CLI_ARGUMENT_OPTIONAL, "NAME", .offset = offsetof(cli_listing, name)},
                                     {CLI_ARGUMENT_SWITCH, "json", offsetof(cli_listing, as_json), 'j',
                                      .help = "Print JSON, one object per line, instead of text"},
                                     {0}};

fcps_status cli_listing_parse(cli_listing *listing, const char *doc, int argc, char **argv, fcps_error *error)
{
  return cli_arguments_parse(table, doc, argc, argv, listing, error);
}

bool cli_listing_includes(const cli_listing *listing, const char *name)
{
  return listing->name == NULL || strcmp(listing->name, name) == 0;
}

fcps_status cli_listing_check(const cli_listing *listing, const char *kind, int count, const char *const *names,
                              fcps_error *error)
{
  char hint[384];
  for (int i = 0; i < count; i++)
    if (cli_listing_includes(listing, names[i])) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, kind, "there is no %s \"%s\"; %s", kind, listing->name,
                        fcps_name_hint(listing->name, count, names, sizeof hint, hint));
}
