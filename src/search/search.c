/* SPDX-License-Identifier: Apache-2.0 */
/* Searches of the unit cube, in two layers. The lower layer (fcps_search_maximize) maximizes any objective, in the
 * cube or in a box. The upper layer (fcps_search_moments) makes an objective from a posterior and a function of its
 * moments: it computes moments in batches, screens candidates by cheap bounds, and finds gradients by the chain
 * rule. Acquisitions and policies supply this function.
 *
 * Invariants: draws only come from the given stream. The answer lies in the cube, with integers on their levels. If a
 * callback of the posterior failed, the search fails. */
#include "search/search.h"

#include "base/memory.h"
#include "base/settings.h"
#include "optim/optim.h"
#include "space/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *fcps_search_kind_name(int index)
{
  static const char *const names[] = {[FCPS_SEARCH_MULTISTART] = "multistart", [FCPS_SEARCH_DIRECT] = "direct"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

/* -- Any objective, in the cube or in a box -- */

/* An objective restricted to a box in the cube; its points are fractions of the box's sides. */
typedef struct boxed {
  const fcps_objective *objective;
  double *lower, *length; /* lower ends and lengths of the sides */
  double *points;         /* room for the largest batch */
} boxed;

static void leave_box(const boxed *b, int count, const double *fractions)
{
  const int n = b->objective->n;
  for (int i = 0; i < count * n; i++) {
    const int d = i % n;
    const double x = b->lower[d] + fractions[i] * b->length[d];
    b->points[i] = b->objective->wraps != NULL && b->objective->wraps[d] ? x - floor(x) : x;
  }
}

static void boxed_batch(void *user, int n, int count, const double *points, double *values)
{
  const boxed *b = user;
  leave_box(b, count, points);
  b->objective->batch(b->objective->user, n, count, b->points, values);
}

static void boxed_slopes(void *user, int n, int count, const double *points, double *values, double *gradients)
{
  const boxed *b = user;
  leave_box(b, count, points);
  b->objective->slopes(b->objective->user, n, count, b->points, values, gradients);
  for (int i = 0; i < count * n; i++)
    gradients[i] *= b->length[i % n];
}

static double boxed_value(void *user, int n, const double *x, double *gradient)
{
  const boxed *b = user;
  leave_box(b, 1, x);
  const double value = b->objective->value(b->objective->user, n, b->points, gradient);
  for (int d = 0; d < n && gradient != NULL; d++)
    gradient[d] *= b->length[d];
  return value;
}

/* Sets the box around the centre and cuts it off at the faces of the cube, except along periodic dimensions. Along
 * integers the box includes the next level on both sides. */
static void set_box(const fcps_search_settings *settings, boxed *b)
{
  for (int d = 0; d < b->objective->n; d++) {
    const bool wraps = b->objective->wraps != NULL && b->objective->wraps[d];
    const double levels = b->objective->levels != NULL ? b->objective->levels[d] : 0.0;
    const double centre = settings->centre[d];
    double half = fmax(0.5 * settings->side, levels > 0.0 ? 1.0 / levels : 0.0);
    if (levels < 0.0) half = 1.0; /* words have no order, so the box includes all of them */
    const double low = wraps ? centre - fmin(half, 0.5) : fmax(centre - half, 0.0);
    const double high = wraps ? centre + fmin(half, 0.5) : fmin(centre + half, 1.0);
    b->lower[d] = low;
    b->length[d] = high - low;
  }
}

/* Returns the most points that one call evaluates: all candidates, or all changes of a single word. */
static size_t largest_batch(const fcps_search_settings *settings, const fcps_objective *objective)
{
  const int words = fcps_words_changes(objective->n, objective->levels);
  return (size_t)(words > settings->candidates ? words : settings->candidates);
}

/* Makes `inside` the objective restricted to the box. The caller frees b->lower, also after a failure. */
static fcps_status enter_box(const fcps_search_settings *settings, const fcps_objective *objective, boxed *b,
                             fcps_objective *inside)
{
  const size_t n = (size_t)objective->n, most = largest_batch(settings, objective);
  *b = (boxed){.objective = objective, .lower = fcps_allocate(2 * n + n * most, sizeof(double))};
  if (b->lower == NULL) return FCPS_ERR_MEMORY;
  b->length = b->lower + n;
  b->points = b->length + n;
  set_box(settings, b);
  *inside = (fcps_objective){.n = objective->n,
                             .levels = objective->levels,
                             .value = boxed_value,
                             .batch = boxed_batch,
                             .slopes = objective->slopes != NULL ? boxed_slopes : NULL,
                             .value_scale = objective->value_scale,
                             .user = b};
  return FCPS_OK;
}

/* Draws the candidates of multistart, which the caller frees. Returns NULL if memory runs out, and for DIRECT, which
 * makes its own points. */
static double *draw_candidates(const fcps_search_settings *settings, const fcps_objective *objective, fcps_rng rng)
{
  if (settings->kind == FCPS_SEARCH_DIRECT) return NULL;
  double *candidates = fcps_allocate((size_t)settings->candidates * (size_t)objective->n, sizeof(double));
  if (candidates == NULL) return NULL;
  fcps_points_uniform(&rng, objective->n, settings->candidates, candidates);
  fcps_words_spread(objective->n, objective->levels, objective->region, settings->candidates, candidates);
  if (settings->centre == NULL) fcps_region_fill(objective->region, &rng, settings->candidates, candidates);
  return candidates;
}

/* Wraps the objective by price, region and box, maximizes it, and rounds integers to their levels. */
fcps_status fcps_search_maximize(const fcps_search_settings *settings, const fcps_objective *objective, fcps_rng rng,
                                 double *x, fcps_optimum *optimum)
{
  boxed box = {0};
  fcps_priced priced;
  fcps_region_search region;
  fcps_objective worth, within, inside;
  fcps_status status = fcps_price_enter(settings->price, objective, &priced, &worth);
  if (status != FCPS_OK) return status;
  objective = &worth;
  status = fcps_region_enter(objective, NULL, settings->candidates, &region, &within);
  inside = within;
  if (status == FCPS_OK && settings->centre != NULL) status = enter_box(settings, &within, &box, &inside);
  double *candidates = status == FCPS_OK ? draw_candidates(settings, objective, rng) : NULL;
  if (status == FCPS_OK && settings->kind == FCPS_SEARCH_DIRECT)
    status = fcps_direct_lbfgsb_maximize(&inside, settings->candidates, settings->local_budget, x, optimum);
  else if (status == FCPS_OK && candidates != NULL)
    status = fcps_multistart_maximize(&inside, settings->candidates, candidates, settings->starts,
                                      settings->local_budget, x, optimum);
  else if (status == FCPS_OK)
    status = FCPS_ERR_MEMORY;
  if (status == FCPS_OK && settings->centre != NULL) {
    leave_box(&box, 1, x);
    memcpy(x, box.points, (size_t)objective->n * sizeof(double));
  }
  fcps_region_leave(&region, x);
  free(candidates);
  free(box.lower);
  if (status == FCPS_OK) status = fcps_levels_settle(objective, settings->local_budget, x, optimum);
  fcps_price_leave(&priced);
  return status;
}

/* -- A function of a posterior's moments -- */

static double value_of_mean(const void *user, double mean, double deviation, double *by_mean, double *by_deviation)
{
  (void)user, (void)deviation;
  *by_mean = 1.0;
  *by_deviation = 0.0;
  return mean;
}

const fcps_moment_objective fcps_moment_objective_mean = {.value = value_of_mean, .needs_deviation = false};

/* The number of candidates in one call for exact values, and of points in one call for gradients. */
enum { SCREEN_BLOCK = 32, SLOPES = 8 };

typedef struct moment_search {
  fcps_posterior *posterior;
  const fcps_moment_objective *objective;
  double *scratch; /* room for deviations: of all candidates, or of SLOPES points with gradients */
  double *block;   /* room for SCREEN_BLOCK candidates with their values and deviations */
  bool may_screen; /* false with a price, because bounds do not order values that are divided by costs */
  fcps_bound_screening screening;
} moment_search;

/* Replaces means by values of the objective. `deviations` is read only if the objective needs it. */
static void apply(const fcps_moment_objective *objective, int count, double *values, const double *deviations)
{
  double by_mean, by_deviation;
  for (int i = 0; i < count; i++)
    values[i] = objective->value(objective->user, values[i], objective->needs_deviation ? deviations[i] : 0.0, &by_mean,
                                 &by_deviation);
}

static void exact_values(const moment_search *s, int count, const double *points, double *values, double *deviations)
{
  fcps_posterior_moments(s->posterior, count, points, values, s->objective->needs_deviation ? deviations : NULL);
  apply(s->objective, count, values, deviations);
}

/* Replaces the upper bounds of the best candidates by exact values. */
static void make_best_exact(moment_search *s, int n, int count, const double *points, double *values)
{
  double *chosen = s->block, *exact = chosen + (size_t)SCREEN_BLOCK * (size_t)n;
  int block, which[SCREEN_BLOCK];
  fcps_bound_screening_begin(&s->screening, count, values);
  while ((block = fcps_bound_screening_next(&s->screening, SCREEN_BLOCK, which)) > 0) {
    for (int i = 0; i < block; i++)
      memcpy(chosen + i * n, points + (size_t)which[i] * (size_t)n, (size_t)n * sizeof(double));
    exact_values(s, block, chosen, exact, exact + SCREEN_BLOCK);
    for (int i = 0; i < block; i++)
      fcps_bound_screening_tell(&s->screening, which[i], exact[i]);
  }
}

/* Computes values of candidates. Values grow with the deviation, so upper bounds of deviations give upper bounds of
 * values, and only the candidates that may be the best need exact values. */
static void candidate_values(void *user, int n, int count, const double *points, double *values)
{
  moment_search *s = user;
  if (s->may_screen && fcps_posterior_bound(s->posterior, count, points, values, s->scratch)) {
    apply(s->objective, count, values, s->scratch);
    make_best_exact(s, n, count, points, values);
  } else {
    exact_values(s, count, points, values, s->scratch);
  }
}

/* Computes values and gradients: that of a(m, d) is a_m grad m + a_d grad d. */
static void values_and_gradients(void *user, int n, int count, const double *points, double *values, double *gradients)
{
  const moment_search *s = user;
  const fcps_moment_objective *objective = s->objective;
  const bool has_deviation = objective->needs_deviation;
  double *deviations = s->scratch, *deviation_gradients = deviations + SLOPES;
  for (int start = 0; start < count; start += SLOPES) {
    const int block = count - start < SLOPES ? count - start : SLOPES;
    const size_t first = (size_t)start * (size_t)n;
    fcps_posterior_gradients(s->posterior, block, points + first, values + start, has_deviation ? deviations : NULL,
                             gradients + first, has_deviation ? deviation_gradients : NULL);
    for (int i = 0; i < block; i++) {
      double by_mean, by_deviation, *value = values + start + i, *gradient = gradients + first + (size_t)(i * n);
      *value = objective->value(objective->user, *value, has_deviation ? deviations[i] : 0.0, &by_mean, &by_deviation);
      for (int d = 0; d < n; d++)
        gradient[d] = has_deviation ? by_mean * gradient[d] + by_deviation * deviation_gradients[i * n + d]
                                    : by_mean * gradient[d];
    }
  }
}

static double value_and_gradient(void *user, int n, const double *x, double *gradient)
{
  const moment_search *s = user;
  double value;
  if (gradient != NULL)
    values_and_gradients(user, n, 1, x, &value, gradient);
  else
    exact_values(s, 1, x, &value, s->scratch);
  return value;
}

static double *allocate_scratch(int n, size_t candidates)
{
  const size_t slopes = SLOPES * ((size_t)n + 1);
  return fcps_allocate(candidates > slopes ? candidates : slopes, sizeof(double));
}

/* Allocates scratch for `candidates` candidates of n parameters. */
static bool reserve(moment_search *s, int n, size_t candidates)
{
  s->scratch = allocate_scratch(n, candidates);
  s->block = fcps_allocate(SCREEN_BLOCK * ((size_t)n + 2), sizeof *s->block);
  const bool screens = s->may_screen && fcps_posterior_has_bound(s->posterior);
  return s->scratch != NULL && s->block != NULL &&
         (!screens || fcps_bound_screening_create(&s->screening, (int)candidates) == FCPS_OK);
}

static void release(moment_search *s)
{
  free(s->scratch);
  free(s->block);
  fcps_bound_screening_destroy(&s->screening);
}

static fcps_objective make_objective(moment_search *s)
{
  return (fcps_objective){.n = fcps_posterior_model(s->posterior)->layout.parameters.count,
                          .value = value_and_gradient,
                          .batch = candidate_values,
                          .slopes = values_and_gradients,
                          .wraps = fcps_posterior_wraps(s->posterior),
                          .levels = fcps_posterior_levels(s->posterior),
                          .region = fcps_posterior_region(s->posterior),
                          .value_scale = fcps_posterior_value_scale(s->posterior),
                          .user = s};
}

fcps_status fcps_search_moments(fcps_posterior *posterior, const fcps_moment_objective *objective,
                                const fcps_search_settings *settings, fcps_rng rng, double *x, fcps_optimum *optimum)
{
  moment_search s = {.posterior = posterior,
                     .objective = objective,
                     .may_screen = objective->needs_deviation && settings->price == NULL};
  const fcps_objective all = make_objective(&s);
  fcps_status status = FCPS_ERR_MEMORY;
  if (reserve(&s, all.n, largest_batch(settings, &all))) status = fcps_search_maximize(settings, &all, rng, x, optimum);
  release(&s);
  return status == FCPS_OK ? fcps_posterior_failure(posterior) : status;
}

fcps_status fcps_search_moments_from(fcps_posterior *posterior, const fcps_moment_objective *objective,
                                     const fcps_search_settings *settings, const fcps_scored_points *candidates,
                                     double *x, fcps_optimum *optimum)
{
  moment_search s = {.posterior = posterior, .objective = objective};
  fcps_objective local = make_objective(&s);
  local.batch = NULL; /* not needed: the values of the candidates are known */
  s.scratch = allocate_scratch(local.n, 0);
  if (s.scratch == NULL) return FCPS_ERR_MEMORY;
  fcps_region_search region;
  fcps_objective inside;
  fcps_status status = fcps_region_enter(&local, NULL, SLOPES, &region, &inside);
  if (status == FCPS_OK)
    status = fcps_multistart_refine(&inside, candidates, settings->starts, settings->local_budget, x, optimum);
  fcps_region_leave(&region, x);
  if (status == FCPS_OK) status = fcps_levels_settle(&local, settings->local_budget, x, optimum);
  if (status == FCPS_OK && !settings->is_rough) status = fcps_climb_on(&local, settings->local_budget, x, optimum);
  free(s.scratch);
  return status == FCPS_OK ? fcps_posterior_failure(posterior) : status;
}

/* -- Screening -- */

/* Screening by bounds keeps a heap of candidates, the largest bound first, and a list of the best exact values so
 * far. */

fcps_status fcps_bound_screening_create(fcps_bound_screening *screening, int candidates)
{
  screening->heap = fcps_allocate((size_t)candidates, sizeof *screening->heap);
  return screening->heap != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
}

void fcps_bound_screening_destroy(fcps_bound_screening *screening)
{
  free(screening->heap);
  *screening = (fcps_bound_screening){0};
}

/* Whether candidate a comes before b. Candidates with equal values keep their order, so that the result does not depend
 * on the sorting. */
static bool is_before(const fcps_bound_screening *s, int a, int b)
{
  return s->values[a] > s->values[b] || (s->values[a] == s->values[b] && a < b);
}

/* Restores the order of the heap: the candidate at `node` sinks until neither child comes before it. */
static void sink(fcps_bound_screening *s, int node)
{
  const int candidate = s->heap[node];
  for (int child; (child = 2 * node + 1) < s->left; node = child) {
    if (child + 1 < s->left && is_before(s, s->heap[child + 1], s->heap[child])) child++;
    if (!is_before(s, s->heap[child], candidate)) break;
    s->heap[node] = s->heap[child];
  }
  s->heap[node] = candidate;
}

void fcps_bound_screening_begin(fcps_bound_screening *screening, int count, double *bounds)
{
  screening->values = bounds;
  screening->left = count;
  for (int i = 0; i < count; i++)
    screening->heap[i] = i;
  for (int i = count / 2 - 1; i >= 0; i--)
    sink(screening, i);
  for (int i = 0; i < FCPS_BOUND_SCREENING_BEST; i++)
    screening->best[i] = -INFINITY;
}

int fcps_bound_screening_next(fcps_bound_screening *screening, int most, int *chosen)
{
  if (screening->left == 0 || !(screening->values[screening->heap[0]] > screening->best[FCPS_BOUND_SCREENING_BEST - 1]))
    return 0;
  int count = 0;
  while (count < most && screening->left > 0) {
    chosen[count++] = screening->heap[0];
    screening->heap[0] = screening->heap[--screening->left];
    if (screening->left > 0) sink(screening, 0);
  }
  return count;
}

void fcps_bound_screening_tell(fcps_bound_screening *screening, int candidate, double exact)
{
  int rank = FCPS_BOUND_SCREENING_BEST - 1;
  screening->values[candidate] = exact;
  if (!(exact > screening->best[rank])) return;
  for (; rank > 0 && screening->best[rank - 1] < exact; rank--)
    screening->best[rank] = screening->best[rank - 1];
  screening->best[rank] = exact;
}

/* -- Prices -- */

/* The value per unit of cost is w = (v - floor)/c if the value v is above the floor, else v - floor. At the floor w is
 * continuous and has a kink. If the cost c at a point is not usable, the point is worth 0; an ask for such a point is
 * refused with the reason. */

static double price_of(const fcps_price *price, const double *x, double value, double *cost)
{
  const double gain = value - price->floor;
  *cost = 1.0;
  if (!(gain > 0.0)) return gain;
  *cost = fcps_cost_at(price->cost, x);
  return isnan(*cost) ? 0.0 : gain / *cost;
}

void fcps_price_apply(const fcps_price *price, int n, int count, const double *x, double *values)
{
  double cost;
  for (int i = 0; i < count && price != NULL; i++)
    values[i] = price_of(price, x + (size_t)i * (size_t)n, values[i], &cost);
}

/* Computes w and its gradient: grad w = (grad v - w grad c)/c. */
static void price_slope(const fcps_priced *p, const double *x, double *value, double *gradient)
{
  double cost;
  *value = price_of(p->price, x, *value, &cost);
  if (!(*value > 0.0) && !isnan(cost)) return; /* below the floor w has the gradient of v */
  if (!isnan(cost)) fcps_cost_gradient(p->price->cost, x, p->slope);
  for (int d = 0; d < p->objective->n; d++)
    gradient[d] = isnan(cost) ? 0.0 : (gradient[d] - *value * p->slope[d]) / cost;
}

static double priced_value(void *user, int n, const double *x, double *gradient)
{
  const fcps_priced *p = user;
  double value = p->objective->value(p->objective->user, n, x, gradient);
  if (gradient != NULL)
    price_slope(p, x, &value, gradient);
  else
    fcps_price_apply(p->price, n, 1, x, &value);
  return value;
}

static void priced_batch(void *user, int n, int count, const double *points, double *values)
{
  const fcps_priced *p = user;
  p->objective->batch(p->objective->user, n, count, points, values);
  fcps_price_apply(p->price, n, count, points, values);
}

static void priced_slopes(void *user, int n, int count, const double *points, double *values, double *gradients)
{
  const fcps_priced *p = user;
  p->objective->slopes(p->objective->user, n, count, points, values, gradients);
  for (int i = 0; i < count; i++)
    price_slope(p, points + (size_t)i * (size_t)n, values + i, gradients + (size_t)i * (size_t)n);
}

/* Returns the scale of w for tolerances. It uses the cost in the middle of the cube, so a search does not depend on the
 * unit of the cost. */
static double scale_of(const fcps_priced *p)
{
  const double usual = p->objective->value_scale > 0.0 ? p->objective->value_scale : 1.0;
  for (int d = 0; d < p->objective->n; d++)
    p->slope[d] = 0.5;
  const double cost = fcps_cost_at_rest(p->price->cost, p->slope);
  return isnan(cost) ? usual : usual / cost;
}

fcps_status fcps_price_enter(const fcps_price *price, const fcps_objective *objective, fcps_priced *priced,
                             fcps_objective *inside)
{
  *priced = (fcps_priced){.price = price, .objective = objective};
  *inside = *objective;
  if (price == NULL) return FCPS_OK;
  priced->slope = fcps_allocate((size_t)objective->n, sizeof *priced->slope);
  if (priced->slope == NULL) return FCPS_ERR_MEMORY;
  inside->value = objective->value != NULL ? priced_value : NULL;
  inside->batch = objective->batch != NULL ? priced_batch : NULL;
  inside->slopes = objective->slopes != NULL ? priced_slopes : NULL;
  inside->value_scale = scale_of(priced);
  inside->user = priced;
  return FCPS_OK;
}

void fcps_price_leave(fcps_priced *priced)
{
  free(priced->slope);
  priced->slope = NULL;
}
