/* SPDX-License-Identifier: Apache-2.0 */
/* The token is a secret; whoever has it may use the server. It has 192 random bits, and is kept in a file that only its
 * owner can read. */
#ifndef FCPS_DOOR_TOKEN_H
#define FCPS_DOOR_TOKEN_H

#include "base/checksum.h"

#include <fcps/base.h>

enum { FCPS_TOKEN_LENGTH = 48, FCPS_TOKEN_SIZE = FCPS_TOKEN_LENGTH + 1 };

/* Writes where the token is by default: $FCPS_TOKEN_FILE, or fcps/token in $XDG_STATE_HOME or in ~/.local/state. Server
 * and clients of one user share it. */
fcps_status fcps_token_place(size_t size, char *path, fcps_error *error);

/* Reads the token from a file, which must be a plain file of this user that nobody else can read. */
fcps_status fcps_token_read(const char *path, char token[FCPS_TOKEN_SIZE], fcps_error *error);

/* Does the same. If the file does not exist, first makes a token, the file and its folders. */
fcps_status fcps_token_take(const char *path, char token[FCPS_TOKEN_SIZE], fcps_error *error);

/* Whether a text is the token. The time that the answer takes does not show where the two differ. */
bool fcps_token_is(const char token[FCPS_TOKEN_SIZE], const char *text);

/* -- The proof -- */

/* How a server shows that it knows the token before a client sends it, so that another program on the port learns
 * nothing.
 *
 * The client draws a nonce, and says to which address it is connected and by which name it calls the server:
 *   GET /v1/proof?nonce=NONCE&address=127.0.0.1:8017&host=localhost:8017
 * The server answers with the HMAC-SHA256 of all of it under the token; but only if the address is its own end of
 * this connection, or the name is one that its user gave (--host). So a program that listens at another address
 * and passes the question on gets no proof for that address. The client then sends its request on the same
 * connection: a program that takes the port over later must show a proof of its own. */

enum { FCPS_PROOF_NONCE_LENGTH = 32, FCPS_PROOF_NONCE_SIZE = 33, FCPS_PROOF_ADDRESS_SIZE = 64 };

/* Writes the address of one end of a connection, this one or the other, as in "127.0.0.1:8017" or "[::1]:8017"; "" if
 * it has none, as for a socket in the file system. */
void fcps_proof_address(int connection, bool is_own, char address[FCPS_PROOF_ADDRESS_SIZE]);

/* Writes the proof. A text that is too long for an address or a host's name is cut. */
void fcps_proof_write(const char *token, const char *nonce, const char *address, const char *host,
                      char proof[FCPS_HMAC_SIZE]);

#endif
