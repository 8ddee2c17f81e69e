/* SPDX-License-Identifier: Apache-2.0 */
/* Rooms in turn, so that one call of printf can show several texts. Only the thread that prints calls this. */
#include "cli/support/shown.h"

#include "base/error.h"
#include "base/shell_word.h"
#include "format/text.h"

enum { ROOMS = 8, ROOM = 4096 };

static char *next_room(void)
{
  static char rooms[ROOMS][ROOM];
  static int next;
  next = (next + 1) % ROOMS;
  return rooms[next];
}

const char *cli_shown(const char *text)
{
  return fcps_shown_line(text, ROOM, next_room());
}

const char *cli_shown_word(const char *text)
{
  return fcps_shell_word(cli_shown(text), ROOM, next_room());
}

/* -- JSON -- */

/* A line is printed whole or not at all: it is built in memory first. */

fcps_status cli_print_json(FILE *stream, fcps_json *json, fcps_error *error)
{
  char *text = fcps_json_finish(json);
  if (text == NULL) return fcps_error_memory(error);
  fprintf(stream, "%s\n", text);
  fcps_free(text);
  return FCPS_OK;
}
