/* SPDX-License-Identifier: Apache-2.0 */
/* What W_UNIT explains (unit_change.c) is no evidence against the model. */
#ifndef FCPS_STUDY_OTHER_UNIT_H
#define FCPS_STUDY_OTHER_UNIT_H

#include "model/surprises.h"

/* Whether a row of a model seems to be told in another unit. */
static inline bool fcps_study_is_row_in_other_unit(const fcps_model *model, int row)
{
  int count;
  const fcps_doubt *doubts = fcps_doubts_of(&model->description, &count);
  for (int i = 0; i < count; i++)
    if (doubts[i].row == row) return doubts[i].spell.factor > 0.0;
  return false;
}

#endif
