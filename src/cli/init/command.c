/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps init`: a problem file and a program that run at once, to be changed into the user's own. Nothing that exists is
 * written over. */
#include "base/error.h"
#include "cli/init/stubs.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/fail.h"
#include "cli/support/shown.h"
#include "format/file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_MAX_LENGTH = 60, PATH_SIZE = 128 };

typedef struct init_command {
  const char *name, *language;
  fcps_error error;
} init_command;

static const cli_argument table[] = {
    {CLI_ARGUMENT_OPTIONAL, "NAME", .offset = offsetof(init_command, name), .value = "name"},
    {CLI_ARGUMENT_TEXT, "language", offsetof(init_command, language), 'L', "LANGUAGE",
     .help = "Of the program: python (default), c, shell (or sh), or matlab (which also runs in Octave)"},
    {0}};

static const char doc[] =
    "Writes NAME.yaml, a problem with comments, and NAME.py (or .c, .sh, .m), a program that does its trials. Both run "
    "as "
    "they are; change them into your own. NAME is `first` if you give none. Files that exist are never written over.\v"
    "Example:\n"
    "  fcps init puck\n"
    "  fcps check puck.yaml\n"
    "  fcps run puck.yaml --episodes 40\n";

/* -- What was asked for -- */

static const cli_stub *find_stub(init_command *command)
{
  const char *names[CLI_STUBS];
  char hint[200];
  for (int i = 0; i < CLI_STUBS; i++) {
    const cli_stub *stub = &cli_stubs[i];
    names[i] = stub->language;
    /* "sh" is taken for "shell", as all languages are known by the suffix of their programs */
    if (strcmp(command->language, names[i]) == 0 || strcmp(command->language, stub->suffix + 1) == 0) return stub;
  }
  fcps_error_set(&command->error, FCPS_ERR_UNKNOWN_NAME, "--language", "there is no stub in \"%s\"; %s",
                 command->language, fcps_name_hint(command->language, CLI_STUBS, names, sizeof hint, hint));
  return NULL;
}

/* A name that YAML, a shell, make and MATLAB read as one word. */
static fcps_status check_name(init_command *command)
{
  const char *name = command->name;
  bool is_word = isalpha((unsigned char)name[0]) != 0 && strlen(name) <= NAME_MAX_LENGTH;
  for (const char *c = name; *c && is_word; c++)
    is_word = isalnum((unsigned char)*c) || *c == '_';
  if (is_word) return FCPS_OK;
  return fcps_error_set(&command->error, FCPS_ERR_ARGUMENT, "NAME",
                        "\"%s\" cannot be used: give a letter and then letters, digits and underscores, at most %d, "
                        "without a suffix. The files are written into this folder",
                        name, NAME_MAX_LENGTH);
}

/* -- The files -- */

/* The text with the name in place of each "@", and the command in place of "%" where there is one; NULL: no memory. */
static char *fill_in(const char *text, const char *name, const char *command)
{
  char *filled = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&filled, &length);
  if (stream == NULL) return NULL;
  for (const char *c = text; *c; c++) {
    if (*c == '@')
      fputs(name, stream);
    else if (*c == '%' && command != NULL)
      fputs(command, stream);
    else
      fputc(*c, stream);
  }
  if (fclose(stream) == 0) return filled;
  free(filled);
  return NULL;
}

static fcps_status refuse_taken(const char *path, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "NAME",
                        "%s exists and is not written over; give another name, or remove it first", path);
}

static fcps_status write_text(const char *path, char *text, fcps_error *error)
{
  bool is_taken = false;
  if (text == NULL) return fcps_error_memory(error);
  const fcps_status status = fcps_file_create(path, text, strlen(text), &is_taken, error);
  free(text);
  return status == FCPS_OK && is_taken ? refuse_taken(path, error) : status;
}

static fcps_status write_files(init_command *command, const cli_stub *stub, const char *problem, const char *program)
{
  char *start = fill_in(stub->command, command->name, NULL);
  if (start == NULL) return fcps_error_memory(&command->error);
  fcps_status status = write_text(program, fill_in(stub->text, command->name, NULL), &command->error);
  if (status == FCPS_OK) status = write_text(problem, fill_in(cli_stub_problem, command->name, start), &command->error);
  free(start);
  return status;
}

static void say_next(const init_command *command, const cli_stub *stub, const char *problem, const char *program)
{
  char *note = fill_in(stub->note, command->name, NULL);
  printf("wrote %s, the problem\nwrote %s, the program that does a trial\n", problem, program);
  if (note != NULL && *note) printf("The program needs %s.\n", note);
  free(note);
  printf("\nBoth run as they are. Change them into your own, step by step. Next:\n"
         "  fcps check %s   # what fcps understands, and two trials that are not stored\n"
         "  fcps run %s     # learns, and keeps every trial in %s.fcps\n",
         cli_shown_word(problem), cli_shown_word(problem), command->name);
}

int cli_command_init(int argc, char **argv)
{
  init_command command = {.name = "first", .language = "python"};
  fcps_error *error = &command.error;
  char problem[PATH_SIZE], program[PATH_SIZE];
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &command, error);
  if (status == FCPS_OK) status = check_name(&command);
  const cli_stub *stub = status == FCPS_OK ? find_stub(&command) : NULL;
  if (stub == NULL) return cli_fail(error);

  snprintf(problem, sizeof problem, "%s.yaml", command.name);
  snprintf(program, sizeof program, "%s%s", command.name, stub->suffix);
  struct stat there;
  if (lstat(problem, &there) == 0) status = refuse_taken(problem, error);
  if (status == FCPS_OK) status = write_files(&command, stub, problem, program);
  if (status != FCPS_OK) return cli_fail(error);
  say_next(&command, stub, problem, program);
  return 0;
}
