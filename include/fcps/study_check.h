/* SPDX-License-Identifier: Apache-2.0 */
/* How far the model of a study can be believed: each result is compared with what the model expects of it after all
 * others (leave-one-out).
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

/* A result, and what the others say about it. The arrays have a number for each output, in its unit. */
typedef struct fcps_checked_result {
  int64_t sequence, ask;   /* as in fcps_stored_result */
  int result_number;       /* the same */
  const double *told;      /* as the model knows it: an outcome outside its bounds counts as the bound */
  const double *expected;  /* by a model that has seen all other results; NaN if no others could say */
  const double *deviation; /* of what is told around it, noise included; NaN with `expected` */
  double surprise;         /* the largest |told - expected| / deviation; NaN if there is none */
} fcps_checked_result;

/* What the results say about one output of the model. */
typedef struct fcps_checked_output {
  const char *name, *unit; /* an outcome, or "reward"; "" if it has no unit */
  int predicted;           /* results for which there is an expectation; the numbers below are of these */
  int covered;             /* of them: told within the 95 % interval */
  double error;            /* root mean square of told - expected; NaN without results */
  double spread;           /* standard deviation of what was told; the same */
  bool is_overconfident;   /* far fewer than 95 % are covered: of 40 less than 85 %, of 20 less than 75 %. Predictions
                              are less certain than said */
  bool is_careful;         /* far more are: predictions are more certain than said */
  bool is_blind;           /* errors are hardly less than the distances from the middle of what was told, by their
                              medians and by their squares: the model has not learnt what this depends on */
  double median_error;     /* the median of |told - expected|: half of the errors are smaller; NaN without results */
  bool is_noise_growing;   /* errors are larger where more is expected, beyond chance: one deviation for all is too
                              much for small outputs and too little for large ones */
} fcps_checked_output;

typedef struct fcps_study_check {
  const char *model; /* "joint", "rescored" or "outcome" */
  int result_count;  /* results that the model learns from, in the order of the study */
  const fcps_checked_result *results;
  int output_count;
  const fcps_checked_output *outputs;
} fcps_study_check;

/* Checks the model of a policy of this study, as fcps_study_policy gave it. The hyper-parameters stay those of all
 * results. Fails with FCPS_ERR_UNSUPPORTED if the learner has no Gaussian process, and if it has fewer than five
 * results to learn from. With the setting `hindsight` each result has a second row for the target that it achieved,
 * which is not left out with it. */
FCPS_API fcps_status fcps_study_check_model(fcps_study *study, fcps_policy *policy, fcps_study_check **check,
                                            fcps_error *error);
FCPS_API void fcps_study_check_destroy(fcps_study_check *check);

/* How much a dimension matters, in words, by the share of its range over which the output changes (the lengths of
 * fcps_health): "matters much", "matters", "matters a little" or "hardly matters". */
FCPS_API const char *fcps_study_sensitivity_text(double length);

#ifdef __cplusplus
}
#endif
#endif
