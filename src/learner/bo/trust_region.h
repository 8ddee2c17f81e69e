/* SPDX-License-Identifier: Apache-2.0 */
/* A trust region [eriksson2019]: in many dimensions a model is right only near what was tried, so the search stays in a
 * box around the best of that, which grows while trials succeed and shrinks while they fail.
 *
 * A trial succeeds where it earned more for its target than every earlier rollout would have: more than looking up old
 * rollouts could give. The history is a function of the rollouts: nothing of it is saved. */
#ifndef FCPS_LEARNER_BO_TRUST_REGION_H
#define FCPS_LEARNER_BO_TRUST_REGION_H

#include "problem/rollouts.h"

typedef struct fcps_trust_region {
  double side; /* of the box, in ranges of the parameters */
  int successes, failures;
} fcps_trust_region;

fcps_trust_region fcps_trust_region_start(void);

/* The region after a trial with `reward`, where earlier rollouts would have earned `best` at most. */
fcps_trust_region fcps_trust_region_after(fcps_trust_region trust_region, double reward, double best);

/* The same for a rollout, judged by `earlier` ones; one that is not ok fails. */
fcps_status fcps_trust_region_observe(fcps_trust_region *trust_region, const fcps_problem *problem,
                                      const fcps_rollouts *earlier, const fcps_rollout *rollout, fcps_error *error);

#endif
