/* SPDX-License-Identifier: Apache-2.0 */
/* Seconds on a clock that never steps back; for time limits and progress, never for results. */
#ifndef FCPS_BASE_CLOCK_H
#define FCPS_BASE_CLOCK_H

double fcps_clock_seconds(void);

/* Seconds that the processors spent on this process, other programs left out. */
double fcps_clock_processor_seconds(void);

#endif
