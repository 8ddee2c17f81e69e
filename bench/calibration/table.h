/* SPDX-License-Identifier: Apache-2.0 */
/* One line of CSV per study, and the tables that summarize them. */
#ifndef FCPS_BENCH_CALIBRATION_TABLE_H
#define FCPS_BENCH_CALIBRATION_TABLE_H

#include "calibration/claims.h"

/* One study and its claims. */
typedef struct calibration_row {
  const calibration_kind *kind;
  calibration_inputs inputs;
  int rows, outcomes;
  uint64_t seed;
  calibration_claims claims;
  double seconds;
} calibration_row;

/* The name of a way of choosing inputs; "" past the last. */
const char *calibration_inputs_name(calibration_inputs inputs);

/* The head of the CSV and its lines, each with a line feed. */
const char *calibration_table_head(void);
void calibration_table_write(const calibration_row *row, size_t size, char *text);

/* Prints the tables of the studies in these files. Returns false if one cannot be read. */
bool calibration_table_print(int count, char *const *paths);

#endif
