/* SPDX-License-Identifier: Apache-2.0 */
/* The callbacks of a run, called while its study is held: a loop has pointers into the study, so a callback may read it
 * and nothing else. */
#ifndef FCPS_RUN_GUARD_H
#define FCPS_RUN_GUARD_H

#include <fcps/run.h>

typedef struct fcps_run_guard {
  fcps_study *study;
  fcps_run_options given;
} fcps_run_guard;

/* The same options with functions that go through `guard`, which must outlive them. */
fcps_run_options fcps_run_guard_options(fcps_run_guard *guard, fcps_study *study, const fcps_run_options *options);
fcps_run_patience fcps_run_guard_patience(fcps_run_guard *guard, fcps_study *study, const fcps_run_patience *patience);

#endif
