/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the model by name: the reasons for an ask, the gain from more trials, and which inputs matter. */
#include "check.h"

#include "base/number.h"
#include "door/door.h"
#include "operation/call.h"
#include "problem/formula/conditions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SPACES                                                                                                         \
  "target: {mark: {range: [0, 4], unit: m}}\n"                                                                         \
  "environment: {wind: [-0.5, 0.5]}\n"                                                                                 \
  "parameters: {speed: [0, 3], idle: [0, 1]}\n"                                                                        \
  "outcome: {land: [-5, 15]}\n"                                                                                        \
  "reward: -(mark-land)^2\n"
static const char plain[] = "name: throw\n" SPACES, bound[] = "name: throw\n" SPACES
                                                              "limits: {land: {at_most: 1.8, chance: 0.9}}\n"
                                                              "constraints: [speed + wind <= 1.7]\n";

typedef struct fixture {
  fcps_study *study;
  fcps_door *door;
} fixture;

static fixture open_study(const char *yaml, int results)
{
  fixture f = {0};
  const fcps_study_setup setup = {.text = yaml, .text_name = "throw.yaml", .learner = "outcome", .seed = 1};
  assert_ok(fcps_study_create(&f.study, NULL, &setup, NULL, NULL));
  assert_ok(fcps_door_open_study(&f.door, f.study, NULL, NULL));
  for (int i = 0; i < results; i++) {
    const double mark = 4 * fmod(0.618 * i, 1.0), wind = fmod(0.37 * i, 1.0) - 0.5;
    fcps_ask ask;
    assert_ok(fcps_study_ask(f.study, NULL, &mark, &wind, &ask, NULL));
    const double land = ask.parameters[0] * ask.parameters[0] / 1.5 + wind + 0.01 * ((7 * i) % 5 - 2);
    const fcps_result result = {.rollout = {.outcome = &land}};
    assert_ok(fcps_study_tell(f.study, ask.id, &result, NULL, NULL));
  }
  return f;
}

static void close_study(fixture *f)
{
  fcps_door_close(f->door);
  fcps_study_close(f->study);
}

static char *call(fixture *f, const char *operation, const char *request)
{
  char *text = NULL;
  fcps_error error = {0};
  fcps_json *json = NULL, *asked = NULL;
  if (fcps_door_call(f->door, operation, request, &text, NULL, &error) != FCPS_OK)
    fail_msg("%s %s: %s: %s", operation, request, error.field, error.message);
  assert_ok(fcps_json_read(&json, text, strlen(text), "the answer", NULL));
  assert_ok(fcps_json_read(&asked, request, strlen(request), "the request", NULL));
  if (fcps_operation_check_answer(fcps_operation_find(operation), asked, json, &error) != FCPS_OK)
    fail_msg("%s %s: %s: %s", operation, request, error.message, text);
  fcps_json_destroy(json);
  fcps_json_destroy(asked);
  return text;
}

static fcps_json *ask_for(fixture *f, const char *operation, const char *request)
{
  fcps_json *json = NULL;
  char *text = call(f, operation, request);
  assert_ok(fcps_json_read(&json, text, strlen(text), "the answer", NULL));
  fcps_free(text);
  return json;
}

static double number(const fcps_json *object, const char *key)
{
  return fcps_json_get_number(object, key, NAN);
}

static const fcps_json *find(const fcps_json *list, const char *key, const char *name)
{
  for (int i = 0; i < fcps_json_count(list); i++)
    if (strcmp(fcps_json_get_text(fcps_json_at(list, i), key, ""), name) == 0) return fcps_json_at(list, i);
  return NULL;
}

static void an_ask_is_explained_as_it_was_made(void **state)
{
  fixture f = open_study(plain, 24);
  const double mark = 3.0, wind = 0.1, land = 2.9;
  fcps_ask ask;
  (void)state;
  assert_ok(fcps_study_ask(f.study, NULL, &mark, &wind, &ask, NULL));
  assert_int_equal(ask.id, 25);
  fcps_json *pending = ask_for(&f, "why", "{\"ask\": 25}");
  assert_non_null(strstr(fcps_json_get_text(pending, "text", ""), "ask 25 is expected to earn"));
  assert_near(number(pending, "results"), 24, 0);
  const fcps_json *lesson = find(fcps_json_get(pending, "teaches"), "of", "land");
  assert_true(number(lesson, "before") > number(lesson, "after"));
  assert_int_equal(fcps_json_count(fcps_json_get(pending, "trials")), 5);
  assert_true(number(fcps_json_get(pending, "best"), "reward") > -0.1);
  assert_true(number(fcps_json_get(pending, "best"), "reward") > number(fcps_json_get(pending, "runner_up"), "reward"));
  assert_ok(fcps_study_tell(f.study, 25, &(fcps_result){.rollout = {.outcome = &land}}, NULL, NULL));
  fcps_json *told = ask_for(&f, "why", "{\"ask\": 25}");
  assert_near(number(told, "results"), 24, 0); /* it does not know its own result */
  assert_near(number(told, "earned"), -0.01, 1e-12);
  assert_near(number(fcps_json_get(told, "best"), "reward"), number(fcps_json_get(pending, "best"), "reward"), 1e-3);
  assert_non_null(strstr(fcps_json_get_text(told, "text", ""), "was expected to earn"));
  fcps_json_destroy(pending);
  fcps_json_destroy(told);
  pending = ask_for(&f, "why", "{\"ask\": 1}");
  assert_non_null(strstr(fcps_json_get_text(pending, "text", ""), "one of the first trials"));
  fcps_json_destroy(pending);
  close_study(&f);
}

static void limits_constraints_and_bounds_that_bind_are_named(void **state)
{
  fixture f = open_study(bound, 20);
  bool is_seen[2] = {false};
  (void)state;
  for (int i = 11; i <= 20; i++) {
    static const char *const kinds[] = {"limit", "constraint"};
    char request[40];
    snprintf(request, sizeof request, "{\"ask\": %d}", i);
    fcps_json *why = ask_for(&f, "why", request);
    for (int k = 0; k < 2; k++)
      is_seen[k] |= find(fcps_json_get(why, "binds"), "kind", kinds[k]) != NULL;
    fcps_json_destroy(why);
  }
  assert_true(is_seen[0] && is_seen[1]);
  close_study(&f);
  f = open_study(plain, 20);
  const double mark = 0.0, wind = 0.4; /* it wants to land before the wind lets it */
  fcps_ask ask;
  assert_ok(fcps_study_ask(f.study, NULL, &mark, &wind, &ask, NULL));
  fcps_json *why = ask_for(&f, "why", "{\"ask\": 21}");
  const fcps_json *lowest = find(fcps_json_get(why, "binds"), "name", "speed");
  assert_string_equal(fcps_json_get_text(lowest, "kind", ""), "bound");
  assert_near(number(lowest, "value"), 0, 0);
  fcps_json_destroy(why);
  close_study(&f);
}

static void a_learner_without_a_model_says_so(void **state)
{
  fixture f = open_study(plain, 2);
  fcps_error error = {0};
  char *text = NULL;
  (void)state;
  assert_int_equal(fcps_door_call(f.door, "forecast", NULL, &text, NULL, &error), FCPS_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.message, "a forecast needs 5 results"));
  assert_int_equal(fcps_door_call(f.door, "why", "{\"ask\": 3}", &text, NULL, &error), FCPS_ERR_UNKNOWN_ASK);
  assert_null(text);
  close_study(&f);
}

static void the_same_study_has_the_same_forecast(void **state)
{
  fixture f = open_study(plain, 12), g = open_study(plain, 12);
  char *once = call(&f, "forecast", "{\"trials\": 6, \"parallel\": 2}"),
       *again = call(&g, "forecast", "{\"trials\": 6, \"parallel\": 2}"),
       *later = call(&f, "forecast", "{\"trials\": 6, \"parallel\": 2}");
  (void)state;
  assert_string_equal(once, again);
  assert_string_equal(once, later);
  fcps_free(once);
  fcps_free(again);
  fcps_free(later);
  close_study(&f);
  close_study(&g);
}

static void a_forecast_rises_and_a_reward_takes_trials(void **state)
{
  fixture f = open_study(plain, 8);
  fcps_json *few = ask_for(&f, "forecast", "{\"trials\": 20}");
  const fcps_json *now = fcps_json_get(few, "now"), *then = fcps_json_get(few, "reward");
  char request[60];
  (void)state;
  assert_true(number(then, "low") <= number(then, "median") && number(then, "median") <= number(then, "high"));
  assert_true(number(then, "median") >= number(now, "median"));
  assert_true(number(then, "low") <= number(now, "median")); /* perhaps nothing more is learnt */
  assert_true(number(then, "high") <= 0);                    /* by the formula */
  assert_int_equal(fcps_json_count(fcps_json_get(few, "curve")), 9);
  snprintf(request, sizeof request, "{\"reward\": %.17g}", number(now, "low") - 1.0);
  fcps_json *easy = ask_for(&f, "forecast", request);
  assert_near(number(easy, "trials"), 0, 0);
  assert_near(number(easy, "chance"), 1, 1e-9);
  fcps_json *never = ask_for(&f, "forecast", "{\"reward\": 5, \"trials\": 10}");
  assert_true(fcps_json_is_null(fcps_json_get(never, "trials")));
  assert_near(number(never, "chance"), 0, 0);
  fcps_json_destroy(few);
  fcps_json_destroy(easy);
  fcps_json_destroy(never);
  close_study(&f);
}

/* The further a throw the better: a search finds the highest peak of every world, and no world has one far above all
 * throws. */
static void no_world_is_far_better_than_what_was_told(void **state)
{
  static const char further[] = "parameters: {a: [0, 1], b: [0, 1], c: [0, 1]}\noutcome: [land]\nreward: land\n";
  fixture f = open_study(further, 0);
  double lands[11], most = -INFINITY;
  (void)state;
  for (int i = 0; i < 11; i++) {
    const double x[3] = {fmod(0.618 * i, 1.0), fmod(0.414 * i, 1.0), fmod(0.732 * i, 1.0)};
    lands[i] = sin(40.0 * x[0] + 30.0 * x[1] + 20.0 * x[2]);
    assert_ok(fcps_study_tell(
        f.study, FCPS_NOT_ASKED,
        &(fcps_result){.rollout = {.parameters = x, .outcome = lands + i}, .key = (char[]){(char)('a' + i), 0}}, NULL,
        NULL));
    most = fmax(most, lands[i]);
  }
  qsort(lands, 11, sizeof *lands, fcps_number_compare);
  fcps_json *json = ask_for(&f, "forecast", "{\"trials\": 15}");
  const double high = number(fcps_json_get(json, "reward"), "high");
  if (!(high <= most + 2 * (most - lands[5])))
    fail_msg("%g is promised, where %g is the largest that was told, and %g their median", high, most, lands[5]);
  fcps_json_destroy(json);
  close_study(&f);
}

static void a_forecast_has_no_more_time_than_it_was_given(void **state)
{
  fixture f = open_study(plain, 8);
  fcps_error error = {0};
  fcps_call call = {.operation = fcps_operation_find("forecast"), .study = f.study, .time_limit_s = 1e-9};
  (void)state;
  assert_int_equal(fcps_call_run(&call, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, "trials");
  assert_non_null(strstr(error.message, "Ask for fewer trials"));
  assert_null(call.json);
  close_study(&f);
}

static void what_matters_is_found(void **state)
{
  fixture f = open_study(plain, 24);
  fcps_json *json = ask_for(&f, "explain", "{\"target\": {\"mark\": 2}, \"points\": 9}");
  const fcps_json *land = find(fcps_json_get(json, "sensitivity"), "output", "land"),
                  *slice = find(fcps_json_get(json, "slices"), "dimension", "speed"),
                  *choice = find(fcps_json_get(json, "choices"), "dimension", "mark");
  double first = 0, last = 0;
  (void)state;
  assert_true(number(fcps_json_get(land, "total"), "speed") > 0.8);
  assert_true(number(fcps_json_get(land, "total"), "idle") < 0.05);
  assert_int_equal(fcps_json_count(fcps_json_get(slice, "rewards")), 9);
  assert_int_equal(fcps_json_count(fcps_json_get(json, "slices")), 4);
  assert_int_equal(fcps_json_count(fcps_json_get(json, "choices")), 2);
  const fcps_json *speeds = fcps_json_get(fcps_json_get(choice, "parameters"), "speed");
  assert_true(fcps_json_number(fcps_json_at(speeds, 0), &first) && fcps_json_number(fcps_json_at(speeds, 8), &last));
  assert_true(last > first + 1.0); /* further needs more speed */
  assert_non_null(fcps_json_get(json, "calibration"));
  fcps_json_destroy(json);
  close_study(&f);
}

/* An explanation looks at many thousand points; to read the conditions again for each would take most of its time. So
 * its time is compared with that of fcps_problem_rest, which reads them. */
static void conditions_are_read_once_for_all_points(void **state)
{
  (void)state;
  enum { PARAMETERS = 32, RESTED = 100, FEWER = 10000 }; /* points: 512 samples for each of the 34 sets, and slices */
  char *yaml = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&yaml, &size);
  assert_non_null(stream);
  fprintf(stream, "name: long\nparameters:\n  p0: [0, 1]\n");
  for (int i = 1; i < PARAMETERS; i++) {
    fprintf(stream, "  p%d: {range: [0, 1], when: \"p0 > 0.5", i);
    for (int j = 1; j < i; j++)
      fprintf(stream, " || p%d > 0.5", j);
    fprintf(stream, "\"}\n");
  }
  fprintf(stream, "outcome: [y]\nreward: y\n");
  assert_int_equal(fclose(stream), 0);
  fixture f = open_study(yaml, 0);
  double parameters[PARAMETERS];
  for (int i = 0; i < 3; i++) {
    fcps_ask ask;
    assert_ok(fcps_study_ask(f.study, NULL, NULL, NULL, &ask, NULL));
    memcpy(parameters, ask.parameters, sizeof parameters);
    const double y = i;
    const fcps_result result = {.rollout = {.outcome = &y}};
    assert_ok(fcps_study_tell(f.study, ask.id, &result, NULL, NULL));
  }
  const clock_t begin = clock();
  for (int i = 0; i < RESTED; i++)
    assert_ok(fcps_problem_rest(fcps_study_problem(f.study), NULL, NULL, parameters, NULL));
  const clock_t middle = clock();
  fcps_json_destroy(ask_for(&f, "explain", "{}"));
  const double rests = (double)(middle - begin) / RESTED, explained = (double)(clock() - middle);
  printf("# the time of %.0f readings\n", explained / rests);
  assert_true(explained < FEWER * rests);
  close_study(&f);
  free(yaml);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_ask_is_explained_as_it_was_made),
      cmocka_unit_test(limits_constraints_and_bounds_that_bind_are_named),
      cmocka_unit_test(a_learner_without_a_model_says_so),
      cmocka_unit_test(the_same_study_has_the_same_forecast),
      cmocka_unit_test(a_forecast_rises_and_a_reward_takes_trials),
      cmocka_unit_test(no_world_is_far_better_than_what_was_told),
      cmocka_unit_test(a_forecast_has_no_more_time_than_it_was_given),
      cmocka_unit_test(what_matters_is_found),
      cmocka_unit_test(conditions_are_read_once_for_all_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
