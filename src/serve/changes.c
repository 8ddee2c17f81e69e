/* SPDX-License-Identifier: Apache-2.0 */
/* The stream of changes, as server-sent events: which study has how many records now. A client that misses one loses
 * nothing: the next has a larger number, and what was stored is asked for by `after`. So a stream needs no memory of
 * its own.
 *
 *   event: change
 *   data: {"study": "throw", "sequence": 12}
 */
#include "serve/server_impl.h"

#include <event2/buffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* bytes that a listener may leave unread before it is left alone */
enum { UNREAD_MAX = 1 << 16 };

static void send_text(fcps_peer *peer, const char *text)
{
  if (evbuffer_get_length(bufferevent_get_output(peer->stream)) > UNREAD_MAX)
    fcps_peer_close(peer);
  else
    bufferevent_write(peer->stream, text, strlen(text));
}

static char *write_change(const fcps_served *served)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "study", fcps_json_from_text(served->name));
  fcps_json_put(&object, "sequence", fcps_json_from_integer(served->sequence));
  char *data = fcps_json_finish(object), *text = NULL;
  const size_t size = data != NULL ? strlen(data) + 32 : 0;
  if (data != NULL) text = malloc(size);
  if (text != NULL) snprintf(text, size, "event: change\ndata: %s\n\n", data);
  fcps_free(data);
  return text;
}

static void send_all(fcps_server *s, const char *text)
{
  for (fcps_peer *peer = s->first, *after; peer != NULL; peer = after) {
    after = peer->after;
    if (peer->state == PEER_STREAM) send_text(peer, text);
  }
}

void fcps_changes_begin(fcps_peer *peer)
{
  char head[FCPS_REPLY_HEAD_SIZE];
  fcps_server *s = peer->server;
  const size_t length = fcps_reply_stream_head(head);
  peer->state = PEER_STREAM;
  peer->is_last = true;
  atomic_fetch_add(&s->listeners, 1);
  evtimer_del(peer->timer);
  bufferevent_write(peer->stream, head, length);
  for (size_t i = 0; i < s->served_count; i++) { /* what there is now */
    char *text = write_change(s->served[i]);
    if (text != NULL) bufferevent_write(peer->stream, text, strlen(text));
    free(text);
  }
}

void fcps_changes_announce(fcps_server *s, const fcps_served *served)
{
  char *text = write_change(served);
  if (text != NULL) send_all(s, text);
  free(text);
}

/* for proxies, and so that a listener that vanished without a word is noticed */
void fcps_changes_beat(fcps_server *s)
{
  send_all(s, ":\n\n");
}
