/* SPDX-License-Identifier: Apache-2.0 */
/* An external program that answers lines: started when needed, ended with everything it started, never waited for
 * without a limit.
 *
 * A guardian stands between us and the program (guardian.h), so that this holds however we end. What it prints on
 * stderr, and lines on stdout that are not answers, are kept (the last 4 KiB) to explain a failure.
 */
#ifndef FCPS_RUN_PROGRAM_PROGRAM_H
#define FCPS_RUN_PROGRAM_PROGRAM_H

#include <fcps/base.h>

/* How long a program may take to end after its input has ended, before it gets TERM. */
#define FCPS_PROGRAM_PATIENCE_S 0.5

typedef struct fcps_program fcps_program;

/* How an exchange ended. */
typedef enum fcps_program_end {
  FCPS_PROGRAM_ANSWERED,
  FCPS_PROGRAM_TIMEOUT,   /* no answer within the limit */
  FCPS_PROGRAM_CRASHED,   /* it ended, or closed its output, without an answer */
  FCPS_PROGRAM_GARBLED,   /* an endless line */
  FCPS_PROGRAM_NOT_FOUND, /* it could not be started, or must not: something of the last one could not be ended */
  FCPS_PROGRAM_UNGUARDED, /* its guardian was killed: what it has started may still run */
  FCPS_PROGRAM_STOPPED    /* `stop` said so */
} fcps_program_end;

/* Whether to give up waiting; asked about ten times a second. May be NULL. */
typedef bool fcps_program_stop_fn(void *user);

/* What a program inherits. */
typedef struct fcps_program_options {
  int hold;    /* a descriptor that the program and its guardian keep until they end; -1: none */
  int guarded; /* a descriptor that the guardian keeps until all is gone, and the program never has; -1: none */
  int worker;  /* which of several programs it is, from 1: FCPS_WORKER in its environment; 0: it has our environment */
} fcps_program_options;

/* Makes a program, and starts nothing yet. `command` (ends with NULL), `folder` (the working directory; NULL or "": ours) and the
 * descriptors must outlive it. */
fcps_status fcps_program_create(fcps_program **program, const char *const *command, const char *folder,
                                const fcps_program_options *options, fcps_error *error);

/* The next line that the program wrote without having been asked, as far as it has arrived; call it before an exchange,
 * until it is false. *line lives until the next call. */
bool fcps_program_overhear(fcps_program *program, const char **line);

/* Sends `line` (without its end) and waits for a line that begins with '{', at most until the clock of
 * fcps_clock_seconds shows `deadline`. *answer lives until the next call. Starts the program if it is not running.
 * After any other end than ANSWERED the program has been ended, within 3 seconds. */
fcps_program_end fcps_program_exchange(fcps_program *program, const char *line, double deadline,
                                       fcps_program_stop_fn *stop, void *user, const char **answer);

/* Tells whether the line that was handed out last was begun before the program had read anything of the request: then
 * it is no answer to it. */
bool fcps_program_is_early(const fcps_program *program);

/* Waits on for another line without sending one. */
fcps_program_end fcps_program_await(fcps_program *program, double deadline, fcps_program_stop_fn *stop, void *user,
                                    const char **answer);

/* Ends the program, if it runs, and all that it started: closes its input and, if `patience` seconds did not suffice,
 * sends TERM, after two more seconds KILL. */
void fcps_program_end_now(fcps_program *program, double patience);

/* How often it was started: one that has ended is started again for the next request. */
int fcps_program_starts(const fcps_program *program);

/* In words: how the program ended last ("exit code 1", "signal 11"), with what could not be ended, and the last that it
 * printed. */
const char *fcps_program_fate(const fcps_program *program);
const char *fcps_program_output(const fcps_program *program);

/* Tells whether lines have come on its standard output since the last request that cannot be an answer: it has no full
 * buffer. */
bool fcps_program_has_talked(const fcps_program *program);

/* What of an ended program could not be ended and still runs: "process 4711, 4712"; "" if there is nothing. */
const char *fcps_program_left(fcps_program *program);

void fcps_program_destroy(fcps_program *program);

#endif
