/* SPDX-License-Identifier: Apache-2.0 */
/* A search that converges tells smaller and smaller numbers, all at one place: this is not taken for another unit.
 * FCPS_TEST_LONG=1: with more seeds. */
#include "check.h"

#include <fcps/study.h>
#include <fcps/study_remarks.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 60 };

typedef double landscape(const double *x);

static double sphere(const double *x)
{
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
}
static double ackley(const double *x)
{
  double squares = 0.0, waves = 0.0;
  for (int i = 0; i < 4; i++) {
    squares += x[i] * x[i] / 4.0;
    waves += cos(6.283185307179586 * x[i]) / 4.0;
  }
  return -20.0 * exp(-0.2 * sqrt(squares)) - exp(waves) + 20.0 + exp(1.0);
}
static double branin(const double *x)
{
  const double pi = 3.141592653589793, a = 5.0 / 3.0 * (x[0] + 4.0) - 5.0, b = 5.0 / 3.0 * (x[1] + 4.0);
  return pow(b - 5.1 / (4.0 * pi * pi) * a * a + 5.0 / pi * a - 6.0, 2) + 10.0 * (1.0 - 0.125 / pi) * cos(a) + 10.0;
}

static void expect_no_unit(landscape *f, const char *name, uint64_t seed)
{
  static const char yaml[] = "parameters: {a: [-4, 5], b: [-4, 5], c: [-4, 5], d: [-4, 5]}\n"
                             "outcome: [y]\n"
                             "reward: -y\n"
                             "learner: {name: outcome}\n";
  const fcps_study_setup setup = {.text = yaml, .text_name = "landscape.yaml", .seed = seed};
  fcps_study *s = NULL;
  const fcps_study_remark *remark;
  assert_ok(fcps_study_create(&s, NULL, &setup, NULL, NULL));
  for (int i = 0; i < TRIALS; i++) {
    fcps_ask ask;
    assert_ok(fcps_study_ask(s, NULL, NULL, NULL, &ask, NULL));
    const double y = f(ask.parameters);
    const fcps_result result = {.rollout = {.outcome = &y}};
    assert_ok(fcps_study_tell(s, ask.id, &result, NULL, NULL));
    for (int k = 0; (remark = fcps_study_remark_at(s, k)) != NULL; k++)
      if (strcmp(remark->code, "W_UNIT") == 0) fail_msg("%s, seed %d: %s", name, (int)seed, remark->text);
  }
  fcps_study_close(s);
}

static void a_search_that_converges_changes_no_unit(void **state)
{
  (void)state;
  const uint64_t last = getenv("FCPS_TEST_LONG") != NULL ? 1025 : 1004;
  for (uint64_t seed = 1001; seed <= last; seed++) {
    expect_no_unit(sphere, "sphere", seed);
    expect_no_unit(ackley, "ackley", seed);
    expect_no_unit(branin, "branin", seed);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_search_that_converges_changes_no_unit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
