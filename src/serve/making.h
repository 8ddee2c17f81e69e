/* SPDX-License-Identifier: Apache-2.0 */
/* Making a study by request, in the folder that the server was given. */
#ifndef FCPS_SERVE_MAKING_H
#define FCPS_SERVE_MAKING_H

#include "operation/call.h"
#include "serve/names.h"

/* What its call has as `server`. */
typedef struct fcps_making {
  const char *folder; /* NULL: none is made */
  fcps_names *names;  /* those that are taken */
  char *made;         /* the path of the study that was made; freed with fcps_free */
} fcps_making;

extern const fcps_field fcps_making_request[], fcps_making_answer[];
fcps_operation_fn fcps_making_run;

#endif
