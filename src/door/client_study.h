/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of one study behind a server, for commands and for workers. */
#ifndef FCPS_DOOR_CLIENT_STUDY_H
#define FCPS_DOOR_CLIENT_STUDY_H

#include "door/client.h"
#include "format/json.h"
#include "operation/operation.h"

#include <fcps/door.h>

/* Calls STUDY/what ("" is the study itself, NULL the list of studies), and gives the answer. What a refusal says
 * is the error. If the server is away, or asks for another try, the call fails with FCPS_ERR_LOCKED, as that of a
 * store that is in use; so a caller that waits for one waits for the other. */
fcps_status fcps_client_get(const fcps_client *client, const char *what, fcps_json **answer, fcps_error *error);

/* `object` is destroyed. */
fcps_status fcps_client_post(const fcps_client *client, const char *what, fcps_json *object, fcps_json **answer,
                             fcps_error *error);

/* One operation: its request (NULL: empty) is the body, or the query of a GET. It fails with FCPS_ERR_LOCKED if it may
 * be made again (fcps/door.h); *failure says how it was answered. */
fcps_status fcps_client_do(const fcps_client *client, const fcps_operation *operation, const fcps_json *request,
                           fcps_door_failure *failure, char **answer, size_t *length, fcps_error *error);

/* A message of the server with the study's address in the commands that it suggests, where the server, which does not know
 * under which address it is reached, says STUDY; the message itself where that does not fit. */
const char *fcps_client_name_study(const fcps_client *client, const char *message, size_t size, char *room);

#endif
