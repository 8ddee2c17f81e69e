/* SPDX-License-Identifier: Apache-2.0 */
/* What a trial tells about where the maximum is, when samples vote for it. With N_ji of S votes for representer i in
 * outcome j of J, p_j the shares of the votes in it, and N_i = sum_j N_ji,
 *   G = H(mean_j p_j) - mean_j H(p_j) = log J + (sum_ji N_ji log N_ji - sum_i N_i log N_i)/(J S):
 * both terms from the same samples, never negative, and 0 where the trial moves nothing. */
#ifndef FCPS_ACQUISITION_INFORMATION_VOTE_ENTROPY_H
#define FCPS_ACQUISITION_INFORMATION_VOTE_ENTROPY_H

/* logs[N] := N log N for N = 0 to `most`. */
void fcps_vote_entropy_logs(int most, double *logs);

/* G of `votes` (J rows of m); `logs` reach J S. */
double fcps_vote_entropy_gain(int outcomes, int samples, int m, const int *votes, const double *logs);

#endif
