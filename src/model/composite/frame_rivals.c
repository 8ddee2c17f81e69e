/* SPDX-License-Identifier: Apache-2.0 */
/* Weights are posterior odds, p(frame | outcomes) ~ exp(score) (frame_choice.c). */
#include "model/composite/frame_rivals.h"

#include "model/model.h"
#include "model/told_noise.h"

#include <math.h>

/* A frame has a say while it is at most this far behind, in nats: odds of twenty to one. */
static const double undecided = 3.0;

/* The rivals, most probable first. */
static int find_rivals(const fcps_model *model, int rivals[FCPS_FRAME_RIVALS])
{
  const fcps_frame_choice *c = &model->frame_choice;
  int count = 0;
  if (c->count == 0 || c->active == 0 || c->looked == 0) return 0;
  for (int k = 0; k < c->count; k++) {
    if (k == c->active || !(c->scores[k] > c->scores[c->active] - undecided)) continue;
    int place = count < FCPS_FRAME_RIVALS ? count++ : FCPS_FRAME_RIVALS;
    for (; place > 0 && c->scores[rivals[place - 1]] < c->scores[k]; place--)
      if (place < FCPS_FRAME_RIVALS) rivals[place] = rivals[place - 1];
    if (place < FCPS_FRAME_RIVALS) rivals[place] = k;
  }
  return count;
}

int fcps_frame_rivals_count(const fcps_model *model)
{
  int rivals[FCPS_FRAME_RIVALS];
  return find_rivals(model, rivals);
}

static fcps_status make_rival(const fcps_model *model, int candidate, fcps_model **rival)
{
  fcps_status status = fcps_model_copy(model, model->problem, rival);
  if (status != FCPS_OK) return status;
  (*rival)->parent = model->parent;
  status = fcps_frame_choice_set(*rival, candidate);
  if (status == FCPS_OK) status = fcps_told_noise_update(*rival, NULL);
  for (int i = 0; i < fcps_model_gp_count(*rival) && status == FCPS_OK; i++)
    status = fcps_gp_factorize(fcps_model_gp(*rival, i), (*rival)->training.count);
  if (status != FCPS_OK) {
    fcps_model_destroy(*rival);
    *rival = NULL;
  }
  return status;
}

fcps_status fcps_frame_rivals_make(const fcps_model *model, fcps_model **members, int *count)
{
  int rivals[FCPS_FRAME_RIVALS];
  const int found = find_rivals(model, rivals);
  *count = 0;
  for (int i = 0; i < found; i++) {
    const fcps_status status = make_rival(model, rivals[i], members + *count);
    if (status == FCPS_ERR_MEMORY) return status;
    if (status == FCPS_OK) (*count)++;
  }
  return FCPS_OK;
}

double fcps_frame_rivals_weight(const fcps_model *model, const fcps_model *member)
{
  const fcps_frame_choice *c = &model->frame_choice;
  if (c->count == 0 || member->frame_choice.active == c->active) return 1.0;
  return exp(c->scores[member->frame_choice.active] - c->scores[c->active]);
}
