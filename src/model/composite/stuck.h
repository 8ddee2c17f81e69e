/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a sensor that was dead when the trials began: the same number again and again, wherever the trials were, and
 * never since.
 *
 * One such number is no surprise to the others: they are as many as the right ones, and together they bend the
 * hyper-parameters until nothing depends on anything. So they are recognized by their shape, without the model: a run at
 * the beginning, places all over the box, and a value that no later row has. Later runs are not looked at: a learner
 * that has found what it was asked for may see the same outcome each time.
 *
 * What is honest is spared. An output at the end of its range leaves it by nature. An output of few digits, or a count,
 * often has the same value: so the other rows must hardly have any twice. */
#ifndef FCPS_MODEL_COMPOSITE_STUCK_H
#define FCPS_MODEL_COMPOSITE_STUCK_H

#include <fcps/base.h>

typedef struct fcps_model fcps_model;

/* So many equal results at different places are no chance. A study says so as soon as there are as many
 * (study/same_outcome.c), so that what is said of a dead sensor is also doubted once it lives. */
enum { FCPS_STUCK_LEAST = 5 };

/* Says of each training rollout whether it is such a row; y: training rollouts x outputs, the outcomes. Returns how many
 * are. What somebody has confirmed is none. */
int fcps_stuck_find(const fcps_model *model, int outputs, const double *y, bool *stuck);

/* Whether an output is a measurement: one that often has the very same value, such as a count or a number at its bound,
 * leaves that value by nature. What a dead sensor told does not count. */
bool fcps_stuck_is_measured(int rows, const double *y, const bool *stuck);

#endif
