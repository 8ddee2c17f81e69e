/* SPDX-License-Identifier: Apache-2.0 */
/* What a study has of a run: its asks and its evaluations.
 *
 * The study knows the asks by their client: `run` for the first worker, `run/2`, `run/3`, ... for the others. A
 * client has at most one unfinished ask, and asked again it gets that one: so another process that continues the
 * run finds what was left unfinished. */
#ifndef FCPS_RUN_ASKED_H
#define FCPS_RUN_ASKED_H

#include <fcps/run.h>

enum { FCPS_RUN_CLIENT_SIZE = 16 };

/* The client of a worker, counted from 0. */
void fcps_run_client_name(int worker, char client[FCPS_RUN_CLIENT_SIZE]);

/* The worker of a client; -1 if it is not a run's. */
int fcps_run_client_worker(const char *client);

/* How many asks a run has made, and how many of them are unfinished. */
int64_t fcps_run_asked_count(const fcps_study *study, int64_t *unfinished);

/* Which episode, counted from 0, an ask of a run is. */
int64_t fcps_run_asked_episode(const fcps_study *study, int64_t ask);

/* Earlier episodes, in the order in which their results were stored: that in which the run has seen them. */
typedef struct fcps_run_earlier {
  int64_t ask, episode; /* the episode counted from 0 */
  int64_t sequence;     /* of the first result; of an ask that was given up, that of the ask before it */
} fcps_run_earlier;

/* Lists the asks of a run that are not unfinished, to be freed with fcps_free; NULL without memory. */
fcps_run_earlier *fcps_run_earlier_list(const fcps_study *study, int64_t *count);

/* Evaluations are notes of the study: the mean and the episode after which it was measured. */
fcps_status fcps_run_note_offline(fcps_study *study, int64_t episode, double mean, fcps_error *error);
bool fcps_run_find_offline(const fcps_study *study, int64_t episode, double *mean);

#endif
