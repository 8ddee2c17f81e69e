/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a with 64 bits, a byte at a time. The multiplier is odd, so that every step can be undone. */
#include "base/checksum.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

uint64_t fcps_checksum_add(uint64_t checksum, const void *bytes, size_t size)
{
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < size; i++)
    checksum = (checksum ^ byte[i]) * UINT64_C(1099511628211);
  return checksum;
}

/* -- The name that git gives to contents -- */

/* SHA-1 [fips180-4, Sec. 6.1.2], with the letters of its formulas. It serves to name contents, not to protect them. */

enum { BLOCK = 64, WORDS = 5, LENGTH_BYTES = 8 };

typedef struct sha1 {
  uint32_t h[WORDS];
  unsigned char block[BLOCK];
  uint64_t size; /* bytes so far */
} sha1;

static uint32_t rotate(uint32_t word, int bits)
{
  return word << bits | word >> (32 - bits);
}

static uint32_t word_at(const unsigned char *bytes)
{
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* f_t and K_t of step t. */
static uint32_t mix(int t, uint32_t b, uint32_t c, uint32_t d)
{
  if (t < 20) return ((b & c) ^ (~b & d)) + 0x5a827999;
  if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (t < 60) return ((b & c) ^ (b & d) ^ (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

static void add_block(sha1 *s)
{
  uint32_t w[80], a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4];
  for (int t = 0; t < 16; t++)
    w[t] = word_at(s->block + 4 * t);
  for (int t = 16; t < 80; t++)
    w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  for (int t = 0; t < 80; t++) {
    const uint32_t next = rotate(a, 5) + mix(t, b, c, d) + e + w[t];
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  s->h[0] += a;
  s->h[1] += b;
  s->h[2] += c;
  s->h[3] += d;
  s->h[4] += e;
}

static void add_bytes(sha1 *s, const void *bytes, size_t size)
{
  const unsigned char *next = bytes;
  for (size_t i = 0; i < size; i++) {
    s->block[s->size++ % BLOCK] = next[i];
    if (s->size % BLOCK == 0) add_block(s);
  }
}

/* A one, zeros, and the number of bits. */
static void pad(sha1 *s)
{
  const uint64_t bits = 8 * s->size;
  const unsigned char one = 0x80, zero = 0;
  unsigned char length[LENGTH_BYTES];
  for (int i = 0; i < LENGTH_BYTES; i++)
    length[i] = (unsigned char)(bits >> (56 - 8 * i));
  add_bytes(s, &one, 1);
  while (s->size % BLOCK != BLOCK - LENGTH_BYTES)
    add_bytes(s, &zero, 1);
  add_bytes(s, length, sizeof length);
}

void fcps_blob_id(const void *bytes, size_t size, char id[FCPS_BLOB_ID_SIZE])
{
  sha1 s = {.h = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
  char head[32];
  const int length = snprintf(head, sizeof head, "blob %zu", size);
  add_bytes(&s, head, (size_t)length + 1); /* with its zero byte */
  add_bytes(&s, bytes, size);
  pad(&s);
  for (int i = 0; i < WORDS; i++)
    snprintf(id + 8 * i, 9, "%08x", (unsigned)s.h[i]);
}
