/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of a study: those of its model, as `fcps study status` and the page show them, and its warnings. */
#ifndef FCPS_BENCH_CALIBRATION_CLAIMS_H
#define FCPS_BENCH_CALIBRATION_CLAIMS_H

#include "calibration/study.h"

#include <fcps/study_remarks.h>

enum { CLAIM_CODES = 160, CLAIM_WORDS = 120 };

/* The claims of one study. Must be zeroed at first. */
typedef struct calibration_claims {
  unsigned made;                           /* bits of calibration_claim */
  double odds;                             /* natural logarithm of the largest odds that were printed; 0: no odds */
  calibration_claim odds_of;               /* the claim that has these odds */
  int suspects, right_suspects, surprises; /* right_suspects: suspects that really are wrong */
  double noise_ratio;                      /* of the most to the least noise; 1: it is even */
  bool is_separate;                        /* outcomes have lengths of their own, which no text mentions */
  bool is_held_back;                       /* a remark or a suspect keeps the study from having enough trials */
  bool is_converged;
  char codes[CLAIM_CODES], words[CLAIM_WORDS]; /* all warnings and remarks, once each; the text with the odds */
} calibration_claims;

/* The function of a study's log that collects warnings; `user` is the claims. */
void calibration_claims_hear(void *user, fcps_log_level level, const char *code, const char *message);

/* Reads the study as `fcps study status` does, and adds its claims. */
fcps_status calibration_claims_read(calibration_claims *claims, fcps_study *study, const calibration_world *world,
                                    fcps_error *error);

#endif
