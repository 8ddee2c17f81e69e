/* SPDX-License-Identifier: Apache-2.0 */
/* A lane: a thread with its own study handle, and a queue of jobs that it does one after the other.
 *
 * A served study has three lanes. One stores asks, results and changes in the order in which they arrive. The other
 * two only read, so the page gets its answers while an ask is computed: one reads what is stored, which is quick, and
 * one asks the model, which may be slow. Each lane sees what the other lanes and other processes have stored. The
 * second lane also looks regularly for changes by other processes.
 *
 * Lanes use handles of the same file, as several processes would. So the server has no state that could differ from
 * what is stored, and a kill loses nothing. The server's loop waits for no lane. */
#ifndef FCPS_SERVE_LANE_H
#define FCPS_SERVE_LANE_H

#include "door/client.h"
#include "serve/names.h"
#include "serve/route.h"
#include "store/store.h"

#include <pthread.h>
#include <stdatomic.h>

struct fcps_peer;

/* What is sent back. */
typedef struct fcps_answer {
  int status;       /* of HTTP */
  const char *type; /* of the body; NULL: JSON */
  char *body;       /* freed with fcps_free */
  size_t length;
  const char *file_ending;                  /* not NULL: to be saved as a file, STUDY with this ending */
  bool is_passing;                          /* it may become wrong although the study does not change */
  bool is_constant;                         /* the body stays where it is for ever: it is sent without a copy */
  char identity[FCPS_CLIENT_IDENTITY_SIZE]; /* of the study; "": none has answered */
} fcps_answer;

/* The last record that any lane of a study has seen. Without it, a lane that has not looked for a while would not
 * notice that an older copy of the study was written over the file. Safe between threads. */
typedef struct fcps_lanes_seen {
  pthread_mutex_t lock;
  fcps_store_seen latest;
} fcps_lanes_seen;
typedef struct fcps_lane fcps_lane;

/* A request on its way: made and ended by the loop, in between the lane's. */
typedef struct fcps_request {
  struct fcps_request *next;
  const fcps_operation *operation; /* NULL: nobody asked; the lane has noticed a change */
  fcps_query query;
  char *body;
  size_t length;
  size_t *counted;        /* in what all bodies have, with `length` bytes; NULL: nowhere */
  struct fcps_peer *peer; /* of the loop alone; NULL once its connection is gone */
  atomic_bool is_left;    /* set by the loop: the client has closed its side, so a forecast may end */
  void *served;           /* of the loop alone: the study */

  fcps_answer answer;
  int64_t sequence; /* of the study after the job; 0: unknown */
  char *summary;    /* the study in a few words, as JSON; freed with fcps_free */
  char *made;       /* the path of a study that was made */
} fcps_request;
void fcps_request_destroy(fcps_request *job);

typedef struct fcps_lane_options {
  const char *name;                              /* of the study; NULL: the lane makes studies */
  const char *path;                              /* of the study */
  const char *folder;                            /* in which studies are made; may be NULL */
  fcps_names *names;                             /* of a lane that makes studies: those that are served */
  void *served;                                  /* for fcps_request */
  fcps_lanes_seen *seen;                         /* of all lanes of the study; NULL: the lane makes studies */
  bool is_looking;                               /* it stores nothing */
  bool is_watching;                              /* it also notices what other processes store */
  const atomic_int *listeners;                   /* how many listen to changes */
  const fcps_study_maker *maker;                 /* of studies that were made from an origin; may be NULL */
  fcps_log log;                                  /* also gets the warnings, from any thread */
  void (*finish)(void *user, fcps_request *job); /* takes a job that is done, in the lane's thread */
  void *user;
} fcps_lane_options;

/* Opens the study and starts the thread. Texts are copied. */
fcps_status fcps_lane_create(fcps_lane **lane, const fcps_lane_options *options, fcps_error *error);

/* A summary of the study as JSON, as it was when the lane was created; freed with fcps_free, NULL without memory. It
 * may be read only before the first job. */
char *fcps_lane_take_summary(fcps_lane *lane);

/* Takes a job; false if too many wait already. */
bool fcps_lane_add(fcps_lane *lane, fcps_request *job);

/* Stops the lane, waits for its end and closes its study. NULL is allowed. */
void fcps_lane_destroy(fcps_lane *lane);

/* -- What a lane remembers -- */

/* The latest answers of the lane that asks the model. After each change several pages ask the same, and the model is
 * asked once. Answers are forgotten when the study changes. */

enum { FCPS_REMEMBERED_MAX = 12 };

typedef struct fcps_remembered_item {
  const fcps_operation *operation; /* NULL: empty */
  char *question;                  /* the body of the request */
  size_t length;
  fcps_answer answer;
} fcps_remembered_item;

/* Zeros are an empty one. */
typedef struct fcps_remembered {
  int64_t sequence; /* the last record of the study; all answers hold for it */
  int next;         /* the place for the next: the oldest gives way */
  fcps_remembered_item items[FCPS_REMEMBERED_MAX];
} fcps_remembered;

/* Answers a job as the same question was answered; false if it was not, or the study has changed. */
bool fcps_remembered_find(fcps_remembered *remembered, int64_t sequence, fcps_request *job);

/* Keeps a copy of the answer of a job, if it is one to keep: short enough, and no failure. */
void fcps_remembered_add(fcps_remembered *remembered, const fcps_request *job);

void fcps_remembered_clear(fcps_remembered *remembered);

#endif
