/* SPDX-License-Identifier: Apache-2.0 */
/* The results of all runs of an experiment, and the tables that are made from them. */
#ifndef FCPS_LAB_EXPERIMENT_RESULTS_H
#define FCPS_LAB_EXPERIMENT_RESULTS_H

#include "format/json.h"
#include "lab/experiment/single_run.h"

typedef struct fcps_experiment_results {
  const fcps_experiment *experiment;
  fcps_experiment_run_result *runs; /* the run of row r and seed s is at r * seed_count + s */
  double *scratch;                  /* two numbers per seed, for any caller */
  fcps_oracle_levels levels;        /* the levels that the experiment's file asks for (oracle.h); NaN: not asked for */
  /* the definition that was kept when the first run began (definition.c); may be NULL */
  fcps_json *kept;
} fcps_experiment_results;

fcps_status fcps_experiment_results_read(fcps_experiment_results *results, const fcps_experiment *experiment,
                                         const char *directory, fcps_error *error);
void fcps_experiment_results_destroy(fcps_experiment_results *results);

const fcps_experiment_run_result *fcps_experiment_results_run(const fcps_experiment_results *results, int row,
                                                              int seed);

/* Writes a measure of a row, one value per seed. A value is NaN if its run does not reach the episode. `episode` counts
 * from 1. */
void fcps_experiment_results_measure(const fcps_experiment_results *results, int row, fcps_measure measure,
                                     int64_t episode, double *values);

/* Writes results.csv, curves.csv and, if all runs were evaluated in the same contexts, map.csv. */
fcps_status fcps_experiment_results_write(const fcps_experiment_results *results, const char *directory,
                                          fcps_error *error);

/* Means with their standard errors. */

/* Mean, sample standard deviation (n - 1) and standard error of the mean. Deviation and standard error are NaN for
 * fewer than two values; all three are NaN if a value is NaN. */
typedef struct fcps_statistics {
  int count;
  double mean, sd, se;
} fcps_statistics;

fcps_statistics fcps_statistics_of(int count, const double *values);

/* The same for a[i] - b[i]. Runs with the same seed share their world, so their differences are more certain than their
 * means. */
fcps_statistics fcps_statistics_of_differences(int count, const double *a, const double *b);

/* Computes the ratio of the standard deviations of a and b, and its standard error for normal values (by the delta
 * method). */
void fcps_statistics_spread(int count, const double *a, const double *b, double *ratio, double *se);

/* Returns the median, and sorts the values in place. */
double fcps_statistics_median(int count, double *values);

#endif
