/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of the model is judged, so that whoever looks changes nothing. */
#include "model/surprises.h"

#include "base/memory.h"
#include "model/leave_one_out.h"
#include "model/told_noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void fcps_surprises_destroy(fcps_surprises *found)
{
  fcps_rollouts_free(&found->rollouts);
  free(found->items);
  *found = (fcps_surprises){0};
}

/* Whether rollout i of a list, which has an outcome, has these numbers. */
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
  for (int s = 0; s < fcps_model_side_count(model); s++)
    if (fcps_model_side(model, s)->suspects.count > 0) return true;
  return false;
}

bool fcps_model_doubts(const fcps_model *model, const fcps_rollout *rollout)
{
  for (int s = 0; s < fcps_model_side_count(model); s++) {
    const fcps_model *side = fcps_model_side(model, s);
    for (int i = 0; i < side->suspects.count; i++)
      if (is_rollout(&side->training, side->suspects.rows[i], rollout)) return true;
  }
  return false;
}

/* -- Judging -- */

/* The outputs of the training rollouts; to be freed. */
static fcps_status outputs_of(const fcps_model *model, double **y, fcps_error *error)
{
  const size_t width = (size_t)model->ops->width(model->problem);
  *y = fcps_allocate((size_t)model->training.count * width + 1, sizeof(double));
  return *y != NULL ? model->ops->outputs(model, NULL, *y, error) : FCPS_ERR_MEMORY;
}

/* Whether two outputs are one, or of a pair that turns together. */
static bool turn_together(const fcps_frame *frame, int a, int b)
{
  for (int k = 0; k < frame->pair_count; k++) {
    const fcps_frame_pair *pair = frame->pairs + k;
    if ((pair->first == a || pair->second == a) && (pair->first == b || pair->second == b)) return true;
  }
  return a == b;
}

/* What was told and what was expected of suspects, in the user's frame: where the outcome that surprised is one of a pair
 * that turns, in the one of both that is further away. */
static fcps_status turn_back(const fcps_model *side, fcps_surprise *items, fcps_error *error)
{
  if (side->frame.angle == FCPS_FRAME_NONE || side->suspects.count == 0 || side->training.count < 2) return FCPS_OK;
  fcps_model_left_out out;
  const fcps_status status = fcps_model_leave_one_out(side, &out, error);
  if (status != FCPS_OK) return status;
  for (int i = 0; i < side->suspects.count; i++) {
    const size_t place = (size_t)items[i].row * (size_t)out.outputs;
    const int surprising = items[i].output;
    double furthest = -1.0;
    for (int o = 0; o < out.outputs; o++) {
      if (!turn_together(&side->frame, surprising, o)) continue;
      const double told = out.told[place + (size_t)o], mean = out.mean[place + (size_t)o];
      const double deviation = out.deviation[place + (size_t)o], distance = fabs(told - mean) / deviation;
      if (!(distance > furthest)) continue;
      furthest = distance;
      items[i] = (fcps_surprise){items[i].row, o, told, mean, deviation, items[i].distance, items[i].spell};
    }
  }
  fcps_model_left_out_destroy(&out);
  return FCPS_OK;
}

/* Adds the suspects of a model that has not split. */
static fcps_status collect(fcps_model *side, fcps_surprises *found, fcps_error *error)
{
  const int width = side->ops->width(side->problem), before = found->rollouts.count,
            count = before + side->training.count;
  double *y = NULL;
  bool has_changed;
  fcps_surprise *items = fcps_allocate((size_t)count + 1, sizeof *items);
  fcps_status status = items != NULL ? outputs_of(side, &y, error) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_told_noise_grow(side);
  if (status == FCPS_OK) status = fcps_per_output_grow(side);
  if (status == FCPS_OK) status = fcps_suspects_review(side, width, y, side->fitted, &has_changed);
  if (status == FCPS_OK) status = fcps_suspects_describe(side, width, y, items + before);
  if (status == FCPS_OK) status = turn_back(side, items + before, error);
  for (int i = 0; i < side->suspects.count && status == FCPS_OK; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(&side->training, side->suspects.rows[i]);
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

/* Whether a review would doubt a row that is believed now. */
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
  if (!model->ops->predicts_outcomes || fcps_model_side_count(model) > 1 || model->fitted == 0 ||
      model->fitted == model->training.count)
    return FCPS_OK;
  fcps_status status = fcps_told_noise_grow(model);
  if (status == FCPS_OK) status = fcps_per_output_grow(model);
  if (status == FCPS_OK) status = outputs_of(model, &y, error);
  if (status == FCPS_OK) status = fcps_suspects_screen(model, model->ops->width(model->problem), y, is_surprised);
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
    status = outputs_of(side, &y, error);
    if (status == FCPS_OK) status = fcps_model_copy(side, side->problem, &copy);
    if (status == FCPS_OK)
      status = fcps_suspects_count_hidden(copy, side->ops->width(side->problem), y,
                                          fcps_rng_stream(0, FCPS_PURPOSE_FIT, 0), &found);
    *count += found;
    fcps_model_destroy(copy);
    free(y);
  }
  return status;
}
