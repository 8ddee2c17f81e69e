/* SPDX-License-Identifier: Apache-2.0 */
/* What a study states as a fact: what `fcps study status` and the page show of its model, and its warnings. */
#ifndef FCPS_BENCH_CALIBRATION_CLAIMS_H
#define FCPS_BENCH_CALIBRATION_CLAIMS_H

#include "calibration/study.h"

#include <fcps/study_remarks.h>

enum { CLAIM_CODES = 160, CLAIM_WORDS = 120 };

/* Begins as zeros. */
typedef struct calibration_claims {
  unsigned made;                           /* bits of calibration_claim */
  double odds;                             /* natural logarithm of the largest odds that were printed; 0: none were */
  calibration_claim odds_of;               /* what they are for */
  int suspects, right_suspects, surprises; /* the second: of the first, results that really are wrong */
  double noise_ratio;                      /* of the most to the least noise; 1: it is even */
  bool is_separate;                        /* outcomes have lengths of their own; nothing says so in words */
  bool is_held_back;                       /* a remark or a suspect keeps it from being enough */
  bool is_converged;
  char codes[CLAIM_CODES], words[CLAIM_WORDS]; /* of all warnings and remarks, once each; of what has the odds */
} calibration_claims;

/* Hears the warnings of a study: a log whose user is the claims. */
void calibration_claims_hear(void *user, fcps_log_level level, const char *code, const char *message);

/* Looks as `fcps study status` does, and adds what is claimed. */
fcps_status calibration_claims_read(calibration_claims *claims, fcps_study *study, const calibration_world *world,
                                    fcps_error *error);

#endif
