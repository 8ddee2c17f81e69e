/* SPDX-License-Identifier: Apache-2.0 */
/* What we and a guardian say to each other over their channel. Its end, in either direction, is the end of the other. */
#ifndef FCPS_RUN_PROGRAM_GUARDIAN_IMPL_H
#define FCPS_RUN_PROGRAM_GUARDIAN_IMPL_H

#include "run/program/guardian.h"

#include <stdint.h>

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
