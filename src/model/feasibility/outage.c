/* SPDX-License-Identifier: Apache-2.0 */
/* Two of the others are neighbours in time where no training rollout was told between them. */
#include "model/feasibility/outage.h"

#include <math.h>

/* Two in a row happen anywhere. */
enum { LEAST_FAILURES = 3 };

/* Whether a trial went wrong as those of such an outage did. To confirm one says that the parameters were to
 * blame. */
static bool went_wrong(const fcps_rollout *rollout, fcps_outage_kind kind)
{
  const bool has_failed = rollout->status != FCPS_ROLLOUT_OK;
  if (rollout->is_confirmed) return false;
  return kind == FCPS_OUTAGE_FAILURES ? has_failed : !has_failed && rollout->outcome == NULL;
}

fcps_outage fcps_outage_find(const fcps_rollouts *others, const int *told_before, int training, fcps_outage_kind kind)
{
  fcps_outage longest = {0}, current = {0};
  int all = 0;
  for (int i = 0; i < others->count; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(others, i);
    const bool goes_on = current.count > 0 && told_before[i] == told_before[i - 1];
    const bool is_wrong = went_wrong(&rollout, kind);
    if (!goes_on) current = (fcps_outage){.first = i};
    current.count = is_wrong ? current.count + 1 : 0;
    if (current.count == 1) current.first = i;
    /* an unbroken run of failures is an outage only if a later trial ended well */
    const bool may_be_one = kind == FCPS_OUTAGE_ABSENCES || told_before[i] < training;
    if (current.count > longest.count && may_be_one) longest = current;
    all += is_wrong;
  }
  /* a stretch of absences must be rare, and long beside all others, or it is something else */
  const bool is_unusual = 3 * longest.count <= training + others->count && 2 * longest.count > all;
  const bool is_one = longest.count >= LEAST_FAILURES && (kind == FCPS_OUTAGE_FAILURES || is_unusual);
  return is_one ? longest : (fcps_outage){0};
}

bool fcps_outage_has(fcps_outage outage, const fcps_rollouts *others, const fcps_rollout *rollout)
{
  for (int i = outage.first; i < outage.first + outage.count; i++)
    if (fcps_rollouts_is_trial(others, i, rollout)) return true;
  return false;
}

double fcps_outage_log_chance(int trials)
{
  return -log(0.5 * trials * (trials + 1.0));
}
