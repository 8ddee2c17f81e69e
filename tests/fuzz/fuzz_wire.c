/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a line of JSON from a program: an answer or a context. It gives an error with a message, or its contents
 * are stored; and the ask, the receipt and the stored result are lines that can be read as JSON again. The first byte
 * chooses the problem. */
#include "fuzz.h"
#include "kinds.h"

#include "wire/wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What fcps writes is one line, and JSON. */
static void check_line(fcps_json *json)
{
  fcps_json *again = NULL;
  char *line = fcps_json_finish(json);
  if (line == NULL || strchr(line, '\n') != NULL) abort();
  if (fcps_json_read(&again, line, strlen(line), "line", NULL) != FCPS_OK) abort();
  fcps_json_destroy(again);
  free(line);
}

static void read_context(const fcps_problem *p, const fcps_json *json)
{
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX];
  fcps_error error = {0};
  if (fcps_wire_context_read(p, json, target, environment, &error) != FCPS_OK) {
    if (!error.message[0]) abort();
    return;
  }
  check_line(fcps_wire_numbers_write(&p->target, target));
  check_line(fcps_wire_numbers_write(&p->environment, environment));
}

/* Refused answers are results of failed trials, which a run stores. */
static void tell(fcps_study *study, int64_t id, const fcps_result *result)
{
  const fcps_problem *p = fcps_study_problem(study);
  fcps_receipt receipt;
  fcps_stored_result stored;
  fcps_error error = {0};
  if (fcps_study_tell(study, id, result, &receipt, &error) != FCPS_OK) {
    if (!error.message[0]) abort();
    return;
  }
  check_line(fcps_wire_receipt_write(&receipt));
  if (!fcps_study_result_of(study, id, &stored)) abort();
  if (isnan(stored.result.rollout.reward) != isnan(receipt.reward)) abort();
  check_line(fcps_wire_stored_result_write(p, &stored));
  check_line(fcps_wire_episode_write(p, 1, &stored));
}

static void answer(const fcps_json *json, const char *problem)
{
  fcps_study *study = NULL;
  const fcps_study_setup setup = {.text = problem, .text_name = "fuzz.yaml", .learner = "c-reps"};
  if (fcps_study_create(&study, NULL, &setup, NULL, NULL) != FCPS_OK) abort();
  const fcps_problem *p = fcps_study_problem(study);
  double middle[FCPS_SPACE_MAX], numbers[4 * FCPS_SPACE_MAX];
  for (int i = 0; i < FCPS_SPACE_MAX; i++)
    middle[i] = 0.5;
  fcps_ask ask;
  if (fcps_study_ask(study, "fuzz", middle, middle, &ask, NULL) != FCPS_OK) abort();
  check_line(fcps_wire_ask_write(p, &ask));

  fcps_result result;
  fcps_error error = {0};
  const int64_t id = ask.id;
  const fcps_status status = fcps_wire_result_read(p, json, numbers, &result, &error);
  if (status != FCPS_OK && (!error.message[0] || result.rollout.status == FCPS_ROLLOUT_OK)) abort();
  (void)fcps_wire_result_warn(p, json, &(fcps_log){NULL, NULL});
  read_context(p, json);
  tell(study, id, &result);
  fcps_study_close(study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  fcps_json *json = NULL;
  if (size == 0 || fcps_json_read(&json, (const char *)data + 1, size - 1, "fuzz", NULL) != FCPS_OK) return 0;
  answer(json, fuzz_problems[data[0] % FUZZ_PROBLEMS]);
  fcps_json_destroy(json);
  return 0;
}
