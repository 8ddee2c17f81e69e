/* SPDX-License-Identifier: Apache-2.0 */
/* What a reward that is a formula asks of the outcome, read from its steps and not from what trials happened to meet. */
#ifndef FCPS_PROBLEM_REWARD_PARTS_H
#define FCPS_PROBLEM_REWARD_PARTS_H

#include "problem/reward.h"

/* Whether it has the same value whatever happens. */
bool fcps_reward_is_constant(const fcps_reward_formula *reward);

/* Whether it uses a value, counted as in fcps_reward_formula. A product with 0 uses none. */
bool fcps_reward_uses(const fcps_reward_formula *reward, int value);

/* Whether it uses an outcome, or whether there is one. */
bool fcps_reward_uses_outcome(const fcps_reward_formula *reward);

/* The number of an outcome whose exact value decides something, as in `n == 3` or `hit ? 1 : -1`; -1: there is none. */
int fcps_reward_exact_outcome(const fcps_reward_formula *reward);

#endif
