/* SPDX-License-Identifier: Apache-2.0 */
/* The process between us and a user's program: it sees to it that the program and all that it starts end, whatever
 * happens to us.
 *
 *   we ── guardian ── program ── what the program starts
 *
 * The guardian (guardian_process.c) is told to end the program, or notices that we are gone: hung up, killed, crashed.
 * It reports how the program ended, and what could not be ended. It ends itself only when all the others are gone.
 *
 * Why a process: fcps cannot end a program after its own `kill -9`, a death signal reaches one process only and
 * follows a thread, and a process group can be left. The guardian is a fork without exec, because a library cannot
 * count on a second program being installed. The guardian and the program inherit the hold of the study, so the
 * kernel knows that a run is over when the last of them is gone. Control groups would add one case only (somebody
 * kills the guardian), and an ordinary login may not create them.
 */
#ifndef FCPS_RUN_PROGRAM_GUARDIAN_H
#define FCPS_RUN_PROGRAM_GUARDIAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { FCPS_GUARDIAN_MOST_LEFT = 4 };

/* What we know of a guardian and of its program; all zero: there is none. */
typedef struct fcps_guardian {
  pid_t pid;      /* 0: none */
  int channel;    /* orders go out, reports come in */
  pid_t program;  /* 0: not known yet */
  bool is_unborn; /* the program could not be made: no memory or process for it */
  bool has_ended; /* the program; `how` as of waitpid */
  bool is_over;   /* the program and all that it started are gone */
  bool is_lost;   /* the guardian was ended from outside */
  int how, left_count;
  pid_t left[FCPS_GUARDIAN_MOST_LEFT]; /* what could not be ended, the first few */
} fcps_guardian;

/* What a guardian starts. */
typedef struct fcps_guardian_launch {
  const char *const *command; /* ends with NULL */
  const char *folder;         /* NULL: ours */
  char **environment;         /* ends with NULL; NULL: ours */
  int ends[3];                /* the program's stdin, stdout and stderr; 3 or higher */
  int hold;                   /* a descriptor that guardian and program keep until they end; -1: none */
  int kept;                   /* the same of the guardian alone */
} fcps_guardian_launch;

/* Starts a guardian, which starts the program. Both close all other descriptors of ours. Returns false if no process
 * or descriptor is available. */
bool fcps_guardian_start(fcps_guardian *guardian, const fcps_guardian_launch *launch);

/* Takes the reports that are there. To wait for one, poll `channel`. */
void fcps_guardian_listen(fcps_guardian *guardian);

/* Has everything ended: after `patience_s` by TERM, after two more seconds by KILL. Returns when all are gone (then
 * nothing of the guardian is left either), or half a second after KILL; then `left` names what still runs, and the
 * guardian stays until it is gone. */
void fcps_guardian_end(fcps_guardian *guardian, double patience_s);

/* Tells whether processes that could not be ended, or a lost guardian's, may still run. */
bool fcps_guardian_has_left(fcps_guardian *guardian);

/* In words, which processes these are; "" if there are none. */
const char *fcps_guardian_left_text(const fcps_guardian *guardian, size_t size, char *text);

/* Leaves a guardian that still waits to itself. */
void fcps_guardian_forget(fcps_guardian *guardian);

/* -- Environment -- */

/* The environment of a program: that of this process, the number of its worker, and PYTHONUNBUFFERED=1 unless it is
 * set. It is made before the fork, because nothing may be allocated afterwards. */

/* The variable that tells a program which of several it is, from 1. */
#define FCPS_PROGRAM_WORKER "FCPS_WORKER"

/* Copies the environment of this process and adds these two variables. The copy ends with NULL and is one block,
 * freed with fcps_free; NULL without memory. */
char **fcps_program_environment(int worker);

/* -- Between the guardian's two files -- */

/* The messages between us and a guardian over their channel. If one side ends, the other sees the end of the channel. */

/* How long the guardian waits, in milliseconds: for a program that sees the end of its input because we are gone; from
 * TERM to KILL; and after KILL, until it names what is left. */
enum { GUARDIAN_ORPHAN_MS = 500, GUARDIAN_KILL_AFTER_MS = 2000, GUARDIAN_NAME_AFTER_MS = 500 };

/* to the guardian: end everything */
typedef struct guardian_order {
  int32_t patience_ms;
} guardian_order;

typedef enum guardian_report_kind {
  GUARDIAN_STARTED, /* value: the program's process */
  GUARDIAN_UNBORN,  /* there was no process for it */
  GUARDIAN_ENDED,   /* the program; value: as of waitpid */
  GUARDIAN_LEFT,    /* value: a process that KILL did not end */
  GUARDIAN_OVER     /* nothing is left; the last report */
} guardian_report_kind;

typedef struct guardian_report {
  int32_t kind, value;
} guardian_report;

/* The life of a guardian, in the process that fork made; never returns. `parent` is the process that it belongs to. */
_Noreturn void fcps_guardian_live(const fcps_guardian_launch *launch, int channel, pid_t parent);

#endif
