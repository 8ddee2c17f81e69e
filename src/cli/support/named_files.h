/* SPDX-License-Identifier: Apache-2.0 */
/* The files that the arguments of a command name, and which of them a command may write: no output takes the place of a
 * study, of a problem file, of a program or another text of the user, of another output, of what the command reads, or of a
 * file whose ending the command never writes. */
#ifndef FCPS_CLI_SUPPORT_NAMED_FILES_H
#define FCPS_CLI_SUPPORT_NAMED_FILES_H

#include <fcps/study.h>

enum { CLI_NAMED_FILES = 80 };

typedef struct cli_named_file {
  const char *option; /* without its "--"; NULL: an argument without an option */
  const char *path;
  const char *endings; /* of what is written: "csv txt" */
} cli_named_file;

typedef struct cli_named_files {
  int count;
  cli_named_file items[CLI_NAMED_FILES];
} cli_named_files;

/* Compares by file, not by name. What a command writes into `folders` may be called anything, so that no file which is
 * read may be in them. FCPS_ERR_ARGUMENT names the option and the file. */
fcps_status cli_named_files_check(const cli_named_files *read, const cli_named_files *written,
                                  const cli_named_files *folders, fcps_error *error);

/* The same for the files that the study's problem names, once it is open: its program, with all words of the command, and
 * its contexts. Looks at the outputs of the check above. */
fcps_status cli_named_files_check_study(const fcps_study *study, fcps_error *error);

/* Refuses standard output and standard error that go to a study, as in `>> throw.fcps`. */
fcps_status cli_named_files_check_streams(fcps_error *error);

#endif
