/* SPDX-License-Identifier: Apache-2.0 */
/* summary.json: what ran and what is to be shown of it; together with the tables all that a report needs. */
#ifndef FCPS_EXPERIMENT_SUMMARY_H
#define FCPS_EXPERIMENT_SUMMARY_H

#include "experiment/results.h"

fcps_status fcps_experiment_summary_write(const fcps_experiment_results *results, const char *directory,
                                          fcps_error *error);

#endif
