/* SPDX-License-Identifier: Apache-2.0 */
/* Overlong forms, surrogates and numbers beyond U+10FFFF are not letters. */
#include "format/utf8.h"

#include <stdbool.h>
#include <stdint.h>

size_t fcps_utf8_length(const char *text)
{
  /* by the length: what the lead byte adds to the code point, and the first code point that needs this length */
  static const uint32_t lead_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07}, smallest[] = {0, 0, 0x80, 0x800, 0x10000};

  const unsigned char lead = (unsigned char)text[0];
  const size_t length = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 0;
  uint32_t code = lead & lead_mask[length];
  for (size_t i = 1; i < length; i++) {
    const unsigned char next = (unsigned char)text[i];
    if ((next & 0xC0) != 0x80) return 0;
    code = code << 6 | (next & 0x3F);
  }
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code >= smallest[length] && code <= 0x10FFFF && !is_surrogate ? length : 0;
}
