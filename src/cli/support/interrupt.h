/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C, a request to end and the end of the terminal, noted so that a run can stop between two episodes. */
#ifndef FCPS_CLI_SUPPORT_INTERRUPT_H
#define FCPS_CLI_SUPPORT_INTERRUPT_H

#include <stdbool.h>

/* From now on Ctrl-C, a request to end and a hang-up are noted; a second one of the first two ends the program at once. */
void cli_interrupt_watch(void);

/* The same, but a second signal does not end the program either: what was typed must be kept first. */
void cli_interrupt_watch_all(void);

/* Whether one was noted, as the `stop` of a run. */
bool cli_interrupt_stops(void *unused);

#endif
