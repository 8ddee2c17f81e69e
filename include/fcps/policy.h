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
  /* NaN if has_reward is false, if the reward has no value for the expected outcome, and while there is no rollout
   * to learn from (fcps_health.rollouts is 0); then has_outcome is false, too */
  double reward, reward_deviation;
  bool has_outcome;
  double *outcome, *outcome_deviation; /* the caller's arrays (outcome space), or NULL */

  /* the part of reward_deviation that further trials can remove: without the part due to chance */
  double reducible_deviation;

  /* The chance that the trial does not fail, and the chance that it then has an outcome. The predicted reward and
   * its deviation include both. They are 1 if nothing has gone wrong so far, and NaN if the policy predicts no
   * reward. */
  double chance_of_success, chance_of_outcome;

  /* The reward of a trial that does not fail and has an outcome; equal to `reward` if nothing has gone wrong so far.
   * All deviations are those of a single trial, with its noise. NaN if the policy predicts no reward. */
  double success_reward, success_reward_deviation;

  int lacking_results; /* as fcps_policy_lacking_results says */
} fcps_prediction;

/* The predictions for many contexts: arrays of the caller with one number per context; each may be NULL. */
typedef struct fcps_predictions {
  double *rewards, *reward_deviations;
  double *reducible_deviations; /* the part of the deviation that further trials can remove */
  double *chances_of_success, *chances_of_outcome;
  double *success_rewards, *success_reward_deviations; /* for a trial that does not fail and has an outcome */
  /* the chance that the trial keeps all limits; NaN if the policy predicts no outcome, or there are no limits */
  double *chances_of_limits;
} fcps_predictions;

/* If the chance of success and outcome together is below this, commands mark the answer. */
#define FCPS_LOW_CHANCE 0.9

/* Finds the parameters for a context, and predicts their trial (`prediction` may be NULL). Fails with
 * FCPS_ERR_NOT_FINITE if the context is not finite, and with FCPS_ERR_CALLBACK if the reward function fails;
 * fcps_policy_error has the message.
 *
 * A policy may extrapolate, so it also answers outside the bounds of a context. It then logs a warning
 * (W_OUTSIDE_BOUNDS), fcps_problem_outside says which value is outside, and deviations grow with the distance from
 * the bounds, up to the spread of the results. A strict policy refuses such a context with FCPS_ERR_BOUNDS. */
FCPS_API fcps_status fcps_policy_query(fcps_policy *policy, const double *target, const double *environment,
                                       double *parameters, fcps_prediction *prediction);

/* Checks a context as a query does, and fails with the same error. */
FCPS_API fcps_status fcps_policy_check(fcps_policy *policy, const double *target, const double *environment);

/* Queries for `count` contexts at once, one in each row. `rewards` and `deviations` may be NULL. They are NaN if the
 * policy predicts no reward, if the reward has no value, or while there is no rollout to learn from. */
FCPS_API fcps_status fcps_policy_query_batch(fcps_policy *policy, int count, const double *targets,
                                             const double *environments, double *parameters, double *rewards,
                                             double *deviations);

/* The same with all predictions; `predictions` may be NULL. */
FCPS_API fcps_status fcps_policy_predict_batch(fcps_policy *policy, int count, const double *targets,
                                               const double *environments, double *parameters,
                                               const fcps_predictions *predictions);

/* The first function sets the log for warnings of queries (default: no log): one warning for each value outside its
 * bounds, and one for a whole batch. The second sets whether a context outside its bounds is refused (default: no). */
FCPS_API void fcps_policy_set_log(fcps_policy *policy, fcps_log log);
FCPS_API void fcps_policy_set_strict(fcps_policy *policy, bool is_strict);

/* Whether the policy predicts rewards. Policies with a model do; those of c-reps, c-cma-es and crkr know only
 * parameters. */
FCPS_API bool fcps_policy_predicts_reward(const fcps_policy *policy);

/* How many more results a policy needs before its predictions mean anything; 0 if it has enough, or predicts no
 * reward. It needs two more than it has inputs (dimensions of environment and parameters): a plane fits fewer
 * results exactly, so nobody could estimate their errors. With few results, deviations are wide
 * (docs/lab/outcome.md). */
FCPS_API int fcps_policy_lacking_results(const fcps_policy *policy);

/* Saves the whole policy as text, to be freed with fcps_free. */
FCPS_API fcps_status fcps_policy_save(const fcps_policy *policy, char **text, fcps_error *error);

/* Loads a policy from the text of fcps_policy_save. `problem` must have the same spaces, and supplies the reward
 * function. */
FCPS_API fcps_status fcps_policy_load(fcps_policy **policy, const fcps_problem *problem, const char *text,
                                      fcps_error *error);

/* A structure that a model believes the outcomes to have, such as "land_x, land_y turn with angle". The model uses
 * it with a weight that follows from its odds, even before the odds suffice to claim it. */
enum { FCPS_FINDINGS = 8, FCPS_FINDING_WORDS = 512 };
typedef struct fcps_finding {
  const char *name; /* "frame", "contact", ... */
  char words[FCPS_FINDING_WORDS];
  /* natural logarithm of its odds against the best explanation without it, such as noise; 0: it was declared */
  double log_odds;
  bool is_claimed; /* it was declared, or its odds are at least twenty to one */
} fcps_finding;

/* What one Gaussian process of a policy has learnt, and whether its fit went well. A model has one process for all
 * outputs, or one for each. If it has split along a context dimension, the processes of the lower side come first. */
typedef struct fcps_health {
  const char *model; /* "joint", "rescored" or "outcome" */
  /* the predicted output: "reward", the name of an outcome dimension, or "outcome" for all of them */
  const char *output;
  const char *split_by; /* the dimension along which the model has split; NULL: there is no split */
  bool is_upper_side;
  int rollouts; /* rollouts that it learns from; with hindsight each counts twice */
  /* rollouts that failed, are not finite or (of model "outcome") are absent; they only show what may go wrong */
  int others;
  double noise;        /* its standard deviation */
  bool is_noise_share; /* whether `noise` is a share of the output's own deviation; else it has the output's unit */
  double jitter;       /* the number added to the diagonal of the kernel matrix (W_GP_JITTER); 0: none was needed */
  /* "W_GP_FIT_KEPT" or "W_GP_DEFAULTS" if the last fit failed and this was done instead; NULL: it went well */
  const char *fallback;
  /* the caller's arrays, or NULL: the share of a dimension's range that changes the output by about its spread; NaN:
   * the dimension is not an input */
  double *target_lengths, *environment_lengths, *parameter_lengths;
  int finding_count; /* structures that the model believes in beyond a plain Gaussian process */
  fcps_finding findings[FCPS_FINDINGS];
  /* the least and most noise at the rollouts, if noise depends on the place; else both equal `noise` */
  double least_noise, most_noise;
} fcps_health;

/* Describes process number `index` (from 0); false past the last one, and if the policy has no model. */
FCPS_API bool fcps_policy_health(const fcps_policy *policy, int index, fcps_health *health);

FCPS_API const fcps_error *fcps_policy_error(const fcps_policy *policy);
FCPS_API void fcps_policy_destroy(fcps_policy *policy);

#ifdef __cplusplus
}
#endif
#endif
