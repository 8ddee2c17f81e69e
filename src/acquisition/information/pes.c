/* SPDX-License-Identifier: Apache-2.0 */
/* Predictive entropy search: the information of a trial about the place of the best parameters [hernandez2014]. Entropy
 * search computes the same information from the other side. Here it is by how much the uncertainty of the trial's
 * measurement would fall if the place of the maximum were known:
 *   1/2 log(v + sn^2) - mean over draws of 1/2 log(v(x | x*) + sn^2).
 *
 * Each joint draw of the belief gives an x*: the representer at which it is largest. v(x | x*) is the variance given
 * the conditions of a maximum (optimality.h). It does not depend on the draw's values, so draws with the same x* share
 * it.
 *
 * Draws are left out, and counted, if the propagation of their conditions does not converge. If no draw is left, all
 * draws are used with condition (3) only, which is exact. */
#include "acquisition/information/gain.h"
#include "acquisition/information/optimality.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* One possible place of the maximum. */
typedef struct pes_place {
  fcps_optimality optimality;
  int draws; /* number of draws that have their maximum at this place */
} pes_place;

/* The gain state of a belief, in one allocation. */
typedef struct pes_state {
  int count, left_out; /* number of places; number of draws that were left out */
  pes_place places[];
} pes_state;

/* Writes to votes[i] the number of draws with their maximum at representer i. Returns the number of places with a
 * vote. */
static int count_votes(const fcps_belief_builder *builder, const fcps_belief *belief, int *votes)
{
  int places = 0;
  for (int d = 0; d < builder->settings.places; d++)
    places += votes[fcps_belief_best(builder, belief, d)]++ == 0;
  return places;
}

/* Leaves out the places that cannot be used, unless no place can be used. */
static void leave_out(pes_state *state, int draws)
{
  int kept = 0;
  for (int i = 0; i < state->count; i++)
    if (!state->places[i].optimality.propagation.has_converged) state->left_out += state->places[i].draws;
  if (state->left_out == draws) return;
  for (int i = 0; i < state->count; i++)
    if (state->places[i].optimality.propagation.has_converged) state->places[kept++] = state->places[i];
  state->count = kept;
}

static bool condition_on_places(const fcps_belief_source *source, fcps_belief *belief)
{
  const fcps_belief_builder *builder = source->builder;
  const size_t each = fcps_optimality_size(source);
  int *votes = fcps_allocate((size_t)belief->count, sizeof *votes);
  if (votes == NULL) return false;
  const size_t places = (size_t)count_votes(builder, belief, votes);
  pes_state *state = fcps_allocate(1, sizeof *state + places * sizeof *state->places + places * each * sizeof(double));
  fcps_status status = state != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  double *room = state != NULL ? (double *)(state->places + places) : NULL;
  for (int i = 0; i < belief->count && status == FCPS_OK; i++) {
    if (votes[i] == 0) continue;
    pes_place *place = state->places + state->count++;
    place->draws = votes[i];
    status = fcps_optimality_create(&place->optimality, source, belief, i, room);
    room += each;
  }
  if (status == FCPS_OK) leave_out(state, builder->settings.places);
  belief->gain_state = state;
  free(votes);
  return status == FCPS_OK;
}

static void report(const fcps_belief_builder *builder, const fcps_belief *belief, fcps_decision_report *to)
{
  const pes_state *state = belief->gain_state;
  to->draws += builder->settings.places;
  to->left_out += state->left_out;
}

/* The scratch has covariances (representers x trials), variances of trials, and the scratch of optimalities. */
static void *create_scratch(const fcps_belief_builder *builder, int most)
{
  const size_t m = (size_t)builder->settings.representers;
  return fcps_allocate((m + 1) * (size_t)most + fcps_optimality_scratch(builder, most), sizeof(double));
}

static void add_gains(const fcps_belief_builder *builder, const fcps_gp *gp, const fcps_belief *belief,
                      const fcps_candidates *trials, void *scratch, double *gains)
{
  const pes_state *state = belief->gain_state;
  const size_t m = (size_t)belief->count, count = (size_t)trials->count;
  const double sn2 = fcps_gp_noise(gp);
  double *covariances = scratch, *variances = covariances + m * count, *rest = variances + count;
  fcps_belief_slopes(gp, belief, trials, covariances);
  for (size_t t = 0; t < count; t++)
    for (size_t i = 0; i < m; i++)
      covariances[t * m + i] *= sqrt(trials->variance[t]);
  const int usable = builder->settings.places - state->left_out;
  const double total = usable > 0 ? usable : builder->settings.places;
  for (int i = 0; i < state->count; i++) {
    const pes_place *place = state->places + i;
    fcps_optimality_variances(&place->optimality, gp, trials, covariances, rest, variances);
    for (size_t t = 0; t < count; t++)
      gains[t] += place->draws / total * 0.5 * log(trials->variance[t] / (variances[t] + sn2));
  }
}

static const fcps_gain gain = {
    .prepare = condition_on_places, .report = report, .scratch = create_scratch, .add = add_gains};

const fcps_acquisition fcps_acquisition_pes = FCPS_GAIN_ACQUISITION("pes", gain);
