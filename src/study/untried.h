/* SPDX-License-Identifier: Apache-2.0 */
/* Untried words, and untried levels of whole numbers with few levels. While there is one, the study is not
 * converged. */
#ifndef FCPS_STUDY_UNTRIED_H
#define FCPS_STUDY_UNTRIED_H

#include "study/study_impl.h"

/* Writes which level of a parameter or of the environment never had a result; false if all had one. */
bool fcps_study_name_untried(const fcps_study *study, size_t size, char *text);

/* Computes the possible gain of the untried levels, as the mean over contexts (rows). `parameters` are those that
 * the policy chooses there, and `rewards` its predictions for them (a context with NaN does not count). The gain is
 * 0 if all levels were tried. */
fcps_status fcps_study_weigh_untried(fcps_study *study, fcps_policy *policy, int contexts, const double *targets,
                                     const double *environments, const double *rewards, double *parameters,
                                     double *gain);

#endif
