/* SPDX-License-Identifier: Apache-2.0 */
/* A file may have any name, so only what nobody calls a file is taken for an address: a scheme that is nearly http, or a
 * port between a colon and a slash; and only where no such file is there. */
#include "cli/support/near_address.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* where HOST:PORT begins behind a scheme that is nearly http; NULL: nowhere */
static const char *skip_scheme(const char *text)
{
  static const char *const schemes[] = {
      "http:", "https:", "htp:", "htpp:", "htttp:", "hhtp:", "ttp:", "http//", "https//"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    if (strncasecmp(text, schemes[i], strlen(schemes[i])) == 0) {
      const char *rest = text + strlen(schemes[i]);
      return rest + strspn(rest, "/");
    }
  return NULL;
}

/* HOST:PORT/STUDY */
static bool is_place(const char *text)
{
  const char *colon = strchr(text, ':'), *slash = strchr(text, '/');
  return colon != NULL && slash != NULL && colon > text && colon < slash && slash > colon + 1 &&
         strspn(colon + 1, "0123456789") == (size_t)(slash - colon - 1);
}

fcps_status cli_near_address_check(const char *text, fcps_error *error)
{
  const char *rest = skip_scheme(text);
  if (strncmp(text, "http://", 7) == 0 || access(text, F_OK) == 0) return FCPS_OK;
  if (rest == NULL && !is_place(text)) return FCPS_OK;
  if (strncasecmp(text, "https", 5) == 0)
    return fcps_error_set(
        error, FCPS_ERR_ARGUMENT, "STUDY",
        "fcps does not speak https. On the machine of the server write http://%.100s; from another one "
        "make a tunnel first: ssh -L PORT:127.0.0.1:PORT HOST",
        rest);
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY",
                        "there is no file \"%.100s\"; for a server write http://%.100s", text,
                        rest != NULL ? rest : text);
}
