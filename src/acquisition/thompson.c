/* SPDX-License-Identifier: Apache-2.0 */
/* Thompson sampling: the best parameters of one joint draw of the model [thompson1933]. The draw is exact at a limited
 * set of points, because its cost grows with the cube of their number. The points are the most promising candidates,
 * and a cloud of points around the greedy choice, the parameters with the largest mean. The cloud is denser near its
 * centre, so that the answer can be as precise as the model.
 *
 * Invariant: all random numbers of a draw come from the random stream of the decision, in this order: candidates,
 * cloud, normals. */
#include "acquisition/acquisition.h"

#include "base/memory.h"
#include "optim/optim.h"
#include "space/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 150, CLOUD = 100 };
static const double widest = 0.2, narrowest = 0.005;

typedef struct ranked {
  double value;
  int index;
} ranked;

static int compare(const void *a, const void *b)
{
  const ranked *p = a, *q = b;
  if (p->value != q->value) return p->value > q->value ? -1 : 1;
  return (p->index > q->index) - (p->index < q->index);
}

/* Draws `count` candidates and writes the `keep` ones with the largest mean + 2 deviation to `points`. */
static fcps_status shortlist(const fcps_decision *decision, fcps_rng *rng, int count, int keep, double *points)
{
  const size_t n = (size_t)decision->n;
  double *candidates = fcps_allocate((size_t)count * (n + 2), sizeof(double));
  ranked *ranking = fcps_allocate((size_t)count, sizeof *ranking);
  const bool ok = candidates != NULL && ranking != NULL;
  if (ok) {
    double *mean = candidates + (size_t)count * n, *deviation = mean + count;
    fcps_points_uniform(rng, decision->n, count, candidates);
    fcps_region_fill(fcps_posterior_region(decision->posterior), rng, count, candidates);
    fcps_posterior_moments(decision->posterior, count, candidates, mean, deviation);
    for (int i = 0; i < count; i++)
      ranking[i] = (ranked){mean[i] + 2.0 * deviation[i], i};
    qsort(ranking, (size_t)count, sizeof *ranking, compare);
    for (int i = 0; i < keep; i++)
      memcpy(points + (size_t)i * n, candidates + (size_t)ranking[i].index * n, n * sizeof(double));
  }
  free(candidates);
  free(ranking);
  return ok ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* Draws the cloud: the greedy choice, and Gaussian steps from it, from wide to narrow. */
static fcps_status cloud(const fcps_decision *decision, fcps_rng *rng, double *points)
{
  const int n = decision->n;
  const bool *wraps = fcps_posterior_wraps(decision->posterior);
  fcps_optimum optimum;
  double *greedy = points; /* the greedy choice is the first point */
  const fcps_status status = fcps_search_moments(decision->posterior, &fcps_moment_objective_mean,
                                                 &decision->settings->search, *rng, greedy, &optimum);
  for (int i = 1; i < CLOUD && status == FCPS_OK; i++) {
    const double deviation = widest * pow(narrowest / widest, (double)i / CLOUD);
    for (int d = 0; d < n; d++) {
      const double x = greedy[d] + deviation * fcps_rng_normal(rng);
      points[i * n + d] = wraps[d] ? x - floor(x) : fmin(fmax(x, 0.0), 1.0);
    }
  }
  return status;
}

static fcps_status select_thompson(const fcps_decision *decision, double *x)
{
  const int count = decision->settings->search.candidates, keep = count < LISTED ? count : LISTED;
  const int drawn = keep + CLOUD;
  const size_t n = (size_t)decision->n,
               normals_count = (size_t)drawn * (size_t)fcps_posterior_outputs(decision->posterior)->outputs;
  double *points = fcps_allocate((size_t)drawn * (n + 1) + normals_count, sizeof(double));
  if (points == NULL) return FCPS_ERR_MEMORY;
  double *rewards = points + (size_t)drawn * n, *normals = rewards + drawn;
  fcps_rng rng = decision->rng;
  fcps_status status = shortlist(decision, &rng, count, keep, points);
  if (status == FCPS_OK) status = cloud(decision, &rng, points + (size_t)keep * n);
  if (status == FCPS_OK) {
    fcps_levels_snap(decision->n, fcps_posterior_levels(decision->posterior), drawn, points);
    fcps_region_settle_all(fcps_posterior_region(decision->posterior), decision->n, drawn, points);
    fcps_rng_normals(&rng, (int)normals_count, normals);
    status = fcps_posterior_draw(decision->posterior, drawn, points, normals, rewards);
  }
  if (status == FCPS_OK) {
    int best = 0;
    for (int i = 1; i < drawn; i++)
      if (rewards[i] > rewards[best]) best = i;
    memcpy(x, points + (size_t)best * n, n * sizeof(double));
  }
  free(points);
  return status;
}

const fcps_acquisition fcps_acquisition_thompson = {.name = "thompson", .needs_model = true, .select = select_thompson};
