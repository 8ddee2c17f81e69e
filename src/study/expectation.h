/* SPDX-License-Identifier: Apache-2.0 */
/* What an ask expects of its trial. The record of the ask stores it as its `outcome`, and a tell compares it with
 * the result, so a tell needs no model. The numbers are the outcome, its deviations, the reward and its deviation,
 * and the chances of success and of an outcome. NaN: not known. */
#ifndef FCPS_STUDY_EXPECTATION_H
#define FCPS_STUDY_EXPECTATION_H

#include "study/study_impl.h"

/* The number of numbers in an expectation. */
int fcps_study_expectation_width(const fcps_study *study);

/* fcps_study_expect writes what the learner expects of an ask that it has just made with these numbers. The second
 * function returns whether an expectation has any number. */
fcps_status fcps_study_expect(fcps_study *study, const double *numbers, double *expected, fcps_error *error);
bool fcps_study_expects(const fcps_study *study, const double *expected);

/* Returns the expectation of an ask in the form for users; `ask` may be NULL. If the reward was amended since the ask,
 * the expected reward is left out. */
fcps_expectation fcps_study_expectation_of(const fcps_study *study, const study_ask *ask);

/* How a result differs from what its ask expected. */
typedef struct study_surprise {
  const char *name; /* of the outcome, or "reward" */
  double told, expected, deviation;
} study_surprise;

/* Whether a stored result is so far from what its ask expected that its teller should check it. The rule is that for
 * doubted rows of a model (model/structures/doubts.h), compared with the results stored before the ask. A result is
 * not compared if its trial was done in another context or with other parameters than its ask. */
bool fcps_study_is_surprising(const fcps_study *study, const fcps_stored_result *stored, study_surprise *surprise);

enum { STUDY_SURPRISE_SIZE = 240 };
void fcps_study_describe_surprise(const study_surprise *surprise, char text[STUDY_SURPRISE_SIZE]);

/* Logs that a result is surprising. */
void fcps_study_say_surprise(const fcps_study *study, const fcps_stored_result *stored, const study_surprise *surprise);

#endif
