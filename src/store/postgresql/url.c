/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of studies in PostgreSQL: postgresql://HOST/DATABASE?SETTINGS#NAME.
 *
 * What stands before # goes to libpq as it is, so hosts, ports, users, services and TLS are written as everywhere. A
 * password is refused wherever it could stand, because a URL is repeated in messages, histories and lists of processes;
 * libpq finds it in ~/.pgpass, in a service file or in the environment. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "store/postgresql/postgresql_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 200 };

/* Decodes the next character of a percent-encoded text, and moves past it. */
static char decode(const char **text)
{
  const int byte = fcps_percent_read(*text);
  const char c = byte >= 0 ? (char)byte : **text;
  *text += byte >= 0 ? 3 : 1;
  return c;
}

/* Whether one of the settings is a password, even if its name is percent-encoded. */
static bool has_password_setting(const char *settings, const char *end)
{
  while (settings < end) {
    char name[32];
    size_t length = 0;
    while (settings < end && *settings != '=' && *settings != '&') {
      const char c = (char)tolower((unsigned char)decode(&settings));
      if (length < sizeof name - 1) name[length++] = c;
    }
    name[length] = '\0';
    /* Other programs call a password so. */
    if (strstr(name, "passw") != NULL || strstr(name, "pwd") != NULL) return true;
    while (settings < end && *settings != '&')
      settings++;
    if (settings < end) settings++;
  }
  return false;
}

static bool has_password(const char *address)
{
  const char *end = address + strcspn(address, "?#"), *at = NULL;
  for (const char *c = address; c < end; c++)
    if (*c == '@') at = c;
  for (const char *c = address; at != NULL && c < at;)
    if (decode(&c) == ':') return true; /* the form USER:PASSWORD@ */
  return *end == '?' && has_password_setting(end + 1, end + strcspn(end, "#"));
}

const char *fcps_postgresql_study_name(const fcps_store_url *url)
{
  const char *mark = strchr(url->address, '#');
  return mark != NULL ? mark + 1 : "";
}

fcps_status fcps_postgresql_check(const fcps_store_url *url, fcps_error *error)
{
  if (has_password(url->address))
    return fcps_error_set(
        error, FCPS_ERR_ARGUMENT, "",
        "the address of this study has a password in it, where others can read it. Put the password "
        "into ~/.pgpass, a service file or PGPASSWORD, and write postgresql://USER@HOST/DATABASE#NAME.");
  const char *name = fcps_postgresql_study_name(url);
  const size_t length = strlen(name);
  bool is_plain = length >= 1 && length <= NAME_MOST && strpbrk(name, "#?") == NULL;
  for (size_t i = 0; i < length; i++)
    is_plain = is_plain && (unsigned char)name[i] >= ' ' && name[i] != 127;
  if (strncmp(url->address, "//", 2) == 0 && is_plain) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "",
                        "a study in PostgreSQL is written postgresql://HOST/DATABASE#NAME, with the name of "
                        "the study, of up to %d characters, after #. Settings (?...) stand before #.",
                        NAME_MOST); /* The address is not repeated, because a password with a # may be in it. */
}

char *fcps_postgresql_database(const fcps_store_url *url)
{
  const size_t length = strcspn(url->address, "#"), size = length + sizeof "postgresql:";
  char *text = fcps_allocate(size, 1);
  if (text != NULL) snprintf(text, size, "postgresql:%.*s", (int)length, url->address);
  return text;
}
