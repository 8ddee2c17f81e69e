/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps init`: writes a problem file and a program that run at once, for the user to change. Existing files are
 * never overwritten. */
#include "base/error.h"
#include "cli/support/arguments.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "cli/support/values.h"
#include "format/file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A program in one language, to start from. */
typedef struct cli_stub {
  const char *language, *suffix; /* such as "python" and ".py" */
  const char *command;           /* how the problem file starts the program */
  const char *text;              /* the program */
  const char *note;              /* what must be installed before the program runs; "" if nothing must */
} cli_stub;

enum { CLI_STUBS = 4 };
extern const cli_stub cli_stubs[CLI_STUBS];

/* -- Programs to start from -- */

/* Every program does the same trial, a throw along a line, so that all of them run at once and learn the same. Each
 * shows three things: how an ask is read, where the user's own code goes, and how an answer is written. */

/* The problem file; "%" stands for the command that starts the program. */
const char cli_stub_problem[] =
    "# What fcps is to learn. `fcps check @.yaml` says how this file is understood; docs/study.md of fcps "
    "describes every key.\n"
    "#\n"
    "# This one throws a ball along a line. It should land at any place that is asked for, from any height. Put your "
    "own\n"
    "# names and ranges in place of these.\n"
    "name: @\n"
    "\n"
    "# What you want. It does not change what happens. Leave it out if there is nothing to choose.\n"
    "target:\n"
    "  place: {range: [3, 8], unit: m}\n"
    "\n"
    "# What is given, and changes what happens. Leave it out if it is always the same.\n"
    "environment:\n"
    "  height: {range: [0, 2], unit: m}\n"
    "\n"
    "# What fcps chooses. Beside its range a dimension may have a unit (for people), a step (settings 0.5, 1, 1.5, "
    "...),\n"
    "# scale: log (0.001 to 10) or scale: integer, and a period (360 for an angle that goes round). Or it chooses "
    "among\n"
    "# words: `ball: [leather, rubber, foam]`.\n"
    "parameters:\n"
    "  speed: {range: [3, 10], unit: m/s}\n"
    "  angle: {range: [10, 80], step: 1, unit: deg}\n"
    "\n"
    "# What is measured in a trial.\n"
    "outcome:\n"
    "  land: {unit: m}\n"
    "\n"
    "# How good a trial was: a formula over the names above. With it fcps scores every old trial for every new "
    "target.\n"
    "reward: -abs(land - place) - 0.01*speed\n"
    "\n"
    "# The program that does a trial, your simulator or robot: fcps writes it a line of JSON, and reads one.\n"
    "run: {command: [%], timeout_s: 30}\n"
    "\n"
    "# contexts: uniform         # from where `fcps run` takes targets and environments\n"
    "# learner: {name: outcome}  # `fcps learners` lists all\n";

static const char python_text[] =
    "#!/usr/bin/env python3\n"
    "\"\"\"Does the trials of @.yaml. fcps writes one JSON object a line, and reads one:\n"
    "\n"
    "    {\"ask\": 7, \"target\": {\"place\": 5}, \"environment\": {\"height\": 1}, \"parameters\": {\"speed\": 6, "
    "\"angle\": 40}}\n"
    "    {\"ask\": 7, \"outcome\": {\"land\": 4.9}}\n"
    "\n"
    "Messages for people go to stderr.\n"
    "\"\"\"\n"
    "import json\n"
    "import math\n"
    "import sys\n"
    "\n"
    "\n"
    "def trial(speed, angle, height):\n"
    "    \"\"\"Put your own simulator or robot here. The arguments are the parameters and the environment of the "
    "problem.\"\"\"\n"
    "    forward = speed * math.cos(math.radians(angle))\n"
    "    upward = speed * math.sin(math.radians(angle))\n"
    "    flight = (upward + math.sqrt(upward**2 + 2 * 9.81 * height)) / 9.81\n"
    "    return {\"land\": forward * flight}\n"
    "\n"
    "\n"
    "for line in sys.stdin:\n"
    "    asked = json.loads(line)\n"
    "    answer = {\"ask\": asked[\"ask\"]}\n"
    "    try:\n"
    "        answer[\"outcome\"] = trial(**asked[\"parameters\"], **asked[\"environment\"])\n"
    "    except RuntimeError as reason:  # raise it if these parameters went wrong: fcps will avoid them\n"
    "        answer[\"failed\"] = str(reason)\n"
    "    print(json.dumps(answer), flush=True)\n";

static const char c_text[] =
    "/* Does the trials of @.yaml. fcps writes one JSON object a line, and reads one:\n"
    " *\n"
    " *   {\"ask\": 7, \"target\": {\"place\": 5}, \"environment\": {\"height\": 1}, \"parameters\": {\"speed\": 6, "
    "\"angle\": 40}}\n"
    " *   {\"ask\": 7, \"outcome\": {\"land\": 4.9}}\n"
    " *\n"
    " * Messages for people go to stderr. */\n"
    "#include <math.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "\n"
    "/* The number behind a name. No two names of a problem are the same, so it need not be known in which object it "
    "is. */\n"
    "static double number_of(const char *line, const char *name)\n"
    "{\n"
    "  char key[80];\n"
    "  snprintf(key, sizeof key, \"\\\"%s\\\":\", name);\n"
    "  const char *place = strstr(line, key);\n"
    "  if (place == NULL) fprintf(stderr, \"no %s in: %s\", name, line), exit(1);\n"
    "  return strtod(place + strlen(key), NULL);\n"
    "}\n"
    "\n"
    "/* Put your own simulator or robot here. */\n"
    "static double trial(double speed, double angle, double height)\n"
    "{\n"
    "  const double forward = speed * cos(angle * 3.14159265 / 180), upward = speed * sin(angle * 3.14159265 / 180);\n"
    "  return forward * (upward + sqrt(upward * upward + 2 * 9.81 * height)) / 9.81;\n"
    "}\n"
    "\n"
    "int main(void)\n"
    "{\n"
    "  char line[65536];\n"
    "  while (fgets(line, sizeof line, stdin) != NULL) {\n"
    "    const double land = trial(number_of(line, \"speed\"), number_of(line, \"angle\"), number_of(line, "
    "\"height\"));\n"
    "    /* if these parameters went wrong: {\"ask\": 7, \"failed\": \"slipped\"} */\n"
    "    printf(\"{\\\"ask\\\": %.0f, \\\"outcome\\\": {\\\"land\\\": %.17g}}\\n\", number_of(line, \"ask\"), land);\n"
    "    fflush(stdout); /* fcps waits for this line */\n"
    "  }\n"
    "}\n";

static const char shell_text[] =
    "#!/bin/sh\n"
    "# Does the trials of @.yaml. fcps writes one JSON object a line, and reads one:\n"
    "#\n"
    "#   {\"ask\": 7, \"target\": {\"place\": 5}, \"environment\": {\"height\": 1}, \"parameters\": {\"speed\": 6, "
    "\"angle\": 40}}\n"
    "#   {\"ask\": 7, \"outcome\": {\"land\": 4.9}}\n"
    "#\n"
    "# Messages for people go to stderr.\n"
    "\n"
    "# number NAME: the number behind a name of the line that was read\n"
    "number() { printf '%s\\n' \"$line\" | sed -n 's/.*\"'\"$1\"'\": *\\([-+0-9.eE]*\\).*/\\1/p'; }\n"
    "\n"
    "while read -r line; do\n"
    "  # Put your own simulator or robot here. It sets land.\n"
    "  land=$(awk -v speed=\"$(number speed)\" -v angle=\"$(number angle)\" -v height=\"$(number height)\" 'BEGIN {\n"
    "    turn = angle * 3.14159265 / 180\n"
    "    up = speed * sin(turn)\n"
    "    printf \"%.10g\", speed * cos(turn) * (up + sqrt(up * up + 2 * 9.81 * height)) / 9.81\n"
    "  }')\n"
    "\n"
    "  # if these parameters went wrong: {\"ask\": 7, \"failed\": \"slipped\"}\n"
    "  printf '{\"ask\": %s, \"outcome\": {\"land\": %s}}\\n' \"$(number ask)\" \"$land\"\n"
    "done\n";

static const char matlab_text[] =
    "% Does the trials of @.yaml, in GNU Octave (7 or later) or in MATLAB. For MATLAB write `command: [matlab, -batch, "
    "@]` in\n"
    "% @.yaml. fcps writes one JSON object a line, and reads one:\n"
    "%\n"
    "%   {\"ask\": 7, \"target\": {\"place\": 5}, \"environment\": {\"height\": 1}, \"parameters\": {\"speed\": 6, "
    "\"angle\": 40}}\n"
    "%   {\"ask\": 7, \"outcome\": {\"land\": 4.9}}\n"
    "%\n"
    "% Messages for people go to stderr, as in fprintf(2, ...).\n"
    "input_file = fopen('/dev/stdin', 'r');\n"
    "line = fgetl(input_file);\n"
    "while ischar(line)\n"
    "  asked = jsondecode(line);\n"
    "\n"
    "  % Put your own simulator or robot here. It sets land.\n"
    "  speed = asked.parameters.speed;\n"
    "  angle = asked.parameters.angle * pi / 180;\n"
    "  height = asked.environment.height;\n"
    "  upward = speed * sin(angle);\n"
    "  land = speed * cos(angle) * (upward + sqrt(upward^2 + 2 * 9.81 * height)) / 9.81;\n"
    "\n"
    "  % if these parameters went wrong: struct('ask', asked.ask, 'failed', 'slipped')\n"
    "  fprintf(1, '%s\\n', jsonencode(struct('ask', asked.ask, 'outcome', struct('land', land))));\n"
    "  if exist('OCTAVE_VERSION', 'builtin'), fflush(stdout); end % fcps waits for this line\n"
    "  line = fgetl(input_file);\n"
    "end\n";

/* make compiles only if the program is older than its source. */
const cli_stub cli_stubs[CLI_STUBS] = {
    {"python", ".py", "python3, @.py", python_text, ""},
    {"c", ".c", "sh, -c, \"make -s @ LDLIBS=-lm >&2 && exec ./@\"", c_text, "make and a C compiler"},
    {"shell", ".sh", "sh, @.sh", shell_text, ""},
    {"matlab", ".m", "octave, --quiet, @.m", matlab_text, "GNU Octave, or MATLAB (see @.m)"}};

/* -- The command -- */

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
    "as they are; change them into your own. NAME is `first` if you give none. Existing files are never overwritten.\v"
    "Example:\n"
    "  fcps init puck\n"
    "  fcps check puck.yaml\n"
    "  fcps run puck.yaml --episodes 40\n";

/* -- The arguments -- */

static const cli_stub *find_stub(init_command *command)
{
  const char *names[CLI_STUBS];
  char hint[200];
  for (int i = 0; i < CLI_STUBS; i++) {
    const cli_stub *stub = &cli_stubs[i];
    names[i] = stub->language;
    /* A language may also be given by the suffix of its programs: "sh" means "shell". */
    if (strcmp(command->language, names[i]) == 0 || strcmp(command->language, stub->suffix + 1) == 0) return stub;
  }
  fcps_error_set(&command->error, FCPS_ERR_UNKNOWN_NAME, "--language", "there is no stub in \"%s\"; %s",
                 command->language, fcps_name_hint(command->language, CLI_STUBS, names, sizeof hint, hint));
  return NULL;
}

/* Checks a name, which YAML, a shell, make and MATLAB must read as one word. */
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

/* Copies the text with the name in place of each "@" and the command in place of "%" (`command` may be NULL). The
 * caller frees the copy; NULL if memory ran out. */
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
                        "%s exists and is not overwritten; give another name, or remove the file first", path);
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
