/* SPDX-License-Identifier: Apache-2.0 */
/* What may go wrong with a trial: it fails, or it ends without an outcome. Two classifiers learn both from all
 * rollouts, rows of the GP or not; failure_penalty.h says what that makes of a predicted reward. A third learns whether
 * something moves, where the model believes that this is a question of its own (structures/contact.c).
 *
 * Invariants: a classifier is a function of the rollouts and of that belief alone, up to date after fcps_model_refresh;
 * there is none before the first rollout that went wrong. Inputs are features of environment and parameters, never of
 * the target. */
#ifndef FCPS_MODEL_FEASIBILITY_FEASIBILITY_H
#define FCPS_MODEL_FEASIBILITY_FEASIBILITY_H

#include "gp/label_probit.h"
#include "model/description.h"
#include "problem/rollouts.h"

/* -- Outages -- */

/* Trials that went wrong by their time, not by their place: a power cut, an empty tank, a scale that was unplugged.
 *
 * Trials that fail, or have no outcome, one after the other, while others before or after end well, have two explanations.
 * Either their parameters are to blame, and then a classifier must explain them by where they are; or there was an outage,
 * which can begin and end with any of the n(n + 1)/2 stretches of n trials, and the classifier need explain only the rest:
 *
 *   log p(labels | outage) = log p(labels of the others) - log(n(n + 1)/2)
 *
 * The better explanation is believed. So five innocent failures at the start soon cost nothing, and a corner in which
 * every trial fails stays one: near each other, failures explain each other.
 *
 * Failures are an outage only when it is over: a trial has ended well since. Until then their places are to blame, and
 * the next ask is elsewhere, which tells the two apart: in an outage it fails too. An excuse at once would bring the next
 * ask back to the same place; where that is a real edge with the highest promise behind it, failures would go on for
 * ever, each excused by the ones before.
 *
 * If outcomes are often absent, long stretches without any are not an outage: it must be a third of all trials at most,
 * and longer than all other absences together. So these cannot go on for ever. */

/* What went wrong with the trials of an outage. */
typedef enum fcps_outage_kind { FCPS_OUTAGE_FAILURES, FCPS_OUTAGE_ABSENCES } fcps_outage_kind;

/* A stretch of a model's other trials, those that are not rows, which went wrong one after the other. */
typedef struct fcps_outage {
  int first, count; /* count 0: there is none */
} fcps_outage;

/* The longest such stretch that may be one; none if it is too short to be more than chance. `training` trials ended well,
 * told_before[i] of them before trial i of the others. */
fcps_outage fcps_outage_find(const fcps_rollouts *others, const int *told_before, int training, fcps_outage_kind kind);

/* -- Chance -- */

/* Failures that neither time nor place explains: a camera that loses a frame now and then, a grip that slips.
 *
 * A classifier over places blames a place for every failure. A cautious policy then flees to the surroundings of the
 * few trials that ended well, however bad they are in the context at hand. So two explanations are compared. Chance:
 * every trial fails at the same unknown rate r, which is small, or somebody would have mended the machine. Places: some
 * are forbidden, and nobody knows how much of the space that is:
 *
 *   p(labels | chance) = integral of r^f (1 - r)^s Beta(r; 1, 20) dr                            f failures, s successes
 *   p(labels | places) = p_GP(labels; r0) integral of r^f (1 - r)^s dr / (r0^f (1 - r0)^s)
 *
 * The GP has the rate r0 of the labels where it knows nothing. What it gains over that rate is what places explain; the
 * integral is what it costs that nobody knew the rate. If chance is the more probable one, a policy predicts with
 * both, by their probabilities, and chooses without caution: chance is the same everywhere, so caution gains nothing.
 *
 * Only policies believe in chance (failure_penalty.c). An ask loses little by going elsewhere, and must not find out by
 * failing in the same place again. */

/* The rate r0 of trials that do not fail: the mean of a uniform belief after the labels. */
double fcps_scatter_rate(int successes, int failures);

/* log p(labels | chance) - log p(labels | places), where `evidence` is log p_GP. Chance is never the better one where
 * that is not finite. */
double fcps_scatter_log_odds(int successes, int failures, double evidence);

/* -- What is learnt -- */

/* All trials of a model. */
typedef struct fcps_trials {
  const fcps_layout *layout;
  const fcps_description *description; /* says what is at rest */
  const fcps_rollouts *training, *others;
  const int *told_before; /* how many training rollouts were told before each of the others */
} fcps_trials;

typedef struct fcps_feasibility {
  fcps_label_probit *feasible; /* that a trial does not fail; NULL while none has */
  fcps_label_probit *present;  /* that there is an outcome, where outcomes are predicted; NULL while none was absent */
  fcps_label_probit *moves;    /* that something moves; NULL: that is not a question of its own */
  bool presence_ignores_parameters; /* the parameters are not among the inputs of `present` */
  fcps_outage outage;               /* the one that is believed: `feasible` knows nothing of its failures */
  fcps_outage absence;              /* the same of absent outcomes, and `present` */
  double
      chance; /* how probable it is that chance explains the failures of `feasible`, not their places (fcps_scatter_log_odds) */
  double rate; /* how often a trial then does not fail, wherever it is */
  int rows;    /* rollouts that all know */
} fcps_feasibility;

/* Learns them where trials came since the last time. */
fcps_status fcps_feasibility_learn(fcps_feasibility *feasibility, const fcps_trials *trials);

/* Drops them, where they were learnt from trials that were taken back, or by another belief. */
void fcps_feasibility_forget(fcps_feasibility *feasibility);

/* Whether a trial belongs to an outage that is believed in; `others` are those that it was learnt from. */
bool fcps_feasibility_excuses(const fcps_feasibility *feasibility, const fcps_rollouts *others,
                              const fcps_rollout *rollout);

/* The probability that each of `count` trials (rows in the problem's own units) does not fail and has an outcome. */
fcps_status fcps_feasibility_chances(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                                     const double *environments, const double *parameters, double *probabilities,
                                     fcps_error *error);

/* Multiplies `values` of such trials by the probability that something moves, where that is a question of its own. */
void fcps_feasibility_scale_by_movement(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                                        const double *environments, const double *parameters, double *values);

/* Multiplies `values` of `count` trials, given by the features of rows, by the probability that they do not fail: for
 * what a trial is worth, never negative, where a failed one is worth nothing. */
void fcps_feasibility_scale(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                            const double *features, double *values);

/* What rests, by a description or by a structure that is tried. */
typedef struct fcps_rest_rule {
  bool (*rests)(const void *user, const double *environment, const double *outcome);
  const void *user;
} fcps_rest_rule;

/* The log likelihood of which rollouts source[0 ... count - 1] move, by a classifier of their places. */
fcps_status fcps_feasibility_explain_movement(const fcps_look *look, int count, const int *source, fcps_rest_rule rule,
                                              double *log_likelihood);

/* The probability that something moves in each training rollout, as others say: every fifth is left out at a time. */
fcps_status fcps_feasibility_leave_out_movement(const fcps_trials *trials, double *probabilities);

#endif
