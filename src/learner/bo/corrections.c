/* SPDX-License-Identifier: Apache-2.0 */
/* Corrections of the parameters that an acquisition has chosen: an ask keeps apart from pending ones, and words are
 * tried early.
 *
 * An ask keeps apart from pending asks in the same context. The points that are far enough from these form a region
 * with holes, so the search only compares candidates: in the first round uniform ones and some around the choice, then
 * in each round some nearer to the best candidate.
 *
 * In a well-known context the mean decides, and pending trials do not change the mean: UCB would propose nearly the
 * same parameters again. A least distance, in lengths of the model, needs no setting, and spreads asks along ridges. If
 * only parameters near a pending ask keep the limits, they are proposed again. The first ask in a context never
 * changes. */
#include "learner/bo/bo.h"

#include "base/memory.h"
#include "optim/optim.h"
#include "problem/formula/conditions.h"
#include "problem/limits.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 6, CANDIDATES = FCPS_POSTERIOR_BLOCK };

/* The least distance, in lengths of the model. For a Matern 5/2 kernel, the correlation at a small distance r is 1 -
 * 5/6 r^2. */
static const double least_distance = 0.1;

/* The points to keep away from, and the lengths that measure distances. */
typedef struct neighbours {
  const fcps_space *space;
  const fcps_embedding *embedding; /* that of the parameters */
  double *lengths;                 /* one per feature of the parameters */
  int count;
  double *features; /* rows of features: the pending asks in the same context */
} neighbours;

static bool is_same(int width, const double *a, const double *b)
{
  return width == 0 || memcmp(a, b, (size_t)width * sizeof *a) == 0;
}

/* Finds the shortest length of each feature over all outcomes, because a change of any outcome counts. */
static void find_lengths(const fcps_model *model, double *lengths)
{
  for (int i = 0; i < model->layout.parameters.width; i++) {
    lengths[i] = INFINITY;
    for (int g = 0; g < fcps_model_gp_count(model); g++)
      lengths[i] = fmin(lengths[i], exp(fcps_model_gp(model, g)->hyper[model->layout.context.width + i]));
  }
}

static fcps_status find_neighbours(const fcps_learner *learner, const double *target, const double *environment,
                                   neighbours *n)
{
  const fcps_problem *p = &learner->problem;
  const fcps_bo *b = learner->state;
  const fcps_model *model = fcps_model_side(b->model, 0);
  const size_t width = (size_t)model->layout.parameters.width;
  double x[FCPS_SPACE_MAX];
  *n = (neighbours){.space = &p->parameters, .embedding = &model->layout.parameters};
  n->lengths = fcps_allocate(width * ((size_t)learner->pending_count + 1), sizeof *n->lengths);
  if (n->lengths == NULL) return FCPS_ERR_MEMORY;
  n->features = n->lengths + width;
  find_lengths(model, n->lengths);
  for (int i = 0; i < learner->pending_count; i++) {
    const fcps_pending *pending = learner->pending + i;
    if (!is_same(p->target.count, pending->target, target) ||
        !is_same(p->environment.count, pending->environment, environment))
      continue;
    fcps_space_to_unit(&p->parameters, pending->parameters, x);
    fcps_embed(n->embedding, x, n->features + (size_t)n->count++ * width);
  }
  return FCPS_OK;
}

/* Whether x is far enough from all neighbours. `features` is scratch. */
static bool is_apart(const neighbours *n, const double *x, double *features)
{
  const int width = n->embedding->width;
  fcps_embed(n->embedding, x, features);
  for (int i = 0; i < n->count; i++) {
    double squares = 0.0;
    for (int d = 0; d < width; d++) {
      const double step = (features[d] - n->features[i * width + d]) / n->lengths[d];
      squares += step * step;
    }
    if (squares < least_distance * least_distance) return false;
  }
  return true;
}

/* Draws candidates of a round (rows) that are apart and keep the constraints, with integers rounded. Half of those in
 * the first round are uniform. Returns their number. */
static int draw_candidates(const neighbours *n, const fcps_region *region, int round, const double *centre,
                           fcps_rng *rng, double *rows)
{
  const int dims = n->space->count;
  const double reach = 0.5 * pow(0.5, round); /* in ranges of a parameter */
  double x[FCPS_SPACE_MAX], parameters[FCPS_SPACE_MAX], features[2 * FCPS_SPACE_MAX];
  int count = 0;
  for (int c = 0; c < CANDIDATES; c++) {
    const bool is_uniform = round == 0 && c % 2 == 0;
    for (int d = 0; d < dims; d++) {
      const double draw = is_uniform ? fcps_rng_uniform(rng) : centre[d] + reach * fcps_rng_normal(rng);
      x[d] = fmin(fmax(draw, 0.0), 1.0);
    }
    fcps_space_from_unit(n->space, x, parameters);
    fcps_space_to_unit(n->space, parameters, x);
    fcps_region_settle_all(region, dims, 1, x);
    if (is_apart(n, x, features)) memcpy(rows + (size_t)count++ * (size_t)dims, x, (size_t)dims * sizeof *x);
  }
  return count;
}

/* Finds the best candidate by UCB, round by round. `room` has space for the candidates and their moments. */
static fcps_status search(const fcps_decision *decision, const neighbours *n, fcps_rng rng, double *room, double *x)
{
  const size_t dims = (size_t)n->space->count;
  const double kappa = fcps_acquisition_kappa(decision->settings, decision->posterior);
  double *mean = room + CANDIDATES * dims, *deviation = mean + CANDIDATES;
  double centre[FCPS_SPACE_MAX], best = -INFINITY;
  memcpy(centre, x, dims * sizeof *x);
  for (int round = 0; round < ROUNDS; round++) {
    const int count = draw_candidates(n, fcps_posterior_region(decision->posterior), round, centre, &rng, room);
    if (count > 0) fcps_posterior_moments(decision->posterior, count, room, mean, deviation);
    for (int c = 0; c < count; c++)
      mean[c] += kappa * deviation[c];
    fcps_acquisition_price_bounds(decision, count, room, mean);
    for (int c = 0; c < count; c++) {
      if (!(mean[c] > best)) continue;
      best = mean[c];
      memcpy(x, room + (size_t)c * dims, dims * sizeof *x);
    }
    memcpy(centre, x, dims * sizeof *x);
  }
  return fcps_posterior_failure(decision->posterior);
}

fcps_status fcps_bo_keep_apart(const fcps_learner *learner, const fcps_decision *decision, const double *target,
                               const double *environment, double *x)
{
  neighbours n = {0};
  double features[2 * FCPS_SPACE_MAX], near[FCPS_SPACE_MAX];
  if (learner->pending_count == 0) return FCPS_OK;
  fcps_status status = find_neighbours(learner, target, environment, &n);
  if (status == FCPS_OK && !is_apart(&n, x, features)) {
    double *room = fcps_allocate(CANDIDATES * ((size_t)n.space->count + 2), sizeof *room);
    memcpy(near, x, (size_t)n.space->count * sizeof *x);
    status = room != NULL ? search(decision, &n, decision->rng, room, x) : FCPS_ERR_MEMORY;
    if (status == FCPS_OK && fcps_posterior_slack(decision->posterior, x) < 0.0 &&
        fcps_posterior_slack(decision->posterior, near) >= 0.0)
      memcpy(x, near, (size_t)n.space->count * sizeof *x);
    free(room);
  }
  free(n.lengths);
  return status;
}

/* -- Words --
 *
 * Tries every word of a parameter early. A model knows little about an untried word, and its prediction may keep
 * searches away from the word for ever.
 *
 * The points of a design take all words in turn. After the design, every second ask tries a new word: it takes the
 * parameters that the acquisition has chosen and replaces the word by the most promising untried one.
 *
 * In problems with limits, the chance that a new word keeps them is not known. Without declared safe trials the first
 * trial of a word is therefore blind, like the first trials of a study: it takes the word and the parameters that keep
 * the limits most surely. So each word breaks a limit at most once before the model knows the word. With safe trials,
 * or if asks must not be blind, no word is tried blindly. */

/* Counts the word of parameter `d` in a trial, unless the parameter does not apply in that trial. */
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

/* Counts how often each word of parameter `d` was tried or is pending. */
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
  rng.index = (uint64_t)(d + 1) << 32; /* a stream of its own, because the point's numbers use another part */
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

static bool has_limits(const fcps_decision *decision)
{
  return fcps_posterior_model(decision->posterior)->problem->limit_count > 0;
}

/* Moves x to a point that keeps the constraints. Returns its UCB value, per unit of cost if there is a cost; with
 * limits, returns how surely the point keeps them. */
static double worth_of(const fcps_decision *decision, double *x)
{
  const fcps_region *region = fcps_posterior_region(decision->posterior);
  double mean, deviation;
  fcps_region_settle_all(region, decision->n, 1, x);
  if (has_limits(decision)) return fcps_posterior_slack(decision->posterior, x);
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

/* Whether t->point still has the word to try: constraints may have changed it, and it has no effect if the parameter
 * does not apply. */
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

/* Tries x with the word and, if `e` is not negative, with another word, at `place` in coordinate `e`. Stores the point
 * if it is the best so far. Returns false if x cannot have the word. */
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

/* Tries the word with the parameters of every trial, if there are limits. */
static void try_at_trials(const fcps_learner *learner, trial *t)
{
  double x[FCPS_SPACE_MAX];
  for (int i = 0; i < learner->rollouts.count && has_limits(t->decision); i++) {
    fcps_space_to_unit(&learner->problem.parameters, fcps_rollouts_parameters(&learner->rollouts, i), x);
    (void)try_at(t, x, -1, 0.0);
  }
}

/* Gives x the most promising untried word of parameter `d`. If the parameter does not apply at x, changes one other
 * word so that it applies. */
static fcps_status try_word(const fcps_learner *learner, const fcps_decision *decision, int d, int words, int *made,
                            double *points, double *x, bool *has_tried)
{
  const fcps_dimension *dims = learner->problem.parameters.dims;
  const size_t n = (size_t)decision->n;
  trial t = {decision, d, words, 0, points, points + n, -INFINITY};
  const fcps_status status = count_words(learner, d, words, made);
  for (; t.word < words && status == FCPS_OK; t.word++) {
    if (made[t.word] > 0) continue;
    try_at_trials(learner, &t);
    if (try_at(&t, x, -1, 0.0)) continue;
    for (int e = 0; e < decision->n && dims[d].when != NULL; e++)
      for (int w = 0; dims[e].choices != NULL && e != d && w < dims[e].choices->count; w++)
        (void)try_at(&t, x, e, place_of(w, dims[e].choices->count));
  }
  *has_tried = t.best > -INFINITY;
  if (*has_tried) memcpy(x, t.kept, n * sizeof *x);
  return status;
}

fcps_status fcps_bo_try_words(const fcps_learner *learner, const fcps_decision *decision, int64_t id, double *x)
{
  const fcps_space *space = &learner->problem.parameters;
  const size_t n = (size_t)space->count;
  const bool is_limited = learner->problem.limit_count > 0;
  bool has_tried = false;
  if (id % 2 != 0 || (is_limited && (learner->problem.safe_count > 0 || learner->is_strict))) return FCPS_OK;
  for (int d = 0; d < space->count && !(is_limited && has_tried); d++) {
    const int words = space->dims[d].choices != NULL ? space->dims[d].choices->count : 0;
    if (words == 0) continue;
    int *made = fcps_allocate((size_t)words, sizeof *made);
    double *points = fcps_allocate(2 * n, sizeof *points);
    fcps_status status = made != NULL && points != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
    if (status == FCPS_OK) status = try_word(learner, decision, d, words, made, points, x, &has_tried);
    free(made);
    free(points);
    if (status != FCPS_OK) return status;
  }
  return fcps_posterior_failure(decision->posterior);
}

/* -- Safe trials that were never done --
 *
 * The model cannot know the chance of a word without a result, and it never goes to a safe trial that lies far from all
 * results. So every other ask takes a safe trial that was never done, also if it was declared after the design. (Not
 * every ask, because a trial may be told with other parameters.) If all words of a safe trial have results, the model
 * is believed if it expects that the trial breaks a limit; and an ask that must be sure believes it in any case. */

static bool has_new_word(const fcps_learner *learner, const double *parameters)
{
  const fcps_space *space = &learner->problem.parameters;
  for (int d = 0; d < space->count; d++) {
    bool is_new = space->dims[d].choices != NULL;
    for (int i = 0; i < learner->rollouts.count && is_new; i++)
      is_new = fcps_rollouts_parameters(&learner->rollouts, i)[d] != parameters[d];
    if (is_new) return true;
  }
  return false;
}

static bool is_believed(const fcps_learner *learner, fcps_posterior *posterior, fcps_rollout *tried, const double *x)
{
  double outcome[FCPS_SPACE_MAX], deviation[FCPS_SPACE_MAX];
  if (has_new_word(learner, tried->parameters)) return true;
  if (learner->is_strict) return fcps_posterior_slack(posterior, x) >= 0.0;
  tried->outcome = fcps_posterior_outcome(posterior, x, outcome, deviation) ? outcome : NULL;
  return tried->outcome == NULL || !fcps_problem_limits_broken(&learner->problem, tried);
}

fcps_status fcps_bo_take_safe(const fcps_learner *learner, int64_t id, const double *target, const double *environment,
                              double *x, bool *is_safe, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  const fcps_problem *p = &learner->problem;
  fcps_posterior *posterior = NULL;
  double place[FCPS_SPACE_MAX];
  int at = -1;
  *is_safe = false;
  if (p->limit_count == 0 || p->safe_count == 0 || id % 2 != 0) return FCPS_OK;
  fcps_status status = fcps_design_next_safe(learner, target, environment, &at, error);
  if (at >= 0) status = fcps_posterior_create(&posterior, b->model, target, environment, error);
  while (at >= 0 && status == FCPS_OK && !*is_safe) {
    fcps_rollout tried = {.target = target, .environment = environment, .parameters = p->safe[at].parameters};
    fcps_space_to_unit(&p->parameters, tried.parameters, place);
    *is_safe = is_believed(learner, posterior, &tried, place);
    if (!*is_safe) status = fcps_design_next_safe(learner, target, environment, &at, error);
  }
  if (*is_safe) memcpy(x, place, (size_t)p->parameters.count * sizeof *x);
  if (status == FCPS_OK && posterior != NULL) status = fcps_posterior_failure(posterior);
  fcps_posterior_destroy(posterior);
  return status;
}

/* -- Words that may be better than they seem -- */

/* A word whose first trials had poor numbers seems poor, and UCB with a small kappa does not come back to it. So the
 * other asks choose the word with a larger kappa, which grows with the results. The numbers keep their own kappa: if
 * they were explored as widely, too few trials would be near the best parameters. */

/* The candidates with one word: the choice itself, points drawn at random, and half as many parameters of trials; with
 * limits, of the latest trials with this word, because others may not keep them with it. All words together have about
 * MOST candidates, but a word has at most LARGEST and at least SMALLEST. */
enum { MOST = 600, LARGEST = 192, SMALLEST = 12 };

typedef struct comparison {
  double *rows, *bounds, *wide, *deviations; /* of the candidates: parameters, two upper bounds, deviations */
  int size, count;
} comparison;

static fcps_status open_comparison(const fcps_space *space, comparison *c)
{
  int words = 0;
  for (int d = 0; d < space->count; d++)
    words += space->dims[d].choices != NULL ? space->dims[d].choices->count : 0;
  *c = (comparison){0};
  if (words == 0) return FCPS_OK;
  c->size = MOST / words > LARGEST ? LARGEST : MOST / words < SMALLEST ? SMALLEST : MOST / words;
  c->rows = fcps_allocate((size_t)c->size * ((size_t)space->count + 3), sizeof *c->rows);
  if (c->rows == NULL) return FCPS_ERR_MEMORY;
  c->bounds = c->rows + c->size * space->count;
  c->wide = c->bounds + c->size;
  c->deviations = c->wide + c->size;
  return FCPS_OK;
}

/* Returns the kappa by which words are chosen. It grows with the logarithm of the results per parameter. */
static double kappa_of_words(const fcps_learner *learner, double kappa)
{
  return kappa * (1.0 + log(fmax(1.0, (double)learner->rollouts.count / learner->problem.parameters.count)));
}

/* Writes the parameters of at most `most` trials in the unit cube; returns how many there are. */
static int lay_trials(const fcps_learner *learner, const trial *t, int most, double *rows)
{
  const fcps_space *space = &learner->problem.parameters;
  const int all = learner->rollouts.count;
  int count = 0;
  if (!has_limits(t->decision)) {
    for (; count < (all < most ? all : most); count++)
      fcps_space_to_unit(
          space, fcps_rollouts_parameters(&learner->rollouts, (int)((int64_t)count * all / (all < most ? all : most))),
          rows + count * space->count);
    return count;
  }
  for (int i = all - 1; i >= 0 && count < most; i--) {
    const double *parameters = fcps_rollouts_parameters(&learner->rollouts, i);
    if ((int)parameters[t->d] == t->word) fcps_space_to_unit(space, parameters, rows + count++ * space->count);
  }
  return count;
}

/* Writes the candidates with word t->word of parameter t->d, and their upper bounds with both kappas. The other words
 * are those of x. */
static void lay_candidates(const fcps_learner *learner, trial *t, int64_t id, const double *x, comparison *c)
{
  const fcps_space *space = &learner->problem.parameters;
  const int n = space->count, drawn = c->size - 1 - c->size / 3;
  const double kappa = fcps_acquisition_kappa(t->decision->settings, t->decision->posterior);
  const double wide = kappa_of_words(learner, kappa);
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, (uint64_t)id);
  rng.index = (uint64_t)(FCPS_SPACE_MAX + t->d + 1) << 32; /* every word gets the same random numbers */
  memcpy(c->rows, x, (size_t)n * sizeof *x);
  fcps_points_uniform(&rng, n, drawn, c->rows + n);
  const int tried = lay_trials(learner, t, c->size / 3, c->rows + (1 + drawn) * n);
  c->count = has_limits(t->decision) && tried == 0 ? 0 : 1 + drawn + tried;
  for (int i = 0; i < c->count; i++)
    for (int d = 0; d < n; d++)
      if (space->dims[d].choices != NULL) c->rows[i * n + d] = d == t->d ? place_of(t->word, t->words) : x[d];
  fcps_region_settle_all(fcps_posterior_region(t->decision->posterior), n, c->count, c->rows);
  fcps_posterior_moments(t->decision->posterior, c->count, c->rows, c->bounds, c->deviations);
  for (int i = 0; i < c->count; i++) {
    c->wide[i] = c->bounds[i] + wide * c->deviations[i];
    c->bounds[i] += kappa * c->deviations[i];
  }
  fcps_acquisition_price_bounds(t->decision, c->count, c->rows, c->wide);
  fcps_acquisition_price_bounds(t->decision, c->count, c->rows, c->bounds);
}

static bool keeps_limits(const fcps_decision *decision, const double *x)
{
  return !has_limits(decision) || fcps_posterior_slack(decision->posterior, x) >= 0.0;
}

/* Returns the index of the best candidate that has the word and keeps the limits; -1 if there is none. With limits, a
 * word without a result has none. */
static int best_candidate(trial *t, const comparison *c)
{
  int best = -1;
  for (int i = 0; i < c->count; i++) {
    memcpy(t->point, c->rows + i * t->decision->n, (size_t)t->decision->n * sizeof *t->point);
    if ((best < 0 || c->bounds[i] > c->bounds[best]) && has_word(t) && keeps_limits(t->decision, t->point)) best = i;
  }
  return best;
}

/* Gives x the word of parameter `d` with the largest upper bound. */
static fcps_status choose_word(const fcps_learner *learner, const fcps_decision *decision, int d, int64_t id,
                               comparison *c, double *x)
{
  const size_t n = (size_t)decision->n;
  double points[2 * FCPS_SPACE_MAX], other[FCPS_SPACE_MAX];
  trial t = {decision, d, learner->problem.parameters.dims[d].choices->count, 0, points, points + n, -INFINITY};
  int chosen = -1;
  for (; t.word < t.words; t.word++) {
    lay_candidates(learner, &t, id, x, c);
    const int i = best_candidate(&t, c);
    if (i < 0 || !(c->wide[i] > t.best)) continue;
    t.best = c->wide[i];
    chosen = t.word;
    memcpy(t.kept, c->rows + (size_t)i * n, n * sizeof *x);
  }
  t.word = chosen;
  memcpy(t.point, x, n * sizeof *x);
  if (chosen < 0 || has_word(&t)) return fcps_posterior_failure(decision->posterior);
  lay_candidates(learner, &t, id, x, c);
  memcpy(other, t.kept, n * sizeof *x);
  const fcps_status status =
      fcps_acquisition_climb(decision, &(fcps_scored_points){c->count, c->rows, c->bounds}, other);
  memcpy(t.point, other, n * sizeof *x);
  memcpy(x, has_word(&t) && keeps_limits(decision, other) ? other : t.kept, n * sizeof *x);
  return status;
}

fcps_status fcps_bo_choose_words(const fcps_learner *learner, const fcps_decision *decision, int64_t id, double *x)
{
  const fcps_space *space = &learner->problem.parameters;
  comparison c;
  if (id % 2 == 0) return FCPS_OK;
  fcps_status status = open_comparison(space, &c);
  for (int d = 0; d < space->count && status == FCPS_OK && c.size > 0; d++)
    if (space->dims[d].choices != NULL) status = choose_word(learner, decision, d, id, &c, x);
  free(c.rows);
  return status;
}
