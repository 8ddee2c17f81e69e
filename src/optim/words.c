/* SPDX-License-Identifier: Apache-2.0 */
/* Combinations of words: counts them, assigns them to candidates, compares them. */
#include "base/memory.h"
#include "optim/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Sets the words of a point to combination number `index`. */
static void give(int n, const double *levels, int index, double *point)
{
  for (int d = 0; d < n; d++) {
    if (!(levels[d] < 0.0)) continue;
    const int words = (int)-levels[d];
    point[d] = (index % words + 0.5) / words;
    index /= words;
  }
}

/* Whether the words of a point stay the same if the parameters that do not apply are set to their resting values;
 * `rested` is scratch. */
static bool are_plain(int n, const double *levels, const fcps_region *region, const double *point, double *rested)
{
  memcpy(rested, point, (size_t)n * sizeof *point);
  region->rest(region->user, rested);
  return fcps_words_are_same(n, levels, point, rested);
}

/* Assigns all combinations that differ in their effect to the points in turn. Combinations that differ only in
 * parameters that do not apply count as one. */
static void spread_plain(int n, const double *levels, const fcps_region *region, int combinations, int count,
                         double *points, double *rested)
{
  int differing = 0, index = 0;
  double *first = rested + n;
  memcpy(first, points, (size_t)n * sizeof *first);
  for (int i = 0; i < combinations; i++) {
    give(n, levels, i, first);
    differing += are_plain(n, levels, region, first, rested);
  }
  if (differing > FCPS_WORDS_ENUMERATED || differing > count) return;
  for (int i = 0; i < count; i++)
    for (int tries = 0; tries < combinations; tries++) {
      give(n, levels, index, points + (size_t)i * (size_t)n);
      index = (index + 1) % combinations;
      if (are_plain(n, levels, region, points + (size_t)i * (size_t)n, rested)) break;
    }
}

void fcps_words_spread(int n, const double *levels, const fcps_region *region, int count, double *points)
{
  enum { MOST_LOOKED_AT = 5000 };
  const double combinations = fcps_words_combinations(n, levels);
  if (combinations < 2.0) return;
  if (region != NULL && region->rest != NULL) {
    double *rested = combinations <= MOST_LOOKED_AT ? fcps_allocate(2 * (size_t)n, sizeof *rested) : NULL;
    if (rested != NULL) spread_plain(n, levels, region, (int)combinations, count, points, rested);
    free(rested);
    return; /* with more combinations, candidates keep random words */
  }
  if (combinations > FCPS_WORDS_ENUMERATED || combinations > count) return;
  for (int i = 0; i < count; i++)
    give(n, levels, i % (int)combinations, points + (size_t)i * (size_t)n);
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
