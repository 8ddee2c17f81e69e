/* SPDX-License-Identifier: Apache-2.0 */
/* The socket never blocks: poll does, for as long as there is time. */
#define _GNU_SOURCE /* for struct ucred */
#include "door/channel.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* CONNECT_S: seconds in which a connection must be made. BYTES_PER_S: this many bytes of a request or an answer give it
 * one more second. HEAD_MAX: the most bytes of an answer's head. */
enum { CONNECT_S = 10, BYTES_PER_S = 1 << 14, HEAD_MAX = 1 << 14 };

/* -- The connection -- */

static fcps_status fail(const fcps_client *c, fcps_status status, const char *what, const char *reason,
                        fcps_error *error)
{
  if (c->socket[0] != '\0')
    return fcps_error_set(error, status, "STUDY", "the server at unix:%s %s: %s", c->socket, what, reason);
  return fcps_error_set(error, status, "STUDY", "the server at %s:%s %s: %s", c->host, c->port, what, reason);
}

static bool is_to_stop(const fcps_client *c)
{
  return c->stop != NULL && c->stop(c->user);
}

static fcps_status say_stopped(fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_STOPPED, "", "stopped while waiting for an answer of the server");
}

static fcps_status fail_to_reach(const fcps_client *c, int reason, fcps_error *error)
{
  char words[200];
  if (reason == ECANCELED) return say_stopped(error);
  snprintf(words, sizeof words, "%.150s; is fcps serve running?", strerror(reason));
  return fail(c, FCPS_ERR_IO, "cannot be reached", words, error);
}

/* Waits for a socket until a time is reached or the caller wants to stop. Returns 1 if the socket is ready, 0 if the
 * time is over, -1 if the socket failed or the caller stops. */
static int await_socket(const fcps_client *c, int connection, short what, double until)
{
  enum { LOOK_MS = 50, LONG_MS = 60000 };
  struct pollfd awaited = {.fd = connection, .events = what};
  const int slice_ms = c->stop != NULL ? LOOK_MS : LONG_MS;
  for (;;) {
    const double left_ms = 1000 * (until - fcps_clock_seconds());
    if (left_ms <= 0) return 0;
    const int ready = poll(&awaited, 1, left_ms < slice_ms ? (int)left_ms + 1 : slice_ms);
    if (ready > 0) return 1;
    if ((ready < 0 && errno != EINTR) || is_to_stop(c)) return -1;
  }
}

/* Asks the kernel to notice, after about a minute, that the server's machine went away without a word. */
static void watch_server(int connection)
{
  const int is_on = 1, silent_s = 30, every_s = 10, tries = 3;
  setsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &is_on, sizeof is_on);
  setsockopt(connection, IPPROTO_TCP, TCP_KEEPIDLE, &silent_s, sizeof silent_s);
  setsockopt(connection, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof every_s);
  setsockopt(connection, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof tries);
}

/* Connects within CONNECT_S. Returns 0, or the error number; ECANCELED if the caller wants to stop. */
static int connect_in_time(const fcps_channel *channel, int connection, const struct sockaddr *address,
                           socklen_t length)
{
  const int wait_s = channel->look_s < CONNECT_S ? channel->look_s : CONNECT_S;
  int reason = 0;
  socklen_t size = sizeof reason;
  if (connect(connection, address, length) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  const int ready = await_socket(channel->client, connection, POLLOUT, fcps_clock_seconds() + wait_s);
  if (ready <= 0) return ready == 0 ? ETIMEDOUT : ECANCELED;
  if (getsockopt(connection, SOL_SOCKET, SO_ERROR, &reason, &size) != 0) return errno;
  return reason;
}

/* Tries one address. After a failure channel->socket is -1, and the reason is returned. */
static int try_address(fcps_channel *channel, int family, const struct sockaddr *address, socklen_t length)
{
  channel->socket = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int reason = channel->socket >= 0 ? connect_in_time(channel, channel->socket, address, length) : errno;
  if (reason != 0) fcps_channel_close(channel);
  return reason;
}

/* Refuses a server of another user. For a socket in the file system, the kernel says to whom it belongs. */
static fcps_status check_owner(const fcps_client *c, int connection, fcps_error *error)
{
  struct ucred owner;
  socklen_t size = sizeof owner;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &owner, &size) != 0) return fail_to_reach(c, errno, error);
  if (owner.uid == geteuid() || owner.uid == 0) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY",
                        "the server at unix:%s belongs to another user (%u), and your token is not sent to it",
                        c->socket, (unsigned)owner.uid);
}

static fcps_status connect_to_socket(fcps_channel *channel, fcps_error *error)
{
  const fcps_client *c = channel->client;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, c->socket, strlen(c->socket) + 1);
  const int reason = try_address(channel, AF_UNIX, (const struct sockaddr *)&address, sizeof address);
  if (channel->socket < 0) return fail_to_reach(c, reason, error);
  const fcps_status status = check_owner(c, channel->socket, error);
  if (status != FCPS_OK) fcps_channel_close(channel);
  return status;
}

static fcps_status connect_to_port(fcps_channel *channel, fcps_error *error)
{
  const fcps_client *c = channel->client;
  const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  const int problem = getaddrinfo(c->host, c->port, &wanted, &found);
  if (problem != 0) return fail(c, FCPS_ERR_IO, "is unknown", gai_strerror(problem), error);
  int reason = 0;
  for (const struct addrinfo *a = found; a != NULL && channel->socket < 0 && reason != ECANCELED; a = a->ai_next)
    reason = try_address(channel, a->ai_family, a->ai_addr, a->ai_addrlen);
  freeaddrinfo(found);
  if (channel->socket < 0) return fail_to_reach(c, reason, error);
  watch_server(channel->socket);
  return FCPS_OK;
}

fcps_status fcps_channel_open(fcps_channel *channel, const fcps_client *c, int look_s, fcps_error *error)
{
  *channel = (fcps_channel){.client = c, .socket = -1, .look_s = look_s};
  const fcps_status status = c->socket[0] != '\0' ? connect_to_socket(channel, error) : connect_to_port(channel, error);
  fcps_channel_wait(channel, look_s);
  return status;
}

void fcps_channel_close(fcps_channel *channel)
{
  if (channel->socket >= 0) close(channel->socket);
  channel->socket = -1;
}

/* -- Time -- */

void fcps_channel_wait(fcps_channel *channel, int wait_s)
{
  channel->wait_s = wait_s;
  channel->has_begun = false;
  channel->until = fcps_clock_seconds() + wait_s;
}

static bool fail_by(fcps_channel *channel, fcps_channel_failure failure)
{
  channel->failure = failure;
  return false;
}

/* Waits until the socket is ready. Returns false if its time is over, or the caller wants to stop. */
static bool await(fcps_channel *channel, short what)
{
  const int ready = await_socket(channel->client, channel->socket, what, channel->until);
  if (ready > 0) return true;
  if (ready < 0) return fail_by(channel, FCPS_CHANNEL_LOST);
  return fail_by(channel, channel->has_begun ? FCPS_CHANNEL_SLOW : FCPS_CHANNEL_LATE);
}

/* -- Sending and receiving -- */

static bool is_to_be_tried_again(void)
{
  return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
}

bool fcps_channel_send(fcps_channel *channel, const char *text, size_t length)
{
  while (length > 0) {
    const ssize_t sent = send(channel->socket, text, length, MSG_NOSIGNAL);
    if (sent < 0 && !is_to_be_tried_again()) return fail_by(channel, FCPS_CHANNEL_LOST);
    if (sent < 0 && !await(channel, POLLOUT)) return false;
    if (sent <= 0) continue;
    channel->until += (double)sent / BYTES_PER_S;
    text += sent;
    length -= (size_t)sent;
  }
  return true;
}

/* Receives at least one byte. Returns how many; 0 after a failure. */
static size_t receive(fcps_channel *channel, char *text, size_t size)
{
  for (;;) {
    if (!await(channel, POLLIN)) return 0;
    const ssize_t got = recv(channel->socket, text, size, 0);
    if (got < 0 && is_to_be_tried_again()) continue;
    if (got <= 0) {
      channel->failure = FCPS_CHANNEL_LOST;
      return 0;
    }
    if (!channel->has_begun) channel->until = fcps_clock_seconds() + channel->look_s;
    channel->has_begun = true;
    channel->until += (double)got / BYTES_PER_S;
    return (size_t)got;
  }
}

/* Reads the status of an answer: three digits and a blank. */
static bool read_status(const char *head, int *status)
{
  static const char version[] = "HTTP/1.1 ";
  const char *digits = head + strlen(version);
  if (strncmp(head, version, strlen(version)) != 0 || strspn(digits, "0123456789") != 3 || digits[3] != ' ')
    return false;
  *status = atoi(digits);
  return *status >= 200 && *status < 600;
}

/* Returns the value of a header; NULL if the header is missing, or comes several times. */
static const char *find_header(const char *head, const char *name)
{
  const char *found = NULL;
  for (const char *line = strstr(head, "\r\n"); line != NULL; line = strstr(line + 2, "\r\n")) {
    if (strncasecmp(line + 2, name, strlen(name)) != 0) continue;
    if (found != NULL) return NULL;
    found = line + 2 + strlen(name);
    found += strspn(found, " ");
  }
  return found;
}

static bool read_length(const char *head, size_t *length)
{
  const char *found = find_header(head, "Content-Length:");
  if (found == NULL) return false;
  const size_t digits = strspn(found, "0123456789");
  if (digits == 0 || digits > 15 || strncmp(found + digits, "\r\n", 2) != 0) return false;
  *length = (size_t)strtoull(found, NULL, 10);
  return true;
}

static void read_identity(const char *head, char identity[FCPS_CLIENT_IDENTITY_SIZE])
{
  const char *found = find_header(head, "Fcps-Study:");
  const size_t length = found != NULL ? strcspn(found, " \r") : 0;
  *identity = '\0';
  if (length < FCPS_CLIENT_IDENTITY_SIZE)
    snprintf(identity, FCPS_CLIENT_IDENTITY_SIZE, "%.*s", (int)length, found != NULL ? found : "");
}

static void read_type(const char *head, size_t size, char *type)
{
  const char *found = find_header(head, "Content-Type:");
  snprintf(type, size, "%.*s", found != NULL ? (int)strcspn(found, "; \r") : 0, found != NULL ? found : "");
}

/* Receives the head, and replaces its last line feed by a 0. *rest points to the bytes that came after the head. */
static bool receive_head(fcps_channel *channel, char head[HEAD_MAX + 1], const char **rest, size_t *rest_length)
{
  static const char end[] = "\r\n\r\n";
  for (size_t used = 0; used < HEAD_MAX;) {
    const size_t got = receive(channel, head + used, HEAD_MAX - used);
    if (got == 0) return false;
    used += got;
    head[used] = '\0';
    char *found = strstr(head, end);
    if (found == NULL) continue;
    *rest = found + strlen(end);
    *rest_length = (size_t)(head + used - *rest);
    found[strlen(end) - 1] = '\0';
    return true;
  }
  return fail_by(channel, FCPS_CHANNEL_ODD);
}

bool fcps_channel_receive(fcps_channel *channel, size_t most, fcps_channel_answer *answer)
{
  char head[HEAD_MAX + 1];
  const char *rest;
  size_t used, length;
  int status;
  channel->most = most;
  if (!receive_head(channel, head, &rest, &used)) return false;
  if (!read_status(head, &status) || !read_length(head, &length)) return fail_by(channel, FCPS_CHANNEL_ODD);
  if (length > most) return fail_by(channel, FCPS_CHANNEL_LARGE);
  if (used > length) return fail_by(channel, FCPS_CHANNEL_ODD);
  char *body = fcps_allocate(length + 1, 1); /* The system gives this memory page by page, as it is filled. */
  if (body == NULL) return fail_by(channel, FCPS_CHANNEL_MEMORY);
  memcpy(body, rest, used);
  while (used < length) {
    const size_t got = receive(channel, body + used, length - used);
    if (got == 0) {
      fcps_free(body);
      return false;
    }
    used += got;
  }
  *answer = (fcps_channel_answer){.status = status, .body = body, .length = length};
  read_identity(head, answer->study);
  read_type(head, sizeof answer->type, answer->type);
  return true;
}

/* -- Words -- */

fcps_status fcps_channel_explain(const fcps_channel *channel, fcps_error *error)
{
  static const fcps_status statuses[] = {[FCPS_CHANNEL_LOST] = FCPS_ERR_IO,
                                         [FCPS_CHANNEL_LATE] = FCPS_ERR_IO,
                                         /* Another try would not make the answer smaller. */
                                         [FCPS_CHANNEL_SLOW] = FCPS_ERR_IO,
                                         [FCPS_CHANNEL_LARGE] = FCPS_ERR_STORE,
                                         [FCPS_CHANNEL_ODD] = FCPS_ERR_IO,
                                         [FCPS_CHANNEL_MEMORY] = FCPS_ERR_MEMORY};
  const fcps_client *c = channel->client;
  char why[250] = "the connection was lost; the same command may be given again";
  if (is_to_stop(c)) return say_stopped(error);
  if (channel->failure == FCPS_CHANNEL_LATE)
    snprintf(why, sizeof why,
             "nothing came within %d s: is it stopped, or very busy? The same command may be given again; "
             "FCPS_SERVER_WAIT=SECONDS lets it wait longer",
             channel->wait_s);
  else if (channel->failure == FCPS_CHANNEL_SLOW)
    snprintf(why, sizeof why,
             "its answer began, but was not complete %d s later. The same command may be given again; "
             "FCPS_SERVER_WAIT=SECONDS lets it wait longer",
             channel->look_s);
  else if (channel->failure == FCPS_CHANNEL_LARGE)
    snprintf(why, sizeof why, "its answer is larger than %zu bytes, which is more than is taken", channel->most);
  else if (channel->failure == FCPS_CHANNEL_ODD)
    snprintf(why, sizeof why, "what came is not an answer of fcps serve; is it another program?");
  else if (channel->failure == FCPS_CHANNEL_MEMORY)
    snprintf(why, sizeof why, "there is no memory for its answer");
  return fail(c, statuses[channel->failure], "did not answer", why, error);
}
