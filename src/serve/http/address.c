/* SPDX-License-Identifier: Apache-2.0 */
/* Listens at an address. A path in the file system may be used again only if it is a socket whose server is gone:
 * nothing else is removed. */
#include "serve/http/address.h"

#include "base/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 512 };

static fcps_status read_path(fcps_address *address, const char *path, fcps_error *error)
{
  struct sockaddr_un *un = (struct sockaddr_un *)&address->socket;
  if (*path == '\0' || strlen(path) >= sizeof un->sun_path)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--listen",
                          "the path of a socket has 1 to %zu bytes; \"%.60s\" has %zu", sizeof un->sun_path - 1, path,
                          strlen(path));
  un->sun_family = AF_UNIX;
  memcpy(un->sun_path, path, strlen(path) + 1);
  address->length = sizeof *un;
  address->path = path;
  address->is_local = true;
  snprintf(address->host, sizeof address->host, "localhost");
  return FCPS_OK;
}

static bool read_port(const char *text, int *port)
{
  if (strspn(text, "0123456789") != strlen(text) || *text == '\0' || strlen(text) > 5) return false;
  *port = atoi(text);
  return *port <= 65535;
}

static bool read_host(fcps_address *address, const char *host)
{
  struct sockaddr_in *in = (struct sockaddr_in *)&address->socket;
  struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address->socket;
  const size_t length = strlen(host);
  if (inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &in->sin_addr) == 1) {
    in->sin_family = AF_INET;
    in->sin_port = htons((uint16_t)address->port);
    address->length = sizeof *in;
    address->is_local = ntohl(in->sin_addr.s_addr) >> 24 == 127;
    return true;
  }
  char inner[64];
  if (length < 3 || length >= sizeof inner || host[0] != '[' || host[length - 1] != ']') return false;
  snprintf(inner, sizeof inner, "%.*s", (int)length - 2, host + 1);
  if (inet_pton(AF_INET6, inner, &in6->sin6_addr) != 1) return false;
  in6->sin6_family = AF_INET6;
  in6->sin6_port = htons((uint16_t)address->port);
  address->length = sizeof *in6;
  address->is_local = IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
  return true;
}

fcps_status fcps_address_read(fcps_address *address, const char *text, fcps_error *error)
{
  *address = (fcps_address){0};
  if (strncmp(text, "unix:", 5) == 0) return read_path(address, text + 5, error);
  const char *colon = strrchr(text, ':');
  if (colon == NULL || colon - text >= (int)sizeof address->host || !read_port(colon + 1, &address->port))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--listen",
                          "\"%.80s\" is not an address; write 127.0.0.1:PORT, [::1]:PORT or unix:PATH", text);
  snprintf(address->host, sizeof address->host, "%.*s", (int)(colon - text), text);
  if (!read_host(address, address->host))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--listen",
                          "\"%.60s\" is not an IP address; write 127.0.0.1:PORT, [::1]:PORT or unix:PATH",
                          address->host);
  return FCPS_OK;
}

/* Whether a socket lies there to which nobody listens any more. */
static bool is_left_behind(const fcps_address *address)
{
  struct stat about;
  if (lstat(address->path, &about) != 0 || !S_ISSOCK(about.st_mode)) return false;
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool is_refused = probe >= 0 &&
                          connect(probe, (const struct sockaddr *)&address->socket, address->length) != 0 &&
                          errno == ECONNREFUSED;
  if (probe >= 0) close(probe);
  return is_refused;
}

static bool bind_socket(const fcps_address *address, int descriptor)
{
  const mode_t before = umask(0177); /* Only its owner may use a socket in the file system. */
  int failed = bind(descriptor, (const struct sockaddr *)&address->socket, address->length);
  if (failed != 0 && errno == EADDRINUSE && address->path != NULL && is_left_behind(address)) {
    unlink(address->path);
    failed = bind(descriptor, (const struct sockaddr *)&address->socket, address->length);
  }
  const int reason = errno;
  umask(before);
  errno = reason;
  return failed == 0;
}

static int port_of(int descriptor)
{
  struct sockaddr_storage bound;
  socklen_t length = sizeof bound;
  if (getsockname(descriptor, (struct sockaddr *)&bound, &length) != 0) return 0;
  if (bound.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&bound)->sin_port);
  return bound.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&bound)->sin6_port) : 0;
}

fcps_status fcps_address_listen(fcps_address *address, int *descriptor, fcps_error *error)
{
  const int yes = 1;
  *descriptor = socket(address->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (*descriptor >= 0 && address->path == NULL) setsockopt(*descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (*descriptor >= 0 && bind_socket(address, *descriptor) && listen(*descriptor, BACKLOG) == 0) {
    if (address->path == NULL) address->port = port_of(*descriptor);
    return FCPS_OK;
  }
  const int reason = errno;
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
  return fcps_error_set(error, FCPS_ERR_IO, "--listen", "cannot listen there: %s%s", strerror(reason),
                        reason == EADDRINUSE ? "; another server is there, take another port" : "");
}
