/* SPDX-License-Identifier: Apache-2.0 */
/* Remarks: what looks wrong in the reward, the results or the model of a study.
 *
 *   fcps_study_outlook(study, policy, &outlook, NULL, NULL, &error);
 *   for (int i = 0; (remark = fcps_study_remark_at(study, i)) != NULL; i++)
 *     puts(remark->text);
 *
 * Each remark is also logged once, when it is first made. */
#ifndef FCPS_STUDY_REMARKS_H
#define FCPS_STUDY_REMARKS_H

#include <fcps/study.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcps_study_remark {
  const char *code; /* stable, such as "W_UNIT"; docs/status.md lists them */
  const char *text; /* what was found, in numbers, and what to do about it */
  bool holds_back;  /* while it stands, fcps_outlook never calls the study converged */
} fcps_study_remark;

/* The standing remarks, which earlier calls have made; NULL past the end. fcps_study_outlook looks for all kinds. A
 * remark lives until the next call that is not const. */
FCPS_API const fcps_study_remark *fcps_study_remark_at(const fcps_study *study, int index);

#ifdef __cplusplus
}
#endif
#endif
