/* SPDX-License-Identifier: Apache-2.0 */
/* How a policy is written: one file with an fcps_policy_ops, and one line in the registry in policy.c. */
#ifndef FCPS_POLICY_POLICY_IMPL_H
#define FCPS_POLICY_POLICY_IMPL_H

#include "format/json.h"
#include "model/model.h"
#include "model/posterior/posterior.h"
#include "problem/callbacks.h"
#include "search/search.h"

#include <fcps/policy.h>

/* Answers for `count` contexts, all in rows of the caller. */
typedef struct fcps_policy_answers {
  int count;
  const double *targets, *environments;
  double *parameters;
  fcps_predictions predictions; /* the rewards are needed if results are few and a deviation is wanted */
  fcps_prediction *single;      /* the outcome that is predicted in the only context; NULL: not wanted */
} fcps_policy_answers;

typedef struct fcps_policy_ops {
  const char *name;

  /* Its parameters for a context, or those that are given, and what it predicts of them. Without a model none are given. */
  fcps_status (*query)(fcps_policy *policy, const double *target, const double *environment, bool is_given,
                       double *parameters, fcps_prediction *prediction, fcps_error *error);

  /* OPTIONAL: many contexts at once, which were checked. */
  fcps_status (*query_batch)(fcps_policy *policy, const fcps_policy_answers *answers, fcps_error *error);

  fcps_json *(*write)(const fcps_policy *policy); /* the policy's own part; NULL when there is no memory */
  fcps_status (*read)(fcps_policy *policy, const fcps_json *json, fcps_error *error);
  void (*destroy)(void *state); /* may be given NULL */

  /* OPTIONAL: the model that it decides by. */
  const fcps_model *(*model)(const fcps_policy *policy);

  /* OPTIONAL: changes the caution of its choices, and returns what it was. */
  double (*set_caution)(fcps_policy *policy, double caution);
} fcps_policy_ops;

struct fcps_policy {
  const fcps_policy_ops *ops;
  fcps_problem problem; /* a copy; its functions go through `callbacks` */
  fcps_callbacks callbacks;
  void *state; /* the policy's own */
  fcps_error error;
  fcps_log log;   /* goes through `callbacks` */
  bool is_strict; /* contexts outside their bounds are refused */
};

extern const fcps_policy_ops fcps_policy_greedy;
extern const fcps_policy_ops fcps_policy_linear_gaussian;
extern const fcps_policy_ops fcps_policy_kernel_regression;

/* A policy without state yet, with a copy of the problem. */
fcps_status fcps_policy_create(fcps_policy **policy, const fcps_policy_ops *ops, const fcps_problem *problem);

/* Few results (deviations.c): widens all deviations. */
bool fcps_policy_has_few_results(const fcps_policy *policy);
fcps_status fcps_policy_widen_few(fcps_policy *policy, const fcps_policy_answers *answers);

/* Contexts outside their bounds (deviations.c): widens the deviations of rewards and of outcomes; then the log says which
 * they are. */
fcps_status fcps_policy_widen_outside(fcps_policy *policy, const fcps_policy_answers *answers);

/* Whether an answer, by what it predicts, keeps all limits with their chances, and the chance that it does; NaN if it
 * predicts no outcome. Then what is said of `broken` of `count` answers that do not, or refused (limits.c). */
fcps_status fcps_policy_judge_limits(const fcps_policy *policy, const double *target, const double *environment,
                                     const double *parameters, const fcps_prediction *prediction, double *chance,
                                     bool *is_kept, fcps_error *error);
fcps_status fcps_policy_report_limits(fcps_policy *policy, int count, int broken, double least);

/* What might be gained in a context beyond where trials are believed to end well, where `choice` is the policy's own
 * (beyond.c): never negative; 0 of a policy without a model. */
fcps_status fcps_policy_gain_beyond(fcps_policy *policy, const double *target, const double *environment,
                                    const double *choice, double *gain);

/* Row `row`; NULL if the space is empty or there are no rows. */
const double *fcps_policy_row(const double *rows, const fcps_space *space, int row);

/* A batch as single queries. */
fcps_status fcps_policy_query_each(fcps_policy *policy, const fcps_policy_answers *answers, fcps_error *error);

/* The greedy policy of a model: the parameters with the largest predicted reward, where `caution` keeps it away from
 * where trials may go wrong (model/feasibility/failure_penalty.h). Copies the model and fits the copy to
 * `targets` (rows; see fcps_model_fit) if `count` > 0. */
typedef struct fcps_greedy_settings {
  fcps_search_settings search;
  uint64_t seed;  /* of the search's candidates */
  double caution; /* of choices, not of predictions */
  double doubt;   /* deviations of what is not known that choices do not count on (sure.c) */
} fcps_greedy_settings;
fcps_status fcps_policy_create_greedy(fcps_policy **policy, const fcps_problem *problem, const fcps_model *model,
                                      const fcps_greedy_settings *settings, int count, const double *targets,
                                      fcps_error *error);

/* Replaces parameters that do not keep the limits, as an answer shows it: by those that keep them most surely, or else by those
 * that are proven here and were not done `most` times (fcps_posterior_prefer_proven). */
fcps_status fcps_policy_choose_kept(fcps_posterior *posterior, const fcps_search_settings *search, int most, double *x,
                                    bool *is_proven);

/* Replaces the parameters x with the largest mean by those that surely earn most. Nothing happens where x is sure: where no
 * other can be better by more than is worth the search. */
fcps_status fcps_policy_choose_surely(fcps_posterior *posterior, const fcps_search_settings *search, double doubt,
                                      double *x);
bool fcps_policy_is_sure(double doubt, double deviation, double lead);

/* What a policy with a model predicts of given parameters, as fcps_policy_query does of its own. */
fcps_status fcps_policy_predict_at(fcps_policy *policy, const double *target, const double *environment,
                                   const double *parameters, fcps_prediction *prediction);

/* Whether a result that the policy was made from is one that its model does not believe (health.c). */
bool fcps_policy_doubts(const fcps_policy *policy, const fcps_rollout *rollout);

/* Whether a failed result that the policy was made from is not held against its parameters: it belongs to an outage
 * (model/feasibility/feasibility.h). */
bool fcps_policy_excuses(const fcps_policy *policy, const fcps_rollout *rollout);

/* Lets it choose with another caution, and returns the one that it had; 0 of a policy without one. */
double fcps_policy_set_caution(fcps_policy *policy, double caution);

#endif
