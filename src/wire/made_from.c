/* SPDX-License-Identifier: Apache-2.0 */
/* The study is compared with one in memory from the same setup, which knows the defaults of its learner. */
#include "wire/made_from.h"

#include <string.h>

static bool is_same_settings(const fcps_setting *a, const fcps_setting *b)
{
  for (; a->name != NULL && b->name != NULL; a++, b++)
    if (strcmp(a->name, b->name) != 0 || strcmp(a->value, b->value) != 0) return false;
  return a->name == NULL && b->name == NULL;
}

bool fcps_wire_is_made_from(const fcps_study *study, const fcps_study_setup *setup)
{
  fcps_study *wanted = NULL;
  const fcps_problem_file *file = fcps_study_file(study);
  if (file == NULL || strcmp(file->text, setup->text) != 0) return false;
  const bool is_same = fcps_study_create(&wanted, NULL, setup, NULL, NULL) == FCPS_OK &&
                       strcmp(fcps_study_learner(study), fcps_study_learner(wanted)) == 0 &&
                       fcps_study_seed(study) == fcps_study_seed(wanted) &&
                       is_same_settings(fcps_study_settings(study), fcps_study_settings(wanted));
  fcps_study_close(wanted);
  return is_same;
}
