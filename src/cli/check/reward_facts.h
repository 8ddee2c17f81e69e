/* SPDX-License-Identifier: Apache-2.0 */
/* What a reward does, found by trying it: which dimensions change it, and whether it grows as the target goes away from
 * what happened. A formula may name a dimension and not depend on it. */
#ifndef FCPS_CLI_CHECK_REWARD_FACTS_H
#define FCPS_CLI_CHECK_REWARD_FACTS_H

#include <fcps/problem.h>

typedef struct cli_reward_facts {
  bool depends[4][FCPS_SPACE_MAX];  /* on each dimension of target, environment, parameters, outcome */
  bool has_value;                   /* somewhere */
  bool is_contrary[FCPS_SPACE_MAX]; /* of each target dimension: the reward is worst, not best, inside its range */
} cli_reward_facts;

/* Tries the reward of a problem at random points within the bounds. Outcomes without a range are tried around `outcomes`
 * (`count` rows that were seen; may be 0). The problem must have a reward function. */
fcps_status cli_reward_facts_find(const fcps_problem *problem, int count, const double *outcomes,
                                  cli_reward_facts *facts, fcps_error *error);

#endif
