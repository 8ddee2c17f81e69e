/* SPDX-License-Identifier: Apache-2.0 */
/* On plain functions c-cma-es needs as many evaluations as PyPI's cma. Skipped if cma is not installed (`scripts/setup
 * --full` installs it). */
#define _POSIX_C_SOURCE 200809L /* popen */
#include "plain_functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { FUNCTIONS = 3, RUNS = 11, MOST = 6000, SKIPPED = 77 };

static int compare(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

static double median_evaluations(plain_function *function)
{
  int made[RUNS];
  for (int i = 0; i < RUNS; i++)
    made[i] = plain_evaluations(function, 1e-8, MOST, 1000 + (uint64_t)i);
  qsort(made, RUNS, sizeof *made, compare);
  return made[RUNS / 2];
}

static double peer[FUNCTIONS];

static void evaluations_are_those_of_the_reference(void **state)
{
  (void)state;
  plain_function *const functions[FUNCTIONS] = {plain_sphere, plain_ellipsoid, plain_rosenbrock};
  for (int i = 0; i < FUNCTIONS; i++) {
    const double ratio = median_evaluations(functions[i]) / peer[i];
    print_message("function %d: cma %g evaluations, c-cma-es %.2f times as many\n", i, peer[i], ratio);
    assert_true(ratio > 0.7 && ratio < 1.4);
  }
}

/* Runs the script; its numbers are in `peer`. */
static int ask_peer(void)
{
  FILE *pipe = popen("python3 " TEST_SOURCE_DIR "/tests/learner/policy_search/plain_cma.py", "r");
  if (pipe == NULL) return SKIPPED;
  int read = 0;
  while (read < FUNCTIONS && fscanf(pipe, "%lf", peer + read) == 1)
    read++;
  const int ended = pclose(pipe);
  if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0 && read == FUNCTIONS) return 0;
  return WIFEXITED(ended) && (WEXITSTATUS(ended) == SKIPPED || WEXITSTATUS(ended) == 127) ? SKIPPED : 1;
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(evaluations_are_those_of_the_reference)};
  const int asked = ask_peer();
  if (asked == SKIPPED) printf("skipped: python3 with the package cma is not here; scripts/setup --full installs it\n");
  return asked != 0 ? asked : cmocka_run_group_tests(tests, NULL, NULL);
}
