/* SPDX-License-Identifier: Apache-2.0 */
/* The belief about the place of the best parameters in a context, and trials that may change it [hennig2012]. It
 * consists of a few points, called representers, and their joint posterior. A gain (gain.h) is the value of a change of
 * the belief.
 *
 * Let f(Z) ~ N(mu, S) be the posterior of the representers, c = cov(f(Z), f(x)), v = var f(x), and w standard normal.
 * After a trial at x with outcome y
 *   f(Z) | x, y  ~  N(mu + k w, S - k k'),    k = c / sqrt(v + sn^2).
 * Without sn^2, a second trial at the same point would seem to tell as much as the first.
 *
 * Everything is in unit scale, because the place of the maximum does not depend on scale and offset of rewards.
 */
#ifndef FCPS_ACQUISITION_INFORMATION_BELIEF_H
#define FCPS_ACQUISITION_INFORMATION_BELIEF_H

#include "base/rng.h"
#include "gp/query.h"
#include "model/model.h"
#include "model/posterior/posterior.h"

typedef struct fcps_belief_settings {
  int pool;          /* number of points from which representers are chosen */
  int best, others;  /* numbers of candidates for joint draws: points with the largest mean, and others */
  int draws;         /* number of joint draws; the point at which a draw is largest is a representer */
  int representers;  /* the most representers (m) */
  int samples;       /* S: number of joint samples that estimate p */
  int outcomes;      /* J: number of values of w, which are mid-quantiles of the normal */
  int maxima;        /* number of strata of the maximum's value (mes), at most S */
  int optimal_pairs; /* number of draws of place and value of the maximum (jes), at most S */
  int places;        /* number of draws of the place only (pes), at most S */
} fcps_belief_settings;

/* The data that all beliefs of one decision share: the pool and the random numbers. The random numbers that estimate
 * entropies are the same in a whole run (common random numbers), so that a search does not follow the noise of the
 * estimate. */
typedef struct fcps_belief_builder {
  fcps_belief_settings settings;
  int n;              /* number of parameters */
  double *pool;       /* pool x n, unit cube */
  double *thompson;   /* (best + others) x draws normals */
  double *normals;    /* representers x samples, column-major: one sample per column */
  float *z;           /* the same numbers, one representer per row */
  float *extra;       /* one standard normal per sample */
  float *outcomes;    /* J values of w */
  double *count_logs; /* N log N for N <= J S */
} fcps_belief_builder;

/* Creates a builder. The pool has the newest rollouts of `model` and uniform draws from `rng`, whose seed must be that
 * of the run.
 */
fcps_status fcps_belief_builder_create(fcps_belief_builder *builder, const fcps_belief_settings *settings,
                                       const fcps_model *model, fcps_rng rng);
void fcps_belief_builder_destroy(fcps_belief_builder *builder);

/* The belief about the place of the maximum, in one context and for one output. */
typedef struct fcps_belief {
  int count;        /* m: number of representers */
  double *block;    /* owns the arrays of doubles */
  double *x;        /* m rows of n: the representers */
  double *features; /* m rows of the GP's inputs */
  double *whitened; /* L^-1 k(X, Z): rows x m */
  double *factor;   /* factor of S: m x m */
  double *mean;     /* mu: m */
  double scale;     /* how much reward one unit is */
  float *samples;   /* f: m x S, one representer per row */
  void *gain_state; /* numbers that a gain computes once for the belief; freed with free */
} fcps_belief;

/* Creates the beliefs of all outputs in a context, which is given by its features. `beliefs` has one element per
 * output, zeroed.
 */
fcps_status fcps_beliefs_create(const fcps_belief_builder *builder, const fcps_model *model,
                                const fcps_gp_outputs *outputs, const double *context, fcps_belief *beliefs);
void fcps_belief_destroy(fcps_belief *belief);

/* The data from which a belief was made, for gains that need more than its representers. */
typedef struct fcps_belief_source {
  const fcps_belief_builder *builder;
  const fcps_model *model;
  const fcps_gp_outputs *outputs;
  int output; /* index of the output */
} fcps_belief_source;

/* Returns the representer at which a sample is largest, the first one if several are equal. */
int fcps_belief_best(const fcps_belief_builder *builder, const fcps_belief *belief, int sample);

/* Trials whose gain is to be computed. */
typedef struct fcps_candidates {
  int count;
  double *features; /* rows of the GP's inputs */
  double *whitened; /* L^-1 k(rows, trials): rows x count */
  double *variance; /* count: v + sn^2 */
  double *mean;     /* count: means for the output of the current belief */
  fcps_gp_work work;
} fcps_candidates;

/* `create` makes room for `most` trials. `prepare` computes the whitened covariances and variances of the first `count`
 * trials from their features. */
fcps_status fcps_candidates_create(fcps_candidates *trials, const fcps_gp *gp, int most);
void fcps_candidates_destroy(fcps_candidates *trials);
void fcps_candidates_prepare(fcps_candidates *trials, const fcps_gp *gp, int count);

/* Writes k (representers x trials) = cov(f(Z), f(x)) / sqrt(v + sn^2): how the means of the representers change with a
 * trial's outcome. */
void fcps_belief_slopes(const fcps_gp *gp, const fcps_belief *belief, const fcps_candidates *trials, double *k);

/* Computes the means (count x outputs, one output per column) of the trials in unit scale, without offset: the products
 * of their whitened covariances with the weights `beta` (fcps_gp_whitened_weights). */
void fcps_candidates_predict(const fcps_candidates *trials, const fcps_gp *gp, const fcps_gp_outputs *outputs,
                             const double *beta, double *means);

/* -- Votes -- */

/* The gain of a trial about the place of the maximum, if samples vote for this place. With N_ji of S votes for
 * representer i in outcome j of J, p_j the shares of the votes in outcome j, and N_i = sum_j N_ji,
 *   G = H(mean_j p_j) - mean_j H(p_j) = log J + (sum_ji N_ji log N_ji - sum_i N_i log N_i)/(J S).
 * Both terms come from the same samples, so G is never negative, and is 0 if the trial changes nothing. */

/* Fills a table: logs[N] = N log N for N = 0 to `most`. */
void fcps_vote_entropy_logs(int most, double *logs);

/* Returns G for `votes` (J rows of m). `logs` must be a table up to J S. */
double fcps_vote_entropy_gain(int outcomes, int samples, int m, const int *votes, const double *logs);

/* -- Counting the votes (argmax_counts.c) -- */

/* The loop in which entropy search spends its time, vectorized for the machine. */

/* Writes to counts[j*m + i] how many of `samples` samples s have their largest value at i if the outcome is w[j], with
 *   value_i(s) = f[i*samples + s] + k[i] (w[j] - u[s]), i < m, j < outcomes.
 * Of equal values the first counts. `scratch` has room for 2*samples numbers, `index` for `samples` numbers. */
void fcps_argmax_counts(int m, int samples, int outcomes, const float *f, const float *k, const float *u,
                        const float *w, float *scratch, int *index, int *counts);

/* Writes u[s] = sum_i b[i] z[i*samples + s] + rest extra[s]. */
void fcps_mix_normals(int m, int samples, const float *b, const float *z, float rest, const float *extra, float *u);

#endif
