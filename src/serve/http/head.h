/* SPDX-License-Identifier: Apache-2.0 */
/* The head of an HTTP/1.1 request, read strictly: everything that two readers could understand in different ways is
 * refused.
 *
 * Lines end with CR LF and with nothing else; no line is folded; no byte is a control character or beyond ASCII; a name
 * stands right before its colon; fields that decide where a request ends, or for whom it is, come only once. A body has
 * a Content-Length of digits; transfer codings are refused (411), which RFC 9112, section 6.3 allows. These functions
 * touch no socket, so that any bytes can be tried on them.
 *
 * fcps has its own reader, on libevent's buffers. libevent's HTTP server accepts two Content-Lengths, folded lines,
 * `Transfer-Encoding: xchunked` and bytes that end the process, and a handler cannot notice them. http-parser is no
 * longer maintained. */
#ifndef FCPS_SERVE_HTTP_HEAD_H
#define FCPS_SERVE_HTTP_HEAD_H

#include "door/token.h"

#include <fcps/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits. A request beyond them is refused with 431 or 414. */
enum { FCPS_HEAD_MAX = 8192, FCPS_HEAD_FIELDS_MAX = 64, FCPS_HEAD_TARGET_MAX = 2048 };

typedef enum fcps_head_method { FCPS_HEAD_GET, FCPS_HEAD_POST, FCPS_HEAD_OTHER } fcps_head_method;

typedef struct fcps_head_field {
  const char *name, *value; /* `value` is without the blanks around it */
} fcps_head_field;

typedef struct fcps_head {
  fcps_head_method method;
  const char *target; /* begins with one slash */
  int count;
  fcps_head_field fields[FCPS_HEAD_FIELDS_MAX];
  size_t content_length; /* 0 if there is no body */
  bool is_last;          /* the connection ends after the answer */
  bool expects_continue; /* the client waits for "100 Continue" before it sends the body */
} fcps_head;

/* Looks for the end of a head in the first `length` bytes of a connection, of which `*seen` (0 at first) have been
 * searched. Returns 0 and in *end the length of the head with its empty line, or 0 in *end if more bytes are needed.
 * Otherwise returns the HTTP status with which the connection is refused. */
int fcps_head_find_end(const char *bytes, size_t length, size_t *seen, size_t *end);

/* Reads a whole head, which fcps_head_find_end has found. `text` is changed, and `head` points into it. Returns 0, or
 * the HTTP status of the refusal. */
int fcps_head_read(char *text, size_t length, fcps_head *head);

/* Returns the value of a field by its name, in capitals or not; NULL if there is none. */
const char *fcps_head_get(const fcps_head *head, const char *name);

/* -- The target of a request (head.c) -- */

/* The parts of the target of a request: the words of its path and the values of its query, all decoded.
 *
 * A word that is empty, "." or "..", or holds a slash, a control character or bytes that are not UTF-8 after decoding,
 * is refused: so no path can mean the same as another path. */

enum { FCPS_QUERY_WORDS_MAX = 8, FCPS_QUERY_VALUES_MAX = 32 };

typedef struct fcps_query_value {
  const char *name, *value;
} fcps_query_value;

typedef struct fcps_query {
  int word_count;
  const char *words[FCPS_QUERY_WORDS_MAX];
  int value_count;
  fcps_query_value values[FCPS_QUERY_VALUES_MAX];
  char *text; /* the text into which all of them point */
} fcps_query;

/* Takes a target apart. Returns 0, or the HTTP status of the refusal. The query must be destroyed in both cases. */
int fcps_query_read(fcps_query *query, const char *target);
void fcps_query_destroy(fcps_query *query);

/* Returns a value by its name; NULL if it is not given. */
const char *fcps_query_get(const fcps_query *query, const char *name);

/* -- The guard --
 *
 * The guard decides from the head of a request whether it may come in, before its body is read and before anything is
 * looked up.
 *
 * A page of another site in the user's browser can reach a server on the same machine, even under a name of its own
 * that it lets point to this machine (DNS rebinding). So the Host must be a name of this server, and so must the
 * Origin, if there is one. The token is needed for everything but the page itself, which contains no secret, and a
 * proof (door/token.h). A body must be JSON, which a form cannot send. */

/* The largest body of any path. Most paths allow less (src/serve/route.h). */
enum { FCPS_GUARD_HOSTS_MAX = 16, FCPS_GUARD_BODY_MAX = 64 << 20 };

typedef struct fcps_guard {
  char token[FCPS_TOKEN_SIZE];
  int host_count, own_count;             /* the first own_count of the hosts were not named by the user */
  char hosts[FCPS_GUARD_HOSTS_MAX][280]; /* names with their port, unless it is the usual one */
} fcps_guard;

/* Why a request is refused. The answer says it. */
typedef struct fcps_refusal {
  int status;       /* status of HTTP */
  const char *code; /* a stable code, such as "E_TOKEN" */
  const char *text; /* what is wrong, and what to do */
} fcps_refusal;

/* Adds a host under which the server may be called. Returns false if there is no room, or if it is not a name. */
bool fcps_guard_add_host(fcps_guard *guard, const char *host);

/* Whether the user has named this host. */
bool fcps_guard_is_named(const fcps_guard *guard, const char *host);

/* Judges a request by its head. Returns NULL if it may come in. `is_open` says that the request is for something that
 * needs no token: a part of the page, or a proof. */
const fcps_refusal *fcps_guard_judge(const fcps_guard *guard, const fcps_head *head, bool is_open);

/* Returns, by its HTTP status, the refusal of a head that could not be read, or of a connection that was too slow. */
const fcps_refusal *fcps_refusal_of(int status);

#endif
