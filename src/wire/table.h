/* SPDX-License-Identifier: Apache-2.0 */
/* All results of a study as a CSV table, which an export writes and an import reads. */
#ifndef FCPS_WIRE_TABLE_H
#define FCPS_WIRE_TABLE_H

#include "format/csv.h"

#include <fcps/policy.h>
#include <fcps/problem.h>
#include <fcps/study.h>

#include <stdio.h>

/* Writes the table. Suspects are those of the last fcps_study_find_suspects. The caller checks ferror(stream) for write
 * errors. */
void fcps_wire_table_write(FILE *stream, const fcps_study *study);

/* Writes one value: a number, or a word. */
void fcps_wire_cell_write(fcps_csv_writer *writer, const fcps_dimension *dim, double value);

/* -- Contexts -- */

/* Contexts in a CSV file: one column per target and environment dimension, in any order; other columns are ignored. */

/* Reads all rows. Refuses a value that cannot be read, with its line and column. */
fcps_status fcps_wire_contexts_read(const fcps_csv *csv, const fcps_problem *problem, double *targets,
                                    double *environments, fcps_error *error);

/* Refuses the first row whose context is not allowed, with its line and column. */
fcps_status fcps_wire_contexts_check(const fcps_csv *csv, const fcps_problem *problem, const double *targets,
                                     const double *environments, fcps_error *error);

/* -- Answers for many contexts -- */

/* The predictions of a policy for some contexts: a block of numbers for each name. In a table the names are columns behind
 * the parameters; in JSON they are keys. */

/* Returns the name of a predicted number, such as "predicted_reward"; NULL past the last one of this problem. */
const char *fcps_wire_predicted_name(const fcps_problem *problem, int index);

/* The largest number of names. fcps_wire_predicted_place returns the places in `numbers` where a policy writes the
 * numbers of the contexts from `first` on. */
enum { FCPS_WIRE_PREDICTED = 7 };
fcps_predictions fcps_wire_predicted_place(double *numbers, int contexts, int first);

/* Writes the column heads of answers, and the cells of context `index`, whose values are given. */
void fcps_wire_answer_head_write(fcps_csv_writer *writer, const fcps_problem *problem);
void fcps_wire_answer_row_write(fcps_csv_writer *writer, const fcps_problem *problem, const double *target,
                                const double *environment, const double *parameters, const double *numbers,
                                int contexts, int index);

#endif
