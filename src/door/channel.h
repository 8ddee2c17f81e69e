/* SPDX-License-Identifier: Apache-2.0 */
/* A connection of the client to a server. The client limits the size and the time of an answer, so it gives up a
 * server that answers without end, or one byte at a time.
 *
 * An answer must begin within a time, and be whole within another time from then on. Each piece that arrives adds to
 * the second time. So a large answer over a slow network arrives whole, and an answer that drips in is cut. */
#ifndef FCPS_DOOR_CHANNEL_H
#define FCPS_DOOR_CHANNEL_H

#include "door/client.h"

typedef enum fcps_channel_failure {
  FCPS_CHANNEL_LOST,
  FCPS_CHANNEL_LATE,  /* nothing came in time */
  FCPS_CHANNEL_SLOW,  /* a part of an answer came, not all of it */
  FCPS_CHANNEL_LARGE, /* than is taken */
  FCPS_CHANNEL_ODD,   /* not an answer of fcps serve */
  FCPS_CHANNEL_MEMORY
} fcps_channel_failure;

typedef struct fcps_channel {
  const fcps_client *client;
  int socket;
  int wait_s, look_s; /* until an answer has begun, and from then on */
  double until;       /* when what is awaited must have come */
  bool has_begun;     /* an answer */
  size_t most;        /* bytes of an answer */
  fcps_channel_failure failure;
} fcps_channel;

typedef struct fcps_channel_answer {
  int status;
  char *body; /* ends with a 0; freed with fcps_free */
  size_t length;
  char study[FCPS_CLIENT_IDENTITY_SIZE]; /* the identity of the study that answered; "": none has */
  char type[32];                         /* of the body: text/csv */
} fcps_channel_answer;

/* Connects. A socket in the file system must belong to a server of the same user, or of root. */
fcps_status fcps_channel_open(fcps_channel *channel, const fcps_client *client, int look_s, fcps_error *error);
void fcps_channel_close(fcps_channel *channel);

/* Says how long the next answer may take to begin, from now on. */
void fcps_channel_wait(fcps_channel *channel, int wait_s);

/* Send bytes, and receive an answer. These functions return false after a failure; fcps_channel_explain says why. */
bool fcps_channel_send(fcps_channel *channel, const char *text, size_t length);
bool fcps_channel_receive(fcps_channel *channel, size_t most, fcps_channel_answer *answer);

/* Says why a connection failed: FCPS_ERR_STOPPED if the caller did not want to wait for the answer, FCPS_ERR_STORE if
 * the answer is too large, otherwise FCPS_ERR_IO. */
fcps_status fcps_channel_explain(const fcps_channel *channel, fcps_error *error);

#endif
