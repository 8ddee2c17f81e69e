/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a run's output, for its files only. */
#ifndef FCPS_RUN_RUN_OUTPUT_IMPL_H
#define FCPS_RUN_RUN_OUTPUT_IMPL_H

#include "format/csv.h"
#include "format/draft.h"
#include "format/json.h"

#include <fcps/lab/run.h>

/* Most bytes of a path. */
enum { FCPS_RUN_OUTPUT_PATH = 4096 };

struct fcps_run_output {
  fcps_task *task;
  char *directory;
  fcps_json *source;              /* what ran, as summary.json says it */
  fcps_draft *episodes, *offline; /* published with the first thing that is not of an earlier run */
  bool is_published;
  double *cumulative; /* reward of the first i + 1 episodes; a reward that nobody knows counts as 0 */
  size_t count, capacity;
  double offline_mean;
};

/* Gives the tables their names, once they hold all that an earlier run had in them: rows are never lost to a kill. */
fcps_status fcps_run_output_publish(fcps_run_output *output, fcps_error *error);

/* Writes summary.json. */
fcps_status fcps_run_output_summarize(fcps_run_output *output, double optimum, fcps_error *error);

/* What ran, as JSON; NULL when there is no memory. */
fcps_json *fcps_run_output_source_write(const fcps_study *study);

#endif
