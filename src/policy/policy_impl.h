/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of a kind of policy. A new kind is one file with an fcps_policy_ops, and one entry in policy.c. */
#ifndef FCPS_POLICY_POLICY_IMPL_H
#define FCPS_POLICY_POLICY_IMPL_H

#include "format/json.h"
#include "model/model.h"
#include "model/posterior/posterior.h"
#include "problem/problem.h"
#include "search/search.h"

#include <fcps/policy.h>

/* Answers for `count` contexts; all arrays are rows of the caller. */
typedef struct fcps_policy_answers {
  int count;
  const double *targets, *environments;
  double *parameters;
  fcps_predictions predictions; /* if results are few and a deviation is wanted, `rewards` must not be NULL */
  fcps_prediction *single;      /* receives the predicted outcome if there is only one context; may be NULL */
} fcps_policy_answers;

typedef struct fcps_policy_ops {
  const char *name;

  /* Chooses the parameters for a context and predicts their trial. If `is_given`, which only a policy with a model
   * gets, predicts a trial with the given parameters. */
  fcps_status (*query)(fcps_policy *policy, const double *target, const double *environment, bool is_given,
                       double *parameters, fcps_prediction *prediction, fcps_error *error);

  /* OPTIONAL: answers many contexts at once. The contexts have been checked. */
  fcps_status (*query_batch)(fcps_policy *policy, const fcps_policy_answers *answers, fcps_error *error);

  /* Write and read the saved policy without the part that all kinds share. `write` returns NULL if memory runs out. */
  fcps_json *(*write)(const fcps_policy *policy);
  fcps_status (*read)(fcps_policy *policy, const fcps_json *json, fcps_error *error);
  void (*destroy)(void *state); /* `state` may be NULL */

  /* OPTIONAL: the model that the policy decides by. */
  const fcps_model *(*model)(const fcps_policy *policy);

  /* OPTIONAL: changes the caution of choices, and returns the old one. */
  double (*set_caution)(fcps_policy *policy, double caution);
} fcps_policy_ops;

struct fcps_policy {
  const fcps_policy_ops *ops;
  fcps_problem problem; /* a copy; its functions are called through `callbacks` */
  fcps_callbacks callbacks;
  void *state; /* the state of this kind of policy */
  fcps_error error;
  fcps_log log;   /* called through `callbacks` */
  bool is_strict; /* refuse contexts outside their bounds */
};

extern const fcps_policy_ops fcps_policy_greedy;
extern const fcps_policy_ops fcps_policy_linear_gaussian;
extern const fcps_policy_ops fcps_policy_kernel_regression;

/* Creates a policy with a copy of the problem, still without a state. */
fcps_status fcps_policy_create(fcps_policy **policy, const fcps_policy_ops *ops, const fcps_problem *problem);

/* deviations.c: `has_few_results` returns whether results are few. If so, `widen_few` widens all deviations. */
bool fcps_policy_has_few_results(const fcps_policy *policy);
fcps_status fcps_policy_widen_few(fcps_policy *policy, const fcps_policy_answers *answers);

/* Widens the deviations of rewards and outcomes for contexts outside their bounds, and warns of these contexts in the
 * log (deviations.c). */
fcps_status fcps_policy_widen_outside(fcps_policy *policy, const fcps_policy_answers *answers);

/* `judge_limits` finds by an answer's prediction whether it keeps every limit as surely as required, and with which
 * chance it keeps all of them, NaN if no outcome is predicted. `report_limits` warns that `broken` of `count` answers
 * do not keep the limits, or fails if the policy is strict (sure.c). */
fcps_status fcps_policy_judge_limits(const fcps_policy *policy, const double *target, const double *environment,
                                     const double *parameters, const fcps_prediction *prediction, double *chance,
                                     bool *is_kept, fcps_error *error);
fcps_status fcps_policy_report_limits(fcps_policy *policy, int count, int broken, double least);

/* Computes the possible gain in a context beyond the region in which trials are believed to end well (beyond.c).
 * `choice` has the policy's parameters. The gain is never negative, and 0 for a policy without a model. */
fcps_status fcps_policy_gain_beyond(fcps_policy *policy, const double *target, const double *environment,
                                    const double *choice, double *gain);

/* Returns row `row` of an array, NULL if the space is empty or there are no rows. */
const double *fcps_policy_row(const double *rows, const fcps_space *space, int row);

/* Answers a batch by one query per context. */
fcps_status fcps_policy_query_each(fcps_policy *policy, const fcps_policy_answers *answers, fcps_error *error);

/* Makes the greedy policy of a model: it chooses the parameters with the largest predicted reward; `caution` keeps
 * it away from parameters for which trials may go wrong (model/feasibility/failure_penalty.h). Copies the model, and
 * fits the copy to `targets` (rows; see fcps_model_fit) if `count` > 0. */
typedef struct fcps_greedy_settings {
  fcps_search_settings search;
  uint64_t seed;  /* for the search's candidates */
  double caution; /* only for choices, not for predictions */
  double doubt;   /* model deviations that choices subtract from a predicted reward (sure.c) */
} fcps_greedy_settings;
fcps_status fcps_policy_create_greedy(fcps_policy **policy, const fcps_problem *problem, const fcps_model *model,
                                      const fcps_greedy_settings *settings, int count, const double *targets,
                                      fcps_error *error);

/* Replaces parameters that do not keep the limits by those that keep them most surely. If these do not keep the limits
 * either, replaces them by proven parameters that were done fewer than `most` times in this context
 * (fcps_posterior_prefer_proven). */
fcps_status fcps_policy_choose_kept(fcps_posterior *posterior, const fcps_search_settings *search, int most, double *x,
                                    bool *is_proven);

/* Replaces the parameters x with the largest mean by those with the largest mean less `doubt` deviations (sure.c). x
 * stays if it is sure, that is, if no other parameters can be so much better that a search is worth while. */
fcps_status fcps_policy_choose_surely(fcps_posterior *posterior, const fcps_search_settings *search, double doubt,
                                      double *x);
bool fcps_policy_is_sure(double doubt, double deviation, double lead);

/* Predicts a trial with given parameters, for a policy with a model, as fcps_policy_query predicts its own choice. */
fcps_status fcps_policy_predict_at(fcps_policy *policy, const double *target, const double *environment,
                                   const double *parameters, fcps_prediction *prediction);

/* Whether the policy's model doubts a result that the policy was made from (health.c). */
bool fcps_policy_doubts(const fcps_policy *policy, const fcps_rollout *rollout);

/* Whether a failed result that the policy was made from belongs to an outage, so that its parameters are not blamed
 * (model/feasibility/feasibility.h). */
bool fcps_policy_excuses(const fcps_policy *policy, const fcps_rollout *rollout);

/* Sets the caution of choices, and returns the old one. Returns 0 for a policy without caution. */
double fcps_policy_set_caution(fcps_policy *policy, double caution);

#endif
