/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with what it lacks: comparison of doubles, and statuses shown as words. */
#ifndef FCPS_TESTS_CHECK_H
#define FCPS_TESTS_CHECK_H

#include <fcps/base.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* needs the five above before it */

/* |a - b| <= tolerance * max(1, |b|); NaN never passes. */
#define assert_near(a, b, tolerance)                                                                                   \
  do {                                                                                                                 \
    const double near_a = (a), near_b = (b);                                                                           \
    if (!(fabs(near_a - near_b) <= (tolerance)*fmax(1.0, fabs(near_b))))                                               \
      fail_msg("%s = %.17g, expected %s = %.17g within %g", #a, near_a, #b, near_b, (double)(tolerance));              \
  } while (0)

#define assert_status(call, expected)                                                                                  \
  do {                                                                                                                 \
    const fcps_status status_got = (call);                                                                             \
    if (status_got != (expected))                                                                                      \
      fail_msg("%s: %s, expected %s", #call, fcps_status_text(status_got), fcps_status_text(expected));                \
  } while (0)

#define assert_ok(call) assert_status(call, FCPS_OK)

/* Ends a test that cannot be done here, with the reason and what would help. */
#define skip_because(reason)                                                                                           \
  do {                                                                                                                 \
    print_message("skipped: %s\n", reason);                                                                            \
    skip();                                                                                                            \
  } while (0)

#endif
