/* SPDX-License-Identifier: Apache-2.0 */
/* Several rooms are used in turn, so that one call of printf can show several texts. Only the thread that prints may
 * call these functions. */
#include "cli/support/shown.h"

#include "base/error.h"
#include "format/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* -- Whole outputs -- */

static bool is_terminal(void)
{
  return isatty(STDOUT_FILENO) == 1;
}

/* Writes a text with control characters made visible; in a table, a line end within quotes is a part of the text. */
static void write_visible(const char *text, size_t length, bool is_table)
{
  bool is_quoted = false;
  for (size_t at = 0, size; at < length; at += size) {
    const size_t bytes = fcps_utf8_length(text + at);
    char one[5] = "";
    size = bytes > 0 ? bytes : 1;
    memcpy(one, text + at, size);
    is_quoted ^= is_table && *one == '"';
    if (*one == '\t' || (*one == '\n' && !is_quoted))
      putchar(*one);
    else if (*one == '\0')
      fputs("\\x00", stdout);
    else
      fcps_shown_write(stdout, one);
  }
}

void cli_shown_print(const char *text, size_t length, bool is_table)
{
  if (is_terminal())
    write_visible(text, length, is_table);
  else
    fwrite(text, 1, length, stdout);
}

void cli_shown_output_open(cli_shown_output *output)
{
  *output = (cli_shown_output){0};
  output->stream = is_terminal() ? open_memstream(&output->text, &output->length) : stdout;
}

fcps_status cli_shown_output_finish(cli_shown_output *output, fcps_status status, fcps_error *error)
{
  const bool is_kept = output->stream != stdout;
  if (output->stream == NULL || (is_kept && fclose(output->stream) != 0)) status = fcps_error_memory(error);
  if (is_kept && status == FCPS_OK) cli_shown_print(output->text, output->length, true);
  free(output->text);
  return status;
}

/* -- JSON -- */

/* A line is printed whole or not at all: it is built in memory first. */

fcps_status cli_print_json(FILE *stream, fcps_json *json, fcps_error *error)
{
  char *text = fcps_json_finish(json);
  if (text == NULL) return fcps_error_memory(error);
  if (stream == stdout)
    cli_shown_print(text, strlen(text), false);
  else
    fputs(text, stream);
  fputc('\n', stream);
  fcps_free(text);
  return FCPS_OK;
}
