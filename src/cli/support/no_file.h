/* SPDX-License-Identifier: Apache-2.0 */
/* Advice about a study in memory. The library calls it STUDY in a command (study/word.h), which suits who has it in a
 * program of their own. From a shell no command reaches it: the advice is for a study with a file. */
#ifndef FCPS_CLI_SUPPORT_NO_FILE_H
#define FCPS_CLI_SUPPORT_NO_FILE_H

#include <stddef.h>

/* The text with such commands put otherwise; `text` itself where it has none, or where `room` is too small. */
const char *cli_no_file_text(const char *text, size_t size, char *room);

#endif
