/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x64-10 [salmon2011] by Random123. Every draw is one block of random bits, computed from its index alone. */
#include "base/rng.h"

#include <Random123/philox.h>

#include <assert.h>
#include <math.h>

#define TWO_PI 6.283185307179586476925286766559

/* Block `attempt` of draw `index`. Attempts after 0 are for draws that may reject a block. */
static philox4x64_ctr_t block(const fcps_rng *rng, uint64_t attempt)
{
  const philox4x64_key_t key = {{rng->seed, rng->purpose}};
  const philox4x64_ctr_t counter = {{rng->index, rng->episode, attempt, 0}};
  return philox4x64(counter, key);
}

/* The upper 53 bits with the last one set, so the number is an odd multiple of 2^-53. It is never 0 or 1, and its mean
 * is 1/2. */
static double open_unit(uint64_t bits)
{
  return (double)(bits >> 11 | 1) * 0x1p-53;
}

fcps_rng fcps_rng_stream(uint64_t seed, fcps_purpose purpose, uint64_t episode)
{
  return (fcps_rng){.seed = seed, .purpose = (uint64_t)purpose, .episode = episode};
}

double fcps_rng_uniform(fcps_rng *rng)
{
  const philox4x64_ctr_t bits = block(rng, 0);
  rng->index++;
  return open_unit(bits.v[0]);
}

double fcps_rng_normal(fcps_rng *rng)
{
  const philox4x64_ctr_t bits = block(rng, 0);
  rng->index++;
  return sqrt(-2 * log(open_unit(bits.v[0]))) * cos(TWO_PI * open_unit(bits.v[1]));
}

uint64_t fcps_rng_below(fcps_rng *rng, uint64_t bound)
{
  assert(bound > 0);
  if (bound == 0) return 0;

  /* The lowest 2^64 mod bound numbers (less than half of all) are rejected, so that every remainder is equally likely.
   * Attempts are blocks of the same draw, so the index still grows by one. */
  const uint64_t rejected = (UINT64_MAX - bound + 1) % bound;
  uint64_t attempt = 0, bits;
  do
    bits = block(rng, attempt++).v[0];
  while (bits < rejected);
  rng->index++;
  return bits % bound;
}

void fcps_rng_uniforms(fcps_rng *rng, int count, double *values)
{
  for (int i = 0; i < count; i++)
    values[i] = fcps_rng_uniform(rng);
}

void fcps_rng_normals(fcps_rng *rng, int count, double *values)
{
  for (int i = 0; i < count; i++)
    values[i] = fcps_rng_normal(rng);
}
