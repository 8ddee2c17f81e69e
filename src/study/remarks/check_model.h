/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a model (fcps/study_check.h), for the remarks of a study. */
#ifndef FCPS_STUDY_REMARKS_CHECK_MODEL_H
#define FCPS_STUDY_REMARKS_CHECK_MODEL_H

#include "model/surprises.h"

#include <fcps/study_check.h>

/* Checks a model that has learnt from results of the study. */
fcps_status fcps_study_make_check(const fcps_study *study, const fcps_model *model, fcps_study_check **check,
                                  fcps_error *error);

/* Whether a row of a model seems to be in another unit. W_UNIT explains such a row (unit_change.c), so it is no
 * evidence against the model. */
static inline bool fcps_study_is_row_in_other_unit(const fcps_model *model, int row)
{
  int count;
  const fcps_doubt *doubts = fcps_doubts_of(&model->description, &count);
  for (int i = 0; i < count; i++)
    if (doubts[i].row == row) return doubts[i].spell.factor > 0.0;
  return false;
}

#endif
