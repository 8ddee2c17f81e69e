/* SPDX-License-Identifier: Apache-2.0 */
/* The connection is closed after each answer, so that its end is that of the answer, and its length a check. */
#include "serve/http/client.h"

#include "base/error.h"
#include "base/memory.h"
#include "serve/http/token.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
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

/* Seconds for a connection, for what is stored, and for what a learner may have to compute first. FCPS_SERVER_WAIT
 * replaces the last two. */
enum { CONNECT_S = 10, LOOK_S = 60, COMPUTE_S = 3600, ANSWER_MAX = 1 << 30 };

static const char scheme[] = "http://", mark[] = "#token=";

/* a token that came with an address; see fcps_client_hide_token */
static fcps_client remembered;

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

static fcps_status check_port(const fcps_client *c, fcps_error *error)
{
  const int port = atoi(c->port); /* of at most seven digits */
  if (port >= 1 && port <= 65535) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY", "%s is not a port; ports go from 1 to 65535", c->port);
}

static int hex_digit(char c)
{
  static const char digits[] = "0123456789abcdef0123456789ABCDEF";
  const char *found = c != '\0' ? strchr(digits, c) : NULL;
  return found != NULL ? (int)((found - digits) % 16) : -1;
}

/* %20 as a browser shows it; a % that begins no such number is itself */
static void decode(char *text)
{
  char *to = text;
  for (const char *from = text; *from != '\0'; from++) {
    const int high = *from == '%' ? hex_digit(from[1]) : -1, low = high >= 0 ? hex_digit(from[2]) : -1;
    *to++ = low >= 0 ? (char)(16 * high + low) : *from;
    if (low >= 0) from += 2;
  }
  *to = '\0';
}

/* a name as a word of a path: "my study" is my%20study */
static void encode(const char *name, size_t size, char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~";
  size_t used = 0;
  for (; *name != '\0' && used + 4 <= size; name++)
    used += (size_t)snprintf(text + used, size - used, strchr(plain, *name) != NULL ? "%c" : "%%%02X",
                             (unsigned char)*name);
  text[used] = '\0';
}

/* the study's name, as it stands in the path; also /v1/studies/NAME */
static bool read_study(fcps_client *c, const char *path, size_t length)
{
  static const char whole[] = "/v1/studies/";
  if (length > strlen(whole) && strncmp(path, whole, strlen(whole)) == 0) {
    path += strlen(whole) - 1;
    length -= strlen(whole) - 1;
  }
  if (length > 1 && path[length - 1] == '/') length--;
  if (length <= 1) return true;
  if (memchr(path + 1, '/', length - 1) != NULL || !copy_part(c->name, sizeof c->name, path + 1, length - 1))
    return false;
  decode(c->name);
  encode(c->name, sizeof c->study, c->study);
  return true;
}

/* http://HOST:PORTSTUDY lacks a slash, http://HOST:PORT/STUDY/WORD has a word too many: what was meant */
static bool guess(const char *url, size_t length, size_t size, char *meant)
{
  const size_t begin = strlen(scheme), place = strcspn(url + begin, "/#");
  const char *colon = memchr(url + begin, ':', place), *slash = url + begin + place;
  const size_t digits = colon != NULL ? strspn(colon + 1, "0123456789") : 0;
  const char *end = colon != NULL ? colon + 1 + digits : NULL;
  if (digits == 0) return false;
  if (end < slash)
    return snprintf(meant, size, "%.*s/%.*s", (int)(end - url), url, (int)(url + length - end), end) < (int)size;
  if (*slash != '/') return false;
  const size_t word = strcspn(slash + 1, "/#");
  return word > 0 && snprintf(meant, size, "%.*s", (int)(slash + 1 + word - url), url) < (int)size;
}

static fcps_status refuse_url(const char *url, size_t length, fcps_error *error)
{
  char meant[300];
  if (guess(url, length, sizeof meant, meant))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY", "\"%.*s\" is not http://HOST:PORT/STUDY; did you mean %s?",
                          (int)(length < 100 ? length : 100), url, meant);
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY",
                        "\"%.*s\" is not http://HOST:PORT/STUDY, such as http://127.0.0.1:8017/throw",
                        (int)(length < 100 ? length : 100), url);
}

/* -- The token -- */

static bool is_this_machine(const char *host)
{
  struct in_addr four;
  struct in6_addr six;
  if (strcmp(host, "localhost") == 0) return true;
  if (inet_pton(AF_INET, host, &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  return inet_pton(AF_INET6, host, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

/* The token in the usual place belongs to servers of this machine, and is a secret before all others. */
static fcps_status find_token(fcps_client *c, fcps_error *error)
{
  const char *given = getenv("FCPS_TOKEN_FILE");
  if (strcmp(c->host, remembered.host) == 0 && strcmp(c->port, remembered.port) == 0) {
    memcpy(c->token, remembered.token, sizeof c->token);
    return FCPS_OK;
  }
  if (!is_this_machine(c->host) && (given == NULL || *given == '\0'))
    return fcps_error_set(
        error, FCPS_ERR_ARGUMENT, "STUDY",
        "%.100s is another machine, and your token is for servers of this one. Set FCPS_TOKEN_FILE to "
        "a file with the token of that server, or write its address with #token=...",
        c->host);
  char path[4096], token[FCPS_TOKEN_SIZE];
  fcps_status status = fcps_token_place(sizeof path, path, error);
  if (status == FCPS_OK) status = fcps_token_read(path, token, error);
  if (status == FCPS_OK) memcpy(c->token, token, sizeof token);
  return status;
}

/* A token at another place is none; what stands there is not repeated. */
static fcps_status check_secrets(const char *rest, size_t place, const char *fragment, fcps_error *error)
{
  const bool has_user = memchr(rest, '@', place) != NULL;
  if (!has_user && (fragment == NULL || strncmp(fragment, mark, strlen(mark)) == 0)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY",
                        "%s; write http://HOST:PORT/STUDY#token=TOKEN, or keep the token in its file (FCPS_TOKEN_FILE)",
                        has_user ? "an address has no user and no password before its host"
                                 : "behind the # of an address stands its token, as #token=TOKEN");
}

fcps_status fcps_client_open(fcps_client *c, const char *url, fcps_error *error)
{
  *c = (fcps_client){0};
  const char *rest = url + strlen(scheme), *fragment = strchr(rest, '#');
  const char *end = fragment != NULL ? fragment : rest + strlen(rest);
  const size_t place = strcspn(rest, "/#");
  const fcps_status secrets = check_secrets(rest, place, fragment, error);
  if (secrets != FCPS_OK) return secrets;
  if (!read_place(c, rest, place) || !read_study(c, rest + place, (size_t)(end - rest) - place))
    return refuse_url(url, (size_t)(end - url), error);
  const fcps_status status = check_port(c, error);
  if (status != FCPS_OK) return status;
  if (fragment != NULL && strncmp(fragment, mark, strlen(mark)) == 0 &&
      copy_part(c->token, sizeof c->token, fragment + strlen(mark), strlen(fragment + strlen(mark))))
    return FCPS_OK;
  return find_token(c, error);
}

/* the rest of an address behind http:// or https://, also in --store=http://...; NULL: there is none */
static char *find_address(char *text)
{
  static const char *const schemes[] = {"http://", "https://"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    char *found = strstr(text, schemes[i]);
    if (found != NULL) return found + strlen(schemes[i]);
  }
  return NULL;
}

/* A token where none belongs, USER:TOKEN@HOST or a misspelt #token=, becomes points: whoever reads the address refuses it. */
static void hide_misplaced(char *rest)
{
  const size_t place = strcspn(rest, "/#");
  char *at = memchr(rest, '@', place), *fragment = strchr(rest, '#');
  if (fragment != NULL) memset(fragment + 1, '.', strlen(fragment + 1));
  if (at != NULL) memset(rest, '.', (size_t)(at - rest));
}

void fcps_client_hide_token(char *text)
{
  char *found = strstr(text, mark), *rest = find_address(text);
  fcps_client client = {0};
  fcps_error unwanted;
  if (strpbrk(text, " \t\n") != NULL) return; /* words for people are no address */
  if (found != NULL && fcps_client_is_url(text) && fcps_client_open(&client, text, &unwanted) == FCPS_OK)
    remembered = client;
  if (found != NULL) memset(found, 0, strlen(found));
  if (rest != NULL) hide_misplaced(rest);
}

/* -- The connection -- */

static fcps_status fail(const fcps_client *c, const char *what, const char *reason, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_IO, "STUDY", "the server at %s:%s %s: %s", c->host, c->port, what, reason);
}

/* Seconds until an answer must have come. What changes a study may have to wait for its learner. */
static int patience(const char *path, const char *body)
{
  const char *given = getenv("FCPS_SERVER_WAIT");
  const int seconds = given != NULL ? atoi(given) : 0;
  if (seconds > 0) return seconds;
  return body != NULL && strchr(path + 1, '/') != strrchr(path, '/') ? COMPUTE_S : LOOK_S;
}

/* connects within CONNECT_S; 0, or the reason why not */
static int connect_in_time(int connection, const struct addrinfo *a)
{
  struct pollfd wait = {.fd = connection, .events = POLLOUT};
  int reason = 0;
  socklen_t size = sizeof reason;
  if (connect(connection, a->ai_addr, a->ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  const int ready = poll(&wait, 1, CONNECT_S * 1000);
  if (ready == 0) return ETIMEDOUT;
  if (ready < 0 || getsockopt(connection, SOL_SOCKET, SO_ERROR, &reason, &size) != 0) return errno;
  return reason;
}

static fcps_status connect_to(const fcps_client *c, int wait_s, int *connection, fcps_error *error)
{
  const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  const struct timeval wait = {.tv_sec = wait_s};
  struct addrinfo *found = NULL;
  const int problem = getaddrinfo(c->host, c->port, &wanted, &found);
  *connection = -1;
  if (problem != 0) return fail(c, "is unknown", gai_strerror(problem), error);
  int reason = 0;
  for (const struct addrinfo *a = found; a != NULL && *connection < 0; a = a->ai_next) {
    *connection = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
    reason = *connection >= 0 ? connect_in_time(*connection, a) : errno;
    if (reason == 0 || *connection < 0) continue;
    close(*connection);
    *connection = -1;
  }
  freeaddrinfo(found);
  if (*connection < 0) return fail(c, "cannot be reached", strerror(reason), error);
  fcntl(*connection, F_SETFL, 0); /* it may wait from now on */
  setsockopt(*connection, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  setsockopt(*connection, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
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

/* whether there is something to receive before the caller wants to stop; EAGAIN where nothing came in time */
static bool wait_for_answer(const fcps_client *c, int connection, int wait_s)
{
  enum { LOOK_MS = 50 };
  struct pollfd awaited = {.fd = connection, .events = POLLIN};
  if (c->stop == NULL) return true; /* the connection itself waits no longer */
  watch_peer(connection);
  for (int waited = 0; poll(&awaited, 1, LOOK_MS) == 0; waited += LOOK_MS) {
    errno = waited < 1000 * wait_s ? 0 : EAGAIN;
    if (errno != 0 || c->stop(c->user)) return false;
  }
  return true;
}

/* everything up to the end of the connection; NULL where it broke, is too much, or is not waited for */
static char *receive_all(const fcps_client *c, int connection, int wait_s, size_t *length)
{
  char *text = NULL;
  size_t capacity = 0;
  *length = 0;
  for (;;) {
    if (*length > ANSWER_MAX || !fcps_reserve((void **)&text, &capacity, *length + 65536, 1)) break;
    if (!wait_for_answer(c, connection, wait_s)) break;
    const ssize_t got = recv(connection, text + *length, capacity - *length - 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    *length += (size_t)got;
    text[*length] = '\0';
    if (got == 0) return text;
  }
  const int reason = errno;
  free(text);
  errno = reason; /* the caller looks whether it was too late */
  return NULL;
}

/* -- One call -- */

static bool send_request(const fcps_client *c, int connection, const char *path, const char *body)
{
  char head[2048];
  const bool is_wrapped = strchr(c->host, ':') != NULL;
  const int length = snprintf(
      head, sizeof head, "%s %.1000s HTTP/1.1\r\nHost: %s%s%s:%s\r\nAuthorization: Bearer %s\r\nConnection: close\r\n",
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
  char late[200] = "";
  const int wait_s = patience(path, body);
  *answer = NULL;
  fcps_status status = connect_to(c, wait_s, &connection, error);
  if (status != FCPS_OK) return status;
  errno = 0;
  char *text = send_request(c, connection, path, body) ? receive_all(c, connection, wait_s, &received) : NULL;
  if (text == NULL && (errno == EAGAIN || errno == EWOULDBLOCK))
    snprintf(late, sizeof late,
             "nothing came within %d s: is it stopped, or very busy? The same command may be given again; "
             "FCPS_SERVER_WAIT=SECONDS lets it wait longer",
             wait_s);
  if (text == NULL && c->stop != NULL && c->stop(c->user))
    status = fcps_error_set(error, FCPS_ERR_STOPPED, "", "stopped while an answer of the server was awaited");
  else if (text == NULL || !read_answer(text, received, http_status, answer, length))
    status = fail(c, "did not answer",
                  late[0] != '\0' ? late : "the connection was lost; the same command may be given again", error);
  free(text);
  close(connection);
  return status;
}
