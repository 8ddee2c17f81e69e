/* SPDX-License-Identifier: Apache-2.0 */
/* Maximization in the unit cube, global and local, behind one signature.
 *
 * Every maximizer works on [0,1]^n (callers scale), returns points inside it, and treats a value that is not finite as
 * very bad. A local search crosses the seam of a coordinate that wraps (a full circle), but the objective sees only
 * points of the cube. With n = 0 there is only one point, and its value is returned. */
#ifndef FCPS_OPTIM_OPTIM_H
#define FCPS_OPTIM_OPTIM_H

#include "base/rng.h"

#include <fcps/base.h>

/* Returns the value at x[n]; writes the gradient if `gradient` is not NULL. */
typedef double fcps_objective_fn(void *user, int n, const double *x, double *gradient);

/* Writes the values at `count` points (rows of n). */
typedef void fcps_objective_batch_fn(void *user, int n, int count, const double *points, double *values);

/* Writes the values and the gradients (rows of n) at `count` points. */
typedef void fcps_objective_slopes_fn(void *user, int n, int count, const double *points, double *values,
                                      double *gradients);

typedef struct fcps_region fcps_region;

typedef struct fcps_objective {
  int n;
  fcps_objective_fn *value;         /* required by DIRECT (which asks for no gradient) and by L-BFGS-B (which does) */
  fcps_objective_batch_fn *batch;   /* required by multistart */
  fcps_objective_slopes_fn *slopes; /* for local searches side by side; NULL: they call `value` for each point */
  const bool *wraps;                /* n flags: whether a coordinate is a full circle; NULL: no coordinate is */
  const double *levels;             /* n numbers, see fcps_levels_settle; NULL: no coordinate has levels */
  const fcps_region *region;        /* the region that is searched (see fcps_region_enter); NULL: the whole cube */
  double value_scale;               /* tolerances are relative to this value; 0 means 1 */
  void *user;
} fcps_objective;

/* The tolerance of local searches that have no argument for a tolerance. */
#define FCPS_OPTIM_TOLERANCE 1e-7

typedef struct fcps_optimum {
  double value; /* -DBL_MAX if no value was finite */
  int evaluations;
} fcps_optimum;

/* Global search without gradients by DIRECT-L [gablonsky2001, NLopt], with `budget` evaluations (at least 1). Writes
 * the best point to x. */
fcps_status fcps_direct_maximize(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum);

/* Local search from x by L-BFGS-B 3.0 [byrd1995, morales2011], with at most `budget` evaluations (at least 1). Stops
 * when the projected gradient or the relative gain of a step is at most `tolerance` (e.g. 1e-7). The result is never
 * worse than the start. */
fcps_status fcps_lbfgsb_maximize(const fcps_objective *objective, int budget, double tolerance, double *x,
                                 fcps_optimum *optimum);

/* Runs many searches by L-BFGS-B side by side, from `count` rows of x. A result does not depend on the other searches,
 * provided that the objective's values at a point do not depend on the other points. */
fcps_status fcps_lbfgsb_maximize_all(const fcps_objective *objective, int count, int budget, double tolerance,
                                     double *x, fcps_optimum *optima);

/* Runs one search by L-BFGS-B in a box [lower, upper] of any size, in which no coordinate wraps. Fits of
 * hyper-parameters use it. */
fcps_status fcps_lbfgsb_maximize_box(const fcps_objective *objective, const double *lower, const double *upper,
                                     int budget, double tolerance, double *x, fcps_optimum *optimum);

/* The pair of searches of [pinsler2019]: DIRECT-L, then L-BFGS-B from its best point. If `local_budget` is 0, only
 * DIRECT-L. */
fcps_status fcps_direct_lbfgsb_maximize(const fcps_objective *objective, int direct_budget, int local_budget, double *x,
                                        fcps_optimum *optimum);

/* Evaluates `count` candidates (rows, at least 1) as one batch and refines the best `starts` of them, spread apart, by
 * L-BFGS-B with `local_budget` evaluations each. If `starts` or `local_budget` is 0, the best candidate is the answer.
 */
fcps_status fcps_multistart_maximize(const fcps_objective *objective, int count, const double *candidates, int starts,
                                     int local_budget, double *x, fcps_optimum *optimum);

/* Points whose values are known. */
typedef struct fcps_scored_points {
  int count;
  const double *x; /* rows of n */
  const double *values;
} fcps_scored_points;

/* Does the same with candidates whose values are already known. */
fcps_status fcps_multistart_refine(const fcps_objective *objective, const fcps_scored_points *candidates, int starts,
                                   int local_budget, double *x, fcps_optimum *optimum);

/* Chooses `wanted` (at most their count) of the candidates as starts. The first start is the best of all. Then come the
 * best candidates with other combinations of words, then the best ones that are not near a chosen one, and then the
 * best of the remaining ones. Uses only n, wraps and levels of the objective. */
fcps_status fcps_multistart_choose(const fcps_objective *objective, const fcps_scored_points *candidates, int wanted,
                                   int *chosen);

/* Many Newton searches side by side, for an objective that is cheaper in batches. */
typedef struct fcps_newton_objective {
  int n, searches;
  /* this many consecutive searches look for the same maximum; a search that falls behind the best gives up */
  int group;

  /* Values, gradients (rows of n) and curvatures (rows of n x n, symmetric: -Hessian or an approximation) at `count`
   * points (rows of n). Point i belongs to search which[i]. */
  void (*evaluate)(void *user, int count, const int *which, const double *points, double *values, double *gradients,
                   double *curvatures);
  const bool *wraps;          /* n flags: whether a coordinate is a full circle; NULL: no coordinate is */
  const double *value_scales; /* for each search, the value to which the tolerance is relative; NULL: 1 */
  void *user;
} fcps_newton_objective;

/* Climbs from each row of x (n >= 1) to a local maximum, with at most `budget` evaluations per search (at least 1). A
 * search ends if its next step is expected to gain at most `tolerance` times its value scale. No result is worse than
 * its start. Searches of one group depend on each other, because those that fall behind give up. They do not depend on
 * other groups, provided that the objective's values at a point do not depend on the other points. */
fcps_status fcps_newton_maximize(const fcps_newton_objective *objective, int budget, double tolerance, double *x,
                                 double *values);

/* Settles a point on its levels. levels[d] > 0 is the number of equal parts of coordinate d, of which only the middles
 * are allowed; levels[d] < 0 stands for -levels[d] words, which have no order; levels[d] = 0 allows every number.
 * Searches ignore levels. Settling moves the point that a search found to its nearest levels, and also tries each
 * neighbouring level. From each of these options it climbs again in the other coordinates, with `budget` evaluations
 * per option. The best option is the optimum. Does nothing without levels. */
fcps_status fcps_levels_settle(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum);

/* Climbs along kinks of the objective, from x. On entry `optimum` has the value at x. Needs the objective's `slopes`;
 * ignores its levels and its region. The result is never worse than x. */
fcps_status fcps_kink_climb(const fcps_objective *objective, double *x, fcps_optimum *optimum);

/* Improves x, a settled point; on entry `optimum` has the value at x. Climbs in the coordinates without levels, and
 * moves one or two coordinates to a neighbouring level, with and without a climb after the move, until neither a climb
 * nor a move gains anything. Each climb has `budget` evaluations. The result is never worse than x. */
fcps_status fcps_climb_on(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum);

/* The parts of settling, for searches with their own climb. fcps_levels_options returns the number of options (0
 * without levels). fcps_levels_lay writes the options of a point as rows. fcps_levels_hold keeps a search on its
 * levels: in these coordinates it sets the gradient (and the curvature, unless it is NULL) to that of a function that
 * does not change along them. */
int fcps_levels_options(int n, const double *levels);
void fcps_levels_lay(int n, const double *levels, const bool *wraps, const double *x, double *options);
void fcps_levels_hold(int n, const double *levels, bool words_only, double *gradient, double *curvature);

/* Moves points (rows) to their nearest levels. Does nothing if `levels` is NULL. */
void fcps_levels_snap(int n, const double *levels, int count, double *points);

/* -- A region of the unit cube that is searched for a maximum, as a table of functions -- */

struct fcps_region {
  /* Writes the point of the region that is nearest to x. Coordinates whose flag in `held` is set keep their values;
   * `held` may be NULL. */
  void (*project)(void *user, const bool *held, const double *x, double *nearest);

  /* Replaces `gradient`, the gradient at the nearest point. The new gradient is the derivative by x of the value at the
   * nearest point of x. */
  void (*pull)(void *user, const bool *held, const double *x, const double *nearest, double *gradient);

  /* Moves a point to a nearby point that is in the region and on its levels. */
  void (*settle)(void *user, double *x);

  /* Replaces the points (rows) outside the region by points inside it. */
  void (*fill)(void *user, fcps_rng *rng, int count, double *points);

  /* Moves the coordinates whose parameters do not apply at x to their resting values (the lower bounds). NULL: all
   * parameters apply everywhere. */
  void (*rest)(void *user, double *x);
  void *user;
};

/* Replaces the candidates of a search that are outside the region. Does nothing if `region` is NULL. */
void fcps_region_fill(const fcps_region *region, fcps_rng *rng, int count, double *points);

/* Moves each point (rows of n) into the region and onto its levels. Does nothing if `region` is NULL. */
void fcps_region_settle_all(const fcps_region *region, int n, int count, double *points);

typedef struct fcps_region_search {
  const fcps_objective *objective;
  const bool *held;
  int most;       /* the most points in a batch */
  double *points; /* the nearest points of a batch of points */
} fcps_region_search;

/* Makes `inside` an objective over the whole cube: its value at a point is the value of `objective` at the nearest
 * point of the region. Without a region, `inside` is `objective` itself. `objective` and `held` are borrowed. Always
 * call fcps_region_leave at the end, even after a failure: it moves the answer into the region and frees the search. */
fcps_status fcps_region_enter(const fcps_objective *objective, const bool *held, int most, fcps_region_search *search,
                              fcps_objective *inside);
void fcps_region_leave(fcps_region_search *search, double *x);

/* -- Words -- */

/* Another word may change the values of the objective completely, and no gradient leads from one word to the next. So
 * the candidates of a search take turns with all combinations of words, unless there are too many. Local searches start
 * from the best points of several combinations. If there are more combinations than starts, settling changes one word
 * after the other as long as that improves the value. */

/* The number of combinations of words; 1 without words. */
double fcps_words_combinations(int n, const double *levels);

/* Gives the combinations of words to the candidates (rows) in turn. If there is a region (`region` may be NULL),
 * combinations count as one if they differ only in parameters that do not apply. Does nothing if there are more
 * combinations than candidates, or more than FCPS_WORDS_ENUMERATED. */
enum { FCPS_WORDS_ENUMERATED = 500 };
void fcps_words_spread(int n, const double *levels, const fcps_region *region, int count, double *points);

/* The largest number of points that differ from a given point in one word. A search evaluates these points as one
 * batch. */
int fcps_words_changes(int n, const double *levels);

/* fcps_words_starts returns the number of starts of a search that would have `starts` of them without words.
 * fcps_words_need_changes tells whether some combinations of words then have no start. */
int fcps_words_starts(int n, const double *levels, int starts);
bool fcps_words_need_changes(int n, const double *levels);

/* Whether two points have the same words. */
bool fcps_words_are_same(int n, const double *levels, const double *p, const double *q);

/* A random search for objectives that are noisy step functions without a gradient. It evaluates the candidates as one
 * batch. Each round then evaluates, as one batch, `moves` Gaussian steps from each of the `keep` best points so far.
 * From round to round the deviation of the steps shrinks. Steps end on levels. */
typedef struct fcps_shrinking_search_settings {
  int rounds, keep, moves;
  double deviation, shrink; /* the deviation of the steps in the first round; its factor from one round to the next */
} fcps_shrinking_search_settings;
fcps_status fcps_shrinking_search_maximize(const fcps_objective *objective, int count, const double *candidates,
                                           const fcps_shrinking_search_settings *settings, fcps_rng rng, double *x,
                                           fcps_optimum *optimum);

#endif
