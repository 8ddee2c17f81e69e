/* SPDX-License-Identifier: Apache-2.0 */
/* The token: who has it may use the server. 192 random bits, kept in a file that only its owner can read. */
#ifndef FCPS_DOOR_TOKEN_H
#define FCPS_DOOR_TOKEN_H

#include <fcps/base.h>

enum { FCPS_TOKEN_LENGTH = 48, FCPS_TOKEN_SIZE = FCPS_TOKEN_LENGTH + 1 };

/* Where the token lies by default: $FCPS_TOKEN_FILE, else fcps/token in $XDG_STATE_HOME or ~/.local/state. Server and
 * clients of one user share it. */
fcps_status fcps_token_place(size_t size, char *path, fcps_error *error);

/* Reads the token of a file, which must be a plain file of ours that nobody else can read. */
fcps_status fcps_token_read(const char *path, char token[FCPS_TOKEN_SIZE], fcps_error *error);

/* The same; if there is no such file, makes a token and the file, and the folders to it. */
fcps_status fcps_token_take(const char *path, char token[FCPS_TOKEN_SIZE], fcps_error *error);

/* Whether a text is the token. The time does not depend on where they differ. */
bool fcps_token_is(const char token[FCPS_TOKEN_SIZE], const char *text);

#endif
