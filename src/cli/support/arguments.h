/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a command as a table: each row is an option or an argument, and says where its value goes. Every
 * command reads its arguments this way, so that help, hints and refusals are the same everywhere.
 *
 * The tables also say which files a command reads and writes, so that a command that would destroy what it reads is
 * refused before it begins (tests/cli/test_outputs.sh knows every option that names a file). */
#ifndef FCPS_CLI_SUPPORT_ARGUMENTS_H
#define FCPS_CLI_SUPPORT_ARGUMENTS_H

#include <fcps/fcps.h>

#include <stddef.h>

typedef enum cli_argument_kind {
  CLI_ARGUMENT_NEEDED,   /* const char *: without an option, in the order of the rows */
  CLI_ARGUMENT_OPTIONAL, /* the same, may be left out; after those that are needed */
  CLI_ARGUMENT_LIST,     /* cli_argument_list: one or more without an option; after all others */
  CLI_ARGUMENT_TEXT,     /* const char *: the value of an option */
  CLI_ARGUMENT_SWITCH,   /* bool: an option without a value */
  CLI_ARGUMENT_COUNT,    /* int64_t, not negative */
  CLI_ARGUMENT_SETTINGS, /* cli_setting_list: may be repeated */
  CLI_ARGUMENT_READ,     /* what the row's own function reads */
  CLI_ARGUMENT_TABLE /* the rows of another table, whose values are a struct at `offset`; they share note and group */
} cli_argument_kind;

/* What a command does with the file that a value names. A file that is written must not be a study, nor one of those that
 * are read; a folder that is written to must not hold one that is read. */
typedef enum cli_argument_file {
  CLI_FILE_NONE,
  CLI_FILE_READ, /* a value that may also be a name of something else is not a file then */
  CLI_FILE_WRITTEN,
  CLI_FILE_FOLDER /* results are written into it */
} cli_argument_file;

enum { CLI_ARGUMENT_LIST_MAX = 64 };

typedef struct cli_argument_list {
  int count;
  const char *items[CLI_ARGUMENT_LIST_MAX];
} cli_argument_list;

/* Reads the value of an option into `value`; `option` is its name, "--size", for the error. */
typedef fcps_status cli_argument_reader(const char *option, const char *text, void *value, fcps_error *error);

typedef struct cli_argument {
  cli_argument_kind kind;
  const char *name;          /* of the option; or what help calls the argument */
  size_t offset;             /* of the value in the command's struct */
  char letter;               /* short form of the option; 0: none */
  const char *value;         /* what help calls the value; of an argument without an option: what errors call it */
  const char *help;          /* of an argument without an option: what to say when it is missing; may be NULL */
  cli_argument_reader *read; /* CLI_ARGUMENT_READ */
  const struct cli_argument *rows; /* CLI_ARGUMENT_TABLE */
  size_t note;    /* offset of a const char * that receives the name of the first given option among the rows with this
                   * offset; 0: none */
  int group;      /* help shows the options of a group together, the lowest first */
  bool is_hidden; /* help does not show it */
  bool is_optional;       /* of a LIST: none need be given */
  cli_argument_file file; /* of CLI_ARGUMENT_NEEDED, OPTIONAL, LIST and TEXT */
  const char *endings;    /* of CLI_FILE_WRITTEN: those of files that may be replaced, "csv txt" */
} cli_argument;

/* Fills `values` from the arguments; the table ends with a row without a name. `doc` is for argp. */
fcps_status cli_arguments_parse(const cli_argument *table, const char *doc, int argc, char **argv, void *values,
                                fcps_error *error);

/* What to do instead of an option that other programs have, such as --verbose; NULL: nothing is known. */
const char *cli_option_habit(const char *option);

/* -- Values: whole numbers, and lists of name=value -- */

/* A growing list of name=value, ended by {NULL, NULL}; owns its texts. */
typedef struct cli_setting_list {
  fcps_setting *items; /* NULL while empty */
  size_t count, capacity;
} cli_setting_list;

fcps_status cli_setting_list_add(cli_setting_list *list, const char *option, const char *text, fcps_error *error);
void cli_setting_list_destroy(cli_setting_list *list);

/* Reads a budget, above 0, into a double. */
fcps_status cli_option_budget(const char *option, const char *text, void *value, fcps_error *error);

/* Reads a whole number in [lower, upper]; `option` is for the error. */
fcps_status cli_option_integer(const char *option, const char *text, int64_t lower, int64_t upper, int64_t *value,
                               fcps_error *error);

#endif
