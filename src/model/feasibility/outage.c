/* SPDX-License-Identifier: Apache-2.0 */
/* Two of the others are neighbours in time where no training rollout was told between them. */
#include "model/feasibility/outage.h"

#include "model/model.h"

#include <math.h>

/* Two in a row happen anywhere. */
enum { LEAST_FAILURES = 3 };

/* Whether a trial went wrong as those of such an outage did. Who confirms one says that it was the parameters' fault. */
static bool went_wrong(const fcps_rollout *rollout, fcps_outage_kind kind)
{
  const bool has_failed = rollout->status != FCPS_ROLLOUT_OK;
  if (rollout->is_confirmed) return false;
  return kind == FCPS_OUTAGE_FAILURES ? has_failed : !has_failed && rollout->outcome == NULL;
}

/* Whether absences are so rare otherwise that such a stretch is something else. */
static bool is_unusual(const fcps_model *model, int stretch, int all)
{
  const int trials = model->training.count + model->others.count;
  return 3 * stretch <= trials && 2 * stretch > all;
}

/* Whether a stretch may be an outage already: failures only when a trial has ended well since. */
static bool may_be_one(const fcps_model *model, fcps_outage_kind kind, fcps_outage stretch)
{
  if (kind == FCPS_OUTAGE_ABSENCES || stretch.count == 0) return true;
  return model->told_before[stretch.first + stretch.count - 1] < model->training.count;
}

fcps_outage fcps_outage_find(const fcps_model *model, fcps_outage_kind kind)
{
  fcps_outage longest = {0}, current = {0};
  int all = 0;
  for (int i = 0; i < model->others.count; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(&model->others, i);
    const bool goes_on = current.count > 0 && model->told_before[i] == model->told_before[i - 1];
    const bool is_wrong = went_wrong(&rollout, kind);
    if (!goes_on) current = (fcps_outage){.first = i};
    current.count = is_wrong ? current.count + 1 : 0;
    if (current.count == 1) current.first = i;
    if (current.count > longest.count && may_be_one(model, kind, current)) longest = current;
    all += is_wrong;
  }
  const bool is_one =
      longest.count >= LEAST_FAILURES && (kind == FCPS_OUTAGE_FAILURES || is_unusual(model, longest.count, all));
  return is_one ? longest : (fcps_outage){0};
}

static bool is_in(const fcps_model *model, fcps_outage outage, const fcps_rollout *rollout)
{
  for (int i = outage.first; i < outage.first + outage.count; i++)
    if (fcps_rollouts_is_trial(&model->others, i, rollout)) return true;
  return false;
}

bool fcps_model_excuses(const fcps_model *model, const fcps_rollout *rollout)
{
  return is_in(model, model->feasibility.outage, rollout) || is_in(model, model->feasibility.absence, rollout);
}

double fcps_outage_log_chance(int trials)
{
  return -log(0.5 * trials * (trials + 1.0));
}
