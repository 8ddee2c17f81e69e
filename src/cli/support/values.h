/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a problem: memory for them, reading them by name from the command line ("x=3,y=4"), and printing them.
 * The answers of a policy are printed here, too. */
#ifndef FCPS_CLI_SUPPORT_VALUES_H
#define FCPS_CLI_SUPPORT_VALUES_H

#include "format/json.h"
#include "wire/wire.h"

#include <fcps/base.h>
#include <fcps/problem.h>
#include <fcps/study.h>

#include <stdio.h>

/* Arrays with one row for each point. After cli_points_create no pointer is NULL, even if a space is empty. */
typedef struct cli_points {
  double *target, *environment, *parameters, *outcome;
} cli_points;

/* Makes rows of zeros for every space. After a failure nothing has to be freed. */
fcps_status cli_points_create(cli_points *points, const fcps_problem *problem, int rows, fcps_error *error);

/* Frees the arrays. The points may be all zeros or destroyed already. */
void cli_points_destroy(cli_points *points);

/* Reads "x=3,y=4" as an object of numbers. The caller destroys it, even after a failure. `option` is for errors. */
fcps_status cli_numbers_read(const char *option, const char *text, fcps_json **numbers, fcps_error *error);

/* Reads "x=3,y=4" into the values of a space of the problem. Dimensions that are not named keep their values. With
 * `is_complete` every dimension must be named. `option` is for errors. */
fcps_status cli_values_read(const fcps_problem *problem, const fcps_space *space, const char *option, const char *text,
                            bool is_complete, double *values, fcps_error *error);

/* Prints "x=3 y=4 m" for people, or "-" if the space is empty. Programs get all digits from JSON, CSV and --shell. */
void cli_values_print(FILE *stream, const fcps_space *space, const double *values);

/* Prints parameters in the same way, but leaves out those that do not apply in their context. */
void cli_parameters_print(FILE *stream, const fcps_problem *problem, const double *target, const double *environment,
                          const double *parameters);

/* Prints an object of an answer, {"x": 3, "y": 4}, in the same way. `beside` is the part of the answer that has the
 * "units" and "steps". */
void cli_numbers_print(FILE *stream, const fcps_json *numbers, const fcps_json *beside);

/* Returns which of `count` levels, counted from 0, stands for a value between `least` and `most`. Returns 0 if `least`
 * equals `most` or if the value is not a number. */
int cli_values_level(double value, double least, double most, int count);

/* Returns the number, with +0 for -0: the sign of a zero means nothing to people. */
static inline double cli_values_plain(double value)
{
  return value + 0.0;
}

/* Prints the answer of a policy for one context (fcps_wire_answer_write), for people. */
void cli_query_print(const fcps_json *answer);

/* -- Printing texts of users, files and programs within a line, and JSON -- */

/* Returns the text in a form that is safe for a terminal (format/text.h). It is valid until the eighth call after this
 * one. */
const char *cli_shown(const char *text);

/* Returns the same, quoted as one word of a shell command. */
const char *cli_shown_word(const char *text);

/* Prints `json` as one line, for programs that read the output, and destroys it. NULL means that memory ran out when it
 * was made. */
fcps_status cli_print_json(FILE *stream, fcps_json *json, fcps_error *error);

/* Where to write a table that contains texts of users: stdout, or, if stdout is a terminal, memory. From there
 * cli_shown_output_finish prints it with control characters made visible. */
typedef struct cli_shown_output {
  FILE *stream; /* NULL if memory ran out */
  char *text;
  size_t length;
} cli_shown_output;
void cli_shown_output_open(cli_shown_output *output);
fcps_status cli_shown_output_finish(cli_shown_output *output, fcps_status status, fcps_error *error);

/* Writes a zero-terminated text to stdout. Only if stdout is a terminal, control characters are made visible. In a
 * table, a line end between quotes belongs to its cell and is made visible, too. */
void cli_shown_print(const char *text, size_t length, bool is_table);

/* -- How the trials of a study ended, in one line; the names of results with a finding; and the suspects -- */

/* Writes "60 results: 45 with an outcome, 12 without, 3 failed". Returns `text`. */
char *cli_counts_text(const fcps_study *study, size_t size, char *text);

/* Prints the names of the results that `finding` selects from the last outlook, separated by commas. */
void cli_names_print(FILE *stream, const fcps_study *study, fcps_wire_finding *finding);

/* Prints a line for each suspect of the last fcps_study_find_suspects, after the word `label`: the expected value, and
 * what the user can do. The suspects that the warning W_UNIT names share one line, which says how many they are. `path`
 * is the study's name in the printed commands; NULL: the study is in memory, so no command can change it. */
void cli_suspects_print(FILE *stream, const char *label, const fcps_study *study, const char *path);

#endif
