/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a problem: room for them, reading them by name ("x=3,y=4") from the command line, and printing them and
 * the answers of a policy. */
#ifndef FCPS_CLI_SUPPORT_VALUES_H
#define FCPS_CLI_SUPPORT_VALUES_H

#include "format/json.h"

#include <fcps/problem.h>

#include <stdio.h>

/* Arrays of rows; never NULL after cli_points_create, even if a space is empty. */
typedef struct cli_points {
  double *target, *environment, *parameters, *outcome;
} cli_points;

/* Makes rows of zeros for every space. After a failure nothing has to be freed. */
fcps_status cli_points_create(cli_points *points, const fcps_problem *problem, int rows, fcps_error *error);

/* Frees the arrays; zeroed or destroyed points are allowed. */
void cli_points_destroy(cli_points *points);

/* Reads "x=3,y=4" as an object of numbers, which must be destroyed even after a failure. `option` is for errors. */
fcps_status cli_numbers_read(const char *option, const char *text, fcps_json **numbers, fcps_error *error);

/* Reads "x=3,y=4" into the values of a space of the problem. Dimensions that are not named keep their values. With
 * `is_complete` every dimension must be named. `option` is for errors. */
fcps_status cli_values_read(const fcps_problem *problem, const fcps_space *space, const char *option, const char *text,
                            bool is_complete, double *values, fcps_error *error);

/* Prints "x=3 y=4 m" for people, or "-" if the space is empty. Programs get all digits from JSON, CSV and --shell. */
void cli_values_print(FILE *stream, const fcps_space *space, const double *values);

/* The same of parameters, without those that do not apply in their context. */
void cli_parameters_print(FILE *stream, const fcps_problem *problem, const double *target, const double *environment,
                          const double *parameters);

/* Prints an object of an answer, {"x": 3, "y": 4}, in the same way, with the "units" and "steps" of `beside`. */
void cli_numbers_print(FILE *stream, const fcps_json *numbers, const fcps_json *beside);

/* Which of `count` levels (from 0) stands for a value between `least` and `most`; 0 if these are equal or the value
 * is not a number. Always below `count`, even for the smallest and largest numbers. */
int cli_values_level(double value, double least, double most, int count);

/* The same number, but without the sign of a zero, which means nothing to people. */
static inline double cli_values_plain(double value)
{
  return value + 0.0;
}

/* Prints the answer of a policy for one context (fcps_wire_answer_write), for people. */
void cli_query_print(const fcps_json *answer);

#endif
