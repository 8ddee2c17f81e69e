/* SPDX-License-Identifier: Apache-2.0 */
/* A study by its address, wherever it is, and what can be done with it as JSON: for programs that speak with a study in
 * a file and behind a server in the same words, and for languages that would rather not declare structs.
 *
 *   fcps_door_open(&door, "http://127.0.0.1:8017/throw", NULL, &error); // or "throw.fcps", or a database
 *   fcps_door_call(door, "ask", "{\"target\": {\"x\": 3}}", &answer, &length, &error);
 *   // do the trial
 *   fcps_door_call(door, "tell", "{\"ask\": 1, \"outcome\": {\"land\": 2.9}}", &answer, &length, &error);
 *
 * Operations, their requests and answers are those of docs/serve.md. A call that may pass if it is made again (the study
 * is in use, the server is away) fails with FCPS_ERR_LOCKED; one that may have been done, and would then be done twice (an
 * ask without a client whose answer was lost), does not. A door belongs to one thread at a time.
 */
#ifndef FCPS_DOOR_H
#define FCPS_DOOR_H

#include <fcps/run.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcps_door fcps_door;

typedef struct fcps_door_options {
  fcps_study_options study; /* of a study that is opened here */
  const char *token;        /* of a server; NULL: from the address, else from the token file */
  bool (*stop)(void *user); /* asked about twenty times a second while a server is awaited; may be NULL */
  void *user;
  /* NULL: a study that is in use is not waited for. Else a tell is kept on disk until it is stored, and what was kept of
   * earlier ones is told before an ask, so that no trial is done twice. Must outlive the door. */
  const fcps_run_patience *patience;
  int wait_s; /* seconds within which an answer of a server must begin, and then be whole, if it is not long; 0: a minute,
                 and an hour for what may have to be computed first. Not 0, it goes before FCPS_SERVER_WAIT */
} fcps_door_options;

/* Opens a study by its address: a path, sqlite:PATH, postgresql://..., http://HOST:PORT/NAME or unix:PATH/NAME. A server
 * is not asked before the first call. `options` may be NULL. */
FCPS_API fcps_status fcps_door_open(fcps_door **door, const char *address, const fcps_door_options *options,
                                    fcps_error *error);

/* A door of a study that the caller has open, and closes later than the door: also for one in memory. Of `options` only
 * the log is used; what the study itself warns of goes to the study's own log alone. */
FCPS_API fcps_status fcps_door_open_study(fcps_door **door, fcps_study *study, const fcps_door_options *options,
                                          fcps_error *error);
FCPS_API void fcps_door_close(fcps_door *door);

/* The address of the study, without a token; "memory:" if it is kept in memory. Lives as long as the door and the study. */
FCPS_API const char *fcps_door_address(const fcps_door *door);

/* Does one operation. `request` is a JSON object, NULL for an empty one. The answer ends with a 0 and is freed with
 * fcps_free; `length` (may be NULL) counts its bytes, of which some answers (a study as a file) have zeros. Warnings are
 * in the answer, and go to the log of the options. */
FCPS_API fcps_status fcps_door_call(fcps_door *door, const char *operation, const char *request, char **answer,
                                    size_t *length, fcps_error *error);

/* How a server took the last call that failed, for what its status does not say. */
typedef struct fcps_door_failure {
  int http_status; /* of the answer; 0: none came; -1: the request was not even sent, or the study is not served */
  char code[40];   /* in the answer: "E_TOKEN"; a server has codes that are not statuses. "" if there is none */
} fcps_door_failure;
FCPS_API void fcps_door_explain(const fcps_door *door, fcps_door_failure *failure);

/* All operations as OpenAPI describes them, freed with fcps_free; NULL without memory. */
FCPS_API char *fcps_door_describe(void);

#ifdef __cplusplus
}
#endif

#endif
