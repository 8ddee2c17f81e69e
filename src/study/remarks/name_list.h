/* SPDX-License-Identifier: Apache-2.0 */
/* Names of results in a row, as `amend --drop` understands them: "30.1-34.1,36.1". */
#ifndef FCPS_STUDY_NAME_LIST_H
#define FCPS_STUDY_NAME_LIST_H

#include <fcps/study.h>

enum { FCPS_STUDY_NAME_PART = 100 }; /* characters of a range, at most */

/* Whether a result is to be named. */
typedef bool fcps_study_is_named(const void *user, const fcps_stored_result *stored);

/* Writes the names of those that are; a list of more than `most` ranges ends there, so that the rest is named by the next
 * look. A range names nobody else. Returns how many results are named. */
int fcps_study_list_names(const fcps_study *study, fcps_study_is_named *is_named, const void *user, int most,
                          size_t size, char *text);

#endif
