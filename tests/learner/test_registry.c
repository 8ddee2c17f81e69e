/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/learner/registry.c. */
#include "check.h"
#include "learner/learner_impl.h"

#include <string.h>

static void learners_that_choose_contexts_say_so(void **state)
{
  (void)state;
  const fcps_learner_entry *entry;
  int active = 0;
  for (int i = 0; (entry = fcps_learner_entry_at(i)) != NULL; i++) {
    if (entry->info.is_active != (entry->ops->choose != NULL)) fail_msg("%s", entry->info.name);
    active += entry->info.is_active;
  }
  assert_true(active > 0);
}

static void every_learner_is_found_by_its_name_alone(void **state)
{
  (void)state;
  const fcps_learner_info *info;
  fcps_error error;
  int count = 0;
  for (; (info = fcps_learner_info_at(count)) != NULL; count++)
    assert_ptr_equal(fcps_learner_entry_find(info->name, &error), fcps_learner_entry_at(count));
  assert_true(count > 0);
  assert_null(fcps_learner_info_at(-1));
  assert_null(fcps_learner_entry_find("bo-fcp", &error));
  assert_non_null(strstr(error.message, "bo-fcps"));
  assert_null(fcps_learner_entry_find(NULL, NULL));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(learners_that_choose_contexts_say_so),
      cmocka_unit_test(every_learner_is_found_by_its_name_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
