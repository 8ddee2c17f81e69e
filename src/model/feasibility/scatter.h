/* SPDX-License-Identifier: Apache-2.0 */
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
#ifndef FCPS_MODEL_FEASIBILITY_SCATTER_H
#define FCPS_MODEL_FEASIBILITY_SCATTER_H

/* The rate r0 of trials that do not fail: the mean of a uniform belief after the labels. */
double fcps_scatter_rate(int successes, int failures);

/* log p(labels | chance) - log p(labels | places), where `evidence` is log p_GP. Chance is never the better one where
 * that is not finite. */
double fcps_scatter_log_odds(int successes, int failures, double evidence);

#endif
