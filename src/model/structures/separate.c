/* SPDX-License-Identifier: Apache-2.0 */
/* Every outcome has hyper-parameters of its own: one GP each, over the same rows. Shared ones are cheaper in every respect, one
 * factorization and closed forms of distances, so they are what is believed first; the evidence charges the others for
 * every hyper-parameter that they add. The outcomes of a distance have one unit, and a closed form as long as they share
 * their variance: they are never separated by evidence. */
#include "model/description.h"

#include <stdio.h>

static const int yes = 1;

static fcps_status begin(const fcps_look *look, fcps_structure *structure)
{
  const bool is_on = look->settings->separate == FCPS_STRUCTURE_ON && look->layout->outputs > 1;
  return is_on ? fcps_structure_set(structure, sizeof yes, &yes) : FCPS_OK;
}

static fcps_status propose(const fcps_look *look, fcps_structure *proposals, int *count)
{
  *count = look->layout->outputs > 1 && !look->layout->problem->is_distance;
  return *count > 0 ? fcps_structure_set(proposals, sizeof yes, &yes) : FCPS_OK;
}

static fcps_status edit(const void *state, const fcps_layout *layout, fcps_description *description)
{
  (void)state, (void)layout;
  description->gps = description->outputs;
  if (description->usual_scaling != FCPS_SCALING_NONE) description->scaling = FCPS_SCALING_EACH;
  return FCPS_OK;
}

static fcps_json *write_state(const fcps_layout *layout, const fcps_description *description, const void *state)
{
  (void)layout, (void)description, (void)state;
  return fcps_json_from_bool(true);
}

static fcps_status read_state(const fcps_look *look, const fcps_json *json, fcps_structure *structure)
{
  bool is_on = false;
  if (!fcps_json_bool(json, &is_on) || !is_on || look->layout->outputs < 2) return FCPS_ERR_FORMAT;
  return fcps_structure_set(structure, sizeof yes, &yes);
}

static char *describe(const fcps_look *look, const void *state, size_t size, char *text)
{
  (void)look, (void)state;
  snprintf(text, size, "each outcome depends on the inputs in its own way");
  return text;
}

const fcps_structure_kind fcps_structure_separate = {.name = "separate",
                                                     .excludes = "frame input_noise",
                                                     .needs_whole = true,
                                                     .least_rows = 5,
                                                     .begin = begin,
                                                     .propose = propose,
                                                     .edit = edit,
                                                     .write = write_state,
                                                     .read = read_state,
                                                     .describe = describe};
