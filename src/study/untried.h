/* SPDX-License-Identifier: Apache-2.0 */
/* Words, and levels of whole numbers that have few, without a result: they hold "enough" back. */
#ifndef FCPS_STUDY_UNTRIED_H
#define FCPS_STUDY_UNTRIED_H

#include "study/study_impl.h"

/* Says which level of a parameter or of the environment never had a result; false: all had. */
bool fcps_study_name_untried(const fcps_study *study, size_t size, char *text);

/* What trying them might gain, in the mean over contexts (rows): `parameters` are those that the policy chooses there, and
 * `rewards` what it expects of them (NaN: does not count). 0 if all were tried. */
fcps_status fcps_study_weigh_untried(fcps_study *study, fcps_policy *policy, int contexts, const double *targets,
                                     const double *environments, const double *rewards, double *parameters,
                                     double *gain);

#endif
