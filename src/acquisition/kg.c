/* SPDX-License-Identifier: Apache-2.0 */
/* The knowledge gradient in the context of the ask: by how much a trial is expected to raise the reward of the parameters
 * that look best afterwards [frazier2009; scott2011].
 *
 * After a trial at x the means of the representers, and of x itself, are mu_i + k_i w with a standard normal w and
 * k = cov(f(Z), f(x)) / sqrt(v + sn^2). Its value E_w max_i (mu_i + k_i w) - max_i mu_i has a closed form, because the
 * largest of lines is their upper envelope (envelope.h).
 */
#include "acquisition/envelope.h"
#include "acquisition/gain.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* In one allocation. */
typedef struct kg_scratch {
  double *slopes;   /* representers x trials */
  fcps_line *lines; /* representers + 1 */
} kg_scratch;

static void *prepare(const fcps_question *question, int most)
{
  const size_t m = (size_t)question->belief.count, slopes = m * (size_t)most * sizeof(double);
  kg_scratch *scratch = fcps_allocate(1, sizeof *scratch + slopes + (m + 1) * sizeof(fcps_line));
  if (scratch == NULL) return NULL;
  scratch->slopes = (double *)(scratch + 1);
  scratch->lines = (fcps_line *)(scratch->slopes + m * (size_t)most);
  return scratch;
}

static void gains(const fcps_question *question, double *gains)
{
  const kg_scratch *scratch = question->scratch;
  const fcps_gp *gp = question->model->gp;
  const int m = question->belief.count;
  const double sn2 = fcps_gp_noise(gp);
  fcps_belief_slopes(gp, &question->belief, &question->trials, scratch->slopes);
  for (int t = 0; t < question->trials.count; t++) {
    const double *k = scratch->slopes + (size_t)t * (size_t)m, q = question->trials.variance[t];
    for (int i = 0; i < m; i++)
      scratch->lines[i] = (fcps_line){question->mu[i], k[i]};
    scratch->lines[m] = (fcps_line){question->mean[t], (q - sn2) / sqrt(q)};
    gains[t] = fcps_envelope_gain(m + 1, scratch->lines);
  }
}

const fcps_gain fcps_gain_kg = {prepare, gains};

static fcps_status select_kg(const fcps_decision *decision, double *unit)
{
  return fcps_gain_select(decision, &fcps_gain_kg, unit);
}

const fcps_acquisition fcps_acquisition_kg = {"kg", true, select_kg, true};
