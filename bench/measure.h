/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all benchmarks: a clock that other programs on the machine do not disturb, medians, and one way to report
 * measurements, as a table for people and as JSON Lines (in the file that FCPS_BENCH_JSON names). */
#ifndef FCPS_BENCH_MEASURE_H
#define FCPS_BENCH_MEASURE_H

#include <fcps/base.h>

/* Processor time of this process, in seconds. */
double measure_seconds(void);

/* Time on the clock, in seconds: for work that more than one thread does. */
double measure_clock(void);

/* The median of `count` numbers and the distance of their quartiles. Sorts the numbers. */
typedef struct measure_summary {
  double median, spread;
} measure_summary;
measure_summary measure_summarize(int count, double *values);

/* Prints the name of the benchmark and its conditions: processor, compiler, BLAS kernels, version and commit. */
void measure_begin(const char *name, const char *what);

/* Reports one row of numbers under named columns: prints it, and writes it as one JSON object. The first row also
 * prints the head. A NaN prints as "-". */
typedef struct measure_value {
  const char *name; /* NULL ends a row */
  double value;
} measure_value;
void measure_row(const char *label, const measure_value *values);

/* Ends the program with a message when a call failed: a benchmark that did not run gives no result. */
void measure_require(fcps_status status, const char *what);

#endif
