/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: the check of texts that come from outside. */
#ifndef FCPS_FORMAT_UTF8_H
#define FCPS_FORMAT_UTF8_H

#include <stddef.h>

/* The number of bytes (1 to 4) of the well-formed character at the beginning of `text`; 0 when there is none. `text`
 * ends with a 0, which counts as a character of one byte. */
size_t fcps_utf8_length(const char *text);

#endif
