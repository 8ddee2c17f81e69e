/* SPDX-License-Identifier: Apache-2.0 */
/* Counter-based random numbers: draw i of a stream is Philox4x64-10(key = (seed, purpose), counter = (i, episode)).
 *
 * Any draw can be computed again without saved state [salmon2011]. So a resumed run, another number of workers or
 * another order give the same bits. World, contexts, noise and algorithm have their own purposes, so all learners with
 * the same seed see the same world. */
#ifndef FCPS_BASE_RNG_H
#define FCPS_BASE_RNG_H

#include <stdint.h>

/* The purposes of streams. Their numbers are part of the promise "same seed, same bytes": append new ones, and never
 * renumber. */
typedef enum fcps_purpose {
  FCPS_PURPOSE_WORLD = 1,       /* properties of a task's world, such as hills */
  FCPS_PURPOSE_CONTEXT = 2,     /* contexts of episodes */
  FCPS_PURPOSE_NOISE = 3,       /* noise of rollouts */
  FCPS_PURPOSE_DESIGN = 4,      /* initial design */
  FCPS_PURPOSE_SEARCH = 5,      /* candidates of an acquisition search */
  FCPS_PURPOSE_FIT = 6,         /* starts and samples of hyper-parameters */
  FCPS_PURPOSE_POLICY = 7,      /* candidates when a policy is asked for its best parameters */
  FCPS_PURPOSE_EXPLORE = 8,     /* sampling of stochastic policies */
  FCPS_PURPOSE_SAMPLE = 9,      /* base normals of acquisitions by Monte Carlo */
  FCPS_PURPOSE_REPRESENT = 10,  /* contexts and points that represent the whole space in an acquisition */
  FCPS_PURPOSE_EVALUATION = 11, /* evaluation contexts that are drawn once */
  FCPS_PURPOSE_REHEARSAL = 12,  /* simulated worlds in which a study is rehearsed */
  FCPS_PURPOSE_TEST = 99
} fcps_purpose;

/* A stream is a plain value. A copy of a stream draws the same numbers as the stream itself. */
typedef struct fcps_rng {
  uint64_t seed, purpose, episode, index;
} fcps_rng;

fcps_rng fcps_rng_stream(uint64_t seed, fcps_purpose purpose, uint64_t episode);

/* The next uniform number in (0, 1). */
double fcps_rng_uniform(fcps_rng *rng);

/* The next standard normal number, by Box-Muller: one block gives two uniform numbers, which give one normal number. */
double fcps_rng_normal(fcps_rng *rng);

/* The next integer in [0, bound). */
uint64_t fcps_rng_below(fcps_rng *rng, uint64_t bound);

/* Draw the next `count` numbers. */
void fcps_rng_uniforms(fcps_rng *rng, int count, double *values);
void fcps_rng_normals(fcps_rng *rng, int count, double *values);

#endif
