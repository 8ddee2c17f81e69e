/* SPDX-License-Identifier: Apache-2.0 */
/* Each outcome has hyper-parameters of its own: one GP per outcome over the same rows. Shared hyper-parameters are
 * cheaper (one factorization, closed forms for distances), so a model begins with them. The evidence charges separate
 * ones for each additional hyper-parameter. Outcomes whose reward is a distance are never separated: they have one
 * unit, and the closed form needs equal variances. */
#include "base/memory.h"
#include "model/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static fcps_status begin(const fcps_look *look, fcps_structure *structure)
{
  const bool is_on = look->settings->separate == FCPS_STRUCTURE_ON && look->layout->outputs > 1;
  return is_on ? fcps_structure_mark(structure) : FCPS_OK;
}

static fcps_status propose(const fcps_look *look, fcps_structure *proposals, int *count)
{
  *count = look->layout->outputs > 1 && !look->layout->problem->is_distance;
  return *count > 0 ? fcps_structure_mark(proposals) : FCPS_OK;
}

static fcps_status edit(const void *state, const fcps_layout *layout, fcps_description *description)
{
  (void)state, (void)layout;
  description->gps = description->outputs;
  if (description->usual_scaling != FCPS_SCALING_NONE) description->scaling = FCPS_SCALING_EACH;
  return FCPS_OK;
}

/* -- Whether it is shown -- */

/* Removes each row that is nearer to an earlier row than half the spacing of the same number of evenly spread
 * places. */
static void spread_out(fcps_sample *sample)
{
  const fcps_layout *layout = sample->look->layout;
  const size_t features = (size_t)layout->features, q = (size_t)layout->outputs;
  const int inputs = layout->problem->environment.count + layout->problem->parameters.count;
  const double least = 0.5 * pow(sample->count, -1.0 / inputs);
  size_t kept = 0;
  for (size_t i = 0; i < (size_t)sample->count; i++) {
    const double *place = sample->features + i * features;
    double nearest = INFINITY;
    for (size_t j = 0; j < kept; j++) {
      double square = 0.0;
      for (size_t d = 0; d < features; d++)
        square += pow(place[d] - sample->features[j * features + d], 2);
      nearest = fmin(nearest, square);
    }
    if (nearest < least * least) continue;
    sample->source[kept] = sample->source[i];
    sample->doubted[kept] = sample->doubted[i];
    memmove(sample->features + kept * features, place, features * sizeof *place);
    memmove(sample->outcomes + kept * q, sample->outcomes + i * q, q * sizeof *sample->outcomes);
    kept++;
  }
  sample->count = (int)kept;
}

static double weigh(const fcps_sample *sample, const fcps_structure *structure)
{
  const fcps_evidence_effort effort = {.starts = FCPS_FIT_NOISY_STARTS, .least = -INFINITY};
  const fcps_look *look = sample->look;
  fcps_description with;
  double nats = NAN;
  if (fcps_description_with(look->description, look->layout, look->index, structure, &with) != FCPS_OK) return nats;
  const int count = FCPS_HYPER_COUNT(with.inputs);
  const fcps_hyper_prior prior = fcps_description_prior(&with);
  double *hyper = fcps_allocate((size_t)count * (size_t)with.gps, sizeof(double));
  for (int g = 0; g < with.gps && hyper != NULL; g++)
    fcps_gp_hyper_centre(&prior, with.inputs, hyper + g * count);
  if (hyper == NULL || fcps_evidence_of(sample, &with, effort, hyper, &nats) != FCPS_OK) nats = NAN;
  free(hyper);
  fcps_description_destroy(&with);
  return nats;
}

/* Near the optimum of a converged search each outcome looks like its own plane or constant, whatever it looks like
 * elsewhere. So if many rows are close together, the rows that are spread out must support the separation, too. */
static bool is_shown(const fcps_look *look, const void *state)
{
  enum { MOST_ROWS = 80 };
  const fcps_structure none = {0};
  fcps_sample sample;
  (void)state;
  if (fcps_sample_open(&sample, look, NULL, MOST_ROWS) != FCPS_OK) return false;
  const int all = sample.count;
  spread_out(&sample);
  if (sample.count > 0.8 * all) {
    fcps_sample_close(&sample);
    return true;
  }
  const double apart = weigh(&sample, look->description->structures + look->index), together = weigh(&sample, &none);
  fcps_sample_close(&sample);
  return apart > together;
}

const fcps_structure_kind fcps_structure_separate = {.name = "separate",
                                                     .excludes = "frame input_noise",
                                                     .needs_whole = true,
                                                     .least_rows = 5,
                                                     .begin = begin,
                                                     .propose = propose,
                                                     .edit = edit,
                                                     .is_shown = is_shown,
                                                     .words = "each outcome depends on the inputs in its own way"};
