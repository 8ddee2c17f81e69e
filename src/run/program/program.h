/* SPDX-License-Identifier: Apache-2.0 */
/* Talks to an external program that answers lines. The program is started when it is needed, and ended with everything
 * it started; every wait has a limit.
 *
 * A guardian stands between fcps and the program (guardian.h), so the program ends however fcps ends. What the program
 * prints on stderr, and lines on stdout that are not answers, are kept (the last 4 KiB) to explain a failure. */
#ifndef FCPS_RUN_PROGRAM_PROGRAM_H
#define FCPS_RUN_PROGRAM_PROGRAM_H

#include <fcps/base.h>

/* How long a program may take to end after its input has ended. Then it gets TERM. */
#define FCPS_PROGRAM_PATIENCE_S 0.5

typedef struct fcps_program fcps_program;

/* How an exchange ended. */
typedef enum fcps_program_end {
  FCPS_PROGRAM_ANSWERED,
  FCPS_PROGRAM_TIMEOUT,   /* no answer came within the time limit */
  FCPS_PROGRAM_CRASHED,   /* the program ended, or closed its output, without an answer */
  FCPS_PROGRAM_GARBLED,   /* the program wrote a line without an end */
  FCPS_PROGRAM_NOT_FOUND, /* the program could not be started, or must not be: a process of the last one still runs */
  FCPS_PROGRAM_UNGUARDED, /* its guardian was killed: processes that the program started may still run */
  FCPS_PROGRAM_STOPPED    /* `stop` returned true */
} fcps_program_end;

/* Returns whether to give up waiting; called about ten times a second. May be NULL. */
typedef bool fcps_program_stop_fn(void *user);

/* What a program inherits. */
typedef struct fcps_program_options {
  int hold; /* a descriptor that the program and its guardian keep open until they end; -1: none */
  /* a descriptor that the guardian keeps open until all processes are gone, and the program never gets; -1: none */
  int guarded;
  /* the program's number among several, from 1, given as FCPS_WORKER in its environment; 0: the environment is not
   * changed */
  int worker;
} fcps_program_options;

/* Makes a handle; the program is not started yet. `command` (ends with NULL), `folder` (the working directory; NULL or
 * "" means that of this process) and the descriptors must outlive the handle. */
fcps_status fcps_program_create(fcps_program **program, const char *const *command, const char *folder,
                                const fcps_program_options *options, fcps_error *error);

/* Gives the next line that the program wrote without being asked. Call it before an exchange, until it returns false.
 * *line is valid until the next call. */
bool fcps_program_overhear(fcps_program *program, const char **line);

/* Sends `line` (without its end) and waits for a line that begins with '{', at most until the clock of
 * fcps_clock_seconds shows `deadline`. *answer lives until the next call. Starts the program if it is not running. If
 * the exchange ends otherwise than with ANSWERED, the program is ended within 3 seconds. */
fcps_program_end fcps_program_exchange(fcps_program *program, const char *line, double deadline,
                                       fcps_program_stop_fn *stop, void *user, const char **answer);

/* Tells whether the program began the last line before it had read anything of the request. Then the line is no
 * answer to the request. */
bool fcps_program_is_early(const fcps_program *program);

/* Waits for another line without sending one. */
fcps_program_end fcps_program_await(fcps_program *program, double deadline, fcps_program_stop_fn *stop, void *user,
                                    const char **answer);

/* Ends the program, if it runs, and all that it started. First closes its input; after `patience` seconds sends TERM;
 * after two more seconds sends KILL. */
void fcps_program_end_now(fcps_program *program, double patience);

/* Returns how often the program was started. A program that has ended is started again for the next request. */
int fcps_program_starts(const fcps_program *program);

/* Describes how the program ended last ("exit code 1", "signal 11"), which processes could not be ended, and what the
 * program printed last. */
const char *fcps_program_fate(const fcps_program *program);
const char *fcps_program_output(const fcps_program *program);

/* Whether lines that cannot be answers have come on its standard output since the last request. If so, its answer does
 * not wait in the program's output buffer. */
bool fcps_program_has_talked(const fcps_program *program);

/* Names the processes of an ended program that could not be ended and still run: "process 4711, 4712"; "" if there
 * are none. */
const char *fcps_program_left(fcps_program *program);

void fcps_program_destroy(fcps_program *program);

#endif
