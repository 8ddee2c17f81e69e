/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a request may come in at all, judged by its head alone, before its body is read and before anything is looked
 * up.
 *
 * A page of another site in the user's browser can reach a server on the same machine, also under a name of its own that
 * it lets point here (DNS rebinding). So the Host must be one of ours, and an Origin, if there is one, too; the token is
 * needed for everything but the page itself, which holds no secret, and a proof (door/token.h); and a body is JSON, which a
 * form cannot send. */
#ifndef FCPS_SERVE_HTTP_GUARD_H
#define FCPS_SERVE_HTTP_GUARD_H

#include "door/token.h"
#include "serve/http/head.h"

/* no path takes a larger body; most take less (src/serve/route.h) */
enum { FCPS_GUARD_HOSTS_MAX = 16, FCPS_GUARD_BODY_MAX = 64 << 20 };

typedef struct fcps_guard {
  char token[FCPS_TOKEN_SIZE];
  int host_count, own_count;             /* the first own_count were not named by the user */
  char hosts[FCPS_GUARD_HOSTS_MAX][280]; /* with their port if it is not the usual one */
} fcps_guard;

/* Why a request is refused, for the answer. */
typedef struct fcps_refusal {
  int status;       /* of HTTP */
  const char *code; /* stable: "E_TOKEN" */
  const char *text; /* what is wrong, and what to do */
} fcps_refusal;

/* Adds a host under which the server may be called; false if there is no room, or it is not a name. */
bool fcps_guard_add_host(fcps_guard *guard, const char *host);

/* Tells whether it is a host that the user has named. */
bool fcps_guard_is_named(const fcps_guard *guard, const char *host);

/* Judges a request by its head. Returns NULL if it may come in. `is_open`: it asks for what needs no token, a part of
 * the page or a proof. */
const fcps_refusal *fcps_guard_judge(const fcps_guard *guard, const fcps_head *head, bool is_open);

/* Returns what is said, by an HTTP status, of a head that could not be read, or of a connection that was too slow. */
const fcps_refusal *fcps_refusal_of(int status);

#endif
