/* SPDX-License-Identifier: Apache-2.0 */
/* The files that the arguments of a command name. A command may not overwrite a study, a problem file, a program or
 * another text of the user, another of its outputs, a file that it reads, or a file with an ending that it never
 * writes. */
#ifndef FCPS_CLI_SUPPORT_NAMED_FILES_H
#define FCPS_CLI_SUPPORT_NAMED_FILES_H

#include <fcps/study.h>

enum { CLI_NAMED_FILES = 80 };

typedef struct cli_named_file {
  const char *option; /* without its "--"; NULL: an argument without an option */
  const char *path;
  const char *endings; /* of written files: "csv txt" */
} cli_named_file;

typedef struct cli_named_files {
  int count;
  cli_named_file items[CLI_NAMED_FILES];
} cli_named_files;

/* Checks the named files; files are compared by identity, not by name. Files that a command writes into `folders`
 * may have any name, so no file that it reads may be in them. FCPS_ERR_ARGUMENT names the option and the file. */
fcps_status cli_named_files_check(const cli_named_files *read, const cli_named_files *written,
                                  const cli_named_files *folders, fcps_error *error);

/* Does the same check for the files that the study's problem names, once the study is open: its program, all words
 * of the command, and the table of contexts. The outputs are those of the check above. */
fcps_status cli_named_files_check_study(const fcps_study *study, fcps_error *error);

/* Refuses standard output and standard error that go to a study, as in `>> throw.fcps`. */
fcps_status cli_named_files_check_streams(fcps_error *error);

#endif
