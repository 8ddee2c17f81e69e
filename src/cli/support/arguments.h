/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a command as a table: each row is an option or an argument, with the place of its value. Every
 * command reads its arguments this way, so that help, hints and refusals are the same everywhere.
 *
 * The tables also say which files a command reads and writes, so a command that would destroy what it reads can be
 * refused before it begins. A new option that names a file must be added to tests/cli/test_outputs.sh. */
#ifndef FCPS_CLI_SUPPORT_ARGUMENTS_H
#define FCPS_CLI_SUPPORT_ARGUMENTS_H

#include <fcps/fcps.h>

#include <stddef.h>

typedef enum cli_argument_kind {
  CLI_ARGUMENT_NEEDED,   /* const char *: an argument without an option, in the order of the rows */
  CLI_ARGUMENT_OPTIONAL, /* the same, but it may be left out; stands after the needed ones */
  CLI_ARGUMENT_LIST,     /* cli_argument_list: one or more arguments without an option; stands after all other rows */
  CLI_ARGUMENT_TEXT,     /* const char *: the value of an option */
  CLI_ARGUMENT_SWITCH,   /* bool: an option without a value */
  CLI_ARGUMENT_COUNT,    /* int64_t, not negative */
  CLI_ARGUMENT_SETTINGS, /* cli_setting_list: may be repeated */
  CLI_ARGUMENT_READ,     /* a value that the row's own function reads */
  /* the rows of another table, which has no note and group of its own: its values are a struct at `offset` */
  CLI_ARGUMENT_TABLE
} cli_argument_kind;

/* How a command uses the file that a value names. A file to be written must not be a study or a file that the command
 * reads. A folder for results must not contain a file that the command reads. */
typedef enum cli_argument_file {
  CLI_FILE_NONE,
  /* the command reads the file; a value that may also be another kind of name counts only if such a file exists */
  CLI_FILE_READ,
  CLI_FILE_WRITTEN,
  CLI_FILE_FOLDER /* the command writes its results into this folder */
} cli_argument_file;

enum { CLI_ARGUMENT_LIST_MAX = 64 };

typedef struct cli_argument_list {
  int count;
  const char *items[CLI_ARGUMENT_LIST_MAX];
} cli_argument_list;

/* Reads the value of an option from `text` into `value`. `option` is the option's name for errors, as in "--size". */
typedef fcps_status cli_argument_reader(const char *option, const char *text, void *value, fcps_error *error);

typedef struct cli_argument {
  cli_argument_kind kind;
  const char *name;  /* the name of the option, or of the argument in help */
  size_t offset;     /* where the value is in the command's struct */
  char letter;       /* short form of the option; 0: there is none */
  const char *value; /* the value's name in help; for an argument without an option, its name in errors */
  /* help for the option; for an argument without an option, the error if it is missing (may be NULL) */
  const char *help;
  cli_argument_reader *read;       /* reads the value of a row of the kind CLI_ARGUMENT_READ */
  const struct cli_argument *rows; /* the other table of a row of the kind CLI_ARGUMENT_TABLE */
  /* The offset of a const char *, or 0. Several rows may have the same offset: the pointer receives the name of the
   * first of their options that the user gives. */
  size_t note;
  /* Help shows the options of a group together. The group with the lowest number comes first. */
  int group;
  bool is_hidden;   /* help does not show it */
  bool is_optional; /* a CLI_ARGUMENT_LIST may be empty */
  /* how the command uses the file that the value names; for CLI_ARGUMENT_NEEDED, OPTIONAL, LIST and TEXT */
  cli_argument_file file;
  const char *endings; /* for CLI_FILE_WRITTEN: endings of files that may be replaced, as in "csv txt" */
} cli_argument;

/* Fills the struct at `values` from the arguments. The table ends with a row without a name. `doc` is the help text for
 * argp. */
fcps_status cli_arguments_parse(const cli_argument *table, const char *doc, int argc, char **argv, void *values,
                                fcps_error *error);

/* Returns advice about an option that other programs have, such as --verbose; NULL if there is none. */
const char *cli_option_habit(const char *option);

/* -- Values: whole numbers, and lists of name=value -- */

/* A growing list of NAME=VALUE, which ends with {NULL, NULL}. It owns its texts. */
typedef struct cli_setting_list {
  fcps_setting *items; /* NULL as long as the list is empty */
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
