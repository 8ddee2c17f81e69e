/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC-SHA256: a text that only a holder of the key can have made of a message [fips180-4; RFC 2104]. */
#ifndef FCPS_DOOR_HMAC_H
#define FCPS_DOOR_HMAC_H

#include <stddef.h>

enum { FCPS_HMAC_SIZE = 65 }; /* 64 hexadecimal digits and the end of the text */

void fcps_hmac(const void *key, size_t key_size, const void *message, size_t size, char digits[FCPS_HMAC_SIZE]);

#endif
