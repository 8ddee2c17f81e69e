/* SPDX-License-Identifier: Apache-2.0 */
/* The curvature of the mean of a sum (sum_form.h), for searches by Newton steps (fcps_expected_reward_curvature). For
 * pieces it is that of a parabola below their mean; for the rest the second derivatives come from the nodes. */
#include "reward/expected_reward_impl.h"

#include <math.h>
#include <string.h>

bool fcps_expected_reward_is_sum(fcps_expected_reward *s)
{
  const fcps_sum_form *form = fcps_expected_reward_sum(s);
  bool has_outcome = form != NULL && form->rest_count > 0;
  for (int j = 0; j < s->outcomes && form != NULL; j++)
    has_outcome = has_outcome || form->has_pieces[j];
  return has_outcome && !form->has_steps;
}

/* -- Curvature -- */

/* own += weight a b' */
static void add_product(int p, double weight, const double *a, const double *b, double *own)
{
  for (int l = 0; l < p; l++)
    for (int k = 0; k < p; k++)
      own[l * p + k] += weight * a[l] * b[k];
}

/* Returns a lower limit of the curvature. A function without kinks nearby seems straight, and a Newton step would be
 * too long. With this curvature a step is at most as long as the scale of the outcome. */
static double least_bend(const fcps_expected_reward *s, int outcome, double slope)
{
  return fabs(slope) / s->scale[outcome];
}

/* Returns the curvature of the mean in outcome j, which has pieces. If downward kinks explain the slope, the lower
 * limit is not needed. */
static double bend_of_pieces(const fcps_expected_reward *s, const fcps_pieces *pieces, int j, double m,
                             double deviation, double slope)
{
  double falls = 0.0;
  for (int i = 0; i < pieces->breaks_count; i++)
    falls += fmax(pieces->slopes[i] - pieces->slopes[i + 1], 0.0);
  const double bend = fcps_pieces_bend(pieces, m, deviation);
  return 0.5 * falls * (1.0 + 1e-9) >= fabs(slope) ? bend : fmax(bend, least_bend(s, j, slope));
}

static void add_rest_curvature(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                               double *own)
{
  const int rest = form->rest_count, p = s->parameters;
  const double *bends = s->slopes.bends;
  for (int r = 0; r < rest; r++)
    for (int t = 0; t < rest; t++) {
      const int j = form->rest_outcomes[r], i = form->rest_outcomes[t];
      const double bend = 0.5 * (bends[r * rest + t] + bends[t * rest + r]);
      add_product(p, r == t ? fmax(bend, least_bend(s, j, s->slopes.mean_m[j])) : bend, at->mean_gradients + j * p,
                  at->mean_gradients + i * p, own);
    }
}

/* Whether the stored derivatives are those of this point. */
static bool are_kept(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at)
{
  const fcps_sum_slopes *k = &s->slopes;
  return k->form == form && k->variance == at->variances[0] &&
         memcmp(k->x, at->x, (size_t)s->parameters * sizeof(double)) == 0 &&
         memcmp(k->mean, at->mean, (size_t)s->outcomes * sizeof(double)) == 0;
}

/* The spread is s_j = scale_j exp(l/2), so the derivative by l is the sum of mean_s s_j/2. At a point without usable
 * value the curvature is 0. */
void fcps_sum_form_curvature(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                             double *own, double *weights)
{
  const int q = s->outcomes, p = s->parameters;
  const fcps_sum_slopes *slopes = &s->slopes;
  double unused[2];
  memset(own, 0, (size_t)(p * p) * sizeof(double));
  memset(weights, 0, (size_t)(q + 1) * sizeof(double));
  if (!are_kept(s, form, at) && !fcps_sum_find_slopes(s, form, at, &unused[0], &unused[1])) return;
  add_rest_curvature(s, form, at, own);
  for (int j = 0; j < q; j++) {
    const double deviation = fcps_sum_deviation(s, j, at->variances, 1), *slope = at->mean_gradients + j * p;
    if (form->has_pieces[j])
      add_product(p, bend_of_pieces(s, &form->pieces[j], j, at->mean[j], deviation, slopes->mean_m[j]), slope, slope,
                  own);
    weights[j] = -slopes->mean_m[j];
    weights[q] -= 0.5 * slopes->mean_s[j] * deviation;
  }
  add_product(p, 0.5 * fmax(weights[q], 0.0) / (at->variances[0] * at->variances[0]), at->variance_gradients,
              at->variance_gradients, own);
}
