/* SPDX-License-Identifier: Apache-2.0 */
/* What the files around the loop share. Only the loop's thread touches any of it but for the list of jobs that are
 * done. */
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
  bool has_lock;    /* of `seen` */
  int64_t sequence; /* the last that was announced */
  char *summary;    /* JSON */
} fcps_served;

/* Where a connection is. */
typedef enum peer_state {
  PEER_HEAD,    /* the head of a request is awaited */
  PEER_BODY,    /* its body */
  PEER_WORKING, /* a lane has its job */
  PEER_STREAM,  /* changes are sent as they come */
  PEER_LAST,    /* the last answer is being sent; what comes in is thrown away */
  PEER_LINGER   /* it was sent; a reset must not overtake it */
} peer_state;

typedef struct fcps_peer {
  struct fcps_peer *before, *after; /* of all peers: who has waited longest comes first */
  struct fcps_server *server;
  struct bufferevent *stream;
  struct event *timer; /* the whole time that a request may take to arrive */
  struct event *close; /* the client closes its side while a lane has its job */
  peer_state state;
  bool has_token;    /* it has shown the token once */
  bool is_last;      /* ends after the answer */
  bool is_done;      /* the client sends no more */
  size_t seen;       /* bytes of the head that were looked at */
  size_t thrown;     /* bytes thrown away */
  size_t awaited;    /* bytes of the body with which it is given more time */
  fcps_request *job; /* in PEER_BODY and PEER_WORKING */
  int requests;      /* in the second that began at `second` */
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
  fcps_limits limits; /* of open files */
  int connection_count, connections_max, job_count;
  size_t body_bytes;  /* of all requests whose jobs are not done; short ones are not counted */
  int stranger_count; /* of the connections: those that have not shown the token */
  fcps_peer *first, *last;
  atomic_int listeners; /* peers that are streams */
  fcps_served **served;
  size_t served_count, served_capacity;
  fcps_names names;
  fcps_asset description; /* openapi.json, made from the table of operations */
  fcps_refusal refusal;   /* of the request at hand, with the words that follow */
  char words[400];
  const fcps_study_maker *study_maker;
  fcps_lane *maker;
  bool is_ending, is_answered; /* it ends; and all calls that had begun are answered */

  int wake; /* an eventfd: a lane has finished a job */
  pthread_mutex_t lock;
  bool has_lock;
  fcps_request *finished; /* under the lock */
};

/* -- peer.c -- */
void fcps_peer_accept(struct fcps_server *server, int descriptor);
void fcps_peer_answer(fcps_peer *peer, const fcps_answer *answer, const char *study);
void fcps_peer_refuse(fcps_peer *peer, const fcps_refusal *refusal);
void fcps_peer_close(fcps_peer *peer);
/* It has shown the token. */
void fcps_peer_trust(fcps_peer *peer);
/* Ends a connection that waits for a request; the others end after their answers. */
void fcps_peer_end(fcps_peer *peer);

/* -- dispatch.c -- */
/* Judges the head of a request. Returns true if the request continues: *job is made, and its body may come. Otherwise
 * the request was answered, or has become a stream. */
bool fcps_dispatch_head(fcps_peer *peer, const fcps_head *head, fcps_request **job);
/* Gives the job of a peer, whose body has come, to its lane. */
void fcps_dispatch_job(fcps_peer *peer);
/* Takes a job that a lane has finished. */
void fcps_dispatch_finished(struct fcps_server *server, fcps_request *job);
/* Serves a study under its name; one that is served already stays as it is. */
fcps_status fcps_dispatch_add_study(struct fcps_server *server, const char *path, fcps_error *error);
void fcps_dispatch_remove_studies(struct fcps_server *server);

/* -- Changes (reply.c) -- */
void fcps_changes_begin(fcps_peer *peer);
void fcps_changes_announce(struct fcps_server *server, const fcps_served *served);
void fcps_changes_beat(struct fcps_server *server);

/* -- server.c -- */
/* Called by any lane. */
void fcps_server_take_finished(void *server, fcps_request *job);
/* Ends the loop if the server is ending and nothing is left to be answered. */
void fcps_server_check_end(struct fcps_server *server);

/* -- Heads of answers (reply.c) -- */

/* The head of an answer: its status, its length, and the headers that tell a browser what the page may not do. */

enum { FCPS_REPLY_HEAD_SIZE = 1536 };

/* Writes the head, with its empty line, into `text`, and returns its length. `study` names the file of an answer that
 * is to be saved; it may be NULL otherwise. */
size_t fcps_reply_head(const fcps_answer *answer, const char *study, bool is_last, char text[FCPS_REPLY_HEAD_SIZE]);

#endif
