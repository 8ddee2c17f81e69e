/* SPDX-License-Identifier: Apache-2.0 */
/* What looks wrong in a study: in its reward, in what was told, or in what its model makes of it.
 *
 *   fcps_study_outlook(study, policy, &outlook, NULL, NULL, &error);
 *   for (int i = 0; (remark = fcps_study_remark_at(study, i)) != NULL; i++)
 *     puts(remark->text);
 *
 * Each remark is also written to the study's log once, when it is first made. */
#ifndef FCPS_STUDY_REMARKS_H
#define FCPS_STUDY_REMARKS_H

#include <fcps/study.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcps_study_remark {
  const char *code; /* stable, such as "W_UNIT"; docs/status.md lists them */
  const char *text; /* what was seen, in numbers, and what to do about it */
  bool holds_back;  /* while it stands, nothing is enough: fcps_outlook is never converged */
} fcps_study_remark;

/* The remarks that stand, as the calls before this one made them; NULL past the end. The last fcps_study_outlook has
 * looked at everything. A remark lives until the next call that is not const. */
FCPS_API const fcps_study_remark *fcps_study_remark_at(const fcps_study *study, int index);

#ifdef __cplusplus
}
#endif
#endif
