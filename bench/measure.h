/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of all benchmarks: a clock that other programs on the machine do not disturb, medians, and reports of
 * measurements, as a table for people and as JSON Lines (in the file that FCPS_BENCH_JSON names). */
#ifndef FCPS_BENCH_MEASURE_H
#define FCPS_BENCH_MEASURE_H

#include <fcps/learner.h>

/* Processor time of this process, in seconds. */
double measure_seconds(void);

/* Time on the clock, in seconds: for work of several threads. */
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

/* A uniform number in (0, 1), and a standard normal one, that depend only on their two arguments: a seed and a number.
 */
double measure_uniform_at(uint64_t seed, uint64_t number);
double measure_normal_at(uint64_t seed, uint64_t number);

/* Whether the model of a learner believes a structure, by its name in the saved form. */
bool measure_believes(const fcps_learner *learner, const char *structure);

/* Ends the program with a message if a call failed: a benchmark that did not run must give no result. */
void measure_require(fcps_status status, const char *what);

#endif
