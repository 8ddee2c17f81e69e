/* SPDX-License-Identifier: Apache-2.0 */
/* The problem: four spaces, the reward, and optionally which outcome achieves which target.
 *
 * The target says what should happen; the environment changes what happens. An outcome does not depend on the target,
 * so a stored rollout can be scored again, exactly, for every other target [pinsler2019, Sec. IV].
 *
 *   const fcps_dimension x = {.name = "x", .lower = -2, .upper = 2}, land = {.name = "land"};
 *   const fcps_dimension speed = {.name = "speed", .lower = 1, .upper = 8};
 *   const fcps_problem throw = {
 *       .target = {1, &x}, .parameters = {1, &speed}, .outcome = {1, &land}, .reward = score}; // score: an fcps_reward_fn
 *   fcps_learner_create(&learner, &throw, "outcome", NULL, 1, &error);
 */
#ifndef FCPS_PROBLEM_H
#define FCPS_PROBLEM_H

#include <fcps/space.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Scores `count` rollouts for one target. Row i of each array belongs to rollout i; `present[i]` says whether its
 * outcome exists (only then is its row defined). Batches keep callbacks from other languages cheap. If a callback
 * returns another status than FCPS_OK, the call that needed it fails with FCPS_ERR_CALLBACK, and no callback of the
 * problem is called again in that call. A callback must not use the learner, policy or study that calls it
 * (FCPS_ERR_BUSY); base.h says what callbacks may do. The same holds for the other three. */
typedef fcps_status fcps_reward_fn(void *user, int count, const double *target, const double *environments,
                                   const double *parameters, const double *outcomes, const bool *present,
                                   double *rewards);

/* Derivatives of the reward of each rollout with respect to its outcome (count x outcome) and its parameters
 * (count x parameters), for one target; all outcomes are present. */
typedef fcps_status fcps_reward_gradient_fn(void *user, int count, const double *target, const double *environments,
                                            const double *parameters, const double *outcomes, double *outcome_gradients,
                                            double *parameter_gradients);

/* The targets that `count` outcomes achieve (count x target): what was hit. */
typedef fcps_status fcps_achieved_fn(void *user, int count, const double *environments, const double *outcomes,
                                     double *targets);

/* Whether each of `count` trials will have an outcome at all, if that is known beforehand (a cannon that only fires
 * below some current). Learners then need not learn it. */
typedef fcps_status fcps_presence_fn(void *user, int count, const double *environments, const double *parameters,
                                     bool *present);

/* What must not happen in a trial: a number that a formula gives of its outcome stays at most, or at least, at a level. Models
 * of outcomes ask only where it is kept with this chance, as far as such parameters exist. */
typedef struct fcps_limit {
  const char *name;
  const char *of;      /* over all dimensions; NULL: the outcome of this name */
  const char *at_most; /* over targets and environment, or a number; NULL: not limited on this side */
  const char *at_least;
  double chance; /* above 0.5 and below 1 */
} fcps_limit;

/* Parameters known to keep all limits; a context of NaN stands for any. */
typedef struct fcps_safe_trial {
  const double *target, *environment, *parameters;
} fcps_safe_trial;

/* A description of what is to be learnt. Functions that take a problem copy its spaces and keep its callbacks and
 * `user`, which must stay valid as long as the handle that was made from it. */
typedef struct fcps_problem {
  fcps_space target, environment, parameters, outcome;
  fcps_reward_fn *reward;            /* NULL: rewards are only told (learners that re-score then refuse) */
  fcps_reward_gradient_fn *gradient; /* optional; else batched differences */
  fcps_achieved_fn *achieved;        /* optional; for hindsight and distances */
  bool is_distance;                  /* reward = -|target - achieved| + terms in environment and parameters */
  fcps_presence_fn *presence;        /* optional; else absent outcomes are learnt from rollouts */
  void *user;
  int constraint_count;
  const char *const *constraints; /* what all proposed parameters keep, as formulas over parameters and context:
                                     "a + b <= 1"; may be NULL if there are none */
  int limit_count;
  const fcps_limit *limits; /* may be NULL if there are none */
  int safe_count;
  const fcps_safe_trial *safe; /* the same */
  const char *cost; /* of a trial, above zero, as a formula over parameters and context; NULL: all cost the same */
} fcps_problem;

/* Refuses a problem that no learner could take: spaces (bounds, names that are unique over the whole problem, at least
 * one parameter) or callbacks that do not fit. The error names the dimension. */
FCPS_API fcps_status fcps_problem_check(const fcps_problem *problem, fcps_error *error);

/* Facts about a reward formula that need no trial. */
typedef struct fcps_reward_judgement {
  bool is_constant;                 /* it has one value, whatever happens */
  bool has_value;                   /* at one of the places that were tried, at least */
  bool needs_trials;                /* an outcome, or whether there is one, changes it */
  bool has_idle_targets;            /* every target has the same best parameters: none is used, or they only add */
  bool depends[4][FCPS_SPACE_MAX];  /* on each dimension of target, environment, parameters, outcome */
  bool grows[FCPS_SPACE_MAX];       /* the further this outcome is from where the reward is least, on both sides */
  bool is_contrary[FCPS_SPACE_MAX]; /* it grows as this target goes away from what happened */
} fcps_reward_judgement;

/* Judges a reward that is a formula by its steps and at random places within the bounds. Outcomes without a range are tried
 * around `outcomes` (`count` rows that were seen; may be 0). false: the reward is not a formula, or there is no memory. */
FCPS_API bool fcps_problem_judge_reward(const fcps_problem *problem, int count, const double *outcomes,
                                        fcps_reward_judgement *judgement);

/* The constraint, by its index, that parameters break in a context, by most if by several; -1: they keep all, to a
 * billionth of what the constraint's sides differ by within the bounds. A context that cannot have any is a failure. */
FCPS_API fcps_status fcps_problem_find_broken(const fcps_problem *problem, const double *target,
                                              const double *environment, const double *parameters, int *broken,
                                              fcps_error *error);

/* The chances that a trial with this expected outcome (NULL: absent, which breaks nothing) and these deviations keeps each
 * limit, into chances[limit_count] (may be NULL), and that it keeps all of them. A deviation of 0 asks of what happened. */
FCPS_API fcps_status fcps_problem_limit_chances(const fcps_problem *problem, const double *target,
                                                const double *environment, const double *parameters,
                                                const double *outcome, const double *deviation, double *chances,
                                                double *all, fcps_error *error);

/* The cost of a trial; NaN if the problem has none. A cost that is not above zero or not finite is refused with FCPS_ERR_BOUNDS. */
FCPS_API fcps_status fcps_problem_cost(const fcps_problem *problem, const double *target, const double *environment,
                                       const double *parameters, double *cost, fcps_error *error);

/* A value of a context that lies outside the bounds of its dimension. */
typedef struct fcps_outside {
  const char *space;               /* "target", "environment", or another of the four */
  const fcps_dimension *dimension; /* of the problem */
  double value;
} fcps_outside;

/* Describes value number `index` (from 0; targets first) of a context that lies outside its bounds; false past the last.
 * A full circle (a dimension whose range is its period) has no outside. */
FCPS_API bool fcps_problem_outside(const fcps_problem *problem, const double *target, const double *environment,
                                   int index, fcps_outside *outside);

/* Writes "environment.age: 400 lies outside [2, 40]" into `text`. Returns `text`. */
FCPS_API char *fcps_outside_text(const fcps_outside *outside, size_t size, char *text);

/* Refuses a context that cannot be asked for: a value that is missing, not finite or outside its bounds. The error names
 * its dimension. */
FCPS_API fcps_status fcps_problem_check_context(const fcps_problem *problem, const double *target,
                                                const double *environment, fcps_error *error);

typedef enum fcps_rollout_status {
  FCPS_ROLLOUT_OK,       /* the trial ran; its outcome may still be absent (nothing was hit, no shot fired) */
  FCPS_ROLLOUT_FAILED,   /* the trial broke */
  FCPS_ROLLOUT_REFUSED,  /* refused before anything moved */
  FCPS_ROLLOUT_TIMEOUT,  /* did not end in time */
  FCPS_ROLLOUT_UNSTABLE, /* the simulation became unstable */
  FCPS_ROLLOUT_STATUS_COUNT
} fcps_rollout_status;

FCPS_API const char *fcps_rollout_status_text(fcps_rollout_status status);

/* One trial in numbers: what a task fills, a study stores and a learner is told. Arrays are as long as the problem's
 * spaces; every array may be NULL if its space is empty. A function that takes a rollout copies them. */
typedef struct fcps_rollout {
  const double *target;
  const double *environment;
  const double *parameters;        /* what was executed */
  const double *outcome;           /* NULL: absent */
  const double *outcome_deviation; /* of each number of the outcome, one standard deviation; 0: exact; NULL: unknown */
  double reward;                   /* read only if the problem has no reward function; NaN: unknown */
  double hindsight_reward;         /* reward for the achieved target, under the same condition; NaN: unknown */
  fcps_rollout_status status;
  bool
      is_confirmed; /* somebody looked again: the outcome is right, however surprising, and what went wrong did so by its
                        parameters (fcps_study_confirm) */
} fcps_rollout;

/* How a rollout ended, for people and tables: "no outcome" if the trial ran and nothing came of it that the problem
 * measures, else the text of its status. */
FCPS_API const char *fcps_rollout_ending_text(const fcps_problem *problem, const fcps_rollout *rollout);

#ifdef __cplusplus
}
#endif
#endif
