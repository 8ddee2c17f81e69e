/* SPDX-License-Identifier: Apache-2.0 */
/* The door of a study (fcps/door.h), for rooms that need no text of JSON.
 *
 * For every operation of the table one request is enough, for a file as for a server (tests/serve/requests.py counts
 * the requests). A caller that reads the whole study (`log`, `report`, the text of `status`) gets a study from the
 * door; for a server it is a copy, which the server makes as a backup. There is no store that speaks HTTP, because its
 * transactions would hold a lock over a connection. */
#ifndef FCPS_DOOR_DOOR_H
#define FCPS_DOOR_DOOR_H

#include "door/client.h"
#include "operation/call.h"

#include <fcps/door.h>
#include <fcps/run_work.h>

typedef fcps_client_answer fcps_door_answer;
void fcps_door_answer_destroy(fcps_door_answer *answer);

/* Does an operation of the table, as fcps_door_call does. `request` may be NULL, and stays the caller's. */
fcps_status fcps_door_do(fcps_door *door, const fcps_operation *operation, const fcps_json *request,
                         fcps_door_answer *answer, fcps_error *error);

/* Gives the study itself to a caller that reads all of it. Behind a server this is a copy of the study as it is now.
 * The door owns it. */
fcps_status fcps_door_study(fcps_door *door, fcps_study **study, fcps_error *error);

/* Sets where this copy goes. The caller then removes it. Otherwise it goes into a folder that the door removes. */
void fcps_door_set_place(fcps_door *door, const char *(*place)(void));

/* Makes a study at an address, of a file or of a server that makes studies, and opens it. */
fcps_status fcps_door_make(fcps_door **door, const char *address, const fcps_study_setup *setup,
                           const fcps_door_options *options, fcps_error *error);

/* Gives a path from which the study can be copied: the path of a file, which is not opened; or, for a served study,
 * that of a copy, which lives until the door is closed. A server refuses to send a copy that is to replace the very
 * file that it serves, `onto` (may be NULL). */
fcps_status fcps_door_fetch(fcps_door **door, const char *address, const char *onto, const fcps_door_options *options,
                            const char *(*place)(void), const char **path, fcps_error *error);

/* Works on the study, as fcps_work does. If the server is away, waits for it, even at the beginning. */
fcps_status fcps_door_work(fcps_door *door, const fcps_problem_file *file, const fcps_work_options *options,
                           int64_t *done, fcps_error *error);

/* Returns the identity of the study, which only its copies share; NULL if it is not known. For a served study it is
 * known after the first answer. */
const char *fcps_door_identity(const fcps_door *door);

/* Tells whether the latest call failed because nothing answered at the address. */
bool fcps_door_is_away(const fcps_door *door);

/* Results that are kept on this machine until the study can store them. */
typedef struct fcps_door_kept {
  int count;         /* how many are kept for this address */
  const char *where; /* where they are, in words, as in "beside the study" */
  int apart;         /* how many were kept by workers that reached the study through a server */
} fcps_door_kept;
fcps_status fcps_door_count_kept(fcps_door *door, fcps_door_kept *kept, fcps_error *error);

/* Tells all kept results, with the patience of the options, which must have one. *stored receives how many are stored
 * now. */
fcps_status fcps_door_tell_kept(fcps_door *door, int *stored, fcps_error *error);

/* Does the same on http://HOST:PORT/STUDY (work.c); `token` as in fcps_client_open. */
fcps_status fcps_client_work(const char *url, const char *token, const fcps_problem_file *file,
                             const fcps_work_options *options, int64_t *done, fcps_error *error);

#endif
