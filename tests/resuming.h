/* SPDX-License-Identifier: Apache-2.0 */
/* Resumed equals uninterrupted: one check for every learner. */
#ifndef FCPS_TESTS_RESUMING_H
#define FCPS_TESTS_RESUMING_H

#include "check.h"
#include "throwing.h"

#include <string.h>

/* Runs `episodes` of `name`, saving and loading before each of the later ones, beside a learner that is left alone:
 * every answer must have the same bits. */
static inline void check_resumes(const fcps_problem *problem, const char *name, const fcps_setting *settings,
                                 int episodes)
{
  fcps_error error;
  fcps_learner *alone = NULL, *resumed = NULL;
  assert_ok(fcps_learner_create(&alone, problem, name, settings, 7, &error));
  assert_ok(fcps_learner_create(&resumed, problem, name, settings, 7, &error));
  for (int i = 0; i < episodes; i++) {
    double a[2], b[2];
    if (i > episodes / 3) {
      char *text = NULL;
      assert_ok(fcps_learner_save(resumed, &text, &error));
      fcps_learner_destroy(resumed);
      assert_ok(fcps_learner_load(&resumed, problem, text, &error));
      fcps_free(text);
    }
    assert_ok(throwing_episode(alone, i, a));
    assert_ok(throwing_episode(resumed, i, b));
    assert_memory_equal(a, b, sizeof a);
  }
  fcps_learner_destroy(alone);
  fcps_learner_destroy(resumed);
}

#endif
