/* SPDX-License-Identifier: Apache-2.0 */
/* The target of a request, taken apart: the words of its path and the values of its query, all decoded.
 *
 * A word that is empty, "." or "..", or holds a slash, a control character or bytes that are not UTF-8 after decoding,
 * is refused: no path of a request can mean another one. */
#ifndef FCPS_SERVE_HTTP_QUERY_H
#define FCPS_SERVE_HTTP_QUERY_H

#include <fcps/base.h>

enum { FCPS_QUERY_WORDS_MAX = 8, FCPS_QUERY_VALUES_MAX = 32 };

typedef struct fcps_query_value {
  const char *name, *value;
} fcps_query_value;

typedef struct fcps_query {
  int word_count;
  const char *words[FCPS_QUERY_WORDS_MAX];
  int value_count;
  fcps_query_value values[FCPS_QUERY_VALUES_MAX];
  char *text; /* that all of them point into */
} fcps_query;

/* Takes a target apart. Returns 0, or the HTTP status of the refusal; it has to be destroyed in both cases. */
int fcps_query_read(fcps_query *query, const char *target);
void fcps_query_destroy(fcps_query *query);

/* A value by its name; NULL if it is not given. */
const char *fcps_query_get(const fcps_query *query, const char *name);

#endif
