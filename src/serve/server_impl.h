/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the loop share. Only the thread of the loop uses it, except the list of finished jobs. */
#ifndef FCPS_SERVE_SERVER_IMPL_H
#define FCPS_SERVE_SERVER_IMPL_H

#include "serve/assets.h"
#include "serve/http/address.h"
#include "serve/http/head.h"
#include "serve/lane.h"
#include "serve/limits.h"
#include "serve/names.h"
#include "serve/serve.h"

#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <pthread.h>

/* A study that is served. */
typedef struct fcps_served {
  char *name;
  fcps_lane *change, *look, *model;
  fcps_lanes_seen seen;
  bool has_lock;    /* `seen` has its lock */
  int64_t sequence; /* the last record that was announced */
  char *summary;    /* summary as JSON */
} fcps_served;

/* The state of a connection. */
typedef enum peer_state {
  PEER_HEAD,    /* waits for the head of a request */
  PEER_BODY,    /* waits for the body of the request */
  PEER_WORKING, /* a lane has the job of the request */
  PEER_STREAM,  /* the connection is a stream: changes are sent as they happen */
  PEER_LAST,    /* the last answer is being sent, and bytes that arrive are thrown away */
  PEER_LINGER   /* the last answer was sent; a reset must not overtake it */
} peer_state;

typedef struct fcps_peer {
  /* neighbours in the list of all peers, in which the one that has waited longest comes first */
  struct fcps_peer *before, *after;
  struct fcps_server *server;
  struct bufferevent *stream;
  struct event *timer; /* ends the time within which a request must arrive */
  struct event *close; /* notices that the client closes its side while a lane has the job */
  peer_state state;
  bool has_token;    /* the client has shown the token once */
  bool is_last;      /* the connection ends after the answer */
  bool is_done;      /* the client sends no more */
  size_t seen;       /* bytes of the head that have been searched */
  size_t thrown;     /* bytes that were thrown away */
  size_t awaited;    /* when the body has this many bytes, it gets more time */
  fcps_request *job; /* in PEER_BODY and PEER_WORKING */
  int requests;      /* requests in the second that began at `second` */
  int64_t second;
} fcps_peer;

struct fcps_server {
  struct event_base *base;
  struct evconnlistener *listener;
  struct event *finished_event, *terminate, *interrupt, *hang_up, *beat, *wait;
  fcps_address address;
  fcps_guard guard;
  fcps_log log;
  char url[512];
  fcps_limits limits; /* limits of open files */
  int connection_count, connections_max, job_count;
  size_t body_bytes;  /* bytes of all long bodies whose jobs are not done */
  int stranger_count; /* the connections that have not shown the token */
  fcps_peer *first, *last;
  atomic_int listeners; /* how many peers are streams */
  fcps_served **served;
  size_t served_count, served_capacity;
  fcps_names names;
  fcps_asset description; /* openapi.json, made from the table of operations */
  fcps_refusal refusal;   /* the refusal of the present request, and its text */
  char words[400];
  const fcps_study_maker *study_maker;
  fcps_lane *maker;
  bool is_ending, is_answered; /* the server is ending; all calls that had begun are answered */

  int wake; /* an eventfd, by which a lane says that it has finished a job */
  pthread_mutex_t lock;
  bool has_lock;
  fcps_request *finished; /* finished jobs, under the lock */
};

/* -- peer.c -- */
void fcps_peer_accept(struct fcps_server *server, int descriptor);
void fcps_peer_answer(fcps_peer *peer, const fcps_answer *answer, const char *study);
void fcps_peer_refuse(fcps_peer *peer, const fcps_refusal *refusal);
void fcps_peer_close(fcps_peer *peer);
/* Notes that the client has shown the token. */
void fcps_peer_trust(fcps_peer *peer);
/* Ends a connection that waits for a request. Any other connection ends after its answer. */
void fcps_peer_end(fcps_peer *peer);

/* -- dispatch.c -- */
/* Judges the head of a request. If the request goes on, returns true, with a new *job whose body may come. Otherwise
 * the request was answered, or has become a stream. */
bool fcps_dispatch_head(fcps_peer *peer, const fcps_head *head, fcps_request **job);
/* Gives the job of a peer to its lane. Its body must have arrived. */
void fcps_dispatch_job(fcps_peer *peer);
/* Takes over a job that a lane has finished. */
void fcps_dispatch_finished(struct fcps_server *server, fcps_request *job);
/* Serves a study under its name. A study that is served already stays as it is. */
fcps_status fcps_dispatch_add_study(struct fcps_server *server, const char *path, fcps_error *error);
void fcps_dispatch_remove_studies(struct fcps_server *server);

/* -- Changes (reply.c) -- */
void fcps_changes_begin(fcps_peer *peer);
void fcps_changes_announce(struct fcps_server *server, const fcps_served *served);
void fcps_changes_beat(struct fcps_server *server);

/* -- server.c -- */
/* Called by the thread of any lane. */
void fcps_server_take_finished(void *server, fcps_request *job);
/* Ends the loop if the server is ending and nothing is left to be answered. */
void fcps_server_check_end(struct fcps_server *server);

/* -- Heads of answers (reply.c) -- */

/* The most bytes of the head of an answer: its status, its length, and headers that tell a browser what the page may
 * not do. */

enum { FCPS_REPLY_HEAD_SIZE = 1536 };

/* Writes the head of an answer with its empty line into `text`, and returns its length. If the answer is to be saved as
 * a file, `study` gives the file's name; otherwise it may be NULL. */
size_t fcps_reply_head(const fcps_answer *answer, const char *study, bool is_last, char text[FCPS_REPLY_HEAD_SIZE]);

#endif
