/* SPDX-License-Identifier: Apache-2.0 */
/* Where a server listens: "127.0.0.1:8017", "[::1]:8017" or "unix:PATH". Port 0 means any free port. */
#ifndef FCPS_SERVE_HTTP_ADDRESS_H
#define FCPS_SERVE_HTTP_ADDRESS_H

#include <fcps/base.h>

#include <sys/socket.h>

typedef struct fcps_address {
  struct sockaddr_storage socket;
  socklen_t length;
  char host[64]; /* as it is written in a URL; for a socket in the file system, "localhost" */
  int port;      /* 0: any free port, or a socket in the file system */
  /* path of a socket in the file system, which points into the text that was read; NULL: it has a port */
  const char *path;
  bool is_local; /* no other machine can reach it */
} fcps_address;

/* Reads an address. Its host must be a number: names are not looked up. */
fcps_status fcps_address_read(fcps_address *address, const char *text, fcps_error *error);

/* Opens a socket that listens there, and finds out the port. Only its owner may use a socket in the file system. A
 * socket that an ended server left behind is replaced. */
fcps_status fcps_address_listen(fcps_address *address, int *descriptor, fcps_error *error);

#endif
