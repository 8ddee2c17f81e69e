/* SPDX-License-Identifier: Apache-2.0 */
/* The workers of a study (fcps/run_work.h): what each has done, and what it has under way. */
#ifndef FCPS_WIRE_WORKERS_H
#define FCPS_WIRE_WORKERS_H

#include "format/json.h"

#include <fcps/study_lease.h>

/* One process; its programs ask and tell as NAME/1, NAME/2, ... */
typedef struct fcps_wire_worker {
  char name[FCPS_WORKER_NAME];
  int results, failed;       /* all that it told, whether they count or not */
  int64_t first_ms, last_ms; /* when, by the clock of the worker that told */
  int leases, ended_leases;  /* of unfinished asks; those whose time has ended wait for another worker */
} fcps_wire_worker;

/* Lists the workers in the order in which they first told, then those that have only leases, as they were read last.
 * Freed with fcps_free; NULL without memory. */
fcps_wire_worker *fcps_wire_workers_list(const fcps_study *study, int *count);

/* A rate for people, "12 an hour" or, from one a second on, "3.8 a second". */
enum { FCPS_WIRE_RATE_SIZE = 40 };
const char *fcps_wire_rate_text(double per_hour, char text[FCPS_WIRE_RATE_SIZE]);

/* Results an hour, from the first to the last; 0 if there are fewer than two. */
double fcps_wire_worker_rate(const fcps_wire_worker *worker);

/* [{"worker": "lab-4711", "results": 12, "failed": 1, "per_hour": 340, "leases": 2, "ended_leases": 0}, ...] */
fcps_json *fcps_wire_workers_write(const fcps_study *study);

#endif
