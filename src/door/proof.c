/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of the message hold no line feed themselves, so that no two messages have the same bytes. */
#include "door/proof.h"

#include <arpa/inet.h>
#include <netinet/in.h>
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
