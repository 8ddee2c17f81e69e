/* SPDX-License-Identifier: Apache-2.0 */
/* The integrals are Beta functions. */
#include "model/feasibility/scatter.h"

#include <math.h>

/* A machine that fails innocently does so about once in twenty trials. Chosen on development seeds (docs/lab/outcome.md). */
static const double rarity = 20.0;

double fcps_scatter_rate(int successes, int failures)
{
  return (successes + 1.0) / (successes + failures + 2.0);
}

static double log_beta(double a, double b)
{
  return lgamma(a) + lgamma(b) - lgamma(a + b);
}

double fcps_scatter_log_odds(int successes, int failures, double evidence)
{
  if (!isfinite(evidence)) return -INFINITY;
  const double rate = fcps_scatter_rate(successes, failures);
  const double gain = evidence - successes * log(rate) - failures * log1p(-rate);
  const double chance = log_beta(failures + 1.0, successes + rarity) - log_beta(1.0, rarity);
  return chance - log_beta(failures + 1.0, successes + 1.0) - gain;
}
