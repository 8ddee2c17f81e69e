/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of the API: /v1/studies/{study}/WORD for each operation (operation/operation.h), and a few paths of the
 * server itself. */
#ifndef FCPS_SERVE_ROUTE_H
#define FCPS_SERVE_ROUTE_H

#include "operation/operation.h"
#include "serve/http/head.h"

/* The path that needs no token. */
#define FCPS_ROUTE_PROOF_PATH "/v1/proof"

/* Which part of the server answers. */
typedef enum fcps_route_place {
  FCPS_ROUTE_LIST,    /* the loop: a list of the served studies */
  FCPS_ROUTE_CHANGES, /* the loop: a stream of changes */
  FCPS_ROUTE_PROOF,   /* the loop: a proof that the server knows the token, to anybody who asks */
  FCPS_ROUTE_MAKE,    /* the thread that makes studies */
  FCPS_ROUTE_LOOK,    /* a thread of the study that reads what is stored */
  FCPS_ROUTE_MODEL,   /* a thread of the study that asks its model, which may take long */
  FCPS_ROUTE_CHANGE   /* the thread of the study that stores, one call after the other */
} fcps_route_place;
fcps_route_place fcps_route_place_of(const fcps_operation *operation);

/* Returns the most bytes that the body of a request may have. */
size_t fcps_route_body_max(const fcps_operation *operation);

/* The operations of the server itself. The table ends with a row without a name. */
extern const fcps_operation fcps_route_own[];

/* Finds the operation of a request. Returns 0, or the HTTP status of the refusal: 404, or 405. *study receives the word
 * in the place of {study}; NULL if the path has none. */
int fcps_route_find(fcps_head_method method, const fcps_query *query, const fcps_operation **operation,
                    const char **study);

/* Reads the values of a query as the request of an operation. Texts are converted to the types of its fields. */
fcps_status fcps_route_read_query(const fcps_operation *operation, const fcps_query *query, fcps_json **request,
                                  fcps_error *error);

#endif
