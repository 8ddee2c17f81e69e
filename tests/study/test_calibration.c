/* SPDX-License-Identifier: Apache-2.0 */
/* What a study claims of data whose truth is known: the quick form of bench_calibration. */
#include "calibration/run.h"
#include "check.h"

/* Of studies with so many rows and two outcomes, on seeds from 1001 on. */
enum { FIRST = 1001, ROWS = 20, OUTCOMES = 2 };

static calibration_claims claims_of(const calibration_kind *kind, calibration_inputs inputs, int seed)
{
  calibration_claims claims = {0};
  fcps_error error = {0};
  if (calibration_run(kind, inputs, ROWS, OUTCOMES, (uint64_t)seed, &claims, &error) != FCPS_OK)
    fail_msg("%s, seed %d: %s %s", kind->name, seed, error.field, error.message);
  return claims;
}

static bool makes(const calibration_claims *claims, calibration_claim claim)
{
  return (claims->made & 1u << claim) != 0;
}

/* How many of ten studies with rows anywhere make a claim. */
static int count_claims(const char *kind, calibration_claim claim)
{
  int count = 0;
  for (int seed = FIRST; seed < FIRST + 10; seed++) {
    const calibration_claims claims = claims_of(calibration_kind_named(kind), INPUTS_UNIFORM, seed);
    count += makes(&claims, claim);
  }
  return count;
}

static void what_is_so_is_found(void **state)
{
  (void)state;
  assert_true(count_claims("turns", CLAIM_FRAME) >= 9);
  assert_true(count_claims("rests", CLAIM_CONTACT) >= 9);
  assert_true(count_claims("slip", CLAIM_SUSPECT) >= 9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_so_is_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
