/* SPDX-License-Identifier: Apache-2.0 */
/* The longest texts of a result. */
#include "study_fixture.h"

#include "format/text.h"

enum { LONG = 900000, MOST = 4096 };

static void count_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)level, (void)message;
  *(int *)user += strcmp(code, "W_TEXT_CUT") == 0;
}

static void tell_failure(fcps_study *s, const char *message, fcps_stored_result *stored)
{
  const double target = 2.0, wind = 0.25;
  fcps_ask ask;
  const fcps_result result = {.rollout.status = FCPS_ROLLOUT_FAILED, .message = message};
  assert_ok(fcps_study_ask(s, NULL, &target, &wind, &ask, NULL));
  assert_ok(fcps_study_tell(s, ask.id, &result, NULL, NULL));
  fcps_study_result_at(s, fcps_study_result_count(s) - 1, stored);
}

static void a_long_message_is_cut_between_two_characters_and_says_so(void **state)
{
  (void)state;
  int warnings = 0;
  const fcps_study_options options = {.log = {count_warning, &warnings}};
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw", .seed = 1};
  fcps_stored_result stored;
  fcps_study *s = NULL;
  char *message = calloc(LONG + 1, 1);
  assert_non_null(message);
  assert_ok(fcps_study_create(&s, NULL, &setup, &options, NULL));
  for (int shift = 0; shift < 3; shift++) {
    memset(message, 'x', (size_t)shift);
    for (int i = shift; i + 3 <= LONG; i += 3)
      memcpy(message + i, "\xE2\x82\xAC", 3); /* the sign of the euro */
    tell_failure(s, message, &stored);
    assert_true(strlen(stored.result.message) < MOST);
    assert_non_null(strstr(stored.result.message, "bytes)"));
    for (const char *c = stored.result.message; *c != '\0'; c += fcps_utf8_length(c))
      assert_true(fcps_utf8_length(c) > 0);
  }
  assert_int_equal(warnings, 3);
  memset(message, 'y', MOST - 1);
  message[MOST - 1] = '\0';
  tell_failure(s, message, &stored);
  assert_string_equal(stored.result.message, message);
  assert_int_equal(warnings, 3);
  free(message);
  fcps_study_close(s);
}

static void a_long_client_or_key_is_refused(void **state)
{
  (void)state;
  char name[1002];
  const double target = 2.0, wind = 0.25, parameters[2] = {1, 1};
  fcps_error error = {0};
  fcps_study *s = make_study(NULL, throw_yaml, "random");
  const fcps_rollout rollout = {.target = &target, .environment = &wind, .parameters = parameters};
  const fcps_result client = {.rollout = rollout, .client = name}, key = {.rollout = rollout, .key = name};
  memset(name, 'n', 1001);
  name[1001] = '\0';
  assert_status(fcps_study_tell(s, FCPS_NOT_ASKED, &client, NULL, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "client");
  assert_status(fcps_study_tell(s, FCPS_NOT_ASKED, &key, NULL, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "key");
  name[1000] = '\0';
  assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &key, NULL, &error));
  assert_int_equal(fcps_study_result_count(s), 1);
  fcps_study_close(s);
}

static void a_client_that_asks_has_a_short_name(void **state)
{
  (void)state;
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw", .seed = 1};
  const double target = 2.0, wind = 0.25;
  char name[145];
  fcps_study *s = NULL;
  fcps_ask ask;
  fcps_error error;
  memset(name, 'n', sizeof name);
  name[144] = '\0';
  assert_ok(fcps_study_create(&s, NULL, &setup, NULL, NULL));
  assert_status(fcps_study_ask(s, name, &target, &wind, &ask, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "client");
  assert_status(fcps_study_choose(s, name, NULL, &target, &wind, &ask, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "client");
  assert_int_equal(fcps_study_ask_count(s), 0);
  name[143] = '\0';
  assert_ok(fcps_study_ask(s, name, &target, &wind, &ask, &error));
  assert_string_equal(ask.client, name);
  fcps_study_close(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_long_message_is_cut_between_two_characters_and_says_so),
      cmocka_unit_test(a_long_client_or_key_is_refused),
      cmocka_unit_test(a_client_that_asks_has_a_short_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
