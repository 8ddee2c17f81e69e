/* SPDX-License-Identifier: Apache-2.0 */
/* Results by the names that people give them: "42.2", "17", "30.1-39.1", and lists of these. */
#ifndef FCPS_CLI_STUDY_NAMED_RESULTS_H
#define FCPS_CLI_STUDY_NAMED_RESULTS_H

#include "wire/status.h"

typedef struct cli_named_result {
  char name[FCPS_WIRE_RESULT_NAME_SIZE];
  int64_t sequence;
  bool is_used, was_used, is_suspect, is_confirmed, went_wrong; /* before anything is changed */
} cli_named_result;

typedef struct cli_named_results {
  cli_named_result *items;
  size_t count, capacity;
} cli_named_results;

/* Finds all results of a list, separated by commas: ASK.N, the number in the log of a result without an ask, or a range
 * FIRST-LAST of either, which is all results in between that exist. Nothing may be named that is not there, nor a range
 * without results. `option` is for errors. */
fcps_status cli_named_results_find(const fcps_study *study, const char *option, const char *text,
                                   cli_named_results *found, fcps_error *error);
void cli_named_results_destroy(cli_named_results *found);

#endif
