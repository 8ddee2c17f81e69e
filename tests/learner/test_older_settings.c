/* SPDX-License-Identifier: Apache-2.0 */
/* A learner made with older defaults goes on without the settings that came after them, unless they are given. */
#include "learner/older_settings.h"

#include "check.h"
#include "format/json.h"
#include "toy.h"

#include <string.h>

static void expect_settings(int defaults, const fcps_setting *given, const char *const wanted[3])
{
  static const char *const names[] = {"frame", "contact", "uneven_noise"};
  const fcps_problem problem = toy_problem();
  fcps_learner *learner = NULL;
  fcps_error error;
  assert_ok(fcps_learner_create_older(&learner, &problem, "outcome", given, 1001, defaults, &error));
  char *text = NULL;
  fcps_json *saved = NULL;
  assert_ok(fcps_learner_save(learner, &text, &error));
  assert_ok(fcps_json_read(&saved, text, strlen(text), "saved", &error));
  for (int i = 0; i < 3; i++)
    assert_string_equal(fcps_json_text(fcps_json_get(fcps_json_get(saved, "settings"), names[i])), wanted[i]);
  fcps_json_destroy(saved);
  fcps_free(text);
  fcps_learner_destroy(learner);
}

static void settings_that_came_later_are_off(void **state)
{
  (void)state;
  expect_settings(FCPS_DEFAULTS_FIRST, NULL, (const char *const[]){"off", "off", "off"});
  expect_settings(2, NULL, (const char *const[]){"auto", "auto", "off"});
  expect_settings(FCPS_DEFAULTS_LATEST, NULL, (const char *const[]){"auto", "auto", "auto"});
}

static void what_is_given_counts(void **state)
{
  (void)state;
  const fcps_setting given[] = {{"uneven_noise", "auto"}, {"contact", "off"}, {NULL, NULL}};
  expect_settings(FCPS_DEFAULTS_FIRST, given, (const char *const[]){"off", "off", "auto"});
  expect_settings(FCPS_DEFAULTS_LATEST, given, (const char *const[]){"auto", "off", "auto"});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(settings_that_came_later_are_off),
      cmocka_unit_test(what_is_given_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
