/* SPDX-License-Identifier: Apache-2.0 */
/* The entropy that votes lose, from counts and a table of N log N; the formula is in the header. */
#include "acquisition/information/vote_entropy.h"

#include <math.h>
#include <stddef.h>

void fcps_vote_entropy_logs(int most, double *logs)
{
  logs[0] = 0.0;
  for (int i = 1; i <= most; i++)
    logs[i] = i * log(i);
}

double fcps_vote_entropy_gain(int outcomes, int samples, int m, const int *votes, const double *logs)
{
  double sum = 0.0;
  for (int i = 0; i < m; i++) {
    int total = 0;
    for (int j = 0; j < outcomes; j++) {
      const int count = votes[(size_t)j * (size_t)m + (size_t)i];
      total += count;
      sum += logs[count];
    }
    sum -= logs[total];
  }
  return log(outcomes) + sum / ((double)outcomes * samples);
}
