/* SPDX-License-Identifier: Apache-2.0 */
/* Names of files and studies as a shell takes them, for the commands that messages suggest. */
#ifndef FCPS_BASE_SHELL_WORD_H
#define FCPS_BASE_SHELL_WORD_H

#include <stddef.h>

/* The text as one word of a command: `text` itself if a shell changes nothing in it, otherwise between single quotes
 * in `room`; `text` also if it does not fit there. Four bytes for each byte of the text, and three, always suffice. */
const char *fcps_shell_word(const char *text, size_t size, char *room);

#endif
