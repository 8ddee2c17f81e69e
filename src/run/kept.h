/* SPDX-License-Identifier: Apache-2.0 */
/* Results that wait in files until they can be stored, and the waiting.
 *
 * A file can be written when the study cannot, and needs no lock. Waiting belongs to `run`: a call of a study ends
 * after `wait_ms`, but a loop has nothing better to do than to wait. The result of a simulated trial is not put into a
 * file, because the trial can be run again. */
#ifndef FCPS_RUN_KEPT_H
#define FCPS_RUN_KEPT_H

#include <fcps/run.h>

enum { FCPS_RUN_KEPT_PATH = 4096 };

/* Returns a result and the numbers of its ask as a line of JSON, which the caller frees with fcps_free. NULL if memory
 * ran out. */
char *fcps_run_kept_text(const fcps_study *study, int64_t id, const fcps_result *result);

/* Writes a result to a new file beside the study and waits until the disk has it. `path` (FCPS_RUN_KEPT_PATH bytes)
 * receives the file's name. Fails with FCPS_ERR_UNSUPPORTED if no file can be kept beside the study. */
fcps_status fcps_run_keep(const fcps_study *study, int64_t ask, const fcps_result *result, char *path,
                          fcps_error *error);

/* Does the same for an ask that this handle of the study may not know. */
fcps_status fcps_run_keep_asked(const fcps_study *study, const fcps_ask *ask, const fcps_result *result, char *path,
                                fcps_error *error);

/* Receives results that waited. It refuses a result with FCPS_ERR_UNKNOWN_ASK if its own ask with this id has other
 * numbers. */
typedef struct fcps_kept_taker {
  fcps_status (*take)(void *user, const fcps_ask *ask, const fcps_result *result, fcps_error *error);
  void *user;
} fcps_kept_taker;

/* Tells the results that wait to a taker instead of the study. `study` says where their files are. */
fcps_status fcps_run_give_kept(fcps_study *study, const fcps_kept_taker *taker, const fcps_run_patience *patience,
                               int *stored, fcps_error *error);

/* Workers of this machine that reach the study through a server keep their results apart from it. The first function
 * counts these results; the second tells them to the study itself. */
int fcps_run_kept_count_apart(const fcps_study *study);
fcps_status fcps_run_tell_kept_apart(fcps_study *study, const fcps_run_patience *patience, int *stored,
                                     fcps_error *error);

/* Refuses with FCPS_ERR_UNKNOWN_ASK if two asks have different numbers. */
fcps_status fcps_run_check_kept(const fcps_problem *problem, const fcps_ask *kept, const fcps_ask *there,
                                fcps_error *error);

/* Does the same with the ask of this id in a study or in a copy of the study. A result without an ask is not
 * compared. */
fcps_status fcps_run_check_kept_of(const fcps_study *study, const fcps_ask *kept, fcps_error *error);

/* Sleeps for *pause seconds, and doubles *pause up to a limit. Returns false as soon as the caller wants to stop. */
bool fcps_run_pause(const fcps_run_patience *patience, double *pause);

#endif
