/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a with 64 bits, a byte at a time. The multiplier is odd, so that every step can be undone. */
#include "base/checksum.h"

#include "base/number.h"

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

/* -- Digests: SHA-1 and SHA-256 [fips180-4, Sec. 6.1.2 and 6.2.2], with the letters of their formulas -- */

enum { BLOCK = 64, WORDS = 8, LENGTH_BYTES = 8, SHA1_WORDS = 5, SHA256_BYTES = 32 };

/* A digest that is being computed. Both kinds cut the bytes into blocks and end them alike, but mix blocks
 * differently. */
typedef struct digest {
  uint32_t h[WORDS];
  void (*mix)(struct digest *s); /* mixes the block into h */
  unsigned char block[BLOCK];
  uint64_t size; /* number of bytes so far */
} digest;

static uint32_t left(uint32_t word, int bits)
{
  return word << bits | word >> (32 - bits);
}

static uint32_t right(uint32_t word, int bits)
{
  return word >> bits | word << (32 - bits);
}

static uint32_t word_at(const unsigned char *bytes)
{
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void add_bytes(digest *s, const void *bytes, size_t size)
{
  const unsigned char *next = bytes;
  for (size_t i = 0; i < size; i++) {
    s->block[s->size++ % BLOCK] = next[i];
    if (s->size % BLOCK == 0) s->mix(s);
  }
}

/* Adds a one bit, zeros, and the number of bits. Afterwards h is the digest. */
static void finish(digest *s)
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

/* -- The name that git gives to contents, by SHA-1: it identifies them, but does not protect them -- */

/* Returns f_t + K_t of step t. */
static uint32_t step(int t, uint32_t b, uint32_t c, uint32_t d)
{
  if (t < 20) return ((b & c) ^ (~b & d)) + 0x5a827999;
  if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1;
  if (t < 60) return ((b & c) ^ (b & d) ^ (c & d)) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

static void mix_sha1(digest *s)
{
  uint32_t w[80], a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4];
  for (int t = 0; t < 16; t++)
    w[t] = word_at(s->block + 4 * t);
  for (int t = 16; t < 80; t++)
    w[t] = left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  for (int t = 0; t < 80; t++) {
    const uint32_t next = left(a, 5) + step(t, b, c, d) + e + w[t];
    e = d;
    d = c;
    c = left(b, 30);
    b = a;
    a = next;
  }
  s->h[0] += a;
  s->h[1] += b;
  s->h[2] += c;
  s->h[3] += d;
  s->h[4] += e;
}

void fcps_blob_id(const void *bytes, size_t size, char id[FCPS_BLOB_ID_SIZE])
{
  digest s = {.h = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, .mix = mix_sha1};
  char head[32];
  const int length = snprintf(head, sizeof head, "blob %zu", size);
  add_bytes(&s, head, (size_t)length + 1); /* the zero byte at its end belongs to the contents */
  add_bytes(&s, bytes, size);
  finish(&s);
  for (int i = 0; i < SHA1_WORDS; i++)
    snprintf(id + 8 * i, 9, "%08x", (unsigned)s.h[i]);
}

/* -- HMAC-SHA256 [RFC 2104, Sec. 2]: H((key ^ opad) || H((key ^ ipad) || message)) -- */

static const uint32_t k[BLOCK] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void expand(const unsigned char *block, uint32_t w[BLOCK])
{
  for (int t = 0; t < 16; t++)
    w[t] = word_at(block + 4 * t);
  for (int t = 16; t < BLOCK; t++) {
    const uint32_t s0 = right(w[t - 15], 7) ^ right(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t s1 = right(w[t - 2], 17) ^ right(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
}

static void mix_sha256(digest *s)
{
  uint32_t w[BLOCK], v[WORDS]; /* v: the letters a, b, c, d, e, f, g, h of the formulas */
  expand(s->block, w);
  memcpy(v, s->h, sizeof v);
  for (int t = 0; t < BLOCK; t++) {
    const uint32_t sum1 = right(v[4], 6) ^ right(v[4], 11) ^ right(v[4], 25);
    const uint32_t sum0 = right(v[0], 2) ^ right(v[0], 13) ^ right(v[0], 22);
    const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    const uint32_t t1 = v[7] + sum1 + choice + k[t] + w[t], t2 = sum0 + majority;
    memmove(v + 1, v, (WORDS - 1) * sizeof *v);
    v[4] += t1;
    v[0] = t1 + t2;
  }
  for (int i = 0; i < WORDS; i++)
    s->h[i] += v[i];
}

static const digest sha256 = {
    .h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
    .mix = mix_sha256};

static void finish_sha256(digest *s, unsigned char bytes[SHA256_BYTES])
{
  finish(s);
  for (int i = 0; i < SHA256_BYTES; i++)
    bytes[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

/* Makes a block of a key. A key that is longer than a block is replaced by its digest. */
static void fit_key(const void *key, size_t size, unsigned char block[BLOCK])
{
  memset(block, 0, BLOCK);
  if (size <= BLOCK) {
    memcpy(block, key, size);
  } else {
    digest s = sha256;
    add_bytes(&s, key, size);
    finish_sha256(&s, block);
  }
}

/* Writes the digest H((key ^ pad) || bytes). */
static void hash_padded(const unsigned char key[BLOCK], unsigned char pad, const void *bytes, size_t size,
                        unsigned char hash[SHA256_BYTES])
{
  digest s = sha256;
  for (int i = 0; i < BLOCK; i++) {
    const unsigned char byte = key[i] ^ pad;
    add_bytes(&s, &byte, 1);
  }
  add_bytes(&s, bytes, size);
  finish_sha256(&s, hash);
}

void fcps_hmac(const void *key, size_t key_size, const void *message, size_t size, char digits[FCPS_HMAC_SIZE])
{
  unsigned char block[BLOCK], inner[SHA256_BYTES], outer[SHA256_BYTES];
  fit_key(key, key_size, block);
  hash_padded(block, 0x36, message, size, inner);
  hash_padded(block, 0x5c, inner, sizeof inner, outer);
  fcps_hex_write(sizeof outer, outer, digits);
}
