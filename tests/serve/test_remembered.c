/* SPDX-License-Identifier: Apache-2.0 */
/* The answers that a lane remembers: only for the same question about the same study. */
#include "check.h"

#include "base/memory.h"
#include "serve/lane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const fcps_operation map_route = {.name = "map"};
static const fcps_operation best_route = {.name = "best"};

static fcps_request *make_job(const fcps_operation *route, const char *body, const char *answer)
{
  fcps_request *job = fcps_allocate(1, sizeof *job);
  assert_non_null(job);
  job->operation = route;
  job->length = strlen(body);
  job->body = job->length > 0 ? fcps_copy_text(body) : NULL;
  if (answer != NULL)
    job->answer = (fcps_answer){.status = 200, .body = fcps_copy_text(answer), .length = strlen(answer)};
  return job;
}

static void answer(fcps_remembered *r, const fcps_operation *route, const char *body, const char *text)
{
  fcps_request *job = make_job(route, body, text);
  fcps_remembered_add(r, job);
  fcps_request_destroy(job);
}

static void expect_answer(fcps_remembered *r, int64_t sequence, const fcps_operation *route, const char *body,
                          const char *text)
{
  fcps_request *job = make_job(route, body, NULL);
  assert_int_equal(fcps_remembered_find(r, sequence, job), text != NULL);
  if (text != NULL) {
    assert_int_equal(job->answer.length, strlen(text));
    assert_memory_equal(job->answer.body, text, strlen(text));
    assert_int_equal(job->answer.status, 200);
  }
  fcps_request_destroy(job);
}

static void the_same_question_gets_the_same_answer(void **state)
{
  fcps_remembered r = {0};
  expect_answer(&r, 7, &map_route, "{\"x\": 1}", NULL);
  answer(&r, &map_route, "{\"x\": 1}", "one");
  answer(&r, &map_route, "", "none");
  expect_answer(&r, 7, &map_route, "{\"x\": 1}", "one");
  expect_answer(&r, 7, &map_route, "", "none");
  expect_answer(&r, 7, &map_route, "{\"x\": 2}", NULL);
  expect_answer(&r, 7, &map_route, "{\"x\": 1} ", NULL);
  expect_answer(&r, 7, &best_route, "{\"x\": 1}", NULL);
  fcps_remembered_clear(&r);
  (void)state;
}

static void a_change_of_the_study_forgets_all_answers(void **state)
{
  fcps_remembered r = {0};
  expect_answer(&r, 7, &map_route, "a", NULL);
  answer(&r, &map_route, "a", "one");
  expect_answer(&r, 8, &map_route, "a", NULL);
  expect_answer(&r, 7, &map_route, "a", NULL);
  fcps_remembered_clear(&r);
  (void)state;
}

static void the_oldest_gives_way(void **state)
{
  fcps_remembered r = {0};
  expect_answer(&r, 1, &map_route, "0", NULL);
  for (int i = 0; i <= FCPS_REMEMBERED_MAX; i++) {
    char text[16];
    snprintf(text, sizeof text, "%d", i);
    answer(&r, &map_route, text, text);
  }
  expect_answer(&r, 1, &map_route, "0", NULL);
  expect_answer(&r, 1, &map_route, "1", "1");
  expect_answer(&r, 1, &map_route, "12", "12");
  fcps_remembered_clear(&r);
  (void)state;
}

static void failures_files_and_questions_with_values_are_not_kept(void **state)
{
  fcps_remembered r = {0};
  fcps_request *job = make_job(&map_route, "a", "no");
  expect_answer(&r, 1, &map_route, "a", NULL);
  job->answer.status = 422;
  fcps_remembered_add(&r, job);
  job->answer.status = 200;
  job->query.value_count = 1;
  fcps_remembered_add(&r, job);
  job->query.value_count = 0;
  job->answer.length = (size_t)2 << 20; /* it is not read */
  fcps_remembered_add(&r, job);
  expect_answer(&r, 1, &map_route, "a", NULL);
  fcps_request_destroy(job);
  fcps_remembered_clear(&r);
  (void)state;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_question_gets_the_same_answer),
      cmocka_unit_test(a_change_of_the_study_forgets_all_answers),
      cmocka_unit_test(the_oldest_gives_way),
      cmocka_unit_test(failures_files_and_questions_with_values_are_not_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
