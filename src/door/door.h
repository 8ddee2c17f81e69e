/* SPDX-License-Identifier: Apache-2.0 */
/* The door of a study (fcps/door.h), for rooms that need no text of JSON. */
#ifndef FCPS_DOOR_DOOR_H
#define FCPS_DOOR_DOOR_H

#include "operation/call.h"

#include <fcps/door.h>

/* What came back: an object, or the text of an operation whose row has a type. */
typedef struct fcps_door_answer {
  fcps_json *json;
  char *text;
  size_t length;
} fcps_door_answer;
void fcps_door_answer_destroy(fcps_door_answer *answer);

/* fcps_door_call for an operation of the table. `request` may be NULL, and stays the caller's. */
fcps_status fcps_door_do(fcps_door *door, const fcps_operation *operation, const fcps_json *request,
                         fcps_door_answer *answer, fcps_error *error);

/* The study itself, for what reads all of it: of a server, a copy of it as it is now. It belongs to the door. */
fcps_status fcps_door_study(fcps_door *door, fcps_study **study, fcps_error *error);

#endif
