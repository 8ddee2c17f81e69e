/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings of the library and of the program in one form. */
#include "cli/support/log.h"
#include "cli/support/shown.h"
#include "cli/support/study_path.h"
#include "format/text.h"

#include <stdarg.h>
#include <stdio.h>

static void (*listener)(const char *code);

void cli_log_listen(void (*hear)(const char *code))
{
  listener = hear;
}

static void print_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)user;
  if (level == FCPS_LOG_WARNING) cli_warn(code, "%s", message);
  if (level == FCPS_LOG_INFO && listener != NULL) listener(code);
}

const fcps_log cli_log = {.write = print_warning};

void cli_warn(const char *code, const char *format, ...)
{
  char said[2048], room[2400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(said, sizeof said, format, arguments);
  va_end(arguments);
  const char *message = cli_no_file_text(said, sizeof room, room);
  fprintf(stderr, "fcps: %s: ", cli_shown(code));
  fcps_shown_write_lines(stderr, message);
  fputc('\n', stderr);
}
