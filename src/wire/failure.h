/* SPDX-License-Identifier: Apache-2.0 */
/* Errors and warnings over a wire: the same codes, fields and words as those of the program. */
#ifndef FCPS_WIRE_FAILURE_H
#define FCPS_WIRE_FAILURE_H

#include "format/json.h"

/* The stable code of a status, for people to search and for programs to compare: "E_BOUNDS". Returns `code`. */
enum { FCPS_WIRE_CODE_SIZE = 40 };
char *fcps_wire_failure_code(fcps_status status, char code[FCPS_WIRE_CODE_SIZE]);

/* {"error": {"code": "E_BOUNDS", "field": "target.x", "message": ...}}; "file", "line" and "column" if they are
 * known. */
fcps_json *fcps_wire_failure_write(const fcps_error *error);

/* Adds {"code": ..., "message": ...} to a list of warnings, which is made if it is NULL. */
void fcps_wire_warning_add(fcps_json **list, const char *code, const char *message);

/* Puts a list of warnings (NULL: there is none) into an answer and takes it over, unless the answer has its own. */
void fcps_wire_warnings_put(fcps_json **answer, fcps_json **list);

/* Reads what fcps_wire_failure_write wrote; a code that is not a status of ours, such as that of
 * a refused request, counts as FCPS_ERR_IO. False if it is not an error. */
bool fcps_wire_failure_read(const fcps_json *json, fcps_error *error);

#endif
