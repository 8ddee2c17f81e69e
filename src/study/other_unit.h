/* SPDX-License-Identifier: Apache-2.0 */
/* What W_UNIT explains (unit_change.c) is no evidence against the model. */
#ifndef FCPS_STUDY_OTHER_UNIT_H
#define FCPS_STUDY_OTHER_UNIT_H

#include "model/model.h"

/* Whether a row of a model seems to be told in another unit. */
static inline bool fcps_study_is_row_in_other_unit(const fcps_model *model, int row)
{
  for (int i = 0; i < model->suspects.count; i++)
    if (model->suspects.rows[i] == row) return model->suspects.spells[i].factor > 0.0;
  return false;
}

#endif
