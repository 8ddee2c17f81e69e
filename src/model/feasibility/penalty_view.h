/* SPDX-License-Identifier: Apache-2.0 */
/* How rewards are asked for where a trial may go wrong. All zero is how an acquisition asks: a deviation is what a
 * trial may tell, and going wrong tells nothing of the reward; and it is curious, a search that never goes where an
 * outcome is only likely stays where the first ones were. A policy is sober: it chooses with caution, and then
 * predicts trials.
 */
#ifndef FCPS_MODEL_FEASIBILITY_PENALTY_VIEW_H
#define FCPS_MODEL_FEASIBILITY_PENALTY_VIEW_H

#include <fcps/base.h>

/* Points that are asked about at once: their covariances with a few hundred rows still fit the cache. */
enum { FCPS_POSTERIOR_BLOCK = 256 };

typedef struct fcps_penalty_view {
  double caution;  /* how much a choice keeps away from what may go wrong; never a prediction */
  bool is_sober;   /* chances of an outcome count as they are; else their roots, as if half a trial had to go well */
  bool is_mixture; /* the deviation is that of a trial's reward, which may come from going wrong */
  bool ends_well;  /* as if nothing could go wrong */
  bool without_limits; /* a prediction: what breaks a limit is worth what it earns */
  double widening; /* the outcome is that of a trial: its deviation is that of the GP with noise, so many times; 0: that
                      of the GP alone. Means of rewards know of the noise, and of nothing else. */
} fcps_penalty_view;

#endif
