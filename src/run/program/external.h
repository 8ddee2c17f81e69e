/* SPDX-License-Identifier: Apache-2.0 */
/* Trials by the external program of a problem file, one JSON object per line (wire/wire.h says what is in them):
 *
 *   we:   {"ask": 7, "target": {"x": 3}, "environment": {}, "parameters": {"speed": 2.5}}
 *   it:   {"ask": 7, "outcome": {"land": 2.9}}    or   "outcome": null   or   "failed": "gripper slipped"
 *
 * With `contexts: program` the program is first asked {"context": 7} and answers {"context": 7, "target": {...},
 * "environment": {...}}.
 *
 * This file is in `run` and not among the tasks: it uses the JSON of `wire`, which knows studies, and tasks stand below
 * studies.
 */
#ifndef FCPS_RUN_PROGRAM_EXTERNAL_H
#define FCPS_RUN_PROGRAM_EXTERNAL_H

#include "run/program/program.h"

#include <fcps/study.h>

typedef struct fcps_external fcps_external;

typedef struct fcps_external_options {
  fcps_program_options program;
  fcps_program_stop_fn *stop; /* returns whether to give up waiting; NULL: never give up */
  void *user;
  fcps_log log; /* for one warning about unused keys of an answer */
} fcps_external_options;

/* Makes a handle for the trials of a program. The program is not started yet. `file` must outlive the handle and have a
 * command. If `options` is NULL, the program inherits no descriptors, cannot be stopped, and its warnings are not
 * logged. */
fcps_status fcps_external_create(fcps_external **external, const fcps_problem_file *file,
                                 const fcps_external_options *options, fcps_error *error);

/* Ends the program. The next request starts it again. Fails with FCPS_ERR_PROGRAM if a process of the program could not
 * be ended; the error names the process. */
fcps_status fcps_external_end(fcps_external *external, fcps_error *error);

/* Frees the handle, and ends the program. */
void fcps_external_destroy(fcps_external *external);

/* Runs the trial of an ask. Whatever the program does becomes a result. If the trial failed, the result's message says
 * why, and what the program printed or answered last; otherwise the message is "". The pointers of the result stay
 * valid until the next call. Three errors give no result: FCPS_ERR_STOPPED, FCPS_ERR_MEMORY, and FCPS_ERR_PROGRAM. The
 * last one means that the program failed and not the trial: it cannot be started, has not given a usable answer since
 * this handle was made, answers before it is asked, or answers one ask in two ways. */
fcps_status fcps_external_run(fcps_external *external, const fcps_ask *ask, fcps_result *result, fcps_error *error);

/* What the last trial shows about the program. */
typedef struct fcps_external_verdict {
  bool has_answered; /* it has given a usable answer since this handle was made */
  /* The last trial failed only because the program ended, was silent or wrote something unreadable, and has never given
   * a usable answer. If another handle has shown that the program works, the trial counts as failed: `result` says so. */
  bool is_unproven;
  /* The trial failed because the program ended or wrote something unusable, and not because the program reported a
   * failure. So its parameters may not be the cause. */
  bool is_to_blame;
  int64_t ask;       /* the ask of the last trial */
  const char *fault; /* the mistake in the last answer, always in the same words for the same mistake; "": none */
} fcps_external_verdict;

/* Judges the last trial. `fault` points to a text that is valid until the next trial. */
fcps_external_verdict fcps_external_judge(const fcps_external *external);

/* Fails with FCPS_ERR_PROGRAM because the same mistake came a second time, so the program makes it and not the trial.
 * The first time was in the trial of ask `first` of `study`. */
fcps_status fcps_external_refuse_again(const fcps_external *external, int64_t first, const char *study,
                                       fcps_error *error);

/* Asks the program for the context that it observes. Fails with FCPS_ERR_PROGRAM if it gives no usable answer. */
fcps_status fcps_external_context(fcps_external *external, int64_t episode, double *target, double *environment,
                                  fcps_error *error);

#endif
