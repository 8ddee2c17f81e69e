/* SPDX-License-Identifier: Apache-2.0 */
/* Locks and clocks, which belong to the process and not to a handle.
 *
 * A fork copies a held lock, but not the thread that holds it: the child would wait for ever. So a fork waits for these
 * locks, and afterwards both processes release them. A thread that holds one of these locks takes no other and calls no
 * function of a user. */
#ifndef FCPS_BASE_PROCESS_H
#define FCPS_BASE_PROCESS_H

#include <time.h>

typedef enum fcps_lock { FCPS_LOCK_BLAS, FCPS_LOCK_OPEN_FILES, FCPS_LOCK_MODELS, FCPS_LOCK_COUNT } fcps_lock;

void fcps_lock_take(fcps_lock lock);
void fcps_lock_give(fcps_lock lock);

/* -- Clocks --
 *
 * Clocks are for time limits, progress and measured costs. No result may depend on a clock: the same seed gives the
 * same bytes. */

/* Seconds on a clock that never steps back. Only differences have a meaning. */
double fcps_clock_seconds(void);

/* Waits for this many milliseconds. A signal ends the wait early. */
void fcps_clock_pause(int ms);

/* The time this many milliseconds from now, on the clock that never steps back: a wait can end at that time. */
struct timespec fcps_clock_in(int ms);

/* Seconds that the processors spent on this process alone. */
double fcps_clock_processor_seconds(void);

#endif
