/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of the API, one row each, and the parts of the page. openapi.json describes the same rows, and a test
 * compares the two. */
#ifndef FCPS_SERVE_ROUTE_H
#define FCPS_SERVE_ROUTE_H

#include "serve/call.h"
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

typedef struct fcps_route {
  fcps_head_method method;
  const char *path; /* "/v1/studies/{study}/ask" */
  fcps_route_place place;
  fcps_resource_fn *run; /* of the places that are threads */
} fcps_route;

/* The most bytes that the body of a request may have. */
size_t fcps_route_body_max(const fcps_route *route);

/* Row `index` of the table, from 0; NULL past the end. */
const fcps_route *fcps_route_at(int index);

/* The row for a request. Returns 0, or the HTTP status of the refusal: 404, or 405. *study is the word in the place of
 * {study}; NULL where the path has none. */
int fcps_route_find(fcps_head_method method, const fcps_query *query, const fcps_route **route, const char **study);

#endif
