/* SPDX-License-Identifier: Apache-2.0 */
/* Rooms in turn, so that one call of printf can show several texts. Only the thread that prints calls this. */
#include "cli/support/shown.h"

#include "format/shown.h"

const char *cli_shown(const char *text)
{
  enum { ROOMS = 8, ROOM = 4096 };
  static char rooms[ROOMS][ROOM];
  static int next;
  next = (next + 1) % ROOMS;
  return fcps_shown_line(text, ROOM, rooms[next]);
}
