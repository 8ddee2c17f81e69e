/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8, as far as texts from elsewhere must be checked. */
#ifndef FCPS_FORMAT_UTF8_H
#define FCPS_FORMAT_UTF8_H

#include <stddef.h>

/* Number of bytes (1 to 4) of the well-formed character that `text` begins with; 0 when it begins with none. `text`
 * ends with a 0, which counts as a character of one byte. */
size_t fcps_utf8_length(const char *text);

#endif
