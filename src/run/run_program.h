/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of a problem file under a loop of the caller's choice. */
#ifndef FCPS_RUN_RUN_PROGRAM_H
#define FCPS_RUN_RUN_PROGRAM_H

#include "run/loop.h"

typedef struct fcps_program_loop {
  fcps_status (*run)(void *user, fcps_study *study, const fcps_trial_runner *runner, const fcps_run_options *options,
                     fcps_error *error);
  void *user;
  bool is_shared; /* others may run programs for the same study: it is not held, and one program has a thread too */
  const char *const *command; /* in place of that of the file; NULL: none */
  bool has_contexts;          /* and draws contexts itself */
  bool
      trusts_study; /* without a file of the caller, the program and the table that the study itself names may be used */
} fcps_program_loop;

/* As fcps_run_program, with this loop. */
fcps_status fcps_program_run_loop(fcps_study *study, const fcps_problem_file *file, const fcps_run_options *options,
                                  const fcps_program_loop *loop, fcps_error *error);

#endif
