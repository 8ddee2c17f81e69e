/* SPDX-License-Identifier: Apache-2.0 */
/* What an ask expects of its trial: stored in the record of the ask as its `outcome`, and compared with what is told, so that
 * a tell needs no model. The numbers are the outcome, its deviations, the reward and its deviation, and the chances of success
 * and of an outcome. NaN: not known. */
#ifndef FCPS_STUDY_EXPECTATION_H
#define FCPS_STUDY_EXPECTATION_H

#include "study/study_impl.h"

/* How many numbers there are. */
int fcps_study_expectation_width(const fcps_study *study);

/* Asks the learner, which has just made the ask with these numbers; and whether it expects anything. */
fcps_status fcps_study_expect(fcps_study *study, const double *numbers, double *expected, fcps_error *error);
bool fcps_study_expects(const fcps_study *study, const double *expected);

/* What an ask expects, for people; `ask` may be NULL. What was expected of a reward that was amended since means nothing. */
fcps_expectation fcps_study_expectation_of(const fcps_study *study, const study_ask *ask);

/* How a result differs from what its ask expected. */
typedef struct study_surprise {
  const char *name; /* of the outcome, or "reward" */
  double told, expected, deviation;
} study_surprise;

/* Whether a stored result is so far from what its ask expected that its teller should look at it again: by the rule for
 * doubted rows of a model (model/structures/doubts.h), with the results that were stored before the ask as the others. A trial
 * that was done elsewhere, or with other parameters, than was asked is not compared. */
bool fcps_study_is_surprising(const fcps_study *study, const fcps_stored_result *stored, study_surprise *surprise);

enum { STUDY_SURPRISE_SIZE = 240 };
void fcps_study_describe_surprise(const study_surprise *surprise, char text[STUDY_SURPRISE_SIZE]);

/* Says that a result is surprising. */
void fcps_study_say_surprise(const fcps_study *study, const fcps_stored_result *stored, const study_surprise *surprise);

#endif
