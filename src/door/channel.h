/* SPDX-License-Identifier: Apache-2.0 */
/* A connection of the client to a server. The client limits the size and the time of an answer, so it gives up a server
 * that answers without end, or one byte at a time.
 *
 * An answer must begin within one time limit, and must then be complete within another one. Each piece that arrives
 * extends the second limit. So a large answer over a slow network arrives whole, but an answer that arrives one byte at
 * a time is given up. */
#ifndef FCPS_DOOR_CHANNEL_H
#define FCPS_DOOR_CHANNEL_H

#include "door/client.h"

typedef enum fcps_channel_failure {
  FCPS_CHANNEL_LOST,
  FCPS_CHANNEL_LATE,  /* nothing came in time */
  FCPS_CHANNEL_SLOW,  /* a part of the answer came, but the rest came too slowly */
  FCPS_CHANNEL_LARGE, /* the answer is larger than the caller takes */
  FCPS_CHANNEL_ODD,   /* the answer does not look like one of fcps serve */
  FCPS_CHANNEL_MEMORY
} fcps_channel_failure;

typedef struct fcps_channel {
  const fcps_client *client;
  int socket;
  int wait_s, look_s; /* seconds until an answer must have begun, and from then on until it must be complete */
  double until;       /* the time by which the awaited bytes must have come */
  bool has_begun;     /* an answer has begun */
  size_t most;        /* the most bytes that an answer may have */
  fcps_channel_failure failure;
} fcps_channel;

typedef struct fcps_channel_answer {
  int status;
  char *body; /* text of the answer, which ends with a 0; freed with fcps_free */
  size_t length;
  char study[FCPS_CLIENT_IDENTITY_SIZE]; /* the identity of the study that answered; "" if no study has */
  char type[32];                         /* media type of the body, such as text/csv */
} fcps_channel_answer;

/* Connects. A socket in the file system must belong to a server of the same user, or of root. */
fcps_status fcps_channel_open(fcps_channel *channel, const fcps_client *client, int look_s, fcps_error *error);
void fcps_channel_close(fcps_channel *channel);

/* Sets how many seconds from now the next answer may take to begin. */
void fcps_channel_wait(fcps_channel *channel, int wait_s);

/* These functions send bytes, and receive an answer. They return false after a failure; fcps_channel_explain says why
 * it failed. */
bool fcps_channel_send(fcps_channel *channel, const char *text, size_t length);
bool fcps_channel_receive(fcps_channel *channel, size_t most, fcps_channel_answer *answer);

/* Says why a connection failed: FCPS_ERR_STOPPED if the caller did not want to wait for the answer, FCPS_ERR_STORE if
 * the answer is too large, otherwise FCPS_ERR_IO. */
fcps_status fcps_channel_explain(const fcps_channel *channel, fcps_error *error);

#endif
