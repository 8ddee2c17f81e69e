/* SPDX-License-Identifier: Apache-2.0 */
/* The files that are served, and their names. The loop adds files, and so does the thread that makes studies. A name
 * that is taken is never given to a second file, because asks and results for it would go to the first. Safe between
 * threads. */
#ifndef FCPS_SERVE_NAMES_H
#define FCPS_SERVE_NAMES_H

#include "operation/call.h"

#include <fcps/base.h>

#include <pthread.h>

typedef struct fcps_names {
  pthread_mutex_t lock;
  bool has_lock;
  char **paths; /* of the studies; each study's name is that of its file */
  size_t count, capacity;
  size_t most; /* that are served */
} fcps_names;

/* Tells whether a client can use a name: it must be one word of a path, in UTF-8. Otherwise the error says how to
 * rename the file. */
fcps_status fcps_names_check(const char *name, const char *path, fcps_error *error);

bool fcps_names_create(fcps_names *names, size_t most);
void fcps_names_destroy(fcps_names *names);

/* Adds a path; one that is there already stays there once. Returns false without memory. */
bool fcps_names_add(fcps_names *names, const char *path);

/* Tells whether as many are served as may be, and `path` is none of them. */
bool fcps_names_is_full(fcps_names *names, const char *path);

/* Tells whether the name of `path` is that of another file. */
bool fcps_names_is_taken(fcps_names *names, const char *path);

/* -- Making a study (making.c) -- */

/* Making a study by request, in the folder that the server was given. */

/* What its call has as `server`. */
typedef struct fcps_making {
  const char *folder; /* NULL: none is made */
  fcps_names *names;  /* those that are taken */
  char *made;         /* the path of the study that was made; freed with fcps_free */
} fcps_making;

extern const fcps_field fcps_making_request[], fcps_making_answer[];
fcps_operation_fn fcps_making_run;

#endif
