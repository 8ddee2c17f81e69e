/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a model (fcps/study_check.h) for whoever looks at a study. */
#ifndef FCPS_STUDY_MODEL_CHECK_H
#define FCPS_STUDY_MODEL_CHECK_H

#include "model/model.h"

#include <fcps/study_check.h>

/* Checks a model that has learnt from results of the study. */
fcps_status fcps_study_make_check(const fcps_study *study, const fcps_model *model, fcps_study_check **check,
                                  fcps_error *error);

#endif
