/* SPDX-License-Identifier: Apache-2.0 */
/* What belongs to the process and not to a handle: locks and clocks.
 *
 * A fork copies a lock as it is, but not the thread that has it: a child would wait for ever. So a fork waits for
 * these locks, and both sides give them back. A thread that has one of them takes no other and calls no function
 * of a user. */
#ifndef FCPS_BASE_PROCESS_H
#define FCPS_BASE_PROCESS_H

#include <time.h>

typedef enum fcps_lock { FCPS_LOCK_BLAS, FCPS_LOCK_OPEN_FILES, FCPS_LOCK_MODELS, FCPS_LOCK_COUNT } fcps_lock;

void fcps_lock_take(fcps_lock lock);
void fcps_lock_give(fcps_lock lock);

/* -- Clocks --
 *
 * They are for time limits, progress and measured costs. No result may depend on one: the same seed gives the same
 * bytes. */

/* Seconds on a clock that never steps back; its zero has no meaning. */
double fcps_clock_seconds(void);

/* Waits for so many milliseconds. A signal ends it early. */
void fcps_clock_pause(int ms);

/* The time in so many milliseconds, on the clock that never steps back, for a wait that ends then. */
struct timespec fcps_clock_in(int ms);

/* Seconds that the processors spent on this process alone. */
double fcps_clock_processor_seconds(void);

#endif
