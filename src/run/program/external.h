/* SPDX-License-Identifier: Apache-2.0 */
/* Trials by the external program of a problem file, one JSON object per line (wire/wire.h says what is in them):
 *
 *   we:   {"ask": 7, "target": {"x": 3}, "environment": {}, "parameters": {"speed": 2.5}}
 *   it:   {"ask": 7, "outcome": {"land": 2.9}}    or   "outcome": null   or   "failed": "gripper slipped"
 *
 * With `contexts: program` it is first asked {"context": 7} and answers {"context": 7, "target": {...},
 * "environment": {...}}.
 *
 * It is in `run`, not a task: it speaks the JSON of `wire`, which knows studies, and tasks stand below studies.
 */
#ifndef FCPS_RUN_PROGRAM_EXTERNAL_H
#define FCPS_RUN_PROGRAM_EXTERNAL_H

#include "run/program/program.h"

#include <fcps/study.h>

typedef struct fcps_external fcps_external;

typedef struct fcps_external_options {
  fcps_program_options program;
  fcps_program_stop_fn *stop; /* when to give up waiting; NULL: never */
  void *user;
  fcps_log log; /* for the one warning about unused keys of an answer */
} fcps_external_options;

/* Makes a handle for the trials of a program, and starts nothing yet. `file` must outlive the handle and have a
 * command. If `options` is NULL, the program inherits no descriptors, cannot be stopped, and its warnings are not
 * logged. */
fcps_status fcps_external_create(fcps_external **external, const fcps_problem_file *file,
                                 const fcps_external_options *options, fcps_error *error);

/* Ends the program, which is started again when it is needed. Fails with FCPS_ERR_PROGRAM if a process that the
 * program has started could not be ended; the error names it. */
fcps_status fcps_external_end(fcps_external *external, fcps_error *error);

/* Also ends the program. */
void fcps_external_destroy(fcps_external *external);

/* Runs the trial of an ask. Whatever the program does is a result, whose message says why it failed, with the last that
 * the program printed or answered ("" if it went well); its pointers live until the next call. There are three
 * exceptions: FCPS_ERR_STOPPED, FCPS_ERR_MEMORY, and FCPS_ERR_PROGRAM if it is the program that fails, which says
 * nothing about the trial: it cannot be started, has not yet given an answer that could be used (in the life of this
 * handle), answers before it is asked, or answers one ask in two ways. */
fcps_status fcps_external_run(fcps_external *external, const fcps_ask *ask, fcps_result *result, fcps_error *error);

/* What the last trial says of the program. */
typedef struct fcps_external_verdict {
  bool has_answered; /* it has given an answer that could be used, in the life of this handle */
  bool
      is_unproven; /* the last failure is only that it has not: it ended, was silent, or wrote what cannot be read. If another
                        handle has shown that the program works, that trial counts as failed: `result` says so */
  bool
      is_to_blame; /* the trial failed because the program ended or wrote what cannot be used, and not by its own word. The
                        parameters may be innocent */
  int64_t ask;     /* the last that it was given */
  const char
      *fault; /* what is wrong with the last answer, in words that are the same for the same mistake; "": nothing */
} fcps_external_verdict;

/* Judges the last trial. What `fault` points to lives until the next one. */
fcps_external_verdict fcps_external_judge(const fcps_external *external);

/* Fails with FCPS_ERR_PROGRAM if the same mistake came twice, because then it is a mistake of the program. The first
 * time was the trial of ask `first` of `study`. */
fcps_status fcps_external_refuse_again(const fcps_external *external, int64_t first, const char *study,
                                       fcps_error *error);

/* Asks the program for the context that it sees. Fails with FCPS_ERR_PROGRAM if it does not answer well. */
fcps_status fcps_external_context(fcps_external *external, int64_t episode, double *target, double *environment,
                                  fcps_error *error);

#endif
