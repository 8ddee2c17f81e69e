/* SPDX-License-Identifier: Apache-2.0 */
/* How a trial may go wrong: it fails, or it ends without an outcome. Two classifiers learn this from all rollouts,
 * whether or not the rollouts are rows of the GPs; failure_penalty.h says how the probabilities change a predicted
 * reward. If the model tells rest (nothing moves) from movement (structures/contact.c), a third classifier learns
 * whether something moves.
 *
 * Invariants: a classifier depends only on the rollouts and on the belief about rest. It is up to date after
 * fcps_model_refresh. The first two do not exist before a rollout went wrong. Inputs are features of environment and
 * parameters, never of the target. */
#ifndef FCPS_MODEL_FEASIBILITY_FEASIBILITY_H
#define FCPS_MODEL_FEASIBILITY_FEASIBILITY_H

#include "gp/label_probit.h"
#include "model/description.h"
#include "problem/rollouts.h"

/* -- Outages -- */

/* An outage: trials went wrong because of when they ran, not because of their environment and parameters (their place).
 * Examples are a power cut and an empty tank.
 *
 * Suppose that consecutive trials fail, or have no outcome, and others before or after them end well. There are two
 * explanations. Either the parameters are to blame, and a classifier must explain all labels by places. Or there was an
 * outage, and a classifier must only explain the other labels; but the outage may be any of the n(n + 1)/2 runs of n
 * trials:
 *
 *   log p(labels | outage) = log p(labels of the others) - log(n(n + 1)/2)
 *
 * The better explanation is believed. So five failures in a row at the start soon cost nothing if places do not explain
 * them. But a corner in which every trial fails is still avoided, because failures near each other explain each other.
 *
 * Failures count as an outage only once it is over: a later trial has ended well. Until then their places are blamed,
 * and the next ask is elsewhere. This tells the two explanations apart, because during an outage that trial fails too.
 * If failures were excused at once, the next ask would return to the same place. If trials really fail at that place,
 * and it promises the highest rewards, failures would never end: the earlier failures would excuse each new one.
 *
 * If outcomes are often absent, a long run of absences is not an outage: an outage has at most a third of all trials,
 * and more absences than there are outside the outage. So absences cannot be excused for ever either. */

/* How the trials of an outage went wrong. */
typedef enum fcps_outage_kind { FCPS_OUTAGE_FAILURES, FCPS_OUTAGE_ABSENCES } fcps_outage_kind;

/* A run of consecutive trials that went wrong, as positions in the list of rollouts that are not rows of the GPs. */
typedef struct fcps_outage {
  int first, count; /* count 0: there is no outage */
} fcps_outage;

/* Finds the longest run that may be an outage. The count is 0 if that run is so short that chance explains it.
 * `training` trials ended well, told_before[i] of them before trial i of `others`. */
fcps_outage fcps_outage_find(const fcps_rollouts *others, const int *told_before, int training, fcps_outage_kind kind);

/* -- Chance -- */

/* Chance: failures that neither time nor place explains, such as a grip that slips now and then.
 *
 * A classifier over places blames a place for every failure. A cautious policy then only chooses parameters near the
 * few trials that ended well, however bad these are in the present context. So two explanations are compared. Chance:
 * every trial fails with the same unknown probability r, which is small, because a machine that failed often would be
 * repaired. Places: trials fail in an unknown share of the space:
 *
 *   p(labels | chance) = integral of r^f (1 - r)^s Beta(r; 1, 20) dr                            f failures, s successes
 *   p(labels | places) = p_GP(labels; r0) integral of r^f (1 - r)^s dr / (r0^f (1 - r0)^s)
 *
 * Far from all labels the GP predicts their rate r0. The ratio p_GP / (r0^f (1 - r0)^s) says how much places explain
 * beyond that rate; the integral is the price of not knowing the rate. If chance is more probable, a policy averages
 * the predictions of both explanations by their probabilities, and chooses without caution: chance is the same
 * everywhere, so caution gains nothing.
 *
 * Only policies use the explanation by chance (failure_penalty.c). An ask loses little by going elsewhere, and should
 * not test the explanation by failing in the same place again. */

/* Returns the rate r0 of trials that do not fail: its posterior mean under a uniform prior. */
double fcps_scatter_rate(int successes, int failures);

/* Returns log p(labels | chance) - log p(labels | places), given `evidence` = log p_GP; -INFINITY if that is not
 * finite. */
double fcps_scatter_log_odds(int successes, int failures, double evidence);

/* -- What is learnt -- */

/* All trials of a model. */
typedef struct fcps_trials {
  const fcps_layout *layout;
  const fcps_description *description; /* says which outcomes are at rest */
  const fcps_rollouts *training, *others;
  const int *told_before; /* for each rollout of `others`: how many training rollouts were told before it */
} fcps_trials;

typedef struct fcps_feasibility {
  fcps_label_probit *feasible; /* predicts that a trial does not fail; NULL if no trial has failed */
  fcps_label_probit *present;  /* predicts that there is an outcome; NULL if none was absent or predicted */
  fcps_label_probit *moves;    /* predicts that something moves; NULL if the model does not tell rest from movement */
  bool presence_ignores_parameters; /* `present` has only the environment as input, not the parameters */
  fcps_outage outage;               /* the believed outage; `feasible` is learnt without its failures */
  fcps_outage absence;              /* the believed outage of absent outcomes; `present` is learnt without them */
  double chance;                    /* probability that failures are chance (fcps_scatter_log_odds) */
  double rate;                      /* probability that a trial does not fail if failures are chance */
  int rows;                         /* number of rollouts that all classifiers were learnt from */
} fcps_feasibility;

/* Learns the classifiers anew if trials came since the last time. */
fcps_status fcps_feasibility_learn(fcps_feasibility *feasibility, const fcps_trials *trials);

/* Destroys the classifiers, because their trials or the belief about rest have changed. */
void fcps_feasibility_forget(fcps_feasibility *feasibility);

/* Whether a trial belongs to a believed outage; `others` are the rollouts that the outage was learnt from. */
bool fcps_feasibility_excuses(const fcps_feasibility *feasibility, const fcps_rollouts *others,
                              const fcps_rollout *rollout);

/* Computes the probabilities that `count` trials (in the problem's own units) do not fail and have an outcome. */
fcps_status fcps_feasibility_chances(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                                     const double *environments, const double *parameters, double *probabilities,
                                     fcps_error *error);

/* Multiplies the `values` of trials by the probability that something moves, if the model learns it. */
void fcps_feasibility_scale_by_movement(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                                        const double *environments, const double *parameters, double *values);

/* Multiplies `values` of `count` trials, given by the features of rows, by the probability that they do not fail. The
 * values must not be negative, and 0 must be the worth of a failed trial. */
void fcps_feasibility_scale(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                            const double *features, double *values);

/* Says which outcomes are at rest, according to a description, or to a structure that is compared with others. */
typedef struct fcps_rest_rule {
  bool (*rests)(const void *user, const double *environment, const double *outcome);
  const void *user;
} fcps_rest_rule;

/* Computes the log likelihood with which a classifier of places explains which rollouts source[0 ... count - 1]
 * move. */
fcps_status fcps_feasibility_explain_movement(const fcps_look *look, int count, const int *source, fcps_rest_rule rule,
                                              double *log_likelihood);

/* Predicts for each training rollout, without learning from it, the probability that something moves. */
fcps_status fcps_feasibility_leave_out_movement(const fcps_trials *trials, double *probabilities);

#endif
