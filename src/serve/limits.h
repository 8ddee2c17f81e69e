/* SPDX-License-Identifier: Apache-2.0 */
/* How many studies and connections fit into the limit of open files. Both numbers are limited before descriptors run
 * out: without a free descriptor a server could neither store a result nor accept a connection. */
#ifndef FCPS_SERVE_LIMITS_H
#define FCPS_SERVE_LIMITS_H

#include <fcps/base.h>

typedef struct fcps_limits {
  int files; /* the limit of open files, which was raised as far as possible and useful */
  /* the most simultaneous connections that the caller wanted; 0: as many as possible, at most
   * FCPS_LIMITS_CONNECTIONS */
  int connections;
  int studies;     /* the most studies that are served */
  bool is_growing; /* studies may be made, so studies and connections have fixed shares */
} fcps_limits;

enum { FCPS_LIMITS_CONNECTIONS = 4096 };

/* Raises this process's limit of open files, and divides the descriptors. */
void fcps_limits_find(fcps_limits *limits, int connections_wanted, bool is_growing);

/* Does the same for a given limit. */
void fcps_limits_divide(fcps_limits *limits, int files, int connections_wanted, bool is_growing);

/* Returns how many connections are possible beside this many studies. */
int fcps_limits_connections(const fcps_limits *limits, int studies);

/* Refuses more studies than are possible. The error says which limit would be enough. */
fcps_status fcps_limits_check(const fcps_limits *limits, int studies, fcps_error *error);

#endif
