/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks, for time limits, progress and measured costs. No result may depend on one: the same seed gives the same
 * bytes. */
#ifndef FCPS_BASE_CLOCK_H
#define FCPS_BASE_CLOCK_H

#include <time.h>

/* Seconds on a clock that never steps back; its zero has no meaning. */
double fcps_clock_seconds(void);

/* Waits for so many milliseconds. A signal ends it early. */
void fcps_clock_pause(int ms);

/* The time in so many milliseconds, on the clock that never steps back, for a wait that ends then. */
struct timespec fcps_clock_in(int ms);

/* Seconds that the processors spent on this process alone. */
double fcps_clock_processor_seconds(void);

#endif
