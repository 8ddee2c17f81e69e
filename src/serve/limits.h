/* SPDX-License-Identifier: Apache-2.0 */
/* How many studies and connections fit into the limit of open files. Both numbers are limited before descriptors run
 * out: without a free descriptor a server could neither store a result nor accept a connection. */
#ifndef FCPS_SERVE_LIMITS_H
#define FCPS_SERVE_LIMITS_H

#include <fcps/base.h>

typedef struct fcps_limits {
  int files;       /* the limit of open files, after it was raised as far as it may be and is of use */
  int connections; /* the most at once that the caller wanted; 0: as many as fit, at most FCPS_LIMITS_CONNECTIONS */
  int studies;     /* the most that are served */
  bool is_growing; /* studies may be made: those and the connections have fixed shares */
} fcps_limits;

enum { FCPS_LIMITS_CONNECTIONS = 4096 };

/* Raises the limit of open files of this process, and divides it. */
void fcps_limits_find(fcps_limits *limits, int connections_wanted, bool is_growing);

/* The same for a known limit. */
void fcps_limits_divide(fcps_limits *limits, int files, int connections_wanted, bool is_growing);

/* The most connections beside so many studies. */
int fcps_limits_connections(const fcps_limits *limits, int studies);

/* Refuses more studies than fit, and says which limit would do. */
fcps_status fcps_limits_check(const fcps_limits *limits, int studies, fcps_error *error);

#endif
