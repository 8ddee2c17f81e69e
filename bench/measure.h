/* SPDX-License-Identifier: Apache-2.0 */
/* What every benchmark shares: a clock that other programs on the machine do not disturb, medians, and one way to say
 * what was measured, as a table for people and as JSON Lines (to the file that FCPS_BENCH_JSON names). */
#ifndef FCPS_BENCH_MEASURE_H
#define FCPS_BENCH_MEASURE_H

#include <fcps/base.h>

/* Processor time of this process, in seconds. */
double measure_seconds(void);

/* Time on the clock, in seconds: for work that more than one thread does. */
double measure_clock(void);

/* Median and the quartiles' distance of `count` numbers, which are sorted in place. */
typedef struct measure_summary {
  double median, spread;
} measure_summary;
measure_summary measure_summarize(int count, double *values);

/* Says which benchmark this is and on what: processor, compiler, BLAS kernels, version and commit. */
void measure_begin(const char *name, const char *what);

/* One row of numbers under named columns: printed, and written as one JSON object. The first row prints the head. A NaN
 * prints as "-". */
typedef struct measure_value {
  const char *name; /* NULL ends a row */
  double value;
} measure_value;
void measure_row(const char *label, const measure_value *values);

/* Ends the program with a message when a call failed: a benchmark that did not run is no result. */
void measure_require(fcps_status status, const char *what);

#endif
