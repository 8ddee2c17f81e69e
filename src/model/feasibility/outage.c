/* SPDX-License-Identifier: Apache-2.0 */
/* Two of the others are neighbours in time where no training rollout was told between them. */
#include "model/feasibility/outage.h"

#include "model/model.h"

#include <math.h>

/* Two failures in a row happen anywhere. */
enum { LEAST_FAILURES = 3 };

fcps_outage fcps_outage_find(const fcps_model *model)
{
  fcps_outage longest = {0}, current = {0};
  if (!model->knows_order) return longest;
  for (int i = 0; i < model->others.count; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(&model->others, i);
    const bool goes_on = current.count > 0 && model->told_before[i] == model->told_before[i - 1];
    if (!goes_on) current = (fcps_outage){.first = i};
    current.count = rollout.status != FCPS_ROLLOUT_OK ? current.count + 1 : 0;
    if (current.count == 1) current.first = i;
    if (current.count > longest.count) longest = current;
  }
  return longest.count >= LEAST_FAILURES ? longest : (fcps_outage){0};
}

bool fcps_model_excuses(const fcps_model *model, const fcps_rollout *rollout)
{
  const fcps_outage outage = model->feasibility.outage;
  for (int i = outage.first; i < outage.first + outage.count; i++)
    if (fcps_rollouts_is_trial(&model->others, i, rollout)) return true;
  return false;
}

double fcps_outage_log_chance(int trials)
{
  return -log(0.5 * trials * (trials + 1.0));
}
