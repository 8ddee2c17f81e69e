/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/support/no_file.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const char command[] = "fcps study ", name[] = " STUDY", before[] = "in a study with a file, ",
                  file_name[] = " FILE.fcps";

/* The length of "fcps study VERB STUDY" at the beginning of a text, without its name; 0: it is none. */
static size_t measure_command(const char *text)
{
  if (strncmp(text, command, sizeof command - 1) != 0) return 0;
  const char *end = text + sizeof command - 1;
  while (islower((unsigned char)*end) || *end == '-')
    end++;
  const bool has_name = strncmp(end, name, sizeof name - 1) == 0;
  const char next = has_name ? end[sizeof name - 1] : '.';
  return isalnum((unsigned char)next) || next == '.' ? 0 : (size_t)(end - text);
}

const char *cli_no_file_text(const char *text, size_t size, char *room)
{
  size_t used = 0;
  bool has_any = false;
  for (const char *c = text; *c != '\0';) {
    const size_t length = measure_command(c);
    if (used + length + sizeof before + sizeof file_name >= size) return text;
    if (length == 0) {
      room[used++] = *c++;
      continue;
    }
    has_any = true;
    used = (size_t)(stpcpy(room + used, before) - room);
    memcpy(room + used, c, length);
    used = (size_t)(stpcpy(room + used + length, file_name) - room);
    c += length + sizeof name - 1;
  }
  room[used] = '\0';
  return has_any ? room : text;
}
