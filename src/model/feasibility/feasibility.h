/* SPDX-License-Identifier: Apache-2.0 */
/* What may go wrong with a trial: it fails, or it ends without an outcome. Two classifiers learn this from all
 * rollouts, whether or not they are rows of the GPs; failure_penalty.h says how their probabilities change a predicted
 * reward. If the model believes that rest is separate from movement (structures/contact.c), a third classifier learns
 * whether something moves.
 *
 * Invariants: a classifier is a function of the rollouts and of that belief alone. It is up to date after
 * fcps_model_refresh, and does not exist before the first rollout that went wrong. Its inputs are features of
 * environment and parameters, never of the target. */
#ifndef FCPS_MODEL_FEASIBILITY_FEASIBILITY_H
#define FCPS_MODEL_FEASIBILITY_FEASIBILITY_H

#include "gp/label_probit.h"
#include "model/description.h"
#include "problem/rollouts.h"

/* -- Outages -- */

/* An outage: trials went wrong because of their time, not their place, as in a power cut or with an empty tank.
 *
 * Suppose that consecutive trials fail, or have no outcome, and others before or after them end well. There are two
 * explanations. Either their parameters are to blame, and a classifier must explain the labels by places. Or there was
 * an outage, which may be any of the n(n + 1)/2 runs of n trials, and a classifier need only explain the rest:
 *
 *   log p(labels | outage) = log p(labels of the others) - log(n(n + 1)/2)
 *
 * The better explanation is believed. So five failures in a row at the start soon cost nothing if places do not explain
 * them. But a corner in which every trial fails is still avoided, because failures near each other explain each other.
 *
 * Failures count as an outage only once it is over: a later trial has ended well. Until then their places are blamed,
 * and the next ask is elsewhere. This tells the two explanations apart, because during an outage that trial fails too.
 * If failures were excused at once, the next ask would return to the same place. If this is the real edge of a region
 * that promises the highest rewards, failures would never end, because those before would excuse each new one.
 *
 * If outcomes are often absent, a long run of absences is not an outage: an outage has at most a third of all trials,
 * and more absences than there are outside it. So excused absences cannot go on for ever either. */

/* How the trials of an outage went wrong. */
typedef enum fcps_outage_kind { FCPS_OUTAGE_FAILURES, FCPS_OUTAGE_ABSENCES } fcps_outage_kind;

/* A run of consecutive trials that went wrong, as positions in the list of rollouts that are not rows of the GPs. */
typedef struct fcps_outage {
  int first, count; /* count 0: there is no outage */
} fcps_outage;

/* Finds the longest run that may be an outage; count 0 if it is too short to be more than chance. `training` trials
 * ended well, told_before[i] of them before trial i of `others`. */
fcps_outage fcps_outage_find(const fcps_rollouts *others, const int *told_before, int training, fcps_outage_kind kind);

/* -- Chance -- */

/* Chance: failures that neither time nor place explains, such as a grip that slips now and then.
 *
 * A classifier over places blames a place for every failure. A cautious policy then only chooses parameters near the
 * few trials that ended well, however bad these are in the present context. So two explanations are compared. Chance:
 * every trial fails at the same unknown rate r, which is small, because a machine that failed often would be repaired.
 * Places: trials fail in an unknown share of the space:
 *
 *   p(labels | chance) = integral of r^f (1 - r)^s Beta(r; 1, 20) dr                            f failures, s successes
 *   p(labels | places) = p_GP(labels; r0) integral of r^f (1 - r)^s dr / (r0^f (1 - r0)^s)
 *
 * Far from all labels the GP predicts their rate r0. The ratio p_GP / (r0^f (1 - r0)^s) is what places explain beyond
 * that rate; the integral is the price of not knowing the rate. If chance is more probable, a policy averages the
 * predictions of both explanations by their probabilities, and chooses without caution: chance is the same everywhere,
 * so caution gains nothing.
 *
 * Only policies use chance (failure_penalty.c). An ask loses little by going elsewhere, and should not test the
 * explanation by failing in the same place again. */

/* Returns the rate r0 of trials that do not fail: its posterior mean under a uniform prior. */
double fcps_scatter_rate(int successes, int failures);

/* Returns log p(labels | chance) - log p(labels | places), given `evidence` = log p_GP; else -INFINITY. */
double fcps_scatter_log_odds(int successes, int failures, double evidence);

/* -- What is learnt -- */

/* All trials of a model. */
typedef struct fcps_trials {
  const fcps_layout *layout;
  const fcps_description *description; /* says which outcomes are at rest */
  const fcps_rollouts *training, *others;
  const int *told_before; /* for each of the others: how many training rollouts were told before it */
} fcps_trials;

typedef struct fcps_feasibility {
  fcps_label_probit *feasible; /* predicts that a trial does not fail; NULL: none has failed */
  fcps_label_probit *present;  /* predicts that there is an outcome, if outcomes are predicted; NULL: none was absent */
  fcps_label_probit *moves;    /* predicts that something moves; NULL: rest is not modelled apart */
  bool presence_ignores_parameters; /* `present` has only the environment as input, not the parameters */
  fcps_outage outage;               /* the believed outage; `feasible` is learnt without its failures */
  fcps_outage absence;              /* the same for absent outcomes and `present` */
  double chance;                    /* probability that failures are chance (fcps_scatter_log_odds) */
  double rate;                      /* probability that a trial does not fail if failures are chance */
  int rows;                         /* number of rollouts that all classifiers were learnt from */
} fcps_feasibility;

/* Learns the classifiers anew if trials came since the last time. */
fcps_status fcps_feasibility_learn(fcps_feasibility *feasibility, const fcps_trials *trials);

/* Drops the classifiers: the trials that they were learnt from, or the belief about rest, have changed. */
void fcps_feasibility_forget(fcps_feasibility *feasibility);

/* Whether a trial belongs to a believed outage; `others` are the rollouts that the outage was learnt from. */
bool fcps_feasibility_excuses(const fcps_feasibility *feasibility, const fcps_rollouts *others,
                              const fcps_rollout *rollout);

/* Computes the probabilities that `count` trials (in the problem's own units) do not fail and have an outcome. */
fcps_status fcps_feasibility_chances(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                                     const double *environments, const double *parameters, double *probabilities,
                                     fcps_error *error);

/* Multiplies `values` of such trials by the probability that something moves, if the model learns this separately. */
void fcps_feasibility_scale_by_movement(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                                        const double *environments, const double *parameters, double *values);

/* Multiplies `values` of `count` trials, given by the features of rows, by the probability that they do not fail. The
 * values must not be negative, and 0 must be the worth of a failed trial. */
void fcps_feasibility_scale(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                            const double *features, double *values);

/* Tells which outcomes are at rest: by a description, or by a structure that is compared with others. */
typedef struct fcps_rest_rule {
  bool (*rests)(const void *user, const double *environment, const double *outcome);
  const void *user;
} fcps_rest_rule;

/* Computes the log likelihood of which rollouts source[0 ... count - 1] move, by a classifier of their places. */
fcps_status fcps_feasibility_explain_movement(const fcps_look *look, int count, const int *source, fcps_rest_rule rule,
                                              double *log_likelihood);

/* Predicts the probability that something moves in each training rollout, leaving out a fifth of them in turn. */
fcps_status fcps_feasibility_leave_out_movement(const fcps_trials *trials, double *probabilities);

#endif
