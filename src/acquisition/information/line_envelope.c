/* SPDX-License-Identifier: Apache-2.0 */
/* Lines in the order of their slopes; those of the envelope meet at t_1 < t_2 < ..., and [frazier2009, Eq. 14]
 *   E max - max = sum_j (slope_{j+1} - slope_j) (phi(t_j) - |t_j| Phi(-|t_j|)). */
#include "acquisition/information/line_envelope.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
  const fcps_line *p = a, *q = b;
  if (p->slope != q->slope) return p->slope < q->slope ? -1 : 1;
  return (p->height > q->height) - (p->height < q->height);
}

/* Where the line with the larger slope takes over. */
static double meeting(fcps_line lower, fcps_line upper)
{
  return (lower.height - upper.height) / (upper.slope - lower.slope);
}

/* Moves the lines of the envelope to the front and returns how many they are. */
static int keep_envelope(int count, fcps_line *lines)
{
  int kept = 0;
  for (int i = 0; i < count; i++) {
    /* of parallel lines the highest comes last */
    if (kept > 0 && lines[kept - 1].slope == lines[i].slope) kept--;
    while (kept > 1 && meeting(lines[kept - 1], lines[i]) <= meeting(lines[kept - 2], lines[kept - 1]))
      kept--;
    lines[kept++] = lines[i];
  }
  return kept;
}

double fcps_line_envelope_gain(int count, fcps_line *lines)
{
  qsort(lines, (size_t)count, sizeof *lines, compare);
  const int kept = keep_envelope(count, lines);
  double sum = 0.0;
  for (int j = 0; j + 1 < kept; j++) {
    const double t = fabs(meeting(lines[j], lines[j + 1]));
    const double density = exp(-0.5 * t * t) / 2.5066282746310002, beyond = 0.5 * erfc(t / 1.4142135623730951);
    sum += (lines[j + 1].slope - lines[j].slope) * fmax(density - t * beyond, 0.0); /* rounding far out in the tail */
  }
  return sum;
}
