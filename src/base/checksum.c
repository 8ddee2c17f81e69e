/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a with 64 bits, a byte at a time. The multiplier is odd, so that every step can be undone. */
#include "base/checksum.h"

uint64_t fcps_checksum_add(uint64_t checksum, const void *bytes, size_t size)
{
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < size; i++)
    checksum = (checksum ^ byte[i]) * UINT64_C(1099511628211);
  return checksum;
}
