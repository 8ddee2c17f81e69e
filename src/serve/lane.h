/* SPDX-License-Identifier: Apache-2.0 */
/* A lane: a thread with its own study handle, and a queue of jobs that it does one after the other.
 *
 * A served study has three lanes. One lane stores asks, results and changes in the order in which they arrive. The
 * other two lanes only read, so that the page gets its answers while an ask is computed: one of them reads what is
 * stored, which is quick; the other asks the model, which may be slow. Each lane sees what the other lanes and other
 * processes have stored. The lane that reads what is stored also checks regularly for changes by other processes.
 *
 * Lanes use handles of the same file, as several processes would. So the server has no state that could differ from
 * what is stored, and a kill loses nothing. The loop of the server never waits for a lane. */
#ifndef FCPS_SERVE_LANE_H
#define FCPS_SERVE_LANE_H

#include "door/client.h"
#include "serve/names.h"
#include "serve/route.h"
#include "store/store.h"

#include <pthread.h>
#include <stdatomic.h>

struct fcps_peer;

/* The answer that is sent back. */
typedef struct fcps_answer {
  int status;       /* status of HTTP */
  const char *type; /* media type of the body; NULL: JSON */
  char *body;       /* freed with fcps_free */
  size_t length;
  /* not NULL: the browser saves the answer as a file, STUDY with this ending */
  const char *file_ending;
  bool is_passing; /* the answer may become wrong although the study does not change */
  /* the body never changes and is never freed, so it is sent without a copy */
  bool is_constant;
  char identity[FCPS_CLIENT_IDENTITY_SIZE]; /* identity of the study; "": no study has answered */
} fcps_answer;

/* The last record that any lane of a study has seen. Without it, a lane that has not looked for a while would not
 * notice that an older copy of the study was written over the file. Safe between threads. */
typedef struct fcps_lanes_seen {
  pthread_mutex_t lock;
  fcps_store_seen latest;
} fcps_lanes_seen;
typedef struct fcps_lane fcps_lane;

/* A request on its way. The loop makes and frees it; in between it belongs to the lane. */
typedef struct fcps_request {
  struct fcps_request *next;
  const fcps_operation *operation; /* NULL: there is no request, but the lane has noticed a change */
  fcps_query query;
  char *body;
  size_t length;
  /* the counter of the bytes of all bodies, which includes `length` bytes of this one; NULL: not counted */
  size_t *counted;
  struct fcps_peer *peer; /* only for the loop; NULL after the connection has ended */
  atomic_bool is_left;    /* set by the loop: the client has closed its side, so a forecast may end */
  void *served;           /* only for the loop: the study */

  fcps_answer answer;
  int64_t sequence; /* last record of the study after the job; 0: unknown */
  char *summary;    /* summary of the study as JSON; freed with fcps_free */
  char *made;       /* the path of a study that was made */
} fcps_request;
void fcps_request_destroy(fcps_request *job);

typedef struct fcps_lane_options {
  const char *name;            /* name of the study; NULL: the lane makes studies */
  const char *path;            /* path of the study */
  const char *folder;          /* folder in which studies are made; may be NULL */
  fcps_names *names;           /* for a lane that makes studies: the names of the served studies */
  void *served;                /* copied into each fcps_request */
  fcps_lanes_seen *seen;       /* shared by all lanes of the study; NULL: the lane makes studies */
  bool is_looking;             /* the lane only reads */
  bool is_watching;            /* the lane also checks for records of other processes */
  const atomic_int *listeners; /* how many clients listen to changes */
  /* makes the problem of studies that were made from an origin; may be NULL */
  const fcps_study_maker *maker;
  fcps_log log;                                  /* gets the warnings as well, from any thread */
  void (*finish)(void *user, fcps_request *job); /* takes over a finished job, in the thread of the lane */
  void *user;
} fcps_lane_options;

/* Opens the study and starts the thread. Texts are copied. */
fcps_status fcps_lane_create(fcps_lane **lane, const fcps_lane_options *options, fcps_error *error);

/* Returns a summary of the study as JSON, as it was when the lane was created. The caller frees it with fcps_free; NULL
 * if memory ran out. It may be read only before the first job. */
char *fcps_lane_take_summary(fcps_lane *lane);

/* Gives the lane a job. Returns false if too many jobs wait already. */
bool fcps_lane_add(fcps_lane *lane, fcps_request *job);

/* Stops the lane, waits for its end and closes its study. NULL is allowed. */
void fcps_lane_destroy(fcps_lane *lane);

/* -- What a lane remembers -- */

/* The latest answers of the lane that asks the model. After each change several pages ask the same question, but the
 * model is asked only once. Answers are forgotten when the study changes. */

enum { FCPS_REMEMBERED_MAX = 12 };

typedef struct fcps_remembered_item {
  const fcps_operation *operation; /* NULL: this place is empty */
  char *question;                  /* the body of the request */
  size_t length;
  fcps_answer answer;
} fcps_remembered_item;

/* All zeros means that nothing is remembered. */
typedef struct fcps_remembered {
  int64_t sequence; /* the last record of the study, for which all answers are valid */
  int next;         /* the place of the next answer, which replaces the oldest one */
  fcps_remembered_item items[FCPS_REMEMBERED_MAX];
} fcps_remembered;

/* Gives a job the answer that the same question got before. Returns false if it was not asked before, or if the study
 * has changed since. */
bool fcps_remembered_find(fcps_remembered *remembered, int64_t sequence, fcps_request *job);

/* Keeps a copy of the answer to a job, if the answer is short enough and not a failure. */
void fcps_remembered_add(fcps_remembered *remembered, const fcps_request *job);

void fcps_remembered_clear(fcps_remembered *remembered);

#endif
