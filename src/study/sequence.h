/* SPDX-License-Identifier: Apache-2.0 */
/* How far a study's journal goes, for whoever tells others that something has changed, and among several handles on one study. */
#ifndef FCPS_STUDY_SEQUENCE_H
#define FCPS_STUDY_SEQUENCE_H

#include "store/store.h"

#include <fcps/study.h>

/* The number of the last record that this handle has seen; 0: there is none. Records are only ever added, so that a
 * larger number means news, and the same number none. */
int64_t fcps_study_sequence(const fcps_study *study);

/* What is known of the journal's end, between calls; see fcps_store_share_seen. */
void fcps_study_share_seen(fcps_study *study, fcps_store_seen *latest);

#endif
