/* SPDX-License-Identifier: Apache-2.0 */
/* A small problem, and lines of JSON to compare and to read. */
#ifndef FCPS_TESTS_WIRE_LINES_H
#define FCPS_TESTS_WIRE_LINES_H

#include "check.h"
#include "wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char formula_yaml[] = "target: {x: [0, 5], y: [0, 5]}\nenvironment: {wind: [-1, 1]}\n"
                                   "parameters: {speed: [0, 3], tilt: [0, 1.5]}\noutcome: [land, height]\n"
                                   "reward: -abs(x - land)\nlearner: {name: random}\n";
static const char told_yaml[] = "target: {x: [0, 5]}\nparameters: {speed: [0, 3]}\nreward: told\n"
                                "learner: {name: random}\n";

static inline fcps_problem_file *problem_of(const char *yaml)
{
  fcps_problem_file *file = NULL;
  fcps_error error = {0};
  if (fcps_problem_file_parse(&file, yaml, strlen(yaml), "t.yaml", NULL, &error) != FCPS_OK)
    fail_msg("%s", error.message);
  return file;
}

static inline fcps_json *parse(const char *line)
{
  fcps_json *json = NULL;
  fcps_error error = {0};
  if (fcps_json_read(&json, line, strlen(line), "line", &error) != FCPS_OK) fail_msg("%s: %s", line, error.message);
  return json;
}

/* What was written is this line, byte for byte, which JSON can read again. */
static inline void expect_line(fcps_json *json, const char *line)
{
  char *text = fcps_json_finish(json);
  assert_non_null(text);
  assert_string_equal(text, line);
  fcps_json_destroy(parse(text));
  fcps_free(text);
}

#endif
