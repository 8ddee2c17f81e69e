/* SPDX-License-Identifier: Apache-2.0 */
/* The knowledge gradient: by how much a trial is expected to raise the reward of the parameters that are believed to be
 * best [frazier2009; scott2011]. Its unit is reward, so contexts with more to gain count more.
 *
 * After a trial at x the means of the representers, and of x itself, are mu_i + k_i w with a standard normal w and k =
 * cov(f(Z), f(x)) / sqrt(v + sn^2). The value E_w max_i (mu_i + k_i w) - max_i mu_i has a closed form, because the
 * maximum of lines is their upper envelope.
 */
#include "acquisition/information/gain.h"

#include "base/memory.h"
#include "base/normal.h"

#include <math.h>
#include <stdlib.h>

/* Scratch memory, in one allocation. */
typedef struct kg_scratch {
  double *slopes;   /* representers x trials */
  fcps_line *lines; /* representers + 1 */
} kg_scratch;

static void *create_scratch(const fcps_belief_builder *builder, int most)
{
  const size_t m = (size_t)builder->settings.representers, slopes = m * (size_t)most * sizeof(double);
  kg_scratch *scratch = fcps_allocate(1, sizeof *scratch + slopes + (m + 1) * sizeof(fcps_line));
  if (scratch == NULL) return NULL;
  scratch->slopes = (double *)(scratch + 1);
  scratch->lines = (fcps_line *)(scratch->slopes + m * (size_t)most);
  return scratch;
}

static void add_gains(const fcps_belief_builder *builder, const fcps_gp *gp, const fcps_belief *belief,
                      const fcps_candidates *trials, void *scratch, double *gains)
{
  (void)builder;
  const kg_scratch *g = scratch;
  const int m = belief->count;
  const double sn2 = fcps_gp_noise(gp);
  fcps_belief_slopes(gp, belief, trials, g->slopes);
  for (int t = 0; t < trials->count; t++) {
    const double *k = g->slopes + (size_t)t * (size_t)m, q = trials->variance[t];
    for (int i = 0; i < m; i++)
      g->lines[i] = (fcps_line){belief->mean[i], k[i]};
    g->lines[m] = (fcps_line){trials->mean[t], (q - sn2) / sqrt(q)};
    gains[t] += belief->scale * fcps_line_envelope_gain(m + 1, g->lines);
  }
}

static const fcps_gain gain = {.scratch = create_scratch, .add = add_gains};

const fcps_acquisition fcps_acquisition_kg = FCPS_GAIN_ACQUISITION("kg", gain);

/* -- Lines -- */

/* Sorts the lines by their slopes. If the lines of the envelope meet at t_1 < t_2 < ..., then [frazier2009, Eq. 14]
 *   E max - max = sum_j (slope_{j+1} - slope_j) (phi(t_j) - |t_j| Phi(-|t_j|)). */

static int compare(const void *a, const void *b)
{
  const fcps_line *p = a, *q = b;
  if (p->slope != q->slope) return p->slope < q->slope ? -1 : 1;
  return (p->height > q->height) - (p->height < q->height);
}

/* Returns the w from which on the line with the larger slope is the higher one. */
static double meeting(fcps_line lower, fcps_line upper)
{
  return (lower.height - upper.height) / (upper.slope - lower.slope);
}

/* Moves the lines of the envelope to the front and returns their number. */
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
    const double density = fcps_normal_density(t), beyond = fcps_normal_cdf(-t);
    sum += (lines[j + 1].slope - lines[j].slope) * fmax(density - t * beyond, 0.0); /* rounding in the tail may make it
                                                                                     * negative */
  }
  return sum;
}
