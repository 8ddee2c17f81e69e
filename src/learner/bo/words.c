/* SPDX-License-Identifier: Apache-2.0 */
/* Tries every word of a parameter early. A model knows little of an untried word, and its prediction may keep a search
 * from that word for ever.
 *
 * The points of a design take all words in turn. After the design, every second ask tries a new word: it takes the
 * parameters that the acquisition has chosen and replaces the word by the most promising untried one. A new word may
 * break limits, so in problems with limits the model alone chooses. */
#include "learner/bo/bo.h"

#include "base/memory.h"
#include "optim/region.h"
#include "problem/formula/conditions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Counts the word of parameter `d` in one trial if the parameter applies there. */
static void count_word(fcps_conditions *conditions, const double *target, const double *environment,
                       const double *parameters, int d, int *made)
{
  bool applies[FCPS_SPACE_MAX] = {0};
  if (conditions != NULL) {
    fcps_conditions_turn(conditions, target, environment);
    fcps_conditions_find(conditions, parameters, applies);
  }
  if (conditions == NULL || applies[d]) made[(int)parameters[d]]++;
}

/* Counts how often each word of parameter `d` was tried or is under way. */
static fcps_status count_words(const fcps_learner *learner, int d, int words, int *made)
{
  const double none[FCPS_SPACE_MAX] = {0};
  fcps_conditions *conditions;
  memset(made, 0, (size_t)words * sizeof *made);
  const fcps_status status = fcps_conditions_create(&conditions, &learner->problem, none, none, NULL);
  for (int i = 0; i < learner->rollouts.count && status == FCPS_OK; i++) {
    const fcps_rollout r = fcps_rollouts_at(&learner->rollouts, i);
    count_word(conditions, r.target, r.environment, r.parameters, d, made);
  }
  for (int i = 0; i < learner->pending_count && status == FCPS_OK; i++) {
    const fcps_pending *p = &learner->pending[i];
    count_word(conditions, p->target, p->environment, p->parameters, d, made);
  }
  fcps_conditions_destroy(conditions);
  return status;
}

static double place_of(int word, int words)
{
  return (word + 0.5) / words;
}

/* Draws one of the words that were tried least often. */
static int draw_word(const fcps_learner *learner, int d, int words, int64_t id, const int *made)
{
  int least = 0, equal = 0, word = -1;
  for (int w = 1; w < words; w++)
    if (made[w] < made[least]) least = w;
  for (int w = 0; w < words; w++)
    equal += made[w] == made[least];
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, (uint64_t)id);
  rng.index = (uint64_t)(d + 1) << 32; /* a stream of its own, apart from that of the point's numbers */
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
    const fcps_status status = made != NULL ? count_words(learner, d, words, made) : FCPS_ERR_MEMORY;
    if (status == FCPS_OK) x[d] = place_of(draw_word(learner, d, words, id, made), words);
    free(made);
    if (status != FCPS_OK) return status;
  }
  return FCPS_OK;
}

/* Moves x to a point that may be asked for and returns its UCB value, per unit of cost if there is a cost. */
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

/* A word to try, and the best point with it so far. */
typedef struct trial {
  const fcps_decision *decision;
  int d, words, word;
  double *point, *kept, best; /* `point` is scratch */
} trial;

/* Whether t->point still has the word. Constraints may have changed it, and a parameter that does not apply has no
 * effect. */
static bool has_word(const trial *t)
{
  const fcps_region *region = fcps_posterior_region(t->decision->posterior);
  double other[FCPS_SPACE_MAX];
  if (!(fabs(t->point[t->d] - place_of(t->word, t->words)) < 0.5 / t->words)) return false;
  if (region == NULL || region->rest == NULL) return true;
  memcpy(other, t->point, (size_t)t->decision->n * sizeof *other);
  const double changed = other[t->d] = place_of((t->word + 1) % t->words, t->words);
  region->rest(region->user, other);
  return other[t->d] == changed;
}

/* Tries x with the word; if `e` is not negative, also with the word at `place` in coordinate `e`. Keeps the point if it
 * is the best so far. Returns false if x cannot have the word. */
static bool try_at(trial *t, const double *x, int e, double place)
{
  const size_t size = (size_t)t->decision->n * sizeof *x;
  memcpy(t->point, x, size);
  if (e >= 0) t->point[e] = place;
  t->point[t->d] = place_of(t->word, t->words);
  const double worth = worth_of(t->decision, t->point);
  if (!has_word(t)) return false;
  if (!(worth > t->best)) return true;
  t->best = worth;
  memcpy(t->kept, t->point, size);
  return true;
}

/* Gives x the most promising untried word of parameter `d`. If the parameter does not apply at x, one other word is
 * changed so that it does. */
static fcps_status try_word(const fcps_learner *learner, const fcps_decision *decision, int d, int words, int *made,
                            double *points, double *x)
{
  const fcps_dimension *dims = learner->problem.parameters.dims;
  const size_t n = (size_t)decision->n;
  trial t = {decision, d, words, 0, points, points + n, -INFINITY};
  const fcps_status status = count_words(learner, d, words, made);
  for (; t.word < words && status == FCPS_OK; t.word++) {
    if (made[t.word] > 0 || try_at(&t, x, -1, 0.0)) continue;
    for (int e = 0; e < decision->n && dims[d].when != NULL; e++)
      for (int w = 0; dims[e].choices != NULL && e != d && w < dims[e].choices->count; w++)
        (void)try_at(&t, x, e, place_of(w, dims[e].choices->count));
  }
  if (t.best > -INFINITY) memcpy(x, t.kept, n * sizeof *x);
  return status;
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
    fcps_status status = made != NULL && points != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
    if (status == FCPS_OK) status = try_word(learner, decision, d, words, made, points, x);
    free(made);
    free(points);
    if (status != FCPS_OK) return status;
  }
  return fcps_posterior_failure(decision->posterior);
}
