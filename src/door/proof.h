/* SPDX-License-Identifier: Apache-2.0 */
/* How a server shows that it knows the token before a client sends it, so that another program on the port learns
 * nothing.
 *
 * The client draws a nonce, and says to which address it is connected and by which name it calls the server:
 *   GET /v1/proof?nonce=NONCE&address=127.0.0.1:8017&host=localhost:8017
 * The server answers with the HMAC-SHA256 of all of it under the token; but only if the address is its own end of
 * this connection, or the name is one that its user gave (--host). So a program that listens at another address
 * and passes the question on gets no proof for that address. The client then sends its request on the same
 * connection: a program that takes the port over later must show a proof of its own. */
#ifndef FCPS_DOOR_PROOF_H
#define FCPS_DOOR_PROOF_H

#include <stdbool.h>
#include <stddef.h>

/* HMAC-SHA256: a text that only a holder of the key can have made of a message [fips180-4; RFC 2104]. */
enum { FCPS_HMAC_SIZE = 65 }; /* 64 hexadecimal digits and the end of the text */

void fcps_hmac(const void *key, size_t key_size, const void *message, size_t size, char digits[FCPS_HMAC_SIZE]);

enum { FCPS_PROOF_NONCE_LENGTH = 32, FCPS_PROOF_NONCE_SIZE = 33, FCPS_PROOF_ADDRESS_SIZE = 64 };

/* Draws a nonce, of hexadecimal digits; false if the system has no random numbers. */
bool fcps_proof_draw(char nonce[FCPS_PROOF_NONCE_SIZE]);
bool fcps_proof_is_nonce(const char *text);

/* The address of one end of a connection, "127.0.0.1:8017" or "[::1]:8017"; "" if it has none, as a socket in the file system.
 */
void fcps_proof_own_address(int connection, char address[FCPS_PROOF_ADDRESS_SIZE]);
void fcps_proof_other_address(int connection, char address[FCPS_PROOF_ADDRESS_SIZE]);

/* The proof. Texts that are too long for an address or a name of a host are cut. */
void fcps_proof_write(const char *token, const char *nonce, const char *address, const char *host,
                      char proof[FCPS_HMAC_SIZE]);

#endif
