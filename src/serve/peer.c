/* SPDX-License-Identifier: Apache-2.0 */
/* One connection: reads a request, waits for its answer, sends it, and goes on with the next.
 *
 * A request has a time in which it must have arrived as a whole, however its bytes drip in. While its job is done
 * nothing is read, so that a client cannot fill our memory; nor are further requests taken while it does not read its
 * answers. After a last answer what still comes in is thrown away for a moment, because a reset would take the answer
 * with it.
 */
#include "base/memory.h"
#include "serve/reply.h"
#include "serve/server_impl.h"
#include "wire/failure.h"

#include <event2/buffer.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* seconds in which a head and a body must have come, a client may take to read, an ended connection is listened to, and
 * a client may stay silent between requests: with the token for as long as a trial may take, since it gives way where
 * room is needed */
enum { HEAD_S = 10, BODY_S = 30, SEND_S = 30, LINGER_S = 2, SILENT_S = 30, TRIAL_S = 1800 };

/* requests of one connection in a second; bytes of answers that may wait to be read, and that are thrown away */
enum { RATE_MAX = 1000, UNSENT_MAX = 1 << 20, THROWN_MAX = 4 << 20 };

/* -- The list of all peers -- */

static void take_out(fcps_peer *peer)
{
  fcps_server *s = peer->server;
  if (peer->before != NULL)
    peer->before->after = peer->after;
  else
    s->first = peer->after;
  if (peer->after != NULL)
    peer->after->before = peer->before;
  else
    s->last = peer->before;
  peer->before = peer->after = NULL;
}

static void put_last(fcps_peer *peer)
{
  fcps_server *s = peer->server;
  peer->before = s->last;
  peer->after = NULL;
  if (s->last != NULL)
    s->last->after = peer;
  else
    s->first = peer;
  s->last = peer;
}

/* -- The end -- */

void fcps_peer_close(fcps_peer *peer)
{
  fcps_server *s = peer->server;
  if (peer->state == PEER_STREAM) atomic_fetch_sub(&s->listeners, 1);
  if (peer->job != NULL && peer->state == PEER_WORKING)
    peer->job->peer = NULL; /* its answer will have nobody */
  else
    fcps_request_destroy(peer->job);
  take_out(peer);
  event_free(peer->timer);
  bufferevent_free(peer->stream);
  free(peer);
  s->connection_count--;
  fcps_server_check_end(s);
}

static void wait_for(fcps_peer *peer, int seconds)
{
  const struct timeval time = {seconds, 0};
  evtimer_add(peer->timer, &time);
}

/* everything was sent that ever will be */
static void linger(fcps_peer *peer)
{
  if (peer->is_done) {
    fcps_peer_close(peer);
    return;
  }
  peer->state = PEER_LINGER;
  shutdown(bufferevent_getfd(peer->stream), SHUT_WR);
  wait_for(peer, LINGER_S);
}

static size_t unsent(const fcps_peer *peer)
{
  return evbuffer_get_length(bufferevent_get_output(peer->stream));
}

static void end_after_sending(fcps_peer *peer)
{
  peer->state = PEER_LAST;
  wait_for(peer, SEND_S);
  bufferevent_setwatermark(peer->stream, EV_READ, 0, FCPS_HEAD_MAX);
  bufferevent_enable(peer->stream, EV_READ);
  if (unsent(peer) == 0) linger(peer);
}

void fcps_peer_end(fcps_peer *peer)
{
  peer->is_last = true;
  if (peer->state == PEER_HEAD || peer->state == PEER_STREAM) {
    if (peer->state == PEER_STREAM) atomic_fetch_sub(&peer->server->listeners, 1);
    end_after_sending(peer);
  }
}

/* -- Answers -- */

static void await_request(fcps_peer *peer)
{
  take_out(peer);
  put_last(peer);
  peer->state = PEER_HEAD;
  peer->seen = 0;
  wait_for(peer, peer->has_token ? TRIAL_S : SILENT_S);
  bufferevent_setwatermark(peer->stream, EV_READ, 0, FCPS_HEAD_MAX + 1);
  bufferevent_enable(peer->stream, EV_READ);
  if (evbuffer_get_length(bufferevent_get_input(peer->stream)) > 0) /* the next request came with the last one */
    bufferevent_trigger(peer->stream, EV_READ, BEV_TRIG_DEFER_CALLBACKS);
}

void fcps_peer_answer(fcps_peer *peer, const fcps_answer *answer, const char *study)
{
  char head[FCPS_REPLY_HEAD_SIZE];
  peer->is_last = peer->is_last || peer->server->is_ending;
  const size_t length = fcps_reply_head(answer, study, peer->is_last, head);
  bufferevent_write(peer->stream, head, length);
  if (answer->length > 0) bufferevent_write(peer->stream, answer->body, answer->length);
  if (peer->is_last)
    end_after_sending(peer);
  else
    await_request(peer);
}

void fcps_peer_refuse(fcps_peer *peer, const fcps_refusal *refusal)
{
  fcps_json *inner = fcps_json_object(), *object = fcps_json_object();
  fcps_json_put(&inner, "code", fcps_json_from_text(refusal->code));
  fcps_json_put(&inner, "field", fcps_json_from_text(""));
  fcps_json_put(&inner, "message", fcps_json_from_text(refusal->text));
  fcps_json_put(&object, "error", inner);
  fcps_answer answer = {.status = refusal->status, .body = fcps_json_finish(object)};
  answer.length = answer.body != NULL ? strlen(answer.body) : 0;
  fcps_peer_answer(peer, &answer, NULL);
  fcps_free(answer.body);
}

/* where the rest of a connection cannot be understood, or is not wanted */
static void refuse_last(fcps_peer *peer, int status)
{
  peer->is_last = true;
  fcps_peer_refuse(peer, fcps_refusal_of(status));
}

/* -- Requests -- */

static bool is_too_fast(fcps_peer *peer)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_sec != peer->second) peer->requests = 0;
  peer->second = now.tv_sec;
  return ++peer->requests > RATE_MAX;
}

/* the head has come: judges it before anything else is read */
static void take_head(fcps_peer *peer, size_t length)
{
  struct evbuffer *input = bufferevent_get_input(peer->stream);
  char text[FCPS_HEAD_MAX + 1];
  fcps_head head;
  evbuffer_remove(input, text, length);
  const int status = fcps_head_read(text, length, &head);
  peer->is_last = peer->is_last || status != 0 || head.is_last;
  if (status != 0) {
    refuse_last(peer, status);
  } else if (is_too_fast(peer)) {
    refuse_last(peer, 429);
  } else {
    const bool has_body = head.content_length > 0;
    const bool was_last = peer->is_last;
    peer->is_last = was_last || has_body; /* a refusal leaves a body behind that nobody reads */
    if (!fcps_dispatch_head(peer, &head, &peer->job)) return;
    peer->is_last = was_last;
    peer->expected = head.content_length;
    peer->state = PEER_BODY;
    wait_for(peer, BODY_S);
    bufferevent_setwatermark(peer->stream, EV_READ, 0, head.content_length + 1);
    if (head.expects_continue && has_body) bufferevent_write(peer->stream, "HTTP/1.1 100 Continue\r\n\r\n", 25);
  }
}

/* returns whether there may be more to read */
static bool read_head(fcps_peer *peer)
{
  struct evbuffer *input = bufferevent_get_input(peer->stream);
  const size_t available = evbuffer_get_length(input),
               length = available < FCPS_HEAD_MAX + 1 ? available : FCPS_HEAD_MAX + 1;
  if (length == 0 || length == peer->seen) return false;
  if (peer->seen == 0) wait_for(peer, HEAD_S);
  const char *bytes = (const char *)evbuffer_pullup(input, (ev_ssize_t)length);
  size_t end = 0;
  const int status = bytes != NULL ? fcps_head_find_end(bytes, length, &peer->seen, &end) : 503;
  if (status != 0)
    refuse_last(peer, status);
  else if (end > 0)
    take_head(peer, end);
  return status == 0 && end > 0;
}

static bool read_body(fcps_peer *peer)
{
  struct evbuffer *input = bufferevent_get_input(peer->stream);
  if (evbuffer_get_length(input) < peer->expected) return false;
  peer->job->body = fcps_allocate(peer->expected + 1, 1);
  if (peer->job->body == NULL) {
    fcps_request_destroy(peer->job);
    peer->job = NULL;
    refuse_last(peer, 503);
    return false;
  }
  peer->job->length = peer->expected;
  if (peer->expected > 0) evbuffer_remove(input, peer->job->body, peer->expected);
  evtimer_del(peer->timer);
  bufferevent_disable(peer->stream, EV_READ);
  peer->state = PEER_WORKING;
  fcps_dispatch_job(peer);
  return peer->state == PEER_HEAD;
}

/* returns false where the connection was closed */
static bool throw_away(fcps_peer *peer)
{
  struct evbuffer *input = bufferevent_get_input(peer->stream);
  const size_t length = evbuffer_get_length(input);
  evbuffer_drain(input, length);
  peer->thrown += length;
  if (peer->thrown <= THROWN_MAX) return true;
  fcps_peer_close(peer);
  return false;
}

static void on_read(struct bufferevent *stream, void *argument)
{
  fcps_peer *peer = argument;
  bool has_more = true;
  (void)stream;
  while (has_more && (peer->state == PEER_HEAD || peer->state == PEER_BODY) && unsent(peer) < UNSENT_MAX)
    has_more = peer->state == PEER_HEAD ? read_head(peer) : read_body(peer);
  if (peer->state == PEER_LAST || peer->state == PEER_LINGER || peer->state == PEER_STREAM) (void)throw_away(peer);
}

static void on_sent(struct bufferevent *stream, void *argument)
{
  fcps_peer *peer = argument;
  if (peer->state == PEER_LAST)
    linger(peer);
  else if (peer->state == PEER_HEAD)
    on_read(stream, peer); /* what waited until the answers were read */
}

static void on_event(struct bufferevent *stream, short what, void *argument)
{
  fcps_peer *peer = argument;
  (void)stream;
  if ((what & BEV_EVENT_EOF) == 0) { /* an error, or an answer that nobody reads */
    if (peer->state == PEER_WORKING) bufferevent_disable(peer->stream, EV_READ | EV_WRITE);
    fcps_peer_close(peer);
    return;
  }
  peer->is_done = true;
  if (peer->state == PEER_HEAD && unsent(peer) > 0)
    end_after_sending(peer);
  else if (peer->state == PEER_WORKING)
    peer->is_last = true;
  else if (peer->state != PEER_LAST)
    fcps_peer_close(peer);
}

static void on_time(evutil_socket_t descriptor, short what, void *argument)
{
  fcps_peer *peer = argument;
  (void)descriptor;
  (void)what;
  if ((peer->state == PEER_HEAD && peer->seen > 0) || peer->state == PEER_BODY) {
    fcps_request_destroy(peer->job);
    peer->job = NULL;
    refuse_last(peer, 408);
  } else {
    fcps_peer_close(peer);
  }
}

/* -- The beginning -- */

/* Makes room by ending whoever has waited longest without the token, else with it; false where all are at work. */
static bool make_room(fcps_server *s)
{
  for (int with_token = 0; with_token < 2; with_token++)
    for (fcps_peer *peer = s->first; peer != NULL; peer = peer->after)
      if (peer->state != PEER_WORKING && peer->state != PEER_STREAM && peer->has_token == (with_token == 1)) {
        fcps_peer_close(peer);
        return true;
      }
  return false;
}

static fcps_peer *create(fcps_server *s, int descriptor)
{
  fcps_peer *peer = fcps_allocate(1, sizeof *peer);
  if (peer == NULL) return NULL;
  peer->server = s;
  peer->stream = bufferevent_socket_new(s->base, descriptor, BEV_OPT_CLOSE_ON_FREE);
  peer->timer = peer->stream != NULL ? evtimer_new(s->base, on_time, peer) : NULL;
  if (peer->timer != NULL) return peer;
  if (peer->stream != NULL)
    bufferevent_free(peer->stream);
  else
    close(descriptor);
  free(peer);
  return NULL;
}

void fcps_peer_accept(fcps_server *s, int descriptor)
{
  const int yes = 1;
  const struct timeval send_time = {SEND_S, 0};
  if (s->is_ending || (s->connection_count >= s->connections_max && !make_room(s))) {
    close(descriptor);
    return;
  }
  fcps_peer *peer = create(s, descriptor);
  if (peer == NULL) return;
  s->connection_count++;
  put_last(peer);
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes,
             sizeof yes); /* fails on a socket in the file system: no matter */
  bufferevent_setcb(peer->stream, on_read, on_sent, on_event, peer);
  bufferevent_set_timeouts(peer->stream, NULL, &send_time);
  await_request(peer);
  wait_for(peer, HEAD_S);
}
