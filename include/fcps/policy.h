/* SPDX-License-Identifier: Apache-2.0 */
/* A policy: context -> parameters, with a prediction. A value that can be saved, loaded and queried alone. */
#ifndef FCPS_POLICY_H
#define FCPS_POLICY_H

#include <fcps/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcps_policy fcps_policy; /* opaque; may be queried from one thread at a time */

/* What is believed of a trial before it is made. */
typedef struct fcps_prediction {
  bool has_reward;
  double reward, reward_deviation;
  bool has_outcome;
  double *outcome, *outcome_deviation; /* the caller's arrays (outcome space), or NULL if not wanted */
} fcps_prediction;

/* The parameters for a context, and what they are expected to earn (`prediction` may be NULL). Fails with
 * FCPS_ERR_NOT_FINITE for a bad context, FCPS_ERR_CALLBACK when the reward fails; the words are in
 * fcps_policy_error. A context outside its bounds is answered: a policy may extrapolate. */
FCPS_API fcps_status fcps_policy_query(fcps_policy *policy, const double *target, const double *environment,
                                       double *parameters, fcps_prediction *prediction);

/* The same for `count` contexts at once (rows). `rewards` and `deviations` may be NULL. */
FCPS_API fcps_status fcps_policy_query_batch(fcps_policy *policy, int count, const double *targets,
                                             const double *environments, double *parameters, double *rewards,
                                             double *deviations);

/* The whole policy as text, to be freed with fcps_free. */
FCPS_API fcps_status fcps_policy_save(const fcps_policy *policy, char **text, fcps_error *error);

/* Reads what fcps_policy_save wrote. `problem` must have the same spaces and gives the reward again. */
FCPS_API fcps_status fcps_policy_load(fcps_policy **policy, const fcps_problem *problem, const char *text,
                                      fcps_error *error);

FCPS_API const fcps_error *fcps_policy_error(const fcps_policy *policy);
FCPS_API void fcps_policy_destroy(fcps_policy *policy);

#ifdef __cplusplus
}
#endif
#endif
