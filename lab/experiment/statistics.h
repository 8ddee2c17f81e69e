/* SPDX-License-Identifier: Apache-2.0 */
/* Means with their standard errors. */
#ifndef FCPS_EXPERIMENT_STATISTICS_H
#define FCPS_EXPERIMENT_STATISTICS_H

/* Mean, sample standard deviation (n - 1) and standard error of the mean. The last two are NaN for fewer than two
 * values, all three where a value is NaN. */
typedef struct fcps_statistics {
  int count;
  double mean, sd, se;
} fcps_statistics;

fcps_statistics fcps_statistics_of(int count, const double *values);

/* The same for a[i] - b[i]. Runs with one seed share their world, so their differences are more certain than their
 * means. */
fcps_statistics fcps_statistics_of_differences(int count, const double *a, const double *b);

/* The ratio of the standard deviations of a and b, and its standard error for normal values (by the delta method). */
void fcps_statistics_spread(int count, const double *a, const double *b, double *ratio, double *se);

/* The median. Sorts the values. */
double fcps_statistics_median(int count, double *values);

#endif
