/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a study's model: each result is compared with what the model expects of it from all other results
 * (leave-one-out).
 *
 *   fcps_study_policy(study, &policy, &error);
 *   fcps_study_check_model(study, policy, &check, &error);
 *   printf("%d of %d results lie within their 95 %% intervals\n", check->outputs[0].covered, check->outputs[0].predicted);
 *   fcps_study_check_destroy(check);
 */
#ifndef FCPS_STUDY_CHECK_H
#define FCPS_STUDY_CHECK_H

#include <fcps/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Half the width of a 95 % interval, in deviations. */
#define FCPS_STUDY_CHECK_WIDTH 1.959963984540054

/* A result, and what the model expects of it. The arrays have a number for each output, in its unit. */
typedef struct fcps_checked_result {
  int64_t sequence, ask;   /* as in fcps_stored_result */
  int result_number;       /* as in fcps_stored_result */
  const double *told;      /* as the model sees it: an outcome outside its bounds counts as the bound */
  const double *expected;  /* by a model that has all other results; NaN if they do not suffice */
  const double *deviation; /* of the told value from the expected one, noise included; NaN if `expected` is */
  double surprise;         /* the largest |told - expected| / deviation; NaN if there is none */
} fcps_checked_result;

/* How well the model predicts one output. */
typedef struct fcps_checked_output {
  const char *name, *unit; /* an outcome, or "reward"; "" if it has no unit */
  int predicted;           /* results with an expectation; the numbers below refer to these */
  int covered;             /* results within their 95 % intervals */
  double error;            /* root mean square of told - expected; NaN without results */
  double spread;           /* standard deviation of the told values; NaN without results */
  /* far fewer than 95 % are covered (of 40 less than 85 %, of 20 less than 75 %): predictions are less certain than
   * their deviations say */
  bool is_overconfident;
  bool is_careful; /* far more are covered: predictions are more certain than their deviations say */
  /* errors are hardly smaller than the distances from the middle of the told values, by medians and by squares: the
   * model has not learnt what this output depends on */
  bool is_blind;
  double median_error; /* the median of |told - expected|: half of the errors are smaller; NaN without results */
  /* errors grow with the expected value, beyond chance: one noise for all outputs is too large for small ones and
   * too small for large ones */
  bool is_noise_growing;
} fcps_checked_output;

typedef struct fcps_study_check {
  const char *model; /* "joint", "rescored" or "outcome" */
  int result_count;  /* results that the model learns from, in the order of the study */
  const fcps_checked_result *results;
  int output_count;
  const fcps_checked_output *outputs;
} fcps_study_check;

/* Checks the model of a policy that fcps_study_policy made for this study. The hyper-parameters stay those of all
 * results. Fails with FCPS_ERR_UNSUPPORTED if the learner has no Gaussian process, or fewer than five results to
 * learn from. With the setting `hindsight` each result has a second row for the target that it achieved; this row is
 * not left out with it. */
FCPS_API fcps_status fcps_study_check_model(fcps_study *study, fcps_policy *policy, fcps_study_check **check,
                                            fcps_error *error);
FCPS_API void fcps_study_check_destroy(fcps_study_check *check);

#ifdef __cplusplus
}
#endif
#endif
