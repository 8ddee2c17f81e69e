/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of the message hold no line feed themselves, so that no two messages have the same bytes. */
#include "door/proof.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

bool fcps_proof_draw(char nonce[FCPS_PROOF_NONCE_SIZE])
{
  unsigned char bytes[FCPS_PROOF_NONCE_LENGTH / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
  for (size_t i = 0; i < sizeof bytes; i++)
    snprintf(nonce + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

bool fcps_proof_is_nonce(const char *text)
{
  return strlen(text) == FCPS_PROOF_NONCE_LENGTH && strspn(text, "0123456789abcdef") == FCPS_PROOF_NONCE_LENGTH;
}

/* an IPv4 address within IPv6 (::ffff:127.0.0.1) is written as the other end sees it; a zone is not written, which the ends
 * may name differently */
static void write_address(const struct sockaddr_storage *end, char address[FCPS_PROOF_ADDRESS_SIZE])
{
  const struct sockaddr_in *four = (const struct sockaddr_in *)end;
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)end;
  char host[INET6_ADDRSTRLEN] = "";
  *address = '\0';
  if (end->ss_family != AF_INET && end->ss_family != AF_INET6) return;
  if (end->ss_family == AF_INET)
    inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
  else if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
    inet_ntop(AF_INET, six->sin6_addr.s6_addr + 12, host, sizeof host);
  else
    inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
  snprintf(address, FCPS_PROOF_ADDRESS_SIZE, strchr(host, ':') != NULL ? "[%s]:%d" : "%s:%d", host,
           ntohs(end->ss_family == AF_INET ? four->sin_port : six->sin6_port));
}

void fcps_proof_own_address(int connection, char address[FCPS_PROOF_ADDRESS_SIZE])
{
  struct sockaddr_storage end = {0};
  socklen_t length = sizeof end;
  *address = '\0';
  if (getsockname(connection, (struct sockaddr *)&end, &length) == 0) write_address(&end, address);
}

void fcps_proof_other_address(int connection, char address[FCPS_PROOF_ADDRESS_SIZE])
{
  struct sockaddr_storage end = {0};
  socklen_t length = sizeof end;
  *address = '\0';
  if (getpeername(connection, (struct sockaddr *)&end, &length) == 0) write_address(&end, address);
}

void fcps_proof_write(const char *token, const char *nonce, const char *address, const char *host,
                      char proof[FCPS_HMAC_SIZE])
{
  char message[512];
  snprintf(message, sizeof message, "fcps server\n%.40s\n%.64s\n%.300s\n", nonce, address, host);
  fcps_hmac(token, strlen(token), message, strlen(message), proof);
}

/* -- HMAC -- */

/* SHA-256 [fips180-4, Sec. 4.1.2 and 6.2.2], with the letters of its formulas, and HMAC [RFC 2104, Sec. 2]:
 * H((key ^ opad) || H((key ^ ipad) || message)). */

enum { BLOCK = 64, WORDS = 8, DIGEST = 32, LENGTH_BYTES = 8 };

typedef struct sha256 {
  uint32_t h[WORDS];
  unsigned char block[BLOCK];
  uint64_t size; /* bytes so far */
} sha256;

static const sha256 start = {
    .h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};

static const uint32_t k[BLOCK] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t word, int bits)
{
  return word >> bits | word << (32 - bits);
}

static uint32_t word_at(const unsigned char *bytes)
{
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void expand(const unsigned char *block, uint32_t w[BLOCK])
{
  for (int t = 0; t < 16; t++)
    w[t] = word_at(block + 4 * t);
  for (int t = 16; t < BLOCK; t++) {
    const uint32_t s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
}

static void add_block(sha256 *s)
{
  uint32_t w[BLOCK], v[WORDS]; /* v: a, b, c, d, e, f, g, h */
  expand(s->block, w);
  memcpy(v, s->h, sizeof v);
  for (int t = 0; t < BLOCK; t++) {
    const uint32_t sum1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
    const uint32_t sum0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
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

static void add_bytes(sha256 *s, const void *bytes, size_t size)
{
  const unsigned char *next = bytes;
  for (size_t i = 0; i < size; i++) {
    s->block[s->size++ % BLOCK] = next[i];
    if (s->size % BLOCK == 0) add_block(s);
  }
}

/* a one, zeros, and the number of bits; then the digest is whole */
static void finish(sha256 *s, unsigned char digest[DIGEST])
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
  for (int i = 0; i < DIGEST; i++)
    digest[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

/* a key that is longer than a block stands there as its digest */
static void fit_key(const void *key, size_t size, unsigned char block[BLOCK])
{
  memset(block, 0, BLOCK);
  if (size <= BLOCK) {
    memcpy(block, key, size);
  } else {
    sha256 s = start;
    add_bytes(&s, key, size);
    finish(&s, block);
  }
}

/* H((key ^ pad) || bytes) */
static void hash_padded(const unsigned char key[BLOCK], unsigned char pad, const void *bytes, size_t size,
                        unsigned char digest[DIGEST])
{
  sha256 s = start;
  for (int i = 0; i < BLOCK; i++) {
    const unsigned char byte = key[i] ^ pad;
    add_bytes(&s, &byte, 1);
  }
  add_bytes(&s, bytes, size);
  finish(&s, digest);
}

void fcps_hmac(const void *key, size_t key_size, const void *message, size_t size, char digits[FCPS_HMAC_SIZE])
{
  unsigned char block[BLOCK], inner[DIGEST], outer[DIGEST];
  fit_key(key, key_size, block);
  hash_padded(block, 0x36, message, size, inner);
  hash_padded(block, 0x5c, inner, sizeof inner, outer);
  for (int i = 0; i < DIGEST; i++)
    snprintf(digits + 2 * i, 3, "%02x", outer[i]);
}
