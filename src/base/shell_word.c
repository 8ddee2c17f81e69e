/* SPDX-License-Identifier: Apache-2.0 */
/* Between single quotes only the quote itself is special: it ends the word, stands behind a backslash, and a new one
 * begins. */
#include "base/shell_word.h"

#include <stdbool.h>
#include <string.h>

static bool is_plain(const char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
  if (*text == '\0') return false;
  for (; *text != '\0'; text++)
    if ((unsigned char)*text < 128 && strchr(plain, *text) == NULL) return false;
  return true;
}

const char *fcps_shell_word(const char *text, size_t size, char *room)
{
  static const char quote[] = "'\\''";
  size_t length = 0;
  if (is_plain(text) || size < 3) return text;
  room[length++] = '\'';
  for (const char *c = text; *c != '\0'; c++) {
    const size_t more = *c == '\'' ? strlen(quote) : 1;
    if (length + more + 2 > size) return text;
    memcpy(room + length, *c == '\'' ? quote : c, more);
    length += more;
  }
  room[length++] = '\'';
  room[length] = '\0';
  return room;
}
