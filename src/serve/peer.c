/* SPDX-License-Identifier: Apache-2.0 */
/* One connection: reads a request, waits for its answer, sends it, and goes on with the next.
 *
 * A whole head must arrive within a time limit, even if its bytes come one by one. Each step of a body has its own time
 * limit, so a large body over a slow network is not cut. All bodies together have a size limit. While a job is done,
 * nothing is read, so that a client cannot fill the memory. While a client does not read its answers, it gets no
 * further requests done. After the last answer of a connection, further bytes are thrown away for a moment, because a
 * reset would destroy the answer on its way.
 *
 * A stranger has not shown the token on this connection. The memory that all strangers together can use is limited:
 * there are at most STRANGERS_MAX of them. Each has at most one unsent answer (a part of the page, which is sent
 * without a copy, or a short refusal), one head of a request, and small buffers in the kernel. That is about 50 kB for
 * each, whatever they ask for and whether they read the answer or not. */
#define _GNU_SOURCE /* for SO_BUF_LOCK */
#include "base/memory.h"
#include "serve/server_impl.h"
#include "wire/wire.h"

#include <event2/buffer.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Times in seconds. HEAD_S: for a whole head to arrive. BODY_S: for each step of a body. SEND_S: for a client to read.
 * LINGER_S: for which an ended connection is still read. SILENT_S: for which a stranger may be silent between requests.
 * TRIAL_S: the same with the token, as long as a trial may take; this connection is ended earlier if room is needed. */
enum { HEAD_S = 10, BODY_S = 30, SEND_S = 30, LINGER_S = 2, SILENT_S = 30, TRIAL_S = 1800 };

/* In bytes. BODY_STEP: the step of a body that must arrive within BODY_S. BODIES_MAX: the most for all long bodies
 * together. BODY_SHORT: bodies up to this length do not count, because the number of connections limits them. */
enum { BODY_STEP = 1 << 16, BODIES_MAX = 256 << 20, BODY_SHORT = 1 << 14 };

/* RATE_MAX: requests of one connection in a second. UNSENT_MAX: bytes of answers that may wait to be read. THROWN_MAX:
 * bytes that are thrown away. */
enum { RATE_MAX = 1000, UNSENT_MAX = 1 << 20, THROWN_MAX = 4 << 20 };

/* STRANGERS_MAX: the most strangers. The other two are the bytes that the kernel is asked to buffer in each direction
 * of a connection (it takes twice as many): of a stranger, and of a caller with the token. */
enum { STRANGERS_MAX = 1024, STRANGER_BUFFER = 1 << 13, CALLER_BUFFER = 1 << 17 };

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
  if (peer->job != NULL && peer->state == PEER_WORKING) {
    peer->job->peer = NULL; /* Nobody will read the answer. */
    atomic_store(&peer->job->is_left, true);
  } else
    fcps_request_destroy(peer->job);
  take_out(peer);
  event_free(peer->timer);
  if (peer->close != NULL) event_free(peer->close);
  bufferevent_free(peer->stream);
  s->stranger_count -= !peer->has_token;
  free(peer);
  s->connection_count--;
  fcps_server_check_end(s);
}

/* Ends a connection whose client has used up its time. If the client has not shown the token, the kernel also drops
 * the bytes that were not read. */
static void drop(fcps_peer *peer)
{
  const struct linger at_once = {.l_onoff = 1};
  if (!peer->has_token) setsockopt(bufferevent_getfd(peer->stream), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  fcps_peer_close(peer);
}

static void wait_for(fcps_peer *peer, int seconds)
{
  const struct timeval time = {seconds, 0};
  evtimer_add(peer->timer, &time);
}

/* Waits for the client to read the last answer. */
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
  /* The next request came together with the last one. */
  if (evbuffer_get_length(bufferevent_get_input(peer->stream)) > 0)
    bufferevent_trigger(peer->stream, EV_READ, BEV_TRIG_DEFER_CALLBACKS);
}

void fcps_peer_answer(fcps_peer *peer, const fcps_answer *answer, const char *study)
{
  char head[FCPS_REPLY_HEAD_SIZE];
  peer->is_last = peer->is_last || peer->server->is_ending;
  const size_t length = fcps_reply_head(answer, study, peer->is_last, head);
  bufferevent_write(peer->stream, head, length);
  if (answer->is_constant)
    evbuffer_add_reference(bufferevent_get_output(peer->stream), answer->body, answer->length, NULL, NULL);
  else if (answer->length > 0)
    bufferevent_write(peer->stream, answer->body, answer->length);
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

/* Refuses a request, and ends the connection afterwards: what follows cannot be understood, or is not wanted. */
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

/* Counts a body against the limit for all bodies, from its head until its job is done. Returns false if the limit is
 * exceeded. */
static bool count_body(fcps_server *s, fcps_request *job)
{
  if (job->length <= BODY_SHORT) return true;
  if (s->body_bytes + job->length > BODIES_MAX) return false;
  s->body_bytes += job->length;
  job->counted = &s->body_bytes;
  return true;
}

static void refuse_body(fcps_peer *peer)
{
  static const fcps_refusal too_many = {
      503, "E_BUSY", "as many long requests of others as the server takes are waiting already; try again"};
  fcps_request_destroy(peer->job);
  peer->job = NULL;
  peer->is_last = true;
  fcps_peer_refuse(peer, &too_many);
}

/* Judges a head that has come, before anything else is read. */
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
    peer->is_last = was_last || has_body; /* A refused request leaves a body that nobody reads. */
    if (!fcps_dispatch_head(peer, &head, &peer->job)) return;
    peer->is_last = was_last;
    peer->job->length = head.content_length;
    if (!count_body(peer->server, peer->job)) {
      refuse_body(peer);
      return;
    }
    peer->state = PEER_BODY;
    peer->awaited = BODY_STEP;
    wait_for(peer, BODY_S);
    bufferevent_setwatermark(peer->stream, EV_READ, 0, head.content_length + 1);
    if (head.expects_continue && has_body) bufferevent_write(peer->stream, "HTTP/1.1 100 Continue\r\n\r\n", 25);
  }
}

/* Reads a head, as far as it has arrived. Returns whether there may be more to read. */
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

static void on_close(evutil_socket_t descriptor, short what, void *argument)
{
  const fcps_peer *peer = argument;
  (void)descriptor, (void)what;
  if (peer->state == PEER_WORKING && peer->job != NULL) atomic_store(&peer->job->is_left, true);
}

/* Watches whether the client closes its side, although nothing is read. If the kernel cannot tell, a forecast goes on
 * to its end. */
static void watch_close(fcps_peer *peer)
{
  if (peer->close == NULL)
    peer->close = event_new(peer->server->base, bufferevent_getfd(peer->stream), EV_CLOSED, on_close, peer);
  if (peer->close != NULL) (void)event_add(peer->close, NULL);
}

static bool read_body(fcps_peer *peer)
{
  struct evbuffer *input = bufferevent_get_input(peer->stream);
  const size_t length = peer->job->length, available = evbuffer_get_length(input);
  if (available < length) {
    if (available < peer->awaited) return false;
    peer->awaited = available + BODY_STEP;
    wait_for(peer, BODY_S);
    return false;
  }
  peer->job->body = fcps_allocate(length + 1, 1);
  if (peer->job->body == NULL) {
    fcps_request_destroy(peer->job);
    peer->job = NULL;
    refuse_last(peer, 503);
    return false;
  }
  if (length > 0) evbuffer_remove(input, peer->job->body, length);
  evtimer_del(peer->timer);
  bufferevent_disable(peer->stream, EV_READ);
  peer->state = PEER_WORKING;
  watch_close(peer);
  fcps_dispatch_job(peer);
  return peer->state == PEER_HEAD;
}

/* Throws away what has arrived. Returns false if the connection was closed. */
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
  while (has_more && (peer->state == PEER_HEAD || peer->state == PEER_BODY) &&
         unsent(peer) < (peer->has_token ? UNSENT_MAX : 1))
    has_more = peer->state == PEER_HEAD ? read_head(peer) : read_body(peer);
  if (peer->state == PEER_LAST || peer->state == PEER_LINGER || peer->state == PEER_STREAM) (void)throw_away(peer);
}

static void on_sent(struct bufferevent *stream, void *argument)
{
  fcps_peer *peer = argument;
  if (peer->state == PEER_LAST) {
    linger(peer);
  } else if (peer->state == PEER_HEAD) {
    on_read(stream, peer); /* Handle what waited until the answers were read. */
    if (peer->state == PEER_HEAD && peer->is_done && unsent(peer) == 0) fcps_peer_close(peer);
  }
}

static void on_event(struct bufferevent *stream, short what, void *argument)
{
  fcps_peer *peer = argument;
  (void)stream;
  if ((what & BEV_EVENT_EOF) == 0) { /* There was an error, or an answer that nobody reads. */
    if (peer->state == PEER_WORKING) bufferevent_disable(peer->stream, EV_READ | EV_WRITE);
    drop(peer);
    return;
  }
  peer->is_done = true;
  /* on_sent then continues with what arrived before the end. */
  if (peer->state == PEER_HEAD && unsent(peer) > 0) return;
  if (peer->state == PEER_WORKING)
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
    drop(peer);
  }
}

/* -- The beginning -- */

/* Ends the connection that has waited longest for a request: of a stranger, or with the token. Returns false if no such
 * connection waits. */
static bool end_longest(fcps_server *s, bool has_token)
{
  for (fcps_peer *peer = s->first; peer != NULL; peer = peer->after)
    if (peer->state != PEER_WORKING && peer->state != PEER_STREAM && peer->has_token == has_token) {
      drop(peer);
      return true;
    }
  return false;
}

/* Makes room for a connection, which is a stranger's at first. Returns false if all connections are at work. */
static bool make_room(fcps_server *s)
{
  if (s->stranger_count >= STRANGERS_MAX) return end_longest(s, false);
  return s->connection_count < s->connections_max || end_longest(s, false) || end_longest(s, true);
}

/* Asks the kernel for small buffers. This may fail for a socket in the file system, and does no harm then. */
static void bound_buffers(int descriptor, int size)
{
  setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

void fcps_peer_trust(fcps_peer *peer)
{
  const int descriptor = bufferevent_getfd(peer->stream);
  if (peer->has_token) return;
  peer->has_token = true;
  peer->server->stranger_count--;
  bound_buffers(descriptor, CALLER_BUFFER);
#ifdef TCP_WINDOW_CLAMP /* Linux limits the window by the small buffer once the first bytes have arrived. */
  const int window = 2 * CALLER_BUFFER;
  setsockopt(descriptor, IPPROTO_TCP, TCP_WINDOW_CLAMP, &window, sizeof window);
#endif
#ifdef SO_BUF_LOCK /* The kernel may let the buffers grow from there. */
  const int unlocked = 0;
  setsockopt(descriptor, SOL_SOCKET, SO_BUF_LOCK, &unlocked, sizeof unlocked);
#endif
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
  if (s->is_ending || !make_room(s)) {
    close(descriptor);
    return;
  }
  fcps_peer *peer = create(s, descriptor);
  if (peer == NULL) return;
  s->connection_count++;
  s->stranger_count++;
  bound_buffers(descriptor, STRANGER_BUFFER);
  put_last(peer);
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes,
             sizeof yes); /* This fails for a socket in the file system, which does no harm. */
  bufferevent_setcb(peer->stream, on_read, on_sent, on_event, peer);
  bufferevent_set_timeouts(peer->stream, NULL, &send_time);
  await_request(peer);
  wait_for(peer, HEAD_S);
}
