/* SPDX-License-Identifier: Apache-2.0 */
/* All listings take the same arguments and refuse an unknown name with the nearest one. */
#include "cli/list/listing.h"

#include "base/error.h"
#include "cli/support/arguments.h"

#include <string.h>

static const fcps_argument table[] = {{FCPS_ARGUMENT_LEFT, "NAME", .place = offsetof(fcps_listing, name)},
                                      {FCPS_ARGUMENT_SWITCH, "json", offsetof(fcps_listing, as_json), 'j',
                                       .help = "Print JSON, one object per line, instead of text"},
                                      {0}};

fcps_status fcps_listing_parse(fcps_listing *listing, const char *doc, int argc, char **argv, fcps_error *error)
{
  return fcps_arguments_parse(table, doc, argc, argv, listing, error);
}

bool fcps_listing_includes(const fcps_listing *listing, const char *name)
{
  return listing->name == NULL || strcmp(listing->name, name) == 0;
}

fcps_status fcps_listing_check(const fcps_listing *listing, const char *kind, int count, const char *const *names,
                               fcps_error *error)
{
  char hint[384];
  for (int i = 0; i < count; i++)
    if (fcps_listing_includes(listing, names[i])) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, kind, "there is no %s \"%s\"; %s", kind, listing->name,
                        fcps_name_hint(listing->name, count, names, sizeof hint, hint));
}
