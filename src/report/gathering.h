/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of all experiments in a folder of results. */
#ifndef FCPS_REPORT_GATHERING_H
#define FCPS_REPORT_GATHERING_H

#include "report/findings.h"

typedef struct fcps_gathering {
  fcps_findings *items; /* in their order on the page */
  size_t count, capacity;
} fcps_gathering;

/* Reads those that are finished; other folders are passed over. */
fcps_status fcps_gathering_read(fcps_gathering *all, const char *directory, fcps_error *error);
void fcps_gathering_destroy(fcps_gathering *all);

#endif
