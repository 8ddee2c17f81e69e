/* SPDX-License-Identifier: Apache-2.0 */
/* A door: a study by its address, and the operations on it as JSON. With it a program uses a study in a file and a
 * study behind a server in the same way, and another language needs no struct declarations.
 *
 *   fcps_door_open(&door, "http://127.0.0.1:8017/throw", NULL, &error); // or "throw.fcps", or a database
 *   fcps_door_call(door, "ask", "{\"target\": {\"x\": 3}}", &answer, &length, &error);
 *   // do the trial
 *   fcps_door_call(door, "tell", "{\"ask\": 1, \"outcome\": {\"land\": 2.9}}", &answer, &length, &error);
 *
 * Operations, their requests and answers are those of docs/serve.md. If a call fails with FCPS_ERR_LOCKED, the
 * caller may repeat it (the study is in use, or the server cannot be reached). A call that the server may have done
 * already, so that a repetition would do it twice (an ask without a client whose answer was lost), fails with
 * another status. A door belongs to one thread at a time.
 */
#ifndef FCPS_DOOR_H
#define FCPS_DOOR_H

#include <fcps/run.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcps_door fcps_door;

typedef struct fcps_door_options {
  fcps_study_options study; /* for a study that this process opens itself */
  const char *token;        /* for a server; NULL: from the address, else from the token file */
  bool (*stop)(void *user); /* called about twenty times a second while a server has not answered; may be NULL */
  void *user;
  /* NULL: a call fails at once if the study is in use. Else a tell is kept on disk until it is stored, and results
   * that earlier calls kept are told before an ask, so that no trial is done twice. Must outlive the door. */
  const fcps_run_patience *patience;
  /* seconds for a server's answer to begin, and then for a short answer to end; 0: a minute, or an hour if the
   * server must compute first. A value above 0 overrides FCPS_SERVER_WAIT */
  int wait_s;
} fcps_door_options;

/* Opens a study by its address: a path, sqlite:PATH, postgresql://..., http://HOST:PORT/NAME or unix:PATH/NAME. A
 * server is first contacted by the first call. `options` may be NULL. */
FCPS_API fcps_status fcps_door_open(fcps_door **door, const char *address, const fcps_door_options *options,
                                    fcps_error *error);

/* Makes a door for a study that the caller has open, also one in memory; the caller closes the study after the door.
 * Of `options` only the log is used; warnings of the study itself go to the study's own log. */
FCPS_API fcps_status fcps_door_open_study(fcps_door **door, fcps_study *study, const fcps_door_options *options,
                                          fcps_error *error);
FCPS_API void fcps_door_close(fcps_door *door);

/* The address of the study, without a token; "memory:" for a study in memory. Lives as long as the door and the
 * study. */
FCPS_API const char *fcps_door_address(const fcps_door *door);

/* Does one operation. `request` is a JSON object; NULL stands for an empty one. The answer ends with a 0 and is
 * freed with fcps_free; `length` (may be NULL) receives its number of bytes, because some answers (a study as a
 * file) contain zeros. Warnings are in the answer, and go to the log of the options. */
FCPS_API fcps_status fcps_door_call(fcps_door *door, const char *operation, const char *request, char **answer,
                                    size_t *length, fcps_error *error);

/* How a server answered the last call that failed, beyond the status of the call. */
typedef struct fcps_door_failure {
  int http_status; /* of the answer; 0: no answer came; -1: no request was sent, or the study is not behind a server */
  /* the code in the answer, such as "E_TOKEN"; servers have codes that are not statuses. "" if there is none */
  char code[40];
} fcps_door_failure;
FCPS_API void fcps_door_explain(const fcps_door *door, fcps_door_failure *failure);

/* Describes all operations as an OpenAPI document, to be freed with fcps_free; NULL if memory runs out. */
FCPS_API char *fcps_door_describe(void);

#ifdef __cplusplus
}
#endif

#endif
