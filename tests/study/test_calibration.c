/* SPDX-License-Identifier: Apache-2.0 */
/* The claims of a study about data whose truth is known: the quick form of bench_calibration. */
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

/* -- What is not so -- */

/* Sums over healthy studies. */
typedef struct beliefs {
  int studies, wrong; /* the studies that believe in something that does not exist */
  double odds;        /* natural logarithm of the largest that were printed for it */
} beliefs;

static void believe(beliefs *b, const calibration_kind *kind, calibration_inputs inputs, int seeds)
{
  static const calibration_claim structures[] = {CLAIM_FRAME, CLAIM_CONTACT, CLAIM_UNEVEN, CLAIM_UNIT};
  for (int seed = FIRST; seed < FIRST + seeds; seed++) {
    const calibration_claims claims = claims_of(kind, inputs, seed);
    bool is_wrong = false;
    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++)
      is_wrong = is_wrong || (makes(&claims, structures[i]) && !(kind->right & 1u << structures[i]));
    b->studies++;
    b->wrong += is_wrong;
    if (!(kind->right & 1u << claims.odds_of)) b->odds = fmax(b->odds, claims.odds);
  }
}

static void noise_is_taken_for_no_structure(void **state)
{
  (void)state;
  for (calibration_inputs inputs = INPUTS_UNIFORM; inputs <= INPUTS_CONVERGING; inputs++) {
    beliefs b = {0};
    believe(&b, calibration_kind_named("noise"), inputs, 20);
    assert_true(b.wrong <= 1);
  }
}

/* Steps, few digits, decades, ends of sensors, two modes: at most one study in twenty believes in something, and
 * nothing wrong is printed with odds of a thousand to one. */
static void healthy_studies_believe_in_no_structure(void **state)
{
  (void)state;
  const calibration_kind *kind;
  beliefs b = {0};
  for (int i = 0; (kind = calibration_kind_at(i)) != NULL; i++)
    for (calibration_inputs inputs = INPUTS_UNIFORM; kind->group == GROUP_HEALTHY && inputs <= INPUTS_CONVERGING;
         inputs++)
      believe(&b, kind, inputs, 5);
  if (20 * b.wrong > b.studies) fail_msg("%d of %d healthy studies believe in a structure", b.wrong, b.studies);
  assert_true(b.odds < log(1000));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_so_is_found),
                                     cmocka_unit_test(noise_is_taken_for_no_structure),
                                     cmocka_unit_test(healthy_studies_believe_in_no_structure)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
