/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of the API: /v1/studies/{study}/WORD for each operation (operation/operation.h), and the few that belong to the
 * server itself. */
#ifndef FCPS_SERVE_ROUTE_H
#define FCPS_SERVE_ROUTE_H

#include "operation/operation.h"
#include "serve/http/head.h"

/* What is answered without the token. */
#define FCPS_ROUTE_PROOF_PATH "/v1/proof"

/* Who answers. */
typedef enum fcps_route_place {
  FCPS_ROUTE_LIST,    /* the loop: what is served */
  FCPS_ROUTE_CHANGES, /* the loop: a stream of changes */
  FCPS_ROUTE_PROOF,   /* the loop: that it knows the token, to anybody who asks */
  FCPS_ROUTE_MAKE,    /* the thread that makes studies */
  FCPS_ROUTE_LOOK,    /* a thread of the study that reads what is stored */
  FCPS_ROUTE_MODEL,   /* a thread of the study that asks its model, which may take a while */
  FCPS_ROUTE_CHANGE   /* the thread of the study that stores, one call after the other */
} fcps_route_place;
fcps_route_place fcps_route_place_of(const fcps_operation *operation);

/* The most bytes that the body of a request may have. */
size_t fcps_route_body_max(const fcps_operation *operation);

/* What the server does beside the operations on studies; ends with a row without a name. */
extern const fcps_operation fcps_route_own[];

/* Finds the operation of a request. Returns 0, or the HTTP status of the refusal: 404, or 405. *study is the word in
 * the place of {study}; NULL if the path has none. */
int fcps_route_find(fcps_head_method method, const fcps_query *query, const fcps_operation **operation,
                    const char **study);

/* Reads the values of a query as the request of an operation; texts become what its fields are. */
fcps_status fcps_route_read_query(const fcps_operation *operation, const fcps_query *query, fcps_json **request,
                                  fcps_error *error);

#endif
