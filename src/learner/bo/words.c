/* SPDX-License-Identifier: Apache-2.0 */
/* Every word of a parameter is tried early: a model says little of a word that nobody tried, and what it says of others may keep a
 * search from it for ever.
 *
 * The points of a design have all words by turns. After that, every other ask tries a new word: it has the parameters that
 * the acquisition has chosen, but the most promising of the words that nobody tried. Words may break limits, so with limits
 * they are left to the model. */
#include "learner/bo/bo.h"

#include "base/memory.h"
#include "optim/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How often each word of parameter `d` was made, or is under way. */
static void count_words(const fcps_learner *learner, int d, int words, int *made)
{
  memset(made, 0, (size_t)words * sizeof *made);
  for (int i = 0; i < learner->rollouts.count; i++)
    made[(int)fcps_rollouts_parameters(&learner->rollouts, i)[d]]++;
  for (int i = 0; i < learner->pending_count; i++)
    made[(int)learner->pending[i].parameters[d]]++;
}

static double place_of(int word, int words)
{
  return (word + 0.5) / words;
}

/* One of the words that were made least often. */
static int draw_word(const fcps_learner *learner, int d, int words, int64_t id, int *made)
{
  int least = 0, equal = 0, word = -1;
  count_words(learner, d, words, made);
  for (int w = 1; w < words; w++)
    if (made[w] < made[least]) least = w;
  for (int w = 0; w < words; w++)
    equal += made[w] == made[least];
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, (uint64_t)id);
  rng.index = (uint64_t)(d + 1) << 32; /* so that they do not meet the numbers of the point */
  for (int turn = (int)fcps_rng_below(&rng, (uint64_t)equal); turn >= 0; turn--)
    do
      word++;
    while (made[word] != made[least]);
  return word;
}

fcps_status fcps_bo_take_turns(const fcps_learner *learner, int64_t id, double *x)
{
  const fcps_space *space = &learner->problem.parameters;
  for (int d = 0; d < space->count; d++) {
    const int words = space->dims[d].choices != NULL ? space->dims[d].choices->count : 0;
    if (words == 0) continue;
    int *made = fcps_allocate((size_t)words, sizeof *made);
    if (made == NULL) return FCPS_ERR_MEMORY;
    x[d] = place_of(draw_word(learner, d, words, id, made), words);
    free(made);
  }
  return FCPS_OK;
}

/* What a point is worth that may be asked for. */
static double worth_of(const fcps_decision *decision, double *x)
{
  const fcps_region *region = fcps_posterior_region(decision->posterior);
  double mean, deviation;
  fcps_region_settle_all(region, decision->n, 1, x);
  fcps_posterior_moments(decision->posterior, 1, x, &mean, &deviation);
  double worth = mean + decision->settings->kappa * deviation;
  fcps_acquisition_price_bounds(decision, 1, x, &worth);
  return worth;
}

/* Lets x have the most promising of the words of parameter `d` that nobody tried. */
static void try_word(const fcps_learner *learner, const fcps_decision *decision, int d, int words, int *made,
                     double *points, double *x)
{
  const size_t n = (size_t)decision->n;
  double *point = points, *kept = points + n, best = -INFINITY;
  count_words(learner, d, words, made);
  for (int w = 0; w < words; w++) {
    if (made[w] > 0) continue;
    memcpy(point, x, n * sizeof *x);
    point[d] = place_of(w, words);
    const double worth = worth_of(decision, point);
    const bool is_it = fabs(point[d] - place_of(w, words)) < 0.5 / words; /* constraints may have led back */
    if (!is_it || !(worth > best)) continue;
    best = worth;
    memcpy(kept, point, n * sizeof *x);
  }
  if (best > -INFINITY) memcpy(x, kept, n * sizeof *x);
}

fcps_status fcps_bo_try_words(const fcps_learner *learner, const fcps_decision *decision, int64_t id, double *x)
{
  const fcps_space *space = &learner->problem.parameters;
  const size_t n = (size_t)space->count;
  if (id % 2 != 0 || learner->problem.limit_count > 0) return FCPS_OK;
  for (int d = 0; d < space->count; d++) {
    const int words = space->dims[d].choices != NULL ? space->dims[d].choices->count : 0;
    if (words == 0) continue;
    int *made = fcps_allocate((size_t)words, sizeof *made);
    double *points = fcps_allocate(2 * n, sizeof *points);
    const bool has_room = made != NULL && points != NULL;
    if (has_room) try_word(learner, decision, d, words, made, points, x);
    free(made);
    free(points);
    if (!has_room) return FCPS_ERR_MEMORY;
  }
  return fcps_posterior_failure(decision->posterior);
}
