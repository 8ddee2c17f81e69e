/* SPDX-License-Identifier: Apache-2.0 */
/* The belief about where the best parameters are in a context, as representers with a joint posterior, and trials that
 * may change it [hennig2012]. What a change is worth is a gain (gain.h).
 *
 * With the posterior f(Z) ~ N(mu, S) of the representers, c = cov(f(Z), f(x)), v = var f(x) and a standard normal w, a
 * trial at x with outcome y leads to
 *   f(Z) | x, y  ~  N(mu + k w, S - k k'),    k = c / sqrt(v + sn^2):
 * sn^2 belongs there, or a second trial at the same point would seem to tell as much as the first.
 *
 * Everything is in unit scale: where the maximum lies does not depend on scale and offset of rewards.
 */
#ifndef FCPS_ACQUISITION_INFORMATION_BELIEF_H
#define FCPS_ACQUISITION_INFORMATION_BELIEF_H

#include "base/rng.h"
#include "gp/query.h"
#include "model/model.h"
#include "model/posterior/posterior.h"

typedef struct fcps_belief_settings {
  int pool;          /* uniform parameters from which representers come */
  int best, others;  /* candidates for joint draws: those with the largest mean, and others */
  int draws;         /* joint draws; where each is largest there is a representer */
  int representers;  /* m, at most */
  int samples;       /* S: joint samples that estimate p */
  int outcomes;      /* J: values of w, mid-quantiles of the normal */
  int maxima;        /* strata of the maximum's value (mes), at most S */
  int optimal_pairs; /* draws of location and value of the maximum (jes), at most S */
  int places;        /* draws of the location alone (pes), at most S */
} fcps_belief_settings;

/* What all beliefs of one decision share: the pool and the random numbers. The numbers that estimate entropies are the
 * same in a whole run (common random numbers), so that a search does not chase noise. */
typedef struct fcps_belief_builder {
  fcps_belief_settings settings;
  int n;              /* parameters */
  double *pool;       /* pool rows of n, unit cube */
  double *thompson;   /* (best + others) x draws normals */
  double *normals;    /* representers x samples, column-major: one sample per column */
  float *z;           /* the same, one representer per row */
  float *extra;       /* samples */
  float *outcomes;    /* J */
  double *count_logs; /* N log N for N <= J S */
} fcps_belief_builder;

/* The newest rollouts of `model` are in the pool, the rest of it is drawn from `rng`, whose seed is that of the run. */
fcps_status fcps_belief_builder_create(fcps_belief_builder *builder, const fcps_belief_settings *settings,
                                       const fcps_model *model, fcps_rng rng);
void fcps_belief_builder_destroy(fcps_belief_builder *builder);

/* Where the maximum may be, in one context and for one output. */
typedef struct fcps_belief {
  int count;        /* m */
  double *block;    /* owns the arrays of doubles */
  double *x;        /* m rows of n: the representers */
  double *features; /* m rows of the GP's inputs */
  double *whitened; /* L^-1 k(X, Z): rows x m */
  double *factor;   /* of S: m x m */
  double *mean;     /* mu: m */
  double scale;     /* rewards per unit */
  float *samples;   /* f: m x S, one representer per row */
  void *gain_state; /* what a gain found out about it beforehand; freed with free */
} fcps_belief;

/* The beliefs of `outputs->outputs` outputs in a context, given by its features. `beliefs` has that many, zeroed. */
fcps_status fcps_beliefs_create(const fcps_belief_builder *builder, const fcps_model *model,
                                const fcps_gp_outputs *outputs, const double *context, fcps_belief *beliefs);
void fcps_belief_destroy(fcps_belief *belief);

/* Where a belief comes from: what a gain may want to know of it beyond its representers. */
typedef struct fcps_belief_source {
  const fcps_belief_builder *builder;
  const fcps_model *model;
  const fcps_gp_outputs *outputs;
  int output; /* of these */
} fcps_belief_source;

/* The representer at which a sample is largest; the first of equal ones. */
int fcps_belief_best(const fcps_belief_builder *builder, const fcps_belief *belief, int sample);

/* Trials whose gain is asked for. */
typedef struct fcps_candidates {
  int count;
  double *features; /* rows of the GP's inputs */
  double *whitened; /* rows x count */
  double *variance; /* count: v + sn^2 */
  double *mean;     /* count: for the output of the belief that is asked */
  fcps_gp_work work;
} fcps_candidates;

/* Makes room for `most` trials, and fills in what follows from their features. */
fcps_status fcps_candidates_create(fcps_candidates *trials, const fcps_gp *gp, int most);
void fcps_candidates_destroy(fcps_candidates *trials);
void fcps_candidates_prepare(fcps_candidates *trials, const fcps_gp *gp, int count);

/* k (representers x trials) := cov(f(Z), f(x)) / sqrt(v + sn^2): how the representers' means move with a trial's
 * outcome. */
void fcps_belief_slopes(const fcps_gp *gp, const fcps_belief *belief, const fcps_candidates *trials, double *k);

/* means (count x outputs, one output per column) of the trials in unit scale, less their offset: the products of their
 * whitened covariances with the weights `beta` (fcps_gp_whitened_weights). */
void fcps_candidates_predict(const fcps_candidates *trials, const fcps_gp *gp, const fcps_gp_outputs *outputs,
                             const double *beta, double *means);

/* -- Votes -- */

/* What a trial tells about where the maximum is, when samples vote for it. With N_ji of S votes for representer i in
 * outcome j of J, p_j the shares of the votes in it, and N_i = sum_j N_ji,
 *   G = H(mean_j p_j) - mean_j H(p_j) = log J + (sum_ji N_ji log N_ji - sum_i N_i log N_i)/(J S):
 * both terms from the same samples, never negative, and 0 if the trial moves nothing. */

/* logs[N] := N log N for N = 0 to `most`. */
void fcps_vote_entropy_logs(int most, double *logs);

/* G of `votes` (J rows of m); `logs` reach J S. */
double fcps_vote_entropy_gain(int outcomes, int samples, int m, const int *votes, const double *logs);

/* -- Counting the votes (argmax_counts.c) -- */

/* The loop that entropy search spends its time in, vectorized for the machine at hand. */

/* counts[j*m + i] := how many of `samples` samples s have their largest value at i, in the outcome w[j], where
 *   value_i(s) = f[i*samples + s] + k[i] (w[j] - u[s]),   i < m,  j < outcomes;
 * the first of equal values wins. `scratch` holds 2*samples numbers, `index` samples of them. */
void fcps_argmax_counts(int m, int samples, int outcomes, const float *f, const float *k, const float *u,
                        const float *w, float *scratch, int *index, int *counts);

/* u[s] := sum_i b[i] z[i*samples + s] + rest extra[s]. */
void fcps_mix_normals(int m, int samples, const float *b, const float *z, float rest, const float *extra, float *u);

#endif
