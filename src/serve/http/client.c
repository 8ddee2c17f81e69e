/* SPDX-License-Identifier: Apache-2.0 */
/* The connection is closed after each answer, so that its end is that of the answer, and its length a check. */
#include "serve/http/client.h"

#include "base/error.h"
#include "base/memory.h"
#include "serve/http/token.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* an ask may take long; a connection may not */
enum { WAIT_S = 3600, ANSWER_MAX = 1 << 30 };

static const char scheme[] = "http://";

bool fcps_client_is_url(const char *text)
{
  return text != NULL && strncmp(text, scheme, strlen(scheme)) == 0;
}

/* -- The URL -- */

static bool copy_part(char *to, size_t size, const char *from, size_t length)
{
  if (length == 0 || length >= size) return false;
  memcpy(to, from, length);
  to[length] = '\0';
  return true;
}

/* HOST:PORT or [::1]:PORT */
static bool read_place(fcps_client *c, const char *text, size_t length)
{
  const bool is_bracketed = text[0] == '[';
  const char *end = is_bracketed ? memchr(text, ']', length) : memchr(text, ':', length);
  if (end == NULL) return false;
  const char *colon = is_bracketed ? end + 1 : end;
  if (colon >= text + length || *colon != ':') return false;
  return copy_part(c->host, sizeof c->host, text + is_bracketed, (size_t)(end - text) - is_bracketed) &&
         copy_part(c->port, sizeof c->port, colon + 1, (size_t)(text + length - colon - 1)) &&
         strspn(c->port, "0123456789") == strlen(c->port);
}

/* the study's name, as it stands in the path; also /v1/studies/NAME */
static bool read_study(fcps_client *c, const char *path, size_t length)
{
  static const char whole[] = "/v1/studies/";
  if (length > strlen(whole) && strncmp(path, whole, strlen(whole)) == 0) {
    path += strlen(whole) - 1;
    length -= strlen(whole) - 1;
  }
  if (length <= 1) return true;
  return memchr(path + 1, '/', length - 1) == NULL && copy_part(c->study, sizeof c->study, path + 1, length - 1);
}

fcps_status fcps_client_open(fcps_client *c, const char *url, fcps_error *error)
{
  static const char mark[] = "#token=";
  *c = (fcps_client){0};
  const char *rest = url + strlen(scheme), *fragment = strchr(rest, '#');
  const char *end = fragment != NULL ? fragment : rest + strlen(rest);
  const size_t place = strcspn(rest, "/#");
  if (!read_place(c, rest, place) || !read_study(c, rest + place, (size_t)(end - rest) - place))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY", "\"%.100s\" is not http://HOST:PORT/STUDY", url);
  if (fragment != NULL && strncmp(fragment, mark, strlen(mark)) == 0 &&
      copy_part(c->token, sizeof c->token, fragment + strlen(mark), strlen(fragment + strlen(mark))))
    return FCPS_OK;
  char path[4096], token[FCPS_TOKEN_SIZE];
  fcps_status status = fcps_token_place(sizeof path, path, error);
  if (status == FCPS_OK) status = fcps_token_read(path, token, error);
  if (status == FCPS_OK) memcpy(c->token, token, sizeof token);
  return status;
}

/* -- The connection -- */

static fcps_status fail(const fcps_client *c, const char *what, const char *reason, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_IO, "STUDY", "the server at %s:%s %s: %s", c->host, c->port, what, reason);
}

static fcps_status connect_to(const fcps_client *c, int *connection, fcps_error *error)
{
  const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  const struct timeval wait = {.tv_sec = WAIT_S};
  struct addrinfo *found = NULL;
  const int problem = getaddrinfo(c->host, c->port, &wanted, &found);
  *connection = -1;
  if (problem != 0) return fail(c, "is unknown", gai_strerror(problem), error);
  int reason = 0;
  for (const struct addrinfo *a = found; a != NULL && *connection < 0; a = a->ai_next) {
    *connection = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
    if (*connection < 0 || connect(*connection, a->ai_addr, a->ai_addrlen) == 0) continue;
    reason = errno;
    close(*connection);
    *connection = -1;
  }
  freeaddrinfo(found);
  if (*connection < 0) return fail(c, "cannot be reached", strerror(reason), error);
  setsockopt(*connection, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  return FCPS_OK;
}

static bool send_all(int connection, const char *text, size_t length)
{
  while (length > 0) {
    const ssize_t sent = send(connection, text, length, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text += sent;
    length -= (size_t)sent;
  }
  return true;
}

/* A server whose machine went away without a word is noticed after about a minute. */
static void watch_peer(int connection)
{
  const int is_on = 1, silent_s = 30, every_s = 10, tries = 3;
  setsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &is_on, sizeof is_on);
  setsockopt(connection, IPPROTO_TCP, TCP_KEEPIDLE, &silent_s, sizeof silent_s);
  setsockopt(connection, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof every_s);
  setsockopt(connection, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof tries);
}

/* whether there is something to receive before the caller wants to stop */
static bool wait_for_answer(const fcps_client *c, int connection)
{
  enum { ASKED_MS = 50 };
  struct pollfd awaited = {.fd = connection, .events = POLLIN};
  if (c->stop == NULL) return true;
  watch_peer(connection);
  for (int waits = 0; poll(&awaited, 1, ASKED_MS) == 0; waits++)
    if (c->stop(c->user) || waits >= WAIT_S * 1000 / ASKED_MS) return false;
  return true;
}

/* everything up to the end of the connection; NULL where it broke, is too much, or is not waited for */
static char *receive_all(const fcps_client *c, int connection, size_t *length)
{
  char *text = NULL;
  size_t capacity = 0;
  *length = 0;
  for (;;) {
    if (*length > ANSWER_MAX || !fcps_reserve((void **)&text, &capacity, *length + 65536, 1)) break;
    if (!wait_for_answer(c, connection)) break;
    const ssize_t got = recv(connection, text + *length, capacity - *length - 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    *length += (size_t)got;
    text[*length] = '\0';
    if (got == 0) return text;
  }
  free(text);
  return NULL;
}

/* -- One call -- */

static bool send_request(const fcps_client *c, int connection, const char *path, const char *body)
{
  char head[1024];
  const bool is_wrapped = strchr(c->host, ':') != NULL;
  const int length = snprintf(
      head, sizeof head, "%s %.500s HTTP/1.1\r\nHost: %s%s%s:%s\r\nAuthorization: Bearer %s\r\nConnection: close\r\n",
      body != NULL ? "POST" : "GET", path, is_wrapped ? "[" : "", c->host, is_wrapped ? "]" : "", c->port, c->token);
  char more[128] = "\r\n";
  if (body != NULL)
    snprintf(more, sizeof more, "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n", strlen(body));
  return length > 0 && length < (int)sizeof head && send_all(connection, head, (size_t)length) &&
         send_all(connection, more, strlen(more)) && (body == NULL || send_all(connection, body, strlen(body)));
}

/* takes an answer apart: the status, and the body in its own memory */
static bool read_answer(const char *text, size_t length, int *status, char **body, size_t *body_length)
{
  const char *begin = strstr(text, "\r\n\r\n"), *said = strstr(text, "\r\nContent-Length: ");
  if (sscanf(text, "HTTP/1.1 %d ", status) != 1 || begin == NULL || said == NULL || said > begin) return false;
  begin += 4;
  *body_length = (size_t)(text + length - begin);
  if (strtoull(said + strlen("\r\nContent-Length: "), NULL, 10) != *body_length) return false;
  *body = fcps_allocate(*body_length + 1, 1);
  if (*body != NULL) memcpy(*body, begin, *body_length);
  return *body != NULL;
}

fcps_status fcps_client_call(const fcps_client *c, const char *path, const char *body, int *http_status, char **answer,
                             size_t *length, fcps_error *error)
{
  int connection = -1;
  size_t received = 0;
  *answer = NULL;
  fcps_status status = connect_to(c, &connection, error);
  if (status != FCPS_OK) return status;
  char *text = send_request(c, connection, path, body) ? receive_all(c, connection, &received) : NULL;
  if (text == NULL && c->stop != NULL && c->stop(c->user))
    status = fcps_error_set(error, FCPS_ERR_STOPPED, "", "stopped while an answer of the server was awaited");
  else if (text == NULL || !read_answer(text, received, http_status, answer, length))
    status = fail(c, "did not answer", "the connection was lost; the same command may be given again", error);
  free(text);
  close(connection);
  return status;
}
