/* SPDX-License-Identifier: Apache-2.0 */
/* A client of `fcps serve` for a small controller: sockets, some kilobytes of buffers, no library and no allocation. It
 * asks with a name of its own and repeats each request until it is answered. The server makes sure that this does no
 * harm.
 *
 *   cc -o robot robot.c -lm && FCPS_TOKEN=... ./robot PORT TRIALS
 *
 * It throws a ball as examples/simulator does. On another controller replace `call` by its HTTP client; the requests and
 * answers stay the same.
 */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int port;
static const char *token;

/* Sends a POST and reads the answer. Returns the HTTP status, 0 if there was no answer. */
static int call(const char *path, const char *body, size_t size, char *answer)
{
  const struct sockaddr_in server = {
      .sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  char request[640];
  size_t length = 0;
  int status = 0;
  const int line = socket(AF_INET, SOCK_STREAM, 0);
  snprintf(request, sizeof request,
           "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
           "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
           path, port, token, strlen(body), body);
  if (line >= 0 && connect(line, (const struct sockaddr *)&server, sizeof server) == 0 &&
      send(line, request, strlen(request), MSG_NOSIGNAL) == (ssize_t)strlen(request)) {
    for (ssize_t got = 1; got > 0 && length<size - 1; length += got> 0 ? (size_t)got : 0)
      got = recv(line, answer + length, size - 1 - length, 0);
  }
  answer[length] = '\0';
  if (line >= 0) close(line);
  return sscanf(answer, "HTTP/1.1 %d", &status) == 1 && strstr(answer, "\r\n\r\n") != NULL ? status : 0;
}

/* Repeats a call until it is answered, because all requests may be repeated. */
static int insist(const char *path, const char *body, size_t size, char *answer)
{
  int status = 0;
  while ((status = call(path, body, size, answer)) == 0 || status == 503)
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
  return status;
}

/* The number after "name": in an answer. */
static double number(const char *answer, const char *name)
{
  char key[40];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char *found = strstr(answer, key);
  return found != NULL ? atof(found + strlen(key)) : NAN;
}

int main(int argc, char **argv)
{
  static char answer[4096], body[256];
  token = getenv("FCPS_TOKEN");
  port = argc > 2 ? atoi(argv[1]) : 0;
  if (token == NULL || port == 0) return fputs("usage: FCPS_TOKEN=... robot PORT TRIALS\n", stderr), 2;
  for (int i = 0; i < atoi(argv[2]); i++) {
    const double x = 5 * cos(i), y = 5 * sin(2 * i), wind = 0.5 * sin(3 * i);
    snprintf(body, sizeof body,
             "{\"client\": \"robot\", \"target\": {\"x\": %.3f, \"y\": %.3f}, \"environment\": {\"wind\": %.3f}}", x, y,
             wind);
    if (insist("/v1/studies/throw/ask", body, sizeof answer, answer) != 200) return fputs(answer, stderr), 1;
    const double ask = number(answer, "ask"), turn = number(answer, "turn") * acos(-1) / 180,
                 speed = number(answer, "speed");
    const double reach = speed * speed / 9.81, flight = sqrt(2) * speed / 9.81; /* the throw of examples/simulator */
    const double blown = number(answer, "wind"); /* an unfinished ask is given again with its own wind */
    snprintf(body, sizeof body, "{\"ask\": %.0f, \"outcome\": {\"land_x\": %.4f, \"land_y\": %.4f}}", ask,
             reach * cos(turn) + blown * flight, reach * sin(turn));
    if (insist("/v1/studies/throw/tell", body, sizeof answer, answer) != 200) return fputs(answer, stderr), 1;
    printf("ask %.0f: reward %.3f\n", ask, number(answer, "reward"));
  }
  return 0;
}
