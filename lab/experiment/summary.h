/* SPDX-License-Identifier: Apache-2.0 */
/* summary.json: what was run, and what the report shows of it. The report needs only this file and the tables. */
#ifndef FCPS_EXPERIMENT_SUMMARY_H
#define FCPS_EXPERIMENT_SUMMARY_H

#include "lab/experiment/results.h"

fcps_status fcps_experiment_summary_write(const fcps_experiment_results *results, const char *directory,
                                          fcps_error *error);

#endif
