/* SPDX-License-Identifier: Apache-2.0 */
/* The process between fcps and a user's program. It ends the program and all that the program has started, whatever
 * happens to fcps.
 *
 *   fcps ── guardian ── program ── what the program starts
 *
 * The guardian (guardian_process.c) gets the order to end the program, or notices that fcps is gone: hung up, killed or
 * crashed. It reports how the program ended, and which processes could not be ended. It ends only after all of them.
 *
 * Only a process of its own can do this: fcps cannot end a program after its own `kill -9`, a death signal reaches one
 * process only and follows a thread, and a process can leave its group. The guardian is a fork without exec, because a
 * library cannot count on a second program being installed. The guardian and the program inherit the hold of the study,
 * so the kernel knows that a run is over when the last of them is gone. Control groups would help in only one more case
 * (somebody kills the guardian), and an ordinary login may not create them.
 */
#ifndef FCPS_RUN_PROGRAM_GUARDIAN_H
#define FCPS_RUN_PROGRAM_GUARDIAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { FCPS_GUARDIAN_MOST_LEFT = 4 };

/* What this process knows of a guardian and its program. All zero means that there is no guardian. */
typedef struct fcps_guardian {
  pid_t pid;      /* process of the guardian; 0: none */
  int channel;    /* carries orders to the guardian, and reports from it */
  pid_t program;  /* process of the program; 0: not known yet */
  bool is_unborn; /* the system had no memory or process for the program */
  bool has_ended; /* the program has ended; `how` is a status as of waitpid */
  bool is_over;   /* the program and all processes that it started are gone */
  bool is_lost;   /* somebody else killed the guardian */
  int how, left_count;
  pid_t left[FCPS_GUARDIAN_MOST_LEFT]; /* the first few processes that could not be ended */
} fcps_guardian;

/* What a guardian starts, and how. */
typedef struct fcps_guardian_launch {
  const char *const *command; /* ends with NULL */
  const char *folder;         /* working directory; NULL: that of this process */
  char **environment;         /* ends with NULL; NULL: the environment of this process */
  int ends[3];                /* descriptors, from 3 on, that become the program's stdin, stdout and stderr */
  int hold;                   /* a descriptor that the guardian and the program keep open until they end; -1: none */
  int kept;                   /* the same, but only for the guardian */
} fcps_guardian_launch;

/* Starts a guardian, which starts the program. Both close all other descriptors that they inherited. Returns false if
 * there is no process or descriptor left. */
bool fcps_guardian_start(fcps_guardian *guardian, const fcps_guardian_launch *launch);

/* Takes the reports that have come. To wait for a report, poll `channel`. */
void fcps_guardian_listen(fcps_guardian *guardian);

/* Makes the guardian end everything: after `patience_s` seconds with TERM, two seconds later with KILL. Returns when
 * all processes are gone, including the guardian, or half a second after KILL. In that case `left` names the processes
 * that still run, and the guardian lives until they are gone. */
void fcps_guardian_end(fcps_guardian *guardian, double patience_s);

/* Whether there may still be processes that could not be ended, or whose guardian was killed. */
bool fcps_guardian_has_left(fcps_guardian *guardian);

/* Writes which processes these are, in words; "" if there are none. Returns `text`. */
const char *fcps_guardian_left_text(const fcps_guardian *guardian, size_t size, char *text);

/* Stops listening to a guardian that still waits for processes to end. */
void fcps_guardian_forget(fcps_guardian *guardian);

/* -- Environment -- */

/* The environment of a program is that of this process, the number of its worker, and PYTHONUNBUFFERED=1 unless that is
 * set already. It is made before the fork, because no memory may be allocated afterwards. */

/* The variable that tells each of several programs its number, counted from 1. */
#define FCPS_PROGRAM_WORKER "FCPS_WORKER"

/* Copies the environment of this process and adds these two variables. The copy ends with NULL and is one block, freed
 * with fcps_free; NULL if memory ran out. */
char **fcps_program_environment(int worker);

/* -- Between the guardian's two files -- */

/* The messages between this process and a guardian over their channel. If one side ends, the other side sees the end of
 * the channel. */

/* How long the guardian waits, in milliseconds: for a program to end by itself if fcps is gone and its input has ended;
 * from TERM to KILL; and after KILL, until it names the processes that are left. */
enum { GUARDIAN_ORPHAN_MS = 500, GUARDIAN_KILL_AFTER_MS = 2000, GUARDIAN_NAME_AFTER_MS = 500 };

/* An order to the guardian: end everything. */
typedef struct guardian_order {
  int32_t patience_ms;
} guardian_order;

typedef enum guardian_report_kind {
  GUARDIAN_STARTED, /* the program was started; value: its process */
  GUARDIAN_UNBORN,  /* the system had no process for the program */
  GUARDIAN_ENDED,   /* the program has ended; value: a status as of waitpid */
  GUARDIAN_LEFT,    /* value: a process that KILL did not end */
  GUARDIAN_OVER     /* no process is left; this is the last report */
} guardian_report_kind;

typedef struct guardian_report {
  int32_t kind, value;
} guardian_report;

/* Lives the whole life of a guardian, in the process that fork made, and never returns. `parent` is the process for
 * which the guardian works. */
_Noreturn void fcps_guardian_live(const fcps_guardian_launch *launch, int channel, pid_t parent);

#endif
