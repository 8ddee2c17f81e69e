/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of users, files and programs within a line that is printed. */
#ifndef FCPS_CLI_SUPPORT_SHOWN_H
#define FCPS_CLI_SUPPORT_SHOWN_H

/* The text as a terminal may show it (format/text.h). It lives until the eighth call after this one. */
const char *cli_shown(const char *text);

/* The same as one word of a command that a shell reads. */
const char *cli_shown_word(const char *text);

#endif
