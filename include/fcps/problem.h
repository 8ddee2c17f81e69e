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

/* The reward: scores `count` rollouts for one target. Row i of each array belongs to rollout i; `present[i]` says
 * whether its outcome exists, and only then is its row defined. Batches make callbacks from other languages cheap.
 *
 * If the callback returns another status than FCPS_OK, the call that needed it fails with FCPS_ERR_CALLBACK, and
 * calls no further callback of the problem. The callback must not use the learner, policy or study that calls it
 * (FCPS_ERR_BUSY); base.h says what callbacks may do. The same rules hold for the next three types. */
typedef fcps_status fcps_reward_fn(void *user, int count, const double *target, const double *environments,
                                   const double *parameters, const double *outcomes, const bool *present,
                                   double *rewards);

/* Derivatives of the rewards for one target, by the outcome (count x outcome) and by the parameters (count x
 * parameters). All outcomes are present. */
typedef fcps_status fcps_reward_gradient_fn(void *user, int count, const double *target, const double *environments,
                                            const double *parameters, const double *outcomes, double *outcome_gradients,
                                            double *parameter_gradients);

/* Computes the target that each of `count` outcomes achieves (count x target), such as the place that was hit. */
typedef fcps_status fcps_achieved_fn(void *user, int count, const double *environments, const double *outcomes,
                                     double *targets);

/* Says whether each of `count` trials will have an outcome, if you know it beforehand (a cannon that fires only
 * above some current). Learners then need not learn it. */
typedef fcps_status fcps_presence_fn(void *user, int count, const double *environments, const double *parameters,
                                     bool *present);

/* A limit: a number that a trial shows must stay at most, or at least, at a level. Learners with a model of outcomes
 * propose only parameters that keep the limit with this chance, if such parameters exist. */
typedef struct fcps_limit {
  const char *name;
  const char *of;      /* a formula over all dimensions; NULL: the outcome with the limit's name */
  const char *at_most; /* a number, or a formula over targets and environment; NULL: no limit on this side */
  const char *at_least;
  double chance; /* above 0.5 and below 1 */
} fcps_limit;

/* Parameters that are known to keep all limits. If a value of the context is NaN, they do so for any value. */
typedef struct fcps_safe_trial {
  const double *target, *environment, *parameters;
} fcps_safe_trial;

/* The problem. Functions that take a problem copy its spaces. They keep its callbacks and `user`, which must stay
 * valid as long as the handle that the function makes. */
typedef struct fcps_problem {
  fcps_space target, environment, parameters, outcome;
  fcps_reward_fn *reward;            /* NULL: rewards are told (learners that re-score then refuse) */
  fcps_reward_gradient_fn *gradient; /* optional; without it, differences of batched rewards */
  fcps_achieved_fn *achieved;        /* optional; for hindsight and distances */
  bool is_distance;                  /* reward = -|target - achieved| + terms in environment and parameters */
  fcps_presence_fn *presence;        /* optional; without it, models learn when there is an outcome */
  void *user;
  int constraint_count;
  /* formulas over parameters and context that all proposed parameters satisfy, such as "a + b <= 1"; may be NULL if
   * there are none */
  const char *const *constraints;
  int limit_count;
  const fcps_limit *limits; /* may be NULL if there are none */
  int safe_count;
  const fcps_safe_trial *safe; /* may be NULL if there are none */
  const char *cost; /* of a trial: a formula over parameters and context, above 0; NULL: trials have no cost */
} fcps_problem;

/* Refuses a problem that no learner can use: a space is wrong (bounds, a name that stands twice in the problem, no
 * parameter), or a callback does not fit. The error names the dimension. */
FCPS_API fcps_status fcps_problem_check(const fcps_problem *problem, fcps_error *error);

/* -- Rollouts -- */

typedef enum fcps_rollout_status {
  FCPS_ROLLOUT_OK,       /* the trial ran; its outcome may still be absent (no hit, no shot fired) */
  FCPS_ROLLOUT_FAILED,   /* the trial failed */
  FCPS_ROLLOUT_REFUSED,  /* refused before anything moved */
  FCPS_ROLLOUT_TIMEOUT,  /* did not end in time */
  FCPS_ROLLOUT_UNSTABLE, /* the simulation became unstable */
  FCPS_ROLLOUT_STATUS_COUNT
} fcps_rollout_status;

FCPS_API const char *fcps_rollout_status_text(fcps_rollout_status status);

/* One trial in numbers. Arrays are as long as the problem's spaces; an array may be NULL if its space is empty. A
 * function that takes a rollout copies the arrays. */
typedef struct fcps_rollout {
  const double *target;
  const double *environment;
  const double *parameters;        /* as executed */
  const double *outcome;           /* NULL: absent */
  const double *outcome_deviation; /* one standard deviation for each number of the outcome; 0: exact; NULL: unknown */
  double reward;                   /* read only if the problem has no reward function; NaN: unknown */
  double hindsight_reward;         /* the same for the achieved target */
  fcps_rollout_status status;
  /* a person has checked that the result is right, however surprising, and that a failure was due to the parameters
   * (fcps_study_confirm) */
  bool is_confirmed;
} fcps_rollout;

/* How a rollout ended, in words: "no outcome" if the trial ran but an outcome of the problem is absent, else the
 * text of its status. */
FCPS_API const char *fcps_rollout_ending_text(const fcps_problem *problem, const fcps_rollout *rollout);

/* -- Contexts -- */

/* Refuses a context in which nobody can ask: a value is missing, not finite or outside its bounds. The error names
 * the dimension. */
FCPS_API fcps_status fcps_problem_check_context(const fcps_problem *problem, const double *target,
                                                const double *environment, fcps_error *error);

/* A value of a context, or of another space, that lies outside the bounds of its dimension. */
typedef struct fcps_outside {
  const char *space;               /* "target", "environment", or another of the four */
  const fcps_dimension *dimension; /* of the problem */
  double value;
} fcps_outside;

/* Finds value number `index`, counted from 0, targets first, among the context's values outside their bounds.
 * Returns false past the last one. A full circle (a dimension whose range is its period) has no outside. */
FCPS_API bool fcps_problem_outside(const fcps_problem *problem, const double *target, const double *environment,
                                   int index, fcps_outside *outside);

/* Writes "environment.age: 400 lies outside [2, 40]" into `text`. Returns `text`. */
FCPS_API char *fcps_outside_text(const fcps_outside *outside, size_t size, char *text);

/* -- Constraints, limits and cost -- */

/* Computes applies[i]: whether parameter i applies in this context with these parameters (fcps_dimension.when). If a
 * parameter does not apply, the library returns its lower bound, or its first word. Give the same value, or NaN. */
FCPS_API fcps_status fcps_problem_applies(const fcps_problem *problem, const double *target, const double *environment,
                                          const double *parameters, bool *applies, fcps_error *error);

/* Finds the constraint that parameters break in a context, by its index. If they break several, this is the one that
 * they break most; -1 means that they keep all. A constraint may be missed by a billionth of the largest difference
 * of its sides within the bounds. Fails if no parameters can keep the constraints in this context. */
FCPS_API fcps_status fcps_problem_find_broken(const fcps_problem *problem, const double *target,
                                              const double *environment, const double *parameters, int *broken,
                                              fcps_error *error);

/* Computes the chance that a trial with this expected outcome and these deviations keeps each limit, into
 * chances[limit_count] (may be NULL), and the chance that it keeps all of them. A deviation of 0 means that the
 * outcome is known. An absent outcome (NULL) breaks no limit. If an outcome that a limit needs is NaN (not measured),
 * its chance and that of all are NaN. */
FCPS_API fcps_status fcps_problem_limit_chances(const fcps_problem *problem, const double *target,
                                                const double *environment, const double *parameters,
                                                const double *outcome, const double *deviation, double *chances,
                                                double *all, fcps_error *error);

/* Computes the cost of a trial; NaN if the problem has no cost. Give a parameter that does not apply as to
 * fcps_problem_applies; another value is refused. A cost that is not finite or not above 0 is refused with
 * FCPS_ERR_BOUNDS. */
FCPS_API fcps_status fcps_problem_cost(const fcps_problem *problem, const double *target, const double *environment,
                                       const double *parameters, double *cost, fcps_error *error);

/* -- Judging a reward -- */

/* Facts about a reward formula that need no trial. */
typedef struct fcps_reward_judgement {
  bool is_constant;  /* it has the same value for every trial */
  bool has_value;    /* it has a finite value at some of the tried places */
  bool needs_trials; /* it depends on an outcome, or on whether there is one */
  /* every target has the same best parameters: the formula uses no target, or only adds them */
  bool has_idle_targets;
  bool depends[4][FCPS_SPACE_MAX]; /* on each dimension of target, environment, parameters, outcome */
  /* it grows, on both sides, with the distance of this outcome from the place of the least reward */
  bool grows[FCPS_SPACE_MAX];
  bool is_contrary[FCPS_SPACE_MAX]; /* it grows as this target moves away from the outcome */
} fcps_reward_judgement;

/* Judges a reward formula by its steps, and by its values at random places within the bounds. Outcomes without a
 * range are tried around `outcomes`, which has `count` rows of earlier results (may be 0). Returns false if the
 * reward is not a formula, or if memory runs out. */
FCPS_API bool fcps_problem_judge_reward(const fcps_problem *problem, int count, const double *outcomes,
                                        fcps_reward_judgement *judgement);

#ifdef __cplusplus
}
#endif
#endif
