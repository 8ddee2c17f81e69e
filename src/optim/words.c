/* SPDX-License-Identifier: Apache-2.0 */
/* Combinations of words: counting them, giving them to candidates, comparing them. */
#include "optim/optim.h"

#include <math.h>

/* The most starts that a search gets in addition because of words. */
enum { MORE_STARTS = 8 };

static int word_of(double levels, double x)
{
  return (int)fmin(fmax(floor(x * -levels), 0.0), -levels - 1.0);
}

double fcps_words_combinations(int n, const double *levels)
{
  double product = 1.0;
  for (int d = 0; d < n && levels != NULL; d++)
    if (levels[d] < 0.0) product *= -levels[d];
  return product;
}

void fcps_words_spread(int n, const double *levels, int count, double *points)
{
  const double combinations = fcps_words_combinations(n, levels);
  if (combinations < 2.0 || combinations > FCPS_WORDS_ENUMERATED || combinations > count) return;
  for (int i = 0; i < count; i++) {
    int rest = i % (int)combinations;
    for (int d = 0; d < n; d++) {
      if (!(levels[d] < 0.0)) continue;
      const int words = (int)-levels[d];
      points[i * n + d] = (rest % words + 0.5) / words;
      rest /= words;
    }
  }
}

int fcps_words_starts(int n, const double *levels, int starts)
{
  return starts + (int)fmin(fcps_words_combinations(n, levels) - 1.0, MORE_STARTS);
}

int fcps_words_changes(int n, const double *levels)
{
  double words = 0.0;
  for (int d = 0; d < n && levels != NULL; d++)
    words += fmax(-levels[d], 0.0);
  return (int)words;
}

bool fcps_words_need_changes(int n, const double *levels)
{
  return fcps_words_combinations(n, levels) > 1.0 + MORE_STARTS;
}

bool fcps_words_are_same(int n, const double *levels, const double *p, const double *q)
{
  for (int d = 0; d < n && levels != NULL; d++)
    if (levels[d] < 0.0 && word_of(levels[d], p[d]) != word_of(levels[d], q[d])) return false;
  return true;
}
