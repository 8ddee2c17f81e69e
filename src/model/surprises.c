/* SPDX-License-Identifier: Apache-2.0 */
/* Finds surprises in a copy of the model, so that the model itself does not change. */
#include "model/surprises.h"

#include "base/memory.h"
#include "model/leave_one_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void fcps_surprises_destroy(fcps_surprises *found)
{
  fcps_rollouts_free(&found->rollouts);
  free(found->items);
  *found = (fcps_surprises){0};
}

/* Whether rollout i of a list, which has an outcome, has the same numbers as `rollout`. */
static bool is_rollout(const fcps_rollouts *r, int i, const fcps_rollout *rollout)
{
  return rollout->outcome != NULL && fcps_rollouts_is_trial(r, i, rollout) &&
         memcmp(fcps_rollouts_outcome(r, i), rollout->outcome, (size_t)r->outcome_width * sizeof(double)) == 0;
}

const fcps_surprise *fcps_surprises_of(const fcps_surprises *found, const fcps_rollout *rollout)
{
  for (int i = 0; i < found->rollouts.count; i++)
    if (is_rollout(&found->rollouts, i, rollout)) return found->items + i;
  return NULL;
}

bool fcps_model_has_suspects(const fcps_model *model)
{
  for (int s = 0; s < fcps_model_side_count(model); s++) {
    int count;
    fcps_doubts_of(&fcps_model_side(model, s)->description, &count);
    if (count > 0) return true;
  }
  return false;
}

bool fcps_model_doubts(const fcps_model *model, const fcps_rollout *rollout)
{
  for (int s = 0; s < fcps_model_side_count(model); s++) {
    const fcps_model *side = fcps_model_side(model, s);
    int count;
    const fcps_doubt *doubts = fcps_doubts_of(&side->description, &count);
    for (int i = 0; i < count; i++)
      if (is_rollout(&side->training, (int)doubts[i].row, rollout)) return true;
  }
  return false;
}

/* -- Judging -- */

static bool can_doubt(const fcps_model *model)
{
  return model->settings.structures.doubts != FCPS_STRUCTURE_OFF;
}

/* Whether two outputs are the same output, or form a pair that rotates together. */
static bool turn_together(const fcps_description *description, int a, int b)
{
  for (int k = 0; k < description->pair_count; k++) {
    const int *pair = description->pairs + 2 * k;
    if ((pair[0] == a || pair[1] == a) && (pair[0] == b || pair[1] == b)) return true;
  }
  return a == b;
}

/* Turns the told and the expected values of doubted rows back into the user's frame. If the surprising output is one of
 * a pair that rotates, the output of the pair that is further from its expectation is reported. */
static fcps_status turn_back(const fcps_model *side, int count, fcps_surprise *items, fcps_error *error)
{
  if (!side->description.changes_outputs || count == 0 || side->training.count < 2) return FCPS_OK;
  fcps_model_left_out out;
  const fcps_status status = fcps_model_leave_one_out(side, &out, error);
  if (status != FCPS_OK) return status;
  for (int i = 0; i < count; i++) {
    const size_t place = (size_t)items[i].row * (size_t)out.outputs;
    const int surprising = items[i].output;
    double furthest = -1.0;
    for (int o = 0; o < out.outputs; o++) {
      if (!turn_together(&side->description, surprising, o)) continue;
      const double told = out.told[place + (size_t)o], mean = out.mean[place + (size_t)o];
      const double deviation = out.deviation[place + (size_t)o], distance = fabs(told - mean) / deviation;
      if (!(distance > furthest)) continue;
      furthest = distance;
      items[i].output = o;
      items[i].value = told;
      items[i].expected = mean;
      items[i].deviation = deviation;
    }
  }
  fcps_model_left_out_destroy(&out);
  return FCPS_OK;
}

/* Returns the data that the functions of structures work on, with `y` as the outputs. */
static fcps_look look_with(const fcps_model *model, const double *y, fcps_look *parent, fcps_error *error)
{
  fcps_look look = fcps_model_look(model, parent, error);
  look.y = y;
  look.outputs = model->layout.outputs;
  look.rng = fcps_rng_stream(0, FCPS_PURPOSE_FIT, 0);
  return look;
}

/* Adds the doubted rows of a model that has not split, as far as people should know of them (is_mishap). */
static fcps_status collect(fcps_model *side, fcps_surprises *found, fcps_error *error)
{
  const int before = found->rollouts.count, room = before + side->training.count;
  double *y = NULL;
  int count = 0;
  bool has_changed;
  fcps_look parent;
  fcps_surprise *items = fcps_allocate((size_t)room + 1, sizeof *items);
  fcps_status status = items != NULL ? fcps_model_outputs(side, 1, NULL, &y, error) : FCPS_ERR_MEMORY;
  fcps_look look = look_with(side, y, &parent, error);
  if (status == FCPS_OK) status = fcps_model_grow_noise(side, error);
  if (status == FCPS_OK) status = fcps_gps_grow(&side->gps);
  if (status == FCPS_OK && can_doubt(side)) status = fcps_doubts_judge(&look, &has_changed);
  if (status == FCPS_OK) status = fcps_doubts_describe(&look, items + before);
  const fcps_doubt *doubts = fcps_doubts_of(&side->description, &count);
  if (status == FCPS_OK) status = turn_back(side, count, items + before, error);
  for (int i = 0, kept = before; i < count && status == FCPS_OK; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(&side->training, (int)doubts[i].row);
    if (!items[before + i].is_mishap) continue;
    items[kept++] = items[before + i];
    status = fcps_rollouts_add(&found->rollouts, &rollout);
  }
  if (status == FCPS_OK && before > 0) memcpy(items, found->items, (size_t)before * sizeof *items);
  if (status == FCPS_OK) {
    free(found->items);
    found->items = items;
  } else {
    free(items);
  }
  free(y);
  return status;
}

fcps_status fcps_model_find_surprises(const fcps_model *model, fcps_surprises *found, fcps_error *error)
{
  fcps_surprises_destroy(found);
  fcps_rollouts_init(&found->rollouts, model->problem);
  if (!model->ops->predicts_outcomes || model->training.count == 0) return FCPS_OK;
  fcps_model *copy = NULL;
  fcps_fit_result result;
  fcps_status status = fcps_model_copy(model, model->problem, &copy);
  if (status == FCPS_OK && copy->fitted == 0)
    status = fcps_model_fit(copy, 1, fcps_rollouts_target(&model->training, 0), fcps_rng_stream(0, FCPS_PURPOSE_FIT, 0),
                            &result, error);
  for (int s = 0; s < 2 && status == FCPS_OK && s < fcps_model_side_count(copy); s++)
    status = collect(fcps_model_side_count(copy) > 1 ? copy->split_model.child[s] : copy, found, error);
  fcps_model_destroy(copy);
  if (status != FCPS_OK) fcps_surprises_destroy(found);
  return status;
}

/* Sets *has_new if the next fit would doubt a row that the model does not doubt now. */
static fcps_status has_new_suspects(const fcps_model *model, bool *has_new, fcps_error *error)
{
  fcps_surprises found = {0};
  const fcps_status status = fcps_model_find_surprises(model, &found, error);
  *has_new = false;
  for (int i = 0; i < found.rollouts.count && status == FCPS_OK; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(&found.rollouts, i);
    *has_new = *has_new || !fcps_model_doubts(model, &rollout);
  }
  fcps_surprises_destroy(&found);
  return status;
}

fcps_status fcps_model_is_surprised(fcps_model *model, bool *is_surprised, fcps_error *error)
{
  double *y = NULL;
  *is_surprised = false;
  fcps_model_clear_pending(model);
  if (!model->ops->predicts_outcomes || !can_doubt(model) || fcps_model_side_count(model) > 1 || model->fitted == 0 ||
      model->fitted == model->training.count)
    return FCPS_OK;
  fcps_look parent;
  fcps_status status = fcps_model_grow_noise(model, error);
  if (status == FCPS_OK) status = fcps_gps_grow(&model->gps);
  if (status == FCPS_OK) status = fcps_model_outputs(model, 1, NULL, &y, error);
  if (status == FCPS_OK) {
    const fcps_look look = look_with(model, y, &parent, error);
    status = fcps_doubts_screen(&look, is_surprised);
  }
  if (status == FCPS_OK && *is_surprised) status = has_new_suspects(model, is_surprised, error);
  free(y);
  return status;
}

fcps_status fcps_model_count_hidden(const fcps_model *model, int *count, fcps_error *error)
{
  *count = 0;
  fcps_status status = FCPS_OK;
  for (int s = 0; s < fcps_model_side_count(model) && status == FCPS_OK; s++) {
    const fcps_model *side = fcps_model_side(model, s);
    int found = 0;
    double *y = NULL;
    fcps_model *copy = NULL;
    if (!side->ops->predicts_outcomes || side->training.count == 0) continue;
    status = fcps_model_outputs(side, 1, NULL, &y, error);
    if (status == FCPS_OK) status = fcps_model_copy(side, side->problem, &copy);
    if (status == FCPS_OK) {
      fcps_look parent, look = look_with(copy, y, &parent, error);
      status = fcps_doubts_count_hidden(&look, &found);
    }
    *count += found;
    fcps_model_destroy(copy);
    free(y);
  }
  return status;
}
