/* SPDX-License-Identifier: Apache-2.0 */
/* The progress of many asks on stderr: one live line on a terminal, a plain line every few seconds elsewhere. */
#ifndef FCPS_CLI_STUDY_ASKING_H
#define FCPS_CLI_STUDY_ASKING_H

/* Begins to listen to the library, which says each ask that it has made (I_ASKED). */
void cli_asking_begin(int count);
void cli_asking_end(void);

#endif
