/* SPDX-License-Identifier: Apache-2.0 */
/* The files that are served, and their names. The loop adds files, and so does the thread that makes studies. A name is
 * never given to a second file, because its asks and results would go to the first file. Safe between threads. */
#ifndef FCPS_SERVE_NAMES_H
#define FCPS_SERVE_NAMES_H

#include "operation/call.h"

#include <fcps/base.h>

#include <pthread.h>

typedef struct fcps_names {
  pthread_mutex_t lock;
  bool has_lock;
  char **paths; /* paths of the studies; the name of a study is that of its file */
  size_t count, capacity;
  size_t most; /* how many studies may be served */
} fcps_names;

/* Tells whether a client can use a name: it must be one word of a path, in UTF-8. Otherwise the error says how to
 * rename the file. */
fcps_status fcps_names_check(const char *name, const char *path, fcps_error *error);

bool fcps_names_create(fcps_names *names, size_t most);
void fcps_names_destroy(fcps_names *names);

/* Adds a path, unless it is in the list already. Returns false if memory ran out. */
bool fcps_names_add(fcps_names *names, const char *path);

/* Whether no further study may be served, and `path` is not among those that are. */
bool fcps_names_is_full(fcps_names *names, const char *path);

/* Whether another file has the name of `path`. */
bool fcps_names_is_taken(fcps_names *names, const char *path);

/* -- Making a study (making.c) -- */

/* Makes a study by request, in the folder that the server was given. */

/* The `server` of a call that makes a study. */
typedef struct fcps_making {
  const char *folder; /* NULL: no studies can be made */
  fcps_names *names;  /* the names that are taken */
  char *made;         /* the path of the study that was made; freed with fcps_free */
} fcps_making;

extern const fcps_field fcps_making_request[], fcps_making_answer[];
fcps_operation_fn fcps_making_run;

#endif
