/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of one study behind a server, for commands and for workers. */
#ifndef FCPS_DOOR_CLIENT_STUDY_H
#define FCPS_DOOR_CLIENT_STUDY_H

#include "door/client.h"
#include "format/json.h"
#include "operation/operation.h"

#include <fcps/door.h>

/* What came back: an object, or the text of an operation whose row has a type. The caller frees both. */
typedef struct fcps_client_answer {
  fcps_json *json;
  char *text;
  size_t length;
} fcps_client_answer;

/* One operation: its request (NULL: empty) is the body, or the query of a GET. What a refusal says is the error. An answer that
 * is not one to the request (fcps_operation_check_answer) counts as none. It fails with FCPS_ERR_LOCKED if the server is
 * away, or asks for another try (fcps/door.h); so whoever has patience with a store that is in use has it with a server.
 * *failure says how it was answered. */
fcps_status fcps_client_do(const fcps_client *client, const fcps_operation *operation, const fcps_json *request,
                           fcps_door_failure *failure, fcps_client_answer *answer, fcps_error *error);

/* The same by the name of an operation that answers with JSON; also "list", of the studies of the server, and "make", which
 * makes one. `request` is destroyed; NULL of one that
 * asks for nothing. */
fcps_status fcps_client_ask(const fcps_client *client, const char *name, fcps_json *request, fcps_json **answer,
                            fcps_error *error);

/* A message of the server with the study's address in the commands that it suggests, if the server, which does not know
 * under which address it is reached, says STUDY; the message itself where that does not fit. */
const char *fcps_client_name_study(const fcps_client *client, const char *message, size_t size, char *room);

/* Says to the log what the server warned of. */
void fcps_client_say_warnings(const fcps_client *client, const fcps_json *answer, const fcps_log *log);

#endif
