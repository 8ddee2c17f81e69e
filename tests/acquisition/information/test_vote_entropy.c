/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/information/belief.c. */
#include "acquisition/information/belief.h"
#include "check.h"

/* H(mean of p_j) - mean of H(p_j), from shares. */
static double loss_of_entropy(int outcomes, int samples, int m, const int *votes)
{
  double before = 0, after = 0;
  for (int i = 0; i < m; i++) {
    double mean = 0;
    for (int j = 0; j < outcomes; j++) {
      const double p = (double)votes[j * m + i] / samples;
      mean += p / outcomes;
      if (p > 0) after -= p * log(p) / outcomes;
    }
    if (mean > 0) before -= mean * log(mean);
  }
  return before - after;
}

static void the_gain_is_the_loss_of_entropy(void **state)
{
  (void)state;
  enum { J = 3, S = 10, M = 4 };
  const int votes[J * M] = {10, 0, 0, 0, 1, 2, 3, 4, 5, 5, 0, 0};
  double logs[J * S + 1];
  fcps_vote_entropy_logs(J * S, logs);
  assert_near(fcps_vote_entropy_gain(J, S, M, votes, logs), loss_of_entropy(J, S, M, votes), 1e-14);
}

static void what_moves_no_vote_gains_nothing_and_what_decides_gains_all(void **state)
{
  (void)state;
  enum { J = 2, S = 6, M = 2 };
  const int same[J * M] = {4, 2, 4, 2}, decided[J * M] = {6, 0, 0, 6};
  double logs[J * S + 1];
  fcps_vote_entropy_logs(J * S, logs);
  assert_near(fcps_vote_entropy_gain(J, S, M, same, logs), 0.0, 1e-15);
  assert_near(fcps_vote_entropy_gain(J, S, M, decided, logs), log(2.0), 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gain_is_the_loss_of_entropy),
      cmocka_unit_test(what_moves_no_vote_gains_nothing_and_what_decides_gains_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
