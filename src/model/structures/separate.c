/* SPDX-License-Identifier: Apache-2.0 */
/* Every outcome has hyper-parameters of its own: one GP each, over the same rows. Shared ones are cheaper in every respect, one
 * factorization and closed forms of distances, so they are what is believed first; the evidence charges the others for
 * every hyper-parameter that they add. The outcomes of a distance have one unit, and a closed form as long as they share
 * their variance: they are never separated by evidence. */
#include "model/description.h"

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

const fcps_structure_kind fcps_structure_separate = {.name = "separate",
                                                     .excludes = "frame input_noise",
                                                     .needs_whole = true,
                                                     .least_rows = 5,
                                                     .begin = begin,
                                                     .propose = propose,
                                                     .edit = edit,
                                                     .words = "each outcome depends on the inputs in its own way"};
