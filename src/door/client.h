/* SPDX-License-Identifier: Apache-2.0 */
/* A small client of `fcps serve`: one request and one answer over a connection of its own. It supports only what the
 * server uses: http:// without redirects, and answers that state their length. */
#ifndef FCPS_DOOR_CLIENT_H
#define FCPS_DOOR_CLIENT_H

#include "format/json.h"
#include "operation/operation.h"

#include <fcps/base.h>
#include <fcps/door.h>

#include <string.h>

enum { FCPS_CLIENT_IDENTITY_SIZE = 64 };

/* The address of a study: "http://HOST:PORT/NAME", or as the server prints it, with the study's name before the "#".
 * For a server that listens at a socket in the file system it is "unix:PATH/NAME". */
typedef struct fcps_client {
  char host[256], port[8]; /* for a socket in the file system: localhost, and no port */
  char socket[108];        /* path of the socket in the file system; "": the server has a port */
  char name[256];          /* name of the study; "" if the URL names none */
  char study[800];         /* the name as a word of a path: "my study" is my%20study */
  char token[64];
  /* called about twenty times a second while an answer is awaited; returns whether to stop; may be NULL */
  bool (*stop)(void *user);
  void *user;
  char *
      identity; /* receives the identity of the study that answers, FCPS_CLIENT_IDENTITY_SIZE bytes; NULL: not wanted */
  int wait_s;   /* seconds for an answer to begin, and then again to be complete; 0: as long as the call may take */
} fcps_client;

/* Whether an address is that of a study behind a server. This is asked of every address, even of files. */
#define FCPS_CLIENT_SCHEME        "http://"
#define FCPS_CLIENT_SOCKET_SCHEME "unix:"
static inline bool fcps_client_is_url(const char *text)
{
  return text != NULL && (strncmp(text, FCPS_CLIENT_SCHEME, strlen(FCPS_CLIENT_SCHEME)) == 0 ||
                          strncmp(text, FCPS_CLIENT_SOCKET_SCHEME, strlen(FCPS_CLIENT_SOCKET_SCHEME)) == 0);
}

/* Reads a URL. The token is `token`; if that is NULL, the one in the URL; if that has none, the one in the token file
 * (fcps_token_place). The token in the usual file is sent only to this machine; for another machine the user gives it
 * by FCPS_TOKEN_FILE or in the URL. */
fcps_status fcps_client_open(fcps_client *client, const char *url, const char *token, fcps_error *error);

/* Writes a name as a word of a path: "my study" becomes my%20study. */
void fcps_client_encode(const char *name, size_t size, char *text);

/* Takes the token out of a URL among the arguments of the program, so that neither messages nor lists of processes
 * show it. Returns true if there was a token; `owner` is then the server that it belongs to. */
bool fcps_client_take_token(char *text, fcps_client *owner);

/* Tells whether a URL leads to the same server. */
bool fcps_client_is_same_server(const fcps_client *one, const char *url);

/* Writes the address of the study, without the token. */
void fcps_client_write_address(const fcps_client *client, size_t size, char *text);

/* Sends a request and waits for the answer, which ends with a zero byte and is freed with fcps_free. `path` is a path
 * of the server. `body` is JSON; NULL makes the request a GET. `type` is the media type that the answer must have
 * unless it is a refusal; NULL allows any.
 *
 * The token is sent only to a server that has proved that it knows the token (door/token.h), or whose socket in the
 * file system belongs to the user; otherwise the answer is 401.
 *
 * Returns FCPS_OK and the HTTP status if an answer came. Otherwise fails with FCPS_ERR_STOPPED if the caller did not
 * want to wait, FCPS_ERR_STORE if the answer is too large, or FCPS_ERR_IO; the status is then 0, or -1 if the request
 * was not even sent. */
fcps_status fcps_client_call(const fcps_client *client, const char *path, const char *body, const char *type,
                             int *http_status, char **answer, size_t *length, fcps_error *error);

/* -- One study behind a server (client_study.c) -- */

/* Calls of one study behind a server, for commands and for workers. */

/* An answer: an object or, if the row of the operation has a type, a text. The caller frees both. */
typedef struct fcps_client_answer {
  fcps_json *json;
  char *text;
  size_t length;
} fcps_client_answer;

/* Does one operation. Its request (NULL: an empty one) becomes the body, or the query of a GET. A refusal of the server
 * becomes the error. An answer that does not fit the request (fcps_operation_check_answer) counts as no answer. If the
 * server is away, or asks for another try (fcps/door.h), the call fails with FCPS_ERR_LOCKED, like a store that is in
 * use. *failure says how the server answered. */
fcps_status fcps_client_do(const fcps_client *client, const fcps_operation *operation, const fcps_json *request,
                           fcps_door_failure *failure, fcps_client_answer *answer, fcps_error *error);

/* Does the same for the name of an operation that answers with JSON; also "list", which lists the studies of the
 * server, and "make", which makes one. `request` is destroyed; NULL if the operation asks for nothing. */
fcps_status fcps_client_ask(const fcps_client *client, const char *name, fcps_json *request, fcps_json **answer,
                            fcps_error *error);

/* Logs the warnings in an answer of the server. */
void fcps_client_say_warnings(const fcps_client *client, const fcps_json *answer, const fcps_log *log);

#endif
