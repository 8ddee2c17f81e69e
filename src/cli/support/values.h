/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a problem: room for them, reading them by name ("x=3,y=4") from the command line, and printing them and
 * the answers of a policy. */
#ifndef FCPS_CLI_SUPPORT_VALUES_H
#define FCPS_CLI_SUPPORT_VALUES_H

#include "format/json.h"
#include "wire/wire.h"

#include <fcps/base.h>
#include <fcps/problem.h>
#include <fcps/study.h>

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

/* -- Printing texts of users, files and programs within a line, and JSON -- */

/* The text in a form that is safe for a terminal (format/text.h). It lives until the eighth call after this one. */
const char *cli_shown(const char *text);

/* The same, quoted as one word of a shell command. */
const char *cli_shown_word(const char *text);

/* Prints `json` as one line, for programs that read the output, and destroys it. NULL stands for a value that could
 * not be made because memory ran out. */
fcps_status cli_print_json(FILE *stream, fcps_json *json, fcps_error *error);

/* The output of a table with the exact texts of users: stdout, or memory if stdout is a terminal. Then
 * cli_shown_output_finish prints it with control characters made visible. */
typedef struct cli_shown_output {
  FILE *stream; /* NULL: memory ran out */
  char *text;
  size_t length;
} cli_shown_output;
void cli_shown_output_open(cli_shown_output *output);
fcps_status cli_shown_output_finish(cli_shown_output *output, fcps_status status, fcps_error *error);

/* Writes a zero-terminated text to stdout: unchanged, or, on a terminal, with control characters made visible. In a
 * table, a line end between quotes belongs to its cell and is made visible too. */
void cli_shown_print(const char *text, size_t length, bool is_table);

/* -- How the trials of a study ended, in one line; the names of results with a finding; and the suspects -- */

/* Writes "60 results: 45 with an outcome, 12 without, 3 failed". Returns `text`. */
char *cli_counts_text(const fcps_study *study, size_t size, char *text);

/* Prints the names of the results with a finding of the last outlook, separated by commas. */
void cli_names_print(FILE *stream, const fcps_study *study, fcps_wire_finding *finding);

/* Prints a line for each suspect of the last fcps_study_find_suspects, after the word `label`: the expected value,
 * and what the user can do. Suspects that W_UNIT names are one line with their number. `path` is the study's name in
 * the commands; NULL: the study is in memory, so that no command can change it. */
void cli_suspects_print(FILE *stream, const char *label, const fcps_study *study, const char *path);

#endif
