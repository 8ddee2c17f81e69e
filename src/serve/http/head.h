/* SPDX-License-Identifier: Apache-2.0 */
/* The head of an HTTP/1.1 request, read strictly: what two readers could understand differently is refused.
 *
 * Lines end with CR LF and with nothing else; no line is folded; no byte is a control character or beyond ASCII; a name
 * stands right before its colon; what decides where a request ends, or whom it is for, stands there once. A body has a
 * Content-Length of digits; transfer codings are refused (411), which RFC 9112, section 6.3 allows. These functions
 * touch no socket, so that any bytes can be tried on them.
 *
 * It is our own reader, on libevent's buffers, because libevent's HTTP server takes two Content-Lengths, folded
 * lines, `Transfer-Encoding: xchunked` and bytes that end the process, and shows a handler nothing of them;
 * http-parser is no longer maintained.
 */
#ifndef FCPS_SERVE_HTTP_HEAD_H
#define FCPS_SERVE_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits; more is refused with 431 or 414. */
enum { FCPS_HEAD_MAX = 8192, FCPS_HEAD_FIELDS_MAX = 64, FCPS_HEAD_TARGET_MAX = 2048 };

typedef enum fcps_head_method { FCPS_HEAD_GET, FCPS_HEAD_POST, FCPS_HEAD_OTHER } fcps_head_method;

typedef struct fcps_head_field {
  const char *name, *value; /* the value without the blanks around it */
} fcps_head_field;

typedef struct fcps_head {
  fcps_head_method method;
  const char *target; /* begins with one slash */
  int count;
  fcps_head_field fields[FCPS_HEAD_FIELDS_MAX];
  size_t content_length; /* 0: there is no body */
  bool is_last;          /* the connection ends after the answer */
  bool expects_continue; /* the client waits for "100 Continue" before it sends the body */
} fcps_head;

/* Looks for the end of a head in the first `length` bytes of a connection, of which `*seen` (0 at first) were looked at
 * before. Returns 0 and the length of the head with its empty line, or 0 for *end if more bytes are needed; else the
 * HTTP status with which the connection is refused. */
int fcps_head_find_end(const char *bytes, size_t length, size_t *seen, size_t *end);

/* Reads a whole head, which fcps_head_find_end has found. `text` is changed, and `head` points into it. Returns 0, or
 * the HTTP status of the refusal. */
int fcps_head_read(char *text, size_t length, fcps_head *head);

/* The value of a field by its name, in any case; NULL if there is none. */
const char *fcps_head_get(const fcps_head *head, const char *name);

#endif
