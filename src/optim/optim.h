/* SPDX-License-Identifier: Apache-2.0 */
/* Maximization in the unit cube, global and local, behind one signature.
 *
 * Every maximizer works on [0,1]^n (callers scale), returns points inside it, and treats an objective that is not
 * finite as very bad. A local search crosses the seam of a coordinate that wraps (a full circle), but the objective
 * sees only points of the cube. With n = 0 there is one point, and its value is returned.
 */
#ifndef FCPS_OPTIM_OPTIM_H
#define FCPS_OPTIM_OPTIM_H

#include "base/rng.h"

#include <fcps/base.h>

/* Value at x[n]; writes the gradient where `gradient` is not NULL. */
typedef double fcps_objective_fn(void *user, int n, const double *x, double *gradient);

/* Values at `count` points (rows of n) at once. */
typedef void fcps_objective_batch_fn(void *user, int n, int count, const double *points, double *values);

/* The same with gradients (rows of n). */
typedef void fcps_objective_slopes_fn(void *user, int n, int count, const double *points, double *values,
                                      double *gradients);

typedef struct fcps_region fcps_region; /* optim/region.h */

typedef struct fcps_objective {
  int n;
  fcps_objective_fn *value;         /* required by DIRECT (without gradient) and L-BFGS-B (with gradient) */
  fcps_objective_batch_fn *batch;   /* required by multistart */
  fcps_objective_slopes_fn *slopes; /* for local searches side by side; NULL: `value` is called for each point */
  const bool *wraps;                /* n flags, or NULL for none */
  const double *levels;             /* n numbers, or NULL for none: see fcps_levels_settle */
  const fcps_region *region;        /* where the maximum is looked for (fcps_region_enter); NULL: the whole cube */
  double value_scale;               /* the value that tolerances take for 1; 0: 1 itself */
  void *user;
} fcps_objective;

/* The tolerance of the local searches that have no argument for it. */
#define FCPS_OPTIM_TOLERANCE 1e-7

typedef struct fcps_optimum {
  double value; /* -DBL_MAX when no finite value was seen */
  int evaluations;
} fcps_optimum;

/* DIRECT-L [gablonsky2001, NLopt]: global, without gradients, `budget` evaluations (at least 1). Writes the best point
 * to x. */
fcps_status fcps_direct_maximize(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum);

/* L-BFGS-B 3.0 [byrd1995, morales2011] from x, at most `budget` evaluations (at least 1), stops when the projected
 * gradient or the relative gain of a step is at most `tolerance` (e.g. 1e-7). The result is never worse than the
 * start. */
fcps_status fcps_lbfgsb_maximize(const fcps_objective *objective, int budget, double tolerance, double *x,
                                 fcps_optimum *optimum);

/* The same from `count` rows of x, side by side. No result depends on the other searches, as long as the values do
 * not. */
fcps_status fcps_lbfgsb_maximize_all(const fcps_objective *objective, int count, int budget, double tolerance,
                                     double *x, fcps_optimum *optima);

/* The same from one point in a box [lower, upper] of any size, where nothing wraps: for hyper-parameters. */
fcps_status fcps_lbfgsb_maximize_box(const fcps_objective *objective, const double *lower, const double *upper,
                                     int budget, double tolerance, double *x, fcps_optimum *optimum);

/* The paper's pair: DIRECT-L, then L-BFGS-B from its best point. With a local budget of 0 DIRECT-L alone. */
fcps_status fcps_direct_lbfgsb_maximize(const fcps_objective *objective, int direct_budget, int local_budget, double *x,
                                        fcps_optimum *optimum);

/* Evaluates `count` candidates (rows, at least 1) as one batch and refines the best `starts` of them, spread apart, by
 * L-BFGS-B with `local_budget` evaluations each. With `starts` or `local_budget` 0 the best candidate is the answer. */
fcps_status fcps_multistart_maximize(const fcps_objective *objective, int count, const double *candidates, int starts,
                                     int local_budget, double *x, fcps_optimum *optimum);

/* Points with known values. */
typedef struct fcps_scored_points {
  int count;
  const double *x; /* rows of n */
  const double *values;
} fcps_scored_points;

/* The same for candidates whose values are already known. */
fcps_status fcps_multistart_refine(const fcps_objective *objective, const fcps_scored_points *candidates, int starts,
                                   int local_budget, double *x, fcps_optimum *optimum);

/* Chooses `wanted` (at most their count) of the candidates as starts: first the best ones that are not neighbours, then
 * the best of the rest. The first is the best of all. With words, those of other combinations come before others of the same one.
 * Uses only n, wraps and levels of the objective. */
fcps_status fcps_multistart_choose(const fcps_objective *objective, const fcps_scored_points *candidates, int wanted,
                                   int *chosen);

/* Many Newton searches side by side, for an objective that is cheaper in batches. */
typedef struct fcps_newton_objective {
  int n, searches;
  int group; /* this many consecutive searches look for the same maximum, and give up when they fall behind the best */

  /* Values, gradients (rows of n) and curvatures (rows of n x n, symmetric: -Hessian or an approximation) at `count`
   * points (rows of n). Point i belongs to search which[i]. */
  void (*evaluate)(void *user, int count, const int *which, const double *points, double *values, double *gradients,
                   double *curvatures);
  const bool *wraps;          /* n flags, or NULL for none */
  const double *value_scales; /* per search: the value that the tolerance takes for 1; NULL: 1 itself */
  void *user;
} fcps_newton_objective;

/* Climbs from each row of x (n >= 1) to a local maximum, with at most `budget` evaluations per search (at least 1). A
 * search ends when its next step is expected to gain at most `tolerance` of the value (or of 1). No result is worse
 * than its start. Searches of one group depend on each other, because those that are beaten give up. They do not depend
 * on other groups, as long as the values do not. */
fcps_status fcps_newton_maximize(const fcps_newton_objective *objective, int budget, double tolerance, double *x,
                                 double *values);

/* Coordinates with levels: levels[d] > 0 is the number of equal steps of coordinate d, whose middles alone count; 0
 * means none, and levels[d] < 0 that many words, none of which is between two others. Searches ignore levels. Settling moves the point that a search has found to its nearest levels, or to one
 * level beside them, and climbs again in the other coordinates, with `budget` evaluations per option. The best option
 * is the optimum. Does nothing without levels. */
fcps_status fcps_levels_settle(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum);

/* Climbs along kinks from x, whose value the optimum has; needs slopes, and knows neither levels nor regions. Never worse. */
fcps_status fcps_kink_climb(const fcps_objective *objective, double *x, fcps_optimum *optimum);

/* Goes on from x, which is settled and has the value of the optimum, until neither a climb gains anything, nor one step of levels, or
 * two, with or without a climb after it. `budget` evaluations for each climb. The result is never worse. */
fcps_status fcps_climb_on(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum);

/* The steps of settling, for searches with their own climb: the number of options (0 without levels), the options of a
 * point as rows, and the slope (and the curvature, unless it is NULL) of a search that holds levels. */
int fcps_levels_options(int n, const double *levels);
void fcps_levels_lay(int n, const double *levels, const bool *wraps, const double *x, double *options);
void fcps_levels_hold(int n, const double *levels, bool words_only, double *gradient, double *curvature);

/* Moves points (rows) to their nearest levels. Does nothing if `levels` is NULL. */
void fcps_levels_snap(int n, const double *levels, int count, double *points);

/* -- Words -- */

/* Values change with a word as if it were another problem, and no slope leads from one to the next. So as long as there are not
 * too many combinations of words, candidates have them all, by turns, and searches start from the best of several. Settling
 * changes one word after the other while that is better, if there are more combinations than starts. */

/* The combinations of words; 1 without words. */
double fcps_words_combinations(int n, const double *levels);

/* Gives candidates (rows) all combinations by turns, if there are no more than FCPS_WORDS_ENUMERATED, and than candidates. */
enum { FCPS_WORDS_ENUMERATED = 500 };
void fcps_words_spread(int n, const double *levels, int count, double *points);

/* How many points a search may change words to at once: they are one batch, whatever the number of candidates. */
int fcps_words_changes(int n, const double *levels);

/* How many starts a search has instead of `starts`, and whether that leaves combinations without one. */
int fcps_words_starts(int n, const double *levels, int starts);
bool fcps_words_need_changes(int n, const double *levels);

/* Whether two points have the same words. */
bool fcps_words_are_same(int n, const double *levels, const double *p, const double *q);

/* For objectives that are noisy step functions without a gradient. Evaluates the candidates as one batch, then in each
 * round `moves` Gaussian steps from each of the `keep` best points so far, as one batch. The deviation shrinks from
 * round to round. Steps end on levels. */
typedef struct fcps_shrinking_search_settings {
  int rounds, keep, moves;
  double deviation, shrink; /* of the first round, and from round to round */
} fcps_shrinking_search_settings;
fcps_status fcps_shrinking_search_maximize(const fcps_objective *objective, int count, const double *candidates,
                                           const fcps_shrinking_search_settings *settings, fcps_rng rng, double *x,
                                           fcps_optimum *optimum);

#endif
