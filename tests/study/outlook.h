/* SPDX-License-Identifier: Apache-2.0 */
/* The outlook of a study, as `fcps study status` has it. */
#ifndef FCPS_TESTS_STUDY_OUTLOOK_H
#define FCPS_TESTS_STUDY_OUTLOOK_H

#include "check.h"

#include <fcps/fcps.h>

static fcps_outlook outlook_of(fcps_study *s)
{
  fcps_policy *policy = NULL;
  fcps_outlook outlook;
  assert_ok(fcps_study_policy(s, &policy, NULL));
  assert_ok(fcps_study_outlook(s, policy, &outlook, NULL, NULL, NULL));
  fcps_policy_destroy(policy);
  return outlook;
}

#endif
