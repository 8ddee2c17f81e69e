/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on a study, by its address and as JSON: answers, errors that name the field, and schemas. */
#include "check.h"
#include "folder.h"

#include "door/door.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char yaml[] = "name: throw\n"
                           "target: {mark: {range: [-1, 1], unit: m}}\n"
                           "environment: {wind: [-0.2, 0.2]}\n"
                           "parameters: {tilt: [0, 1], speed: [0, 1]}\n"
                           "outcome: [land]\n"
                           "reward: -abs(mark-land)\n";
static char path[300];
static fcps_door *door;
static test_folder place;

static int set_up(void **state)
{
  (void)state;
  fcps_study *study = NULL;
  const fcps_study_setup setup = {.text = yaml, .text_name = "throw.yaml", .learner = "random", .seed = 1};
  place = folder_create();
  snprintf(path, sizeof path, "%s", folder_file(&place, "throw.fcps"));
  assert_ok(fcps_study_create(&study, path, &setup, NULL, NULL));
  fcps_study_close(study);
  assert_ok(fcps_door_open(&door, path, NULL, NULL));
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  fcps_door_close(door);
  folder_remove(&place);
  return 0;
}

static fcps_json *ask_for(const char *operation, const char *request)
{
  char *text = NULL;
  fcps_json *json = NULL, *asked = NULL;
  fcps_error error = {0};
  size_t length = 0;
  if (fcps_door_call(door, operation, request, &text, &length, &error) != FCPS_OK)
    fail_msg("%s %s: %s: %s", operation, request, error.field, error.message);
  assert_int_equal(length, strlen(text));
  assert_ok(fcps_json_read(&json, text, length, "the answer", NULL));
  if (request != NULL) assert_ok(fcps_json_read(&asked, request, strlen(request), "the request", NULL));
  if (fcps_operation_check_answer(fcps_operation_find(operation), asked, json, &error) != FCPS_OK)
    fail_msg("%s %s: %s: %s", operation, request, error.message, text);
  fcps_json_destroy(asked);
  fcps_free(text);
  return json;
}

static void a_trial_goes_through_the_door(void **state)
{
  (void)state;
  double reward = 0;
  int64_t id = 0;
  fcps_json *ask = ask_for("ask", "{\"target\": {\"mark\": 0.5}, \"environment\": {\"wind\": 0.1}}");
  assert_true(fcps_json_integer(fcps_json_get(ask, "ask"), &id) && id == 1);
  assert_string_equal(fcps_json_text(fcps_json_get(fcps_json_get(ask, "units"), "mark")), "m");
  fcps_json *told = ask_for("tell", "{\"ask\": 1, \"outcome\": {\"land\": 0.25}}");
  assert_true(fcps_json_number(fcps_json_get(told, "reward"), &reward));
  assert_near(reward, -0.25, 1e-12);
  fcps_json *rows = ask_for("rollouts", "{\"latest\": 1}");
  assert_int_equal(fcps_json_count(fcps_json_get(rows, "rollouts")), 1);
  fcps_json *many = ask_for("ask", "{\"contexts\": \"wind,mark\\n0.1,0.2\\n0,0.3\\n\"}");
  assert_int_equal(fcps_json_count(fcps_json_get(many, "asks")), 2);
  fcps_json_destroy(ask);
  fcps_json_destroy(told);
  fcps_json_destroy(rows);
  fcps_json_destroy(many);
}

static void requests_are_checked_against_their_rows(void **state)
{
  static const struct {
    const char *operation, *request, *field;
    fcps_status status;
  } cases[] = {
      {"ask", "{\"targt\": {}}", "targt", FCPS_ERR_UNKNOWN_NAME},
      {"ask", "{\"count\": 0}", "count", FCPS_ERR_FORMAT},
      {"ask", "{\"count\": \"two\"}", "count", FCPS_ERR_FORMAT},
      {"ask", "{\"client\": 7}", "client", FCPS_ERR_FORMAT},
      {"ask", "{\"contexts\": []}", "contexts", FCPS_ERR_FORMAT},
      {"ask", "{\"target\": {\"mork\": 1}}", "target", FCPS_ERR_UNKNOWN_NAME},
      {"forget", "{}", "ask", FCPS_ERR_ARGUMENT},
      {"forget", "{\"ask\": null}", "ask", FCPS_ERR_ARGUMENT},
      {"tell", "{\"ask\": 2, \"outcome\": {\"land\": 1}, \"status\": \"fine\"}", "status", FCPS_ERR_UNKNOWN_NAME},
      {"asks", "{\"state\": \"some\"}", "state", FCPS_ERR_UNKNOWN_NAME},
      {"amend", "{\"settings\": {\"kappa\": 1}}", "settings", FCPS_ERR_FORMAT},
      {"amend", "{\"force\": 1}", "force", FCPS_ERR_FORMAT},
      {"use", "{\"result\": -1}", "result", FCPS_ERR_FORMAT},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *text = NULL;
    fcps_error error = {0};
    const fcps_status status = fcps_door_call(door, cases[i].operation, cases[i].request, &text, NULL, &error);
    if (status != cases[i].status || strcmp(error.field, cases[i].field) != 0 || text != NULL)
      fail_msg("%s %s: %s, %s: %s", cases[i].operation, cases[i].request, fcps_status_text(status), error.field,
               error.message);
  }
}

/* the parts that an answer needs to acknowledge anything */
static void answers_are_checked_against_their_rows(void **state)
{
#define WHOLE   "\"environment\": {\"wind\": 0}, \"parameters\": {\"tilt\": 1}, \"repeated\": "
#define AT_HALF "{\"target\": {\"mark\": 0.5}}"
  static const struct {
    const char *operation, *request, *answer, *wrong; /* NULL: nothing is wrong with it */
  } cases[] = {
      {"tell", "{\"ask\": 7}", "{\"ask\": 7, \"stored\": true}", NULL},
      {"tell", "{\"ask\": 7}", "{\"ask\": 7.0, \"stored\": true, \"reward\": null, \"new\": []}", NULL},
      {"tell", "{}", "{\"ask\": 0, \"stored\": true}", NULL},
      {"tell", "{\"ask\": 7}", "{}", "ask"},
      {"tell", "{\"ask\": 7}", "[]", ""},
      {"tell", "{\"ask\": 7}", "{\"ask\": 7}", "stored"},
      {"tell", "{\"ask\": 7}", "{\"ask\": 7, \"stored\": false}", "stored"},
      {"tell", "{\"ask\": 7}", "{\"ask\": 7, \"stored\": \"true\"}", "stored"},
      {"tell", "{\"ask\": 7}", "{\"ask\": 77, \"stored\": true}", "ask"},
      {"tell", "{\"ask\": 7}", "{\"ask\": null, \"stored\": true}", "ask"},
      {"tell", "{\"ask\": 7}", "{\"stored\": true}", "ask"},
      {"tell", "{}", "{\"stored\": true, \"reward\": \"much\"}", "reward"},
      {"ask", AT_HALF, "{\"ask\": 1, \"target\": {\"mark\": 0.5}, " WHOLE "false}", NULL},
      {"ask", AT_HALF, "{\"ask\": 1, \"target\": {\"mark\": 0.4}, " WHOLE "false}", "target"},
      {"ask", AT_HALF, "{\"ask\": 1, \"target\": {\"mark\": 0.4}, " WHOLE "true}", "target"},
      {"ask", AT_HALF, "{\"ask\": 1, \"target\": {}, " WHOLE "false}", "target"},
      {"ask", AT_HALF, "{\"ask\": null, \"target\": {\"mark\": 0.5}, " WHOLE "false}", "ask"},
      {"ask", "{}", "{\"ask\": 1, \"target\": {\"mark\": [1]}, " WHOLE "false}", "target"},
      {"ask", "{\"client\": \"c\", \"target\": {\"mark\": 0.5}}",
       "{\"ask\": 1, \"target\": {\"mark\": 0.4}, " WHOLE "true}", NULL}, /* its unfinished ask */
      {"ask", "{\"count\": 1}", "{\"asks\": [{\"ask\": 1, \"target\": {\"mark\": 1}, " WHOLE "false}]}", NULL},
      {"ask", "{\"count\": 2}", "{\"asks\": [{\"ask\": 1, \"target\": {\"mark\": 1}, " WHOLE "false}]}", "asks"},
      {"ask", "{\"count\": 1}", "{\"ask\": 1, \"target\": {\"mark\": 1}, " WHOLE "false}", "asks"},
      {"ask", "{\"contexts\": [" AT_HALF "]}", "{\"asks\": [{\"ask\": 1, \"target\": {\"mark\": 1}, " WHOLE "false}]}",
       "target"},
      {"best", AT_HALF, "{\"target\": {\"mark\": 0.5}, \"environment\": {}}", "parameters"},
      {"retarget", "{\"contexts\": \"mark\\n0\\n\"}", "{\"answers\": {}}", "answers"},
      {"problem", NULL, "{\"target\": [{}], \"environment\": [], \"parameters\": [], \"outcome\": []}", "name"},
      {"use", "{\"result\": \"7.2\"}", "{\"result\": 12, \"used\": true}", NULL},
      {"use", "{\"result\": 11}", "{\"result\": 12, \"used\": true}", "result"},
      {"lease", "{}", "{\"ask\": null, \"asks\": 3, \"leases\": 0}", NULL},
      {"lease", "{}", "{\"asks\": 3, \"leases\": 0}", "ask"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_json *request = NULL, *answer = NULL;
    fcps_error error = {0};
    const char *asked = cases[i].request != NULL ? cases[i].request : "{}", *wrong = cases[i].wrong;
    assert_ok(fcps_json_read(&request, asked, strlen(asked), "the request", NULL));
    assert_ok(fcps_json_read(&answer, cases[i].answer, strlen(cases[i].answer), "the answer", NULL));
    const fcps_status status =
        fcps_operation_check_answer(fcps_operation_find(cases[i].operation), request, answer, &error);
    if (status != (wrong != NULL ? FCPS_ERR_FORMAT : FCPS_OK) || (wrong != NULL && strcmp(error.field, wrong) != 0))
      fail_msg("%s %s: %s: %s", cases[i].operation, asked, cases[i].answer, error.message);
    fcps_json_destroy(request);
    fcps_json_destroy(answer);
  }
}

/* a study that the caller has open also has a door, even in memory, and sees results of others */
static void an_open_study_has_a_door(void **state)
{
  (void)state;
  const fcps_study_setup setup = {.text = yaml, .text_name = "throw.yaml", .learner = "random", .seed = 1};
  fcps_study *study = NULL;
  fcps_door *own = door, *lent = NULL;
  fcps_door_failure failure;
  char *text = NULL;
  assert_ok(fcps_study_create(&study, NULL, &setup, NULL, NULL));
  assert_ok(fcps_door_open_study(&lent, study, NULL, NULL));
  assert_string_equal(fcps_door_address(lent), "memory:");
  door = lent;
  fcps_json_destroy(ask_for("ask", "{\"target\": {\"mark\": 0.5}, \"environment\": {\"wind\": 0.1}}"));
  assert_int_equal(fcps_study_ask_count(study), 1);
  fcps_json *state_of = ask_for("status", NULL);
  assert_string_equal(fcps_json_text(fcps_json_get(state_of, "study")), "memory:");
  fcps_json_destroy(state_of);
  assert_int_equal(fcps_door_call(lent, "forget", "{\"ask\": 7}", &text, NULL, NULL), FCPS_ERR_UNKNOWN_ASK);
  fcps_door_explain(lent, &failure);
  assert_int_equal(failure.http_status, -1);
  assert_string_equal(failure.code, "");
  fcps_door_close(lent);
  assert_int_equal(fcps_study_ask_count(study), 1); /* it is still open */
  fcps_study_close(study);
  door = own;
  assert_string_equal(fcps_door_address(door), path);
}

static void a_door_sees_what_others_store(void **state)
{
  (void)state;
  fcps_door *own = door, *other = NULL;
  fcps_json *before = ask_for("asks", "{\"state\": \"all\"}");
  assert_ok(fcps_door_open(&other, path, NULL, NULL));
  door = other;
  fcps_json_destroy(ask_for("ask", "{\"target\": {\"mark\": 0.5}, \"environment\": {\"wind\": 0.1}}"));
  door = own;
  fcps_json *after = ask_for("asks", "{\"state\": \"all\"}");
  assert_int_equal(fcps_json_count(fcps_json_get(after, "asks")), fcps_json_count(fcps_json_get(before, "asks")) + 1);
  fcps_json_destroy(before);
  fcps_json_destroy(after);
  fcps_door_close(other);
}

/* a missing part of a server's address is reported at once, without a request */
static void addresses_of_servers_are_whole(void **state)
{
  static const struct {
    const char *address, *token, *field;
  } cases[] = {
      {"http://127.0.0.1:1", "a", "STUDY"},
      {"http://127.0.0.1/throw", "a", "STUDY"},
      {"http://127.0.0.1:1/throw#abc", "a", "STUDY"},
      {"http://192.0.2.7:1/throw", NULL, "token"},
      {"http://127.0.0.1:1/throw", "0123456789012345678901234567890123456789012345678901234567890123", "token"}};
  (void)state;
  unsetenv("FCPS_TOKEN_FILE");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_error error = {0};
    fcps_door *other = NULL;
    const fcps_door_options options = {.token = cases[i].token};
    assert_int_equal(fcps_door_open(&other, cases[i].address, &options, &error), FCPS_ERR_ARGUMENT);
    assert_string_equal(error.field, cases[i].field);
    assert_null(other);
  }
}

static void who_is_not_there_may_come_back(void **state)
{
  (void)state;
  const fcps_door_options options = {.token = "a", .wait_s = 1};
  fcps_door *away = NULL;
  fcps_door_failure failure;
  char *text = NULL;
  assert_ok(fcps_door_open(&away, "http://127.0.0.1:1/throw", &options, NULL));
  assert_int_equal(fcps_door_call(away, "ask", NULL, &text, NULL, NULL), FCPS_ERR_LOCKED);
  fcps_door_explain(away, &failure);
  assert_int_equal(failure.http_status, -1);
  fcps_door_close(away);
}

/* the rows of the table must be complete, because doors are made from them */
static void rows_are_whole(void **state)
{
  const fcps_operation *o;
  (void)state;
  for (int i = 0; (o = fcps_operation_at(i)) != NULL; i++) {
    assert_non_null(o->summary);
    assert_non_null(o->request);
    assert_non_null(o->answer);
    assert_non_null(o->run);
    assert_ptr_equal(fcps_operation_find(o->name), o);
    for (const fcps_field *f = o->request; f->name != NULL; f++)
      if ((f->flags & FCPS_FIELD_NEEDED) != 0 && f->help == NULL) fail_msg("%s: %s has no help", o->name, f->name);
    fcps_json *schema = fcps_operation_schema(o->request);
    assert_string_equal(fcps_json_text(fcps_json_get(schema, "type")), "object");
    fcps_json_destroy(schema);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_trial_goes_through_the_door),
      cmocka_unit_test(requests_are_checked_against_their_rows),
      cmocka_unit_test(answers_are_checked_against_their_rows),
      cmocka_unit_test(an_open_study_has_a_door),
      cmocka_unit_test(a_door_sees_what_others_store),
      cmocka_unit_test(addresses_of_servers_are_whole),
      cmocka_unit_test(who_is_not_there_may_come_back),
      cmocka_unit_test(rows_are_whole),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
