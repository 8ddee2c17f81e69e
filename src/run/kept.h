/* SPDX-License-Identifier: Apache-2.0 */
/* Results that wait on disk until they are stored, and the waiting itself.
 *
 * Why files, and why in `run`: a study's calls end after `wait_ms`, while a loop has nothing better to do than to
 * wait. A file can be written when the study cannot, and needs no lock. A simulated trial is not put on disk: it
 * can be run again. */
#ifndef FCPS_RUN_KEPT_H
#define FCPS_RUN_KEPT_H

#include <fcps/run.h>

enum { FCPS_RUN_KEPT_PATH = 4096 };

/* A result with the numbers of its ask as a line of JSON, freed with fcps_free; NULL without memory. */
char *fcps_run_kept_text(const fcps_study *study, int64_t id, const fcps_result *result);

/* Writes a result to a new file beside the study, synced, and its name to `path`, of FCPS_RUN_KEPT_PATH bytes. Fails
 * with FCPS_ERR_UNSUPPORTED if nothing can be kept beside the study. */
fcps_status fcps_run_keep(const fcps_study *study, int64_t ask, const fcps_result *result, char *path,
                          fcps_error *error);

/* Does the same for an ask that this handle may not know. */
fcps_status fcps_run_keep_asked(const fcps_study *study, const fcps_ask *ask, const fcps_result *result, char *path,
                                fcps_error *error);

/* The receiver of results that waited. It refuses with FCPS_ERR_UNKNOWN_ASK if its ask of this id has other
 * numbers. */
typedef struct fcps_kept_taker {
  fcps_status (*take)(void *user, const fcps_ask *ask, const fcps_result *result, fcps_error *error);
  void *user;
} fcps_kept_taker;

/* Tells the results that wait to a taker instead of the study; the study says where they are. */
fcps_status fcps_run_give_kept(fcps_study *study, const fcps_kept_taker *taker, const fcps_run_patience *patience,
                               int *stored, fcps_error *error);

/* Count the results that workers of this machine kept while they reached the study through a server, and tell them to
 * the study itself. */
int fcps_run_kept_count_apart(const fcps_study *study);
fcps_status fcps_run_tell_kept_apart(fcps_study *study, const fcps_run_patience *patience, int *stored,
                                     fcps_error *error);

/* Refuses with FCPS_ERR_UNKNOWN_ASK if two asks have other numbers. */
fcps_status fcps_run_check_kept(const fcps_problem *problem, const fcps_ask *kept, const fcps_ask *there,
                                fcps_error *error);

/* Does the same for the ask of this id of a study, or of a copy of it. A result without an ask belongs to no ask. */
fcps_status fcps_run_check_kept_of(const fcps_study *study, const fcps_ask *kept, fcps_error *error);

/* Sleeps for *pause seconds, which then double up to a limit; false as soon as the caller wants to stop. */
bool fcps_run_pause(const fcps_run_patience *patience, double *pause);

#endif
