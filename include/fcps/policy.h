/* SPDX-License-Identifier: Apache-2.0 */
/* A policy: context -> parameters, with a prediction. A value that can be saved, loaded and queried alone.
 *
 *   fcps_prediction expected = {0};
 *   fcps_learner_policy(learner, &policy);
 *   fcps_policy_query(policy, target, environment, parameters, &expected);
 *   printf("do %g; expect %g +- %g\n", parameters[0], expected.reward, expected.reward_deviation);
 *   fcps_policy_destroy(policy);
 */
#ifndef FCPS_POLICY_H
#define FCPS_POLICY_H

#include <fcps/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcps_policy fcps_policy; /* opaque; may be queried from one thread at a time */

/* What a policy predicts for a trial. */
typedef struct fcps_prediction {
  bool has_reward;
  double reward, reward_deviation; /* NaN without has_reward, if the reward of the expected outcome has no value (it
                                      is NaN or infinite), and while there is no rollout to predict it from
                                      (fcps_health.rollouts is 0): then has_outcome is false as well */
  bool has_outcome;
  double *outcome, *outcome_deviation; /* the caller's arrays (outcome space), or NULL if not wanted */

  double reducible_deviation; /* the part of reward_deviation that further trials can take away: not that of chance */

  /* The chances that the trial does not fail, and that a trial which does not fail has an outcome. The predicted reward
   * and its deviation include them. 1 if nothing has gone wrong so far; NaN if the policy predicts no reward. */
  double chance_of_success, chance_of_outcome;

  /* The reward of a trial that does not fail and has an outcome; equal to the above if nothing has gone wrong so far.
   * Deviations are those of a trial, with its noise. NaN if the policy predicts no reward. */
  double success_reward, success_reward_deviation;

  int lacking_results; /* as fcps_policy_lacking_results says */
} fcps_prediction;

/* The same for many contexts: the caller's arrays, one number per context; NULL if one is not wanted. */
typedef struct fcps_predictions {
  double *rewards, *reward_deviations;
  double *reducible_deviations; /* the part of the deviation that further trials can take away: not that of chance */
  double *chances_of_success, *chances_of_outcome;
  double *success_rewards, *success_reward_deviations; /* of a trial that does not fail and has an outcome */
  double
      *chances_of_limits; /* that the trial keeps all limits; NaN if no outcome is predicted, or there are no limits */
} fcps_predictions;

/* Below this chance of success and outcome together, commands mark an answer. */
#define FCPS_LOW_CHANCE 0.9

/* The parameters for a context, and what they are expected to earn (`prediction` may be NULL). Fails with
 * FCPS_ERR_NOT_FINITE for a bad context, FCPS_ERR_CALLBACK when the reward fails; the words are in
 * fcps_policy_error. A context outside its bounds is answered: a policy may extrapolate. The log says so
 * (W_OUTSIDE_BOUNDS), fcps_problem_outside says where, and the deviations grow with the way beyond the bounds, up to the
 * spread of what was seen. A strict policy refuses such a context with FCPS_ERR_BOUNDS. */
FCPS_API fcps_status fcps_policy_query(fcps_policy *policy, const double *target, const double *environment,
                                       double *parameters, fcps_prediction *prediction);

/* Whether a context can be asked about; a query refuses it with the same words. */
FCPS_API fcps_status fcps_policy_check(fcps_policy *policy, const double *target, const double *environment);

/* Queries for `count` contexts at once (rows). `rewards` and `deviations` may be NULL; they become NaN if the policy
 * predicts no reward, if the reward has no value, or while there is nothing to predict it from. */
FCPS_API fcps_status fcps_policy_query_batch(fcps_policy *policy, int count, const double *targets,
                                             const double *environments, double *parameters, double *rewards,
                                             double *deviations);

/* The same with all that is predicted of a trial; `predictions` may be NULL. */
FCPS_API fcps_status fcps_policy_predict_batch(fcps_policy *policy, int count, const double *targets,
                                               const double *environments, double *parameters,
                                               const fcps_predictions *predictions);

/* Where warnings of queries go, one for each value outside its bounds, and one for all of a batch (default: nowhere), and
 * whether a context outside its bounds is refused (default: no). */
FCPS_API void fcps_policy_set_log(fcps_policy *policy, fcps_log log);
FCPS_API void fcps_policy_set_strict(fcps_policy *policy, bool is_strict);

/* Whether queries come with a predicted reward: policies with a model have one; those of c-reps, c-cma-es and crkr know
 * what to do, not what it earns. */
FCPS_API bool fcps_policy_predicts_reward(const fcps_policy *policy);

/* How many more results a policy needs before its predictions mean anything: two more than it has inputs (dimensions of
 * environment and parameters), because through fewer a plane goes exactly, and nothing says how far off it is. 0: they are
 * there, or the policy predicts no reward. While results are few, deviations are wide (docs/lab/outcome.md). */
FCPS_API int fcps_policy_lacking_results(const fcps_policy *policy);

/* The whole policy as text, to be freed with fcps_free. */
FCPS_API fcps_status fcps_policy_save(const fcps_policy *policy, char **text, fcps_error *error);

/* Reads what fcps_policy_save wrote. `problem` must have the same spaces and gives the reward again. */
FCPS_API fcps_status fcps_policy_load(fcps_policy **policy, const fcps_problem *problem, const char *text,
                                      fcps_error *error);

/* A structure of the world that a model believes in, such as "land_x, land_y turn with angle". It is used, with a share that
 * follows from its odds, before it can be claimed. */
enum { FCPS_FINDINGS = 8, FCPS_FINDING_WORDS = 512 };
typedef struct fcps_finding {
  const char *name; /* "frame", "contact", ... */
  char words[FCPS_FINDING_WORDS];
  double
      log_odds; /* against the best explanation without it, noise among them: natural logarithm; 0: it was declared */
  bool is_claimed; /* it was declared, or the odds are twenty to one at least */
} fcps_finding;

/* How one Gaussian process behind a policy sees the rollouts, and whether it is well. A model has one for all outputs,
 * or one for each of them; if it has split along a context dimension, those of the lower side come first. */
typedef struct fcps_health {
  const char *model;    /* "joint", "rescored" or "outcome" */
  const char *output;   /* what it predicts: "reward", the name of an outcome dimension, or "outcome" for all of them */
  const char *split_by; /* the dimension along which the model has split; NULL: it has not */
  bool is_upper_side;
  int rollouts;         /* rollouts that it learns from; with hindsight each counts twice */
  int others;           /* failed, not finite or (of model "outcome") absent: they only say what may go wrong */
  double noise;         /* its standard deviation */
  bool is_noise_share;  /* as a share of the output's own deviation; else in the output's unit */
  double jitter;        /* what had to be added to the kernel matrix (W_GP_JITTER); 0: nothing */
  const char *fallback; /* "W_GP_FIT_KEPT" or "W_GP_DEFAULTS" if the last fit ended so; NULL: it went well */
  double *target_lengths, *environment_lengths, *parameter_lengths; /* the caller's arrays, or NULL: the
                           share of a dimension's range that changes the output by about its spread; NaN: it is not an input */
  int finding_count; /* what is believed of the world beyond a plain Gaussian process */
  fcps_finding findings[FCPS_FINDINGS];
  double least_noise, most_noise; /* at the places of the rollouts, if noise depends on the place, as `noise` is; else
                             both are `noise` */
} fcps_health;

/* Describes process number `index` (from 0); false past the last, and for policies without a model. */
FCPS_API bool fcps_policy_health(const fcps_policy *policy, int index, fcps_health *health);

FCPS_API const fcps_error *fcps_policy_error(const fcps_policy *policy);
FCPS_API void fcps_policy_destroy(fcps_policy *policy);

#ifdef __cplusplus
}
#endif
#endif
