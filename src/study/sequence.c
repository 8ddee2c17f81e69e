/* SPDX-License-Identifier: Apache-2.0 */
/* The number is that of the index, which every call of the study brings up to date. */
#include "study/sequence.h"

#include "study/study_impl.h"

int64_t fcps_study_sequence(const fcps_study *study)
{
  return study->sequence;
}

void fcps_study_share_seen(fcps_study *study, fcps_store_seen *latest)
{
  fcps_store_share_seen(study->store, latest);
}
