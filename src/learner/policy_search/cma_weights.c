/* SPDX-License-Identifier: Apache-2.0 */
/* Rates and weights of contextual CMA-ES; cma_weights.h says which. The ranking breaks ties by the order of the
 * training samples, so that equal rewards give the same weights everywhere. */
#include "learner/policy_search/cma_weights.h"

#include "base/memory.h"
#include "learner/policy_search/ridge.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

static const double baseline_ridge = 1e-4;

/* Unnormalized weight of rank 1, 2, ... of `population`. */
static double rank_weight(double rank, int population)
{
  return fmax(0.0, log(population / 2 + 0.5) - log(rank));
}

fcps_cma_rates fcps_cma_rates_of(int n, int contexts, int population)
{
  const double total = n + contexts, size = n;
  const int usual = 4 + (int)floor(3.0 * log(total)) * (1 + 2 * contexts);
  fcps_cma_rates r = {.population = population > 0 ? population : usual > 4 ? usual : 4};
  double sum = 0.0, squares = 0.0;
  for (int i = 1; i <= r.population / 2; i++) {
    const double w = rank_weight(i, r.population);
    sum += w;
    squares += w * w;
  }
  r.mueff = sum * sum / squares;
  r.c1 = 2.0 / ((total + 1.3) * (total + 1.3) + r.mueff);
  r.cmu = fmin(1.0 - r.c1, 2.0 * (r.mueff - 2.0 + 1.0 / r.mueff) / ((total + 2.0) * (total + 2.0) + r.mueff));
  r.cc = (4.0 + r.mueff / total) / (4.0 + total + 2.0 * r.mueff / total);
  r.cs = (r.mueff + 2.0) / (total + r.mueff + 5.0);
  r.ds = 1.0 + 2.0 * fmax(0.0, sqrt((r.mueff - 1.0) / (total + 1.0)) - 1.0) + r.cs + log(contexts + 1.0);
  r.chi = sqrt(size) * (1.0 - 1.0 / (4.0 * size) + 1.0 / (21.0 * size * size));
  return r;
}

typedef struct ranked {
  double advantage;
  int index;
} ranked;

static int compare(const void *a, const void *b)
{
  const ranked *p = a, *q = b;
  if (p->advantage != q->advantage) return p->advantage > q->advantage ? -1 : 1;
  return (p->index > q->index) - (p->index < q->index);
}

/* The training samples, largest advantage first. */
static fcps_status rank(const fcps_training_samples *r, double *numbers, ranked *ranking)
{
  double *scaled = numbers, *shares = scaled + r->count, *value = shares + r->count;
  fcps_rewards_scale(r->count, r->rewards, scaled); /* so that the ridge means the same for all */
  for (int i = 0; i < r->count; i++)
    shares[i] = r->importance[i] / r->count;
  const fcps_status status = fcps_ridge_fit(r->count, r->features, r->phi, 1, scaled, shares, baseline_ridge, value);
  if (status != FCPS_OK) return status;
  for (int i = 0; i < r->count; i++) {
    const double expected = fcps_dot(r->features, value, r->phi + (size_t)i * (size_t)r->features);
    ranking[i] = (ranked){scaled[i] - expected, i};
  }
  qsort(ranking, (size_t)r->count, sizeof *ranking, compare);
  return FCPS_OK;
}

fcps_status fcps_cma_weights(const fcps_training_samples *training, const fcps_cma_rates *rates, double *d)
{
  const size_t count = (size_t)training->count;
  double *numbers = fcps_allocate(2 * count + (size_t)training->features, sizeof(double));
  ranked *ranking = fcps_allocate(count, sizeof *ranking);
  fcps_status status = numbers != NULL && ranking != NULL ? rank(training, numbers, ranking) : FCPS_ERR_MEMORY;
  double before = 0.0, sum = 0.0;
  for (size_t i = 0; i < count && status == FCPS_OK; i++) {
    const int index = ranking[i].index;
    const double share = training->importance[index] / training->count;
    d[index] = share * rank_weight(rates->population * (before + 0.5 * share) + 0.5, rates->population);
    before += share;
    sum += d[index];
  }
  for (size_t i = 0; i < count && status == FCPS_OK; i++)
    d[i] /= sum;
  free(numbers);
  free(ranking);
  return status;
}
